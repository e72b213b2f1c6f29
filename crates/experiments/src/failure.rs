//! Why a command did not do what was asked, and the exit status that says so.

use std::fmt;
use std::io;
use std::process::ExitCode;

use analysis::stat::StatError;

/// A command's failure. The text is one sentence for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The request is wrong: an unknown name, a bad value, an unreadable file. Exit status 2.
    Request(String),
    /// The request was right, and it failed while running. Exit status 1.
    Running(String),
    /// The reader of the results has seen enough, as `head` does. Exit status 0.
    NobodyReads,
}

/// What every command returns.
pub type Outcome = Result<(), Failure>;

impl Failure {
    /// The process' exit status.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Request(_) => ExitCode::from(2),
            Failure::Running(_) => ExitCode::from(1),
            Failure::NobodyReads => ExitCode::SUCCESS,
        }
    }

    /// Whether there is nothing to say.
    pub fn is_silent(&self) -> bool {
        matches!(self, Failure::NobodyReads)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Request(sentence) | Failure::Running(sentence) => f.write_str(sentence),
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

/// For writing results; a file that was asked for by name is a [`Failure::Request`] with its path.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Failure::NobodyReads;
        }
        Failure::Running(format!("writing the result failed: {error}"))
    }
}
