//! How probable it is that the patch works, and what of the next trials.

use crate::say::word::{HAS, HAVE};
use analysis::compare::Comparison;
use stats::words::percent;

/// A sentence; `None` where the units are too few to say.
pub fn say(comparison: &Comparison) -> Option<String> {
    let outlook = comparison.outlook.as_ref()?;
    let level = percent(comparison.level.get());
    Some(format!(
        "Probability that `{}` {HAS} less often than `{}`: {}; in less than {} of trials: {}. Of the next {} \
         trials, at most {} would {HAVE} ({level}).",
        comparison.test.name,
        comparison.base.name,
        probability(outlook.below_base),
        percent(comparison.verdict.rules.fixed_below),
        probability(outlook.below_bound),
        outlook.next,
        outlook.next_at_most,
    ))
}

/// In percent, and never certain: draws don't tell 99.95 % from 100 %.
fn probability(p: f64) -> String {
    match p {
        p if p > 0.999 => "above 99.9 %".to_string(),
        p if p < 0.001 => "below 0.1 %".to_string(),
        p => {
            format!("{:.3}", 100.0 * p)
                .chars()
                .take(4)
                .collect::<String>()
                .trim_end_matches('.')
                .to_string()
                + " %"
        }
    }
}
