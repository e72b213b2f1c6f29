//! Fisher's test with the mid-P value.

use super::super::hypergeometric::Hypergeometric;
use super::super::{Alternative, TestResult};
use super::TwoByTwo;

/// Fisher's test with half of the probability of what was seen: less conservative, and not exact;
/// the error rate may exceed the level a little for some p.
///
/// One-sided: P(more extreme) + ½ P(as seen). Two-sided: P(tables less likely) + ½ P(tables as
/// likely), the same order of tables as in [`super::fisher`] (exact2x2's `midp = TRUE` with
/// `tsmethod = "minlike"`); others double the smaller one-sided value.
///
/// Source: H. O. Lancaster (1961); S. Lydersen, M. W. Fagerland and P. Laake (2009).
pub fn test(table: TwoByTwo, alternative: Alternative) -> TestResult {
    let total = table.base.k() + table.test.k();
    let p = p_value(
        Hypergeometric::new(table.base.n(), table.test.n(), total),
        table.test.k(),
        alternative,
    );
    TestResult { method: "fisher-mid-p", alternative, statistic: None, p_value: Some(p) }
}

/// The mid-P value of x on the test side.
pub fn p_value(given: Hypergeometric, x: u64, alternative: Alternative) -> f64 {
    let here = given.ln_pmf(x).exp();
    let beyond = match alternative {
        Alternative::Less if x <= given.least() => 0.0,
        Alternative::Less => given.at_most(x - 1),
        Alternative::Greater => given.at_least(x + 1),
        Alternative::TwoSided => {
            let (below, equal) = given.minimum_likelihood(x);
            return (below + 0.5 * equal).min(1.0);
        }
    };
    (beyond + 0.5 * here).min(1.0)
}
