//! What is said of the private futex hash.

use analysis::case::futex_hash::{
    FutexHashFinding, GrowthOfStalled, LEAST_SLOTS, MOST_WITHOUT_GROWTH, NeverDue, NotDue,
    PivotTimes, PivotTimesAt, WithoutGrowth,
};
use analysis::outcome::Reason;
use model::factor::Span;
use stats::Level;
use stats::words::{any_of, counted, list, percent, seconds, significant};

use super::EventWords;

/// What shows the race on any machine.
const IN_THE_LAB: &str = "`experiments run race-sweep --kernel debian:7.0 --cpus 32`";

/// What a figure says in which nothing could stall.
pub(super) const NOTHING_CAN_STALL: &str =
    "No growth of the private hash was ever due in these trials: they can't show the race.";

/// What tables and figures say of a growth.
pub(super) const EVENT: EventWords = EventWords {
    over: "installed",
    still: "still pending",
    title: "How long a due growth stays pending",
    clock: "seconds since growth became due",
    from_to: "From the moment at which growth became due to the first sample that showed the new size",
    shown: "Share of trials in which a due growth is still pending, over the time since it became due",
};

/// Where a growth's time is recorded.
pub(super) const IN_ROWS: &str = "recovery by the hash (`pivot_s`) is in trials.csv";

pub(super) fn why_no_outcome(reason: Reason) -> Option<&'static str> {
    match reason {
        Reason::EventAbsent => Some("the kernel has no private futex hash"),
        Reason::EventNotSeen => Some("the trial did not see what became of the growth"),
        Reason::EventTimeNotSeen => Some("the time of the growth was not recorded"),
        Reason::WatchedTooShort => {
            Some("the growth was still pending when the load ended, before the rule's limit")
        }
        _ => None,
    }
}

pub(super) fn is_late(limit: Span) -> String {
    format!(
        "a growth of its private hash was due and not installed within {} of it",
        seconds(limit.seconds())
    )
}

pub(super) fn when_over(limit: Span) -> String {
    format!(
        "A growth is seen as installed at the first sample that shows the new size. One that is still \
         pending when the load ends, after less than {}, has no outcome.",
        seconds(limit.seconds())
    )
}

pub(super) fn in_guests(rule_is_by_throughput: bool) -> String {
    let rule = match rule_is_by_throughput {
        true => " The rule here is by throughput: `--stall pivot:1s` judges by the hash.",
        false => "",
    };
    format!("The state of the hash is the kernel's own.{rule}")
}

/// Whether the finding is of a series in which no growth was due.
pub(super) fn is_without_event(finding: &FutexHashFinding) -> bool {
    matches!(finding, FutexHashFinding::WithoutGrowth(_))
}

/// The series whose stalled trials the finding explains.
pub(super) fn explained_series(finding: &FutexHashFinding) -> Option<&str> {
    match finding {
        FutexHashFinding::GrowthOfStalled(it) => Some(&it.series),
        _ => None,
    }
}

