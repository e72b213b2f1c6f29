//! The mapping of a CSV: which of its columns is which of a run, in TOML.
//!
//! ```toml
//! rows = "trials"                # a row is a trial; or "samples", or "checks"
//! repeat = "n"                   # the column that says how many like trials a row stands for
//!
//! [columns]                      # column of trials.csv = column of the CSV
//! threads = "T"
//! mops_per_s = { column = "ops/s", scale = 1e-6 }
//! hash = { column = "mode", values = { auto = "auto", presized = "slots:512" } }
//!
//! [constants]                    # the same for every row
//! workload = "wake-storm"
//!
//! [labels]
//! machine = { column = "host" }
//! patch = "v2"
//!
//! [metrics]                      # rows of metrics.csv
//! wakeup_latency_p99 = { column = "p99_ms", unit = "us", scale = 1000 }
//!
//! [notes]                        # what the CSV says of a row in words
//! approximate = { column = "approximate" }
//!
//! [outcome]                      # what `analyze` judges by, as in a definition
//! stall = "absolute:100"
//! [control]
//! hash = "slots:512"
//! [recovery]                     # when a stalled trial is back, by its samples
//! control_mops = 36
//! ```

use std::collections::BTreeMap;

use model::column::names;
use model::columns::{CHECKS, TIMELINE};
use model::definition::{Control, Outcome};
use model::recovery::Recovery;
use serde::Deserialize;

use crate::cells::Cells;
use crate::mapping_value::{Column, Metric, Plain, Text};
use crate::toml_file::{BadToml, TomlFile};

/// A mapping.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Mapping {
    /// The experiment's name.
    pub name: Option<String>,
    /// A line for the report's head.
    pub title: Option<String>,
    /// What a row of the CSV is.
    pub rows: Rows,
    /// What stands between two cells; a comma by default.
    pub delimiter: Option<char>,
    /// The column with the number of like trials that a row stands for.
    pub repeat: Option<String>,
    /// Our column, and theirs.
    pub columns: BTreeMap<String, Column>,
    /// Our column, and its value in every row.
    pub constants: BTreeMap<String, Plain>,
    /// A label, and where its value is from.
    pub labels: BTreeMap<String, Text>,
    /// A metric, its column and its unit.
    pub metrics: BTreeMap<String, Metric>,
    /// A note's key, and where its text is from.
    pub notes: BTreeMap<String, Text>,
    /// The rule by which a trial is stalled; `None` leaves it to what the CSV reports.
    pub outcome: Option<Outcome>,
    /// The control, if the CSV has one.
    pub control: Option<Control>,
    /// When a stalled trial counts as recovered, by its samples.
    pub recovery: Recovery,
}

/// What a row of the CSV is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rows {
    /// A trial, or like trials.
    #[default]
    Trials,
    /// A sample of a trial; its trials are told by the column `trial`, if there is one.
    Samples,
    /// A functional check.
    Checks,
}

/// What can be mapped of a sample besides the columns of its trial.
pub const SAMPLE: [&str; TIMELINE.len()] = names(&TIMELINE);
/// What must be mapped of a check.
pub const CHECK: [&str; CHECKS.len()] = names(&CHECKS);

impl Mapping {
    /// The mapping of a CSV that already has the columns of `checks.csv`.
    pub fn of_checks() -> Mapping {
        Mapping {
            rows: Rows::Checks,
            columns: CHECK.map(|name| (name.to_string(), Column::named(name))).into(),
            ..Mapping::default()
        }
    }

    /// Reads a mapping; `file` is for messages.
    ///
    /// # Errors
    /// The text is no TOML, has a key that is not known, or a value that is not accepted.
    pub fn parse(file: &str, text: &str) -> Result<Mapping, BadToml> {
        let toml = TomlFile::parse(file, text.trim_start_matches('\u{feff}'))?;
        let mapping: Mapping = toml.read()?;
        match mapping.problem() {
            Some((key, problem)) => Err(toml.error(&key, &problem)),
            None => Ok(mapping),
        }
    }

