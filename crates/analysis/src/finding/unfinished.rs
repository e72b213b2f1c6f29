//! Runs whose plan is not done.

use model::manifest::Skipped;
use serde::Serialize;

use super::Tables;
use crate::run::Run;

/// No trial has ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NothingFinished {
    /// Trials planned in all runs.
    pub planned: u64,
    /// The runs' folders.
    pub runs: Vec<String>,
}

/// A run was stopped before its plan was done.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Interrupted {
    /// The run's folder.
    pub run: String,
    /// Trials that ended.
    pub finished: u64,
    /// Trials planned.
    pub planned: u64,
    /// Trials planned that have no row; without a plan it is not known which.
    pub missing: u64,
    /// Cells that failed in a row and were not gone on with: the missing trials are theirs.
    pub skipped: Vec<Skipped>,
}

/// A run of checks alone is whole without a trial.
pub(super) fn nothing(tables: &Tables) -> Option<NothingFinished> {
    let runs = &tables.data.runs;
    (tables.checks.is_empty() || !tables.imported()).then(|| NothingFinished {
        planned: runs.iter().map(|run| run.planned).sum(),
        runs: runs.iter().map(Run::name).collect(),
    })
}

pub(super) fn interrupted<'a>(tables: &'a Tables) -> impl Iterator<Item = Interrupted> + 'a {
    let ours = tables.data.runs.iter().filter(|run| !run.is_imported());
    ours.filter(|run| (run.finished as u64) < run.planned || run.missing > 0).map(|run| {
        let finished = run.finished as u64;
        Interrupted {
            run: run.name(),
            finished,
            planned: run.planned,
            missing: run.missing.max(run.planned.saturating_sub(finished)),
            skipped: run.manifest.skipped.clone(),
        }
    })
}
