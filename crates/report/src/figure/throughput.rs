//! Every trial's throughput as a point over threads, stalled ones marked, the control beside it.
//!
//! Series that differ in the control's factor alone share a figure; the others have one each, because
//! points of several kernels at one thread count would cover each other.
//!
//! A stall is one of two modes, so a mean would show a throughput that no trial had: each trial is
//! shown instead, and a short bar is the cell's median.

use analysis::Analysis;
use analysis::outcome::Outcome;
use analysis::series::Series;
use stats::words::counted;

use super::Figure;
use super::looks::looks;
use super::rows::rows;
use super::stall_probability::{named, remark};
use super::threads_axis::{
    MOST_SERIES, dodge, narrowest_gap, the_cpus, thread_counts, threads_axis,
};
use crate::draw::{Axis, Backend, Canvas, DrawError, Entry, INK, Legend, Plot, STALL, Scale};
use crate::say::word::{COLUMN, TRIALS};

/// The most points of one cell: more are one blot, and an SVG of megabytes.
pub(super) const MOST_POINTS: usize = 200;

/// The most figures of this kind in a report.
const MOST_GROUPS: usize = 8;

/// The figure.
pub struct Throughput<'a> {
    analysis: &'a Analysis,
    /// Its place among the figures of this kind, from 1, and their number.
    place: (usize, usize),
    series: Vec<&'a Series>,
    counts: Vec<u64>,
    points: Vec<Point>,
    /// The scale, the same in all figures of a workload: they are there to be compared.
    scale: Scale,
    zeros: usize,
    thinned: bool,
}

#[derive(Debug, Clone, Copy)]
struct Point {
    series: usize,
    threads: u64,
    mops: f64,
    stalled: bool,
    /// From −1 to 1, the same in every drawing.
    jitter: f64,
}

impl<'a> Throughput<'a> {
    /// The figures: one a group of series that differ in the control's factor alone. At one thread count
    /// a row a series reads better: `ThroughputRows`.
    pub fn of(analysis: &'a Analysis) -> Vec<Self> {
        let measured =
            |series: &&Series| series.cells.iter().any(|at| analysis.cells[*at].mops.is_some());
        if rows(analysis, |cell| cell.mops.is_some()).is_some() {
            return Vec::new();
        }
        let of_control = analysis.control_factor();
        let shape = |series: &Series| {
            let cell = series.cells.first().and_then(|at| analysis.cells.get(*at))?;
            Some(cell.factors.with("threads", "").with(of_control, ""))
        };
        let mut groups: Vec<Vec<&Series>> = Vec::new();
        for series in analysis.series.iter().filter(measured) {
            match groups.last_mut() {
                Some(group) if shape(group[0]) == shape(series) => group.push(series),
                _ => groups.push(vec![series]),
            }
        }
        groups.truncate(MOST_GROUPS);
        let all = groups.len();
        let groups = groups.into_iter().enumerate();
        let mut figures: Vec<Self> = groups
            .filter_map(|(at, group)| Self::of_group(analysis, group, (at + 1, all)))
            .collect();
        for at in 0..figures.len() {
            let alike = figures.iter().filter(|one| one.workload() == figures[at].workload());
            let mops = alike.flat_map(|one| one.points.iter().map(|point| point.mops));
            figures[at].scale = scale_of(mops);
        }
        figures
    }

    fn workload(&self) -> Option<&str> {
        let cell = self.series.first()?.cells.first()?;
        Some(self.analysis.cells.get(*cell)?.factors.get("workload"))
    }

    fn of_group(
        analysis: &'a Analysis,
        mut series: Vec<&'a Series>,
        place: (usize, usize),
    ) -> Option<Self> {
        series.truncate(MOST_SERIES);
        let counts = thread_counts(analysis, &series);
        if counts.is_empty() {
            return None;
        }
        let mut of_cell = vec![None; analysis.cells.len()];
        for (at, series) in series.iter().enumerate() {
            for cell in &series.cells {
                of_cell[*cell] = Some(at);
            }
        }
        // Every k-th trial of a cell that has too many, and every stalled one up to the same number.
        let mut sizes = vec![[0usize; 2]; analysis.cells.len()];
        let shown = |trial: &analysis::data::Trial, outcome: &Option<Outcome>| {
            let stalled = *outcome == Some(Outcome::Stalled);
            (trial.is_ok() && trial.mops_per_s.is_some()).then_some(usize::from(stalled))
        };
        for (trial, outcome) in analysis.trials.iter().zip(&analysis.outcomes) {
            if let Some(kind) = shown(trial, outcome) {
                sizes[trial.cell][kind] += 1;
            }
        }
        let mut met = vec![[0usize; 2]; analysis.cells.len()];
        let (mut points, mut zeros, mut thinned) = (Vec::new(), 0, false);
        for (trial, outcome) in analysis.trials.iter().zip(&analysis.outcomes) {
            let (Some(kind), Some(series)) = (shown(trial, outcome), of_cell[trial.cell]) else {
                continue;
            };
            let nth = met[trial.cell][kind];
            met[trial.cell][kind] += 1;
            if nth % sizes[trial.cell][kind].div_ceil(MOST_POINTS).max(1) != 0 {
                thinned = true;
                continue;
            }
            let mops = trial.mops_per_s.unwrap_or(0.0);
            zeros += usize::from(mops <= 0.0);
            points.push(Point {
                series,
                threads: analysis.cells[trial.cell].factors.threads().max(1),
                mops,
                stalled: kind == 1,
                jitter: jitter(met[trial.cell][0] + met[trial.cell][1]),
            });
        }
        let scale = scale_of(points.iter().map(|point| point.mops));
        Some(Throughput { analysis, place, series, counts, points, scale, zeros, thinned })
    }

