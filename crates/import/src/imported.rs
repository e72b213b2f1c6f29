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
