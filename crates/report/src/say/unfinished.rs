use analysis::finding::unfinished::{Interrupted, NothingFinished};

pub(super) fn nothing(it: &NothingFinished) -> String {
    let go_on = match it.runs.as_slice() {
        [run] => format!("`experiments resume {run}` continues it."),
        _ => "`experiments resume RUN` continues each run.".to_string(),
    };
    format!("No trial has ended yet, of {} planned: nothing can be said. {go_on}", it.planned)
}

pub(super) fn interrupted(it: &Interrupted) -> String {
    let Interrupted { run, finished, planned, missing } = it;
    let are = if *missing == 1 { "is" } else { "are" };
    format!(
        "{finished} of {planned} planned trials are done in {run}, {missing} {are} missing: \
         `experiments resume {run}` does the others."
    )
}
