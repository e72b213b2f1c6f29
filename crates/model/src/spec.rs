//! What one trial is asked to do.

use serde::{Deserialize, Serialize};

mod check;

pub use check::check;

use crate::factor::{Count, Hash, Memory, Placement, Ramp, Span, Unlock, Until, Workload};
use crate::throughput::Throughput;

/// One trial, as the runner hands it to `race-trial`: one line of JSON on standard input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialSpec {
    /// The trial's number in the plan.
    pub trial: u64,
    /// What the threads do.
    pub workload: Workload,
    /// Worker threads at full size.
    pub threads: u32,
    /// How they come to be.
    pub ramp: Ramp,
    /// What is asked of the private futex hash before the first thread.
    pub hash: Hash,
    /// On which CPUs the threads may run.
    pub placement: Placement,
    /// The NUMA memory policy.
    pub memory: Memory,
    /// `mutex`: how many locks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locks: Option<Count>,
    /// `mutex`: how a lock is released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unlock: Option<Unlock>,
    /// `messenger`: how many messenger threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messengers: Option<Count>,
    /// How long all threads work together, from the moment the last one exists (`barrier:` from
    /// the moment they are let go). A ramp's own time comes on top.
    pub duration: Span,
    /// What ends it before its duration.
    #[serde(default)]
    pub until: Until,
    /// From one sample of the main thread to the next.
    pub sample: Span,
    /// Seeds whatever the trial draws.
    pub seed: u64,
    /// What else a workload is told.
    #[serde(default)]
    pub parameters: Parameters,
}

impl TrialSpec {
    /// The threads that the trial's main thread makes: the workers, and before them the messengers
    /// if there are any. This is what the kernel's auto-scaling counts, and what a placement is for.
    pub fn threads_made(&self) -> u32 {
        self.threads.saturating_add(self.messengers.map_or(0, Count::get))
    }
}

/// What a workload is told besides the factors that all share.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// `mutex`: the time in the critical section, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub critical_ns: Option<u64>,
    /// `mutex`: the time between unlock and the next lock, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub think_ns: Option<u64>,
    /// `mutex`: lock/unlock pairs over all threads after which the trial ends, or after its
    /// duration if they are not done by then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<u64>,
    /// `command`: the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandSpec>,
}

/// A program as a workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandSpec {
    /// Program and arguments, the factors already put in.
    pub argv: Vec<String>,
    /// Added to the environment.
    #[serde(default)]
    pub env: Vec<(String, String)>,
    /// The working folder; the runner's own without it.
    #[serde(default)]
    pub folder: Option<String>,
    /// Where its throughput stands in what it prints.
    pub throughput: Throughput,
    /// The unit of that number, for `metrics.csv`.
    pub unit: String,
    /// Millions of operations in one of that unit, if it is a rate: what `mops_per_s` is filled
    /// with. Without it the common columns stay empty.
    #[serde(default)]
    pub mops_per_unit: Option<f64>,
    /// Whether that number is one thread's, the mean of them: the rate of all is then so many
    /// times the threads.
    #[serde(default)]
    pub per_thread: bool,
}
