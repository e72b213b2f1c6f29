//! Why a run's files can't be made or used.

use std::io;
use std::path::PathBuf;

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
    /// What stands in the lock's place is no file: a link may lead to anybody's.
    #[error(
        "{} is a link or a device and not the lock of a run: nothing is written through it",
        file.display()
    )]
    ForeignLock {
        /// The lock's place.
        file: PathBuf,
    },
    /// Somebody took the lock's file away, so that another runner may be at work in the folder.
    #[error(
        "{} was taken out of the run's folder while the run was at work: another runner could write \
         there beside it. What was measured before is kept",
        folder.join(super::lock::LOCK).display()
    )]
    LockGone {
        /// The run's folder.
        folder: PathBuf,
    },
    /// The folder was deleted while its run was at work.
    #[error("the run's folder {} was deleted while the run was at work", folder.display())]
    Deleted {
        /// Where it was.
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
