//! Mann and Whitney's test (Wilcoxon's rank sum): do the values of a tend to be larger than those of b?
//!
//! The null hypothesis is that both samples come from one distribution. The p-value is exact, by the
//! permutation law given the ties, up to about 50 values a side ([`super::rank_sum`]); above, the
//! normal approximation with the variance corrected for ties and a continuity correction of ½.
//! Two-sided means as far from the mean of U or further, on either side.
//!
//! It is a test of that null hypothesis and not of medians; where the spreads differ,
//! [`super::brunner_munzel`] tests the tendency alone.
//!
//! Source: H. B. Mann and D. R. Whitney, *On a test of whether one of two random variables is
//! stochastically larger than the other*, Ann. Math. Statist. 18 (1947).

use statrs::distribution::{ContinuousCDF, Normal};

use super::super::{Alternative, StatError, TestResult};
use super::rank_sum::Ranks;
use super::sorted;

/// Where a p-value is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PValueBy {
    /// The permutation law given the ties.
    Permutation,
    /// The normal approximation with tie and continuity correction.
    Normal,
}

/// The test; the statistic is U of a, the pairs in which a's value is larger, ties counting half.
/// `Less`: a's values tend to be smaller.
///
/// # Errors
/// An empty sample; a value that is not finite.
///
/// ```
/// use stallscope_stats::{Alternative, samples::mann_whitney};
/// let fast = [52.8, 46.1, 36.3, 51.7, 49.6];
/// let slow = [4.2, 4.5, 4.0, 5.1, 4.6];
/// let (test, _) = mann_whitney::test(&fast, &slow, Alternative::TwoSided).unwrap();
/// assert!((test.p_value.unwrap() - 2.0 / 252.0).abs() < 1e-15);
/// ```
pub fn test(
    a: &[f64],
    b: &[f64],
    alternative: Alternative,
) -> Result<(TestResult, PValueBy), StatError> {
    Ok(of_sorted(&sorted("a", a)?, &sorted("b", b)?, alternative))
}

/// As [`test`], for samples that are known to be ascending, finite and not empty.
pub fn of_sorted(a: &[f64], b: &[f64], alternative: Alternative) -> (TestResult, PValueBy) {
    let ranks = Ranks::of(a, b);
    let (p_value, by) = match ranks.law() {
        Some(law) => {
            let centre = (ranks.n_a * (ranks.n_a + ranks.n_b + 1)) as u64;
            let p = match alternative {
                Alternative::TwoSided => law.as_far(ranks.sum_a, centre),
                Alternative::Less => law.at_most(ranks.sum_a),
                Alternative::Greater => law.at_least(ranks.sum_a),
            };
            (p, PValueBy::Permutation)
        }
        None => (normal(&ranks, alternative), PValueBy::Normal),
    };
    let result = TestResult {
        method: "mann-whitney",
        alternative,
        statistic: Some(ranks.u_a()),
        p_value: Some(p_value),
    };
    (result, by)
}

fn normal(ranks: &Ranks, alternative: Alternative) -> f64 {
    let (m, n) = (ranks.n_a as f64, ranks.n_b as f64);
    let all = m + n;
    let variance = m * n / 12.0 * (all + 1.0 - ranks.ties / (all * (all - 1.0)));
    if variance <= 0.0 {
        // All values are equal: every permutation is as far as this one.
        return 1.0;
    }
    let off = ranks.u_a() - m * n / 2.0;
    let upper = |off: f64| Normal::standard().sf((off - 0.5) / variance.sqrt());
    match alternative {
        Alternative::TwoSided => (2.0 * upper(off.abs())).min(1.0),
        Alternative::Less => upper(-off),
        Alternative::Greater => upper(off),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(a: &[f64], b: &[f64], alternative: Alternative) -> f64 {
        test(a, b, alternative).unwrap().0.p_value.unwrap()
    }

    #[test]
    fn one_value_a_side_decides_nothing() {
        assert_eq!(p(&[1.0], &[2.0], Alternative::TwoSided), 1.0);
        assert_eq!(p(&[1.0], &[2.0], Alternative::Less), 0.5);
        assert_eq!(p(&[1.0], &[2.0], Alternative::Greater), 1.0);
    }

    #[test]
    fn equal_values_differ_by_nothing() {
        assert_eq!(p(&[3.0; 5], &[3.0; 7], Alternative::TwoSided), 1.0);
        assert_eq!(p(&[3.0; 500], &[3.0; 700], Alternative::TwoSided), 1.0);
        assert_eq!(p(&[0.0, -0.0], &[0.0, 0.0], Alternative::Less), 1.0);
    }

    #[test]
    fn the_approximation_meets_the_exact_law() {
        let a: Vec<f64> = (0..45).map(|i| f64::from(i) * 1.7).collect();
        let b: Vec<f64> = (0..45).map(|i| f64::from(i) * 1.3 - 9.0).collect();
        for alternative in Alternative::ALL {
            let (exact, by) = test(&a, &b, alternative).unwrap();
            assert_eq!(by, PValueBy::Permutation);
            let near = normal(&Ranks::of(&a, &b), alternative);
            assert!((exact.p_value.unwrap() - near).abs() < 1e-3, "{alternative:?}");
        }
    }

    #[test]
    fn large_samples_take_the_approximation() {
        let a: Vec<f64> = (0..2_000).map(f64::from).collect();
        let (_, by) = test(&a, &a, Alternative::TwoSided).unwrap();
        assert_eq!(by, PValueBy::Normal);
    }
}
