//! Writing so that a crash loses at most the last, unfinished line.

use std::path::Path;

use model::column::Column;

use super::JournalError;
use super::disk::Disk;

/// A disk, and the folder that messages name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Synced<'a> {
    pub disk: &'a dyn Disk,
    pub folder: &'a Path,
}

impl Synced<'_> {
    fn failed(&self, name: &str) -> impl Fn(std::io::Error) -> JournalError {
        let file = self.folder.join(name);
        move |error| JournalError::Write { file: file.clone(), error }
    }

    /// Writes a file whole or not at all: a new file, synced, then renamed over the old one.
    pub fn replace(&self, name: &str, text: &str) -> Result<(), JournalError> {
        let next = format!("{name}.next");
        let replace = || {
            self.disk.write(&next, text.as_bytes())?;
            self.disk.sync(&next)?;
            self.disk.rename(&next, name)?;
            self.disk.sync_names()
        };
        replace().map_err(self.failed(name))
    }

    /// Has a file that is there on the disk when it returns.
    pub fn sync(&self, name: &str) -> Result<(), JournalError> {
        match self.disk.has(name) {
            Ok(true) => self.disk.sync(name),
            Ok(false) => Ok(()),
            Err(error) => Err(error),
        }
        .map_err(self.failed(name))
    }

    /// Has the folder's names on the disk when it returns.
    pub fn sync_names(&self) -> Result<(), JournalError> {
        let folder = self.folder.to_path_buf();
        self.disk.sync_names().map_err(|error| JournalError::Write { file: folder, error })
    }

    /// Appends lines in one write, and syncs them; a file that isn't there is made with its header.
    pub fn append(&self, name: &str, columns: &[Column], text: &str) -> Result<(), JournalError> {
        if text.is_empty() {
            return Ok(());
        }
        if !self.disk.has(name).map_err(self.failed(name))? {
            self.replace(name, &header(columns))?;
        }
        let append = || {
            self.disk.append(name, text.as_bytes())?;
            self.disk.sync(name)
        };
        append().map_err(self.failed(name))
    }
}

/// The header line of these columns.
pub(super) fn header(columns: &[Column]) -> String {
    format!("{}\n", model::column::header(columns))
}
