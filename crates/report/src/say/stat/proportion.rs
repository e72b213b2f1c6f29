//! One proportion.

use stats::proportion::{Proportion, ProportionSummary, at_most};
use stats::{Level, StatError};

use super::number;

/// The answer in a sentence.
pub fn headline(found: &ProportionSummary, level: Level) -> String {
    let interval = found.intervals.first();
    format!(
        "{} of {} is {}; with {} % confidence the probability is between {} and {} (Wilson).\nOf the next \
         {} trials, at most {} would stall ({} %).",
        found.k,
        found.n,
        number(found.estimate),
        level.percent(),
        number(interval.and_then(|interval| interval.low)),
        number(interval.and_then(|interval| interval.high)),
        found.next.trials,
        found.next.at_most,
        level.percent(),
    )
}

/// What "none of n", and "all of n", show; nothing for any other count.
///
/// # Errors
/// Those of the exact bound.
pub fn notes(of: Proportion, level: Level) -> Result<Vec<String>, StatError> {
    let bound = at_most(of.n(), level)?;
    let percent = level.percent();
    Ok(if of.k() == 0 {
        vec![
            format!(
                "None of {}: at {percent} % confidence the probability is at most {} (one-sided, exact)",
                of.n(),
                number(bound),
            ),
            "No number of trials proves that the probability is 0".into(),
        ]
    } else if of.k() == of.n() {
        vec![format!(
            "All of {}: at {percent} % confidence the probability is at least {} (one-sided, exact)",
            of.n(),
            number(1.0 - bound),
        )]
    } else {
        Vec::new()
    })
}
