//! The outcome rule `split`: are there two modes, and where is the cut between them?
//!
//! Pooled throughputs are called bimodal where the log-normal mixture ([`super::mixture`]) says so
//! twice: two components beat one by at least 10 in BIC, and by the fitted components the cut puts
//! at most 1 % of either on the wrong side. The second keeps out laws that are merely not
//! log-normal: skewed, flat or heavy-tailed samples are also fitted better by two components than by
//! one, but by two that overlap. The cut is where a value is as likely to be of either component.
//!
//! The dip ([`super::dip`], of the logarithms) stands beside it and does not decide: it assumes no
//! law, but has next to no power where two of 24 trials stall, the very case the rule is for.
//!
//! A throughput of 0 has no logarithm. Zeros stay out of the fit and are below any cut; where the
//! positive values have one mode, zeros themselves are the lower one.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

use super::super::StatError;
use super::bootstrap::Resampling;
use super::dip::{self, Dip};
use super::mixture::{Component, Mixture};
use super::sorted;

/// The least number of positive values; below it nothing is called bimodal.
const LEAST_VALUES: usize = 8;
/// The least gain in BIC, "very strong" by Kass and Raftery (1995).
const LEAST_GAIN: f64 = 10.0;
/// The largest share of a component on the wrong side of the cut.
const MOST_MISPLACED: f64 = 0.01;
/// Above this many values the fit takes this many of their order statistics, evenly spaced.
const MOST_FITTED: usize = 5_000;

/// Whether values have two modes, and the evidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Split {
    /// How many values.
    pub n: usize,
    /// How many of them are 0. They have no logarithm: dip and components are of the others.
    pub zeros: usize,
    /// The cut, in the values' unit: below it is the lower mode. `None` where one mode is enough.
    pub cut: Option<f64>,
    /// How many values are below the cut; `None` without one.
    pub lower: Option<usize>,
    /// BIC of one component less that of two; `None` where nothing was fitted.
    pub bic_gain: Option<f64>,
    /// The two components, lower first; empty where nothing was fitted.
    pub components: Vec<Component>,
    /// The dip of the logarithms of the positive values; `None` where there are none.
    pub dip: Option<Dip>,
    /// Why there is a cut or none.
    #[serde(skip)]
    pub verdict: Verdict,
}

/// Why values have two modes or one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Verdict {
    /// One mode: too few positive values.
    FewPositive {
        /// How many there are.
        positive: usize,
    },
    /// One mode: all positive values are equal.
    AllEqual,
    /// One mode: all values are 0.
    AllZero,
    /// Two modes: zeros below, and one mode of positive values.
    ZerosBelow,
    /// One mode: no fit of two components holds.
    NoFit,
    /// One mode: two components gain too little in BIC.
    SmallGain {
        /// The gain in BIC.
        gain: f64,
        /// The least gain that counts.
        needed: f64,
    },
    /// One mode: the components lie within one another.
    Nested,
    /// One mode: the components overlap.
    Overlap {
        /// The share of a component that a cut would misplace.
        misplaced: f64,
    },
    /// Two modes: the gain is large, and the components do not overlap.
    TwoModes {
        /// The gain in BIC.
        gain: f64,
    },
}

impl Split {
    /// Whether the values are called bimodal.
    pub fn is_bimodal(&self) -> bool {
        self.cut.is_some()
    }
}

/// Looks for two modes. `resampling` is for the dip's p-value, and seeds EM's starts.
///
/// # Errors
/// No values; a value that is negative or not finite.
///
/// ```
/// use stallscope_stats::samples::{Resampling, split::split};
/// let pooled = [52.8, 46.1, 36.3, 51.7, 49.6, 4.2, 4.5, 4.0, 5.1, 4.6];
/// let found = split(&pooled, Resampling::default()).unwrap();
/// assert_eq!(found.lower, Some(5));
/// assert!(found.cut.is_some_and(|cut| cut > 5.1 && cut < 36.3));
/// ```
pub fn split(values: &[f64], resampling: Resampling) -> Result<Split, StatError> {
    let ascending = sorted("of the split", values)?;
    if let Some(&least) = ascending.first().filter(|x| **x < 0.0) {
        return Err(StatError::domain("the least value to split", least, "0 or more"));
    }
    let zeros = ascending.partition_point(|x| *x <= 0.0);
    let positive = &ascending[zeros..];
    let mut found = Split {
        n: ascending.len(),
        zeros,
        cut: None,
        lower: None,
        bic_gain: None,
        components: Vec::new(),
        dip: None,
        verdict: Verdict::AllZero,
    };
    if let (Some(first), Some(last)) = (positive.first(), positive.last()) {
        let logs: Vec<f64> = thinned(positive).iter().map(|x| x.ln()).collect();
        found.dip = Some(dip::test(&logs, resampling)?);
        found.verdict = if positive.len() < LEAST_VALUES {
            Verdict::FewPositive { positive: positive.len() }
        } else if first == last {
            Verdict::AllEqual
        } else {
            let mixture = Mixture::fit(&thinned(positive), resampling.seed)?;
            judge(&mut found, &mixture)
        };
        if found.cut.is_none() && zeros > 0 {
            // Any cut between 0 and the least positive value divides alike.
            found.cut = Some(first / 2.0);
            found.verdict = Verdict::ZerosBelow;
        }
    }
    found.lower = found.cut.map(|cut| ascending.partition_point(|x| *x < cut));
    Ok(found)
}

