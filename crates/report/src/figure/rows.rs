//! What figures share that have a row a series: all series at one thread count, named at the left.

use analysis::Analysis;
use analysis::cells::Cell;
use analysis::series::Series;

use super::threads_axis::thread_counts;
use crate::draw::{Axis, NO_BREAK, Scale, Tick, Weight, wrapped_at_most};

/// The most rows of a figure; the table has them all.
pub const MOST_ROWS: usize = 24;

/// The height of a row whose name has one line or two, in points; and of each further line.
const ROW: f64 = 24.0;
const LINE: f64 = 12.0;

/// The size of a row's name, how much of a figure's width it may take, and how many lines.
const TEXT: f64 = 10.0;
const MOST_NAME: f64 = 270.0;
const MOST_LINES: usize = 4;

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

/// The names of rows, in as many lines as they take.
#[derive(Debug, Clone)]
pub struct RowNames(Vec<String>);

impl RowNames {
    /// Of names and what follows each, which is kept on one line.
    pub fn new(names: impl Iterator<Item = (String, String)>) -> RowNames {
        let lines = |(name, after): (String, String)| {
            let (space, after) = match after.strip_prefix(' ') {
                Some(after) => (" ", after),
                None => ("", after.as_str()),
            };
            let text = format!("{name}{space}{}", after.replace(' ', &NO_BREAK.to_string()));
            wrapped_at_most(MOST_LINES, &text, TEXT, Weight::Regular, MOST_NAME)
                .join("\n")
                .replace(NO_BREAK, " ")
        };
        RowNames(names.map(lines).collect())
    }

    /// The height of each row: that of the highest.
    pub fn row(&self) -> f64 {
        let most = self.0.iter().map(|name| name.lines().count()).max().unwrap_or(1);
        ROW + LINE * most.saturating_sub(2) as f64
    }

    /// The axis, the first row on top.
    pub fn axis(&self) -> Axis {
        let ticks = self.0.iter().enumerate();
        let ticks = ticks.map(|(at, name)| Tick { value: at as f64, label: name.clone() });
        let scale = Scale::Linear { low: self.0.len() as f64 - 0.4, high: -0.6 };
        Axis { title: String::new(), scale, ticks: ticks.collect() }
    }
}

/// What follows a control's name.
pub fn control_mark(series: &Series) -> &'static str {
    if series.is_control { " (control)" } else { "" }
}

/// `96 threads`, `1 thread`.
pub fn at_threads(threads: u64) -> String {
    stats::words::counted(threads, "thread", "threads")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_takes_lines_and_loses_nothing() {
        let long = "layout=96-cores-socket-0-memory-interleaved · slots:512";
        let names = [("auto".to_string(), ", 0 of 1".to_string())];
        assert_eq!(RowNames::new(names.clone().into_iter()).row(), ROW);
        let names =
            names.into_iter().chain([(long.to_string(), " (control), 0 of 10".to_string())]);
        let names = RowNames::new(names);
        let labels: Vec<String> = names.axis().ticks.into_iter().map(|tick| tick.label).collect();
        assert_eq!(labels[0], "auto, 0 of 1");
        assert_eq!(labels[1].replace('\n', " "), format!("{long} (control), 0 of 10"));
        assert!(labels[1].lines().count() == 2 && labels[1].ends_with("(control), 0 of 10"));
        // Two lines have room in a row; more make all rows higher.
        assert_eq!(names.row(), ROW);
        let longer = RowNames::new([(long.repeat(2), String::new())].into_iter());
        assert!(longer.row() > ROW);
    }
}
