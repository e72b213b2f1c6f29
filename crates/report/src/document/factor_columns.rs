//! The columns that tell the rows of a table apart: the factors and the labels that differ.
//!
//! A label is a column of its own: what all rows share is said once above the table, and a row is as
//! wide as what it is told apart by.

use analysis::Analysis;
use analysis::factors::{Factors, telling};

/// The factors that always have a column: the threads, and what tells the control.
pub(super) fn always(analysis: &Analysis) -> [&'static str; 2] {
    ["threads", analysis.control_factor()]
}

/// One column.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Column {
    /// A factor of a cell.
    Factor(&'static str),
    /// A label's key.
    Label(String),
}

/// The columns for some cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactorColumns {
    columns: Vec<Column>,
}

/// Keys and values of a cell's labels.
fn labels(factors: &Factors) -> impl Iterator<Item = (&str, &str)> {
    factors
        .get("labels")
        .split(';')
        .filter(|label| !label.is_empty())
        .map(|label| label.split_once('=').unwrap_or((label, "")))
}

fn label<'a>(factors: &'a Factors, key: &str) -> &'a str {
    labels(factors).find(|(name, _)| *name == key).map_or("", |(_, value)| value)
}

impl FactorColumns {
    /// What differs among these cells, and `always`, which come last.
    pub fn of<'a>(
        cells: impl IntoIterator<Item = &'a Factors>,
        always: &[&'static str],
    ) -> FactorColumns {
        let cells: Vec<&Factors> = cells.into_iter().collect();
        let mut columns = Vec::new();
        for factor in telling(cells.iter().copied()) {
            if factor == "labels" {
                let mut keys: Vec<&str> =
                    cells.iter().flat_map(|cell| labels(cell).map(|(key, _)| key)).collect();
                keys.sort_unstable();
                keys.dedup();
                let differs = |key: &&str| {
                    let mut values = cells.iter().map(|cell| label(cell, key));
                    let first = values.next();
                    values.any(|value| Some(value) != first)
                };
                columns
                    .extend(keys.into_iter().filter(differs).map(|key| Column::Label(key.into())));
            } else if !always.contains(&factor) {
                columns.push(Column::Factor(factor));
            }
        }
        columns.extend(always.iter().map(|factor| Column::Factor(factor)));
        FactorColumns { columns }
    }

    /// The heads.
    pub fn header(&self) -> Vec<String> {
        let name = |column: &Column| match column {
            Column::Factor(factor) => factor.to_string(),
            Column::Label(key) => key.clone(),
        };
        self.columns.iter().map(name).collect()
    }

    /// A cell's texts, one a head.
    pub fn row(&self, factors: &Factors) -> Vec<String> {
        let text = |column: &Column| match column {
            Column::Factor(factor) => factors.get(factor).to_string(),
            Column::Label(key) => label(factors, key).to_string(),
        };
        self.columns.iter().map(text).collect()
    }

    /// What is the same in all cells, as a list for a sentence: of one of them, what is no column.
    pub fn same(&self, one: &Factors) -> Vec<String> {
        let mut same = Vec::new();
        for (factor, text) in one.iter().filter(|(_, text)| !text.is_empty()) {
            if factor == "labels" {
                let shared = labels(one)
                    .filter(|(key, _)| !self.columns.contains(&Column::Label((*key).into())));
                same.extend(shared.map(|(key, value)| format!("{key} `{value}`")));
            } else if !self.columns.contains(&Column::Factor(factor)) {
                same.push(format!("{factor} `{text}`"));
            }
        }
        same
    }
}

/// The labels of `other` that `one` does not have the same: `patch=stock`.
pub fn other_labels(one: &Factors, other: &Factors) -> String {
    let differing: Vec<String> = labels(other)
        .filter(|(key, value)| label(one, key) != *value)
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    match differing.is_empty() {
        true => "no label".to_string(),
        false => differing.join("; "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(kernel: &str, labels: &str) -> Factors {
        let mut texts: [String; 11] = Default::default();
        texts[0] = "wake-storm".into();
        texts[1] = "96".into();
        texts[3] = "auto".into();
        texts[9] = kernel.into();
        texts[10] = labels.into();
        Factors::new(texts)
    }

    #[test]
    fn only_labels_that_differ_are_columns() {
        let cells = [
            cell("7.3", "machine=a;patch=v1;source=x"),
            cell("7.3", "machine=a;source=x"),
            cell("7.3", "machine=b;patch=v1;source=x"),
        ];
        let columns = FactorColumns::of(&cells, &["threads", "hash"]);
        assert_eq!(columns.header(), ["machine", "patch", "threads", "hash"]);
        assert_eq!(columns.row(&cells[1]), ["a", "", "96", "auto"]);
        assert_eq!(
            columns.same(&cells[0]),
            ["workload `wake-storm`", "kernel `7.3`", "source `x`"]
        );
        assert_eq!(other_labels(&cells[1], &cells[2]), "machine=b; patch=v1");
        assert_eq!(other_labels(&cells[0], &cells[1]), "no label");
    }

    #[test]
    fn one_cell_is_told_by_what_is_always_there() {
        let columns = FactorColumns::of(&[cell("7.3", "a=1")], &["threads"]);
        assert_eq!(columns.header(), ["threads"]);
    }
}
