//! One proportion: k trials of n stalled; how likely is a stall?
//!
//! Assumes that the trials are independent and share one probability. Trials of one process, of
//! one boot or beside a drifting neighbour are not: that is what blocks and fresh processes are
//! for.
//!
//! Wilson is the interval to read by default: its mean coverage is near the nominal level even at
//! n = 10 and at 0 of n (Brown, Cai and DasGupta, 2001), at the price of dipping below it for some
//! p. Clopper-Pearson never does, and is wider: it is for claims that must not fail.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

use super::binomial::{self, MOST_TRIALS, Probability};
use super::root::crossing;
use super::{Interval, Level, StatError};

/// k successes of n trials, with k ≤ n and n ≥ 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Proportion {
    k: u64,
    n: u64,
}

impl Proportion {
    /// k of n.
    ///
    /// # Errors
    /// [`StatError::Domain`] if n is 0 or above [`MOST_TRIALS`], or k is above n.
    pub fn new(k: u64, n: u64) -> Result<Self, StatError> {
        if n == 0 {
            return Err(StatError::domain(
                "the number of trials",
                n,
                "at least 1: nothing follows from no trials",
            ));
        }
        if n > MOST_TRIALS {
            return Err(StatError::domain(
                "the number of trials",
                n,
                format!("at most {MOST_TRIALS}"),
            ));
        }
        if k > n {
            return Err(StatError::domain(format!("K of N = {n} trials"), k, format!("0 to {n}")));
        }
        Ok(Proportion { k, n })
    }

    /// How many were counted.
    pub fn k(self) -> u64 {
        self.k
    }

    /// How many trials there were.
    pub fn n(self) -> u64 {
        self.n
    }

    /// k / n.
    pub fn estimate(self) -> f64 {
        self.k as f64 / self.n as f64
    }

    /// The others: n − k of n.
    pub fn complement(self) -> Self {
        Proportion { k: self.n - self.k, n: self.n }
    }
}

/// The standard normal quantile for a two-sided level: 1.96 for 95 %.
pub(crate) fn two_sided_z(level: Level) -> f64 {
    -Normal::standard().inverse_cdf(level.alpha() / 2.0)
}

/// Wilson's score interval: every p that the normal score test does not reject, with the variance
/// taken at p. No continuity correction. At 0 of n it begins at 0, at n of n it ends at 1.
///
/// Source: E. B. Wilson (1927), *Probable inference, the law of succession, and statistical
/// inference*.
///
/// ```
/// use stallscope_stats::{Level, proportion::{Proportion, wilson}};
/// let interval = wilson(Proportion::new(8, 10)?, Level::P95);
/// assert!((interval.low.unwrap() - 0.490162).abs() < 1e-6);
/// # Ok::<(), stallscope_stats::StatError>(())
/// ```
pub fn wilson(of: Proportion, level: Level) -> Interval {
    let (low, high) = wilson_bounds(of, two_sided_z(level));
    Interval::new("wilson", level, low, high)
}

/// Wilson's bounds at a given normal quantile; Newcombe's interval for a difference reuses them.
pub(crate) fn wilson_bounds(of: Proportion, z: f64) -> (f64, f64) {
    // The roots of (n + z²) p² − (2k + z²) p + k²/n = 0, the smaller in the form that does not
    // subtract nearly equal numbers.
    let (k, n) = (of.k as f64, of.n as f64);
    let z2 = z * z;
    let b = 2.0 * k + z2;
    let root = z * (z2 + 4.0 * k * (1.0 - k / n)).sqrt();
    let low = if of.k == 0 { 0.0 } else { 2.0 * k * (k / n) / (b + root) };
    let high = if of.k == of.n { 1.0 } else { (b + root) / (2.0 * (n + z2)) };
    (low, high)
}

/// Clopper and Pearson's exact interval: p is inside unless a one-sided binomial test at α/2
/// rejects it. Coverage is never below the level, and often well above it.
///
/// Source: C. J. Clopper and E. S. Pearson (1934).
pub fn clopper_pearson(of: Proportion, level: Level) -> Interval {
    let half = level.alpha() / 2.0;
    let lower = |k: u64, n: u64| match k {
        0 => Probability::new(0.0),
        _ => p_where(half, |at| binomial::at_least(k, n, at)),
    };
    with_mirror("clopper-pearson", of, level, lower)
}