/// Takes over the fit and sets the cut if both conditions hold.
fn judge(found: &mut Split, mixture: &Mixture) -> Verdict {
    let (Some(two), Some(gain)) = (mixture.two(), mixture.bic_gain()) else {
        return Verdict::NoFit;
    };
    found.bic_gain = Some(gain);
    found.components = two.components.clone();
    let [lower, upper] = two.components[..] else {
        return Verdict::NoFit;
    };
    if gain < LEAST_GAIN {
        return Verdict::SmallGain { gain, needed: LEAST_GAIN };
    }
    let Some(cut) = cut_between(lower, upper) else {
        return Verdict::Nested;
    };
    let normal = Normal::standard();
    let misplaced =
        normal.sf((cut - lower.mu) / lower.sigma).max(normal.cdf((cut - upper.mu) / upper.sigma));
    if misplaced > MOST_MISPLACED {
        return Verdict::Overlap { misplaced };
    }
    found.cut = Some(cut.exp());
    Verdict::TwoModes { gain }
}

/// The logarithm of the value that is as likely to be of either component, between their means.
fn cut_between(lower: Component, upper: Component) -> Option<f64> {
    let odds = |y: f64| upper.ln_density(y) - lower.ln_density(y);
    let (mut below, mut above) = (lower.mu, upper.mu);
    if odds(below) >= 0.0 || odds(above) <= 0.0 {
        return None;
    }
    // The odds are a parabola in y that changes sign once between the means.
    for _ in 0..200 {
        let middle = below / 2.0 + above / 2.0;
        if odds(middle) < 0.0 { below = middle } else { above = middle }
    }
    Some(below / 2.0 + above / 2.0)
}

/// At most [`MOST_FITTED`] of an ascending sample's values, evenly spaced in rank.
fn thinned(ascending: &[f64]) -> Vec<f64> {
    let n = ascending.len();
    if n <= MOST_FITTED {
        return ascending.to_vec();
    }
    (0..MOST_FITTED)
        .filter_map(|i| {
            ascending.get(((2 * i + 1) as u128 * n as u128 / (2 * MOST_FITTED) as u128) as usize)
        })
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::stream::stream;
    use super::*;
    use rand::RngExt;
    use rand_chacha::ChaCha8Rng;

    const QUICK: Resampling = Resampling { resamples: 20, seed: 1 };

    fn normal(rng: &mut ChaCha8Rng) -> f64 {
        Normal::standard().inverse_cdf(rng.random_range(1e-12..1.0))
    }

    #[test]
    fn rare_stalls_are_split_from_the_rest() {
        let mut rng = stream(3, 0);
        let mut values: Vec<f64> = (0..22).map(|_| (3.8 + 0.1 * normal(&mut rng)).exp()).collect();
        values.extend([0.4, 0.7]);
        let found = split(&values, QUICK).unwrap();
        assert_eq!(found.lower, Some(2), "{found:?}");
    }

    #[test]
    fn one_mode_is_seldom_split() {
        // At most 2 of 60 samples of each law.
        type Draw = fn(&mut ChaCha8Rng) -> f64;
        let laws: [(&str, Draw); 4] = [
            ("log-normal", |rng| normal(rng).exp()),
            ("normal", |rng| 10.0 + normal(rng)),
            ("exponential", |rng| -(1.0 - rng.random::<f64>()).ln()),
            ("uniform", |rng| 1.0 + rng.random::<f64>()),
        ];
        for (name, law) in laws {
            for n in [10, 40] {
                let split_up = (0..60)
                    .filter(|&i| {
                        let mut rng = stream(17, i);
                        let values: Vec<f64> = (0..n).map(|_| law(&mut rng)).collect();
                        split(&values, Resampling { resamples: 1, seed: 1 }).unwrap().is_bimodal()
                    })
                    .count();
                assert!(split_up <= 2, "{name} n = {n}: {split_up} of 60");
            }
        }
    }

    #[test]
    fn zeros_are_the_lower_mode() {
        let found = split(&[0.0, 0.0, 36.0, 37.0, 35.5], QUICK).unwrap();
        assert_eq!(found.lower, Some(2));
        assert_eq!((found.verdict, found.zeros), (Verdict::ZerosBelow, 2));
        let none = split(&[0.0; 5], QUICK).unwrap();
        assert_eq!(none.cut, None);
    }

    #[test]
    fn few_values_constants_and_negatives_are_defined() {
        let verdict = |values: &[f64]| split(values, QUICK).unwrap().verdict;
        assert_eq!(verdict(&[1.0, 100.0]), Verdict::FewPositive { positive: 2 });
        assert_eq!(verdict(&[7.0; 20]), Verdict::AllEqual);
        assert!(split(&[-1.0, 2.0], QUICK).is_err());
        assert!(split(&[], QUICK).is_err());
    }

    #[test]
    fn a_large_sample_is_thinned_and_counted_whole() {
        let mut rng = stream(3, 1);
        let values: Vec<f64> = (0..100_000)
            .map(|i| if i % 5 == 0 { 1.0 } else { 30.0 } * (1.0 + 0.2 * rng.random::<f64>()))
            .collect();
        let found = split(&values, QUICK).unwrap();
        assert_eq!(found.lower, Some(20_000));
    }
}
