//! The ratio of two medians, a over b: how many times as fast.
//!
//! For quantities that are not negative, such as throughputs and times. The intervals are bootstrap
//! intervals ([`super::bootstrap`]), each sample resampled on its own; the resampled medians come
//! from their exact law ([`super::resampled_median`]).
//!
//! The jackknife of a median takes two or three values only, so that BCa's acceleration is coarse
//! here (for even n it is 0 within the sample, by symmetry). BCa is given because it corrects the
//! bias; neither method is exact, and docs/appendix/coverage.md has what they cover.

use serde::Serialize;

use super::super::{Interval, Level, StatError};
use super::bootstrap::{NoBca, Replicates, Resampling, acceleration};
use super::median::median_of_sorted;
use super::resampled_median::ResampledMedian;
use super::{Note, sorted};

/// Below this many values a resample's median cannot go far enough out: at 95 % the intervals cover
/// 67 % with two values a side and 90 % with three, from five on about what they say.
const FEWEST_TO_TRUST: usize = 5;

/// Of the resamples beyond a bound, fewer than which say little of where it is.
pub const FEWEST_BEYOND: f64 = 5.0;

/// The ratio of medians with its intervals; `None` where it does not exist.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MedianRatio {
    /// Median of a over median of b; `None` where b's median is zero or a value is negative.
    pub estimate: Option<f64>,
    /// `percentile`, then `bca`.
    pub intervals: Vec<Interval>,
    /// Why something above is `None`, or of little worth.
    #[serde(skip)]
    pub notes: Vec<Note>,
    /// Why `bca` lacks a bound that `percentile` may have, for who shows it.
    #[serde(skip)]
    pub no_bca: Option<NoBca>,
}

impl MedianRatio {
    /// The ratio of the medians of two samples, in any order.
    ///
    /// # Errors
    /// An empty sample; a value that is not finite.
    ///
    /// ```
    /// use stallscope_stats::{Level, samples::{MedianRatio, Resampling}};
    /// let fast = [52.8, 46.1, 36.3, 51.7, 49.6];
    /// let slow = [4.2, 4.5, 4.0, 5.1, 4.6];
    /// let ratio = MedianRatio::of(&fast, &slow, Level::P95, Resampling::default()).unwrap();
    /// assert!((ratio.estimate.unwrap() - 11.022).abs() < 1e-3);
    /// ```
    pub fn of(
        a: &[f64],
        b: &[f64],
        level: Level,
        resampling: Resampling,
    ) -> Result<Self, StatError> {
        Ok(Self::of_sorted(&sorted("a", a)?, &sorted("b", b)?, level, resampling))
    }

