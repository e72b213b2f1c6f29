//! Every trial's throughput at one thread count: a row a series, stalled trials marked.
//!
//! As over threads, each trial is shown and no mean: of two modes a mean is a throughput that no
//! trial had.

use analysis::Analysis;
use analysis::cells::Cell;
use analysis::outcome::Outcome;
use analysis::series::Series;
use stats::words::counted;

use super::Figure;
use super::rows::{MOST_ROWS, RowNames, at_threads, control_mark, rows};
use super::stall_probability::{left_out_in_words, named};
use super::throughput::{MOST_POINTS, jitter};
use crate::draw::{
    Axis, Backend, Canvas, DrawError, Entry, INK, Legend, Marker, Plot, STALL, Scale, look,
};
use crate::say::word::{HAD, TRIALS};

/// The figure.
pub struct ThroughputRows<'a> {
    analysis: &'a Analysis,
    threads: u64,
    rows: Vec<(&'a Series, &'a Cell)>,
    left_out: usize,
    points: Vec<Point>,
    zeros: usize,
    thinned: bool,
}

#[derive(Debug, Clone, Copy)]
struct Point {
    row: usize,
    mops: f64,
    stalled: bool,
    /// From −1 to 1, the same in every drawing.
    jitter: f64,
}

impl<'a> ThroughputRows<'a> {
    /// The figure, if throughputs of one thread count were measured, and of no other.
    pub fn of(analysis: &'a Analysis) -> Option<Self> {
        let (threads, mut rows) = rows(analysis, |cell| cell.mops.is_some())?;
        let left_out = rows.len().saturating_sub(MOST_ROWS);
        rows.truncate(MOST_ROWS);
        let mut row_of = vec![None; analysis.cells.len()];
        for (row, (series, _)) in rows.iter().enumerate() {
            for cell in &series.cells {
                row_of[*cell] = Some(row);
            }
        }
        let row_of = &row_of;
        let shown = || {
            analysis.trials.iter().zip(&analysis.outcomes).filter_map(move |(trial, outcome)| {
                let row = row_of[trial.cell].filter(|_| trial.is_ok())?;
                let stalled = *outcome == Some(Outcome::Stalled);
                Some((row, trial.mops_per_s?, stalled))
            })
        };
        // Every k-th trial of a row that has too many, stalled ones apart.
        let mut sizes = vec![[0usize; 2]; rows.len()];
        for (row, _, stalled) in shown() {
            sizes[row][usize::from(stalled)] += 1;
        }
        let mut met = vec![[0usize; 2]; rows.len()];
        let (mut points, mut zeros, mut thinned) = (Vec::new(), 0, false);
        for (row, mops, stalled) in shown() {
            let kind = usize::from(stalled);
            let nth = met[row][kind];
            met[row][kind] += 1;
            if nth % sizes[row][kind].div_ceil(MOST_POINTS).max(1) != 0 {
                thinned = true;
                continue;
            }
            zeros += usize::from(mops <= 0.0);
            // A trial by itself stands on its row.
            let alone = sizes[row].iter().sum::<usize>() == 1;
            let jitter = if alone { 0.0 } else { jitter(met[row].iter().sum()) };
            points.push(Point { row, mops, stalled, jitter });
        }
        Some(ThroughputRows { analysis, threads, rows, left_out, points, zeros, thinned })
    }

    fn names(&self) -> RowNames {
        let name = |(series, _): &(&Series, &Cell)| {
            (series.name.clone(), control_mark(series).to_string())
        };
        RowNames::new(self.rows.iter().map(name))
    }

    fn plot(&self) -> Plot {
        let names = self.names();
        let entry = |label: &str, colour, filled| Entry {
            label: label.into(),
            colour,
            marker: Some(Marker::Circle),
            filled,
            line: false,
        };
        let mut entries = vec![entry("trial", INK, false)];
        if self.points.iter().any(|point| point.stalled) {
            entries.push(entry("stalled trial", STALL, true));
        }
        entries.push(Entry {
            label: "median".into(),
            colour: INK,
            marker: None,
            filled: false,
            line: true,
        });
        let mut subtitle = match self.analysis.cells.iter().any(|cell| cell.observed() > 0) {
            true => format!("Filled: {TRIALS}, by the rule {}.", self.analysis.stall),
            false => format!("Whether a trial {HAD} is not known."),
        };
        if self.thinned {
            subtitle +=
                &format!(" Rows with many trials show {MOST_POINTS} of each kind, evenly picked.");
        }
        if self.zeros > 0 {
            let zeros = counted(self.zeros as u64, "trial", "trials");
            subtitle += &format!(" At the left end: {zeros} with 0 Mops/s.");
        }
        subtitle += &left_out_in_words(self.left_out);
        let scale = Scale::log_around(self.points.iter().map(|point| point.mops), 0.06);
        let x = Axis { title: "throughput, Mops/s".into(), scale, ticks: scale.decades() };
        Plot::new(
            self.size(),
            &format!("Throughput of every trial at {}", at_threads(self.threads)),
            &subtitle,
            x,
            names.axis(),
            Legend::new(entries),
        )
        .with_upright_grid()
    }
}

impl Figure for ThroughputRows<'_> {
    fn name(&self) -> String {
        "throughput".into()
    }

    fn caption(&self) -> String {
        let names: Vec<String> = self.rows.iter().map(|(series, _)| named(series)).collect();
        format!(
            "Throughput of {} at {}, on a logarithmic axis, for {}; {TRIALS} are filled.",
            counted(self.points.len() as u64, "trial", "trials"),
            at_threads(self.threads),
            stats::words::list(&names)
        )
    }

    fn size(&self) -> (f64, f64) {
        (640.0, 140.0 + self.names().row() * self.rows.len() as f64)
    }

    fn draw<DB: Backend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), DrawError> {
        let plot = self.plot();
        plot.draw(canvas)?;
        let high = self.names().row();
        // A trial lies on its median, not under it.
        for (row, (_, cell)) in self.rows.iter().enumerate() {
            if let Some(mops) = cell.mops.filter(|mops| mops.median > 0.0) {
                let (x, y) = plot.point(mops.median, row as f64);
                canvas.steps(&[(x, y - high * 0.36), (x, y + high * 0.36)], INK, 1.5)?;
            }
        }
        for stalled in [false, true] {
            for point in self.points.iter().filter(|point| point.stalled == stalled) {
                let Some((series, _)) = self.rows.get(point.row) else { continue };
                let look = look(0, series.is_control);
                let colour = if stalled { STALL } else { look.colour };
                let y = plot.y_at(point.row as f64) + point.jitter * high * 0.25;
                let x = match point.mops > 0.0 {
                    true => plot.x_at(point.mops),
                    false => plot.left_end(),
                };
                canvas.marker(look.marker, (x, y), 5.5, colour, stalled)?;
            }
        }
        Ok(())
    }
}
