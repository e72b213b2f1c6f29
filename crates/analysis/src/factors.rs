//! What was varied: the eleven factors of a cell, as text.

use std::cmp::Ordering;
use std::fmt;

use model::columns::FACTORS;
use model::definition::Control;
use model::factor::{POLICY, USUAL_POLICY};
use serde::Serialize;

/// The factors of one cell, by the columns [`FACTORS`]; an empty text is a factor that the cell
/// does not have.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Factors {
    texts: [String; FACTORS.len()],
    threads: u64,
}

impl Factors {
    /// From the cells of [`FACTORS`], in that order. `threads` is one of them as a number, 0 if it
    /// is none.
    pub fn new(texts: [String; FACTORS.len()]) -> Self {
        let threads = position("threads").and_then(|at| texts[at].parse().ok()).unwrap_or(0);
        Factors { texts, threads }
    }

    /// The text of a factor; empty for one that does not exist.
    pub fn get(&self, factor: &str) -> &str {
        position(factor).map_or("", |at| &self.texts[at])
    }

    /// Worker threads.
    pub fn threads(&self) -> u64 {
        self.threads
    }

    /// The text of `kernel`.
    pub fn kernel(&self) -> &str {
        self.get("kernel")
    }

    /// Column and text of each, in the order of the columns.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        FACTORS.into_iter().zip(self.texts.iter().map(String::as_str))
    }

    /// Whether it has the control's value; without a control nothing has.
    pub fn has(&self, control: Option<&Control>) -> bool {
        control.is_some_and(|control| self.get(control.factor) == control.value)
    }

    /// The same cell with another text for one factor.
    pub fn with(&self, factor: &str, text: &str) -> Factors {
        let mut texts = self.texts.clone();
        if let Some(at) = position(factor) {
            texts[at] = text.to_string();
        }
        Factors::new(texts)
    }

    /// All texts as one, the same for the same factors only.
    pub fn key(&self) -> String {
        self.texts.join("\u{1f}")
    }

    /// Whether all factors but `except` are the same.
    pub fn same_but(&self, other: &Factors, except: &[&str]) -> bool {
        self.iter()
            .zip(other.iter())
            .all(|((factor, a), (_, b))| a == b || except.contains(&factor))
    }

    /// The order of rows in tables: like with like, rising threads, and the policies of one
    /// thread count side by side, the usual one first.
    pub fn in_table_order(&self, other: &Factors) -> Ordering {
        const LAST: [&str; 2] = ["threads", POLICY];
        let key = |factors: &Factors| {
            (factors.get(POLICY) != USUAL_POLICY, factors.get(POLICY).to_string())
        };
        self.iter()
            .zip(other.iter())
            .filter(|((factor, _), _)| !LAST.contains(factor))
            .map(|((_, a), (_, b))| natural(a, b))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
            .then(self.threads.cmp(&other.threads))
            .then_with(|| {
                let (a, b) = (key(self), key(other));
                a.0.cmp(&b.0).then_with(|| natural(&a.1, &b.1))
            })
    }

    /// A name from the factors that tell cells apart: `debian:7.3 · auto`. Factors that are the
    /// same everywhere are left out.
    pub fn named_by(&self, telling: &[&'static str]) -> String {
        let parts: Vec<&str> =
            telling.iter().map(|factor| self.get(factor)).filter(|text| !text.is_empty()).collect();
        parts.join(" · ")
    }
}

/// As a definition would have it: `wake-storm, 96 threads, burst, auto, …`, without what is empty.
impl fmt::Display for Factors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self
            .iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(factor, text)| match factor {
                "threads" if text == "1" => "1 thread".to_string(),
                "threads" => format!("{text} threads"),
                "workload" | POLICY => text.to_string(),
                _ => format!("{factor} {text}"),
            })
            .collect();
        f.write_str(&parts.join(", "))
    }
}

