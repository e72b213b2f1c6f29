//! Recorded trials to tables.
//!
//! [`stat`] holds the estimators: numbers in, numbers out, one idea a file. The rest reads a run
//! and applies them. Nothing here writes a file.

pub mod stat;
