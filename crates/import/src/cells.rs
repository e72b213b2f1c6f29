//! The cells of one row of `trials.csv`, each checked as it is put in.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use model::column::{Kind, names};
use model::columns::TRIALS;
use model::factor::{BadValue, Count, Hash, Memory, Placement, Ramp};
use model::record::{Pivot, Status};
use model::rows::{decimal_text, one_line};
use model::workload::Workload;
use model::workload::mutex::Unlock;
use thiserror::Error;

/// A text that can't stand in a column.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadCell {
    /// No column of that name can be filled.
    #[error("there is no column {name:?} to fill; there are {}", Cells::columns().join(", "))]
    NoColumn {
        /// The name that was given.
        name: String,
    },
    /// The text is no value of the column.
    #[error("{column} is {found:?}: accepted is {accepted}")]
    Value {
        /// The column's name.
        column: &'static str,
        /// The text.
        found: String,
        /// The values that the column takes.
        accepted: String,
    },
    /// The text is no value of the column's own type.
    #[error("{0}")]
    Factor(BadValue),
}

/// What an import numbers itself; a source can't say them.
const NUMBERED: [&str; 5] = ["sequence", "trial", "cell", "experiment", "labels"];

/// The largest time in seconds and throughput in Mops/s that is taken for one: 30,000 years, and a
/// thousand operations a picosecond.
const LARGEST: f64 = 1e12;

/// The cells that a source fills, by column. A column that is not there is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cells {
    cells: BTreeMap<&'static str, String>,
}

impl Cells {
    /// The columns that can be filled, for messages.
    pub fn columns() -> Vec<&'static str> {
        names(&TRIALS).into_iter().filter(|column| !NUMBERED.contains(column)).collect()
    }

    /// The contract's column of that name.
    pub fn column(name: &str) -> Result<&'static str, BadCell> {
        Cells::columns()
            .into_iter()
            .find(|column| *column == name)
            .ok_or_else(|| BadCell::NoColumn { name: name.to_string() })
    }

    /// Puts a text into a column, in the column's own spelling. An empty text leaves it empty.
    pub fn set(&mut self, column: &str, text: &str) -> Result<(), BadCell> {
        let column = Cells::column(column)?;
        let text = one_line(text.trim());
        if text.is_empty() {
            return Ok(());
        }
        let spelled = spelled(column, &text)?;
        self.cells.insert(column, spelled);
        Ok(())
    }

    /// Puts a number into a column.
    pub fn set_number(&mut self, column: &str, value: f64) -> Result<(), BadCell> {
        match value.is_finite() {
            true => self.set(column, &decimal_text(value)),
            false => self.set(column, &value.to_string()),
        }
    }

    /// What stands in a column.
    pub fn get(&self, column: &str) -> Option<&str> {
        self.cells.get(column).map(String::as_str)
    }

    /// Column and text of each, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.cells.iter().map(|(column, text)| (*column, text.as_str()))
    }
}

/// What the cells of a column of `trials.csv` hold.
fn kind(name: &str) -> Kind {
    TRIALS.iter().find(|column| column.name == name).map_or(Kind::Text, |column| column.kind)
}

/// The text as the contract spells it, if it is a value of the column at all.
fn spelled(column: &'static str, text: &str) -> Result<String, BadCell> {
    fn value<T>(text: &str) -> Result<String, BadCell>
    where
        T: FromStr<Err = BadValue> + Display,
    {
        text.parse::<T>().map(|value| value.to_string()).map_err(BadCell::Factor)
    }
    let bad = |accepted: String| BadCell::Value { column, found: text.to_string(), accepted };
    let whole = |least: u64, most: u64| match text.parse::<u64>() {
        Ok(n) if (least..=most).contains(&n) => Ok(n.to_string()),
        _ => Err(bad(format!("a whole number from {least} to {most}"))),
    };
    match column {
        "workload" => value::<Workload>(text),
        "ramp" => value::<Ramp>(text),
        "hash" => value::<Hash>(text),
        "placement" => value::<Placement>(text),
        "memory" => value::<Memory>(text),
        "locks" | "messengers" => match text.parse::<Count>() {
            Ok(count) => Ok(count.to_string()),
            Err(error) => Err(bad(error.accepted.into_owned())),
        },
        "unlock" => value::<Unlock>(text),
        "pivot" => value::<Pivot>(text),
        "status" => value::<Status>(text),
        "threads" => whole(1, u32::MAX.into()),
        "cpus" | "nodes" | "boot" => whole(0, u32::MAX.into()),
        _ if column.starts_with("slots_") => whole(0, u32::MAX.into()),
        _ => match kind(column) {
            Kind::Integer => whole(0, u64::MAX),
            Kind::Number | Kind::Signed => match text.parse::<f64>() {
                Ok(x) if (0.0..=LARGEST).contains(&x) => Ok(decimal_text(x)),
                _ => Err(bad(format!("a number from 0 to {LARGEST:e}"))),
            },
            Kind::Text => Ok(text.to_string()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_spelled_as_the_contract_does() {
        let mut cells = Cells::default();
        for (column, text, spelled) in [
            ("threads", "096", "96"),
            ("hash", "slots:512", "slots:512"),
            ("ramp", "linear:3000ms", "linear:3s"),
            ("mops_per_s", "1.50e1", "15"),
            ("kernel", " 7.3-rc1\n", "7.3-rc1"),
            ("ops", "18446744073709551615", "18446744073709551615"),
        ] {
            cells.set(column, text).unwrap();
            assert_eq!(cells.get(column), Some(spelled));
        }
        cells.set("pivot", "").unwrap();
        assert_eq!(cells.get("pivot"), None);
    }

    #[test]
    fn what_is_no_value_is_refused_by_column() {
        let mut cells = Cells::default();
        for (column, text) in [
            ("threads", "0"),
            ("threads", "99999999999"),
            ("hash", "slots:500"),
            ("mops_per_s", "inf"),
            ("mops_per_s", "-1"),
            ("mops_per_s", "1e308"),
            ("duration_s", "-1"),
            ("slots_end", "4294967296"),
            ("status", "fine"),
            ("trial", "1"),
            ("rate", "1"),
        ] {
            let error = cells.set(column, text).unwrap_err().to_string();
            assert!(error.contains(column), "{error}");
        }
        assert!(cells.set_number("mops_per_s", f64::NAN).is_err());
        assert_eq!(cells, Cells::default());
    }
}