/// Jeffreys' interval: the equal-tailed posterior interval under the prior Beta(½, ½), with the
/// lower bound at 0 for 0 of n and the upper bound at 1 for n of n, as Brown, Cai and DasGupta
/// recommend: unmodified, it never contains a p near enough to 0 or 1, and its coverage there is 0.
/// (statsmodels gives the unmodified quantiles.)
///
/// Source: L. D. Brown, T. T. Cai and A. DasGupta (2001), *Interval estimation for a binomial
/// proportion*, section 4.1.2.
pub fn jeffreys(of: Proportion, level: Level) -> Interval {
    let half = level.alpha() / 2.0;
    let lower = |k: u64, n: u64| match k {
        0 => Probability::new(0.0),
        _ => p_where(half, |at| binomial::beta_tails(k as f64 + 0.5, (n - k) as f64 + 0.5, at).0),
    };
    with_mirror("jeffreys", of, level, lower)
}

/// The mid-P interval: Clopper-Pearson with half of the observed count's own probability in each
/// tail. Narrower; its coverage is near the level on average, and may fall below it.
///
/// Source: H. O. Lancaster (1961); A. Agresti and A. Gottard (2007).
pub fn mid_p(of: Proportion, level: Level) -> Interval {
    let half = level.alpha() / 2.0;
    let lower = |k: u64, n: u64| match k {
        0 => Probability::new(0.0),
        _ => p_where(half, |at| binomial::at_least(k + 1, n, at) + 0.5 * binomial::pmf(k, n, at)),
    };
    with_mirror("mid-p", of, level, lower)
}

/// The one-sided exact upper bound after 0 of n: the p at which n trials all pass with probability
/// 1 − level. That is 1 − (1 − level)^(1/n), near 3/n at 95 % ("rule of three").
///
/// This is what "0 of n" shows: at this level, not more than this. It is lower than the upper end
/// of the two-sided interval, which spends half of its error on the other side.
///
/// # Errors
/// As [`Proportion::new`], for n.
pub fn at_most(n: u64, level: Level) -> Result<f64, StatError> {
    let n = Proportion::new(0, n)?.n;
    Ok(-(level.alpha().ln() / n as f64).exp_m1())
}

/// Clopper and Pearson's one-sided bounds, lower then upper, each at the level: the p at which the
/// binomial test against a smaller, or a larger, p is just at α. At a level of 50 % or less the lower
/// one lies above the upper one: each by itself is right.
///
/// Source: C. J. Clopper and E. S. Pearson (1934).
pub fn one_sided(of: Proportion, level: Level) -> (f64, f64) {
    (
        at_least(of.k as f64, of.n as f64, level).p,
        at_least((of.n - of.k) as f64, of.n as f64, level).q,
    )
}

/// The lower bound of k of n, which need not be whole, at the level: the (1 − level) quantile of
/// Beta(k, n − k + 1).
fn at_least(k: f64, n: f64, level: Level) -> Probability {
    if k <= 0.0 {
        return Probability::new(0.0);
    }
    p_where(level.alpha(), |at| binomial::beta_tails(k, n - k + 1.0, at).0)
}

/// An upper bound for the mean of the strata's probabilities, each stratum counting the same however
/// many trials it had: Clopper and Pearson's for the mean of the shares, as if every stratum had as
/// many trials as the one with the fewest. `None` without strata, or with an empty one.
///
/// With the same number everywhere this is Clopper and Pearson's bound of all trials together, which
/// holds for the mean of unequal probabilities too (W. Hoeffding 1956). With unequal numbers the mean
/// of the shares is spread no wider than a share of the smaller number would be, so that the bound is
/// on the safe side; it is that of Lindstrom and Madden for systems whose parts were tested unequally
/// often (D. K. Lloyd and M. Lipow 1962), and not exact: docs/appendix has how often it errs.
///
/// Not the bound of all trials together: there, many trials in a stratum that seldom stalls would
/// speak for a few in one that always did.
pub fn mean_at_most(strata: &[Proportion], level: Level) -> Option<f64> {
    let fewest = strata.iter().map(|of| of.n).min()?;
    let n = fewest as f64 * strata.len() as f64;
    let stalled: f64 = strata.iter().map(|of| fewest as f64 * of.estimate()).sum();
    Some(at_least(n - stalled, n, level).q)
}