impl Serialize for Factors {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(factor, text)| match factor {
            "threads" => (factor, serde_json::Value::from(self.threads)),
            _ if text.is_empty() => (factor, serde_json::Value::Null),
            _ => (factor, serde_json::Value::from(text)),
        }))
    }
}

/// The factors whose texts differ among these cells, in the order of the columns.
pub fn telling<'a>(cells: impl IntoIterator<Item = &'a Factors>) -> Vec<&'static str> {
    let mut cells = cells.into_iter();
    let Some(first) = cells.next() else { return Vec::new() };
    let mut differs = [false; FACTORS.len()];
    for cell in cells {
        for ((differs, (_, a)), (_, b)) in differs.iter_mut().zip(first.iter()).zip(cell.iter()) {
            *differs |= a != b;
        }
    }
    FACTORS
        .into_iter()
        .zip(differs)
        .filter_map(|(factor, differs)| differs.then_some(factor))
        .collect()
}

/// Compares texts with the numbers in them as numbers: `6.9` before `6.17`, `slots:64` before
/// `slots:512`.
pub fn natural(a: &str, b: &str) -> Ordering {
    let (mut a_left, mut b_left) = (a, b);
    while let (Some(x), Some(y)) = (a_left.chars().next(), b_left.chars().next()) {
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let (a_number, a_rest) = leading_digits(a_left);
            let (b_number, b_rest) = leading_digits(b_left);
            // Without leading zeros the longer number is the larger one, however long.
            let order = a_number.len().cmp(&b_number.len()).then_with(|| a_number.cmp(b_number));
            if order.is_ne() {
                return order;
            }
            (a_left, b_left) = (a_rest, b_rest);
        } else {
            if x != y {
                return x.cmp(&y);
            }
            (a_left, b_left) = (&a_left[x.len_utf8()..], &b_left[y.len_utf8()..]);
        }
    }
    a_left.len().cmp(&b_left.len()).then_with(|| a.cmp(b))
}

fn leading_digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    (digits.trim_start_matches('0'), rest)
}

fn position(factor: &str) -> Option<usize> {
    FACTORS.iter().position(|column| *column == factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(threads: &str, hash: &str, kernel: &str) -> Factors {
        let mut texts: [String; FACTORS.len()] = Default::default();
        texts[0] = "wake-storm".into();
        texts[1] = threads.into();
        texts[3] = hash.into();
        texts[9] = kernel.into();
        Factors::new(texts)
    }

    #[test]
    fn numbers_in_texts_compare_as_numbers() {
        let mut kernels = ["debian:7.0", "debian:6.17", "debian:6.9", "debian:6.017a", ""];
        kernels.sort_by(|a, b| natural(a, b));
        assert_eq!(kernels, ["", "debian:6.9", "debian:6.17", "debian:6.017a", "debian:7.0"]);
        assert_eq!(natural("99999999999999999999999", "100000000000000000000000"), Ordering::Less);
        assert_eq!(natural("a", "a"), Ordering::Equal);
        assert_eq!(natural("ä1", "ä2"), Ordering::Less);
    }

    #[test]
    fn a_thread_count_has_its_policies_side_by_side() {
        let mut cells = [
            cell("96", "auto", "k"),
            cell("8", "slots:512", "k"),
            cell("8", "auto", "k"),
            cell("8", "slots:64", "k"),
        ];
        cells.sort_by(Factors::in_table_order);
        let order: Vec<String> =
            cells.iter().map(|c| format!("{} {}", c.threads(), c.get("hash"))).collect();
        assert_eq!(order, ["8 auto", "8 slots:64", "8 slots:512", "96 auto"]);
    }

    #[test]
    fn only_what_differs_names_a_cell() {
        let cells = [cell("8", "auto", "6.17"), cell("8", "auto", "7.3")];
        let telling = telling(&cells);
        assert_eq!(telling, ["kernel"]);
        assert_eq!(cells[1].named_by(&telling), "7.3");
        assert!(cells[0].same_but(&cells[1], &["kernel"]));
        assert!(!cells[0].same_but(&cells[1], &["hash"]));
    }
}
