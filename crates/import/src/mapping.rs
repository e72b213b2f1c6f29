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

use model::factor::Hash;
use model::recovery::Recovery;
use thiserror::Error;
use toml_edit::{Document, Item, TableLike};

use crate::cells::Cells;

/// A mapping.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mapping {
    /// The experiment's name.
    pub name: Option<String>,
    /// A line for the report's head.
    pub title: Option<String>,
    /// What a row of the CSV is.
    pub rows: Rows,
    /// What stands between two cells; a comma by default.
    pub delimiter: Option<u8>,
    /// The column with the number of like trials that a row stands for.
    pub repeat: Option<String>,
    /// Our column, and theirs.
    pub columns: BTreeMap<String, Column>,
    /// Our column, and its value in every row.
    pub constants: Vec<(String, String)>,
    /// A label, and where its value is from.
    pub labels: BTreeMap<String, Text>,
    /// A metric, its column and its unit.
    pub metrics: BTreeMap<String, (Column, String)>,
    /// A note's key, and where its text is from.
    pub notes: BTreeMap<String, Text>,
    /// The rule by which a trial is stalled.
    pub stall: Option<String>,
    /// The control's hash policy.
    pub control: Option<String>,
    /// When a stalled trial counts as recovered, by its samples.
    pub recovery: Recovery,
}

/// What a row of the CSV is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Rows {
    /// A trial, or like trials.
    #[default]
    Trials,
    /// A sample of a trial; its trials are told by the column `trial`, if there is one.
    Samples,
    /// A functional check.
    Checks,
}

/// One of their columns, and how its cells are to be read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Column {
    /// Its name in the CSV.
    pub column: String,
    /// What a number is multiplied with.
    pub scale: Option<f64>,
    /// What each text stands for.
    pub values: Option<BTreeMap<String, String>>,
}

/// A text of every row, or a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Text {
    /// The same in every row.
    Constant(String),
    /// A cell.
    Column(Column),
}

/// A mapping that can't be used: file, line, key, what was found and what is accepted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}{}: {problem}", line.map_or(String::new(), |line| format!(", line {line}")))]
pub struct BadMapping {
    file: String,
    line: Option<usize>,
    problem: String,
}

const KEYS: [&str; 13] = [
    "name",
    "title",
    "rows",
    "delimiter",
    "repeat",
    "columns",
    "constants",
    "labels",
    "metrics",
    "notes",
    "outcome",
    "control",
    "recovery",
];
/// What can be mapped of a sample besides the columns of its trial.
pub const SAMPLE: [&str; 6] = ["trial", "t_s", "threads", "ops", "mops_per_s", "slots"];
/// What must be mapped of a check.
pub const CHECK: [&str; 3] = crate::check::COLUMNS;

impl Mapping {
    /// The mapping of a CSV that already has the columns of `checks.csv`.
    pub fn of_checks() -> Mapping {
        let column = |name: &str| Column { column: name.to_string(), ..Column::default() };
        Mapping {
            rows: Rows::Checks,
            columns: CHECK.iter().map(|name| (name.to_string(), column(name))).collect(),
            ..Mapping::default()
        }
    }

