//! When a stalled process recovered.

use stats::recovery::{Course, RecoveryRule};
use stats::words::counted;

use super::number;

/// What was asked: `at least 18 (0.5 of the control's 36), kept for 3 s`.
fn asked(rule: &RecoveryRule) -> String {
    format!(
        "at least {} ({} of the control's {}), kept for {} s",
        number(rule.share * rule.control),
        number(rule.share),
        number(rule.control),
        number(rule.hold_s),
    )
}

/// The answer of one trial.
pub fn one_trial(trial: Option<&str>, course: Course, rule: &RecoveryRule) -> String {
    let name = trial.map_or(String::new(), |name| format!("trial {name}: "));
    let said = match course {
        Course::Recovered(at) => {
            format!("recovered in ({}, {}] s", number(at.left_s), number(at.right_s))
        }
        Course::NotRecovered { until_s } => format!("not recovered up to {} s", number(until_s)),
        Course::NeverStalled => "never stalled".to_owned(),
    };
    format!("{name}{said}: {}.", asked(rule))
}

/// The answer of several trials, by outcome; `None` is a trial that was not observable.
pub fn several_trials(courses: &[Option<Course>], rule: &RecoveryRule) -> String {
    let of = |is: fn(&Option<Course>) -> bool| courses.iter().filter(|course| is(course)).count();
    let unseen = match of(Option::is_none) {
        0 => String::new(),
        n => format!(", {n} not observable"),
    };
    format!(
        "{}: {} recovered, {} not, {} never stalled{unseen}; a recovery is {}.",
        counted(courses.len() as u64, "trial", "trials"),
        of(|course| matches!(course, Some(Course::Recovered(_)))),
        of(|course| matches!(course, Some(Course::NotRecovered { .. }))),
        of(|course| matches!(course, Some(Course::NeverStalled))),
        asked(rule),
    )
}

/// The clock starts when all threads exist.
pub fn clock(from_s: f64, threads: u64) -> String {
    let who = match threads {
        1 => "the only thread".to_owned(),
        n => format!("all {n} threads"),
    };
    format!(
        "the clock starts at {} s, when {who} existed: before that, a throughput says how many there \
         were; --start 0s looks at all samples",
        number(from_s)
    )
}

/// A trial without a sample to look at.
pub fn no_sample(start_s: f64) -> String {
    format!("no sample with a throughput begins at or after {} s", number(start_s))
}

/// Samples without a throughput.
pub fn unobserved(samples: usize) -> String {
    format!(
        "{} without a throughput, passed over: the next one counts from the one before",
        counted(samples as u64, "sample", "samples")
    )
}

/// A stall as short as chance makes them.
pub fn short(samples: usize) -> String {
    format!(
        "no more than {} in a row below the share: a look that came late, or a neighbour on the CPU, makes \
         that too",
        counted(samples as u64, "sample", "samples")
    )
}

/// Samples below the share that are no stall.
pub fn scattered(below: usize, least_samples: usize, sigma: f64) -> String {
    format!(
        "{} below the share, but not {least_samples} in a row at a level of their own, given a noise \
         (sigma) of {}",
        counted(below as u64, "sample", "samples"),
        number(sigma)
    )
}

/// An interval far longer than the others.
pub fn gap(from_s: f64, to_s: f64, usual_s: f64) -> String {
    format!(
        "from {} to {} s there is one sample, where the usual interval is {} s: it is taken as the mean of \
         all that time",
        number(from_s),
        number(to_s),
        number(usual_s)
    )
}

/// Too few stalls to estimate their lengths together.
pub fn few_stalls(stalls: usize, trials: usize, least_samples: usize) -> String {
    let who = match stalls {
        0 => "no trial".to_owned(),
        _ => format!("one of {trials} trials"),
    };
    format!(
        "{who} stalled for {} or more: from two on their lengths are estimated together",
        counted(least_samples as u64, "sample", "samples")
    )
}

/// Too many stalls to estimate their lengths together here.
pub fn many_stalls(stalls: usize, most: usize) -> String {
    format!(
        "{stalls} trials stalled: above {most} they are not estimated together here; `experiments analyze` \
         does it"
    )
}
