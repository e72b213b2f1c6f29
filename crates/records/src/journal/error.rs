//! Why a run's files can't be made or used.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::RecordError;

/// Why a run's files can't be made or used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// Another runner has the folder's lock.
    #[error(
        "another runner{} is at work in {}: wait for it, or end it; nothing was changed",
        process.map_or_else(String::new, |id| format!(" (process {id})")),
        folder.display()
    )]
    AtWork {
        /// The run's folder.
        folder: PathBuf,
        /// The runner's process, if it is known and lives.
        process: Option<u32>,
    },
    /// The folder holds a run already.
    #[error("{} holds another run: nothing is written over it", folder.display())]
    HoldsARun {
        /// The run's folder.
        folder: PathBuf,
        /// Whether that run can be resumed: one that was imported can't.
        resumable: bool,
    },
    /// The folder holds files that are no run.
    #[error("{} is not empty: a run needs a folder of its own", folder.display())]
    NotEmpty {
        /// The folder that was asked for.
        folder: PathBuf,
    },
    /// The system refuses the folder.
    #[error("{} can't be used for a run: {error}", folder.display())]
    Unusable {
        /// The folder that was asked for.
        folder: PathBuf,
        /// The system's answer.
        error: io::Error,
    },
    /// The folder holds no run, or one whose files can't be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The system refused to write; what was measured before is on the disk.
    #[error("writing {} failed: {error}. What was measured before is kept", file.display())]
    Write {
        /// The file that was written.
        file: PathBuf,
        /// The system's answer.
        error: io::Error,
    },
}

impl JournalError {
    /// Makes a failed write of a file an error that names the file.
    pub(crate) fn writing(file: &Path) -> impl Fn(io::Error) -> JournalError {
        move |error| JournalError::Write { file: file.to_path_buf(), error }
    }
}
