//! From how many threads on a series stalls, by the fitted curve.

use serde::Serialize;

use super::Tables;
use crate::series::Series;
use stats::threshold::BeyondCounts;
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
    /// The thresholds that lie beyond the thread counts tried.
    pub beyond: BeyondCounts,
    /// The smallest and the largest thread count tried.
    pub tried: (u64, u64),
    /// Whether the counts fit the curve; where not, the thread counts are the isotonic estimate's.
    pub fits: bool,
    /// What of the fit is not the data's.
    pub notes: Vec<Note>,
    /// The confidence level.
    pub level: Level,
}

/// Where half of the trials stall within the thread counts that were tried; or that they follow no curve.
pub(super) fn threshold(tables: &Tables, series: &Series) -> Option<Threshold> {
    let of_series =
        tables.threshold.iter().find(|found| tables.series.get(found.series) == Some(series));
    let curve = of_series?.curve.as_ref()?;
    let is_within = curve.t50.estimate.is_some() || !curve.fits();
    let tried = curve.range()?;
    (is_within && curve.fit.slope > 0.0).then(|| Threshold {
        series: series.name.clone(),
        t10: curve.t10,
        t50: curve.t50,
        t90: curve.t90,
        beyond: curve.beyond,
        tried,
        fits: curve.fits(),
        notes: curve.notes.clone(),
        level: tables.level,
    })
}
