//! The rows of `trials.csv` held against `plan.csv`: a row must be of a planned trial and have its
//! place and factors, or it would be counted in a cell that it does not belong to. What was planned
//! and has no row is counted as missing.

use std::collections::HashMap;

use model::columns::{PLACE, PLAN, TRIALS};
use records::RecordError;
use records::stream::Rows;

use crate::damage::TornLine;
use crate::run::Run;

const PLAN_FILE: &str = "plan.csv";
const TRIALS_FILE: &str = "trials.csv";

/// What stands between two factors of a key; no cell has it.
const BETWEEN: u8 = 0x1f;

/// What was planned and has no row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Missing {
    /// Trials that were planned; `None` without a plan.
    pub planned: Option<u64>,
    /// Those without a row.
    pub trials: u64,
    /// Those of a cell that has a row, by the cell's place in the data set.
    pub by_cell: HashMap<usize, u64>,
    /// Cells of the plan that have no row at all.
    pub empty_cells: u64,
    /// The torn last line of the plan.
    pub torn: Option<TornLine>,
}

/// A planned trial.
struct Planned {
    place: [u64; PLACE],
    /// Its factors, by their place among those that were met.
    factors: usize,
    line: u64,
    done: bool,
}

/// Texts that many rows share, kept once.
#[derive(Default)]
struct Shared {
    at: HashMap<Box<[u8]>, usize>,
    texts: Vec<Box<[u8]>>,
}

impl Shared {
    fn of(&mut self, text: &[u8]) -> usize {
        if let Some(at) = self.at.get(text) {
            return *at;
        }
        self.texts.push(text.into());
        self.at.insert(text.into(), self.texts.len() - 1);
        self.texts.len() - 1
    }
}

/// Holds a run's rows against its plan. `cells` are the cells of its rows, in their order.
///
/// # Errors
///
/// A row that contradicts the plan, by file and line; a plan that plans a trial twice.
pub fn hold(run: &Run, cells: impl Iterator<Item = usize>) -> Result<Missing, RecordError> {
    let Some(mut plan) = Rows::open(&run.folder.join(PLAN_FILE), &PLAN)? else {
        return Ok(Missing::default());
    };
    let mut shared = Shared::default();
    let mut key = Vec::new();
    let mut planned: HashMap<u64, Planned> = HashMap::new();
    while plan.read()? {
        let place = place(&plan, |at| at)?;
        join(&plan, |at| at, &mut key);
        let factors = shared.of(&key);
        let one = Planned { place, factors, line: plan.line(), done: false };
        if let Some(before) = planned.insert(place[1], one) {
            return Err(plan.bad(format!(
                "trial {} is planned in line {} already: a trial is planned once",
                place[1], before.line
            )));
        }
    }
    let mut missing = Missing {
        planned: Some(planned.len() as u64),
        torn: plan.torn().map(|torn| TornLine::of(run, torn, plan.file(), |_| false)),
        ..Missing::default()
    };
    let mut cell_of: HashMap<u64, usize> = HashMap::new();
    if let Some(mut rows) = Rows::open(&run.folder.join(TRIALS_FILE), &TRIALS)? {
        let columns = columns();
        let mut cells = cells;
        while rows.read()? {
            let found = place(&rows, |at| columns[at])?;
            join(&rows, |at| columns[at], &mut key);
            let Some(expected) = planned.get_mut(&found[1]) else {
                return Err(rows.bad(format!(
                    "trial {} is not in {PLAN_FILE}: every row is of a planned trial",
                    found[1]
                )));
            };
            if let Some(problem) = contradiction(&found, &key, expected, &shared) {
                return Err(rows.bad(problem));
            }
            expected.done = true;
            if let Some(cell) = cells.next() {
                cell_of.entry(found[3]).or_insert(cell);
            }
        }
    }
    let mut empty_cells: Vec<u64> = Vec::new();
    for trial in planned.values().filter(|trial| !trial.done) {
        missing.trials += 1;
        match cell_of.get(&trial.place[3]) {
            Some(cell) => *missing.by_cell.entry(*cell).or_default() += 1,
            None => empty_cells.push(trial.place[3]),
        }
    }
    empty_cells.sort_unstable();
    empty_cells.dedup();
    missing.empty_cells = empty_cells.len() as u64;
    Ok(missing)
}

/// Where the plan's columns stand in `trials.csv`.
fn columns() -> [usize; PLAN.len()] {
    // Each is there; were it not, every row would contradict its plan, which a test would see.
    PLAN.map(|column| TRIALS.iter().position(|repeated| *repeated == column).unwrap_or(usize::MAX))
}

