//! The making of a run: its folder, its plan, its manifest and empty files for its trials.

use std::fs;
use std::io;
use std::path::Path;

use model::columns::{METRICS, PLAN, TIMELINE, TRIALS};
use model::manifest::{self, Manifest, Origin};
use model::rows::PlanRow;

use super::lock::{LOCK, RunLock, unheld};
use super::{Journal, JournalError, TRIALS_FILE, synced};
use crate::table::csv_rows;

impl Journal {
    /// Makes the folder and its files; `plan.csv` and the manifest are whole before the first
    /// trial.
    pub fn create(
        folder: &Path,
        manifest: &Manifest,
        plan: &[PlanRow],
    ) -> Result<Journal, JournalError> {
        free(folder)?;
        fs::create_dir_all(folder)
            .map_err(|error| JournalError::Unusable { folder: folder.to_path_buf(), error })?;
        let lock = RunLock::take(folder)?;
        // Again: between the first look and the lock another runner may have been here.
        empty(folder)?;
        synced::write(&folder.join("plan.csv"), &plan_text(plan))?;
        for (name, columns) in
            [(TRIALS_FILE, &TRIALS[..]), ("timeline.csv", &TIMELINE), ("metrics.csv", &METRICS)]
        {
            synced::write(&folder.join(name), &synced::header(columns))?;
        }
        crate::manifest::write(manifest, folder)?;
        synced::folder(folder)?;
        Journal::open(folder, lock)
    }
}

/// What `plan.csv` holds for a plan.
pub fn plan_text(plan: &[PlanRow]) -> String {
    synced::header(&PLAN) + &csv_rows(plan)
}

/// That a run may be made here: nothing or an empty folder is there, and no runner is at work in it.
pub fn free(folder: &Path) -> Result<(), JournalError> {
    unheld(folder)?;
    empty(folder)
}

/// That the folder is empty or missing. A lock that no runner holds doesn't count: a runner left it
/// that ended before it wrote a file.
fn empty(folder: &Path) -> Result<(), JournalError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(JournalError::Unusable { folder: folder.to_path_buf(), error }),
        Ok(entries) => entries,
    };
    let names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    let folder = folder.to_path_buf();
    if names.iter().any(|name| name == manifest::FILE || name == TRIALS_FILE) {
        let resumable = !crate::manifest::read(&folder)
            .is_ok_and(|manifest| manifest.executor == Origin::Imported);
        return Err(JournalError::HoldsARun { folder, resumable });
    }
    match names.iter().all(|name| name == LOCK) {
        true => Ok(()),
        false => Err(JournalError::NotEmpty { folder }),
    }
}
