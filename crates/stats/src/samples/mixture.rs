//! One log-normal law or two? A two-component mixture fitted by EM, against one component by BIC.
//!
//! ln x is normal, or a mixture of two normals with one variance or with two. Fits are by maximum
//! likelihood: EM from several k-means++ starts and from the best cut into two, the best end kept.
//! BIC = −2 ln L + p ln n, with p = 2, 4 and 5 parameters; smaller is better.
//!
//! The likelihood of two variances has no maximum: it grows without bound as one component closes in
//! on a single value. Two guards, both after R. J. Hathaway, *A constrained formulation of
//! maximum-likelihood estimation for normal mixture distributions*, Ann. Statist. 13 (1985):
//! no standard deviation is below a twentieth of the other, nor below a thousandth of the whole
//! sample's; and a component with its own variance holds at least three values' weight.
//!
//! Sources: A. P. Dempster, N. M. Laird and D. B. Rubin, *Maximum likelihood from incomplete data via
//! the EM algorithm*, J. R. Statist. Soc. B 39 (1977); G. Schwarz, *Estimating the dimension of a model*,
//! Ann. Statist. 6 (1978); D. Arthur and S. Vassilvitskii, *k-means++* (2007).

use std::f64::consts::TAU;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::super::{StatError, stream};
use super::sorted;

/// The least ratio of the two standard deviations.
const LEAST_RATIO: f64 = 0.05;
/// The least standard deviation, as a share of the whole sample's.
const LEAST_SHARE: f64 = 1e-3;
/// The least weight of a component that has a variance of its own, in values.
const LEAST_VALUES: f64 = 3.0;
/// Up to this many values, EM starts from every cut as well.
const TRY_EVERY_CUT: usize = 20;
/// k-means++ starts beside the best cut.
const STARTS: u64 = 8;
/// Of each start, before the best go on.
const FIRST_ITERATIONS: usize = 30;
const ITERATIONS: usize = 2_000;
const RUN_TO_THE_END: usize = 3;

/// A normal component of ln x.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Component {
    /// Its share of the values.
    pub weight: f64,
    /// Mean of ln x.
    pub mu: f64,
    /// Standard deviation of ln x.
    pub sigma: f64,
}

impl Component {
    /// ln of weight times density at ln x = y.
    pub fn ln_density(&self, y: f64) -> f64 {
        let z = (y - self.mu) / self.sigma;
        self.weight.ln() - self.sigma.ln() - 0.5 * (z * z + TAU.ln())
    }
}

/// A fitted law.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MixtureFit {
    /// One component, or two with the lower mean first.
    pub components: Vec<Component>,
    /// Whether two components share one standard deviation.
    pub equal_variance: bool,
    /// ln of the likelihood of ln x.
    pub log_likelihood: f64,
    /// −2 ln L + p ln n.
    pub bic: f64,
}

/// The fits that were compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mixture {
    /// One component.
    pub one: MixtureFit,
    /// Two with one variance; `None` where no start came to a fit that the guards allow.
    pub two_equal: Option<MixtureFit>,
    /// Two with a variance each; `None` likewise.
    pub two_unequal: Option<MixtureFit>,
}

impl Mixture {
    /// Fits all three to positive values.
    ///
    /// # Errors
    /// Fewer than two values, a value that is not positive and finite, all values equal: then even
    /// one component has no variance.
    pub fn fit(values: &[f64], seed: u64) -> Result<Self, StatError> {
        let ascending = sorted("of the mixture", values)?;
        match ascending.first() {
            Some(&least) if least <= 0.0 => {
                return Err(StatError::domain(
                    "the least value of a log-normal mixture",
                    least,
                    "a number above 0",
                ));
            }
            _ => {}
        }
        let logs: Vec<f64> = ascending.iter().map(|x| x.ln()).collect();
        if logs.len() < 2 || logs.first() == logs.last() {
            return Err(StatError::too_few(
                "a log-normal fit",
                "at least two different values",
                if logs.len() < 2 { "one value".to_owned() } else { "one, repeated".to_owned() },
            ));
        }
        Ok(Self::of_logs(&logs, seed))
    }

