//! Writing so that a crash loses at most the last, unfinished line.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

use model::column::Column;

use super::JournalError;

/// Writes a new file and syncs it.
pub(super) fn write(file: &Path, text: &str) -> Result<(), JournalError> {
    let write = || {
        let mut open = File::create(file)?;
        open.write_all(text.as_bytes())?;
        open.sync_all()
    };
    write().map_err(JournalError::writing(file))
}

/// Writes a file whole or not at all: a new file, synced, then renamed over the old one.
pub(super) fn replace(file: &Path, text: &str) -> Result<(), JournalError> {
    let next = file.with_extension("csv.next");
    write(&next, text)?;
    fs::rename(&next, file).map_err(JournalError::writing(file))?;
    file.parent().map_or(Ok(()), folder)
}

/// Opens a file to append rows; one that isn't there is made with its header.
pub(super) fn open(file: &Path, columns: &[Column]) -> Result<File, JournalError> {
    if !file.exists() {
        write(file, &header(columns))?;
    }
    OpenOptions::new().append(true).open(file).map_err(JournalError::writing(file))
}

/// Appends lines in one write, and syncs them. `file` is for the message.
pub(super) fn append(open: &mut File, text: &str, file: &Path) -> Result<(), JournalError> {
    if text.is_empty() {
        return Ok(());
    }
    open.write_all(text.as_bytes())
        .and_then(|()| open.sync_data())
        .map_err(JournalError::writing(file))
}

/// Syncs a folder, so that the names in it are on the disk.
pub(super) fn folder(folder: &Path) -> Result<(), JournalError> {
    File::open(folder).and_then(|open| open.sync_all()).map_err(JournalError::writing(folder))
}

/// The header line of these columns.
pub(super) fn header(columns: &[Column]) -> String {
    format!("{}\n", model::column::header(columns))
}
