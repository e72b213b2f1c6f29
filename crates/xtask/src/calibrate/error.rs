//! Why a calibration was not done.

use std::path::PathBuf;

use report::DrawError;
use stats::StatError;

use super::against::Difference;

/// Why a calibration was not done.
#[derive(Debug, thiserror::Error)]
pub enum CalibrateError {
    /// A level or a count out of range.
    #[error(transparent)]
    Stat(#[from] StatError),
    /// A file that can't be read or written.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, std::io::Error),
    /// A file of coverages that is not one.
    #[error("{}: {}", .0.display(), .1)]
    Csv(PathBuf, csv::Error),
    /// A file of coverages with a row that does not fit.
    #[error("{}, line {line}: {why}", .file.display())]
    Row {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What was found and what is accepted.
        why: RowError,
    },
    /// Coverages that are documented otherwise than they are computed.
    #[error("{} differs in {} rows:{}", .file.display(), .differences.len(), a_line_each(.differences))]
    Differs {
        /// The file.
        file: PathBuf,
        /// The rows that differ.
        differences: Vec<Difference>,
    },
    /// The figure.
    #[error(transparent)]
    Draw(#[from] DrawError),
}

fn a_line_each(differences: &[Difference]) -> String {
    differences.iter().map(|difference| format!("\n  {difference}")).collect()
}

/// Why a row of a file of coverages does not fit.
#[derive(Debug, thiserror::Error)]
pub enum RowError {
    /// Tables have intervals of one level.
    #[error("the level is {here}, and {there} in the first row; all rows must have one level")]
    Level {
        /// This row's level.
        here: f64,
        /// The first row's level.
        there: f64,
    },
    /// A method has one row a setting.
    #[error("the method `{0}` has a row of this setting already")]
    Duplicate(String),
    /// A level out of range.
    #[error(transparent)]
    Stat(#[from] StatError),
}
