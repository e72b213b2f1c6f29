//! What one trial is asked to do.

use serde::{Deserialize, Serialize};

use crate::factor::{BadValue, Count, Hash, Memory, Placement, Ramp, Span, Until};
use crate::ramp;
use crate::workload::{Around, Task, Workload};

/// The most samples of a trial: 32 bytes each, taken beforehand.
const MOST_SAMPLES: u64 = 4_000_000;

/// One trial, as the runner hands it to `race-trial`: one line of JSON on standard input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialSpec {
    /// The trial's number in the plan.
    pub trial: u64,
    /// What the threads do.
    #[serde(rename = "workload")]
    pub task: Task,
    /// Worker threads at full size.
    pub threads: u32,
    /// How the threads are created.
    pub ramp: Ramp,
    /// What is asked of the private futex hash before the first thread.
    pub hash: Hash,
    /// On which CPUs the threads may run.
    pub placement: Placement,
    /// The NUMA memory policy.
    pub memory: Memory,
    /// How long all threads work together, from the moment the last one exists (`barrier:` from
    /// the moment they are let go). A ramp's own time comes on top.
    pub duration: Span,
    /// What ends the trial before its duration.
    #[serde(default)]
    pub until: Until,
    /// From one sample of the main thread to the next.
    pub sample: Span,
    /// Seeds whatever the trial draws.
    pub seed: u64,
    /// What the trial looks for, since its rule asks for it.
    #[serde(default, skip_serializing_if = "Watch::is_empty")]
    pub watch: Watch,
}

/// What a trial looks for besides doing its work.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Watch {
    /// It is ended after so long without progress.
    pub hang: Option<Span>,
    /// Regular expressions that are looked for in its program's output.
    pub expressions: Vec<String>,
    /// `command`: its program is ended after so long.
    pub limit: Option<Span>,
}

impl Watch {
    fn is_empty(&self) -> bool {
        *self == Watch::default()
    }
}

impl TrialSpec {
    /// What the threads do, by name.
    pub fn workload(&self) -> Workload {
        self.task.workload()
    }

    /// The threads that the trial's main thread makes: the workers, and before them the workload's
    /// helpers. This is what the kernel's auto-scaling counts, and what a placement is for.
    pub fn threads_made(&self) -> u32 {
        self.threads.saturating_add(self.task.helpers())
    }

    /// The factors that every workload has.
    pub fn around(&self) -> Around<'_> {
        Around {
            threads: self.threads,
            ramp: self.ramp,
            hash: self.hash,
            placement: &self.placement,
            memory: &self.memory,
            duration: self.duration,
            until: self.until,
        }
    }

    /// The text of a factor that has a column, as the column has it; empty where the trial does not
    /// have it.
    pub fn text(&self, factor: &str) -> String {
        fn some<T: std::fmt::Display>(value: Option<T>) -> String {
            value.map_or_else(String::new, |value| value.to_string())
        }
        let own = self.task.columns();
        match factor {
            "ramp" => self.ramp.to_string(),
            "hash" => self.hash.to_string(),
            "placement" => self.placement.to_string(),
            "memory" => self.memory.to_string(),
            "threads" => self.threads.to_string(),
            "locks" => some(own.locks),
            "unlock" => some(own.unlock),
            "messengers" => some(own.messengers),
            _ => String::new(),
        }
    }

    /// Refuses a trial whose parts contradict each other. The runner asks before it plans the trial,
    /// and the trial asks again, since a spec may come from elsewhere. What depends on the machine
    /// (CPUs, nodes, limits, the kernel) is not decided here.
    ///
    /// # Errors
    /// The factor, what was found and what is accepted.
    pub fn check(&self) -> Result<(), BadValue> {
        if !(1..=Count::MOST).contains(&self.threads) {
            return Err(BadValue::new(
                "threads",
                self.threads,
                format!("a count from 1 to {}", Count::MOST),
            )
            .because("a trial needs at least one thread, and has at most a million"));
        }
        self.task.check(&self.around())?;
        if let Task::Command(_) = self.task {
            return Ok(());
        }
        for (key, span) in [("duration", self.duration), ("sample", self.sample)] {
            if span.is_zero() {
                return Err(BadValue::new(key, span, "a time above 0"));
            }
        }
        ramp::check(self.ramp, self.threads)?;
        let planned = ramp::planned_ns(self.ramp, self.threads).saturating_add(self.duration.ns());
        let samples = planned / self.sample.ns();
        if samples > MOST_SAMPLES {
            return Err(BadValue::new(
                "sample",
                self.sample,
                "a shorter ramp or duration, or a coarser `sample` in the definition",
            )
            .because(format!(
                "too fine for a trial of {:.0} s: that is {samples} samples, at most {MOST_SAMPLES} \
                 are kept",
                planned as f64 / 1e9
            )));
        }
        Ok(())
    }
}
