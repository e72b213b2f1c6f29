//! The rows of each file, in the order of their columns.

use crate::factor::{Count, Hash, Memory, Placement, Ramp};
use crate::record::{Pivot, Status};
use crate::workload::Workload;
use crate::workload::mutex::Unlock;
use serde::{Serialize, Serializer};

/// A row of `plan.csv`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanRow {
    /// Its place in the order, from 1.
    pub sequence: u64,
    /// Its number, from 1; the same in every order.
    pub trial: u64,
    /// Its block, from 1.
    pub block: u64,
    /// Its cell, from 1.
    pub cell: u64,
    /// Factor.
    pub workload: Workload,
    /// Factor, as a count.
    pub threads: u32,
    /// Factor.
    pub ramp: Ramp,
    /// Factor.
    pub hash: Hash,
    /// Factor.
    pub placement: Placement,
    /// Factor.
    pub memory: Memory,
    /// Factor.
    pub locks: Option<Count>,
    /// Factor.
    pub unlock: Option<Unlock>,
    /// Factor.
    pub messengers: Option<Count>,
    /// Factor: the kernel's name.
    pub kernel: String,
    /// `key=value;key=value`, sorted.
    pub labels: String,
}

impl From<&TrialRow> for PlanRow {
    /// What was planned for a trial, as its row repeats it.
    fn from(row: &TrialRow) -> PlanRow {
        PlanRow {
            sequence: row.sequence,
            trial: row.trial,
            block: row.block,
            cell: row.cell,
            workload: row.workload,
            threads: row.threads,
            ramp: row.ramp,
            hash: row.hash,
            placement: row.placement.clone(),
            memory: row.memory.clone(),
            locks: row.locks,
            unlock: row.unlock,
            messengers: row.messengers,
            kernel: row.kernel.clone(),
            labels: row.labels.clone(),
        }
    }
}

/// A row of `trials.csv`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "the columns are defined in docs/reference/files-and-columns.md")]
pub struct TrialRow {
    pub sequence: u64,
    pub trial: u64,
    pub block: u64,
    pub cell: u64,
    pub experiment: String,
    pub workload: Workload,
    pub threads: u32,
    pub ramp: Ramp,
    pub hash: Hash,
    pub placement: Placement,
    pub memory: Memory,
    pub locks: Option<Count>,
    pub unlock: Option<Unlock>,
    pub messengers: Option<Count>,
    #[serde(serialize_with = "decimal")]
    pub duration_s: Option<f64>,
    pub seed: u64,
    pub boot: Option<u32>,
    pub kernel: String,
    pub cpus: Option<u32>,
    pub nodes: Option<u32>,
    pub labels: String,
    pub started_at: String,
    #[serde(serialize_with = "decimal")]
    pub elapsed_s: Option<f64>,
    pub ops: Option<u64>,
    #[serde(serialize_with = "decimal")]
    pub mops_per_s: Option<f64>,
    pub thread_ops_min: Option<u64>,
    pub thread_ops_median: Option<u64>,
    pub thread_ops_max: Option<u64>,
    pub slots_start: Option<u32>,
    pub slots_set: Option<u32>,
    pub slots_loaded: Option<u32>,
    pub slots_end: Option<u32>,
    pub slots_expected: Option<u32>,
    pub pivot: Option<Pivot>,
    #[serde(serialize_with = "decimal")]
    pub pivot_s: Option<f64>,
    #[serde(serialize_with = "decimal")]
    pub user_s: Option<f64>,
    #[serde(serialize_with = "decimal")]
    pub system_s: Option<f64>,
    pub voluntary_switches: Option<u64>,
    pub involuntary_switches: Option<u64>,
    #[serde(serialize_with = "decimal")]
    pub steal_s: Option<f64>,
    /// Kernel complaints that fell into the trial, `kind;kind`; empty where the console is not
    /// watched, `none` where it is and said nothing.
    pub splats: Option<String>,
    pub status: Status,
    pub error: Option<String>,
}

/// A row of `timeline.csv`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "the columns are defined in docs/reference/files-and-columns.md")]
pub struct TimelineRow {
    pub trial: u64,
    #[serde(serialize_with = "decimal_always")]
    pub t_s: f64,
    pub threads: u32,
    pub ops: Option<u64>,
    /// Since the last row that has it; empty on a trial's first, and where too little time has passed.
    #[serde(serialize_with = "decimal")]
    pub mops_per_s: Option<f64>,
    pub slots: Option<u32>,
}

/// A row of `metrics.csv`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "the columns are defined in docs/reference/files-and-columns.md")]
pub struct MetricRow {
    pub trial: u64,
    pub metric: String,
    pub value: f64,
    pub unit: String,
}

/// A row of `pivots.csv`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "the columns are defined in docs/reference/files-and-columns.md")]
pub struct PivotRow {
    pub trial: u64,
    pub index: u32,
    pub from: u32,
    pub to: u32,
    #[serde(serialize_with = "decimal_always")]
    pub seconds: f64,
    pub errno: Option<String>,
}

/// Nine decimals at most, no exponent: a spreadsheet, awk and polars read it alike, and a
/// nanosecond clock has no more.
pub fn decimal_text(value: f64) -> String {
    let text = format!("{value:.9}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_string() } else { text.to_string() }
}

fn decimal<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) if value.is_finite() => serializer.serialize_str(&decimal_text(*value)),
        _ => serializer.serialize_none(),
    }
}

fn decimal_always<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&decimal_text(*value))
}

/// One line for one cell: line ends become spaces, so that a row is a line and a torn row can be
/// told by its missing end.
pub fn one_line(text: &str) -> String {
    text.split(['\n', '\r'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_has_no_exponent_and_no_tail() {
        assert_eq!(decimal_text(0.1), "0.1");
        assert_eq!(decimal_text(1e-9), "0.000000001");
        assert_eq!(decimal_text(1050.0), "1050");
        assert_eq!(decimal_text(-0.0), "0");
    }
}
