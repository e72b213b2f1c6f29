//! Functional checks of a run, counted.

use serde::Serialize;

use super::Tables;
use crate::run::Run;

/// Functional checks of one run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Checks {
    /// The run, where there are several.
    pub run: Option<String>,
    /// Checks that passed every time.
    pub passed: u64,
    /// The names of the checks that failed at least once.
    pub failed: Vec<String>,
    /// Checks that never ran.
    pub skipped: u64,
    /// Checks that the source planned or names, and of which no result was understood.
    pub without_result: u64,
}

pub(super) fn all<'a>(tables: &'a Tables) -> impl Iterator<Item = Checks> + 'a {
    let several = tables.data.runs.len() > 1;
    tables.checks.iter().map(move |found| {
        let [passed, _, skipped] = found.counts();
        let failed = found.checks.iter().filter(|check| check.failed > 0);
        let run = tables.data.runs.get(found.run);
        let import = run.and_then(|run| run.definition.import.as_ref());
        Checks {
            run: run.filter(|_| several).map(Run::name),
            passed,
            failed: failed.map(|check| check.name.clone()).collect(),
            skipped,
            without_result: import.map_or(0, |import| import.checks_without_result),
        }
    })
}
