//! The files of a run while it is made: appended and synced a trial at a time.
//!
//! A trial's row in `trials.csv` is written last: once it is there, all of the trial is. What a
//! crash leaves behind without it (samples of an unfinished trial, a torn row) is taken out when
//! the run is resumed, and named.

mod create;
pub mod disk;
mod error;
mod lock;
mod reopen;
mod synced;

use std::path::PathBuf;
use std::sync::Arc;

use model::columns::{EVENTS, EVENTS_FILE, METRICS, PIVOTS, TIMELINE, TRIALS};
use model::manifest::Manifest;
use model::rows::{EventRow, MetricRow, PivotRow, TimelineRow, TrialRow};

pub(crate) use create::is_half_made;
pub use create::{free, plan_text};
pub use error::JournalError;
pub use lock::RunLock;
pub use reopen::Look;

use crate::table::csv_rows;
use disk::Disk;
use synced::Synced;

const PLAN_FILE: &str = "plan.csv";
const TRIALS_FILE: &str = "trials.csv";

/// The rows of one trial in all files of its run.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialRows {
    /// Its row of `trials.csv`.
    pub trial: TrialRow,
    /// Its samples, in the order of time.
    pub timeline: Vec<TimelineRow>,
    /// Its metrics.
    pub metrics: Vec<MetricRow>,
    /// Its timed changes of the hash's size.
    pub pivots: Vec<PivotRow>,
    /// When its hit began, or that it had not.
    pub events: Vec<EventRow>,
}

/// A run that is written.
#[derive(Debug)]
pub struct Journal {
    disk: Arc<dyn Disk>,
    /// For the messages.
    folder: PathBuf,
    /// Held as long as this runner is at work; a disk of a test has none.
    lock: Option<RunLock>,
}

impl Journal {
    fn to(&self) -> Synced<'_> {
        Synced { disk: &*self.disk, folder: &self.folder }
    }

    /// Writes all rows of a trial, that of `trials.csv` last. When it returns, the trial is on the
    /// disk.
    pub fn append(&mut self, rows: &TrialRows) -> Result<(), JournalError> {
        self.lock.as_ref().map_or(Ok(()), RunLock::check)?;
        let to = self.to();
        to.append("timeline.csv", &TIMELINE, &csv_rows(&rows.timeline))?;
        to.append("metrics.csv", &METRICS, &csv_rows(&rows.metrics))?;
        to.append("pivots.csv", &PIVOTS, &csv_rows(&rows.pivots))?;
        to.append(EVENTS_FILE, &EVENTS, &csv_rows(&rows.events))?;
        to.append(TRIALS_FILE, &TRIALS, &csv_rows(std::slice::from_ref(&rows.trial)))
    }

    /// Writes the manifest, whole or not at all.
    pub fn write_manifest(&self, manifest: &Manifest) -> Result<(), JournalError> {
        let text = crate::manifest::text(manifest, &self.folder)?;
        self.to().replace(model::manifest::FILE, &text)
    }

    /// Where the run's folder is now. It stays at work in the folder that it began in, also where
    /// that was moved meanwhile.
    ///
    /// # Errors
    /// [`JournalError::Deleted`] where it is nowhere any more.
    pub fn place(&self) -> Result<PathBuf, JournalError> {
        let Some(lock) = &self.lock else { return Ok(self.folder.clone()) };
        if lock.folder.is_at(&self.folder) {
            return Ok(self.folder.clone());
        }
        let deleted = || JournalError::Deleted { folder: self.folder.clone() };
        lock.folder.place().ok_or_else(deleted)
    }

    /// A word that tells this run from every other one of this machine.
    pub fn identity(&self) -> Result<String, JournalError> {
        self.lock.as_ref().map_or_else(|| Ok(String::new()), RunLock::identity)
    }
}

#[cfg(test)]
mod tests;
