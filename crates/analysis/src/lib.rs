//! Recorded trials to tables.
//!
//! [`stat`] holds the estimators: numbers in, numbers out, one idea a file. The rest reads a run
//! ([`data`]), judges its trials ([`outcome`]), counts them ([`cells`]) and says what that means
//! ([`answer`]). Nothing here writes a file.

pub mod analysis;
pub mod answer;
pub mod cells;
pub mod checks;
pub mod compare;
pub mod contrasts;
mod csv_text;
pub mod data;
pub mod ends;
pub mod error;
pub mod factors;
pub mod metrics;
pub mod outcome;
pub mod planned;
pub mod recovery;
pub mod reported;
pub mod run;
pub mod series;
#[cfg(any(test, feature = "synthetic"))]
pub mod synthetic;
pub mod threshold;
pub mod timeline;
mod torn;

pub use analysis::{Analysis, Options, analyze};
pub use error::AnalysisError;
