//! Every trial of a run, in the order in which it runs.

use trial::spec::TrialSpec;

/// One trial of the plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// Its place in the order, from 1.
    pub sequence: u64,
    /// Its block, from 1: every block holds each cell once.
    pub block: u64,
    /// Its cell, from 1.
    pub cell: u64,
    /// The kernel it is to run on, by its name in the column `kernel`.
    pub kernel: String,
    /// `key=value;key=value`, sorted.
    pub labels: String,
    /// What it does; `spec.trial` is its number.
    pub spec: TrialSpec,
}
