//! Brunner and Munzel's test: is a value of a as often below one of b as above it?
//!
//! Tests P(a < b) + ½ P(a = b) = ½ without asking that the two distributions have one shape or spread.
//! The statistic is positive where **b** tends to be larger, as in R's lawstat and in scipy. It is set
//! against t with Satterthwaite's degrees of freedom; below about 10 values a side that is liberal.
//!
//! Where the samples do not overlap its variance estimate is zero, and there is no test.
//!
//! Source: E. Brunner and U. Munzel, *The nonparametric Behrens-Fisher problem: asymptotic theory and
//! a small-sample approximation*, Biometrical J. 42 (2000).

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::super::{Alternative, StatError, TestResult};
use super::rank_sum::Ranks;
use super::sorted;

/// The test. `Less`: a's values tend to be smaller. Statistic and p-value are `None` where a sample
/// has one value or the samples do not overlap.
///
/// # Errors
/// An empty sample; a value that is not finite.
pub fn test(a: &[f64], b: &[f64], alternative: Alternative) -> Result<TestResult, StatError> {
    Ok(of_sorted(&sorted("a", a)?, &sorted("b", b)?, alternative))
}

/// As [`test`], for samples that are known to be ascending, finite and not empty.
pub fn of_sorted(a: &[f64], b: &[f64], alternative: Alternative) -> TestResult {
    let found = statistic(a, b);
    let p_value = found.and_then(|(w, degrees)| {
        let t = StudentsT::new(0.0, 1.0, degrees).ok()?;
        Some(match alternative {
            Alternative::TwoSided => (2.0 * t.sf(w.abs())).min(1.0),
            // w > 0 is a below b
            Alternative::Less => t.sf(w),
            Alternative::Greater => t.cdf(w),
        })
    });
    TestResult { method: "brunner-munzel", alternative, statistic: found.map(|(w, _)| w), p_value }
}

/// The statistic and its degrees of freedom.
fn statistic(a: &[f64], b: &[f64]) -> Option<(f64, f64)> {
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    let (m, n) = (a.len() as f64, b.len() as f64);
    let placements = |of: &[f64], among: &[f64]| -> Vec<f64> {
        // The rank in both samples less the rank in its own: values of the other sample below,
        // ties counting half.
        of.iter()
            .map(|x| {
                let below = among.partition_point(|y| y < x);
                let up_to = among.partition_point(|y| y <= x);
                (below + up_to) as f64 / 2.0
            })
            .collect()
    };
    let variance = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64
    };
    let (of_a, of_b) = (variance(&placements(a, b)), variance(&placements(b, a)));
    let pooled = m * of_a + n * of_b;
    if pooled <= 0.0 {
        return None;
    }
    let ranks = Ranks::of(a, b);
    let total: u64 = ranks.doubled.iter().sum();
    let mean_a = ranks.sum_a as f64 / 2.0 / m;
    let mean_b = (total - ranks.sum_a) as f64 / 2.0 / n;
    let w = m * n * (mean_b - mean_a) / ((m + n) * pooled.sqrt());
    let degrees =
        pooled.powi(2) / ((m * of_a).powi(2) / (m - 1.0) + (n * of_b).powi(2) / (n - 1.0));
    Some((w, degrees))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_example_agrees() {
        // Brunner and Munzel (2000), pain scores after surgery; p = 0.0057862.
        let yes = [1., 2., 1., 1., 1., 1., 1., 1., 1., 1., 2., 4., 1., 1.];
        let no = [3., 3., 4., 3., 1., 2., 3., 1., 1., 5., 4.];
        let found = test(&yes, &no, Alternative::TwoSided).unwrap();
        assert!((found.statistic.unwrap() - 3.137_467_482_302_950_5).abs() < 1e-10);
        assert!((found.p_value.unwrap() - 0.005_786_208_666_151).abs() < 1e-9);
        let less = test(&yes, &no, Alternative::Less).unwrap().p_value.unwrap();
        assert!((less - 0.002_893_104_333).abs() < 1e-9);
    }

    #[test]
    fn samples_apart_and_single_values_have_no_test() {
        for (a, b) in
            [(&[1.0, 2.0][..], &[3.0, 4.0][..]), (&[1.0], &[0.0, 2.0]), (&[5.0; 4], &[5.0; 3])]
        {
            let found = test(a, b, Alternative::TwoSided).unwrap();
            assert_eq!((found.statistic, found.p_value), (None, None));
        }
    }
}
