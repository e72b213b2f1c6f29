//! A summary and what is to be known of it.

use serde::Serialize;

/// What docs/reference/commands.md promises; then, in sentences, what does not exist and why, and what the numbers cannot
/// carry.
#[derive(Debug, Serialize)]
pub struct Answer<S> {
    /// The estimators' own shape.
    #[serde(flatten)]
    pub summary: S,
    /// Sentences without their stop.
    pub notes: Vec<String>,
}
