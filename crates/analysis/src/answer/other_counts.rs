//! Recoveries and stalls at the thread counts below the highest, which a sentence names first: a list of
//! few words each.

use std::fmt;

use serde::Serialize;

use super::{ControlWatched, MOST_LISTED};
use crate::recovery::throughput::MedianBetween;
use stats::samples::median::median_ranks;
use stats::words::{counted, p_is, seconds, seconds_between};
use stats::{Estimate, Level};

/// How long a due growth takes at a thread count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RecoveryAt {
    /// The thread count.
    pub threads: u64,
    /// Trials in which growth was due.
    pub n: u64,
    /// Those in which it was installed under load.
    pub events: u64,
    /// The median time, in seconds, with censoring.
    pub median: Estimate,
}

/// How long stalls by throughput last at a thread count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StallsAt {
    /// The thread count.
    pub threads: u64,
    /// Trials whose timeline was looked at.
    pub watched: u64,
    /// Those that fell below the share of their control for two samples in a row or more.
    pub n: u64,
    /// Those that fell below it for single samples only.
    pub one_sample: u64,
    /// The control at the same factors by the same rule; `None` where none was watched.
    pub control: Option<ControlWatched>,
    /// Those that recovered.
    pub events: u64,
    /// The median duration, in seconds, with censoring, by its right edges; its bounds.
    pub median: Estimate,
    /// The interval in which it lies between two samples.
    pub between: Option<MedianBetween>,
}

/// ` At fewer threads: at 48 in 9 of 10, median 1.2 s (800 ms to 2 s); at 32 in 10 of 10, median 400 ms.`
pub(super) fn write_recoveries(
    f: &mut fmt::Formatter<'_>,
    others: &[RecoveryAt],
    level: f64,
) -> fmt::Result {
    write_list(f, others, |at| {
        let RecoveryAt { threads, n, events, median } = at;
        let time = match median.estimate {
            Some(estimate) => {
                format!(", median {}{}", seconds(estimate), bounds(median, *n, level))
            }
            None => String::new(),
        };
        format!("at {threads} in {events} of {n}{time}")
    })
}

/// ` At fewer threads: at 48 in 3 of 10 (control: 0 of 10, p = 0.105), all back, median 2 to 3 s.`
pub(super) fn write_stalls(
    f: &mut fmt::Formatter<'_>,
    others: &[StallsAt],
    level: f64,
) -> fmt::Result {
    write_list(f, others, |at| {
        let StallsAt { threads, watched, n, one_sample, control, events, median, between } = at;
        let single = single_samples(*one_sample);
        let control = control.map_or_else(String::new, |control| {
            let p = control.p_value.map_or_else(String::new, |p| format!(", {}", p_is(p)));
            format!(" (control: {}{p})", control.in_words(*one_sample))
        });
        let back = match events {
            0 => "none back".to_string(),
            all if all == n => "all back".to_string(),
            some => format!("{some} back"),
        };
        let time = match lasting(median, between.as_ref()).filter(|_| *events > 0) {
            Some(time) => format!(", median {time}{}", bounds(median, *n, level)),
            None => String::new(),
        };
        format!("at {threads} in {n} of {watched}{single}{control}, {back}{time}")
    })
}

/// `, for a single sample in 2 more`; nothing where there is none.
pub(super) fn single_samples(trials: u64) -> String {
    match trials {
        0 => String::new(),
        n => format!(", for a single sample in {n} more"),
    }
}

/// How long a median stall lasts: between two samples where that is known.
pub(super) fn lasting(median: &Estimate, between: Option<&MedianBetween>) -> Option<String> {
    match (between, median.estimate) {
        (Some(MedianBetween { left_s, right_s: Some(right_s) }), _) => {
            Some(seconds_between(*left_s, *right_s))
        }
        (Some(MedianBetween { left_s, right_s: None }), _) => {
            Some(format!("more than {}", seconds(*left_s)))
        }
        (None, by) => by.map(|by| format!("up to {}", seconds(by))),
    }
}

/// Whether so many trials have an interval of a median at all, and this one has a bound.
pub(super) fn has_interval(median: &Estimate, n: u64, level: f64) -> bool {
    let enough = Level::new(level).is_ok_and(|level| median_ranks(n as usize, level).is_some());
    enough && (median.low.is_some() || median.high.is_some())
}

/// ` (14 s to 296 s)`.
fn bounds(median: &Estimate, n: u64, level: f64) -> String {
    match (median.low.filter(|_| has_interval(median, n, level)), median.high) {
        (Some(low), Some(high)) => format!(" ({} to {})", seconds(low), seconds(high)),
        (Some(low), None) => format!(" (above {})", seconds(low)),
        _ => String::new(),
    }
}

fn write_list<T>(
    f: &mut fmt::Formatter<'_>,
    others: &[T],
    in_words: impl Fn(&T) -> String,
) -> fmt::Result {
    let mut parts: Vec<String> = others.iter().take(MOST_LISTED).map(in_words).collect();
    if let Some(more) = others.len().checked_sub(MOST_LISTED).filter(|more| *more > 0) {
        parts.push(format!(
            "{} in `recovery.csv`",
            counted(more as u64, "more thread count is", "more thread counts are")
        ));
    }
    match parts.is_empty() {
        true => Ok(()),
        false => write!(f, " At fewer threads: {}.", parts.join("; ")),
    }
}
