//! How many trials.

use stats::Alternative;
use stats::power::clusters::ClustersNeeded;
use stats::power::hazard_ratio::EventsNeeded;
use stats::power::interval_width::TrialsForWidth;
use stats::power::none_of_n::NoneOfN;
use stats::power::two_proportions::TrialsNeeded;
use stats::words::counted;

use super::number;

fn side(alternative: Alternative) -> &'static str {
    match alternative {
        Alternative::TwoSided => "two-sided",
        Alternative::Less => "one-sided (test below base)",
        Alternative::Greater => "one-sided (test above base)",
    }
}

/// Trials a side for a test of two proportions.
pub fn two_sides(found: &TrialsNeeded, [base, test]: [f64; 2], alternative: Alternative) -> String {
    format!(
        "Trials a side: {}, with power {} to tell {} from {} by {}, {}, at an error rate of {}.",
        found.n_per_side,
        number(found.power),
        number(test),
        number(base),
        found.test,
        side(alternative),
        number(found.level.alpha()),
    )
}

/// Boots a side for the permutation test of whole boots.
pub fn boots(found: &ClustersNeeded, [base, test]: [f64; 2]) -> String {
    format!(
        "{} a side, of {} each, with power of about {} to tell {} from {} by the permutation test of boots, \
         if the trials of a boot are alike by an intraclass correlation of {}.",
        counted(found.boots_per_side, "boot", "boots"),
        counted(found.trials_each, "trial", "trials"),
        number((found.power * 100.0).round() / 100.0),
        number(test),
        number(base),
        number(found.icc),
    )
}

/// How far the power was checked.
pub fn checked(found: &TrialsNeeded, power: f64) -> String {
    format!(
        "the power stays at or above {} from this n on, checked up to {} trials a side; a smaller n may \
         reach it once",
        number(power),
        found.checked_to
    )
}

/// Trials for an interval of a width.
pub fn width(found: &TrialsForWidth) -> String {
    format!(
        "{}: a {} % {} interval is then {} wide on average, if the probability is {}.",
        counted(found.n, "trial", "trials"),
        found.level.percent(),
        found.interval,
        number(found.expected_width),
        number(found.p),
    )
}

/// Trials, none of which may stall.
pub fn none_of(found: &NoneOfN) -> String {
    format!(
        "{}: if none of them stalls, the probability is at most {} at {} % confidence (one-sided, exact).",
        counted(found.n, "trial", "trials"),
        number(found.at_most),
        found.level.percent(),
    )
}

/// Events for a log-rank test.
pub fn events(found: &EventsNeeded, alternative: Alternative) -> String {
    format!(
        "{} in both groups together: power {} to show a hazard ratio of {} (log-rank, {}, error rate {}, \
         {} of the trials on the test side).",
        counted(found.events, "event", "events"),
        number(found.power),
        number(found.hazard_ratio),
        side(alternative),
        number(found.level.alpha()),
        number(found.share),
    )
}
