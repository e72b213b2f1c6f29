//! Does the probability follow a logistic curve in log₂(threads) at all?
//!
//! The deviance of the maximum-likelihood curve against one probability a thread count,
//! D = 2 Σ [k ln(k / n p̂) + (n − k) ln((n − k) / n q̂)]. Its χ² law with as many degrees of freedom as
//! there are thread counts beyond two is far off where counts are small, as they are at both ends of
//! every threshold. So the p-value is by parametric bootstrap: trials are drawn from the fitted curve, the
//! curve is fitted to them, and their deviance is compared. It stops early where many are as large.
//!
//! Assumes independent trials. Of separated counts the deviance is 0: they fit. With two thread counts
//! every curve fits, and there is no test.
//!
//! Sources: P. McCullagh and J. A. Nelder, *Generalized linear models* (1989), section 4.4; B. Efron and
//! R. J. Tibshirani, *An introduction to the bootstrap* (1993), section 16.2; J. Besag and P. Clifford,
//! *Sequential Monte Carlo p-values*, Biometrika 78 (1991), for when to stop.

use rand_distr::{Binomial, Distribution};

use super::super::stream::stream;
use super::super::{Alternative, StatError, TestResult};
use super::{ThreadsTried, pool};

/// Data sets drawn at most: a p-value of 0.05 then has a standard error of 0.005.
const MOST_DRAWS: u64 = 1_999;
/// With so many as large as the data's the p-value is near enough.
const ENOUGH: u64 = 100;
/// Where chance starts: one answer for one table.
const SEED: u64 = 0x7468_7265_7368;
/// Deviances that are equal in exact arithmetic agree to this.
const SAME: f64 = 1e-7;
/// Of one fit; a handful is usual.
const ITERATIONS: usize = 60;

/// Whether the counts fit a logistic curve; a small p-value says that they do not. No p-value with fewer
/// than three thread counts.
///
/// # Errors
/// As [`threshold`](super::threshold()).
///
/// ```
/// use stallscope_stats::threshold::{ThreadsTried, goodness_of_fit};
/// let tried = |threads, k| ThreadsTried { threads, n: 10, k };
/// // It rises to 60 % and stays there.
/// let plateau = [tried(16, 0), tried(32, 6), tried(64, 6), tried(128, 6)];
/// assert!(goodness_of_fit::test(&plateau)?.p_value.unwrap() < 0.05);
/// let rises = [tried(16, 0), tried(32, 3), tried(64, 8), tried(128, 10)];
/// assert!(goodness_of_fit::test(&rises)?.p_value.unwrap() > 0.3);
/// # Ok::<(), stallscope_stats::StatError>(())
/// ```
pub fn test(rows: &[ThreadsTried]) -> Result<TestResult, StatError> {
    Ok(of_pooled(&pool(rows)?))
}

/// [`test()`] of rows that are ascending in threads, one each, all with trials.
pub(super) fn of_pooled(rows: &[ThreadsTried]) -> TestResult {
    let seen = Counts::new(rows);
    let k: Vec<f64> = rows.iter().map(|row| row.k as f64).collect();
    let (curve, deviance) = seen.fit(&k);
    TestResult {
        method: "deviance-bootstrap",
        alternative: Alternative::TwoSided,
        statistic: (rows.len() > 2).then_some(deviance),
        p_value: (rows.len() > 2).then(|| seen.p_value(curve, deviance)),
    }
}

/// Where trials were made, and how many.
#[derive(Debug)]
struct Counts {
    /// log₂(threads) less its mean.
    x: Vec<f64>,
    n: Vec<u64>,
}

/// Log-odds at x = 0, and per unit of x.
#[derive(Debug, Clone, Copy)]
struct Line {
    at_0: f64,
    slope: f64,
}

impl Line {
    /// ln p and ln q at x.
    fn logs(self, x: f64) -> (f64, f64) {
        let eta = self.at_0 + self.slope * x;
        let tail = (-eta.abs()).exp().ln_1p();
        (eta.min(0.0) - tail, (-eta).min(0.0) - tail)
    }
}

/// k ln(k / n) for k of n, 0 for none.
fn saturated(k: f64, n: f64) -> f64 {
    if k > 0.0 { k * (k / n).ln() } else { 0.0 }
}

impl Counts {
    fn new(rows: &[ThreadsTried]) -> Self {
        let log: Vec<f64> = rows.iter().map(|row| (row.threads as f64).log2()).collect();
        let centre = log.iter().sum::<f64>() / log.len().max(1) as f64;
        Counts {
            x: log.iter().map(|x| x - centre).collect(),
            n: rows.iter().map(|row| row.n).collect(),
        }
    }

    fn rows<'a>(&'a self, k: &'a [f64]) -> impl Iterator<Item = (f64, f64, f64)> + 'a {
        self.x.iter().zip(&self.n).zip(k).map(|((x, n), k)| (*x, *n as f64, *k))
    }

