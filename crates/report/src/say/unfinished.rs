//! Runs whose plan is not done, and cells that were not gone on with.

use analysis::finding::unfinished::{Interrupted, NothingFinished};
use model::manifest::Skipped;

use super::trials;

pub(super) fn nothing(it: &NothingFinished) -> String {
    let go_on = match it.runs.as_slice() {
        [run] => format!("`experiments resume {run}` continues it."),
        _ => "`experiments resume RUN` continues each run.".to_string(),
    };
    format!("No trial has ended yet, of {} planned: nothing can be said. {go_on}", it.planned)
}

pub(super) fn interrupted(it: &Interrupted) -> String {
    let Interrupted { run, finished, planned, missing, skipped } = it;
    let are = if *missing == 1 { "is" } else { "are" };
    let skipped: String = skipped.iter().map(|one| format!(" {}", self::skipped(one))).collect();
    format!(
        "{finished} of {planned} planned trials are done in {run}, {missing} {are} missing: \
         `experiments resume {run}` does the others.{skipped}"
    )
}

/// That a cell was not gone on with.
pub fn skipped(it: &Skipped) -> String {
    let why = it.error.as_ref().map_or_else(String::new, |error| format!(" (the last: {error})"));
    format!(
        "Cell {} of the plan failed {} times in a row{why}: its other {} skipped.",
        it.cell,
        it.failures,
        match it.trials {
            1 => "trial was".to_string(),
            n => format!("{} were", trials(n)),
        }
    )
}