/// Of the `next` trials to come, at most so many stall with the level's probability: the quantile of
/// the posterior predictive law under Jeffreys' prior, the beta-binomial one with a = k + ½ and
/// b = n − k + ½. Assumes that they are as the trials seen were.
///
/// Source: L. D. Brown, T. T. Cai and A. DasGupta (2001) for the prior; A. Gelman et al., *Bayesian data
/// analysis*, section 2.3, for the law.
///
/// ```
/// use stallscope_stats::{Level, proportion::{Proportion, next_at_most}};
/// assert_eq!(next_at_most(Proportion::new(0, 24)?, 20, Level::P95), 2);
/// # Ok::<(), stallscope_stats::StatError>(())
/// ```
pub fn next_at_most(of: Proportion, next: u64, level: Level) -> u64 {
    let (a, b) = (of.k as f64 + 0.5, (of.n - of.k) as f64 + 0.5);
    let m = next as f64;
    // From none on, each mass by its ratio to the one before: (m − x)(a + x) / ((x + 1)(b + m − x − 1)).
    let mut ln_mass: f64 = (0..next).map(|i| ((b + i as f64) / (a + b + i as f64)).ln()).sum();
    let mut below = ln_mass.exp();
    let mut x = 0;
    while below < level.get() && x < next {
        let at = x as f64;
        ln_mass += ((m - at) * (a + at) / ((at + 1.0) * (b + m - at - 1.0))).ln();
        below += ln_mass.exp();
        x += 1;
    }
    x
}

/// The interval from a rule for lower bounds: the upper bound of k of n is the complement of the
/// lower bound of n − k of n.
fn with_mirror(
    method: &'static str,
    of: Proportion,
    level: Level,
    lower: impl Fn(u64, u64) -> Probability,
) -> Interval {
    Interval::new(method, level, lower(of.k, of.n).p, lower(of.n - of.k, of.n).q)
}

/// The p at which an upper tail, increasing in p from 0 to at least `target`, is `target`.
fn p_where(target: f64, tail: impl Fn(Probability) -> f64) -> Probability {
    // In log-odds, and in the tail's logarithm, the curve is nearly straight; ±100 holds every
    // bound that MOST_TRIALS and a level below 1 − 1e-16 can give.
    let ln_target = target.ln();
    let excess = |u: f64| tail(Probability::from_logit(u)).ln().max(-1e5) - ln_target;
    match crossing(excess, -100.0, 100.0) {
        Some(u) => Probability::from_logit(u),
        None => Probability::new(f64::NAN),
    }
}

/// A proportion with all of its intervals.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProportionSummary {
    /// How many were counted.
    pub k: u64,
    /// How many trials there were.
    pub n: u64,
    /// k / n.
    pub estimate: f64,
    /// Wilson, Clopper-Pearson, Jeffreys, mid-P.
    pub intervals: Vec<Interval>,
    /// What to expect of trials to come.
    pub next: NextTrials,
}

/// Of so many trials to come, how many stall at most ([`next_at_most`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct NextTrials {
    /// Trials to come.
    pub trials: u64,
    /// Of them, at most so many stall with the level's probability.
    pub at_most: u64,
}

/// How many trials to come a summary speaks of: an evening's work.
const NEXT: u64 = 20;