    fn title(&self) -> String {
        let name = self.series.first().filter(|_| self.place.1 > 1).map(|series| &series.name);
        match name {
            Some(name) => format!("Throughput of every trial over threads: {name}"),
            None => "Throughput of every trial over threads".to_string(),
        }
    }

    fn plot(&self) -> Plot {
        let mut entries: Vec<Entry> = self
            .series
            .iter()
            .zip(looks(self.analysis, &self.series))
            .map(|(series, look)| Entry {
                label: named(series),
                colour: look.colour,
                marker: Some(look.marker),
                filled: false,
                line: false,
            })
            .collect();
        if self.points.iter().any(|point| point.stalled) {
            let marker = looks(self.analysis, &self.series).first().map(|look| look.marker);
            let (label, colour) = (COLUMN.to_string(), STALL);
            entries.push(Entry { label, colour, marker, filled: true, line: false });
        }
        entries.push(Entry {
            label: "median".into(),
            colour: INK,
            marker: None,
            filled: false,
            line: true,
        });
        let mut subtitle = format!(
            "Each point is a trial, a filled one a stalled trial (rule {}).",
            self.analysis.stall
        );
        if self.thinned {
            subtitle +=
                &format!(" Cells with many trials show {MOST_POINTS} of each kind, evenly picked.");
        }
        if self.zeros > 0 {
            let zeros = counted(self.zeros as u64, "trial", "trials");
            subtitle += &format!(" On the axis itself: {zeros} with 0 Mops/s.");
        }
        let (scale, ticks) = (self.scale, self.scale.decades());
        let y = Axis { title: "throughput, Mops/s".into(), scale, ticks };
        Plot::new(
            self.size(),
            &self.title(),
            &subtitle,
            threads_axis(&self.counts),
            y,
            Legend::new(entries),
        )
    }
}

fn scale_of(mops: impl Iterator<Item = f64>) -> Scale {
    Scale::log_around(mops, 0.06)
}

/// The nth of a sequence that fills the interval from −1 to 1 evenly (the golden ratio's).
pub(super) fn jitter(nth: usize) -> f64 {
    2.0 * (nth as f64 * 0.618_033_988_749_894_9).fract() - 1.0
}

impl Figure for Throughput<'_> {
    fn name(&self) -> String {
        match self.place {
            (_, 1) => "throughput".into(),
            (at, _) => format!("throughput-{at}"),
        }
    }

    fn caption(&self) -> String {
        format!(
            "Throughput of {} over the thread count, on a logarithmic axis, for {}; {TRIALS} are \
             filled.",
            counted(self.points.len() as u64, "trial", "trials"),
            stats::words::list(&self.series.iter().map(|series| named(series)).collect::<Vec<_>>())
        )
    }

    fn size(&self) -> (f64, f64) {
        (640.0, 420.0)
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
        if self.points.is_empty()
            && let Some(text) = remark(self.analysis)
        {
            plot.draw_remark(canvas, text)?;
        }
        let places: Vec<f64> = self.counts.iter().map(|n| plot.x_at(*n as f64)).collect();
        let series = self.series.len();
        let room = (narrowest_gap(&places) * 0.8).clamp(6.0, 34.0 * series as f64);
        let lane = room / series as f64;
        let looks = looks(self.analysis, &self.series);
        let place = |point: &Point| {
            let aside = dodge(point.series, series, room) + point.jitter * lane * 0.32;
            let y = if point.mops > 0.0 { plot.y_at(point.mops) } else { plot.floor() };
            (plot.x_at(point.threads as f64) + aside, y)
        };
        for stalled in [false, true] {
            for point in self.points.iter().filter(|point| point.stalled == stalled) {
                let look = looks[point.series];
                let colour = if stalled { STALL } else { look.colour };
                canvas.marker(look.marker, place(point), 5.0, colour, stalled)?;
            }
        }
        for (at, one) in self.series.iter().enumerate() {
            for cell in one.cells.iter().map(|cell| &self.analysis.cells[*cell]) {
                let Some(mops) = cell.mops.filter(|mops| mops.median > 0.0) else { continue };
                let (x, y) = plot.point(cell.factors.threads().max(1) as f64, mops.median);
                let x = x + dodge(at, series, room);
                let half = (lane * 0.45).clamp(2.0, 14.0);
                canvas.line(&[(x - half, y), (x + half, y)], INK, 1.5)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_stays_inside_and_spreads() {
        let values: Vec<f64> = (0..1000).map(jitter).collect();
        assert!(values.iter().all(|x| (-1.0..=1.0).contains(x)));
        let left = values.iter().filter(|x| **x < 0.0).count();
        assert!((480..=520).contains(&left));
    }
}