    /// Reads a mapping; `file` is for messages.
    pub fn parse(file: &str, text: &str) -> Result<Mapping, BadMapping> {
        let text = text.trim_start_matches('\u{feff}');
        let at = Place { file, text };
        let document = Document::parse(text).map_err(|error| {
            let mut problem = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
            let start = error.span().map(|span| span.start);
            // The parser takes a bare word for a boolean that went wrong.
            let line = start.map_or("", |start| at.line(start));
            if let Some((key, word)) = bare_word(line) {
                problem += &format!(". A text stands in quotes: {key} = \"{word}\"");
            }
            at.error(start, problem)
        })?;
        let top = document.as_table();
        at.known(top, "", &KEYS)?;
        let mut mapping = Mapping {
            name: at.optional(top, "name", at_text)?,
            title: at.optional(top, "title", at_text)?,
            repeat: at.optional(top, "repeat", at_text)?,
            ..Mapping::default()
        };
        if let Some(item) = top.get("rows") {
            mapping.rows = match item.as_str() {
                Some("trials") => Rows::Trials,
                Some("samples") => Rows::Samples,
                Some("checks") => Rows::Checks,
                _ => return Err(at.wrong(item, "rows", "\"trials\", \"samples\" or \"checks\"")),
            };
        }
        if let Some(item) = top.get("delimiter") {
            mapping.delimiter = match item.as_str().map(str::as_bytes) {
                Some([byte]) if byte.is_ascii() => Some(*byte),
                _ => {
                    return Err(at.wrong(
                        item,
                        "delimiter",
                        "one character, such as \";\" or \"\\t\"",
                    ));
                }
            };
        }
        for (key, item) in at.table(top, "columns")? {
            let path = format!("columns.{key}");
            let column = at.column(item, &path, &["column", "scale", "values"])?;
            mapping.check_column(key).map_err(|problem| at.error(start(item), problem))?;
            mapping.columns.insert(key.to_string(), column);
        }
        for (key, item) in at.table(top, "constants")? {
            let path = format!("constants.{key}");
            let accepted = "a text, a number or true and false";
            let value = plain(item).ok_or_else(|| at.wrong(item, &path, accepted))?;
            if mapping.columns.contains_key(key) {
                return Err(at.error(start(item), format!("{path}: it is among the columns too")));
            }
            Cells::default()
                .set(key, &value)
                .map_err(|problem| at.error(start(item), format!("{path}: {problem}")))?;
            mapping.constants.push((key.to_string(), value));
        }
        for (key, item) in at.table(top, "labels")? {
            mapping
                .labels
                .insert(key.to_string(), at.text_or_column(item, &format!("labels.{key}"))?);
        }
        for (key, item) in at.table(top, "notes")? {
            mapping
                .notes
                .insert(key.to_string(), at.text_or_column(item, &format!("notes.{key}"))?);
        }
        for (key, item) in at.table(top, "metrics")? {
            let path = format!("metrics.{key}");
            let column = at.column(item, &path, &["column", "scale", "values", "unit"])?;
            let unit = item.get("unit").and_then(Item::as_str).ok_or_else(|| {
                at.wrong(item, &path, "{ column = \"…\", unit = \"…\" }: a metric has a unit")
            })?;
            mapping.metrics.insert(key.to_string(), (column, unit.to_string()));
        }
        mapping.stall = at.only(top, "outcome", "stall")?;
        mapping.control = at.only(top, "control", "hash")?;
        if let Some(hash) = &mapping.control {
            let at_key = top.get("control").and_then(start);
            hash.parse::<Hash>().map_err(|error| at.error(at_key, format!("control: {error}")))?;
        }
        mapping.recovery = at.recovery(top)?;
        mapping.complete().map_err(|problem| at.error(None, problem))?;
        Ok(mapping)
    }

    fn check_column(&self, key: &str) -> Result<(), String> {
        match self.rows {
            Rows::Checks if CHECK.contains(&key) => Ok(()),
            Rows::Checks => Err(format!("columns.{key}: a check has {}", CHECK.join(", "))),
            Rows::Samples if SAMPLE.contains(&key) => Ok(()),
            _ => {
                Cells::column(key).map(drop).map_err(|problem| format!("columns.{key}: {problem}"))
            }
        }
    }

    fn complete(&self) -> Result<(), String> {
        let needs: &[&str] = match self.rows {
            Rows::Trials => &[],
            Rows::Samples => &["t_s"],
            Rows::Checks => &CHECK,
        };
        if let Some(missing) = needs.iter().find(|key| !self.columns.contains_key(**key)) {
            return Err(format!("columns.{missing} is missing: it says which column holds it"));
        }
        if self.repeat.is_some() && self.rows != Rows::Trials {
            return Err("repeat: only a row that is a trial can stand for several".into());
        }
        Ok(())
    }
}

struct Place<'a> {
    file: &'a str,
    text: &'a str,
}

