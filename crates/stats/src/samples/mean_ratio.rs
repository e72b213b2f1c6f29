//! The mean ratio of two medians over strata: how many times as fast, over machines and thread counts.

use super::super::{Estimate, Level};
use super::bootstrap::{Replicates, Resampling};
use super::median::median_of_sorted;
use super::resampled_median::ResampledMedian;

/// The geometric mean of the strata's ratios, median of the test over median of the base, each
/// stratum with the same weight, and its percentile interval: every stratum and side resampled on
/// its own. A stratum is its base and its test side, each ascending and finite. `None` where there
/// is no stratum, a side of one has no value, or a ratio is not a positive number; no interval where
/// a side has a single value, which says nothing of its own spread.
///
/// Independent values within and between strata. What the interval covers with few values a side is
/// in docs/appendix/coverage.md.
pub fn of_sorted(strata: &[[&[f64]; 2]], level: Level, resampling: Resampling) -> Option<Estimate> {
    if strata.is_empty() || strata.iter().flatten().any(|side| side.is_empty()) {
        return None;
    }
    let count = strata.len() as f64;
    let logs = strata
        .iter()
        .map(|[base, test]| (median_of_sorted(test) / median_of_sorted(base)).ln())
        .sum::<f64>();
    if !logs.is_finite() {
        return None;
    }
    let estimate = Some((logs / count).exp());
    if strata.iter().flatten().any(|side| side.len() < 2) {
        return Some(Estimate { estimate, low: None, high: None });
    }
    let laws: Vec<[ResampledMedian; 2]> =
        strata.iter().map(|sides| sides.map(ResampledMedian::new)).collect();
    let replicates = Replicates::draw(resampling, |rng| {
        let sum: f64 = laws.iter().map(|[base, test]| (test.draw(rng) / base.draw(rng)).ln()).sum();
        (sum / count).exp()
    });
    let interval = replicates.percentile(level);
    Some(Estimate { estimate, low: interval.low, high: interval.high })
}

#[cfg(test)]
mod tests {
    use super::super::MedianRatio;
    use super::*;

    const RESAMPLING: Resampling = Resampling { resamples: 2_000, seed: 5 };

    #[test]
    fn one_stratum_is_the_ratio_of_its_medians() {
        let (base, test) = ([4.0, 4.2, 4.5, 4.6, 5.1], [36.3, 46.1, 49.6, 51.7, 52.8]);
        let mean = of_sorted(&[[&base, &test]], Level::P95, RESAMPLING).unwrap();
        let ratio = MedianRatio::of(&test, &base, Level::P95, RESAMPLING).unwrap();
        assert!((mean.estimate.unwrap() / ratio.estimate.unwrap() - 1.0).abs() < 1e-12);
        let interval = &ratio.intervals[0];
        assert!((mean.low.unwrap() / interval.low.unwrap() - 1.0).abs() < 0.02);
        assert!((mean.high.unwrap() / interval.high.unwrap() - 1.0).abs() < 0.02);
    }

    #[test]
    fn strata_weigh_the_same_whatever_they_hold() {
        let twice: [[&[f64]; 2]; 2] =
            [[&[1.0; 9], &[2.0; 9]], [&[10.0, 10.0, 10.0], &[80.0, 80.0, 80.0]]];
        let mean = of_sorted(&twice, Level::P95, RESAMPLING).unwrap();
        assert!((mean.estimate.unwrap() - 4.0).abs() < 1e-12);
    }

    #[test]
    fn what_has_no_ratio_has_no_mean_and_single_values_no_interval() {
        assert_eq!(of_sorted(&[], Level::P95, RESAMPLING), None);
        assert_eq!(of_sorted(&[[&[], &[1.0]]], Level::P95, RESAMPLING), None);
        assert_eq!(of_sorted(&[[&[0.0], &[1.0]]], Level::P95, RESAMPLING), None);
        assert_eq!(of_sorted(&[[&[1.0], &[0.0]]], Level::P95, RESAMPLING), None);
        let single = of_sorted(&[[&[1.0], &[3.0]]], Level::P95, RESAMPLING).unwrap();
        assert!((single.estimate.unwrap() - 3.0).abs() < 1e-12);
        assert_eq!((single.low, single.high), (None, None));
    }
}
