//! The median, with an interval from order statistics.
//!
//! For independent values from a continuous distribution the number below the true median is
//! Binomial(n, ½), whatever the distribution. So [x₍ₖ₎, x₍ₙ₊₁₋ₖ₎] covers it with probability
//! 1 − 2·P(Bin(n, ½) ≤ k − 1) exactly; k is the largest for which that is at least the level. Ties
//! make it cover more, never less.
//!
//! Below n = 6 not even [min, max] reaches 95 %: the interval does not exist, and is `None`.
//!
//! Source: W. R. Thompson, *On confidence ranges for the median and other expectation
//! distributions for populations of unknown distribution form*, Ann. Math. Statist. 7 (1936).

use serde::Serialize;
use statrs::distribution::{Binomial, DiscreteCDF};

use super::super::{Level, StatError};
use super::sorted;

/// A sample's median and its distribution-free interval, in the sample's unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SampleMedian {
    /// How many values.
    pub n: usize,
    /// The middle value, or the mean of the two in the middle.
    pub median: f64,
    /// The lower order statistic; `None` where n is too small for the level.
    pub low: Option<f64>,
    /// The upper order statistic; `None` where n is too small for the level.
    pub high: Option<f64>,
}

impl SampleMedian {
    /// The median of `values`, in any order.
    ///
    /// # Errors
    /// An empty sample; a value that is not finite.
    ///
    /// ```
    /// use stallscope_stats::{Level, samples::SampleMedian};
    /// let five = SampleMedian::of(&[52.8, 46.1, 36.3, 51.7, 49.6], Level::P95).unwrap();
    /// assert_eq!((five.median, five.low), (49.6, None));
    /// ```
    pub fn of(values: &[f64], level: Level) -> Result<Self, StatError> {
        Ok(Self::of_sorted(&sorted("of the median", values)?, level))
    }

    /// As [`SampleMedian::of`], for a sample that is known to be ascending, finite and not empty.
    pub fn of_sorted(ascending: &[f64], level: Level) -> Self {
        let n = ascending.len();
        let bounds = median_ranks(n, level)
            .and_then(|(low, high)| Some((*ascending.get(low - 1)?, *ascending.get(high - 1)?)));
        SampleMedian {
            n,
            median: median_of_sorted(ascending),
            low: bounds.map(|(low, _)| low),
            high: bounds.map(|(_, high)| high),
        }
    }
}

/// The median of an ascending sample; NaN for an empty one.
pub fn median_of_sorted(ascending: &[f64]) -> f64 {
    let n = ascending.len();
    match n {
        0 => f64::NAN,
        _ if n % 2 == 1 => ascending[n / 2],
        // Their sum may overflow, and half of one may be 0.
        _ => f64::midpoint(ascending[n / 2 - 1], ascending[n / 2]),
    }
}

/// The ranks (k, n + 1 − k), counted from 1, of the order statistics that bound the median; `None`
/// where even (1, n) falls short of the level.
pub fn median_ranks(n: usize, level: Level) -> Option<(usize, usize)> {
    let below = Binomial::new(0.5, n as u64).ok()?;
    // A level that is met exactly, as 50 % is by two values, may be computed a rounding short.
    let allowed = level.alpha() / 2.0 * (1.0 + 1e-12);
    let reaches = |k: usize| below.cdf(k as u64 - 1) <= allowed;
    if n == 0 || !reaches(1) {
        return None;
    }
    // The tail grows with k: halve between one that reaches the level and one that does not.
    let (mut good, mut bad) = (1, n.div_ceil(2) + 1);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if reaches(middle) { good = middle } else { bad = middle }
    }
    Some((good, n + 1 - good))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_the_largest_and_of_the_smallest_numbers_is_a_number() {
        for x in [f64::MAX, 5e-324, -5e-324, -f64::MAX] {
            assert_eq!(median_of_sorted(&[x, x]), x);
        }
    }

    #[test]
    fn the_median_is_the_middle() {
        let median = |values: &[f64]| SampleMedian::of(values, Level::P95).unwrap().median;
        assert_eq!(median(&[3.0]), 3.0);
        assert_eq!(median(&[3.0, 1.0]), 2.0);
        assert_eq!(median(&[9.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[f64::MAX, f64::MAX]), f64::MAX);
    }

    #[test]
    fn ranks_are_those_of_the_sign_test_tables() {
        // Conover, Practical Nonparametric Statistics, 3rd ed., and R's qbinom.
        let at = |n| median_ranks(n, Level::P95);
        assert_eq!(at(5), None);
        assert_eq!(at(6), Some((1, 6)));
        assert_eq!(at(8), Some((1, 8)));
        assert_eq!(at(9), Some((2, 8)));
        assert_eq!(at(10), Some((2, 9)));
        assert_eq!(at(20), Some((6, 15)));
        assert_eq!(at(100), Some((40, 61)));
        assert_eq!(median_ranks(5, Level::new(0.9).unwrap()), Some((1, 5)));
        assert_eq!(median_ranks(1, Level::new(0.01).unwrap()), None);
    }

    #[test]
    fn ranks_reach_the_level_and_the_next_do_not() {
        for level in [0.5, 0.8, 0.9, 0.95, 0.99] {
            let level = Level::new(level).unwrap();
            for n in 1..400 {
                let below = Binomial::new(0.5, n as u64).unwrap();
                let coverage = |k: usize| 1.0 - 2.0 * below.cdf(k as u64 - 1);
                match median_ranks(n, level) {
                    None => assert!(coverage(1) < level.get()),
                    Some((k, _)) => {
                        assert!(coverage(k) >= level.get() - 1e-12, "{n} {k}");
                        assert!(coverage(k + 1) < level.get() || 2 * (k + 1) > n + 1, "{n} {k}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_constant_sample_has_itself_for_bounds() {
        let constant = SampleMedian::of(&[4.0; 12], Level::P95).unwrap();
        assert_eq!((constant.low, constant.high), (Some(4.0), Some(4.0)));
    }

    #[test]
    fn what_is_not_a_number_is_named() {
        let error = SampleMedian::of(&[1.0, f64::NAN], Level::P95).unwrap_err().to_string();
        assert!(error.starts_with("value 2 of sample"), "{error}");
        assert!(SampleMedian::of(&[], Level::P95).is_err());
    }
}
