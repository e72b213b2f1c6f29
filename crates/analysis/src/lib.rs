//! Recorded trials to tables.
//!
//! A run is read ([`data`]), its trials are judged ([`outcome`]) and counted ([`cells`]), and what that
//! shows is a typed [`finding`], whose words are made in `report`. What is true of one race only is a
//! [`case`]. Nothing here writes a file.

pub mod analysis;
pub mod case;
pub mod cells;
pub mod checks;
pub mod compare;
pub mod contrasts;
mod csv_text;
pub mod damage;
pub mod data;
pub mod ends;
pub mod error;
pub mod factors;
pub mod finding;
pub mod measured;
pub mod metrics;
pub mod outcome;
pub mod planned;
pub mod recovery;
pub mod run;
pub mod series;
#[cfg(any(test, feature = "synthetic"))]
pub mod synthetic;
pub mod threshold;
pub mod timeline;
mod torn;
pub mod warning;

pub use analysis::{Analysis, Options, analyze};
pub use error::AnalysisError;
