//! The columns of each file, in their order.

use crate::factor::COMMON;
use crate::workload::WITH_COLUMN;

/// Where a trial stands in its plan.
const PLACE: [&str; 4] = ["sequence", "trial", "block", "cell"];

/// `trials.csv`: a row a finished trial.
pub const TRIALS: [&str; 40 + WITH_COLUMN.len()] = concatenated(&[
    &PLACE,
    &["experiment"],
    &COMMON,
    &WITH_COLUMN,
    &[
        "duration_s",
        "seed",
        "boot",
        "kernel",
        "cpus",
        "nodes",
        "labels",
        "started_at",
        "elapsed_s",
        "ops",
        "mops_per_s",
        "thread_ops_min",
        "thread_ops_median",
        "thread_ops_max",
        "slots_start",
        "slots_set",
        "slots_loaded",
        "slots_end",
        "slots_expected",
        "pivot",
        "pivot_s",
        "user_s",
        "system_s",
        "voluntary_switches",
        "involuntary_switches",
        "steal_s",
        "splats",
        "status",
        "error",
    ],
]);

/// The columns that name what was varied, in `plan.csv` and `analysis/cells.csv`.
pub const FACTORS: [&str; 8 + WITH_COLUMN.len()] =
    concatenated(&[&COMMON, &WITH_COLUMN, &["kernel", "labels"]]);

/// `plan.csv`: every trial, in the order in which it runs.
pub const PLAN: [&str; 12 + WITH_COLUMN.len()] = concatenated(&[&PLACE, &FACTORS]);

/// `timeline.csv`: a row a sample.
pub const TIMELINE: [&str; 6] = ["trial", "t_s", "threads", "ops", "mops_per_s", "slots"];

/// `metrics.csv`: what a workload measures beyond the common columns.
pub const METRICS: [&str; 4] = ["trial", "metric", "value", "unit"];

/// `pivots.csv`: workload `resize`, a row a call.
pub const PIVOTS: [&str; 6] = ["trial", "index", "from", "to", "seconds", "errno"];

/// One list after the other. A length that is not theirs together does not compile.
pub const fn concatenated<const N: usize>(lists: &[&[&'static str]]) -> [&'static str; N] {
    let mut all = [""; N];
    let (mut at, mut list) = (0, 0);
    while list < lists.len() {
        let mut name = 0;
        while name < lists[list].len() {
            all[at] = lists[list][name];
            at += 1;
            name += 1;
        }
        list += 1;
    }
    assert!(at == N, "the lists have another length together");
    all
}

/// What the cells of a column hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number from 0.
    Integer,
    /// A finite number.
    Number,
    /// Any text.
    Text,
}

/// What the cells of a column hold, and whether one may be empty.
pub fn kind(column: &str) -> (Kind, bool) {
    match column {
        "sequence" | "trial" | "block" | "cell" | "threads" => (Kind::Integer, false),
        "locks"
        | "messengers"
        | "seed"
        | "boot"
        | "cpus"
        | "nodes"
        | "ops"
        | "thread_ops_min"
        | "thread_ops_median"
        | "thread_ops_max"
        | "slots"
        | "slots_start"
        | "slots_set"
        | "slots_loaded"
        | "slots_end"
        | "slots_expected"
        | "voluntary_switches"
        | "involuntary_switches"
        | "index"
        | "from"
        | "to" => (Kind::Integer, true),
        "t_s" | "value" => (Kind::Number, false),
        "duration_s" | "elapsed_s" | "mops_per_s" | "pivot_s" | "user_s" | "system_s"
        | "steal_s" | "seconds" => (Kind::Number, true),
        "workload" | "hash" | "status" | "metric" => (Kind::Text, false),
        _ => (Kind::Text, true),
    }
}
