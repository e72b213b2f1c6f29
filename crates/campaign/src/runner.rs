//! Does the trials of a plan that are not done yet, one after the other, and writes each before
//! the next begins.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use model::manifest::{Kernel, Skipped};
use model::record::Status;
use records::journal::{Journal, JournalError, TrialRows};

use crate::executor::{Broken, Done, Executor, Stop};
use crate::plan::{self, Plan, Planned};
use model::definition::Definition;

/// A program is ended by its trial's process, which tells how far it was. What that process has for it
/// before it is ended itself.
const TO_TELL: Duration = Duration::from_secs(30);

/// A cell that failed so often in a row fails by a cause that the next trial doesn't change.
const SKIPPED_AFTER: u32 = 3;

/// Sees a run go by. Nothing of it is called while a trial runs.
pub trait Observer {
    /// A trial is about to start.
    fn starts(&mut self, planned: &Planned);
    /// A trial has its rows.
    fn ended(&mut self, planned: &Planned, rows: &TrialRows);
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// Trials that got their row now.
    pub done: u64,
    /// Trials still without a row.
    pub left: u64,
    /// Whether it was asked to end.
    pub interrupted: bool,
    /// Cells that were not gone on with, for this time.
    pub skipped: Vec<Skipped>,
    /// What may have disturbed trials, a sentence each.
    pub disturbances: Vec<String>,
    /// The kernels that trials ran on, as they said themselves.
    pub kernels: Vec<Kernel>,
}

/// Why a run could not go on. What was measured is on the disk.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No trial is possible any more.
    #[error(transparent)]
    Broken(#[from] Broken),
    /// The files can't be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// After how long a trial of this plan is killed.
pub fn time_limit(definition: &Definition, planned: &Planned) -> Duration {
    let limit = plan::limit(definition, &planned.spec).duration();
    match planned.spec.watch.limit {
        Some(_) => limit.saturating_add(TO_TELL),
        None => limit,
    }
}

/// Does the trials of `plan` that `finished` does not hold, in their order. `at_end` is told even
/// where the run ends in an error.
pub fn run(
    definition: &Definition,
    plan: &Plan,
    finished: &BTreeSet<u64>,
    executor: &mut dyn Executor,
    journal: &mut Journal,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Ended, Result<(), RunError>) {
    let mut ended = Ended {
        done: 0,
        left: 0,
        interrupted: false,
        skipped: Vec::new(),
        disturbances: Vec::new(),
        kernels: Vec::new(),
    };
    let mut failures: BTreeMap<u64, u32> = BTreeMap::new();
    let missing: Vec<&Planned> =
        plan.trials.iter().filter(|planned| !finished.contains(&planned.spec.trial)).collect();
    ended.left = missing.len() as u64;
    let mut result = Ok(());
    for planned in missing {
        if let Some(skipped) = ended.skipped.iter_mut().find(|one| one.cell == planned.cell) {
            skipped.trials += 1;
            continue;
        }
        observer.starts(planned);
        match executor.run(planned, time_limit(definition, planned), stop) {
            Ok(Done::Interrupted) => {
                ended.interrupted = true;
                break;
            }
            Ok(Done::Trial(execution)) => {
                for disturbance in &execution.disturbances {
                    if !ended.disturbances.contains(disturbance) {
                        ended.disturbances.push(disturbance.clone());
                    }
                }
                let seen = &execution.kernel;
                match ended.kernels.iter_mut().find(|kernel| kernel.name == seen.name) {
                    Some(kernel) => *kernel = seen.clone(),
                    None => ended.kernels.push(seen.clone()),
                }
                let rule = &definition.outcome.stall;
                let rows = crate::rows::rows(&definition.name, rule, planned, &execution);
                let is_well = rows.trial.status == Status::Ok
                    || crate::rows::names_the_end(rule, &execution.record);
                match journal.append(&rows) {
                    Ok(()) => {
                        ended.done += 1;
                        ended.left -= 1;
                        observer.ended(planned, &rows);
                        let in_a_row = failures.entry(planned.cell).or_default();
                        *in_a_row = if is_well { 0 } else { *in_a_row + 1 };
                        if *in_a_row == SKIPPED_AFTER {
                            ended.skipped.push(Skipped {
                                cell: planned.cell,
                                failures: *in_a_row,
                                trials: 0,
                                error: rows.trial.error,
                            });
                        }
                    }
                    Err(error) => {
                        result = Err(error.into());
                        break;
                    }
                }
            }
            Err(broken) => {
                result = Err(broken.into());
                break;
            }
        }
    }
    executor.finish();
    ended.skipped.retain(|skipped| skipped.trials > 0);
    (ended, result)
}