    /// The two-component fit of smaller BIC, if any.
    pub fn two(&self) -> Option<&MixtureFit> {
        match (&self.two_equal, &self.two_unequal) {
            (Some(equal), Some(unequal)) => {
                Some(if equal.bic <= unequal.bic { equal } else { unequal })
            }
            (equal, unequal) => equal.as_ref().or(unequal.as_ref()),
        }
    }

    /// BIC of one component less that of two: above 0 two are better, above 10 very strongly so
    /// (R. E. Kass and A. E. Raftery, *Bayes factors*, J. Amer. Statist. Assoc. 90, 1995).
    pub fn bic_gain(&self) -> Option<f64> {
        Some(self.one.bic - self.two()?.bic)
    }

    fn of_logs(y: &[f64], seed: u64) -> Self {
        let n = y.len() as f64;
        let mu = y.iter().sum::<f64>() / n;
        let sigma = (y.iter().map(|y| (y - mu).powi(2)).sum::<f64>() / n).sqrt();
        let whole = Component { weight: 1.0, mu, sigma };
        let one = finished(y, vec![whole], true, 2.0);
        let mut starts = vec![best_cut(y)];
        if y.len() <= TRY_EVERY_CUT {
            starts.extend(1..y.len());
        }
        starts.extend((0..STARTS).map(|i| k_means_plus_plus(y, &mut stream::stream(seed, i))));
        // In one dimension many starts come to the same cut.
        starts.sort_unstable();
        starts.dedup();
        let best = |equal: bool| {
            let mut runs: Vec<Em> = starts
                .iter()
                .filter_map(|&cut| Em::from_cut(y, cut, equal, sigma).run(y, FIRST_ITERATIONS))
                .filter(|run| run.holds_enough(y.len()))
                .collect();
            // Only the best are worth running to the end.
            runs.sort_by(|f, g| g.log_likelihood.total_cmp(&f.log_likelihood));
            runs.truncate(RUN_TO_THE_END);
            runs.into_iter()
                .filter_map(|run| run.run(y, ITERATIONS))
                .filter(|run| run.holds_enough(y.len()))
                .map(|run| finished(y, run.pair.to_vec(), equal, if equal { 4.0 } else { 5.0 }))
                .max_by(|f, g| f.log_likelihood.total_cmp(&g.log_likelihood))
        };
        Mixture { one, two_equal: best(true), two_unequal: best(false) }
    }
}

fn finished(
    y: &[f64],
    mut components: Vec<Component>,
    equal_variance: bool,
    parameters: f64,
) -> MixtureFit {
    components.sort_by(|a, b| a.mu.total_cmp(&b.mu));
    let log_likelihood =
        y.iter().map(|&y| ln_sum(components.iter().map(|c| c.ln_density(y)))).sum();
    let bic = -2.0 * log_likelihood + parameters * (y.len() as f64).ln();
    MixtureFit { components, equal_variance, log_likelihood, bic }
}

fn ln_sum(terms: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = terms.clone().fold(f64::NEG_INFINITY, f64::max);
    if most.is_finite() { most + terms.map(|t| (t - most).exp()).sum::<f64>().ln() } else { most }
}

/// How many of the ascending values go to the lower component: the cut that leaves the least sum of
/// squares, which is the optimum of 2-means in one dimension.
fn best_cut(y: &[f64]) -> usize {
    let total: f64 = y.iter().sum();
    let mut sum = 0.0;
    let mut best = (f64::NEG_INFINITY, 1);
    for (i, y_i) in y.iter().enumerate().take(y.len().saturating_sub(1)) {
        sum += y_i;
        let (low, high) = ((i + 1) as f64, (y.len() - i - 1) as f64);
        // Between-groups sum of squares, up to a constant.
        let between = sum * sum / low + (total - sum).powi(2) / high;
        if between > best.0 {
            best = (between, i + 1);
        }
    }
    best.1
}

