//! The stall rule: when a trial counts as stalled.
//!
//! A rule is a file of its name, with its [`Form`]; [`FORMS`] is the list of them.

mod absolute;
mod control;
mod pivot;
pub mod reported;
mod split;

use std::fmt;
use std::str::FromStr;

use crate::factor::{BadValue, Span, as_text};

/// When a trial counts as stalled: `[outcome] stall` of a definition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StallRule {
    /// `control:0.5`: the trial's throughput is below this share of its control's median.
    Control {
        /// Above 0, at most 1.
        share: f64,
    },
    /// `absolute:100`: the trial's throughput is below this many Mops/s.
    Absolute {
        /// Above 0.
        mops: f64,
    },
    /// `pivot:1s`: the event of the case was due and was not over within this time.
    Event {
        /// Above 0.
        limit: Span,
    },
    /// `split`: the trial falls in the lower of two modes, where the pooled throughputs of its cells
    /// are bimodal.
    Split,
    /// `reported`: the run's source says so itself, in the metric `stalled`.
    Reported,
}

/// How a rule is written.
struct Form {
    /// The text before the colon.
    name: &'static str,
    /// An example, and what it means, for messages and help.
    example: &'static str,
    /// Reads what stands behind the colon, if there is one.
    read: fn(Option<&str>) -> Result<StallRule, Reason>,
}

/// Why a rule can't have what stands behind its colon.
struct Reason(String);

/// Every rule.
const FORMS: [Form; 5] = [control::FORM, absolute::FORM, pivot::FORM, split::FORM, reported::FORM];

/// Prints how the rules are written, for messages and help.
#[derive(Debug, Clone, Copy)]
pub struct Accepted;

/// How the rules are written, for messages and help.
pub const ACCEPTED: Accepted = Accepted;

impl fmt::Display for Accepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, form) in FORMS.iter().enumerate() {
            let before = match at {
                0 => "",
                _ if at + 1 == FORMS.len() => " or ",
                _ => ", ",
            };
            write!(f, "{before}{}", form.example)?;
        }
        Ok(())
    }
}

impl FromStr for StallRule {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let bad = || BadValue::new("stall rule", text, ACCEPTED.to_string());
        let (name, value) = match text.split_once(':') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let form = FORMS.iter().find(|form| form.name == name).ok_or_else(bad)?;
        (form.read)(value).map_err(|Reason(reason)| bad().because(reason))
    }
}

/// The number behind a rule's colon, where it is finite and above 0.
fn above_zero(value: Option<&str>) -> Option<f64> {
    value?.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0)
}

/// Reads a rule that has nothing behind its name.
fn alone(rule: StallRule, value: Option<&str>) -> Result<StallRule, Reason> {
    match value {
        None => Ok(rule),
        Some(_) => Err(Reason("it takes no value".to_string())),
    }
}

impl fmt::Display for StallRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StallRule::Control { share } => write!(f, "control:{share}"),
            StallRule::Absolute { mops } => write!(f, "absolute:{mops}"),
            StallRule::Event { limit } => write!(f, "pivot:{limit}"),
            StallRule::Split => write!(f, "split"),
            StallRule::Reported => write!(f, "reported"),
        }
    }
}

as_text!(StallRule);

impl StallRule {
    /// Whether the rule judges by throughput.
    pub fn is_by_throughput(&self) -> bool {
        !matches!(self, StallRule::Event { .. } | StallRule::Reported)
    }
}

impl Default for StallRule {
    fn default() -> StallRule {
        StallRule::Control { share: 0.5 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_prints_back_and_nothing_else_is_taken() {
        for text in ["control:0.5", "absolute:100", "pivot:1s", "split", "reported"] {
            assert_eq!(text.parse::<StallRule>().unwrap().to_string(), text);
        }
        for (text, part) in [
            ("", "is not understood"),
            ("slow", "is not understood"),
            ("control", "above 0 and at most 1"),
            ("control:1.5", "above 0 and at most 1"),
            ("absolute:0", "above 0"),
            ("pivot:0s", "above 0"),
            ("pivot:1", "it has no unit"),
            ("split:2", "takes no value"),
        ] {
            let error = text.parse::<StallRule>().unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("`pivot:1s` ("), "{error}");
        }
    }
}