    /// As [`MedianRatio::of`], for samples that are known to be ascending, finite and not empty.
    pub fn of_sorted(a: &[f64], b: &[f64], level: Level, resampling: Resampling) -> Self {
        let nothing = |method| Interval { method, level, low: None, high: None };
        let mut ratio = MedianRatio {
            estimate: None,
            intervals: vec![nothing("percentile"), nothing("bca")],
            notes: Vec::new(),
            no_bca: None,
        };
        if a.first().is_none_or(|x| *x < 0.0) || b.first().is_none_or(|x| *x < 0.0) {
            ratio.notes.push(Note::NegativeValues);
            return ratio;
        }
        let (median_a, median_b) = (median_of_sorted(a), median_of_sorted(b));
        if median_b == 0.0 {
            ratio.notes.push(Note::MedianOfBIsZero);
            return ratio;
        }
        let estimate = median_a / median_b;
        if !estimate.is_finite() || (estimate == 0.0 && median_a > 0.0) {
            ratio.notes.push(Note::RatioBeyondRange);
            return ratio;
        }
        ratio.estimate = Some(estimate);
        if a.len() < 2 || b.len() < 2 {
            ratio.notes.push(Note::OneValue);
            return ratio;
        }
        if a.first() == a.last() && b.first() == b.last() {
            ratio.notes.push(Note::Constant);
            return ratio;
        }
        let (law_a, law_b) = (ResampledMedian::new(a), ResampledMedian::new(b));
        let replicates = Replicates::draw(resampling, |rng| law_a.draw(rng) / law_b.draw(rng));
        if (replicates.len() as f64) * level.alpha() / 2.0 < FEWEST_BEYOND {
            ratio.notes.push(Note::FewBeyondBound { level, resamples: replicates.len() });
        }
        if replicates.undefined() > 0 {
            ratio.notes.push(Note::UndefinedResamples {
                undefined: replicates.undefined(),
                resamples: replicates.len(),
            });
        }
        let jackknife = [
            leave_one_out(a).map(|m| m / median_of_sorted(b)).collect(),
            leave_one_out(b).map(|m| median_of_sorted(a) / m).collect(),
        ];
        let acceleration = acceleration(&jackknife);
        ratio.intervals =
            vec![replicates.percentile(level), replicates.bca(estimate, acceleration, level)];
        ratio.no_bca = replicates.no_bca(estimate, acceleration, level);
        let unbounded = |i: &Interval| i.low.is_none() || i.high.is_none();
        if replicates.infinite() > 0 && ratio.intervals.iter().any(unbounded) {
            ratio.notes.push(Note::InfiniteResamples {
                infinite: replicates.infinite(),
                resamples: replicates.len(),
            });
        }
        // Of positive values no ratio is 0 or infinite but by the end of the range of numbers.
        let positive = [a, b].iter().all(|sample| sample.first().is_some_and(|least| *least > 0.0));
        if positive {
            let mut lost = false;
            for interval in &mut ratio.intervals {
                let found = interval.low.is_some();
                interval.low = interval.low.filter(|low| *low > 0.0);
                lost |= found && (interval.low.is_none() || interval.high.is_none());
            }
            if lost {
                ratio.notes.push(Note::BoundBeyondRange);
            }
        }
        if a.len().min(b.len()) < FEWEST_TO_TRUST {
            ratio.notes.push(Note::FewForBootstrap { values: a.len().min(b.len()) });
        }
        ratio
    }
}

