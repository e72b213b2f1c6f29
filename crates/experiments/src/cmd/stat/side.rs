//! `--alternative`: what a test looks for.

use clap::ValueEnum;
use stats::Alternative;

/// The alternative hypothesis, as on the command line and in docs/reference/commands.md.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub enum Side {
    /// Either direction
    #[default]
    TwoSided,
    /// The first of a comparison is smaller: test against base, a against b
    Less,
    /// It is greater
    Greater,
}

impl From<Side> for Alternative {
    fn from(side: Side) -> Self {
        match side {
            Side::TwoSided => Alternative::TwoSided,
            Side::Less => Alternative::Less,
            Side::Greater => Alternative::Greater,
        }
    }
}
