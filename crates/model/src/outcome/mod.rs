//! The stall rule: when a trial counts as stalled.
//!
//! A rule is one condition, or several joined by ` or `. A condition is a file of its name, with its
//! [`Form`]; [`FORMS`] is the list of them.

mod absolute;
mod control;
pub mod end;
mod exit;
pub mod fact;
mod hang;
mod matching;
mod metric;
mod pivot;
pub mod reported;
mod signal;
mod splat;
mod split;
mod timeout;

use std::fmt;
use std::str::FromStr;

pub use metric::{Limit, Than};

use crate::factor::{BadValue, Span, as_text};

/// When a trial counts as stalled: `[outcome] stall` of a definition. A trial is, if any of its
/// conditions is met.
#[derive(Debug, Clone, PartialEq)]
pub struct StallRule(Vec<Condition>);

/// One condition of a rule.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
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
    /// `exit`, `exit:1,134`: its program ended with one of these statuses.
    Exit {
        /// Rising; empty: any but 0.
        statuses: Vec<u8>,
    },
    /// `signal`: a signal ended its program.
    Signal,
    /// `hang:2s`: it made no progress for that long.
    Hang {
        /// Above 0.
        without: Span,
    },
    /// `timeout`: its limit ended it.
    Timeout,
    /// `match:REGEX`: its program's output has it.
    Match {
        /// The expression, which is one.
        regex: String,
    },
    /// `metric:NAME>5ms`: a metric is beyond a value.
    Metric(Limit),
    /// `splat`, `splat:TEXT`: the kernel complained.
    Splat {
        /// What a complaint must hold to count; `None`: any does.
        text: Option<String>,
    },
}

/// How a condition is written.
struct Form {
    /// The text before the colon.
    name: &'static str,
    /// An example, and what it means, for messages and help.
    example: &'static str,
    /// Reads what stands behind the colon, if there is one.
    read: fn(Option<&str>) -> Result<Condition, Reason>,
}

/// Why a condition can't have what stands behind its colon.
struct Reason(String);

/// Every condition.
const FORMS: [Form; 12] = [
    control::FORM,
    absolute::FORM,
    pivot::FORM,
    split::FORM,
    reported::FORM,
    exit::FORM,
    signal::FORM,
    hang::FORM,
    timeout::FORM,
    matching::FORM,
    metric::FORM,
    splat::FORM,
];

/// Between two conditions.
const OR: &str = " or ";

/// Prints how the conditions are written, for messages and help.
#[derive(Debug, Clone, Copy)]
pub struct Accepted;

/// How the conditions are written, for messages and help.
pub const ACCEPTED: Accepted = Accepted;

impl fmt::Display for Accepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for form in &FORMS {
            write!(f, "{}, ", form.example)?;
        }
        write!(f, "and several of them joined by `{OR}`")
    }
}

impl FromStr for StallRule {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let mut conditions: Vec<Condition> = Vec::new();
        let mut rest = Some(text);
        while let Some(now) = rest {
            let (part, after) = first_of(now);
            let condition = condition(part).map_err(|bad| match text == part {
                true => bad,
                false => BadValue { found: text.to_string(), ..bad },
            })?;
            // Said twice it is no other rule.
            if !conditions.contains(&condition) {
                conditions.push(condition);
            }
            rest = after;
        }
        Ok(StallRule(conditions))
    }
}

/// The first condition's text and what stands behind it. An ` or ` before what is no condition's name
/// belongs to the text of an expression.
fn first_of(text: &str) -> (&str, Option<&str>) {
    for (at, _) in text.match_indices(OR) {
        let after = &text[at + OR.len()..];
        let name: &str = after.split([':', ' ']).next().unwrap_or_default();
        let is_expression = text.starts_with(matching::FORM.name) || text.starts_with("splat:");
        if !is_expression || FORMS.iter().any(|form| form.name == name) {
            return (&text[..at], Some(after));
        }
    }
    (text, None)
}

fn condition(text: &str) -> Result<Condition, BadValue> {
    let bad = || BadValue::new("stall rule", text, ACCEPTED.to_string());
    let (name, value) = match text.split_once(':') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    let form = FORMS.iter().find(|form| form.name == name).ok_or_else(bad)?;
    (form.read)(value)
        .map_err(|Reason(reason)| BadValue::new("stall rule", text, form.example).because(reason))
}

/// The number behind a condition's colon, where it is finite and above 0.
fn above_zero(value: Option<&str>) -> Option<f64> {
    value?.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0)
}

/// The time behind a condition's colon.
fn time(value: Option<&str>) -> Result<Span, Reason> {
    match value.unwrap_or_default().parse::<Span>() {
        Ok(span) if !span.is_zero() => Ok(span),
        Ok(_) => Err(Reason("its time must be above 0".to_string())),
        Err(error) => Err(Reason(error.to_string())),
    }
}