impl Place<'_> {
    fn error(&self, at: Option<usize>, problem: impl Into<String>) -> BadMapping {
        let line =
            at.map(|at| 1 + self.text.bytes().take(at).filter(|byte| *byte == b'\n').count());
        BadMapping { file: self.file.to_string(), line, problem: problem.into() }
    }

    /// The line that a place is in.
    fn line(&self, start: usize) -> &str {
        let before = self.text.get(..start).unwrap_or("");
        let from = before.rfind('\n').map_or(0, |at| at + 1);
        self.text.get(from..).and_then(|rest| rest.lines().next()).unwrap_or("")
    }

    fn wrong(&self, item: &Item, path: &str, accepted: &str) -> BadMapping {
        let found: String = item.to_string().trim().chars().take(40).collect();
        self.error(start(item), format!("{path}: found {found}; accepted is {accepted}"))
    }

    fn known(&self, table: &dyn TableLike, path: &str, keys: &[&str]) -> Result<(), BadMapping> {
        match table.iter().find(|(key, _)| !keys.contains(key)) {
            None => Ok(()),
            Some((key, item)) => {
                let at = table.key(key).and_then(|key| key.span()).map(|span| span.start);
                let of = if path.is_empty() { String::new() } else { format!(" in {path}") };
                let problem = format!("unknown key {key:?}{of}; accepted is {}", keys.join(", "));
                Err(self.error(at.or(start(item)), problem))
            }
        }
    }

    fn optional<T>(
        &self,
        table: &dyn TableLike,
        key: &str,
        of: fn(&Item) -> Option<T>,
    ) -> Result<Option<T>, BadMapping> {
        match table.get(key) {
            None => Ok(None),
            Some(item) => of(item).map(Some).ok_or_else(|| self.wrong(item, key, "a text")),
        }
    }

    fn table<'t>(
        &self,
        top: &'t dyn TableLike,
        key: &str,
    ) -> Result<Vec<(&'t str, &'t Item)>, BadMapping> {
        match top.get(key) {
            None => Ok(Vec::new()),
            Some(item) => match item.as_table_like() {
                Some(table) => Ok(table.iter().collect()),
                None => Err(self.wrong(item, key, "a table")),
            },
        }
    }

    fn recovery(&self, top: &dyn TableLike) -> Result<Recovery, BadMapping> {
        let mut recovery = Recovery::default();
        for (key, item) in self.table(top, "recovery")? {
            let path = format!("recovery.{key}");
            let number = item.as_float().or(item.as_integer().map(|n| n as f64));
            match key {
                "share" => {
                    let share = number.filter(|share| *share > 0.0 && *share <= 1.0);
                    let accepted = "a number above 0 and up to 1";
                    recovery.share = Some(share.ok_or_else(|| self.wrong(item, &path, accepted))?);
                }
                "control_mops" => {
                    let mops = number.filter(|mops| mops.is_finite() && *mops > 0.0);
                    recovery.control_mops =
                        Some(mops.ok_or_else(|| self.wrong(item, &path, "a number above 0"))?);
                }
                "hold" => {
                    let hold = at_text(item).and_then(|text| text.parse().ok());
                    let accepted = "a time with its unit, such as \"3s\"";
                    recovery.hold = Some(hold.ok_or_else(|| self.wrong(item, &path, accepted))?);
                }
                _ => {
                    let problem = format!(
                        "unknown key {key:?} in recovery; accepted is share, hold, control_mops"
                    );
                    return Err(self.error(start(item), problem));
                }
            }
        }
        Ok(recovery)
    }

    /// The only key of a table that may be there.
    fn only(
        &self,
        top: &dyn TableLike,
        table: &str,
        key: &str,
    ) -> Result<Option<String>, BadMapping> {
        let mut found = None;
        for (name, item) in self.table(top, table)? {
            if name != key {
                let problem = format!("unknown key {name:?} in {table}; accepted is {key}");
                return Err(self.error(start(item), problem));
            }
            let path = format!("{table}.{key}");
            found = Some(at_text(item).ok_or_else(|| self.wrong(item, &path, "a text"))?);
        }
        Ok(found)
    }

    fn text_or_column(&self, item: &Item, path: &str) -> Result<Text, BadMapping> {
        match item.as_table_like() {
            Some(_) => Ok(Text::Column(self.column(item, path, &["column", "values"])?)),
            None => plain(item)
                .map(Text::Constant)
                .ok_or_else(|| self.wrong(item, path, "a text or { column = \"…\" }")),
        }
    }

    fn column(&self, item: &Item, path: &str, keys: &[&str]) -> Result<Column, BadMapping> {
        if let Some(column) = at_text(item) {
            return Ok(Column { column, ..Column::default() });
        }
        let accepted = "a column's name, or { column = \"…\" } with scale or values";
        let table = item.as_table_like().ok_or_else(|| self.wrong(item, path, accepted))?;
        self.known(table, path, keys)?;
        let column = table.get("column").and_then(at_text);
        let column = column.ok_or_else(|| self.wrong(item, path, accepted))?;
        let scale = match table.get("scale") {
            None => None,
            Some(item) => match item.as_float().or(item.as_integer().map(|n| n as f64)) {
                Some(scale) if scale.is_finite() && scale > 0.0 => Some(scale),
                _ => return Err(self.wrong(item, &format!("{path}.scale"), "a number above 0")),
            },
        };
        let values = match table.get("values") {
            None => None,
            Some(item) => {
                let path = format!("{path}.values");
                let accepted = "a table: text of the CSV = value of the column";
                let table =
                    item.as_table_like().ok_or_else(|| self.wrong(item, &path, accepted))?;
                let mut values = BTreeMap::new();
                for (theirs, item) in table.iter() {
                    let ours = plain(item).ok_or_else(|| self.wrong(item, &path, accepted))?;
                    values.insert(theirs.to_string(), ours);
                }
                Some(values)
            }
        };
        Ok(Column { column, scale, values })
    }
}

