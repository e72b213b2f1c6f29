//! The axis that figures over threads share: logarithmic, named at the thread counts that were run.

use analysis::Analysis;
use analysis::series::Series;

use crate::draw::{Axis, Scale, Tick};

/// The series that a figure has room for, controls and others together.
pub const MOST_SERIES: usize = 12;

/// The axis for these thread counts.
pub fn threads_axis(counts: &[u64]) -> Axis {
    Axis {
        title: "threads".into(),
        scale: Scale::log_around(counts.iter().map(|n| *n as f64), 0.05),
        ticks: counts.iter().map(|n| Tick { value: *n as f64, label: n.to_string() }).collect(),
    }
}

/// The thread counts of some series, rising, each once.
pub fn thread_counts(analysis: &Analysis, series: &[&Series]) -> Vec<u64> {
    let mut counts: Vec<u64> = series
        .iter()
        .flat_map(|series| &series.cells)
        .filter_map(|at| analysis.cells.get(*at))
        .map(|cell| cell.factors.threads().max(1))
        .collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// The number of CPUs, if it was one number throughout, for a mark on the axis.
pub fn the_cpus(analysis: &Analysis) -> Option<u64> {
    let mut cpus = analysis.cells.iter().map(|cell| cell.cpus);
    let first = cpus.next()??;
    cpus.all(|other| other == Some(first)).then_some(first)
}

/// The narrowest gap between two neighbouring places, and so the room for what stands at one.
pub fn narrowest_gap(places: &[f64]) -> f64 {
    places.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min)
}

/// How far a series' marks stand from its thread count, in points, so that several series at one
/// count stand side by side.
pub fn dodge(at: usize, of: usize, room: f64) -> f64 {
    if of < 2 { 0.0 } else { room * ((at as f64 + 0.5) / of as f64 - 0.5) }
}
