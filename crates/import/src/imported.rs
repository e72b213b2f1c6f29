//! What an outside source says, before the command line fills what it doesn't say.

use std::collections::BTreeMap;

use crate::cells::Cells;
use crate::check::Check;

/// All that was understood of a source, and what was not.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    /// The trials, in the order of the source.
    pub trials: Vec<ImportedTrial>,
    /// Functional checks.
    pub checks: Vec<Check>,
    /// Lines that are not understood.
    pub unread: Vec<Unread>,
    /// Lines that are not empty.
    pub lines: usize,
    /// What a reader of the result must know, a sentence each.
    pub notes: Vec<String>,
    /// Checks that the source planned and has no result of.
    pub checks_without_result: u64,
}

/// Of which trials a source says how they ended. A row without has `ok`, because its result is one; that
/// is no observation of how its trial ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatusSaid {
    /// Of all.
    All,
    /// Of all but these, by their numbers in the run.
    NotOf(Vec<u64>),
    /// Of none.
    None,
}

impl Imported {
    /// Of which trials it is said how they ended.
    pub fn status_said(&self) -> StatusSaid {
        let is_open = |trial: &ImportedTrial| trial.cells.get("status").is_none();
        let open: Vec<u64> = (1..)
            .zip(&self.trials)
            .filter_map(|(number, trial)| is_open(trial).then_some(number))
            .collect();
        match open.len() {
            n if n == self.trials.len() => StatusSaid::None,
            0 => StatusSaid::All,
            _ => StatusSaid::NotOf(open),
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

    /// Adds a metric; a value that is no finite number is none.
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
    pub fn because(line: usize, text: &str, why: impl Into<String>) -> Self {
        Unread { why: Some(why.into()), ..Unread::new(line, text) }
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
        assert_eq!(of(&["ok", "crashed"]), StatusSaid::All);
        assert_eq!(of(&["ok", "", "timeout"]), StatusSaid::NotOf(vec![2]));
        assert_eq!(of(&["", ""]), StatusSaid::None);
        assert_eq!(of(&[]), StatusSaid::None, "checks alone");
    }
}
