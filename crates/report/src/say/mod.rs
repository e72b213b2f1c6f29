//! All sentences: a file a finding, of the finding's name.

mod against_control;
mod by_factor;
pub mod case;
mod checks;
pub mod compare;
pub mod damage;
mod failed;
mod few_trials;
mod guests;
pub mod headline;
mod metric_range;
mod not_observable;
mod recovery;
pub mod rule;
mod slowdown;
mod stall_duration;
mod stalls;
pub mod stat;
mod threads_are_cpus;
mod threshold;
pub mod torn;
pub mod unfinished;
pub mod warning;
pub mod word;

use analysis::Analysis;
use analysis::finding::Finding;
use stats::words::{counted, significant};
use stats::{Estimate, Level, words};

/// The longest list in a sentence; the tables have it whole.
const MOST_LISTED: usize = 8;

/// What an analysis found, a paragraph a finding, the most important first.
pub fn all(analysis: &Analysis) -> Vec<String> {
    analysis.findings.iter().map(finding).collect()
}

/// A finding in words.
pub fn finding(finding: &Finding) -> String {
    match finding {
        Finding::NothingFinished(it) => unfinished::nothing(it),
        Finding::AllFailed(it) => failed::all(it),
        Finding::Checks(it) => checks::say(it),
        Finding::Case(it) => case::say(it),
        Finding::ByFactor(it) => by_factor::say(it),
        Finding::Stalls(it) => stalls::some(it),
        Finding::NoStall(it) => stalls::none(it),
        Finding::Threshold(it) => threshold::say(it),
        Finding::Slowdown(it) => slowdown::say(it),
        Finding::TimeToRecovery(it) => recovery::say(it),
        Finding::StallDuration(it) => stall_duration::say(it),
        Finding::NotObservable(it) => not_observable::all(it),
        Finding::PartlyNotObservable(it) => not_observable::partly(it),
        Finding::ControlStalls(it) => stalls::of_control(it),
        Finding::FewTimes(it) => few_trials::few_times(it),
        Finding::AgainstControl(it) => against_control::cell(it),
        Finding::RatioRange(it) => against_control::range(it),
        Finding::MetricRange(it) => metric_range::say(it),
        Finding::ThreadsAreCpus(it) => threads_are_cpus::say(it),
        Finding::Guests(it) => guests::say(it),
        Finding::Failed(it) => failed::some(it),
        Finding::Splats(it) => failed::splats(it),
        Finding::FewTrials(it) => few_trials::few_trials(it),
        Finding::Interrupted(it) => unfinished::interrupted(it),
        Finding::Disturbed(it) => failed::disturbed(it),
    }
}

fn trials(n: u64) -> String {
    counted(n, "trial", "trials")
}

fn threads(n: u64) -> String {
    counted(n, "thread", "threads")
}

/// `1 trial is too few for an interval at 95 %`.
fn too_few(n: u64, level: Level) -> String {
    let verb = if n == 1 { "is" } else { "are" };
    format!("{} {verb} too few for an interval at {}", trials(n), percent(level))
}

fn percent(level: Level) -> String {
    words::percent(level.get())
}

/// `0.49 to 0.943, 95 % interval`, where there are both bounds.
fn interval(of: &Estimate, level: Level) -> Option<String> {
    let (low, high) = (significant(of.low?, 3), significant(of.high?, 3));
    Some(format!("{low} to {high}, {} interval", percent(level)))
}

/// ` At fewer threads: …; ….` of what is listed, or nothing.
fn at_fewer_threads<T>(others: &[T], in_words: impl Fn(&T) -> String) -> String {
    let mut parts: Vec<String> = others.iter().take(MOST_LISTED).map(in_words).collect();
    if let Some(more) = others.len().checked_sub(MOST_LISTED).filter(|more| *more > 0) {
        let more = counted(more as u64, "more thread count is", "more thread counts are");
        parts.push(format!("{more} in `recovery.csv`"));
    }
    match parts.is_empty() {
        true => String::new(),
        false => format!(" At fewer threads: {}.", parts.join("; ")),
    }
}
