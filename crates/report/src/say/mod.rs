//! All sentences: a file a finding.

pub mod rule;
pub mod torn;
