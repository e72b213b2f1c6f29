//! All sentences: a file a finding.

pub mod case;
pub mod compare;
pub mod rule;
pub mod stat;
pub mod torn;