    /// What does not fit together: the key, and the problem.
    fn problem(&self) -> Option<(String, String)> {
        if self.delimiter.is_some_and(|c| !c.is_ascii()) {
            let accepted = "accepted is one character of ASCII, such as \";\" or \"\\t\"";
            return Some(("delimiter".into(), accepted.into()));
        }
        let needs: &[&str] = match self.rows {
            Rows::Trials => &[],
            Rows::Samples => &["t_s"],
            Rows::Checks => &CHECK,
        };
        for key in self.columns.keys() {
            let problem = match self.rows {
                Rows::Checks if needs.contains(&key.as_str()) => continue,
                Rows::Checks => format!("a check has {}", CHECK.join(", ")),
                Rows::Samples if SAMPLE.contains(&key.as_str()) => continue,
                _ => match Cells::column(key) {
                    Ok(_) => continue,
                    Err(error) => error.to_string(),
                },
            };
            return Some((format!("columns.{key}"), problem));
        }
        for (key, Plain(value)) in &self.constants {
            let problem = match Cells::default().set(key, value) {
                Ok(()) if !self.columns.contains_key(key) => continue,
                Ok(()) => "it is among the columns too".to_string(),
                Err(error) => error.to_string(),
            };
            return Some((format!("constants.{key}"), problem));
        }
        if let Some(missing) = needs.iter().find(|key| !self.columns.contains_key(**key)) {
            let problem = "it is missing: it says which column holds it";
            return Some((format!("columns.{missing}"), problem.into()));
        }
        let is_odd = self.repeat.is_some() && self.rows != Rows::Trials;
        let problem = "only a row that is a trial can stand for several";
        is_odd.then(|| ("repeat".into(), problem.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Mapping::parse("map.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn the_example_of_the_docs_is_a_mapping() {
        let source = include_str!("mapping.rs");
        let example: String = source
            .lines()
            .skip_while(|line| *line != "//! ```toml")
            .skip(1)
            .take_while(|line| *line != "//! ```")
            .map(|line| format!("{}\n", line.trim_start_matches("//!").trim_start()))
            .collect();
        let mapping = Mapping::parse("map.toml", &example).unwrap();
        assert_eq!(mapping.columns["mops_per_s"].scale, Some(1e-6));
        assert_eq!(mapping.columns["hash"].values.as_ref().unwrap()["presized"].0, "slots:512");
        assert_eq!(mapping.labels["patch"], Text::Constant("v2".into()));
        assert_eq!(mapping.metrics["wakeup_latency_p99"].unit, "us");
        assert_eq!(mapping.outcome.clone().unwrap().stall.to_string(), "absolute:100");
        assert_eq!(mapping.repeat.as_deref(), Some("n"));
        assert_eq!(mapping.recovery.control_mops, Some(36.0));
    }

    #[test]
    fn what_is_wrong_is_named_by_line_and_key() {
        for (text, parts) in [
            ("[columns\n", &["map.toml, line 1"][..]),
            ("[columns]\nthreads = T\n", &["line 2", "in quotes: threads = \"T\""]),
            (
                "\ncolumn = 1\n",
                &["line 2", "unknown key \"column\"", "accepted is name, title, rows"],
            ),
            ("[columns]\nthread = \"T\"\n", &["line 2", "columns.thread", "threads"]),
            ("[columns]\nthreads = 3\n", &["line 2", "columns.threads: found 3"]),
            ("[columns]\nthreads = { column = \"T\", scale = -1 }\n", &["columns.threads.scale"]),
            (
                "[columns]\nthreads = { scale = 2 }\n",
                &["line 2", "columns.threads: column is missing"],
            ),
            ("[columns]\nthreads = { column = \"T\", unit = \"s\" }\n", &["unknown key \"unit\""]),
            ("[constants]\nhash = \"slots:500\"\n", &["line 2", "power of two"]),
            ("[columns]\nhash = \"h\"\n[constants]\nhash = \"auto\"\n", &["line 4", "columns too"]),
            ("[metrics]\nx = \"x\"\n", &["metrics.x", "unit"]),
            ("[outcome]\nstal = \"x\"\n", &["unknown key \"stal\""]),
            ("[control]\nhash = \"none\"\n", &["line 2", "control.hash: hash \"none\""]),
            ("[recovery]\nshare = 2\n", &["line 2", "recovery.share: found 2", "up to 1"]),
            ("[recovery]\nhold = 3\n", &["line 2", "recovery.hold: found 3"]),
            ("[recovery]\ncontrol = 3\n", &["unknown key \"control\" in [recovery]"]),
            ("rows = \"lines\"\n", &["rows: found \"lines\""]),
            ("delimiter = \"ab\"\n", &["delimiter"]),
            ("rows = \"samples\"\n", &["columns.t_s: it is missing"]),
            ("rows = \"checks\"\n[columns]\nthreads = \"x\"\n", &["a check has check"]),
            ("rows = \"samples\"\nrepeat = \"n\"\n[columns]\nt_s = \"t\"\n", &["repeat"]),
            ("columns = 1\n", &["columns: found 1"]),
            ("[labels]\n7.2 = \"x\"\n", &["line 2", "a key with a dot stands in quotes: \"7.2\""]),
            ("[outcome]\nstall = \"sometimes\"\n", &["line 2", "outcome.stall", "pivot:1s"]),
        ] {
            let error = error(text);
            for part in parts {
                assert!(error.contains(part), "{text:?}: {error}");
            }
        }
    }
}
