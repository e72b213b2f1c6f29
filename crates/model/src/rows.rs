//! The rows of each file, in the order of their columns.

use crate::factor::{Count, Hash, Memory, Placement, Ramp};
use crate::record::{Pivot, Status};
use crate::row;
use crate::workload::Workload;
use crate::workload::mutex::Unlock;
use serde::{Serialize, Serializer};

row! {
    /// A row of `plan.csv`.
    PlanRow, PLAN {
        /// Its place in the order, from 1.
        sequence: u64 = always,
        /// Its number, from 1; the same in every order.
        trial: u64 = always,
        /// Its block, from 1.
        block: u64 = always,
        /// Its cell, from 1.
        cell: u64 = always,
        /// Factor.
        workload: Workload = always,
        /// Factor, as a count.
        threads: u32 = always,
        /// Factor.
        ramp: Ramp = or_empty,
        /// Factor.
        hash: Hash = always,
        /// Factor.
        placement: Placement = or_empty,
        /// Factor.
        memory: Memory = or_empty,
        /// Factor.
        locks: Option<Count> = or_empty,
        /// Factor.
        unlock: Option<Unlock> = or_empty,
        /// Factor.
        messengers: Option<Count> = or_empty,
        /// Factor: the kernel's name.
        kernel: String = or_empty,
        /// `key=value;key=value`, sorted.
        labels: String = or_empty,
    }
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

row! {
    /// A row of `trials.csv`.
    #[allow(missing_docs, reason = "the columns are defined in docs/reference/files-and-columns.md")]
    TrialRow, TRIALS {
        sequence: u64 = always,
        trial: u64 = always,
        block: u64 = always,
        cell: u64 = always,
        experiment: String = or_empty,
        workload: Workload = always,
        threads: u32 = always,
        ramp: Ramp = or_empty,
        hash: Hash = always,
        placement: Placement = or_empty,
        memory: Memory = or_empty,
        locks: Option<Count> = or_empty,
        unlock: Option<Unlock> = or_empty,
        messengers: Option<Count> = or_empty,
        #[serde(serialize_with = "decimal")]
        duration_s: Option<f64> = or_empty,
        seed: u64 = or_empty,
        boot: Option<u32> = or_empty,
        kernel: String = or_empty,
        cpus: Option<u32> = or_empty,
        nodes: Option<u32> = or_empty,
        labels: String = or_empty,
        started_at: String = or_empty,
        #[serde(serialize_with = "decimal")]
        elapsed_s: Option<f64> = or_empty,
        ops: Option<u64> = or_empty,
        #[serde(serialize_with = "decimal")]
        mops_per_s: Option<f64> = or_empty,
        thread_ops_min: Option<u64> = or_empty,
        thread_ops_median: Option<u64> = or_empty,
        thread_ops_max: Option<u64> = or_empty,
        slots_start: Option<u32> = or_empty,
        slots_set: Option<u32> = or_empty,
        slots_loaded: Option<u32> = or_empty,
        slots_end: Option<u32> = or_empty,
        slots_expected: Option<u32> = or_empty,
        pivot: Option<Pivot> = or_empty,
        #[serde(serialize_with = "decimal")]
        pivot_s: Option<f64> = or_empty,
        #[serde(serialize_with = "decimal")]
        user_s: Option<f64> = or_empty,
        #[serde(serialize_with = "decimal")]
        system_s: Option<f64> = or_empty,
        voluntary_switches: Option<u64> = or_empty,
        involuntary_switches: Option<u64> = or_empty,
        #[serde(serialize_with = "decimal")]
        steal_s: Option<f64> = or_empty,
        /// Kernel complaints that fell into the trial, `kind;kind`; empty where the console is not
        /// watched, `none` where it is and said nothing.
        splats: Option<String> = or_empty,
        status: Status = always,
        error: Option<String> = or_empty,
    }
}

row! {
    /// A row of `timeline.csv`.
    #[allow(missing_docs, reason = "the columns are defined in docs/reference/files-and-columns.md")]
    TimelineRow, TIMELINE {
        trial: u64 = always,
        #[serde(serialize_with = "decimal_always")]
        t_s: f64 = always,
        threads: u32 = always,
        ops: Option<u64> = or_empty,
        /// Since the last row that has it; empty on a trial's first, and where too little time has passed.
        #[serde(serialize_with = "decimal")]
        mops_per_s: Option<f64> = or_empty,
        slots: Option<u32> = or_empty,
    }
}

row! {
    /// A row of `metrics.csv`.
    #[allow(missing_docs, reason = "the columns are defined in docs/reference/files-and-columns.md")]
    MetricRow, METRICS {
        trial: u64 = always,
        metric: String = always,
        value: f64 as Signed = always,
        unit: String = or_empty,
    }
}

row! {
    /// A row of `pivots.csv`.
    #[allow(missing_docs, reason = "the columns are defined in docs/reference/files-and-columns.md")]
    PivotRow, PIVOTS {
        trial: u64 = always,
        index: u32 = or_empty,
        from: u32 = or_empty,
        to: u32 = or_empty,
        #[serde(serialize_with = "decimal_always")]
        seconds: f64 = or_empty,
        errno: Option<String> = or_empty,
    }
}

row! {
    /// A row of `events.csv`: when the hit of a trial began, or that it had not by the trial's end.
    EventRow, EVENTS {
        /// The trial's number.
        trial: u64 = always,
        /// What happened: `onset`.
        event: String = always,
        /// Seconds since the trial's start.
        #[serde(serialize_with = "decimal_always")]
        t_s: f64 = always,
        /// Operations until then; empty where none are counted.
        ops: Option<u64> = or_empty,
        /// 1: it was seen; 0: the trial ended before.
        seen: u32 = always,
    }
}

/// In the column `event` of `events.csv`: the hit began.
pub const ONSET: &str = "onset";

row! {
    /// A row of `checks.csv`: a functional check of an imported run. One that was skipped, or failed as
    /// it was expected to, has neither passed nor failed.
    CheckRow, CHECKS {
        /// The check's name; a test within others has theirs before it.
        check: String = or_empty,
        /// Times it passed.
        passed: u64 = always,
        /// Times it failed.
        failed: u64 = always,
    }
}

row! {
    /// A row of `notes.csv`: what the source of an imported run says of a trial in words.
    NoteRow, NOTES {
        /// The trial's number.
        trial: u64 = always,
        /// What the text is about, as a word.
        note: String = always,
        /// The source's words.
        text: String = or_empty,
    }
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

/// A text for a cell that a spreadsheet may read: one that begins as a formula does has an apostrophe
/// before it, which spreadsheets take for a text's mark. A number is none.
pub fn inert(text: String) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t']);
    if formula && text.parse::<f64>().is_err() { format!("'{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_a_formula_of_a_spreadsheet() {
        for (text, cell) in [
            ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("@SUM(1)", "'@SUM(1)"),
            ("-x", "'-x"),
            ("-0.5", "-0.5"),
            ("+1e9", "+1e9"),
            ("futex = 1", "futex = 1"),
        ] {
            assert_eq!(inert(text.to_string()), cell);
        }
    }

    #[test]
    fn a_decimal_has_no_exponent_and_no_tail() {
        assert_eq!(decimal_text(0.1), "0.1");
        assert_eq!(decimal_text(1e-9), "0.000000001");
        assert_eq!(decimal_text(1050.0), "1050");
        assert_eq!(decimal_text(-0.0), "0");
    }
}
