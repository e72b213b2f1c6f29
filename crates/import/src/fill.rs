//! What the one who imports says where the source doesn't.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::cells::Cells;
use crate::imported::Imported;

/// Cells and labels for every trial.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fill {
    /// Cells of `trials.csv`.
    pub cells: Cells,
    /// Labels.
    pub labels: BTreeMap<String, String>,
}

/// What can't be filled, or is still missing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FillError {
    /// The source says something else.
    #[error("line {line}: the source says {what} is {found}, so it can't be set to {asked}")]
    Contradiction {
        /// The trial's line.
        line: usize,
        /// The column, or the label.
        what: String,
        /// The source's.
        found: String,
        /// What was asked for.
        asked: String,
    },
    /// A label of the source that can't stand in a row.
    #[error("line {line}: {problem}")]
    Label {
        /// The trial's line.
        line: usize,
        /// The label's fault.
        problem: BadLabel,
    },
    /// A column that no row can do without.
    #[error("line {line}: the source does not say {column}{why}")]
    Missing {
        /// The trial's line.
        line: usize,
        /// The column.
        column: &'static str,
        /// Why it is open, if that is known; begins with a space.
        why: String,
    },
}

/// A label that can't stand in a row.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadLabel {
    /// The key is none.
    #[error("{0:?} is no label: a key is letters, digits, -, _ and .")]
    Key(String),
    /// The value is none.
    #[error("{value:?} is no value for the label {key}: accepted is a text without ; and =")]
    Value {
        /// The label's key.
        key: String,
        /// The value.
        value: String,
    },
}

/// What every row has, besides its status: a result is one unless the source says otherwise.
const NEEDED: [&str; 3] = ["workload", "threads", "hash"];

/// Fills what the trials leave open, and checks that nothing is missing that every row has.
pub fn fill(imported: &mut Imported, fill: &Fill) -> Result<(), FillError> {
    for trial in &mut imported.trials {
        let line = trial.line;
        for (column, asked) in fill.cells.iter() {
            match trial.cells.get(column) {
                Some(found) if found != asked => {
                    return Err(FillError::Contradiction {
                        line,
                        what: column.to_string(),
                        found: found.to_string(),
                        asked: asked.to_string(),
                    });
                }
                // A value of a column, already checked.
                _ => drop(trial.cells.set(column, asked)),
            }
        }
        for (key, asked) in &fill.labels {
            match trial.labels.insert(key.clone(), asked.clone()) {
                Some(found) if found != *asked => {
                    return Err(FillError::Contradiction {
                        line,
                        what: format!("label {key}"),
                        found,
                        asked: asked.clone(),
                    });
                }
                _ => {}
            }
        }
        for (key, value) in &trial.labels {
            check_label(key, value).map_err(|problem| FillError::Label { line, problem })?;
        }
        for column in NEEDED {
            if trial.cells.get(column).is_none() {
                let why = trial.open.get(column).map_or(String::new(), |why| format!(" ({why})"));
                return Err(FillError::Missing { line, column, why });
            }
        }
    }
    Ok(())
}

/// Whether a label can stand in a cell as `key=value;key=value`.
pub fn check_label(key: &str, value: &str) -> Result<(), BadLabel> {
    let key_is_good =
        !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if !key_is_good {
        return Err(BadLabel::Key(key.to_string()));
    }
    if value.is_empty() || value.chars().any(|c| c == ';' || c == '=' || c.is_control()) {
        return Err(BadLabel::Value { key: key.to_string(), value: value.to_string() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imported::ImportedTrial;

    fn imported() -> Imported {
        let mut trial = ImportedTrial::at(7);
        trial.cells.set("workload", "command").unwrap();
        trial.cells.set("threads", "8").unwrap();
        trial.open.insert("hash", "it may be either".into());
        trial.labels.insert("bench".into(), "x".into());
        Imported { trials: vec![trial], ..Imported::default() }
    }

    fn asked(cells: &[(&str, &str)], labels: &[(&str, &str)]) -> Fill {
        let mut fill = Fill::default();
        for (column, text) in cells {
            fill.cells.set(column, text).unwrap();
        }
        fill.labels = labels.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        fill
    }

    #[test]
    fn what_is_open_is_filled_and_what_is_missing_is_named() {
        let mut open = imported();
        let error = fill(&mut open, &Fill::default()).unwrap_err().to_string();
        assert!(error.contains("line 7") && error.contains("hash (it may be either)"), "{error}");
        let with = asked(&[("hash", "slots:64"), ("threads", "8")], &[("machine", "m")]);
        fill(&mut open, &with).unwrap();
        assert_eq!(open.trials[0].cells.get("hash"), Some("slots:64"));
        assert_eq!(open.trials[0].labels.len(), 2);
    }

    #[test]
    fn the_source_is_not_overruled() {
        let error = |with: Fill| fill(&mut imported(), &with).unwrap_err().to_string();
        let said = error(asked(&[("threads", "9")], &[]));
        assert_eq!(said, "line 7: the source says threads is 8, so it can't be set to 9");
        assert!(error(asked(&[], &[("bench", "y")])).contains("label bench is x"));
        let mut bad = imported();
        bad.trials[0].labels.insert("host".into(), "a;b".into());
        let with = asked(&[("hash", "auto")], &[]);
        assert!(fill(&mut bad, &with).unwrap_err().to_string().contains("label host"));
    }

    #[test]
    fn labels_fit_into_a_cell() {
        assert!(check_label("machine", "Xeon 6975P-C, SNC=3").is_err());
        assert!(check_label("machine", "Xeon 6975P-C").is_ok());
        assert!(check_label("a b", "x").is_err() && check_label("a", "").is_err());
    }
}
