//! What an outside source says, before the command line fills what it doesn't say.

use std::collections::BTreeMap;

use model::as_run::{Import, StatusSaid, UnreadLine};
use model::rows::CheckRow;
use thiserror::Error;

use crate::cells::{BadCell, Cells};

/// All that was understood of a source, and what was not.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    /// The trials, in the order of the source.
    pub trials: Vec<ImportedTrial>,
    /// Functional checks.
    pub checks: Vec<CheckRow>,
    /// Lines that are not understood.
    pub unread: Vec<Unread>,
    /// Lines that are not empty.
    pub lines: usize,
    /// What a reader of the result must know, a sentence each.
    pub notes: Vec<String>,
    /// Checks that the source planned and has no result of.
    pub checks_without_result: u64,
}

impl Imported {
    /// Of which trials the source says how they ended; `None` where it says it of none. A row without
    /// has `ok`, because its result is one; that is no observation of how its trial ended.
    pub fn status_said(&self) -> Option<StatusSaid> {
        let is_open = |trial: &ImportedTrial| trial.cells.get("status").is_none();
        let open: Vec<u64> = (1..)
            .zip(&self.trials)
            .filter_map(|(number, trial)| is_open(trial).then_some(number))
            .collect();
        match open.len() {
            n if n == self.trials.len() => None,
            0 => Some(StatusSaid::All),
            _ => Some(StatusSaid::NotOf(open)),
        }
    }

    /// What the manifest keeps of the source besides the trials. `format` is the format's name.
    pub fn account(&self, format: &str) -> Import {
        let mut said: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
        for (key, text) in self.trials.iter().flat_map(|trial| trial.notes.clone()) {
            *said.entry(key).or_default().entry(text).or_default() += 1;
        }
        let line = |unread: &Unread| UnreadLine {
            line: unread.line as u64,
            text: unread.text.clone(),
            why: unread.why.clone(),
        };
        Import {
            format: format.to_string(),
            lines: self.lines as u64,
            not_understood: self.unread.iter().map(line).collect(),
            notes: self.notes.clone(),
            said,
            status: self.status_said(),
            checks_without_result: self.checks_without_result,
            blocks: !self.trials.is_empty()
                && self.trials.iter().all(|trial| trial.cells.get("block").is_some()),
        }
    }
}

/// One trial of the source.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportedTrial {
    /// The line that says its result, from 1.
    pub line: usize,
    /// Its cells of `trials.csv`.
    pub cells: Cells,
    /// What tells it apart, besides the factors.
    pub labels: BTreeMap<String, String>,
    /// Its samples, in time order.
    pub samples: Vec<Sample>,
    /// What it measured beyond the common columns.
    pub metrics: Vec<Metric>,
    /// What the source says of it in words, by a key.
    pub notes: BTreeMap<String, String>,
    /// Columns that the source leaves open, with the reason.
    pub open: BTreeMap<&'static str, String>,
}

impl ImportedTrial {
    /// A trial whose result stands in this line.
    pub fn at(line: usize) -> Self {
        ImportedTrial { line, ..ImportedTrial::default() }
    }

    /// Adds a metric, if its value is a finite number.
    pub fn metric(&mut self, metric: &str, value: f64, unit: &str) {
        if value.is_finite() {
            self.metrics.push(Metric { metric: metric.into(), value, unit: unit.into() });
        }
    }
}

/// A row of `timeline.csv`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sample {
    /// Seconds since the load began.
    pub t_s: f64,
    /// Threads alive; the trial's where the source doesn't say.
    pub threads: Option<u32>,
    /// Operations since the start.
    pub ops: Option<u64>,
    /// Since the sample before.
    pub mops_per_s: Option<f64>,
    /// Slots of the private hash.
    pub slots: Option<u32>,
}

/// A row of `metrics.csv`.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// Its name.
    pub metric: String,
    /// The number, finite.
    pub value: f64,
    /// Its unit.
    pub unit: String,
}

/// Why a line whose form is known can't be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unusable {
    /// A value is none of its column.
    #[error(transparent)]
    Cell(#[from] BadCell),
    /// A number is larger than any that is taken for one.
    #[error("its {0} is out of range")]
    OutOfRange(&'static str),
    /// The line is of an invocation with other threads.
    #[error("the invocation has {0} threads")]
    OtherThreads(String),
    /// The line belongs to a result that is not there.
    #[error("no result follows it")]
    NoResult,
    /// The line that says what was measured, and by how many threads, is missing above the line.
    #[error("the `{0}` line, which says the number of threads, is missing above it")]
    NoHead(&'static str),
    /// It has the form of a result behind text that is not known.
    #[error("it looks like a result behind other text")]
    LooksLikeResult,
    /// The benchmark is not one that is read.
    #[error("it is no futex benchmark")]
    OtherBenchmark,
}

/// A line that is not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Its number, from 1.
    pub line: usize,
    /// What stands there, shortened.
    pub text: String,
    /// Why it can't be used, where that is more than having no known form.
    pub why: Option<String>,
}

impl Unread {
    /// A line of no known form.
    pub fn new(line: usize, text: &str) -> Self {
        let mut short: String = text.trim().chars().take(80).collect();
        if short.len() < text.trim().len() {
            short.push('…');
        }
        Unread { line, text: short, why: None }
    }

    /// A line whose form is known and whose content can't be used.
    pub fn because(line: usize, text: &str, why: &Unusable) -> Self {
        Unread { why: Some(why.to_string()), ..Unread::new(line, text) }
    }
}

impl std::fmt::Display for Unread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {} {:?}", self.line, self.text)?;
        match &self.why {
            Some(why) => write!(f, ": {why}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_said_of_all_of_some_or_of_none() {
        let of = |statuses: &[&str]| {
            let trial = |(at, status): (usize, &&str)| {
                let mut trial = ImportedTrial::at(at);
                trial.cells.set("status", status).unwrap();
                trial
            };
            let trials = statuses.iter().enumerate().map(trial).collect();
            Imported { trials, ..Imported::default() }.status_said()
        };
        assert_eq!(of(&["ok", "crashed"]), Some(StatusSaid::All));
        assert_eq!(of(&["ok", "", "timeout"]), Some(StatusSaid::NotOf(vec![2])));
        assert_eq!(of(&["", ""]), None);
        assert_eq!(of(&[]), None, "checks alone");
    }
}
