//! From how many threads on a series stalls, by the fitted curve.

use serde::Serialize;

use super::Tables;
use crate::series::Series;
use stats::threshold::notes::Note;
use stats::{Estimate, Level};

/// Thread counts at which given shares of the trials stall.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Threshold {
    /// The series' name.
    pub series: String,
    /// Threads at which a tenth of the trials stall.
    pub t10: Estimate,
    /// Threads at which half of the trials stall.
    pub t50: Estimate,
    /// Threads at which nine tenths of the trials stall.
    pub t90: Estimate,
    /// What of the fit is not the data's.
    pub notes: Vec<Note>,
    /// The confidence level.
    pub level: Level,
}

/// Where half of the trials stall within the thread counts that were tried.
pub(super) fn threshold(tables: &Tables, series: &Series) -> Option<Threshold> {
    let of_series =
        tables.threshold.iter().find(|found| tables.series.get(found.series) == Some(series));
    let curve = of_series?.curve.as_ref()?;
    let half = curve.t50.estimate?;
    let tried = || tables.cells_of(series).map(|cell| cell.factors.threads() as f64);
    let inside = tried().any(|threads| threads <= half) && tried().any(|threads| threads >= half);
    (inside && curve.fit.slope > 0.0).then(|| Threshold {
        series: series.name.clone(),
        t10: curve.t10,
        t50: curve.t50,
        t90: curve.t90,
        notes: curve.notes.clone(),
        level: tables.level,
    })
}
