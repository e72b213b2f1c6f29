//! Bootstrap intervals, percentile and BCa, of any statistic of one or several samples.
//!
//! Each sample is resampled on its own, with replacement. The percentile interval is the middle
//! `level` of the replicates. BCa moves the two quantiles: z₀ for bias, from the share of replicates
//! below the estimate; a for how the spread depends on the value, from the jackknife. Both ask for
//! independent values and for a sample that holds the shape of its population. Neither is exact:
//! docs/appendix/coverage.md has what they cover.
//!
//! A replicate may be infinite (a ratio over zero), which keeps its place in the order, or undefined
//! (zero over zero): then it may be anything, so it counts as −∞ for the lower bound and as ∞ for the
//! upper one.
//!
//! Source: B. Efron, *Better bootstrap confidence intervals*, J. Amer. Statist. Assoc. 82 (1987);
//! several samples: Efron and Tibshirani, *An introduction to the bootstrap* (1993), section 14.3.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

use super::super::{Interval, Level, StatError, stream};

/// How resampling is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resampling {
    /// How many replicates.
    pub resamples: usize,
    /// Where chance starts; the same seed gives the same replicates on any number of threads.
    pub seed: u64,
}

/// The most resamples: the Monte Carlo error of a 2.5 % tail is then 0.002 points, and the replicates
/// take 1.6 GB.
pub const MOST_RESAMPLES: usize = 100_000_000;

impl Default for Resampling {
    /// 10,000 replicates: the Monte Carlo error of a 2.5 % tail is then 0.16 points.
    fn default() -> Self {
        Resampling { resamples: 10_000, seed: 1 }
    }
}

impl Resampling {
    /// # Errors
    /// Fewer than 100 resamples: a tail of 2.5 % would rest on two replicates. More than
    /// [`MOST_RESAMPLES`].
    pub fn new(resamples: usize, seed: u64) -> Result<Self, StatError> {
        if !(100..=MOST_RESAMPLES).contains(&resamples) {
            return Err(StatError::domain(
                "the number of resamples",
                resamples,
                format!(
                    "100 to {MOST_RESAMPLES}, at which chance is a hundredth of what it is with the \
                     default, 10000"
                ),
            ));
        }
        Ok(Resampling { resamples, seed })
    }
}

/// A statistic's values on resampled data.
#[derive(Debug, Clone, PartialEq)]
pub struct Replicates {
    /// Those that are defined, ascending; infinities are kept.
    ascending: Vec<f64>,
    /// How many are not defined.
    undefined: usize,
}

impl Replicates {
    /// Takes replicates in any order; NaN is an undefined one.
    pub fn new(mut values: Vec<f64>) -> Self {
        let all = values.len();
        values.retain(|x| !x.is_nan());
        values.sort_unstable_by(f64::total_cmp);
        Replicates { undefined: all - values.len(), ascending: values }
    }

    /// Replicates from any way to draw one.
    pub fn draw(resampling: Resampling, draw: impl Fn(&mut ChaCha8Rng) -> f64 + Sync) -> Self {
        Self::new(stream::draws(resampling.seed, resampling.resamples, || (), |rng, _| draw(rng)))
    }

    /// Replicates of `statistic`, which sees one resample of each sample, unordered.
    pub fn of(
        samples: &[&[f64]],
        statistic: impl Fn(&mut [Vec<f64>]) -> f64 + Sync,
        resampling: Resampling,
    ) -> Self {
        let buffers = || samples.iter().map(|x| x.to_vec()).collect::<Vec<_>>();
        let one = |rng: &mut ChaCha8Rng, buffers: &mut Vec<Vec<f64>>| {
            for (buffer, sample) in buffers.iter_mut().zip(samples) {
                for slot in buffer.iter_mut() {
                    *slot = sample[rng.random_range(0..sample.len())];
                }
            }
            statistic(buffers)
        };
        Self::new(stream::draws(resampling.seed, resampling.resamples, buffers, one))
    }