pub(super) fn say(finding: &FutexHashFinding) -> String {
    match finding {
        FutexHashFinding::NeverDue(it) => {
            let [found, meaning, next] = never_due(it);
            [found, meaning, next]
                .into_iter()
                .filter(|it| !it.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
        }
        FutexHashFinding::NoPrivateHash(it) => format!(
            "The kernel {} has no private futex hash, so this race does not exist on it: its {} are a \
             baseline for throughput and no evidence about stalls. Kernels from 6.17 on have it.",
            it.kernel,
            counted(it.trials, "trial", "trials"),
        ),
        FutexHashFinding::WithoutGrowth(it) => without_growth(it),
        FutexHashFinding::GrowthOfStalled(it) => growth_of_stalled(it),
        FutexHashFinding::PivotTimes(it) => pivot_times(it),
    }
}

pub(super) fn installed(series: &str) -> (String, &'static str) {
    (format!("growth of `{series}` was installed"), "the pending ones")
}

pub(super) fn headline(finding: &FutexHashFinding) -> Option<Vec<String>> {
    match finding {
        FutexHashFinding::NeverDue(it) => Some(never_due(it).to_vec()),
        FutexHashFinding::PivotTimes(it) => {
            let at = it.at.iter().map(|at| at.seconds.median);
            let (low, high) = (at.clone().reduce(f64::min)?, at.reduce(f64::max)?);
            Some(vec![
                pivot_time(it.at.last()?, it.level),
                match it.at.len() {
                    1 => String::new(),
                    n => format!(
                        "Over the {n} thread counts the medians are from {} to {}.",
                        seconds(low),
                        seconds(high)
                    ),
                },
                String::new(),
            ])
        }
        FutexHashFinding::NoPrivateHash(it) => Some(vec![
            format!(
                "The kernel {} has no private futex hash: this race does not exist on it.",
                it.kernel
            ),
            "Its trials are a baseline for throughput and no evidence about stalls.".to_string(),
            format!("Kernels from 6.17 on have it: {IN_THE_LAB}."),
        ]),
        _ => None,
    }
}

/// What can't be seen, why, and what can show it.
fn never_due(it: &NeverDue) -> [String; 3] {
    let here = match (it.in_lab, it.imported) {
        (true, _) => "These guests",
        (_, true) => "The machine that was measured",
        _ => "This machine",
    };
    let none_due = format!(
        "No growth of the private hash was due in {}.",
        any_of(it.trials, "trial", "trials")
    );
    let limit = format!(
        "no more than {LEAST_SLOTS} slots, which every threaded process has from its start"
    );
    match it.why {
        NotDue::Cpus(cpus) => [
            format!(
                "{here} can't show the race: on {} the kernel asks for {limit}.",
                counted(cpus, "CPU", "CPUs")
            ),
            none_due,
            match (it.in_lab, it.imported) {
                (true, _) => {
                    format!("Guests with more than {MOST_WITHOUT_GROWTH} CPUs can: {IN_THE_LAB}.")
                }
                (_, true) => format!("A machine with more than {MOST_WITHOUT_GROWTH} CPUs can."),
                _ => format!(
                    "A machine with more than {MOST_WITHOUT_GROWTH} CPUs can, or the lab on this one: \
                     {IN_THE_LAB}."
                ),
            },
        ],
        NotDue::Threads(threads) => [
            format!(
                "These thread counts can't show the race: up to {} the kernel asks for {limit}.",
                counted(threads, "thread", "threads")
            ),
            none_due,
            format!(
                "Thread counts above {MOST_WITHOUT_GROWTH} can: `experiments run race-sweep --set \
                 threads=50%,100%`."
            ),
        ],
        NotDue::Unknown => [
            "These trials can't show the race.".to_string(),
            none_due,
            format!("The lab can: {IN_THE_LAB}."),
        ],
    }
}

fn without_growth(it: &WithoutGrowth) -> String {
    let ratio = it.ratio.map(|(low, high)| {
        let (low, high) = (significant(low, 3), significant(high, 3));
        let times = match low == high {
            true => format!("{low} times"),
            false => format!("{low} to {high} times over the thread counts"),
        };
        format!(
            "Throughput of `{}` against its control, where no growth is due: {times}.",
            it.series
        )
    });
    let slow = (it.slow > 0).then(|| {
        format!(
            "{} of {} of `{}` {} slow by the rule `{}`. No growth was due, so that is not this race: \
             something else took the CPUs.",
            it.slow,
            counted(it.n, "trial", "trials"),
            it.series,
            if it.slow == 1 { "was" } else { "were" },
            it.rule
        )
    });
    [ratio, slow].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn growth_of_stalled(it: &GrowthOfStalled) -> String {
    let all = it.pending + it.settled + it.none;
    let states = [
        (it.pending, "pending to the end of the load"),
        (it.settled, "installed under load"),
        (it.none, "not due"),
    ];
    let seen: Vec<_> = states.into_iter().filter(|(count, _)| *count > 0).collect();
    if let [(_, state)] = seen.as_slice() {
        let which = match all {
            1 => "the stalled trial".to_string(),
            all => format!("all {all} stalled trials"),
        };
        return format!(
            "In {which} of `{}` the growth of the private hash was {state}.",
            it.series
        );
    }
    let parts: Vec<String> =
        seen.iter().map(|(count, state)| format!("{state} in {count}")).collect();
    format!(
        "In the {all} stalled trials of `{}` the growth of the private hash was {}.",
        it.series,
        list(&parts)
    )
}

fn pivot_times(it: &PivotTimes) -> String {
    it.at.iter().map(|at| pivot_time(at, it.level)).collect::<Vec<_>>().join(" ")
}

fn pivot_time(at: &PivotTimesAt, level: Level) -> String {
    let interval = match (at.seconds.low, at.seconds.high) {
        (Some(low), Some(high)) => {
            format!("{} to {}, {} interval, ", seconds(low), seconds(high), percent(level.get()))
        }
        _ => String::new(),
    };
    format!(
        "At {} a pivot takes {} under load (median; {interval}{}).",
        counted(at.threads, "thread", "threads"),
        seconds(at.seconds.median),
        counted(at.seconds.n as u64, "call", "calls")
    )
}
