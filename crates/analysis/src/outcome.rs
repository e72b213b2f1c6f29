//! Whether a trial stalled: the rule, and what it says of one trial.
//!
//! A rule looks at a trial that did its work. One that failed has no outcome: it is counted apart
//! and never enters a denominator. Where the rule has nothing to look at, the outcome is
//! [`Outcome::NotObservable`] with the reason, never "not stalled".

use std::fmt;

use model::event::Event;
use model::outcome::StallRule;
use serde::Serialize;

/// What the rule says of one trial that did its work.
pub fn judge(rule: &StallRule, seen: &Seen) -> Outcome {
    match *rule {
        StallRule::Control { share } => match (seen.mops_per_s, seen.control_median) {
            (None, _) => Outcome::NotObservable(Reason::NoThroughput),
            (_, None) => Outcome::NotObservable(Reason::NoControl),
            (_, Some(0.0)) => Outcome::NotObservable(Reason::ControlIsZero),
            (Some(mops), Some(control)) => Outcome::stalled_if(mops < share * control),
        },
        StallRule::Absolute { mops: limit } => match seen.mops_per_s {
            None => Outcome::NotObservable(Reason::NoThroughput),
            Some(mops) => Outcome::stalled_if(mops < limit),
        },
        StallRule::Split => match (seen.mops_per_s, seen.cut) {
            (None, _) => Outcome::NotObservable(Reason::NoThroughput),
            // Where the control did nothing, no mode is that of working trials.
            _ if seen.control_median == Some(0.0) => Outcome::NotObservable(Reason::ControlIsZero),
            (Some(mops), Some(cut)) => Outcome::stalled_if(mops < cut),
            // One mode beside the control is the control's; alone it may be either.
            (Some(_), None) if seen.control_median.is_some() => Outcome::NotStalled,
            (Some(_), None) => Outcome::NotObservable(Reason::OneMode),
        },
        StallRule::Reported => match seen.reported {
            None => Outcome::NotObservable(Reason::NotReported),
            Some(stalled) => Outcome::stalled_if(stalled),
        },
        StallRule::Event { limit } => match seen.event {
            None => Outcome::NotObservable(Reason::EventNotSeen),
            Some(Event::Absent) => Outcome::NotObservable(Reason::EventAbsent),
            // Nothing was due, so nothing can have been late.
            Some(Event::NotDue) => Outcome::NotStalled,
            Some(Event::Over { after_s: None } | Event::Pending { watched_s: None }) => {
                Outcome::NotObservable(Reason::EventTimeNotSeen)
            }
            Some(Event::Over { after_s: Some(after) }) => {
                Outcome::stalled_if(after > limit.seconds())
            }
            Some(Event::Pending { watched_s: Some(watched) }) if watched >= limit.seconds() => {
                Outcome::Stalled
            }
            Some(Event::Pending { .. }) => Outcome::NotObservable(Reason::WatchedTooShort),
        },
    }
}

/// What a rule looks at.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Seen {
    /// The trial's throughput.
    pub mops_per_s: Option<f64>,
    /// The median throughput of its control.
    pub control_median: Option<f64>,
    /// The cut between two modes of the throughputs that it is pooled with; `None` where they have
    /// one.
    pub cut: Option<f64>,
    /// What became of the case's event.
    pub event: Option<Event>,
    /// Whether the run's source says that it stalled.
    pub reported: Option<bool>,
}

/// What a rule says of a trial that did its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It stalled.
    Stalled,
    /// It did not.
    NotStalled,
    /// The rule has nothing to look at.
    NotObservable(Reason),
}

impl Outcome {
    fn stalled_if(stalled: bool) -> Self {
        if stalled { Outcome::Stalled } else { Outcome::NotStalled }
    }
}

