use std::collections::BTreeMap;

use analysis::finding::stalls::{ControlStalls, Stalls, StallsAt};
use stats::Level;
use stats::proportion::at_most;
use stats::words::{self, list, out_of};

use super::{MOST_LISTED, percent, threads, trials};
use crate::say::word::{HAD, HAD_NONE, HAS, PLURAL};

pub(super) fn some(it: &Stalls) -> String {
    let none: Vec<StallsAt> = it.at.iter().copied().filter(|at| at.stalled == 0).collect();
    let none = match none.is_empty() {
        true => String::new(),
        false => format!(" {}.", none_at(&none, it.level)),
    };
    format!("{} (rule `{}`).{none}", where_stalled(&it.series, &it.at), it.rule)
}

pub(super) fn none(it: &Stalls) -> String {
    let in_all = match it.observed() {
        1 => "its only trial".to_string(),
        n => format!("{n} trials"),
    };
    format!(
        "`{}` {HAD_NONE} in {in_all} (rule `{}`). {}. This does not prove that it never {HAS}.",
        it.series,
        it.rule,
        none_at(&it.at, it.level)
    )
}

pub(super) fn of_control(it: &ControlStalls) -> String {
    format!(
        "The control `{}` {HAD} too, in {} of {}. Nothing can stall there by the case: something else \
         slows this machine, and the {PLURAL} above may be that too.",
        it.series,
        it.stalled,
        trials(it.n)
    )
}

fn where_stalled(series: &str, at: &[StallsAt]) -> String {
    let stalled: Vec<&StallsAt> = at.iter().filter(|at| at.stalled > 0).collect();
    let first = at.iter().position(|at| at.stalled > 0).unwrap_or(0);
    if let [StallsAt { threads: count, stalled, n }] = at {
        let in_trials = match (stalled, n) {
            (1, 1) => "the only trial".to_string(),
            _ => out_of(*stalled, *n, "trial", "trials"),
        };
        return format!("`{series}` {HAD} in {in_trials} at {}", threads(*count));
    }
    let listed = stalled.iter().take(MOST_LISTED);
    let mut counts: Vec<String> =
        listed.map(|at| format!("{} of {} at {}", at.stalled, at.n, at.threads)).collect();
    if stalled.len() > MOST_LISTED {
        counts.push(format!("more at {} higher counts", stalled.len() - MOST_LISTED));
    }
    let counts = list(&counts);
    let start = at[first].threads;
    match (at[first..].iter().all(|at| at.stalled > 0), first) {
        (true, 0) => {
            format!(
                "`{series}` {HAD} at every thread count, from the lowest ({start}) on: {counts}"
            )
        }
        (true, _) => format!("`{series}` {HAD} from {start} threads on: {counts}"),
        (false, _) => format!("`{series}` {HAD} at some thread counts: {counts}"),
    }
}

/// At most how many of the trials stall where none of so many did.
pub(super) fn bound(n: u64, level: Level) -> String {
    at_most(n, level).map_or_else(|_| "an unknown share".to_string(), words::percent)
}

/// What "none of n" shows, for cells of the same n together: `0 of 10 at each of 24, 32 and 40 threads
/// (at most 25.9 %), with 95 % confidence for each`.
fn none_at(at: &[StallsAt], level: Level) -> String {
    let mut by_n: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for at in at {
        by_n.entry(at.n).or_default().push(at.threads);
    }
    let part = |(n, threads): (&u64, &Vec<u64>)| {
        let mut counts: Vec<String> =
            threads.iter().take(MOST_LISTED).map(u64::to_string).collect();
        if threads.len() > MOST_LISTED {
            counts.push(format!("{} more counts", threads.len() - MOST_LISTED));
        }
        let each = if threads.len() > 1 { "each of " } else { "" };
        let of = if threads == &[1] { "thread" } else { "threads" };
        format!("0 of {n} at {each}{} {of} (at most {})", list(&counts), bound(*n, level))
    };
    let parts: Vec<String> = by_n.iter().rev().map(part).collect();
    let each = if at.len() > 1 { " for each" } else { "" };
    format!("{}, with {} confidence{each}", parts.join("; "), percent(level))
}