    fn deviance(&self, k: &[f64], line: Line) -> f64 {
        let half: f64 = self
            .rows(k)
            .map(|(x, n, k)| {
                let (ln_p, ln_q) = line.logs(x);
                let seen = |count: f64, ln: f64| if count > 0.0 { count * ln } else { 0.0 };
                saturated(k, n) + saturated(n - k, n) - seen(k, ln_p) - seen(n - k, ln_q)
            })
            .sum();
        2.0 * half.max(0.0)
    }

    /// The curve of the smallest deviance, by Newton's method with halved steps, and that deviance; of
    /// separated counts, which have no finite curve, one far up the likelihood.
    fn fit(&self, k: &[f64]) -> (Line, f64) {
        let (all, stalled): (f64, f64) =
            self.rows(k).fold((0.0, 0.0), |(all, of), (_, n, k)| (all + n, of + k));
        let start = ((stalled + 0.5) / (all - stalled + 0.5)).ln();
        let mut line = Line { at_0: start, slope: 0.0 };
        let mut deviance = self.deviance(k, line);
        for _ in 0..ITERATIONS {
            let [mut s0, mut s1, mut i00, mut i01, mut i11] = [0.0; 5];
            for (x, n, k) in self.rows(k) {
                let (ln_p, ln_q) = line.logs(x);
                let (residual, weight) = (k - n * ln_p.exp(), n * (ln_p + ln_q).exp());
                s0 += residual;
                s1 += residual * x;
                i00 += weight;
                i01 += weight * x;
                i11 += weight * x * x;
            }
            let determinant = i00 * i11 - i01 * i01;
            if determinant.is_nan() || determinant <= 0.0 {
                break;
            }
            let (by_0, by_slope) =
                ((i11 * s0 - i01 * s1) / determinant, (i00 * s1 - i01 * s0) / determinant);
            let next = |part: f64| Line {
                at_0: line.at_0 + part * by_0,
                slope: line.slope + part * by_slope,
            };
            let better = std::iter::successors(Some(1.0), |part| Some(part / 2.0))
                .take(20)
                .map(|part| (next(part), self.deviance(k, next(part))))
                .find(|(_, found)| *found < deviance);
            let Some((found, smaller)) = better else { break };
            let gain = deviance - smaller;
            (line, deviance) = (found, smaller);
            if gain < 1e-10 * (1.0 + deviance) {
                break;
            }
        }
        (line, deviance)
    }

    /// How often counts drawn from the curve have a deviance as large.
    fn p_value(&self, curve: Line, deviance: f64) -> f64 {
        if deviance < SAME {
            return 1.0;
        }
        let laws: Vec<Option<Binomial>> = self
            .x
            .iter()
            .zip(&self.n)
            .map(|(x, n)| Binomial::new(*n, curve.logs(*x).0.exp().clamp(0.0, 1.0)).ok())
            .collect();
        let mut rng = stream(SEED, 0);
        let mut as_large = 0;
        for drawn in 1..=MOST_DRAWS {
            let k: Vec<f64> =
                laws.iter().map(|law| law.map_or(0.0, |law| law.sample(&mut rng) as f64)).collect();
            as_large += u64::from(self.fit(&k).1 >= deviance - SAME);
            if as_large == ENOUGH {
                return as_large as f64 / drawn as f64;
            }
        }
        (as_large + 1) as f64 / (MOST_DRAWS + 1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(n: u64, k: &[u64]) -> Vec<ThreadsTried> {
        (4..).zip(k).map(|(i, &k)| ThreadsTried { threads: 1 << i, n, k }).collect()
    }

    fn p(n: u64, k: &[u64]) -> f64 {
        test(&rows(n, k)).unwrap().p_value.unwrap()
    }

    #[test]
    fn a_plateau_is_no_logistic_curve_and_a_separated_one_is() {
        assert!(p(10, &[0, 6, 6, 6]) < 0.05);
        assert!(p(40, &[0, 24, 25, 23]) < 0.001);
        assert_eq!(p(10, &[0, 0, 10, 10]), 1.0);
        assert_eq!(p(10, &[0, 0, 0, 0]), 1.0);
        assert!(p(10, &[10, 0, 10, 0]) < 0.01);
        assert_eq!(test(&rows(10, &[0, 10])).unwrap().p_value, None);
        assert!(test(&rows(10, &[1])).is_err());
    }

    #[test]
    fn a_true_curve_is_rejected_about_as_often_as_the_level_says() {
        let curve = Counts::new(&rows(10, &[0; 5]));
        let line = Line { at_0: 0.0, slope: 1.5 };
        let (mut rng, of) = (stream(1, 7), 200);
        let rejected = (0..of)
            .filter(|_| {
                let mut draw =
                    |x: f64| Binomial::new(10, line.logs(x).0.exp()).unwrap().sample(&mut rng);
                let k: Vec<u64> = curve.x.iter().map(|x| draw(*x)).collect();
                p(10, &k) <= 0.05
            })
            .count();
        assert!((2..=20).contains(&rejected), "{rejected} of {of}");
    }
}
