//! How long a stall lasts, by the case's event or by throughput: Kaplan and Meier's
//! curves, with what was censored and how many trials are still at risk.

use analysis::Analysis;
use analysis::case::Occurrence;
use analysis::recovery::{CellRecovery, SeenBy, Sense};
use analysis::series::Series;
use stats::survival::summary::CurvePoint;
use stats::words::{counted, percent};

use super::Figure;
use super::looks::looks;
use super::stall_probability::share_axis;
use super::survival_curve;
use super::time_axis::time_axis;
use crate::draw::{Axis, Backend, Canvas, DrawError, Entry, Legend, Look, Plot, look};
use crate::say::case;

/// The most curves of one figure.
const MOST_CURVES: usize = 5;

/// The figure.
pub struct Recovery<'a> {
    analysis: &'a Analysis,
    sense: Sense,
    curves: Vec<(String, &'a CellRecovery)>,
    left_out: usize,
}

impl<'a> Recovery<'a> {
    /// The figure, if there was anything to recover from: of one series its highest thread counts, of
    /// several the highest of each.
    pub fn of(analysis: &'a Analysis, sense: Sense) -> Option<Self> {
        // Slow samples where the event can't happen are the machine's noise.
        let noise = |cell: usize| {
            let mut impossible =
                analysis.series.iter().filter(|one| one.occurrence == Occurrence::Impossible);
            let control_of_noise = crate::say::headline::nothing_can_stall(analysis);
            control_of_noise || impossible.any(|series| series.cells.contains(&cell))
        };
        let here = |one: &&CellRecovery| one.sense == sense && one.n > 0 && !noise(one.cell);
        let all = || analysis.recovery.iter().filter(here);
        let of_series = |cells: &[usize]| -> Vec<&'a CellRecovery> {
            cells.iter().filter_map(|cell| all().find(|one| one.cell == *cell)).collect()
        };
        let series: Vec<(&str, Vec<&CellRecovery>)> = analysis
            .series
            .iter()
            .map(|series| (series.name.as_str(), of_series(&series.cells)))
            .filter(|(_, found)| !found.is_empty())
            .collect();
        let threads = |recovery: &CellRecovery| analysis.cells[recovery.cell].factors.threads();
        let mut curves: Vec<(String, &CellRecovery)> = match series.as_slice() {
            [(_, found)] => {
                let highest = found.iter().rev().take(MOST_CURVES).rev();
                highest.map(|one| (counted(threads(one), "thread", "threads"), *one)).collect()
            }
            several => several
                .iter()
                .filter_map(|(name, found)| {
                    let one = found.last()?;
                    let threads = counted(threads(one), "thread", "threads");
                    Some((format!("{name}, {threads}"), *one))
                })
                .collect(),
        };
        curves.truncate(MOST_CURVES);
        let left_out = all().count() - curves.len();
        let times = curves.iter().flat_map(|(_, one)| one.curve.last()).map(|point| point.time);
        let last_s = times.fold(0.0, f64::max);
        (last_s > 0.0).then_some(Recovery { analysis, sense, curves, left_out })
    }

    fn title(&self) -> &'static str {
        match (self.sense, self.by_throughput()) {
            (Sense::Throughput, _) => "How long throughput stays below its share of the control",
            (Sense::Event, true) => "How long a stall lasts",
            (Sense::Event, false) => case::event().title,
        }
    }

    fn still(&self) -> &'static str {
        match (self.sense, self.by_throughput()) {
            (Sense::Throughput, _) => "still below",
            (Sense::Event, true) => "still stalled",
            (Sense::Event, false) => case::event().still,
        }
    }

    fn over(&self) -> &'static str {
        match (self.sense, self.by_throughput()) {
            (Sense::Throughput, _) => "back",
            (Sense::Event, true) => "recovered",
            (Sense::Event, false) => case::event().over,
        }
    }

    fn looks(&self) -> Vec<Look> {
        let series = self.curves.iter().filter_map(|(_, one)| {
            self.analysis.series.iter().find(|series| series.cells.contains(&one.cell))
        });
        let series: Vec<&Series> = series.collect();
        // Thread counts of one series are told apart by their own looks.
        let several = series.windows(2).all(|pair| !std::ptr::eq(pair[0], pair[1]));
        if several && series.len() == self.curves.len() {
            looks(self.analysis, &series)
        } else {
            (0..self.curves.len()).map(|at| look(at, false)).collect()
        }
    }

    /// Whether no trial looked at the event.
    fn by_throughput(&self) -> bool {
        self.curves.iter().all(|(_, one)| one.seen_by == SeenBy::Throughput)
    }

    fn x_axis(&self) -> Axis {
        let title = match (self.sense, self.by_throughput()) {
            (Sense::Throughput, _) => "seconds since throughput fell",
            (Sense::Event, true) => "seconds since the load began",
            (Sense::Event, false) => case::event().clock,
        };
        let curves: Vec<&[CurvePoint]> =
            self.curves.iter().map(|(_, one)| one.curve.as_slice()).collect();
        time_axis(title, &curves)
    }

    fn plot(&self) -> Plot {
        let entries = self.curves.iter().zip(self.looks()).map(|((name, one), look)| Entry {
            label: format!("{name} ({} of {} {})", one.events, one.n, self.over()),
            colour: look.colour,
            marker: None,
            filled: false,
            line: true,
        });
        let mut subtitle = format!(
            "Kaplan-Meier, with log-log intervals at {}; a cross is a trial whose load ended first. \
             Below: trials still at risk.",
            percent(self.analysis.level.get())
        );
        if self.left_out > 0 {
            let more = counted(self.left_out as u64, "more cell is", "more cells are");
            subtitle += &format!(" {more} in recovery.csv.");
        }
        Plot::new(
            self.size(),
            self.title(),
            &subtitle,
            self.x_axis(),
            share_axis(self.still()),
            Legend::new(entries.collect()),
        )
        .with_lines_below(self.curves.len())
    }
}

