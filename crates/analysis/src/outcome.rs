//! Whether a trial stalled: the rule, and what it says of one trial.
//!
//! A trial that meets a condition is a hit, however it ended. One that failed and meets none has no
//! outcome: it is counted apart and never enters a denominator. Where the rule has nothing to look at,
//! the outcome is [`Outcome::NotObservable`] with the reason, never "not stalled".

use std::fmt;

use model::event::Event;
use model::outcome::end::{End, OfEnd};
use model::outcome::{Condition, StallRule, reported};
use model::record::Status;
use serde::Serialize;

/// What the rule says of one trial; `None` of one that failed by what the rule doesn't name.
pub fn judge(rule: &StallRule, seen: &Seen<'_>) -> Option<Outcome> {
    let mut hidden = None;
    for condition in rule.conditions() {
        match said(condition, seen) {
            Outcome::Stalled => return Some(Outcome::Stalled),
            Outcome::NotStalled => {}
            not_observable => hidden = hidden.or(Some(not_observable)),
        }
    }
    (seen.status == Status::Ok).then(|| hidden.unwrap_or(Outcome::NotStalled))
}

fn said(condition: &Condition, seen: &Seen<'_>) -> Outcome {
    match condition.of_end(&End { status: seen.status, metric: seen.metric }) {
        OfEnd::Met => return Outcome::Stalled,
        OfEnd::NotMet => return Outcome::NotStalled,
        OfEnd::Unknown => return Outcome::NotObservable(Reason::EndNotRecorded),
        OfEnd::NotOfEnd => {}
    }
    if let Condition::Splat { text } = condition {
        return match seen.splats {
            None => Outcome::NotObservable(Reason::ConsoleNotWatched),
            Some("none") => Outcome::NotStalled,
            Some(splats) => {
                Outcome::stalled_if(text.as_ref().is_none_or(|text| splats.contains(text.as_str())))
            }
        };
    }
    // The others look at what the work gave.
    if seen.status != Status::Ok {
        return Outcome::NotStalled;
    }
    of_work(condition, seen)
}

fn of_work(condition: &Condition, seen: &Seen<'_>) -> Outcome {
    match *condition {
        Condition::Control { share } => match (seen.mops_per_s, seen.control_median) {
            (None, _) => Outcome::NotObservable(Reason::NoThroughput),
            (_, None) => Outcome::NotObservable(Reason::NoControl),
            (_, Some(0.0)) => Outcome::NotObservable(Reason::ControlIsZero),
            (Some(mops), Some(control)) => Outcome::stalled_if(mops < share * control),
        },
        Condition::Absolute { mops: limit } => match seen.mops_per_s {
            None => Outcome::NotObservable(Reason::NoThroughput),
            Some(mops) => Outcome::stalled_if(mops < limit),
        },
        Condition::Split => match (seen.mops_per_s, seen.cut) {
            (None, _) => Outcome::NotObservable(Reason::NoThroughput),
            // Where the control did nothing, no mode is that of working trials.
            _ if seen.control_median == Some(0.0) => Outcome::NotObservable(Reason::ControlIsZero),
            (Some(mops), Some(cut)) => Outcome::stalled_if(mops < cut),
            // One mode beside the control is the control's; alone it may be either.
            (Some(_), None) if seen.control_median.is_some() => Outcome::NotStalled,
            (Some(_), None) => Outcome::NotObservable(Reason::OneMode),
        },
        Condition::Reported => match (seen.metric)(reported::METRIC) {
            None => Outcome::NotObservable(Reason::NotReported),
            Some((stalled, _)) => Outcome::stalled_if(stalled == 1.0),
        },
        Condition::Metric(ref limit) => match (seen.metric)(&limit.name) {
            None => Outcome::NotObservable(Reason::NoMetric),
            Some((value, unit)) => match limit.is_met(value, unit) {
                None => Outcome::NotObservable(Reason::OtherUnit),
                Some(met) => Outcome::stalled_if(met),
            },
        },
        Condition::Event { limit } => match seen.event {
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
        Condition::Exit { .. }
        | Condition::Signal
        | Condition::Hang { .. }
        | Condition::Timeout
        | Condition::Match { .. }
        | Condition::Splat { .. } => Outcome::NotStalled,
    }
}

/// What a rule looks at.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// How the trial ended.
    pub status: Status,
    /// The trial's throughput.
    pub mops_per_s: Option<f64>,
    /// The median throughput of its control.
    pub control_median: Option<f64>,
    /// The cut between two modes of the throughputs that it is pooled with; `None` where they have
    /// one.
    pub cut: Option<f64>,
    /// What became of the case's event.
    pub event: Option<Event>,
    /// Kernel complaints that fell into it; `None` where nobody watched, `none` where there were none.
    pub splats: Option<&'a str>,
    /// A metric by its name: its value and its unit.
    pub metric: &'a dyn Fn(&str) -> Option<(f64, &'a str)>,
}

