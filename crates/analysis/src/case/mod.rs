//! A case: what is true of one race only. The general path calls it where it may know more than the
//! counts say; a definition without a case is analysed by the same path.

pub mod futex_hash;
mod futex_hash_recorded;
#[cfg(any(test, feature = "synthetic"))]
mod futex_hash_synthetic;

use model::event::Event;
use model::outcome::StallRule;
use serde::Serialize;

pub use futex_hash_recorded::{COLUMNS, Rows};

use crate::cells::Cell;
use crate::data::Data;
use crate::error::AnalysisError;
use crate::factors::Factors;
use crate::finding::Tables;
use crate::series::Series;

/// Whether the case's event can happen in the trials of a series.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Occurrence {
    /// It happened, or nothing says that it can't.
    Possible,
    /// The machine or the factors exclude it.
    Impossible,
    /// What it happens to is not there, such as on an older kernel.
    Absent,
    /// The factors don't ask for it, as those of a control, or there is no case.
    #[default]
    NotAsked,
}

/// What a case says of its trials.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "case", rename_all = "kebab-case")]
pub enum CaseFinding {
    /// Linux's private futex hash.
    FutexHash(futex_hash::FutexHashFinding),
}

/// What the general path asks of a case.
pub trait Case: Sync {
    /// Whether its event was due in no trial of these cells, though each could tell.
    fn was_never_due(&self, cells: &[&Cell]) -> bool;

    /// Whether its event can happen in these cells, which share all factors but the thread count.
    fn occurrence(&self, cells: &[&Cell]) -> Occurrence;

    /// What the trials can't show, and what was measured of the event by itself.
    fn limits(&self, tables: &Tables) -> Vec<CaseFinding>;

    /// What a series in which the event can't happen shows instead.
    fn without_event(&self, tables: &Tables, series: &Series) -> Option<CaseFinding>;

    /// What the stalled trials of a series say of the event.
    fn evidence(&self, tables: &Tables, series: &Series) -> Option<CaseFinding>;

    /// Reads what only this case records.
    fn read(&self, data: &Data) -> Result<Extra, AnalysisError>;
}

/// What only a case records.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Extra {
    /// Times of the event that were measured call by call, in seconds, rising, by cell.
    pub times_s: Vec<(usize, Vec<f64>)>,
}

/// What a row of `trials.csv` has for the cases alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InTrial {
    /// The size that the kernel's auto-scaling asks for.
    slots_expected: Option<u64>,
}

/// What the trials of a cell have for the cases alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct InCell {
    /// What became of the growth of the private hash.
    growth: futex_hash_recorded::Growth,
    /// The largest size that the kernel's auto-scaling asks for in a trial, failed or not.
    slots_expected: Option<u64>,
}

impl InCell {
    /// Takes a trial. `event` is what became of the event in one that did its work, and `None` of one
    /// that did not.
    pub fn count(&mut self, in_trial: InTrial, event: Option<Option<Event>>) {
        self.slots_expected = self.slots_expected.max(in_trial.slots_expected);
        if let Some(event) = event {
            self.growth.count(event);
        }
    }
}

/// The case whose facts hold for these cells, judged by this rule.
pub fn of(cells: &[Cell], rule: &StallRule) -> Option<&'static dyn Case> {
    futex_hash::applies(cells, rule).then_some(&futex_hash::FutexHash as &dyn Case)
}

/// Whether a cell has a workload of this list.
fn is_one_of(factors: &Factors, workloads: &[&str]) -> bool {
    workloads.contains(&factors.get("workload"))
}
