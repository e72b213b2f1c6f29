//! Why a command did not do what was asked, and the exit status that says so.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use records::RecordError;
use records::journal::JournalError;
use report::neutral::plain;
use stats::StatError;

/// A command's failure. The text is one sentence for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The request is wrong: an unknown name, a bad value, an unreadable file. Exit status 2.
    Request(String),
    /// The request was right, and it failed while running. Exit status 1.
    Running(String),
    /// It was done, and a gate does not pass: what was asked is on standard output. Its exit status.
    Gate(u8),
    /// The reader of the results has seen enough, as `head` does. Exit status 0.
    NobodyReads,
}

/// What every command returns.
pub type Outcome = Result<(), Failure>;

impl Failure {
    /// An error in its own words, by whose fault it is.
    pub fn by_fault(error: &impl fmt::Display, is_request: bool) -> Failure {
        match is_request {
            true => Failure::Request(error.to_string()),
            false => Failure::Running(error.to_string()),
        }
    }

    /// A file of results that could not be written, whose place `--out` chooses. A place that can't be
    /// written to (a file stands where a folder is to be, it belongs to somebody else, its file system
    /// is read-only) is the request's fault; a disk that is full is not.
    pub fn unwritten(file: &Path, error: &io::Error) -> Failure {
        Failure::unwritten_for("--out", file, error)
    }

    /// As [`unwritten`](Self::unwritten), for a file whose place another option chooses.
    pub fn unwritten_for(option: &str, file: &Path, error: &io::Error) -> Failure {
        use io::ErrorKind::{
            AlreadyExists, DirectoryNotEmpty, InvalidFilename, InvalidInput, IsADirectory,
            NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem,
        };
        let file = file.display();
        match error.kind() {
            AlreadyExists | DirectoryNotEmpty | InvalidFilename | InvalidInput | IsADirectory
            | NotADirectory | NotFound | PermissionDenied | ReadOnlyFilesystem => {
                Failure::Request(format!(
                    "{file} can't be written: {error}. Accepted for {option} is a place that can be \
                     written to"
                ))
            }
            _ => Failure::Running(format!("writing {file} failed: {error}")),
        }
    }

    /// The process' exit status.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Request(_) => ExitCode::from(2),
            Failure::Running(_) => ExitCode::from(1),
            Failure::Gate(status) => ExitCode::from(*status),
            Failure::NobodyReads => ExitCode::SUCCESS,
        }
    }

    /// Whether there is nothing to say.
    pub fn is_silent(&self) -> bool {
        matches!(self, Failure::NobodyReads | Failure::Gate(_))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Request(sentence) | Failure::Running(sentence) => {
                f.write_str(&plain(sentence))
            }
            Failure::Gate(status) => write!(f, "the gate does not pass: {status}"),
            Failure::NobodyReads => f.write_str("nobody reads the results"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<StatError> for Failure {
    fn from(error: StatError) -> Self {
        match error {
            StatError::Domain { .. } | StatError::TooFew { .. } => {
                Failure::Request(error.to_string())
            }
            StatError::NoConvergence { .. } => Failure::Running(error.to_string()),
        }
    }
}

/// A file of a run that can't be read, with what to do about it.
impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        let next = match &error {
            RecordError::NotARun { .. } => {
                ". A run is a folder written by `experiments run` or `experiments import`"
                    .to_string()
            }
            RecordError::HalfMade { folder } => {
                format!(". `experiments run … --out {}` begins it anew", folder.display())
            }
            RecordError::Unwritten { .. } => return Failure::Running(error.to_string()),
            _ => String::new(),
        };
        Failure::Request(format!("{error}{next}"))
    }
}

/// A folder that can't be a run's is the request's fault; a disk is not.
impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        let text = error.to_string();
        match error {
            JournalError::Record(error) => error.into(),
            JournalError::AtWork { .. } => Failure::Request(text),
            JournalError::ForeignLock { .. } => {
                Failure::Request(format!("{text}. Take it away, or choose another folder"))
            }
            JournalError::LockGone { .. } | JournalError::Deleted { .. } => Failure::Running(text),
            JournalError::HoldsARun { folder, resumable: true } => Failure::Request(format!(
                "{text}. Choose another --out, or resume it: `experiments resume {}`",
                folder.display()
            )),
            JournalError::HoldsARun { .. }
            | JournalError::NotEmpty { .. }
            | JournalError::Unusable { .. } => {
                Failure::Request(format!("{text}. Choose another --out"))
            }
            JournalError::Write { .. } => {
                Failure::Running(format!("{text}; `experiments resume` continues the run"))
            }
        }
    }
}

/// For writing results; a file that was asked for by name is a [`Failure::Request`] with its path.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Failure::NobodyReads;
        }
        Failure::Running(format!("writing the result failed: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_of_a_cell_do_not_reach_the_terminal() {
        let failure = Failure::Request("`\u{1b}[31m\0\r\u{9b}x` is no\nnumber".into());
        assert_eq!(failure.to_string(), "`\\u001b[31m\\u0000\\u000d\\u009bx` is no\nnumber");
    }

    #[test]
    fn a_place_is_the_request_s_fault_and_a_full_disk_is_not() {
        let of = |errno| Failure::unwritten(Path::new("x"), &io::Error::from_raw_os_error(errno));
        // EACCES, EEXIST, ENOTDIR, EROFS
        for errno in [13, 17, 20, 30] {
            assert!(matches!(of(errno), Failure::Request(text) if text.contains("--out")));
        }
        // EIO, ENOSPC, EDQUOT
        for errno in [5, 28, 122] {
            assert!(matches!(of(errno), Failure::Running(_)));
        }
    }
}
