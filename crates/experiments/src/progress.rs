//! What a user sees while a run is made: one line on a terminal, a line a trial with `-v`.
//!
//! It is written between trials only: a harness that redraws while a trial runs is in the trial.

use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::time::Instant;

use campaign::definition::Definition;
use campaign::plan::Planned;
use campaign::runner::Observer;
use records::rows::TrialRow;
use trial::record::{Pivot, Status};

use crate::cmd::planning::in_words;

/// Shows how far a run is.
pub struct Progress {
    on_terminal: bool,
    verbose: u8,
    total: u64,
    done: u64,
    done_before: u64,
    began: Instant,
    tally: Tally,
}

impl Progress {
    /// For a run of `total` trials, `done` of them before now.
    pub fn new(definition: &Definition, total: u64, done: u64, verbose: u8) -> Progress {
        Progress {
            on_terminal: io::stderr().is_terminal(),
            verbose,
            total,
            done,
            done_before: done,
            began: Instant::now(),
            tally: Tally::new(definition),
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if self.on_terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }

    fn left(&self) -> String {
        let now = self.done - self.done_before;
        if now == 0 {
            return "time left not known yet".to_string();
        }
        let each = self.began.elapsed().as_secs_f64() / now as f64;
        format!("{} left", in_words(each * (self.total - self.done) as f64))
    }
}

impl Observer for Progress {
    fn starts(&mut self, planned: &Planned) {
        if self.on_terminal {
            let line = format!(
                "{}/{} · {} threads={} hash={}{} · {} · {}",
                self.done,
                self.total,
                planned.spec.workload,
                planned.spec.threads,
                planned.spec.hash,
                if self.tally.kernels_differ {
                    format!(" {}", planned.kernel)
                } else {
                    String::new()
                },
                self.left(),
                self.tally.said(),
            );
            let _ = write!(io::stderr(), "\r\x1b[K{line}");
            let _ = io::stderr().flush();
        }
    }

    fn ended(&mut self, planned: &Planned, row: &TrialRow) {
        self.done += 1;
        self.tally.count(planned, row);
        let failed = row.status != Status::Ok;
        if self.verbose > 0 || (failed && self.on_terminal) {
            self.clear();
            let pivot = row.pivot.map(|pivot| format!(" pivot={pivot}")).unwrap_or_default();
            let rate = row.mops_per_s.map(|rate| format!(" {rate:.2} Mops/s")).unwrap_or_default();
            let error = row.error.as_deref().map(|error| format!(": {error}")).unwrap_or_default();
            let _ = writeln!(
                io::stderr(),
                "trial {} (block {} cell {}, {} threads={} ramp={} hash={} {}): {}{rate}{pivot}{error}",
                row.trial,
                row.block,
                row.cell,
                row.workload,
                row.threads,
                row.ramp,
                row.hash,
                row.kernel,
                row.status
            );
        }
        if self.verbose > 1 {
            let _ = writeln!(io::stderr(), "  {row:?}");
        }
    }
}

/// Counts stalled trials as far as the rows so far tell; the analysis has the last word.
struct Tally {
    rule: Rule,
    control: String,
    kernels_differ: bool,
    kernel: Option<String>,
    rates: HashMap<String, Vec<f64>>,
    auto: Vec<(String, f64)>,
    stalled: u64,
    failed: u64,
}

enum Rule {
    Control(f64),
    Absolute(f64),
    Pivot(f64),
    Other,
}

impl Tally {
    fn new(definition: &Definition) -> Tally {
        let stall = &definition.outcome.stall;
        let number = |kind: &str| stall.strip_prefix(kind).and_then(|rest| rest.parse().ok());
        let rule = if let Some(share) = number("control:") {
            Rule::Control(share)
        } else if let Some(mops) = number("absolute:") {
            Rule::Absolute(mops)
        } else if let Some(span) = stall.strip_prefix("pivot:").and_then(|s| s.parse().ok()) {
            Rule::Pivot(trial::factor::Span::seconds(span))
        } else {
            Rule::Other
        };
        Tally {
            rule,
            control: definition.control.hash.to_string(),
            kernels_differ: false,
            kernel: None,
            rates: HashMap::new(),
            auto: Vec::new(),
            stalled: 0,
            failed: 0,
        }
    }

    fn count(&mut self, planned: &Planned, row: &TrialRow) {
        if self.kernel.as_ref().is_some_and(|kernel| *kernel != row.kernel) {
            self.kernels_differ = true;
        }
        self.kernel = Some(row.kernel.clone());
        if row.status != Status::Ok {
            self.failed += 1;
            return;
        }
        let same_but_hash = format!(
            "{:?}",
            (
                &row.kernel,
                &row.labels,
                row.threads,
                row.workload,
                row.ramp,
                &row.placement,
                &row.memory,
                row.locks,
                row.unlock,
                row.messengers
            )
        );
        let is_control = planned.spec.hash.to_string() == self.control;
        match (&self.rule, row.mops_per_s) {
            (Rule::Control(_), Some(rate)) if is_control => {
                self.rates.entry(same_but_hash).or_default().push(rate);
            }
            (Rule::Control(_), Some(rate)) => self.auto.push((same_but_hash, rate)),
            (Rule::Absolute(least), Some(rate)) if rate < *least => self.stalled += 1,
            (Rule::Pivot(limit), _) => {
                let late = row.pivot_s.is_some_and(|s| s > *limit);
                let due = matches!(row.pivot, Some(Pivot::Settled | Pivot::Pending));
                self.stalled += u64::from(due && late);
            }
            _ => {}
        }
        if let Rule::Control(share) = self.rule {
            let median = |rates: &Vec<f64>| {
                let mut sorted = rates.clone();
                sorted.sort_by(f64::total_cmp);
                sorted.get(sorted.len() / 2).copied()
            };
            self.stalled = self
                .auto
                .iter()
                .filter(|(cell, rate)| {
                    self.rates
                        .get(cell)
                        .and_then(median)
                        .is_some_and(|control| *rate < share * control)
                })
                .count() as u64;
        }
    }

    fn said(&self) -> String {
        let failed =
            if self.failed > 0 { format!(", {} failed", self.failed) } else { String::new() };
        match self.rule {
            Rule::Other => format!("stalled: told at the end{failed}"),
            _ => format!("{} stalled so far{failed}", self.stalled),
        }
    }
}