/// The same from two centres drawn by k-means++: the first uniformly, the second with probability
/// proportional to the squared distance; the cut is half way between them.
fn k_means_plus_plus(y: &[f64], rng: &mut ChaCha8Rng) -> usize {
    let first = y[rng.random_range(0..y.len())];
    let total: f64 = y.iter().map(|y| (y - first).powi(2)).sum();
    let mut left = rng.random::<f64>() * total;
    let second = y
        .iter()
        .find(|y| {
            left -= (*y - first).powi(2);
            left <= 0.0
        })
        .copied()
        .unwrap_or(first);
    y.partition_point(|y| *y < (first + second) / 2.0).clamp(1, y.len().saturating_sub(1).max(1))
}

/// EM under way.
struct Em {
    /// Each value's share in the lower component.
    lower: Vec<f64>,
    equal: bool,
    whole_sigma: f64,
    pair: [Component; 2],
    log_likelihood: f64,
    settled: bool,
}

impl Em {
    /// The values below `cut` in one component, the rest in the other.
    fn from_cut(y: &[f64], cut: usize, equal: bool, whole_sigma: f64) -> Self {
        let nothing = Component { weight: 0.5, mu: f64::NAN, sigma: f64::NAN };
        Em {
            lower: (0..y.len()).map(|i| if i < cut { 1.0 } else { 0.0 }).collect(),
            equal,
            whole_sigma,
            pair: [nothing, nothing],
            log_likelihood: f64::NEG_INFINITY,
            settled: false,
        }
    }

    /// Whether each component holds the weight that the guards ask for.
    fn holds_enough(&self, n: usize) -> bool {
        let least = if self.equal { 0.5 } else { LEAST_VALUES };
        self.pair.iter().all(|component| component.weight * n as f64 >= least)
    }

    /// Up to `iterations` more; `None` where a component comes to nothing.
    fn run(mut self, y: &[f64], iterations: usize) -> Option<Self> {
        for _ in 0..iterations {
            if self.settled {
                break;
            }
            self.pair = components(y, &self.lower, self.equal, self.whole_sigma)?;
            let [lower, upper] = self.pair;
            let constant = |c: Component| c.weight.ln() - c.sigma.ln() - 0.5 * TAU.ln();
            let (ln_lower, ln_upper) = (constant(lower), constant(upper));
            let mut log_likelihood = 0.0;
            for (&y, share) in y.iter().zip(&mut self.lower) {
                let low = ln_lower - 0.5 * ((y - lower.mu) / lower.sigma).powi(2);
                let high = ln_upper - 0.5 * ((y - upper.mu) / upper.sigma).powi(2);
                let less = (-(low - high).abs()).exp();
                let odds = 1.0 / (1.0 + less);
                *share = if low > high { odds } else { less * odds };
                log_likelihood += low.max(high) + less.ln_1p();
            }
            if !log_likelihood.is_finite() {
                return None;
            }
            let rise = (log_likelihood - self.log_likelihood).abs();
            self.settled = rise < 1e-11 * (y.len() as f64).max(log_likelihood.abs());
            self.log_likelihood = log_likelihood;
        }
        Some(self)
    }
}