    /// How many replicates there are, defined or not.
    pub fn len(&self) -> usize {
        self.ascending.len() + self.undefined
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many are undefined, such as 0/0.
    pub fn undefined(&self) -> usize {
        self.undefined
    }

    /// The q-quantile between order statistics (type 7 of Hyndman and Fan, as numpy and R have it);
    /// `undefined` replicates are all below or all above.
    fn quantile(&self, q: f64, undefined_below: bool) -> f64 {
        let n = self.len();
        if n == 0 || q.is_nan() {
            return f64::NAN;
        }
        let at = |rank: usize| -> f64 {
            if undefined_below {
                rank.checked_sub(self.undefined).map_or(f64::NEG_INFINITY, |r| {
                    self.ascending.get(r).copied().unwrap_or(f64::NAN)
                })
            } else {
                self.ascending.get(rank).copied().unwrap_or(f64::INFINITY)
            }
        };
        let place = q.clamp(0.0, 1.0) * (n - 1) as f64;
        let rank = (place.floor() as usize).min(n - 1);
        let (low, high) = (at(rank), at((rank + 1).min(n - 1)));
        let part = place - rank as f64;
        if part == 0.0 || low == high { low } else { low + part * (high - low) }
    }

    /// The percentile interval: the (1 − level)/2 and (1 + level)/2 quantiles of the replicates.
    pub fn percentile(&self, level: Level) -> Interval {
        let tail = level.alpha() / 2.0;
        Interval::new(
            "percentile",
            level,
            self.quantile(tail, true),
            self.quantile(1.0 - tail, false),
        )
    }

    /// How many are infinite, such as a ratio over 0.
    pub fn infinite(&self) -> usize {
        self.ascending.iter().filter(|x| x.is_infinite()).count()
    }

    /// The BCa interval about `estimate`, with the acceleration from [`acceleration`].
    ///
    /// z₀ = Φ⁻¹(share of replicates below the estimate, ties counting half). Each bound is the
    /// quantile at Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))), z = Φ⁻¹(tail). Where all replicates lie on one
    /// side z₀ is infinite, and where a is undefined so is the interval: both bounds are `None`, and
    /// [`no_bca`](Self::no_bca) says why.
    pub fn bca(&self, estimate: f64, acceleration: f64, level: Level) -> Interval {
        let [low, high] = self.bca_tails(estimate, acceleration, level).unwrap_or([None; 2]);
        let bound = |tail: Option<f64>, undefined_below: bool| {
            tail.map_or(f64::NAN, |tail| self.quantile(tail, undefined_below))
        };
        Interval::new("bca", level, bound(low, true), bound(high, false))
    }

    /// Why [`bca`](Self::bca) lacks a bound; `None` where it has a place for both, which may yet be among
    /// the infinite replicates.
    pub fn no_bca(&self, estimate: f64, acceleration: f64, level: Level) -> Option<NoBca> {
        match self.bca_tails(estimate, acceleration, level) {
            Err(why) => Some(why),
            Ok(tails) => tails.contains(&None).then_some(NoBca::PastThePole),
        }
    }

    /// At which quantiles BCa's bounds lie.
    fn bca_tails(
        &self,
        estimate: f64,
        acceleration: f64,
        level: Level,
    ) -> Result<[Option<f64>; 2], NoBca> {
        if self.undefined > 0 || self.is_empty() {
            return Err(NoBca::Undefined);
        }
        let below = self.ascending.partition_point(|&x| x < estimate);
        let at_most = self.ascending.partition_point(|&x| x <= estimate);
        let share = (below + at_most) as f64 / (2 * self.len()) as f64;
        if share <= 0.0 || share >= 1.0 {
            return Err(NoBca::OnOneSide);
        }
        if !acceleration.is_finite() {
            return Err(NoBca::NoAcceleration);
        }
        let normal = Normal::standard();
        let z0 = normal.inverse_cdf(share);
        let tail = |tail: f64| {
            let z = z0 + normal.inverse_cdf(tail);
            let shrink = 1.0 - acceleration * z;
            // Past the pole the map from tail to quantile turns back: no quantile answers.
            (shrink > 0.0).then(|| normal.cdf(z0 + z / shrink))
        };
        let outside = level.alpha() / 2.0;
        Ok([tail(outside), tail(1.0 - outside)])
    }
}

/// Why BCa lacks a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoBca {
    /// Replicates without a value leave the estimate's place among them unknown.
    Undefined,
    /// All replicates are on one side of the estimate: its bias correction is infinite.
    OnOneSide,
    /// The statistic does not change, or is not finite, where a value is left out.
    NoAcceleration,
    /// The acceleration is too large for the level: past its pole no quantile answers.
    PastThePole,
}

