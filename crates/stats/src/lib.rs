//! Estimators, intervals and tests. Pure functions of numbers: no files, no clock, and chance only
//! from a seed that the caller gives.

pub mod binomial;
pub mod clusters;
pub mod error;
pub(crate) mod hypergeometric;
pub mod interval;
pub mod multiplicity;
pub mod posterior;
pub mod power;
pub mod proportion;
pub mod recovery;
pub mod root;
pub mod said;
pub mod samples;
pub mod segmentation;
pub mod strata;
pub mod stream;
pub mod survival;
pub mod test_result;
pub mod threshold;
pub mod two_by_two;
pub mod words;

#[cfg(test)]
mod golden;

pub use error::StatError;
pub use interval::{Estimate, Interval, Level};
pub use test_result::{Alternative, TestResult};
