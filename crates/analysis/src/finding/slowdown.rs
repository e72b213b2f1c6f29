//! How slow the stalled trials are.

use serde::Serialize;

use super::Tables;
use crate::run::Run;
use crate::series::Series;

/// Throughput of the stalled trials of a series.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Slowdown {
    /// The series' name.
    pub series: String,
    /// Their median throughput, in Mops/s.
    pub stalled_mops: f64,
    /// The median of their ratios to the control's median at the same cell.
    pub ratio: f64,
    /// Stalled trials that have a control.
    pub n: u64,
}

/// None in a guest, whose throughput is the emulator's.
pub(super) fn slowdown(tables: &Tables, series: &Series) -> Option<Slowdown> {
    if tables.data.runs.iter().any(Run::in_lab) {
        return None;
    }
    let mut throughputs = Vec::new();
    let mut ratios = Vec::new();
    for trial in tables.stalled_trials(series).map(|at| &tables.data.trials[at]) {
        let Some(mops) = trial.mops_per_s else { continue };
        throughputs.push(mops);
        let control = tables.cells[trial.cell].control.and_then(|at| tables.cells[at].mops);
        ratios.extend(control.filter(|it| it.median > 0.0).map(|it| mops / it.median));
    }
    Some(Slowdown {
        series: series.name.clone(),
        stalled_mops: median(&mut throughputs)?,
        ratio: median(&mut ratios)?,
        n: ratios.len() as u64,
    })
}

fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let median = stats::samples::median::median_of_sorted(values);
    median.is_finite().then_some(median)
}
