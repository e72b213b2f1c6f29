//! How many trials of a series stalled, at each thread count.

use serde::Serialize;

use super::Tables;
use crate::cells::Cell;
use crate::series::Series;
use model::outcome::StallRule;
use stats::Level;

/// Stalls of a series over its thread counts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stalls {
    /// The series' name.
    pub series: String,
    /// Every thread count that has trials with an outcome, rising.
    pub at: Vec<StallsAt>,
    /// The confidence level of what is said of counts without a stall.
    pub level: Level,
    /// The rule by which trials were judged.
    pub rule: StallRule,
}

/// Stalls at a thread count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StallsAt {
    /// Worker threads.
    pub threads: u64,
    /// Stalled trials.
    pub stalled: u64,
    /// Trials with an outcome.
    pub n: u64,
}

/// The control stalled too.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ControlStalls {
    /// The control's series.
    pub series: String,
    /// Stalled trials.
    pub stalled: u64,
    /// Trials with an outcome.
    pub n: u64,
}

impl Stalls {
    /// Stalled trials at all thread counts.
    pub fn stalled(&self) -> u64 {
        self.at.iter().map(|at| at.stalled).sum()
    }

    /// Trials with an outcome at all thread counts.
    pub fn observed(&self) -> u64 {
        self.at.iter().map(|at| at.n).sum()
    }
}

pub(super) fn of_series(tables: &Tables, series: &Series) -> Stalls {
    let observed = tables.cells_of(series).filter(|cell| cell.observed() > 0);
    let at = observed.map(|cell| StallsAt {
        threads: cell.factors.threads(),
        stalled: cell.stalled(),
        n: cell.observed(),
    });
    Stalls {
        series: series.name.clone(),
        at: at.collect(),
        level: tables.level,
        rule: tables.rule.clone(),
    }
}

pub(super) fn of_control(tables: &Tables, series: &Series) -> Option<ControlStalls> {
    let stalled: u64 = tables.cells_of(series).map(Cell::stalled).sum();
    let n = tables.cells_of(series).map(Cell::observed).sum();
    (stalled > 0).then(|| ControlStalls { series: series.name.clone(), stalled, n })
}
