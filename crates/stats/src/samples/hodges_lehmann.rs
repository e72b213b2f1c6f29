//! The Hodges-Lehmann estimate: by how much a is shifted against b.
//!
//! The median of all differences aᵢ − bⱼ, in the samples' unit. The interval holds the shifts that
//! the Mann-Whitney test does not reject: from the k-th smallest difference to the k-th largest,
//! k the largest with P(U ≤ k − 1) ≤ (1 − level)/2. Exact, up to about 50 values a side, if b is a
//! shifted copy of a's distribution; above, k is from the normal approximation, rounded down. Ties
//! make it cover more. Where even k = 1 falls short of the level there is no interval.
//!
//! Sources: J. L. Hodges and E. L. Lehmann, *Estimates of location based on rank tests*, Ann. Math.
//! Statist. 34 (1963); interval: P. K. Sen, *On the estimation of relative potency*, Biometrics 19
//! (1963).

use super::super::proportion::two_sided_z;
use super::super::{Estimate, Level, StatError};
use super::rank_sum::u_law;
use super::sorted;

/// The shift of a against b.
///
/// # Errors
/// An empty sample; a value that is not finite.
pub fn shift(a: &[f64], b: &[f64], level: Level) -> Result<Estimate, StatError> {
    Ok(of_sorted(&sorted("a", a)?, &sorted("b", b)?, level))
}

/// As [`shift`], for samples that are known to be ascending, finite and not empty.
pub fn of_sorted(a: &[f64], b: &[f64], level: Level) -> Estimate {
    let pairs = a.len() as u64 * b.len() as u64;
    let bounds = rank(a.len(), b.len(), level)
        .and_then(|k| Some((difference(a, b, k)?, difference(a, b, pairs + 1 - k)?)));
    let middle = difference(a, b, pairs.div_ceil(2)).zip(difference(a, b, pairs / 2 + 1));
    // A difference of two numbers may be beyond their range; in their order it has its place.
    let exists = |shift: Option<f64>| shift.filter(|shift| shift.is_finite());
    Estimate {
        estimate: exists(middle.map(|(low, high)| f64::midpoint(low, high))),
        low: exists(bounds.map(|(low, _)| low)),
        high: exists(bounds.map(|(_, high)| high)),
    }
}

/// k of the interval, counted from 1; `None` where even the outermost differences fall short of the
/// level.
pub(super) fn rank(n_a: usize, n_b: usize, level: Level) -> Option<u64> {
    let allowed = level.alpha() / 2.0;
    match u_law(n_a, n_b) {
        Some(law) => {
            let mut tail = 0.0;
            // A sum of the law's terms may pass the level by rounding where it meets it.
            let reached = law.iter().take_while(|&&p| {
                tail += p;
                tail <= allowed * (1.0 + 1e-12)
            });
            Some(reached.count() as u64).filter(|&k| k > 0)
        }
        None => {
            let (m, n) = (n_a as f64, n_b as f64);
            let k = m * n / 2.0 - two_sided_z(level) * (m * n * (m + n + 1.0) / 12.0).sqrt();
            (k >= 1.0).then_some(k.floor() as u64)
        }
    }
}

/// The `rank`-th smallest difference, counted from 1: by halving the range of floating-point numbers
/// and counting the differences up to each, in memory of neither sample's square.
fn difference(a: &[f64], b: &[f64], rank: u64) -> Option<f64> {
    let (mut below, mut reached) =
        (ordinal(a.first()? - b.last()?), ordinal(a.last()? - b.first()?));
    if rank <= pairs_up_to(a, b, number(below)) {
        return Some(number(below));
    }
    // pairs_up_to(below) < rank ≤ pairs_up_to(reached)
    while reached - below > 1 {
        let middle = below + (reached - below) / 2;
        if pairs_up_to(a, b, number(middle)) < rank { below = middle } else { reached = middle }
    }
    Some(number(reached))
}

/// How many of the rounded differences are at most `limit`.
fn pairs_up_to(a: &[f64], b: &[f64], limit: f64) -> u64 {
    let mut first = 0;
    let mut count = 0;
    for x in a {
        while first < b.len() && x - b[first] > limit {
            first += 1;
        }
        count += (b.len() - first) as u64;
    }
    count
}

/// Numbers in their order as integers.
fn ordinal(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// The number of an [`ordinal`].
fn number(ordinal: u64) -> f64 {
    f64::from_bits(if ordinal >> 63 == 1 { ordinal & !(1 << 63) } else { !ordinal })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_differences(a: &[f64], b: &[f64]) -> Vec<f64> {
        let mut all: Vec<f64> = a.iter().flat_map(|x| b.iter().map(move |y| x - y)).collect();
        all.sort_unstable_by(f64::total_cmp);
        all
    }

    #[test]
    fn every_difference_is_found() {
        let a = [-3.5, 0.0, 0.1, 0.1, 7.25, 1e300];
        let b = [-1e-300, 0.1, 0.2, 3.0, 3.0];
        for (i, expected) in all_differences(&a, &b).into_iter().enumerate() {
            assert_eq!(difference(&a, &b, i as u64 + 1), Some(expected), "{i}");
        }
    }

    #[test]
    fn the_report_is_shifted_by_45() {
        let fast = [36.3, 46.1, 49.6, 51.7, 52.8];
        let slow = [4.0, 4.2, 4.5, 4.6, 5.1];
        // R's wilcox.test(conf.int = TRUE)
        let found = shift(&fast, &slow, Level::P95).unwrap();
        assert!((found.estimate.unwrap() - 45.1).abs() < 1e-12);
        let all = all_differences(&fast, &slow);
        // P(U ≤ 2) = 4/252 ≤ 0.025 < 7/252: the third from either end
        assert_eq!((found.low, found.high), (Some(all[2]), Some(all[22])));
    }

    #[test]
    fn too_few_values_have_no_interval() {
        let found = shift(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], Level::P95).unwrap();
        assert_eq!((found.estimate, found.low, found.high), (Some(-3.0), None, None));
        let wide = shift(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], Level::new(0.9).unwrap()).unwrap();
        assert_eq!((wide.low, wide.high), (Some(-5.0), Some(-1.0)));
    }

    #[test]
    fn large_samples_need_no_square_of_memory() {
        let a: Vec<f64> = (0..3_000).map(|i| f64::from(i) / 3_000.0 + 0.25).collect();
        let b: Vec<f64> = (0..2_000).map(|i| f64::from(i) / 2_000.0).collect();
        let found = shift(&a, &b, Level::P95).unwrap();
        assert!((found.estimate.unwrap() - 0.25).abs() < 1e-3);
        assert!(found.high.unwrap() - found.low.unwrap() < 0.06);
    }

    #[test]
    fn differences_beyond_the_range_of_numbers_do_not_exist() {
        let (large, small) = ([1e308; 6], [-1e308; 6]);
        let found = shift(&large, &small, Level::P95).unwrap();
        assert_eq!(found, Estimate { estimate: None, low: None, high: None });
        // Half of the differences are 0, a quarter on each side is beyond the range.
        let both: Vec<f64> = large.into_iter().chain(small).collect();
        let found = shift(&both, &both, Level::P95).unwrap();
        assert_eq!(found.estimate, Some(0.0));
    }
}