/// The estimate and the four intervals.
pub fn summarize(of: Proportion, level: Level) -> ProportionSummary {
    ProportionSummary {
        k: of.k,
        n: of.n,
        estimate: of.estimate(),
        intervals: vec![
            wilson(of, level),
            clopper_pearson(of, level),
            jeffreys(of, level),
            mid_p(of, level),
        ],
        next: NextTrials { trials: NEXT, at_most: next_at_most(of, NEXT, level) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(interval: Interval) -> (f64, f64) {
        (interval.low.unwrap(), interval.high.unwrap())
    }

    fn near(found: (f64, f64), low: f64, high: f64) {
        assert!((found.0 - low).abs() < 5e-7 && (found.1 - high).abs() < 5e-7, "{found:?}");
    }

    #[test]
    fn eight_of_ten() {
        let of = Proportion::new(8, 10).unwrap();
        near(bounds(wilson(of, Level::P95)), 0.490162, 0.943318);
        near(bounds(clopper_pearson(of, Level::P95)), 0.443905, 0.974789);
        near(bounds(jeffreys(of, Level::P95)), 0.497226, 0.955941);
    }

    #[test]
    fn none_and_all_reach_the_ends_exactly() {
        for n in [1, 2, 24, 1_000_000, MOST_TRIALS] {
            for interval in summarize(Proportion::new(0, n).unwrap(), Level::P95).intervals {
                assert_eq!(interval.low, Some(0.0), "{interval:?}");
                assert!(interval.high.unwrap() > 0.0 && interval.high.unwrap() < 1.0);
            }
            for interval in summarize(Proportion::new(n, n).unwrap(), Level::P95).intervals {
                assert_eq!(interval.high, Some(1.0), "{interval:?}");
            }
        }
    }

    #[test]
    fn none_of_n_is_closed_form() {
        let n = 24;
        let of = Proportion::new(0, n).unwrap();
        let exact = bounds(clopper_pearson(of, Level::P95)).1;
        assert!((exact - (1.0 - 0.025f64.powf(1.0 / 24.0))).abs() < 1e-14);
        let mid = bounds(mid_p(of, Level::P95)).1;
        let once = at_most(n, Level::P95).unwrap();
        assert!((mid - once).abs() < 1e-14 && (once - 0.117346).abs() < 1e-6, "{mid} {once}");
    }

    #[test]
    fn one_sided_bounds_are_those_of_a_wider_interval_and_go_on_below_half() {
        let of = |k, n| Proportion::new(k, n).unwrap();
        let at = |level: f64| Level::new(level).unwrap();
        for (k, n) in [(0, 8), (3, 17), (8, 8), (1, 1_000_000)] {
            let (low, high) = one_sided(of(k, n), Level::P95);
            let wide = bounds(clopper_pearson(of(k, n), at(0.9)));
            assert!((low - wide.0).abs() < 1e-12 && (high - wide.1).abs() < 1e-12, "{k} of {n}");
        }
        // 1 − 0.5^(1/8), and below half the bounds cross.
        assert!((one_sided(of(0, 8), at(0.5)).1 - 0.082_995_956_795).abs() < 1e-11);
        let (low, high) = one_sided(of(4, 8), at(0.2));
        assert!(high < low);
    }

    #[test]
    fn the_mean_of_strata_is_bound_by_the_one_with_the_fewest_trials() {
        let of = |counts: &[(u64, u64)]| {
            let strata: Vec<Proportion> =
                counts.iter().map(|&(k, n)| Proportion::new(k, n).unwrap()).collect();
            mean_at_most(&strata, Level::P95)
        };
        let one = |k, n| one_sided(Proportion::new(k, n).unwrap(), Level::P95).1;
        let near = |found: Option<f64>, expected: f64| {
            assert!((found.unwrap() - expected).abs() < 1e-12, "{found:?} {expected}");
        };
        assert_eq!(of(&[]), None);
        near(of(&[(1, 20)]), one(1, 20));
        near(of(&[(0, 20), (2, 20), (0, 20)]), one(2, 60));
        // 200 trials elsewhere say nothing of the stratum that has three.
        near(of(&[(0, 200), (0, 3)]), one(0, 6));
        near(of(&[(50, 100), (0, 10)]), one(5, 20));
        near(of(&[(3, 3), (8, 8)]), 1.0);
    }

    #[test]
    fn a_higher_level_is_wider_and_contains_the_estimate() {
        for (k, n) in [(0, 1), (1, 1), (1, 2), (3, 17), (500_000, 1_000_000), (1, 1_000_000)] {
            let of = Proportion::new(k, n).unwrap();
            let mut before: Option<ProportionSummary> = None;
            for level in [0.5, 0.9, 0.95, 0.999999] {
                let summary = summarize(of, Level::new(level).unwrap());
                for (i, interval) in summary.intervals.iter().enumerate() {
                    let (low, high) = (interval.low.unwrap(), interval.high.unwrap());
                    assert!(low <= summary.estimate && summary.estimate <= high, "{interval:?}");
                    if let Some(narrower) = before.as_ref().and_then(|b| b.intervals.get(i)) {
                        assert!(low <= narrower.low.unwrap() && high >= narrower.high.unwrap());
                    }
                }
                before = Some(summary);
            }
        }
    }

    #[test]
    fn impossible_counts_are_refused() {
        assert!(Proportion::new(11, 10).is_err());
        assert!(Proportion::new(0, 0).is_err());
        assert!(Proportion::new(0, u64::MAX).is_err());
        assert!(at_most(0, Level::P95).is_err());
    }
}
