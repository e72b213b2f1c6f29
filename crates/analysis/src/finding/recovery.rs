//! How long it takes until the case's event is over, at each thread count of a series.

use serde::Serialize;

use super::Tables;
use crate::recovery::{CellRecovery, SeenBy, Sense};
use crate::series::Series;
use stats::{Estimate, Level};

/// Times from when the event became due until it was over.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimeToRecovery {
    /// The series' name.
    pub series: String,
    /// By what the end was seen, at the highest thread count.
    pub seen_by: SeenBy,
    /// The thread counts that have such trials, falling. Never empty.
    pub at: Vec<RecoveredAt>,
    /// The confidence level.
    pub level: Level,
}

/// Times to recovery at a thread count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RecoveredAt {
    /// Worker threads.
    pub threads: u64,
    /// Trials in which the event was due.
    pub n: u64,
    /// Those in which it was over under load.
    pub events: u64,
    /// The median time, in seconds, with censoring.
    pub median: Estimate,
}

pub(super) fn time_to_recovery(tables: &Tables, series: &Series) -> Option<TimeToRecovery> {
    let found = falling(tables, series, Sense::Event);
    let at = found.iter().map(|one| RecoveredAt {
        threads: tables.cells[one.cell].factors.threads(),
        n: one.n,
        events: one.events,
        median: one.median,
    });
    Some(TimeToRecovery {
        series: series.name.clone(),
        seen_by: found.first()?.seen_by,
        at: at.collect(),
        level: tables.level,
    })
}

/// The cells of a series that have something to recover from in one sense, by falling thread count.
pub(super) fn falling<'a>(
    tables: &'a Tables,
    series: &Series,
    sense: Sense,
) -> Vec<&'a CellRecovery> {
    let of_cell = |cell: &usize| {
        let fits = |one: &&CellRecovery| one.cell == *cell && one.sense == sense && one.n > 0;
        tables.recovery.iter().find(fits)
    };
    series.cells.iter().rev().filter_map(of_cell).collect()
}
