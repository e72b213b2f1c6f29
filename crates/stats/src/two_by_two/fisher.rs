//! Fisher's exact test.

use super::super::hypergeometric::Hypergeometric;
use super::super::{Alternative, TestResult};
use super::TwoByTwo;

/// Fisher's exact test, given both margins. Exact for every table, and conservative, since the
/// number counted in all is not fixed by the plan.
///
/// One-sided: the hypergeometric tail. Two-sided: all tables of the same margins that are at most
/// as likely as this one (R's `fisher.test`, scipy's `fisher_exact`), not twice the smaller tail.
/// The p-value is the statistic.
///
/// Source: R. A. Fisher (1935); J. O. Irwin (1935).
///
/// ```
/// use stallscope_stats::{Alternative, two_by_two::{TwoByTwo, fisher}};
/// let table = TwoByTwo::new(4, 24, 0, 24)?;
/// let p = fisher::test(table, Alternative::TwoSided).p_value.unwrap();
/// assert!((p - 0.1092199).abs() < 1e-7);
/// # Ok::<(), stallscope_stats::StatError>(())
/// ```
pub fn test(table: TwoByTwo, alternative: Alternative) -> TestResult {
    let total = table.base.k() + table.test.k();
    let p = p_value(
        Hypergeometric::new(table.base.n(), table.test.n(), total),
        table.test.k(),
        alternative,
    );
    TestResult { method: "fisher", alternative, statistic: None, p_value: Some(p) }
}

/// The p-value of x on the test side.
pub fn p_value(given: Hypergeometric, x: u64, alternative: Alternative) -> f64 {
    match alternative {
        Alternative::Less => given.at_most(x),
        Alternative::Greater => given.at_least(x),
        Alternative::TwoSided => {
            let (below, equal) = given.minimum_likelihood(x);
            (below + equal).min(1.0)
        }
    }
}
