//! When a trial counts as stalled: the rule of a definition.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use thiserror::Error;

use crate::factor::Span;

/// When a trial counts as stalled: `[outcome] stall` of a definition, or `--stall`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StallRule {
    /// `control:0.5`: its throughput is below this share of its control's median.
    Control {
        /// Above 0, at most 1.
        share: f64,
    },
    /// `absolute:100`: its throughput is below so many Mops/s.
    Absolute {
        /// Above 0.
        mops: f64,
    },
    /// `pivot:1s`: growth was due and not installed within this time.
    Pivot {
        /// Above 0.
        limit: Span,
    },
    /// `split`: it falls in the lower of two modes, where the pooled throughputs of its cells are
    /// bimodal.
    Split,
    /// `reported`: the run's source says so itself (`crate::reported`).
    Reported,
}

/// What the rules are written as, for messages and help.
pub const ACCEPTED: &str = "`control:0.5` (below half of the control's median), `absolute:100` \
                            (below 100 Mops/s), `pivot:1s` (growth due and not installed within 1 s), \
                            `split` (in the lower of two modes) or `reported` (an imported run's \
                            metric `stalled`)";

/// A text that is no rule.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("stall rule {found:?} {problem}; accepted is {ACCEPTED}")]
pub struct BadRule {
    found: String,
    problem: String,
}

impl FromStr for StallRule {
    type Err = BadRule;

    fn from_str(text: &str) -> Result<Self, BadRule> {
        let bad = |problem: &str| BadRule { found: text.to_string(), problem: problem.to_string() };
        match text {
            "split" => return Ok(StallRule::Split),
            "reported" => return Ok(StallRule::Reported),
            _ => {}
        }
        let (kind, value) = text.split_once(':').ok_or_else(|| bad("is not understood"))?;
        let number = || value.parse::<f64>().ok().filter(|x| x.is_finite());
        match kind {
            "control" => match number() {
                Some(share) if share > 0.0 && share <= 1.0 => Ok(StallRule::Control { share }),
                _ => Err(bad("has no share above 0 and at most 1")),
            },
            "absolute" => match number() {
                Some(mops) if mops > 0.0 => Ok(StallRule::Absolute { mops }),
                _ => Err(bad("has no throughput above 0")),
            },
            "pivot" => match value.parse::<Span>() {
                Ok(limit) if !limit.is_zero() => Ok(StallRule::Pivot { limit }),
                Ok(_) => Err(bad("has the time 0, and needs one above it")),
                Err(error) => Err(bad(&format!("has no time: {error}"))),
            },
            _ => Err(bad("is not understood")),
        }
    }
}

impl fmt::Display for StallRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StallRule::Control { share } => write!(f, "control:{share}"),
            StallRule::Absolute { mops } => write!(f, "absolute:{mops}"),
            StallRule::Pivot { limit } => write!(f, "pivot:{limit}"),
            StallRule::Split => write!(f, "split"),
            StallRule::Reported => write!(f, "reported"),
        }
    }
}

impl Serialize for StallRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl StallRule {
    /// Whether it judges by throughput.
    pub fn is_by_throughput(&self) -> bool {
        !matches!(self, StallRule::Pivot { .. } | StallRule::Reported)
    }
}
