//! What a condition says of how a trial ended. The runner asks when a hit begins, the analysis whether
//! there was one; both ask here.

use super::{Condition, fact};
use crate::record::Status;

/// How a trial ended.
pub struct End<'a> {
    /// Its status.
    pub status: Status,
    /// Its metrics, [`fact`]s among them, by name: value and unit; `None` of one that was not recorded.
    pub metric: &'a dyn Fn(&str) -> Option<(f64, &'a str)>,
}

/// What a condition says of a trial's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfEnd {
    /// It is met.
    Met,
    /// It is not.
    NotMet,
    /// What it looks at was not recorded.
    Unknown,
    /// It looks at something else.
    NotOfEnd,
}

impl OfEnd {
    fn of(met: Option<bool>) -> OfEnd {
        match met {
            Some(true) => OfEnd::Met,
            Some(false) => OfEnd::NotMet,
            None => OfEnd::Unknown,
        }
    }
}

impl Condition {
    /// What it says of how a trial ended.
    pub fn of_end(&self, end: &End<'_>) -> OfEnd {
        let fact = |name: &str| (end.metric)(name).map(|(value, _)| value);
        let status = fact(fact::EXIT_STATUS);
        let signal = fact(fact::EXIT_SIGNAL);
        // The runner ended it, so that it had no end of its own.
        let was_ended = end.status == Status::Timeout;
        let has_end = status.is_some() || signal.is_some() || was_ended;
        match self {
            Condition::Exit { statuses } => OfEnd::of(has_end.then(|| match status {
                Some(status) if statuses.is_empty() => status != 0.0,
                Some(status) => statuses.iter().any(|one| f64::from(*one) == status),
                None => false,
            })),
            Condition::Signal => OfEnd::of(has_end.then_some(signal.is_some() && !was_ended)),
            Condition::Timeout => OfEnd::of(Some(was_ended)),
            Condition::Hang { without } => match fact(fact::FROZEN) {
                Some(_) => OfEnd::Met,
                None => OfEnd::of(fact(fact::IDLE_S).map(|idle| idle >= without.seconds())),
            },
            Condition::Match { regex } => {
                OfEnd::of(fact(&fact::matches(regex)).map(|found| found > 0.0))
            }
            Condition::Metric(limit) => {
                let met =
                    (end.metric)(&limit.name).and_then(|(value, unit)| limit.is_met(value, unit));
                met.map_or(OfEnd::NotOfEnd, |met| OfEnd::of(Some(met)))
            }
            Condition::Control { .. }
            | Condition::Absolute { .. }
            | Condition::Event { .. }
            | Condition::Split
            | Condition::Reported
            | Condition::Splat { .. } => OfEnd::NotOfEnd,
        }
    }

    /// The fact whose moment is the begin of a hit, of a condition that looks at a trial's end.
    pub fn begins_with(&self) -> Option<String> {
        match self {
            Condition::Exit { .. } | Condition::Signal | Condition::Timeout => {
                Some(fact::END.to_string())
            }
            Condition::Hang { .. } => Some(fact::IDLE_S.to_string()),
            Condition::Match { regex } => Some(fact::matches(regex)),
            // Where the workload tells when it was first so.
            Condition::Metric(limit) => Some(limit.name.clone()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(condition: &str, status: Status, facts: &[(&str, f64)]) -> OfEnd {
        let metric =
            |name: &str| facts.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value, ""));
        let rule: super::super::StallRule = condition.parse().unwrap();
        rule.conditions()[0].of_end(&End { status, metric: &metric })
    }

    #[test]
    fn each_condition_looks_at_its_own_fact() {
        use OfEnd::{Met, NotMet, NotOfEnd, Unknown};
        let (ok, crashed, timeout) = (Status::Ok, Status::Crashed, Status::Timeout);
        for (condition, status, facts, expected) in [
            ("exit", ok, &[("exit_status", 0.0)][..], NotMet),
            ("exit", crashed, &[("exit_status", 1.0)], Met),
            ("exit:2,3", crashed, &[("exit_status", 1.0)], NotMet),
            ("exit:0", ok, &[("exit_status", 0.0)], Met),
            ("exit", crashed, &[("exit_signal", 6.0)], NotMet),
            ("exit", timeout, &[], NotMet),
            ("exit", crashed, &[], Unknown),
            ("signal", crashed, &[("exit_signal", 6.0)], Met),
            ("signal", ok, &[("exit_status", 0.0)], NotMet),
            ("signal", timeout, &[("exit_signal", 9.0)], NotMet),
            ("timeout", timeout, &[], Met),
            ("timeout", ok, &[], NotMet),
            ("hang:2s", timeout, &[("idle_s", 2.0)], Met),
            ("hang:2s", ok, &[("idle_s", 1.9)], NotMet),
            ("hang:2s", ok, &[], Unknown),
            ("hang:2s", crashed, &[("frozen", 1.0)], Met),
            ("match:a", ok, &[("match:a", 1.0)], Met),
            ("match:a", ok, &[("match:a", 0.0)], NotMet),
            ("match:a", ok, &[("match:b", 1.0)], Unknown),
            ("metric:misses>0", ok, &[("misses", 1.0)], Met),
            ("metric:misses>0", ok, &[], NotOfEnd),
            ("control:0.5", ok, &[], NotOfEnd),
        ] {
            assert_eq!(says(condition, status, facts), expected, "{condition} {status} {facts:?}");
        }
    }
}