/// Reads a condition that has nothing behind its name.
fn alone(condition: Condition, value: Option<&str>) -> Result<Condition, Reason> {
    match value {
        None => Ok(condition),
        Some(_) => Err(Reason("it takes no value".to_string())),
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Control { share } => write!(f, "control:{share}"),
            Condition::Absolute { mops } => write!(f, "absolute:{mops}"),
            Condition::Event { limit } => write!(f, "pivot:{limit}"),
            Condition::Split => write!(f, "split"),
            Condition::Reported => write!(f, "reported"),
            Condition::Exit { statuses } => exit::write(f, statuses),
            Condition::Signal => write!(f, "signal"),
            Condition::Hang { without } => write!(f, "hang:{without}"),
            Condition::Timeout => write!(f, "timeout"),
            Condition::Match { regex } => write!(f, "match:{regex}"),
            Condition::Metric(limit) => write!(f, "metric:{limit}"),
            Condition::Splat { text: None } => write!(f, "splat"),
            Condition::Splat { text: Some(text) } => write!(f, "splat:{text}"),
        }
    }
}

impl fmt::Display for StallRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, condition) in self.0.iter().enumerate() {
            write!(f, "{}{condition}", if at == 0 { "" } else { OR })?;
        }
        Ok(())
    }
}

as_text!(StallRule);

impl Condition {
    /// Whether it judges by throughput.
    pub fn is_by_throughput(&self) -> bool {
        matches!(self, Condition::Control { .. } | Condition::Absolute { .. } | Condition::Split)
    }

    /// Whether it can be told only of the output of a program that is not ours, or of its end.
    pub fn is_of_a_program(&self) -> bool {
        matches!(self, Condition::Exit { .. } | Condition::Signal | Condition::Match { .. })
    }
}

impl StallRule {
    /// The conditions, of which there is at least one, each once.
    pub fn conditions(&self) -> &[Condition] {
        &self.0
    }

    /// Whether a condition judges by throughput.
    pub fn is_by_throughput(&self) -> bool {
        self.0.iter().any(Condition::is_by_throughput)
    }

    /// Whether a condition holds a trial against its control.
    pub fn needs_control(&self) -> bool {
        self.0.iter().any(|condition| matches!(condition, Condition::Control { .. }))
    }

    /// Whether a condition looks at the trials of a cell together.
    pub fn is_by_modes(&self) -> bool {
        self.0.contains(&Condition::Split)
    }

    /// Whether it is the case's event alone that counts, and within which time it is to be over.
    pub fn event_limit(&self) -> Option<Span> {
        match self.0.as_slice() {
            [Condition::Event { limit }] => Some(*limit),
            _ => None,
        }
    }

    /// The shortest time without progress that counts.
    pub fn hang(&self) -> Option<Span> {
        let spans = self.0.iter().filter_map(|condition| match condition {
            Condition::Hang { without } => Some(*without),
            _ => None,
        });
        spans.min()
    }

    /// The expressions that are looked for in a program's output.
    pub fn expressions(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|condition| match condition {
            Condition::Match { regex } => Some(regex.as_str()),
            _ => None,
        })
    }
}

impl From<Condition> for StallRule {
    fn from(condition: Condition) -> StallRule {
        StallRule(vec![condition])
    }
}

impl Default for StallRule {
    fn default() -> StallRule {
        Condition::Control { share: 0.5 }.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_prints_back_and_nothing_else_is_taken() {
        for text in [
            "control:0.5",
            "absolute:100",
            "pivot:1s",
            "split",
            "reported",
            "exit",
            "exit:1,134",
            "signal",
            "hang:2s",
            "timeout",
            "match:lost [0-9]+ events?",
            "metric:wakeup_latency_p99>5ms",
            "metric:misses=0",
            "metric:rate<12.5Mops/s",
            "splat",
            "splat:KASAN: use-after-free",
            "hang:2s or exit or metric:x>1",
            "match:this or that or timeout",
        ] {
            assert_eq!(text.parse::<StallRule>().unwrap().to_string(), text);
        }
        for (text, part) in [
            ("", "`pivot:1s` ("),
            ("slow", "`exit:1,134`"),
            ("control", "above 0 and at most 1"),
            ("control:1.5", "above 0 and at most 1"),
            ("absolute:0", "above 0"),
            ("pivot:0s", "above 0"),
            ("pivot:1", "it has no unit"),
            ("split:2", "takes no value"),
            ("exit:256", "0 to 255"),
            ("exit:", "0 to 255"),
            ("hang", "`hang:2s`"),
            ("hang:0s", "above 0"),
            ("match:", "an expression"),
            ("match:(", "no regular expression"),
            ("metric:x", "`>`, `<` or `=`"),
            ("metric:>5", "name"),
            ("metric:x>fast", "a number"),
            ("splat:", "a text"),
            ("exit or slow", "`pivot:1s` ("),
            ("exit or ", "`pivot:1s` ("),
        ] {
            let error = text.parse::<StallRule>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn an_or_within_an_expression_is_its_own() {
        let rule: StallRule = "match:this or that or exit:3".parse().unwrap();
        let exit = Condition::Exit { statuses: vec![3] };
        assert_eq!(rule.conditions(), [Condition::Match { regex: "this or that".into() }, exit]);
        let rule: StallRule = "exit or exit".parse().unwrap();
        assert_eq!(rule.to_string(), "exit");
    }

    #[test]
    fn what_a_rule_asks_of_a_trial_is_told() {
        let rule: StallRule = "hang:2s or hang:500ms or match:a or control:0.5".parse().unwrap();
        assert_eq!(rule.hang(), Some(Span::from_ms(500)));
        assert_eq!(rule.expressions().collect::<Vec<_>>(), ["a"]);
        assert!(rule.is_by_throughput() && rule.needs_control() && !rule.is_by_modes());
        assert_eq!(rule.event_limit(), None);
    }
}
