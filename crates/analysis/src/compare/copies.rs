//! Two folders with one measurement. Its trials would count twice: across the sides they compare a run
//! with itself, on one side they make p-values smaller than the data do.
//!
//! A runner's trials know when they started and how long they took to a nanosecond: runs that began at
//! the same moment, with the same seed on a like machine, are copies if they share a trial, also where
//! one was gone on with. An import knows no time. Two are copies if all that was measured is the same,
//! whatever labels they were given, and it is more than can be the same by chance: several different
//! numbers, or the same source text. Two sources of counts alone, such as 0 of 20, may well be equal.

use std::collections::{BTreeSet, HashSet};

use csv::StringRecord;

use super::error::CompareError;
use crate::run::Run;

/// What a trial measures, of the columns of `trials.csv`, beside the cell that it is of.
const MEASURED: [&str; 22] = [
    "threads",
    "hash",
    "started_at",
    "elapsed_s",
    "ops",
    "mops_per_s",
    "thread_ops_min",
    "thread_ops_median",
    "thread_ops_max",
    "slots_start",
    "slots_set",
    "slots_loaded",
    "slots_end",
    "pivot",
    "pivot_s",
    "user_s",
    "system_s",
    "voluntary_switches",
    "involuntary_switches",
    "splats",
    "status",
    "error",
];

/// Those that are continuous: equal ones are the same measurement, if there are some.
const CONTINUOUS: [&str; 6] = ["elapsed_s", "ops", "mops_per_s", "pivot_s", "user_s", "system_s"];

/// So many different numbers that are all the same in two runs are no chance.
const NO_CHANCE: usize = 4;

/// What was measured in a run.
struct Measured {
    rows: Vec<Vec<String>>,
    numbers: usize,
    metrics: Option<String>,
}

/// # Errors
/// [`CompareError::CopiedRun`], with both names.
pub fn check(runs: &[Run]) -> Result<(), CompareError> {
    for (at, a) in runs.iter().enumerate() {
        for b in runs.iter().skip(at + 1).filter(|b| may_be(a, b)) {
            // Only of such is it worth to read the rows once more.
            let (Some(of_a), Some(of_b)) = (measured(a), measured(b)) else { continue };
            if are_copies(a, b, &of_a, &of_b) {
                return Err(CompareError::CopiedRun { first: a.name(), second: b.name() });
            }
        }
    }
    Ok(())
}

fn may_be(a: &Run, b: &Run) -> bool {
    if a.finished == 0 || b.finished == 0 || a.is_imported() != b.is_imported() {
        return false;
    }
    if a.is_imported() {
        return a.finished == b.finished;
    }
    a.manifest.started_at == b.manifest.started_at
        && a.manifest.seed == b.manifest.seed
        && a.manifest.machine == b.manifest.machine
}

fn are_copies(a: &Run, b: &Run, of_a: &Measured, of_b: &Measured) -> bool {
    if a.is_imported() {
        let text = |run: &Run| run.manifest.source.sha256.clone();
        let same = of_a.rows == of_b.rows && of_a.metrics == of_b.metrics;
        return same && (of_a.numbers >= NO_CHANCE || text(a) == text(b));
    }
    // Trials that failed at once measured nothing that could be the same.
    let worked = |row: &&Vec<String>| {
        let places = MEASURED.iter().zip(*row);
        places
            .filter(|(column, _)| ["elapsed_s", "ops"].contains(column))
            .any(|(_, text)| !text.is_empty())
    };
    let rows: HashSet<&Vec<String>> = of_a.rows.iter().filter(worked).collect();
    of_b.rows.iter().any(|row| rows.contains(row))
}

/// Of a run; `None` where it can't be read, which who reads it for its numbers has said.
fn measured(run: &Run) -> Option<Measured> {
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).from_path(run.folder.join("trials.csv")).ok()?;
    let header = reader.headers().ok()?.clone();
    let at = |name: &str| header.iter().position(|column| column == name);
    let places = MEASURED.map(at);
    let continuous = CONTINUOUS.map(at);
    let (mut rows, mut numbers) = (Vec::new(), BTreeSet::new());
    let cell = |record: &StringRecord, place: &Option<usize>| {
        place.and_then(|place| record.get(place)).unwrap_or("").to_string()
    };
    for record in reader.records() {
        // A torn last line is no row.
        let Ok(record) = record else { break };
        rows.push(places.iter().map(|place| cell(&record, place)).collect());
        if numbers.len() < NO_CHANCE {
            let of_row = continuous.iter().map(|place| cell(&record, place));
            numbers.extend(of_row.filter(|text| !text.is_empty()));
        }
    }
    let metrics = std::fs::read_to_string(run.folder.join("metrics.csv")).ok();
    Some(Measured { rows, numbers: numbers.len(), metrics })
}
