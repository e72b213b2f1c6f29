//! What a user sees while a run is made: one line on a terminal, a line a trial with `-v`.
//!
//! It is written between trials only: a harness that redraws while a trial runs is in the trial.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};
use std::time::Instant;

use campaign::plan::Planned;
use campaign::runner::Observer;
use model::definition::Definition;
use model::record::Status;
use records::journal::TrialRows;
use report::neutral::{Neutral, plain};

use crate::tally::Tally;
use crate::terminal;
use crate::words::in_words;

/// Shows how far a run is.
pub struct Progress {
    on_terminal: bool,
    redraws: bool,
    verbose: u8,
    total: u64,
    done: u64,
    done_before: u64,
    began: Instant,
    tally: Tally,
    /// The kernels that trials ran on: one is not worth its place on the line.
    kernels: BTreeSet<String>,
}

impl Progress {
    /// For a run of `total` trials, `done` of them before now.
    pub fn new(definition: &Definition, total: u64, done: u64, verbose: u8) -> Progress {
        Progress {
            on_terminal: io::stderr().is_terminal(),
            redraws: terminal::redraws(),
            verbose,
            total,
            done,
            done_before: done,
            began: Instant::now(),
            tally: Tally::new(definition),
            kernels: BTreeSet::new(),
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if self.redraws {
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
        if self.redraws {
            let line = format!(
                "{}/{} · {} threads={} hash={}{} · {} · {}",
                self.done,
                self.total,
                planned.spec.workload(),
                planned.spec.threads,
                planned.spec.hash,
                if self.kernels.len() > 1 { format!(" {}", planned.kernel) } else { String::new() },
                self.left(),
                self.tally.said(),
            );
            // Not wrapped at the terminal's edge: of a line on two rows one could not be taken away.
            let _ = write!(io::stderr(), "\r\x1b[K\x1b[?7l{}\x1b[?7h", plain(&line));
            let _ = io::stderr().flush();
        }
    }

    fn ended(&mut self, planned: &Planned, rows: &TrialRows) {
        let row = &rows.trial;
        self.done += 1;
        self.tally.count(planned, rows);
        self.kernels.insert(row.kernel.clone());
        let failed = row.status != Status::Ok;
        if self.verbose > 0 || (failed && self.on_terminal) {
            self.clear();
            let pivot = row.pivot.map(|pivot| format!(" pivot={pivot}")).unwrap_or_default();
            let rate = row.mops_per_s.map(|rate| format!(" {rate:.2} Mops/s")).unwrap_or_default();
            let error = row.error.as_deref().map(|error| format!(": {error}")).unwrap_or_default();
            let _ = writeln!(
                Neutral(io::stderr()),
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
