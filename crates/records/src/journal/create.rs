//! The making of a run: its folder, its plan, empty files for its trials, and its manifest.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use model::columns::{METRICS, PLAN, TIMELINE, TRIALS};
use model::manifest::{self, Manifest, Origin};
use model::rows::PlanRow;

use super::disk::{Disk, Folder};
use super::lock::{LOCK, RunLock, unheld};
use super::synced::{Synced, header};
use super::{Journal, JournalError, PLAN_FILE, TRIALS_FILE};
use crate::table::csv_rows;

/// What a runner makes before the manifest. With these alone a folder is no run yet.
const BEFORE_THE_MANIFEST: [&str; 10] = [
    LOCK,
    PLAN_FILE,
    "plan.csv.next",
    TRIALS_FILE,
    "trials.csv.next",
    "timeline.csv",
    "timeline.csv.next",
    "metrics.csv",
    "metrics.csv.next",
    "manifest.json.next",
];

impl Journal {
    /// Makes the folder and its files; all are whole before the first trial.
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
        let disk = Arc::clone(&lock.folder);
        let mut journal = Journal::begin(disk, folder, manifest, plan)?;
        journal.lock = Some(lock);
        Ok(journal)
    }

    /// Makes the files of a run on a disk. The manifest comes last, when the others are there for
    /// sure: a folder with a manifest is a run, and one without is none.
    pub fn begin(
        disk: Arc<dyn Disk>,
        folder: &Path,
        manifest: &Manifest,
        plan: &[PlanRow],
    ) -> Result<Journal, JournalError> {
        let to = Synced { disk: &*disk, folder };
        to.replace(PLAN_FILE, &plan_text(plan))?;
        for (name, columns) in
            [(TRIALS_FILE, &TRIALS[..]), ("timeline.csv", &TIMELINE), ("metrics.csv", &METRICS)]
        {
            to.replace(name, &header(columns))?;
        }
        let journal = Journal { disk, folder: folder.to_path_buf(), lock: None };
        journal.write_manifest(manifest)?;
        Ok(journal)
    }
}

/// What `plan.csv` holds for a plan.
pub fn plan_text(plan: &[PlanRow]) -> String {
    header(&PLAN) + &csv_rows(plan)
}

/// That a run may be made here: nothing or an empty folder is there, or what a runner left that ended
/// before it had made its run, and no runner is at work in it.
pub fn free(folder: &Path) -> Result<(), JournalError> {
    unheld(folder)?;
    empty(folder)
}

/// Whether a folder holds what a runner left that ended while it made its run: no manifest, and no row.
pub(crate) fn is_half_made(folder: &Path) -> bool {
    let Ok(names) = Folder::names(folder) else { return false };
    let has_row = |name: &str| {
        fs::metadata(folder.join(name)).is_ok_and(|file| file.len() > header(&TRIALS).len() as u64)
    };
    !names.is_empty()
        && names.iter().all(|name| BEFORE_THE_MANIFEST.iter().any(|own| name == own))
        && !has_row(TRIALS_FILE)
}

/// That the folder is missing, empty or half made.
fn empty(folder: &Path) -> Result<(), JournalError> {
    let names = match Folder::names(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(JournalError::Unusable { folder: folder.to_path_buf(), error }),
        Ok(names) => names,
    };
    if names.is_empty() || is_half_made(folder) {
        return Ok(());
    }
    let folder = folder.to_path_buf();
    if names.iter().any(|name| name == manifest::FILE || name == TRIALS_FILE) {
        let resumable = !crate::manifest::read(&folder)
            .is_ok_and(|manifest| manifest.executor == Origin::Imported);
        return Err(JournalError::HoldsARun { folder, resumable });
    }
    Err(JournalError::NotEmpty { folder })
}