/// The medians of an ascending sample with each value left out in turn.
fn leave_one_out(ascending: &[f64]) -> impl Iterator<Item = f64> {
    let n = ascending.len();
    // Rank r of the sample without value i is rank r, or r + 1 from i on.
    let at = move |rank: usize, left_out: usize| ascending[rank + usize::from(rank >= left_out)];
    (0..n).map(move |i| match n {
        0 | 1 => f64::NAN,
        _ if n.is_multiple_of(2) => at((n - 2) / 2, i),
        _ => at((n - 3) / 2, i) / 2.0 + at((n - 1) / 2, i) / 2.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAST: [f64; 5] = [52.8, 46.1, 36.3, 51.7, 49.6];
    const SLOW: [f64; 5] = [4.2, 4.5, 4.0, 5.1, 4.6];

    fn ratio(a: &[f64], b: &[f64]) -> MedianRatio {
        MedianRatio::of(a, b, Level::P95, Resampling::default()).unwrap()
    }

    #[test]
    fn the_report_is_eleven_times() {
        let found = ratio(&FAST, &SLOW);
        assert!((found.estimate.unwrap() - 49.6 / 4.5).abs() < 1e-12);
        let percentile = &found.intervals[0];
        assert!(percentile.low.unwrap() < 11.0 && percentile.high.unwrap() > 11.1);
        assert!(percentile.low.unwrap() >= 36.3 / 5.1 && percentile.high.unwrap() <= 52.8 / 4.0);
    }

    #[test]
    fn drawing_medians_and_resampling_values_agree() {
        let resampling = Resampling { resamples: 50_000, seed: 3 };
        let by_law = MedianRatio::of(&FAST, &SLOW, Level::new(0.8).unwrap(), resampling).unwrap();
        let statistic = |samples: &mut [Vec<f64>]| {
            let mut median = |i: usize| {
                samples[i].sort_unstable_by(f64::total_cmp);
                median_of_sorted(&samples[i])
            };
            median(0) / median(1)
        };
        let by_values = Replicates::of(&[&FAST, &SLOW], statistic, resampling)
            .percentile(Level::new(0.8).unwrap());
        let (law, values) = (&by_law.intervals[0], &by_values);
        assert!((law.low.unwrap() / values.low.unwrap() - 1.0).abs() < 0.01);
        assert!((law.high.unwrap() / values.high.unwrap() - 1.0).abs() < 0.01);
    }

    #[test]
    fn leaving_one_out_is_a_median_of_the_rest() {
        for n in 2..9 {
            let values: Vec<f64> = (0..n).map(|i| (i * i) as f64).collect();
            let found: Vec<f64> = leave_one_out(&values).collect();
            for (i, median) in found.iter().enumerate() {
                let mut rest = values.clone();
                rest.remove(i);
                assert_eq!(*median, median_of_sorted(&rest), "n {n}, without {i}");
            }
        }
    }

    #[test]
    fn zeros_and_negatives_have_a_reason() {
        let over_zero = ratio(&FAST, &[0.0, 0.0, 0.0, 5.0]);
        assert_eq!(over_zero.estimate, None);
        assert_eq!(over_zero.notes, [Note::MedianOfBIsZero]);
        let negative = ratio(&FAST, &[-1.0, 2.0, 3.0]);
        assert_eq!(negative.estimate, None);
        assert_eq!(negative.notes, [Note::NegativeValues]);
        // Some resamples of b have a zero median: the ratio has no upper bound.
        let some = ratio(&FAST, &[0.0, 0.0, 3.0, 4.0, 5.0]);
        assert!(some.estimate.is_some());
        assert!(some.intervals[0].low.is_some());
        assert_eq!(some.intervals[0].high, None);
        let infinite = |note: &Note| matches!(note, Note::InfiniteResamples { .. });
        assert!(some.notes.iter().any(infinite), "{:?}", some.notes);
    }

    #[test]
    fn a_missing_bca_has_its_reason() {
        // Without any one value the medians stay what they are: nothing to accelerate by.
        let tied = ratio(&[1.0, 2.0, 2.0, 2.0, 3.0], &[4.0; 5]);
        assert!(tied.intervals[0].low.is_some() && tied.intervals[1].low.is_none());
        assert_eq!(tied.no_bca, Some(NoBca::NoAcceleration));
        // Zeros over zeros.
        let undefined = ratio(&[0.0, 0.0, 0.0, 2.0], &[0.0, 1.0, 2.0]);
        assert_eq!(undefined.intervals[1].low, None);
        assert_eq!(undefined.no_bca, Some(NoBca::Undefined));
        assert!(matches!(undefined.notes[0], Note::UndefinedResamples { .. }), "{undefined:?}");
    }

    #[test]
    fn a_ratio_beyond_the_range_of_numbers_is_not_a_median_of_0() {
        for (a, b) in [([1e308; 6], [1e-308; 6]), ([1e-308; 6], [1e308; 6])] {
            let found = ratio(&a, &b);
            assert_eq!(found.estimate, None);
            assert_eq!(found.notes, [Note::RatioBeyondRange]);
            assert!(found.intervals.iter().all(|i| i.low.is_none() && i.high.is_none()));
        }
        // The medians have a ratio, the outermost resamples have none.
        let wide = ratio(&[1.0, 1.0, 1e-200], &[1e200, 1.0, 1e200]);
        assert_eq!(wide.estimate, Some(1e-200));
        assert_eq!(wide.intervals[0].low, None);
        assert_eq!(wide.notes[0], Note::BoundBeyondRange);
    }

    #[test]
    fn one_value_has_an_estimate_and_no_interval() {
        let one = ratio(&[10.0], &SLOW);
        assert!(one.estimate.is_some());
        assert_eq!(one.intervals[0].low, None);
        assert_eq!(one.notes, [Note::OneValue]);
    }

    #[test]
    fn constant_samples_are_defined() {
        let constant = ratio(&[6.0; 5], &[3.0; 5]);
        assert_eq!(constant.estimate, Some(2.0));
        assert_eq!((constant.intervals[0].low, constant.intervals[1].low), (None, None));
        assert_eq!(constant.notes, [Note::Constant]);
    }
}