impl Figure for Recovery<'_> {
    fn name(&self) -> String {
        match self.sense {
            Sense::Event => "recovery".into(),
            Sense::Throughput => "recovery-throughput".into(),
        }
    }

    fn caption(&self) -> String {
        let names: Vec<String> = self.curves.iter().map(|(name, _)| name.clone()).collect();
        let names = stats::words::list(&names);
        let what = match (self.sense, self.by_throughput()) {
            (Sense::Throughput, _) => {
                "Share of stalled trials whose throughput is still below its share of the control, over \
                 the time since it fell"
            }
            (Sense::Event, true) => {
                "Share of trials that are still stalled, over the time since the load began"
            }
            (Sense::Event, false) => case::event().shown,
        };
        format!("{what}, for {names}.")
    }

    fn size(&self) -> (f64, f64) {
        (640.0, 400.0 + 13.0 * self.curves.len() as f64)
    }

    fn draw<DB: Backend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), DrawError> {
        let plot = self.plot();
        plot.draw(canvas)?;
        // The bands lie below all curves.
        for ((_, one), look) in self.curves.iter().zip(self.looks()) {
            survival_curve::band(canvas, &plot, &one.curve, look)?;
        }
        for (line, ((_, one), look)) in self.curves.iter().zip(self.looks()).enumerate() {
            survival_curve::steps(canvas, &plot, &one.curve, look)?;
            let numbers: Vec<(f64, String)> = self
                .x_axis()
                .ticks
                .iter()
                .filter(|tick| !tick.label.is_empty())
                .map(|tick| {
                    (tick.value, survival_curve::at_risk(&one.curve, tick.value).to_string())
                })
                .collect();
            plot.draw_line_below(canvas, line, look.colour, &numbers)?;
        }
        Ok(())
    }
}
