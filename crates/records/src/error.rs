//! What can be wrong with a file of a run.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A run folder, or a file in it, that can't be used; the sentence names the file and the line.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The folder is not a run.
    #[error(
        "{} is not a run: it has no {missing}",
        folder.display()
    )]
    NotARun {
        /// The folder.
        folder: PathBuf,
        /// The file that every run has.
        missing: &'static str,
    },
    /// The runner ended while it made the run: there is no trial, and no manifest that could be gone on
    /// with.
    #[error(
        "{} holds no trial: the runner ended while it made the run's files",
        folder.display()
    )]
    HalfMade {
        /// The folder.
        folder: PathBuf,
    },
    /// A file can't be written.
    #[error("writing {} failed: {reason}", file.display())]
    Unwritten {
        /// The file.
        file: PathBuf,
        /// Why, as the system says.
        reason: String,
    },
    /// A file can't be read.
    #[error("{} can't be read: {reason}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why, as the system says.
        reason: String,
    },
    /// The header is not the contract's.
    #[error("{} line 1: {problem}; the columns are {expected}", file.display())]
    Header {
        /// The file.
        file: PathBuf,
        /// What is missing, foreign or out of place.
        problem: String,
        /// All columns in their order.
        expected: String,
    },
    /// A line that is not a row.
    #[error("{} line {line}: {problem}", file.display())]
    Row {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What was found and what is accepted.
        problem: String,
    },
    /// The manifest does not parse.
    #[error("{}: {problem}", file.display())]
    Manifest {
        /// The file.
        file: PathBuf,
        /// What was found and what is accepted.
        problem: String,
    },
}

impl RecordError {
    /// Makes a failed read of a file an error that names the file.
    pub(crate) fn reading(file: &Path) -> impl Fn(io::Error) -> RecordError {
        move |error| RecordError::Unreadable { file: file.to_path_buf(), reason: error.to_string() }
    }
}