fn place(rows: &Rows, at: impl Fn(usize) -> usize) -> Result<[u64; PLACE], RecordError> {
    let mut place = [0; PLACE];
    for (i, number) in place.iter_mut().enumerate() {
        *number = rows.needed(at(i), rows.integer(at(i))?)?;
    }
    Ok(place)
}

fn join(rows: &Rows, at: impl Fn(usize) -> usize, key: &mut Vec<u8>) {
    key.clear();
    for i in PLACE..PLAN.len() {
        key.extend_from_slice(rows.cell(at(i)));
        key.push(BETWEEN);
    }
}

fn contradiction(
    found: &[u64; PLACE],
    key: &[u8],
    expected: &Planned,
    shared: &Shared,
) -> Option<String> {
    let planned = shared.texts.get(expected.factors)?;
    let (column, found_text, planned_text) =
        if let Some(at) = (0..PLACE).find(|at| found[*at] != expected.place[*at]) {
            (PLAN[at].name, found[at].to_string(), expected.place[at].to_string())
        } else if key != &**planned {
            let factors = key.split(|byte| *byte == BETWEEN);
            let pairs = factors.zip(planned.split(|byte| *byte == BETWEEN));
            let (at, (a, b)) = pairs.enumerate().find(|(_, (a, b))| a != b)?;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            (PLAN.get(PLACE + at)?.name, text(a), text(b))
        } else {
            return None;
        };
    Some(format!(
        "trial {}: {column} is {found_text:?} and was planned as {planned_text:?} in line {} of \
         {PLAN_FILE}: a row has the place and the factors of its plan",
        found[1], expected.line
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use crate::synthetic::Synthetic;
    use std::path::Path;

    fn four() -> Synthetic {
        let mut made = Synthetic::new(96);
        for (number, hash) in (1u64..).zip(["auto", "slots:512", "auto", "slots:512"]) {
            let row = made.trial(96, hash);
            (row.block, row.cell) = (number.div_ceil(2), 1 + (number + 1) % 2);
        }
        made
    }

    /// Changes the last place of a text in a file of a run.
    fn change(run: &Path, file: &str, from: &str, to: &str) {
        let file = run.join(file);
        let text = std::fs::read_to_string(&file).unwrap();
        let at = text.rfind(from).unwrap_or_else(|| panic!("{from} in {text}"));
        std::fs::write(&file, [&text[..at], to, &text[at + from.len()..]].concat()).unwrap();
    }

    #[test]
    fn a_row_that_contradicts_its_plan_is_named_with_both_lines() {
        for (file, from, to, problem) in [
            (
                "trials.csv",
                "slots:512",
                "slots:1024",
                "trials.csv line 5: trial 4: hash is \"slots:1024\" and was planned as \
                 \"slots:512\" in line 5 of plan.csv",
            ),
            ("trials.csv", "4,4,2,2,", "4,4,2,1,", "cell is \"1\" and was planned as \"2\""),
            ("trials.csv", "4,4,2,2,", "3,4,2,2,", "sequence is \"3\" and was planned as \"4\""),
            ("trials.csv", "4,4,2,2,", "4,9,2,2,", "line 5: trial 9 is not in plan.csv"),
            ("plan.csv", "96,burst", "48,burst", "threads is \"96\" and was planned as \"48\""),
            ("plan.csv", "4,4,2,2,", "4,3,2,2,", "plan.csv line 5: trial 3 is planned in line 4"),
            ("plan.csv", "4,4,2,2,", "x,4,2,2,", "plan.csv line 5: sequence is \"x\""),
        ] {
            let (_folder, run) = four().written();
            change(&run, file, from, to);
            let error = Data::read(&[run]).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn what_was_planned_and_has_no_row_is_missing() {
        let mut made = four();
        made.manifest.planned = 7;
        let (_folder, run) = made.written();
        let data = Data::read(std::slice::from_ref(&run)).unwrap();
        let found = &data.missing[0];
        assert_eq!((found.planned, found.trials, found.empty_cells), (Some(7), 3, 0));
        let control = data.cells.iter().position(|cell| cell.get("hash") == "slots:512").unwrap();
        assert_eq!(found.by_cell, HashMap::from([(control, 3)]));
        // A cell that was planned and has no row.
        change(&run, "plan.csv", "7,7,2,2,", "7,7,2,3,");
        let found = Data::read(std::slice::from_ref(&run)).unwrap().missing.remove(0);
        assert_eq!((found.trials, found.empty_cells), (3, 1));
        std::fs::remove_file(run.join("plan.csv")).unwrap();
        let data = Data::read(&[run]).unwrap();
        assert_eq!(data.missing, [Missing::default()]);
    }
}