impl Default for Seen<'_> {
    fn default() -> Self {
        Seen {
            status: Status::Ok,
            mops_per_s: None,
            control_median: None,
            cut: None,
            event: None,
            splats: None,
            metric: &|_| None,
        }
    }
}

/// What a rule says of a trial.
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
    /// What the condition looks at, of the trial's end, was not recorded.
    EndNotRecorded,
    /// The kernel's console was not watched.
    ConsoleNotWatched,
    /// The trial lacks the metric.
    NoMetric,
    /// The metric's unit measures something else than the limit's.
    OtherUnit,
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
            Reason::EndNotRecorded => "what the rule looks at was not recorded in the trial",
            Reason::ConsoleNotWatched => "the kernel's console was not watched",
            Reason::NoMetric => "the trial has no such metric",
            Reason::OtherUnit => "the metric has a unit that the limit can't be held against",
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
            assert!(error.contains(&format!("{text:?}")) && error.contains("accepted"), "{error}");
        }
    }

    #[test]
    fn the_control_rule_compares_with_the_control() {
        let judge = |mops, control| {
            let seen = Seen { mops_per_s: mops, control_median: control, ..Seen::default() };
            judge(&rule("control:0.5"), &seen).unwrap()
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
        let judge = |mops| {
            judge(&rule("absolute:100"), &Seen { mops_per_s: mops, ..Seen::default() }).unwrap()
        };
        assert_eq!(judge(Some(99.9)), Outcome::Stalled);
        assert_eq!(judge(Some(100.0)), Outcome::NotStalled);
        assert_eq!(judge(None), Outcome::NotObservable(Reason::NoThroughput));
    }

    #[test]
    fn the_pivot_rule_carries_its_censoring() {
        use model::record::Pivot::{self, None as NotDue, Pending, Settled, Unsupported};
        let judge = |pivot: Option<Pivot>, pivot_s| {
            let event = pivot.map(|pivot| Event::of_pivot(pivot, pivot_s));
            judge(&rule("pivot:1s"), &Seen { event, ..Seen::default() }).unwrap()
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
        let judge = |reported: Option<f64>| {
            let metric = |name: &str| reported.filter(|_| name == "stalled").map(|it| (it, ""));
            let seen = Seen { metric: &metric, mops_per_s: Some(1.0), ..Seen::default() };
            judge(&rule("reported"), &seen).unwrap()
        };
        assert_eq!(judge(Some(1.0)), Outcome::Stalled);
        assert_eq!(judge(Some(0.0)), Outcome::NotStalled);
        assert_eq!(judge(None), Outcome::NotObservable(Reason::NotReported));
        assert!("reported:1".parse::<StallRule>().is_err());
    }

    #[test]
    fn a_failure_that_the_rule_names_is_a_hit_and_another_is_none() {
        let judge = |text: &str, status, facts: &[(&str, f64)]| {
            let metric = |name: &str| {
                facts.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value, "s"))
            };
            judge(&rule(text), &Seen { status, metric: &metric, ..Seen::default() })
        };
        let hit = Some(Outcome::Stalled);
        assert_eq!(judge("exit:1", Status::Crashed, &[("exit_status", 1.0)]), hit);
        assert_eq!(judge("exit:1", Status::Crashed, &[("exit_status", 2.0)]), None);
        assert_eq!(judge("exit", Status::Crashed, &[("exit_signal", 6.0)]), None);
        assert_eq!(judge("exit or signal", Status::Crashed, &[("exit_signal", 6.0)]), hit);
        assert_eq!(judge("hang:2s", Status::Timeout, &[("idle_s", 2.5)]), hit);
        assert_eq!(judge("absolute:1 or timeout", Status::Timeout, &[]), hit);
        let not = Some(Outcome::NotStalled);
        assert_eq!(judge("exit", Status::Ok, &[("exit_status", 0.0)]), not);
        // A condition that is met outweighs one that can't be seen.
        assert_eq!(judge("exit or metric:x>1ms", Status::Ok, &[("x", 0.002)]), hit);
        let hidden = Some(Outcome::NotObservable(Reason::EndNotRecorded));
        assert_eq!(judge("exit or metric:x>3ms", Status::Ok, &[("x", 0.002)]), hidden);
    }

    #[test]
    fn a_complaint_of_the_kernel_counts_where_somebody_listened() {
        let judge =
            |text: &str, splats| judge(&rule(text), &Seen { splats, ..Seen::default() }).unwrap();
        assert_eq!(judge("splat", Some("none")), Outcome::NotStalled);
        assert_eq!(judge("splat", Some("WARNING: x")), Outcome::Stalled);
        assert_eq!(judge("splat:KASAN", Some("WARNING: x")), Outcome::NotStalled);
        let not_watched = Outcome::NotObservable(Reason::ConsoleNotWatched);
        assert_eq!(judge("splat", None), not_watched);
    }
}
