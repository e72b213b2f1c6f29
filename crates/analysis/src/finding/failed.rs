//! What went wrong while it was measured.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Tables;

/// Every trial failed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AllFailed {
    /// Trials that ended.
    pub trials: u64,
}

/// Some trials failed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failed {
    /// Trials that failed.
    pub failed: u64,
    /// Trials that ended.
    pub trials: u64,
    /// Failed trials by status.
    pub by_status: BTreeMap<String, u64>,
    /// The most frequent error, with its count.
    pub most_frequent: Option<(String, u64)>,
}

/// The kernel complained during trials.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Splats {
    /// Trials with a complaint.
    pub trials: u64,
    /// Trials whose console was watched.
    pub watched: u64,
}

/// Disturbances were recorded during the measurement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Disturbed {
    /// Disturbances in all runs.
    pub disturbances: u64,
}

pub(super) fn failed(tables: &Tables) -> Option<Failed> {
    let mut by_status: BTreeMap<String, u64> = BTreeMap::new();
    let mut errors: BTreeMap<&str, u64> = BTreeMap::new();
    for trial in tables.data.trials.iter().filter(|trial| trial.failed()) {
        *by_status.entry(trial.status.to_string()).or_default() += 1;
        if let Some(error) = &trial.error {
            *errors.entry(error).or_default() += 1;
        }
    }
    let failed: u64 = by_status.values().sum();
    let most_frequent = errors.into_iter().max_by_key(|(_, count)| *count);
    (failed > 0).then_some(Failed {
        failed,
        trials: tables.data.trials.len() as u64,
        by_status,
        most_frequent: most_frequent.map(|(error, count)| (error.to_string(), count)),
    })
}

pub(super) fn splats(tables: &Tables) -> Option<Splats> {
    let watched: Vec<&str> =
        tables.data.trials.iter().filter_map(|trial| trial.splats.as_deref()).collect();
    let trials = watched.iter().filter(|splats| **splats != "none").count() as u64;
    (trials > 0).then_some(Splats { trials, watched: watched.len() as u64 })
}

pub(super) fn disturbed(tables: &Tables) -> Option<Disturbed> {
    let of_runs = tables.data.runs.iter().map(|run| run.manifest.disturbances.len() as u64);
    let disturbances = of_runs.sum();
    (disturbances > 0).then_some(Disturbed { disturbances })
}
