//! The files of a run while it is made: appended and synced a trial at a time.
//!
//! A trial's row in `trials.csv` is written last: once it is there, all of the trial is. What a
//! crash leaves behind without it (samples of an unfinished trial, a torn row) is taken out when
//! the run is resumed, and named.

mod create;
mod error;
mod lock;
mod reopen;
mod synced;

use std::fs::File;
use std::path::{Path, PathBuf};

use model::columns::{METRICS, PIVOTS, TIMELINE, TRIALS};
use model::rows::{MetricRow, PivotRow, TimelineRow, TrialRow};

pub use create::{free, plan_text};
pub use error::JournalError;
pub use lock::RunLock;
pub use reopen::Reopened;

use crate::table::csv_rows;

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
}

/// The open files of a run.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    trials: File,
    timeline: File,
    /// Held as long as this runner is at work.
    _lock: RunLock,
}

impl Journal {
    fn open(folder: &Path, lock: RunLock) -> Result<Journal, JournalError> {
        Ok(Journal {
            trials: synced::open(&folder.join(TRIALS_FILE), &TRIALS)?,
            timeline: synced::open(&folder.join("timeline.csv"), &TIMELINE)?,
            folder: folder.to_path_buf(),
            _lock: lock,
        })
    }

    /// Writes all rows of a trial, that of `trials.csv` last. When it returns, the trial is on the
    /// disk.
    pub fn append(&mut self, rows: &TrialRows) -> Result<(), JournalError> {
        let file = |name: &str| self.folder.join(name);
        let timeline = file("timeline.csv");
        synced::append(&mut self.timeline, &csv_rows(&rows.timeline), &timeline)?;
        // Files that only some workloads write; made with their header at the first row.
        for (name, columns, text) in [
            ("metrics.csv", &METRICS[..], csv_rows(&rows.metrics)),
            ("pivots.csv", &PIVOTS, csv_rows(&rows.pivots)),
        ] {
            if !text.is_empty() {
                synced::append(&mut synced::open(&file(name), columns)?, &text, &file(name))?;
            }
        }
        let row = csv_rows(std::slice::from_ref(&rows.trial));
        synced::append(&mut self.trials, &row, &file(TRIALS_FILE))
    }
}

#[cfg(test)]
mod tests;
