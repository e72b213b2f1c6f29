//! Stall probability over threads, with Wilson intervals, a line a series.

use analysis::Analysis;
use analysis::series::Series;
use stats::words::{counted, percent};

use super::Figure;
use super::looks::looks;
use super::rows::rows;
use super::threads_axis::{
    MOST_SERIES, dodge, narrowest_gap, the_cpus, thread_counts, threads_axis,
};
use crate::draw::{Axis, Backend, Canvas, DrawError, Entry, Legend, Look, Plot, Scale, Tick};
use crate::say::headline::nothing_can_stall;
use crate::say::word::{HAD, HAD_NONE, IS, PROBABILITY, TRIALS};

/// The figure.
pub struct StallProbability<'a> {
    analysis: &'a Analysis,
    series: Vec<&'a Series>,
    left_out: usize,
    quiet_controls: usize,
    counts: Vec<u64>,
}

impl<'a> StallProbability<'a> {
    /// The figure, if any trial has an outcome.
    pub fn of(analysis: &'a Analysis) -> Option<Self> {
        let observed =
            |series: &&Series| series.cells.iter().any(|at| analysis.cells[*at].observed() > 0);
        let mut series: Vec<&Series> = analysis.series.iter().filter(observed).collect();
        // One control is a reference; several that never stalled are clutter.
        let quiet = |series: &Series| {
            series.is_control && series.cells.iter().all(|at| analysis.cells[*at].stalled() == 0)
        };
        let mut quiet_controls = 0;
        if series.iter().filter(|series| series.is_control).count() > 1 {
            let before = series.len();
            series.retain(|series| !quiet(series));
            quiet_controls = before - series.len();
        }
        let left_out = series.len().saturating_sub(MOST_SERIES);
        series.truncate(MOST_SERIES);
        let counts = thread_counts(analysis, &series);
        let figure = StallProbability { analysis, series, left_out, quiet_controls, counts };
        // At one thread count a row a series reads better: `StallRows`.
        let as_rows = rows(analysis, |cell| cell.observed() > 0).is_some();
        (!figure.counts.is_empty() && !as_rows).then_some(figure)
    }

    fn looks(&self) -> Vec<Look> {
        looks(self.analysis, &self.series)
    }

    fn plot(&self) -> Plot {
        let entries = self.series.iter().zip(self.looks()).map(|(series, look)| Entry {
            label: named(series),
            colour: look.colour,
            marker: Some(look.marker),
            filled: !series.is_control,
            line: true,
        });
        let mut subtitle = format!(
            "Bars are Wilson intervals at {}. A trial {IS} when {}.",
            percent(self.analysis.level.get()),
            crate::say::rule::in_words(&self.analysis.stall, self.analysis.control.as_ref())
        );
        if self.quiet_controls > 0 {
            subtitle += &match self.quiet_controls {
                1 => format!(" The control that {HAD_NONE} is in the table only."),
                n => format!(" {n} controls, none of which {HAD}, are in the table only."),
            };
        }
        subtitle += &left_out_in_words(self.left_out);
        // Not over the data: bars reach far up where trials are few.
        if let Some(text) = remark(self.analysis) {
            subtitle = format!("{text} {subtitle}");
        }
        Plot::new(
            self.size(),
            &format!("{PROBABILITY} over threads"),
            &subtitle,
            threads_axis(&self.counts),
            share_axis(&TRIALS.to_string()),
            Legend::new(entries.collect()),
        )
    }
}

/// The axis of a share of trials, with a little room beyond none and all.
pub(super) fn share_axis(title: &str) -> Axis {
    let scale = Scale::Linear { low: -0.03, high: 1.05 };
    let ticks = scale
        .steps(6)
        .into_iter()
        .map(|tick| Tick { label: percent(tick.value), ..tick })
        .collect();
    Axis { title: title.into(), scale, ticks }
}

/// A series' name in a legend.
pub(super) fn named(series: &Series) -> String {
    if series.is_control { format!("{} (control)", series.name) } else { series.name.clone() }
}

/// What follows in a subtitle where a figure has no room for all series; else nothing.
pub(super) fn left_out_in_words(left_out: usize) -> String {
    if left_out == 0 {
        return String::new();
    }
    let more = counted(left_out as u64, "more series is", "more series are");
    format!(" {more} in the table only.")
}

/// What to say with a figure in which nothing could stall.
pub(super) fn remark(analysis: &Analysis) -> Option<&'static str> {
    let stalls = analysis.cells.iter().any(|cell| cell.stalled() > 0);
    (!stalls && nothing_can_stall(analysis)).then(crate::say::case::nothing_can_stall)
}

impl Figure for StallProbability<'_> {
    fn name(&self) -> String {
        "stall-probability".into()
    }

    fn caption(&self) -> String {
        format!(
            "Share of {TRIALS} at each thread count, with {} Wilson intervals, for {}.",
            percent(self.analysis.level.get()),
            stats::words::list(&self.series.iter().map(|series| named(series)).collect::<Vec<_>>())
        )
    }

    fn size(&self) -> (f64, f64) {
        (640.0, 400.0)
    }

    fn draw<DB: Backend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), DrawError> {
        let plot = self.plot();
        plot.draw(canvas)?;
        if let Some(cpus) = the_cpus(self.analysis)
            && self.counts.first().is_some_and(|low| *low as f64 <= cpus as f64 * 1.02)
            && self.counts.last().is_some_and(|high| *high >= cpus)
        {
            plot.draw_mark(canvas, cpus as f64, &format!("{cpus} CPUs"))?;
        }
        let places: Vec<f64> = self.counts.iter().map(|n| plot.x_at(*n as f64)).collect();
        let room = (narrowest_gap(&places) * 0.7).clamp(0.0, 12.0 * self.series.len() as f64);
        // The control first: what matters lies on top.
        let looks = self.looks();
        let mut order: Vec<usize> = (0..self.series.len()).collect();
        order.sort_by_key(|at| !self.series[*at].is_control);
        for at in order {
            let (series, look) = (self.series[at], looks[at]);
            let aside = dodge(at, self.series.len(), room);
            let cells = series.cells.iter().map(|at| &self.analysis.cells[*at]);
            let seen: Vec<_> = cells
                .filter_map(|cell| {
                    let stall = cell.stall.as_ref()?;
                    let (x, y) = plot.point(cell.factors.threads().max(1) as f64, stall.estimate);
                    Some(((x + aside, y), cell.stall_interval("wilson")))
                })
                .collect();
            let line: Vec<(f64, f64)> = seen.iter().map(|(point, _)| *point).collect();
            canvas.line(&line, look.colour, 1.2)?;
            for ((x, y), interval) in seen {
                if let Some((low, high)) = interval.and_then(|i| Some((i.low?, i.high?))) {
                    let (low, high) = (plot.y_at(low), plot.y_at(high));
                    canvas.line(&[(x, low), (x, high)], look.colour, 1.2)?;
                    for end in [low, high] {
                        canvas.line(&[(x - 2.5, end), (x + 2.5, end)], look.colour, 1.2)?;
                    }
                }
                canvas.marker(look.marker, (x, y), 7.0, look.colour, !series.is_control)?;
            }
        }
        Ok(())
    }
}
