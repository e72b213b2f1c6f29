//! From how many threads on it stalls.

use stats::Level;
use stats::threshold::Threshold;

pub use stats::said::threshold::note;

use super::number;

/// The answer in a sentence.
pub fn headline(found: &Threshold, level: Level) -> String {
    let half = found.t50;
    match half.estimate {
        Some(threads) => format!(
            "Half of the trials stall at {} threads ({} to {} with {} % confidence).",
            number(threads),
            number(half.low),
            number(half.high),
            level.percent()
        ),
        None => "The data give no thread count at which half of the trials stall.".into(),
    }
}

/// Why there are no one-sided bounds.
pub fn no_one_sided(level: Level) -> String {
    format!(
        "no one-sided bounds at {} %: at a level of 50 % or less such a bound is the estimate or beyond it",
        level.percent()
    )
}