/// The M step: weights, means and guarded variances from each value's share in the lower component.
fn components(y: &[f64], lower: &[f64], equal: bool, whole_sigma: f64) -> Option<[Component; 2]> {
    let n = y.len() as f64;
    let held: f64 = lower.iter().sum();
    if held < 1e-3 || n - held < 1e-3 {
        return None;
    }
    let mean = |share: &dyn Fn(f64) -> f64, held: f64| {
        y.iter().zip(lower).map(|(y, &l)| share(l) * y).sum::<f64>() / held
    };
    let squares = |share: &dyn Fn(f64) -> f64, mu: f64| {
        y.iter().zip(lower).map(|(y, &l)| share(l) * (y - mu).powi(2)).sum::<f64>()
    };
    let (of_lower, of_upper) = (|l: f64| l, |l: f64| 1.0 - l);
    let mu = [mean(&of_lower, held), mean(&of_upper, n - held)];
    let square = [squares(&of_lower, mu[0]), squares(&of_upper, mu[1])];
    let floor = LEAST_SHARE * whole_sigma;
    let sigma = if equal {
        let pooled = ((square[0] + square[1]) / n).sqrt().max(floor);
        [pooled, pooled]
    } else {
        let own =
            [(square[0] / held).sqrt().max(floor), (square[1] / (n - held)).sqrt().max(floor)];
        let floor = LEAST_RATIO * own[0].max(own[1]);
        [own[0].max(floor), own[1].max(floor)]
    };
    Some([
        Component { weight: held / n, mu: mu[0], sigma: sigma[0] },
        Component { weight: 1.0 - held / n, mu: mu[1], sigma: sigma[1] },
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Normal quantiles: a sample without chance.
    fn quantiles(n: usize, mu: f64, sigma: f64) -> Vec<f64> {
        use statrs::distribution::{ContinuousCDF, Normal};
        let law = Normal::new(mu, sigma).unwrap();
        (0..n).map(|i| law.inverse_cdf((i as f64 + 0.5) / n as f64).exp()).collect()
    }

    #[test]
    fn two_modes_are_found() {
        let mut values = quantiles(40, 1.5, 0.1);
        values.extend(quantiles(60, 3.9, 0.2));
        let fit = Mixture::fit(&values, 1).unwrap();
        let two = fit.two_unequal.as_ref().unwrap();
        assert!((two.components[0].weight - 0.4).abs() < 1e-6);
        assert!((two.components[0].mu - 1.5).abs() < 1e-6);
        assert!((two.components[1].mu - 3.9).abs() < 1e-6);
        assert!((two.components[1].sigma - 0.2).abs() < 0.01);
        assert!(fit.bic_gain().unwrap() > 100.0);
    }

    #[test]
    fn one_mode_is_not_taken_for_two() {
        let fit = Mixture::fit(&quantiles(50, 3.0, 0.5), 1).unwrap();
        assert!(fit.bic_gain().unwrap() < 0.0, "{fit:?}");
    }

    #[test]
    fn the_likelihood_does_not_run_away() {
        // Two equal values beside a spread: a component on them alone would have no variance.
        let mut values = quantiles(30, 0.0, 1.0);
        values.extend([1.234_567, 1.234_567, 1.234_567, 1.234_567]);
        let fit = Mixture::fit(&values, 1).unwrap();
        for component in &fit.two().unwrap().components {
            assert!(component.sigma > 0.01 && component.weight * 34.0 >= 0.5);
        }
        let tied = Mixture::fit(&[1.0, 1.0, 1.0, 9.0, 9.0, 9.0], 1).unwrap();
        assert!(tied.two().unwrap().log_likelihood.is_finite());
    }

    #[test]
    fn the_fit_depends_on_neither_order_nor_threads() {
        let mut values = quantiles(12, 0.0, 0.3);
        values.extend(quantiles(7, 1.0, 0.3));
        let fit = Mixture::fit(&values, 5).unwrap();
        values.reverse();
        assert_eq!(fit, Mixture::fit(&values, 5).unwrap());
    }

    #[test]
    fn what_has_no_logarithm_or_no_spread_is_refused() {
        assert!(Mixture::fit(&[0.0, 1.0], 1).unwrap_err().to_string().contains("above 0"));
        assert!(Mixture::fit(&[2.0, 2.0], 1).unwrap_err().to_string().contains("repeated"));
        assert!(Mixture::fit(&[2.0], 1).is_err());
    }
}
