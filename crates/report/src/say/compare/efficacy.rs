//! Whether the strata have one odds ratio of stalls.

use crate::say::word::PLURAL;
use analysis::compare::Comparison;
use stats::words::p_is;

/// What the test of homogeneity says.
pub fn homogeneity(comparison: &Comparison) -> Option<String> {
    let p = comparison.efficacy.pooled.homogeneity.p_value?;
    let verdict = match p <= comparison.level.alpha() {
        true => {
            "the odds ratio differs among the strata, and the pooled numbers are an average: read each \
             stratum"
        }
        false => {
            "no sign that the odds ratio differs among the strata, but few trials can't show it"
        }
    };
    Some(format!("Homogeneity of the {PLURAL}: {verdict} (Breslow-Day-Tarone, {}).", p_is(p)))
}
