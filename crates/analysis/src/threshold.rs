//! `threshold.csv`: from how many threads on a series stalls.

use model::columns::FACTORS;
use rayon::prelude::*;
use serde::Serialize;

use crate::case::Case;
use crate::cells::Cell;
use crate::csv_text::{CsvText, integer, number};
use crate::series::Series;
use stats::threshold::{Beyond, ThreadsTried, Threshold, threshold};
use stats::{Estimate, Level};

/// The dependence of a series on its thread count.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SeriesThreshold {
    /// The series, by its place.
    pub series: usize,
    /// Stalled trials, and trials with an outcome.
    pub stalled: u64,
    /// Trials with an outcome.
    pub n: u64,
    /// The curve; `None` where it is not defined.
    #[serde(flatten)]
    pub curve: Option<Threshold>,
    /// What a reader of it must know, or why there is none, in sentences.
    pub notes: Vec<String>,
}

/// The curves of all series that were tried at more than one thread count. The control is left out, and
/// a series in which the case's event was never due: they have no threshold to find.
pub fn thresholds(
    cells: &[Cell],
    series: &[Series],
    case: Option<&dyn Case>,
    level: Level,
) -> Vec<SeriesThreshold> {
    let nothing_due = |series: &Series| {
        let of_series: Vec<&Cell> = series.cells.iter().map(|at| &cells[*at]).collect();
        case.is_some_and(|case| case.was_never_due(&of_series))
    };
    let places: Vec<usize> = (0..series.len())
        .filter(|at| !series[*at].is_control && !nothing_due(&series[*at]))
        .collect();
    places
        .into_par_iter()
        .filter_map(|at| {
            let tried: Vec<ThreadsTried> = series[at]
                .cells
                .iter()
                .map(|cell| &cells[*cell])
                .filter(|cell| cell.observed() > 0)
                .map(|cell| ThreadsTried {
                    threads: cell.factors.threads(),
                    n: cell.observed(),
                    k: cell.stalled(),
                })
                .collect();
            if tried.len() < 2 {
                return None;
            }
            let (curve, notes) = match threshold(&tried, level) {
                Ok(curve) => {
                    let curve = curve.held_by_the_data();
                    let notes = curve.notes.iter().map(stats::said::threshold::note).collect();
                    (Some(curve), notes)
                }
                Err(error) => (None, vec![error.to_string()]),
            };
            let stalled = tried.iter().map(|row| row.k).sum();
            let n = tried.iter().map(|row| row.n).sum();
            Some(SeriesThreshold { series: at, stalled, n, curve, notes })
        })
        .collect()
}

const COLUMNS: [&str; 18] = [
    "stalled",
    "n",
    "intercept",
    "slope",
    "t10",
    "t10_low",
    "t10_high",
    "t50",
    "t50_low",
    "t50_high",
    "t90",
    "t90_low",
    "t90_high",
    "t10_beyond",
    "t50_beyond",
    "t90_beyond",
    "fit_p",
    "note",
];

/// The text of `threshold.csv`: a row a series; `threads` is empty, for it is what the row is about.
pub fn csv(thresholds: &[SeriesThreshold], series: &[Series], cells: &[Cell]) -> String {
    let mut out = CsvText::new(FACTORS.iter().chain(&COLUMNS));
    for threshold in thresholds {
        let Some(first) = series[threshold.series].cells.first() else { continue };
        let factors = cells[*first].factors.with("threads", "");
        let mut row: Vec<String> = factors.iter().map(|(_, text)| text.to_string()).collect();
        row.push(integer(Some(threshold.stalled)));
        row.push(integer(Some(threshold.n)));
        let curve = threshold.curve.as_ref();
        row.push(number(curve.map(|curve| curve.fit.intercept)));
        row.push(number(curve.map(|curve| curve.fit.slope)));
        let none = Estimate { estimate: None, low: None, high: None };
        for at in [
            curve.map_or(none, |curve| curve.t10),
            curve.map_or(none, |curve| curve.t50),
            curve.map_or(none, |curve| curve.t90),
        ] {
            row.extend([number(at.estimate), number(at.low), number(at.high)]);
        }
        let beyond = curve.map(|curve| curve.beyond).unwrap_or_default();
        row.extend([beyond.t10, beyond.t50, beyond.t90].map(|side| match side {
            Some(Beyond::Below) => "below".to_string(),
            Some(Beyond::Above) => "above".to_string(),
            None => String::new(),
        }));
        let fit = curve.and_then(|curve| curve.goodness_of_fit.as_ref());
        row.push(number(fit.and_then(|test| test.p_value)));
        row.push(threshold.notes.join("; "));
        out.row(row);
    }
    out.finish()
}