/// The key and the value of a line whose value is a word without quotes.
fn bare_word(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once('=')?;
    let word = value.split('#').next()?.trim();
    let is_word =
        word.starts_with(|c: char| c.is_alphabetic()) && !["true", "false"].contains(&word);
    (is_word && !word.contains('"')).then_some((key.trim(), word))
}

fn at_text(item: &Item) -> Option<String> {
    item.as_str().map(str::to_string)
}

fn start(item: &Item) -> Option<usize> {
    item.span().map(|span| span.start)
}

/// A value as the text of a cell.
fn plain(item: &Item) -> Option<String> {
    if let Some(text) = item.as_str() {
        return Some(text.to_string());
    }
    if let Some(n) = item.as_integer() {
        return Some(n.to_string());
    }
    if let Some(x) = item.as_float() {
        return Some(x.to_string());
    }
    item.as_bool().map(|b| b.to_string())
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
        assert_eq!(mapping.columns["hash"].values.as_ref().unwrap()["presized"], "slots:512");
        assert_eq!(mapping.labels["patch"], Text::Constant("v2".into()));
        assert_eq!(mapping.metrics["wakeup_latency_p99"].1, "us");
        assert_eq!(mapping.stall.as_deref(), Some("absolute:100"));
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
            ("[columns]\nthreads = { scale = 2 }\n", &["columns.threads: found"]),
            ("[columns]\nthreads = { column = \"T\", unit = \"s\" }\n", &["unknown key \"unit\""]),
            ("[constants]\nhash = \"slots:500\"\n", &["line 2", "power of two"]),
            ("[columns]\nhash = \"h\"\n[constants]\nhash = \"auto\"\n", &["line 4", "columns too"]),
            ("[metrics]\nx = \"x\"\n", &["metrics.x", "unit"]),
            ("[outcome]\nstal = \"x\"\n", &["unknown key \"stal\""]),
            ("[control]\nhash = \"none\"\n", &["control: hash \"none\""]),
            ("[recovery]\nshare = 2\n", &["line 2", "recovery.share: found 2", "up to 1"]),
            ("[recovery]\nhold = 3\n", &["recovery.hold: found 3", "unit"]),
            ("[recovery]\ncontrol = 3\n", &["unknown key \"control\" in recovery"]),
            ("rows = \"lines\"\n", &["rows: found \"lines\""]),
            ("delimiter = \"ab\"\n", &["delimiter"]),
            ("rows = \"samples\"\n", &["columns.t_s is missing"]),
            ("rows = \"checks\"\n[columns]\nthreads = \"x\"\n", &["a check has check"]),
            ("rows = \"samples\"\nrepeat = \"n\"\n[columns]\nt_s = \"t\"\n", &["repeat"]),
            ("columns = 1\n", &["columns: found 1"]),
        ] {
            let error = error(text);
            for part in parts {
                assert!(error.contains(part), "{text:?}: {error}");
            }
        }
    }
}
