use analysis::finding::few_trials::{enough, has_interval};
use analysis::finding::recovery::{RecoveredAt, TimeToRecovery};
use analysis::recovery::SeenBy;
use stats::words::{out_of, seconds};
use stats::{Estimate, Level};

use super::{at_fewer_threads, case, percent, threads, too_few};

pub(super) fn say(it: &TimeToRecovery) -> String {
    let others = at_fewer_threads(it.at.get(1..).unwrap_or_default(), |at| {
        let time = match at.median.estimate {
            Some(time) => {
                format!(", median {}{}", seconds(time), bounds(&at.median, at.n, it.level))
            }
            None => String::new(),
        };
        format!("at {} in {} of {}{time}", at.threads, at.events, at.n)
    });
    format!("{}{others}", headline(it))
}

/// At the highest thread count alone.
pub(super) fn headline(it: &TimeToRecovery) -> String {
    let Some(first) = it.at.first() else { return String::new() };
    let (what, rest) = match it.seen_by {
        SeenBy::Event => case::event_over(&it.series),
        SeenBy::Throughput => (
            format!("throughput of `{}` recovered", it.series),
            "those that had not when the load ended",
        ),
    };
    let in_trials = match (first.n, first.events) {
        (1, 1) => "the only trial".to_string(),
        (n, events) => out_of(events, n, "trial", "trials"),
    };
    let time = median(first, rest, it.level);
    format!("At {} the {what} under load in {in_trials}{time}", threads(first.threads))
}

/// The median time, and what is known of it where it doesn't exist.
fn median(at: &RecoveredAt, rest: &str, level: Level) -> String {
    let enough = enough(at.n, level);
    let bound = |s: Option<f64>| s.filter(|_| enough).map(seconds);
    let among = match at.n > at.events {
        true => format!(", with {rest} as censored,"),
        false => String::new(),
    };
    let at_level = percent(level);
    match (at.median.estimate.map(seconds), bound(at.median.low), bound(at.median.high)) {
        (Some(median), Some(low), Some(high)) => {
            format!("; the median time{among} is {median} ({low} to {high}, {at_level} interval).")
        }
        (Some(median), Some(low), None) => format!(
            "; the median time{among} is {median} (above {low} at {at_level}; there is no upper bound)."
        ),
        (Some(median), ..) if !enough => {
            format!("; the median time{among} is {median} ({}).", too_few(at.n, level))
        }
        (Some(median), ..) => format!("; the median time{among} is {median}."),
        (None, Some(low), _) => {
            format!(": too few for a median time, which is above {low} at {at_level}.")
        }
        (None, None, _) if at.events == 0 => ": it takes longer than the load lasted.".to_string(),
        (None, None, _) => ": too few for a median time.".to_string(),
    }
}

/// ` (14 s to 296 s)`.
pub(super) fn bounds(median: &Estimate, n: u64, level: Level) -> String {
    match (median.low.filter(|_| has_interval(median, n, level)), median.high) {
        (Some(low), Some(high)) => format!(" ({} to {})", seconds(low), seconds(high)),
        (Some(low), None) => format!(" (above {})", seconds(low)),
        _ => String::new(),
    }
}