/// BCa's acceleration from leave-one-out values, a list a sample.
///
/// With n the size of a sample, U = (n − 1)(mean − value) for its leave-one-out values:
/// a = Σ (ΣU³/n³) / (6 · (Σ (ΣU²/n²))^{3/2}), the outer sums over samples. No spread in any of them
/// (constant samples) has no acceleration: 0/0, NaN.
pub fn acceleration(leave_one_out: &[Vec<f64>]) -> f64 {
    let (mut cubes, mut squares) = (0.0, 0.0);
    for values in leave_one_out {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let influence = values.iter().map(|x| (n - 1.0) * (mean - x) / n);
        for u in influence {
            cubes += u.powi(3);
            squares += u * u;
        }
    }
    cubes / (6.0 * squares.powf(1.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_resamples_is_bounded_on_both_sides() {
        for bad in [0, 99, MOST_RESAMPLES + 1, 10_000_000_000] {
            let error = Resampling::new(bad, 1).unwrap_err().to_string();
            assert!(error.contains("100 to 100000000"), "{error}");
        }
        assert!(Resampling::new(100, 1).is_ok() && Resampling::new(MOST_RESAMPLES, 1).is_ok());
    }

    fn mean(samples: &mut [Vec<f64>]) -> f64 {
        samples[0].iter().sum::<f64>() / samples[0].len() as f64
    }

    #[test]
    fn replicates_depend_on_the_seed_alone() {
        let sample = [1.0, 4.0, 2.0, 8.0, 5.0];
        let on = |threads: usize, seed| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let resampling = Resampling { resamples: 3_000, seed };
            pool.install(|| Replicates::of(&[&sample], mean, resampling))
        };
        assert_eq!(on(1, 3), on(4, 3));
        assert_ne!(on(1, 3), on(1, 4));
    }

    #[test]
    fn the_bootstrap_mean_has_the_textbook_spread() {
        let sample = [1.0, 4.0, 2.0, 8.0, 5.0];
        let replicates =
            Replicates::of(&[&sample], mean, Resampling { resamples: 20_000, seed: 2 });
        let n = replicates.len() as f64;
        let centre = replicates.ascending.iter().sum::<f64>() / n;
        let variance = replicates.ascending.iter().map(|x| (x - centre).powi(2)).sum::<f64>() / n;
        // mean 4, population variance 6, over n = 5
        assert!((centre - 4.0).abs() < 0.04, "{centre}");
        assert!((variance - 1.2).abs() < 0.06, "{variance}");
    }

    #[test]
    fn quantiles_are_type_seven() {
        let replicates = Replicates::new(vec![4.0, 1.0, 3.0, 2.0]);
        assert_eq!(replicates.quantile(0.0, true), 1.0);
        assert_eq!(replicates.quantile(1.0, true), 4.0);
        assert_eq!(replicates.quantile(0.5, true), 2.5);
        assert!((replicates.quantile(0.1, true) - 1.3).abs() < 1e-15);
    }

    #[test]
    fn an_undefined_replicate_widens_both_bounds() {
        let mut values: Vec<f64> = (0..100).map(f64::from).collect();
        values.extend([f64::NAN; 10]);
        let interval = Replicates::new(values).percentile(Level::P95);
        assert_eq!((interval.low, interval.high), (None, None));
    }

    #[test]
    fn an_infinite_replicate_has_no_upper_bound_but_a_lower_one() {
        let mut values: Vec<f64> = (0..100).map(f64::from).collect();
        values.extend([f64::INFINITY; 10]);
        let replicates = Replicates::new(values);
        let interval = replicates.percentile(Level::P95);
        assert!(interval.low.is_some());
        assert_eq!(interval.high, None);
    }

    #[test]
    fn without_bias_and_acceleration_bca_is_the_percentile_interval() {
        let replicates = Replicates::new((0..=1000).map(f64::from).collect());
        let (bca, plain) =
            (replicates.bca(500.0, 0.0, Level::P95), replicates.percentile(Level::P95));
        assert!((bca.low.unwrap() - plain.low.unwrap()).abs() < 1e-6);
        assert!((bca.high.unwrap() - plain.high.unwrap()).abs() < 1e-6);
    }

    #[test]
    fn bca_without_an_answer_has_no_bounds_and_says_why() {
        let spread = Replicates::new((0..=1000).map(f64::from).collect());
        let holed = Replicates::new((0..100).map(f64::from).chain([f64::NAN]).collect());
        let nan = acceleration(&[vec![1.0; 4]]);
        assert!(nan.is_nan());
        for (replicates, estimate, acceleration, why) in [
            (&Replicates::new(vec![1.0; 200]), 2.0, 0.0, NoBca::OnOneSide),
            (&Replicates::new(vec![1.0; 200]), 0.5, 0.0, NoBca::OnOneSide),
            (&holed, 50.0, 0.0, NoBca::Undefined),
            (&spread, 500.0, nan, NoBca::NoAcceleration),
            (&spread, 500.0, 2.0, NoBca::PastThePole),
        ] {
            let found = replicates.bca(estimate, acceleration, Level::P95);
            assert!(found.low.is_none() || found.high.is_none(), "{found:?}");
            assert_eq!(replicates.no_bca(estimate, acceleration, Level::P95), Some(why));
        }
        assert_eq!(spread.no_bca(500.0, 0.1, Level::P95), None);
    }

    #[test]
    fn too_few_resamples_are_refused() {
        assert!(Resampling::new(99, 1).is_err());
        assert!(Resampling::new(100, 1).is_ok());
    }
}