/// Why a trial has no outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// `mops_per_s` is empty.
    NoThroughput,
    /// No control trial of the same cell did its work.
    NoControl,
    /// The control's median throughput is 0.
    ControlIsZero,
    /// What the event happens to is not there.
    EventAbsent,
    /// What became of the event was not recorded.
    EventNotSeen,
    /// The event's time was not recorded.
    EventTimeNotSeen,
    /// The event was pending, and the load ended before the limit.
    WatchedTooShort,
    /// The run's source doesn't say.
    NotReported,
    /// The throughputs have one mode, and no control tells which of the two it is.
    OneMode,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::NoThroughput => "no throughput was recorded",
            Reason::NoControl => "no control trial of the same cell did its work",
            Reason::ControlIsZero => "the control's median throughput is 0",
            Reason::EventAbsent => "the kernel lacks what the event happens to",
            Reason::EventNotSeen => "the trial did not see what became of the event",
            Reason::EventTimeNotSeen => "the time of the event was not recorded",
            Reason::OneMode => {
                "the throughputs of their cell have one mode and no control beside it, so that all or \
                 none of them may have stalled"
            }
            Reason::NotReported => "the source does not say whether it stalled",
            Reason::WatchedTooShort => {
                "the event was still pending when the load ended, before the rule's limit"
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> StallRule {
        text.parse().unwrap()
    }

    #[test]
    fn every_rule_of_the_contract_prints_back() {
        for text in ["control:0.5", "absolute:100", "pivot:1s", "pivot:500ms", "split", "reported"]
        {
            assert_eq!(rule(text).to_string(), text);
        }
    }

    #[test]
    fn what_is_no_rule_is_refused_with_what_is() {
        for text in [
            "",
            "control",
            "control:",
            "control:0",
            "control:1.5",
            "control:nan",
            "control:-1",
            "absolute:0",
            "absolute:inf",
            "pivot:1",
            "pivot:0s",
            "pivot:",
            "median:2",
            "split:2",
            "Control:0.5",
        ] {
            let error = text.parse::<StallRule>().unwrap_err().to_string();
            assert!(error.contains(&format!("{text:?}")) && error.contains("pivot:1s"), "{error}");
        }
    }

    #[test]
    fn the_control_rule_compares_with_the_control() {
        let judge = |mops, control| {
            judge(
                &rule("control:0.5"),
                &Seen { mops_per_s: mops, control_median: control, ..Seen::default() },
            )
        };
        assert_eq!(judge(Some(49.9), Some(100.0)), Outcome::Stalled);
        assert_eq!(judge(Some(50.0), Some(100.0)), Outcome::NotStalled);
        assert_eq!(judge(Some(0.0), Some(100.0)), Outcome::Stalled);
        assert_eq!(judge(None, Some(100.0)), Outcome::NotObservable(Reason::NoThroughput));
        assert_eq!(judge(Some(1.0), None), Outcome::NotObservable(Reason::NoControl));
        assert_eq!(judge(Some(0.0), Some(0.0)), Outcome::NotObservable(Reason::ControlIsZero));
    }

    #[test]
    fn the_absolute_rule_is_strict() {
        let judge =
            |mops| judge(&rule("absolute:100"), &Seen { mops_per_s: mops, ..Seen::default() });
        assert_eq!(judge(Some(99.9)), Outcome::Stalled);
        assert_eq!(judge(Some(100.0)), Outcome::NotStalled);
        assert_eq!(judge(None), Outcome::NotObservable(Reason::NoThroughput));
    }

    #[test]
    fn the_pivot_rule_carries_its_censoring() {
        use model::record::Pivot::{self, None as NotDue, Pending, Settled, Unsupported};
        let judge = |pivot: Option<Pivot>, pivot_s| {
            let event = pivot.map(|pivot| Event::of_pivot(pivot, pivot_s));
            judge(&rule("pivot:1s"), &Seen { event, ..Seen::default() })
        };
        assert_eq!(judge(Some(NotDue), None), Outcome::NotStalled);
        assert_eq!(judge(Some(Settled), Some(1.0)), Outcome::NotStalled);
        assert_eq!(judge(Some(Settled), Some(1.01)), Outcome::Stalled);
        assert_eq!(judge(Some(Pending), Some(1.0)), Outcome::Stalled);
        let hidden = |reason| Outcome::NotObservable(reason);
        assert_eq!(judge(Some(Pending), Some(0.99)), hidden(Reason::WatchedTooShort));
        assert_eq!(judge(Some(Settled), None), hidden(Reason::EventTimeNotSeen));
        assert_eq!(judge(Some(Unsupported), None), hidden(Reason::EventAbsent));
        assert_eq!(judge(None, Some(3.0)), hidden(Reason::EventNotSeen));
    }

    #[test]
    fn what_the_source_says_is_taken_as_it_is() {
        let judge = |reported| {
            judge(&rule("reported"), &Seen { reported, mops_per_s: Some(1.0), ..Seen::default() })
        };
        assert_eq!(judge(Some(true)), Outcome::Stalled);
        assert_eq!(judge(Some(false)), Outcome::NotStalled);
        assert_eq!(judge(None), Outcome::NotObservable(Reason::NotReported));
        assert!("reported:1".parse::<StallRule>().is_err());
    }
}
