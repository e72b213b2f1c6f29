//! What one trial saw.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::factor::{BadValue, as_text};
use crate::outcome::fact;

/// How a trial ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It did what it was asked.
    Ok,
    /// It was still running at its time limit and was killed.
    Timeout,
    /// Its process, or its guest, died.
    Crashed,
    /// The system would not do what was asked; nothing was measured under a label that wasn't so.
    Refused,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Ok => "ok",
            Status::Timeout => "timeout",
            Status::Crashed => "crashed",
            Status::Refused => "refused",
        })
    }
}

impl FromStr for Status {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        [Status::Ok, Status::Timeout, Status::Crashed, Status::Refused]
            .into_iter()
            .find(|status| status.to_string() == text)
            .ok_or_else(|| BadValue::new("status", text, "`ok`, `timeout`, `crashed` or `refused`"))
    }
}

as_text!(Status);

/// What became of the growth of the private hash in a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pivot {
    /// No growth was due.
    None,
    /// The growth was due and was seen installed.
    Settled,
    /// The growth was due and still not installed when the load ended.
    Pending,
    /// This kernel has no private hash.
    Unsupported,
}

impl fmt::Display for Pivot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Pivot::None => "none",
            Pivot::Settled => "settled",
            Pivot::Pending => "pending",
            Pivot::Unsupported => "unsupported",
        })
    }
}

impl FromStr for Pivot {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        [Pivot::None, Pivot::Settled, Pivot::Pending, Pivot::Unsupported]
            .into_iter()
            .find(|pivot| pivot.to_string() == text)
            .ok_or_else(|| {
                BadValue::new("pivot", text, "`none`, `settled`, `pending` or `unsupported`")
            })
    }
}

as_text!(Pivot);

/// What `race-trial` writes: one line of JSON on standard output. A field is `None` where it does
/// not apply or could not be observed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// How it ended, as far as the process itself can tell.
    pub status: Status,
    /// Which call was refused, with errno by name.
    pub error: Option<String>,
    /// Seconds during which all threads worked together; the window of `ops`. Of a `command`, from
    /// its start to its end.
    pub elapsed_s: Option<f64>,
    /// Operations of all threads in that window.
    pub ops: Option<u64>,
    /// `command`: the rate that the program itself found, in millions a second, where it tells no
    /// operations and no window. Otherwise the rate is `ops` over `elapsed_s`.
    #[serde(default)]
    pub mops_per_s: Option<f64>,
    /// The least operations of one thread in that window.
    pub thread_ops_min: Option<u64>,
    /// The median over threads (of an even count, the lower of the middle two).
    pub thread_ops_median: Option<u64>,
    /// The most operations of one thread in that window.
    pub thread_ops_max: Option<u64>,
    /// Slots before anything was asked.
    pub slots_start: Option<u32>,
    /// Slots after the trial's hash policy was asked for, before the first thread.
    pub slots_set: Option<u32>,
    /// Slots while all threads still worked.
    pub slots_loaded: Option<u32>,
    /// Slots after the last thread was joined.
    pub slots_end: Option<u32>,
    /// Slots that the kernel's auto-scaling asks for at this thread count.
    pub slots_expected: Option<u32>,
    /// What became of the growth; `None` where the trial could not see it.
    pub pivot: Option<Pivot>,
    /// Seconds from when growth became due to the first sample that showed the new size; of a
    /// pending one, how long it was watched.
    pub pivot_s: Option<f64>,
    /// CPU seconds in user mode, of the trial process.
    pub user_s: Option<f64>,
    /// CPU seconds in the kernel, of the trial process.
    pub system_s: Option<f64>,
    /// Context switches that a thread asked for by blocking.
    pub voluntary_switches: Option<u64>,
    /// Context switches forced on it.
    pub involuntary_switches: Option<u64>,
    /// Seconds that the hypervisor took from the CPUs during the trial.
    pub steal_s: Option<f64>,
    /// A sample a row, in time order.
    pub timeline: Vec<Sample>,
    /// What the workload measures beyond the common fields.
    pub metrics: Vec<Metric>,
    /// `resize`: each set of the slots.
    pub pivots: Vec<SlotsSet>,
    /// When what a rule may look at came to be.
    #[serde(default)]
    pub moments: Vec<Moment>,
}

/// When a fact of a trial came to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// The fact, as the metric that has it: see [`fact`](crate::outcome::fact).
    pub fact: String,
    /// Seconds since the trial's start.
    pub t_s: f64,
    /// Operations until then; `None` where none are counted.
    pub ops: Option<u64>,
}

impl TrialRecord {
    /// A record that holds nothing yet.
    pub fn empty(status: Status) -> Self {
        TrialRecord {
            status,
            error: None,
            elapsed_s: None,
            ops: None,
            mops_per_s: None,
            thread_ops_min: None,
            thread_ops_median: None,
            thread_ops_max: None,
            slots_start: None,
            slots_set: None,
            slots_loaded: None,
            slots_end: None,
            slots_expected: None,
            pivot: None,
            pivot_s: None,
            user_s: None,
            system_s: None,
            voluntary_switches: None,
            involuntary_switches: None,
            steal_s: None,
            timeline: Vec::new(),
            metrics: Vec::new(),
            pivots: Vec::new(),
            moments: Vec::new(),
        }
    }

    /// A record of a trial that did not do its work, with the reason.
    pub fn failed(status: Status, error: impl Into<String>) -> Self {
        TrialRecord { error: Some(error.into()), ..TrialRecord::empty(status) }
    }

    /// Takes back what was measured, since it turned out not to be what the label says.
    pub fn take_back(&mut self, status: Status, error: String) {
        *self = TrialRecord {
            slots_start: self.slots_start,
            slots_set: self.slots_set,
            slots_loaded: self.slots_loaded,
            slots_end: self.slots_end,
            slots_expected: self.slots_expected,
            user_s: self.user_s,
            system_s: self.system_s,
            voluntary_switches: self.voluntary_switches,
            involuntary_switches: self.involuntary_switches,
            steal_s: self.steal_s,
            timeline: std::mem::take(&mut self.timeline),
            metrics: self.metrics.drain(..).filter(|it| fact::is_one(&it.metric)).collect(),
            moments: std::mem::take(&mut self.moments),
            ..TrialRecord::failed(status, error)
        };
    }

    /// Adds a metric.
    pub fn metric(&mut self, metric: &str, value: f64, unit: &str) {
        self.metrics.push(Metric { metric: metric.into(), value, unit: unit.into() });
    }
}

/// One look of the main thread.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Seconds since just before the first thread was created.
    pub t_s: f64,
    /// Worker threads alive.
    pub threads: u32,
    /// Operations of all threads since the start.
    pub ops: u64,
    /// Slots of the private hash; `None` where the kernel has none.
    pub slots: Option<u32>,
}

/// A number that a workload measures beyond the common fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// Its name: `wakeup_latency_p99`.
    pub metric: String,
    /// The number.
    pub value: f64,
    /// Its unit: `us`.
    pub unit: String,
}

/// One call that set the number of slots under load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlotsSet {
    /// Its place in the trial, from 0.
    pub index: u32,
    /// Slots before.
    pub from: u32,
    /// Slots asked for.
    pub to: u32,
    /// How long the call took: the pivot's duration.
    pub seconds: f64,
    /// The error by name, if it was refused.
    pub errno: Option<String>,
}
