//! What the sides were measured or judged by differently: an obstacle to a comparison, or a fact of one
//! that was forced.

use std::fmt;

use model::outcome::StallRule;
use serde::Serialize;
use stats::words::{list, seconds};

use super::sides::Which;

/// A difference that may be taken for the patch's effect.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Unlike {
    /// The stall rules.
    StallRule {
        /// The base side's rule.
        base: StallRule,
        /// The test side's rule.
        test: StallRule,
    },
    /// The controls.
    Control {
        /// The base side's control, by its value.
        base: String,
        /// The test side's control.
        test: String,
    },
    /// How long a trial is to last: a longer one has more time to recover in, and more to stall in.
    Duration {
        /// The stratum's name.
        stratum: String,
        /// The base side's durations in seconds, each once.
        base: Vec<f64>,
        /// The test side's durations in seconds.
        test: Vec<f64>,
    },
    /// A side holds several kernels, and pooling them would hide which one stalls.
    Kernels {
        /// The side that holds them.
        side: Which,
        /// The kernels' names.
        kernels: Vec<String>,
    },
}

impl fmt::Display for Unlike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let durations = |of: &[f64]| list(&of.iter().map(|s| seconds(*s)).collect::<Vec<String>>());
        match self {
            Unlike::StallRule { base, test } => {
                write!(f, "the stall rule is {base} on the base side and {test} on the test side")
            }
            Unlike::Control { base, test } => {
                write!(f, "the control is {base} on the base side and {test} on the test side")
            }
            Unlike::Duration { stratum, base, test } => write!(
                f,
                "the duration of a trial is {} on the base side and {} on the test side (at {stratum})",
                durations(base),
                durations(test)
            ),
            Unlike::Kernels { side, kernels } => {
                write!(f, "the {} side holds the kernels {}", side.name(), list(kernels))
            }
        }
    }
}
