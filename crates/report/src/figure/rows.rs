//! What figures share that have a row a series: all series at one thread count, named at the left.

use analysis::Analysis;
use analysis::cells::Cell;
use analysis::series::Series;

use super::threads_axis::thread_counts;
use crate::draw::{Axis, Scale, Tick, Weight, fitted, text_width};

/// The most rows of a figure; the table has them all.
pub const MOST_ROWS: usize = 24;

/// The height of a row, in points.
pub const ROW: f64 = 24.0;

/// The size of a row's name, and how much of a figure it may take.
const TEXT: f64 = 10.0;
const MOST_NAME: f64 = 270.0;

/// The series with something to show in their only cell, each with it, if all are at one thread
/// count; and that count.
pub fn rows(
    analysis: &Analysis,
    shows: impl Fn(&Cell) -> bool,
) -> Option<(u64, Vec<(&Series, &Cell)>)> {
    let seen = |series: &&Series| series.cells.iter().any(|at| shows(&analysis.cells[*at]));
    let series: Vec<&Series> = analysis.series.iter().filter(seen).collect();
    let &[threads] = thread_counts(analysis, &series).as_slice() else { return None };
    let rows = series
        .into_iter()
        .filter_map(|series| Some((series, analysis.cells.get(*series.cells.first()?)?)))
        .collect();
    Some((threads, rows))
}

/// The axis of rows, the first on top: each with its name, cut where it is too long, and what
/// follows it, which is not cut.
pub fn row_axis(names: &[(String, String)]) -> Axis {
    let label = |(name, after): &(String, String)| {
        let room = MOST_NAME - text_width(after, TEXT, Weight::Regular);
        fitted(name, TEXT, room.max(60.0)) + after
    };
    let ticks = names
        .iter()
        .enumerate()
        .map(|(at, name)| Tick { value: at as f64, label: label(name) })
        .collect();
    let scale = Scale::Linear { low: names.len() as f64 - 0.4, high: -0.6 };
    Axis { title: String::new(), scale, ticks }
}

/// What follows a control's name.
pub fn control_mark(series: &Series) -> &'static str {
    if series.is_control { " (control)" } else { "" }
}

/// `96 threads`, `1 thread`.
pub fn at_threads(threads: u64) -> String {
    analysis::words::counted(threads, "thread", "threads")
}
