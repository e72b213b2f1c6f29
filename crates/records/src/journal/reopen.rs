//! Reopening a run: what belongs to no finished trial is taken out, and so are torn last lines. All is
//! looked at before anything is changed.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use model::column::Column;
use model::columns::{BESIDE_TIMELINE, Beside, TIMELINE_FILE, TRIALS};

use super::disk::Disk;
use super::lock::RunLock;
use super::synced::{Synced, header};
use super::{Journal, JournalError, TRIALS_FILE};
use crate::RecordError;
use crate::table::Table;
use crate::torn::{Cut, Headless, Torn};

/// A run as it was left, and what is to be taken out of its files before it is resumed.
#[derive(Debug)]
pub struct Look {
    journal: Journal,
    /// The numbers of the trials that are finished.
    pub finished: BTreeSet<u64>,
    /// The torn last line of `trials.csv`, whose trial is run again.
    pub torn: Option<Torn>,
    /// What was lost of finished trials.
    pub cut: Vec<Cut>,
    /// Files with what is left of them.
    kept: Vec<(&'static str, String)>,
}

impl Look {
    /// Looks at a run; nothing is changed.
    pub fn at(lock: RunLock) -> Result<Look, JournalError> {
        let mut look = Look::on(Arc::clone(&lock.folder) as Arc<dyn Disk>, &lock.path)?;
        look.journal.lock = Some(lock);
        Ok(look)
    }

    /// Looks at a run on a disk.
    pub fn on(disk: Arc<dyn Disk>, folder: &Path) -> Result<Look, JournalError> {
        let read = |name: &str| {
            let file = folder.join(name);
            disk.read(name).map(|bytes| bytes.map(to_a_hole)).map_err(RecordError::reading(&file))
        };
        let file = folder.join(TRIALS_FILE);
        let missing =
            || RecordError::NotARun { folder: folder.to_path_buf(), missing: TRIALS_FILE };
        let table = Table::parse(&file, read(TRIALS_FILE)?.ok_or_else(missing)?, &TRIALS)?;
        table.unique("trial")?;
        let finished: BTreeSet<u64> =
            table.column("trial").iter().filter_map(|(_, cell)| cell.parse().ok()).collect();
        let (mut cut, mut kept) = (Vec::new(), Vec::new());
        for Beside { name, columns, .. } in beside() {
            let Some(bytes) = read(name)? else { continue };
            let file = name.to_string();
            let before_the_hole = bytes.strip_suffix(&[0]).unwrap_or(&bytes);
            if let Some(found) = Headless::in_bytes(before_the_hole, columns) {
                kept.push((name, header(columns)));
                if !finished.is_empty() {
                    cut.push(Cut::Header { file, found, finished: finished.len() });
                }
                continue;
            }
            let side = Table::parse(&folder.join(name), bytes, columns)?;
            if let Some(text) = of_finished(&side, columns, &finished) {
                kept.push((name, text));
            }
            if let Some(line) = side.torn
                && line.trial().is_none_or(|trial| finished.contains(&trial))
            {
                cut.push(Cut::Line { file, line });
            }
        }
        // Last: until then the torn row says what happened.
        if table.torn.is_some() {
            kept.push((TRIALS_FILE, table.text));
        }
        let journal = Journal { disk, folder: folder.to_path_buf(), lock: None };
        Ok(Look { journal, finished, torn: table.torn, cut, kept })
    }

    /// The run's journal, before anything was taken out: for its manifest and its place.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Takes out what belongs to no finished trial.
    pub fn reopen(self) -> Result<Journal, JournalError> {
        let to = Synced { disk: &*self.journal.disk, folder: &self.journal.folder };
        for (name, text) in &self.kept {
            to.replace(name, text)?;
        }
        // What was written and not synced, since the disk refused, is only now kept for sure; the rows of
        // trials.csv last, which say that the others are whole.
        for name in beside().map(|file| file.name).chain([TRIALS_FILE]) {
            to.sync(name)?;
        }
        // A runner that was killed between a file's renaming and the syncing of its name left an old file of
        // that name for the next power failure to bring back.
        to.sync_names()?;
        Ok(self.journal)
    }
}

/// The files of rows of trials beside `trials.csv`.
fn beside() -> impl Iterator<Item = Beside> {
    [TIMELINE_FILE].into_iter().chain(BESIDE_TIMELINE)
}

/// What a file holds up to a hole and its first zero, which makes its last line a torn one. Where the power failed before a write was on the disk, a file may have
/// the length of the write and zeros for a part of it; no file of a run has any other zero.
fn to_a_hole(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        bytes.truncate(at + 1);
    }
    bytes
}

/// What is left of a side file without the rows of trials that are not finished and without a torn
/// line; `None` where that is all of it.
fn of_finished(table: &Table, columns: &[Column], finished: &BTreeSet<u64>) -> Option<String> {
    debug_assert_eq!(columns.first().map(|column| column.name), Some("trial"));
    let mut lines = table.text.split_inclusive('\n');
    let header = lines.next().unwrap_or_default().to_string();
    let of_finished = |line: &&str| {
        let trial = line.split(',').next().and_then(|cell| cell.parse().ok());
        trial.is_some_and(|trial: u64| finished.contains(&trial))
    };
    let kept = header + &lines.filter(of_finished).collect::<String>();
    (table.torn.is_some() || kept.len() < table.text.len()).then_some(kept)
}
