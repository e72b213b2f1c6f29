//! Logistic regression on log₂(threads) with Firth's penalty.
//!
//! Maximises l(β) + ½ ln det I(β), with l the binomial log-likelihood of
//! logit p = intercept + slope · log₂(threads) and I the Fisher information. The penalty is Jeffreys'
//! prior; it takes off the first-order bias, and the maximum is finite also where the data are
//! separated and maximum likelihood has none. Intervals are profile intervals of the penalised
//! likelihood: the values that its ratio test does not reject against χ² with one degree of freedom.
//!
//! Sources: D. Firth, *Bias reduction of maximum likelihood estimates*, Biometrika 80 (1993);
//! G. Heinze and M. Schemper, *A solution to the problem of separation in logistic regression*,
//! Statist. Med. 21 (2002), for the intervals.

use serde::Serialize;

use super::super::proportion::two_sided_z;
use super::super::root::crossing;
use super::super::{Interval, Level, StatError};
use super::ThreadsTried;

/// Of one climb; a handful is usual.
const ITERATIONS: usize = 200;
/// The most gaps between thread counts in which a climb begins.
const MOST_STARTS: usize = 12;

/// Log-odds over all the thread counts that a climb's rounding may leave where there are none: a climb
/// ends within about 1e-14 of its maximum.
const FLAT: f64 = 1e-12;

/// The fitted curve, logit p = intercept + slope · log₂(threads).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FirthFit {
    /// The log-odds of a stall at one thread.
    pub intercept: f64,
    /// The log-odds that each doubling of the thread count adds.
    pub slope: f64,
    /// `firth`.
    pub method: &'static str,
    /// The intercept's profile interval.
    #[serde(skip)]
    pub intercept_interval: Interval,
    /// The slope's profile interval.
    #[serde(skip)]
    pub slope_interval: Interval,
    /// The penalised log-likelihood at its maximum, without the binomial coefficients.
    #[serde(skip)]
    pub penalised_log_likelihood: f64,
    /// Whether the penalised likelihood has other, lower maxima.
    #[serde(skip)]
    pub several_maxima: bool,
}

/// Trials over x = log₂(threads) − centre, and the penalised likelihood of a logistic curve in x.
///
/// The likelihood is invariant under the shift; the numbers are better with x near 0.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    /// Mean of log₂(threads) over rows.
    pub centre: f64,
    /// x of each row, ascending.
    pub x: Vec<f64>,
    n: Vec<f64>,
    k: Vec<f64>,
}

/// A curve's two parameters: log-odds at x = 0, and per unit of x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Parameters {
    pub c: f64,
    pub b: f64,
}

/// A straight line through the parameters, `origin + s · direction`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub origin: Parameters,
    pub direction: Parameters,
}

impl Line {
    pub fn at(&self, s: f64) -> Parameters {
        Parameters {
            c: self.origin.c + s * self.direction.c,
            b: self.origin.b + s * self.direction.b,
        }
    }
}

/// The penalised likelihood at one place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Likelihood {
    /// l + ½ ln det I
    pub value: f64,
    /// Its derivative by c and by b: Firth's modified score.
    pub score: Parameters,
    /// The information in the scaled form det I = e^{2m} · a · s: its weight, its mean and its
    /// spread over x.
    ln_scale: f64,
    weight: f64,
    mean: f64,
    spread: f64,
}

impl Likelihood {
    /// I⁻¹ · score, the step of Fisher scoring.
    fn step(&self) -> Parameters {
        let scale = (-self.ln_scale).exp();
        let b = (self.score.b - self.mean * self.score.c) / self.spread * scale;
        Parameters { c: self.score.c / self.weight * scale - self.mean * b, b }
    }

    /// The standard error of `line`'s own parameter with the other held: 1/√(dᵀ I d).
    fn width_along(&self, direction: Parameters) -> f64 {
        let Parameters { c, b } = direction;
        let information = self.weight * (c + b * self.mean).powi(2) + self.spread * b * b;
        (-0.5 * self.ln_scale).exp() / information.sqrt()
    }
}

impl Curve {
    /// Rows that are ascending in threads, two or more, all with trials.
    pub fn new(rows: &[ThreadsTried]) -> Self {
        let log: Vec<f64> = rows.iter().map(|row| (row.threads as f64).log2()).collect();
        let centre = log.iter().sum::<f64>() / log.len() as f64;
        Curve {
            centre,
            x: log.iter().map(|x| x - centre).collect(),
            n: rows.iter().map(|row| row.n as f64).collect(),
            k: rows.iter().map(|row| row.k as f64).collect(),
        }
    }

    /// The penalised likelihood and its derivatives. Weights are kept as logarithms up to a common
    /// scale, and the determinant as a sum of squares, so that neither underflow nor cancellation
    /// spoils a steep curve.
    pub fn likelihood(&self, at: Parameters) -> Likelihood {
        let mut log_likelihood = 0.0;
        let mut ln_scale = f64::NEG_INFINITY;
        // x, n, k, ln p, ln q and ln(n p q) of each row
        let rows: Vec<(f64, f64, f64, f64, f64, f64)> = self
            .x
            .iter()
            .zip(&self.n)
            .zip(&self.k)
            .map(|((&x, &n), &k)| {
                let eta = at.c + at.b * x;
                let tail = (-eta.abs()).exp().ln_1p();
                let (ln_p, ln_q) = (eta.min(0.0) - tail, (-eta).min(0.0) - tail);
                if k > 0.0 {
                    log_likelihood += k * ln_p;
                }
                if k < n {
                    log_likelihood += (n - k) * ln_q;
                }
                let ln_weight = n.ln() + ln_p + ln_q;
                ln_scale = ln_scale.max(ln_weight);
                (x, n, k, ln_p, ln_q, ln_weight)
            })
            .collect();
        let weights: Vec<f64> = rows.iter().map(|row| (row.5 - ln_scale).exp()).collect();
        let weight: f64 = weights.iter().sum();
        let mean = rows.iter().zip(&weights).map(|(row, w)| w * row.0).sum::<f64>() / weight;
        let spread: f64 =
            rows.iter().zip(&weights).map(|(row, w)| w * (row.0 - mean).powi(2)).sum();
        let mut score = Parameters { c: 0.0, b: 0.0 };
        for (&(x, n, k, ln_p, ln_q, _), w) in rows.iter().zip(&weights) {
            let (p, q) = (ln_p.exp(), ln_q.exp());
            let leverage = w * (1.0 / weight + (x - mean).powi(2) / spread);
            // k − n p, from whichever side does not cancel
            let residual = if p < 0.5 { k - n * p } else { n * q - (n - k) };
            let u = residual + leverage * 0.5 * (q - p);
            score.c += u;
            score.b += u * x;
        }
        Likelihood {
            value: log_likelihood + ln_scale + 0.5 * (weight.ln() + spread.ln()),
            score,
            ln_scale,
            weight,
            mean,
            spread,
        }
    }

    /// The step of Newton's method on the penalised score, its derivative taken by differences; that
    /// of Fisher scoring where the likelihood is not concave. The information alone is a poor
    /// derivative where the penalty weighs as much as the data.
    fn step(&self, at: Parameters, here: &Likelihood) -> Parameters {
        let (by_c, by_b) = (Parameters { c: 1.0, b: 0.0 }, Parameters { c: 0.0, b: 1.0 });
        let derivative = |direction: Parameters| {
            let h = 1e-4 * here.width_along(direction);
            let along = Line { origin: at, direction };
            let (up, down) =
                (self.likelihood(along.at(h)).score, self.likelihood(along.at(-h)).score);
            ((up.c - down.c) / (2.0 * h), (up.b - down.b) / (2.0 * h))
        };
        let ((cc, cb), (bc, bb)) = (derivative(by_c), derivative(by_b));
        let across = (cb + bc) / 2.0;
        let determinant = cc * bb - across * across;
        if cc < 0.0 && bb < 0.0 && determinant > 0.0 {
            let Parameters { c, b } = here.score;
            Parameters {
                c: (across * b - bb * c) / determinant,
                b: (across * c - cc * b) / determinant,
            }
        } else {
            here.step()
        }
    }

    /// The maximum; without the intervals.
    ///
    /// With few trials the penalised likelihood can have several maxima, one for each place where the
    /// curve may rise. So the climb begins on the flat curve and on a gentle and a steep one through
    /// each gap between thread counts, and the highest end is kept.
    fn maximum(&self) -> Result<(Parameters, Likelihood, bool), StatError> {
        let (trials, stalled): (f64, f64) = (self.n.iter().sum(), self.k.iter().sum());
        let flat = ((stalled + 0.5) / (trials - stalled + 0.5)).ln();
        let mut starts = vec![Parameters { c: flat, b: 0.0 }];
        let gaps = self.x.len().saturating_sub(1);
        for pair in self.x.windows(2).step_by(gaps.div_ceil(MOST_STARTS).max(1)) {
            let (width, middle) = (pair[1] - pair[0], pair[0] / 2.0 + pair[1] / 2.0);
            for b in [1.0, 4.0 / width] {
                starts.push(Parameters { c: -b * middle, b });
            }
        }
        let ends: Vec<(Parameters, Likelihood)> =
            starts.into_iter().filter_map(|start| self.climb(start)).collect();
        let highest = ends.iter().max_by(|x, y| x.1.value.total_cmp(&y.1.value)).copied();
        let Some((mut at, best)) = highest else {
            return Err(StatError::NoConvergence {
                what: "the fit of the threshold".into(),
                iterations: ITERATIONS,
                hint: "check that the counts are as measured; a few rows are enough to see it"
                    .into(),
            });
        };
        // Two climbs to one maximum agree in height to rounding.
        let several = ends.iter().any(|(_, end)| best.value - end.value > 1e-6);
        // A slope that is rounding is 0: its sign would read as a curve that rises, or falls.
        if at.b.abs() * self.reach() <= FLAT * (1.0 + at.c.abs()) {
            at.b = 0.0;
        }
        Ok((at, best, several))
    }

    /// The largest |x|.
    fn reach(&self) -> f64 {
        self.x.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
    }

    /// Up to the nearest maximum, by Newton's method with halved steps; `None` if it is not reached.
    fn climb(&self, start: Parameters) -> Option<(Parameters, Likelihood)> {
        let reach = self.reach();
        let size = |step: Parameters| step.c.abs() + step.b.abs() * reach;
        let mut at = start;
        let mut here = self.likelihood(at);
        let mut before = f64::INFINITY;
        for _ in 0..ITERATIONS {
            let step = self.step(at, &here);
            let whole = size(step);
            if whole.is_nan() {
                return None;
            }
            let close = whole < 1e-4 * (1.0 + size(at));
            if whole < 1e-14 * (1.0 + size(at)) || (close && whole >= before) {
                return Some((at, here));
            }
            // Five units of log-odds at most: further out the derivative no longer holds.
            let mut part = (5.0 / whole).min(1.0);
            loop {
                let next = Parameters { c: at.c + part * step.c, b: at.b + part * step.b };
                let there = self.likelihood(next);
                // Close by, rounding hides the rise; the step's shrinking is the better sign.
                if close || there.value > here.value || part < 1e-12 {
                    (at, here) = (next, there);
                    break;
                }
                part /= 2.0;
            }
            before = if close { whole } else { f64::INFINITY };
        }
        None
    }

    /// The largest value on a line, and the s where it is. On every line the value falls to −∞ at both
    /// ends, as the information vanishes there. The search begins at the best of `near` and of the
    /// places where the curve passes log-odds −3, 0 or 3 at a thread count or between two: there may
    /// be several maxima.
    fn most_on(&self, line: Line, near: f64) -> Option<(f64, f64)> {
        let Line { origin, direction } = line;
        let value = |s: f64| self.likelihood(line.at(s)).value;
        let slope = |s: f64| {
            let score = self.likelihood(line.at(s)).score;
            score.c * direction.c + score.b * direction.b
        };
        let middles = self.x.windows(2).map(|pair| pair[0] / 2.0 + pair[1] / 2.0);
        let places = self.x.iter().copied().chain(middles).flat_map(|x| {
            let (at, by) = (origin.c + origin.b * x, direction.c + direction.b * x);
            [-3.0, 0.0, 3.0].map(|log_odds| (log_odds - at) / by)
        });
        let start = std::iter::once(near)
            .chain(places.filter(|s| s.is_finite()))
            .map(|s| (s, value(s)))
            .filter(|(_, value)| !value.is_nan())
            .max_by(|x, y| x.1.total_cmp(&y.1))?
            .0;
        let width = self.likelihood(line.at(start)).width_along(direction);
        let uphill = slope(start);
        if uphill == 0.0 {
            return Some((start, value(start)));
        }
        let (mut inner, mut step) = (start, width.min(1.0).copysign(uphill) / 2.0);
        for _ in 0..200 {
            let outer = inner + step;
            if slope(outer) * uphill <= 0.0 {
                let s = crossing(slope, inner, outer)?;
                return Some((s, value(s)));
            }
            inner = outer;
            step *= 1.5;
        }
        None
    }

    /// The fit with its profile intervals.
    pub fn fit(&self, level: Level) -> Result<FirthFit, StatError> {
        let (at, best, several_maxima) = self.maximum()?;
        let intercept = at.c - at.b * self.centre;
        // I⁻¹ gives the steps in which the bounds are looked for.
        let slope_error = (-0.5 * best.ln_scale).exp() / best.spread.sqrt();
        let intercept_error = (-0.5 * best.ln_scale).exp()
            * (1.0 / best.weight + (best.mean + self.centre).powi(2) / best.spread).sqrt();
        let slope_profile = |b: f64| {
            let line =
                Line { origin: Parameters { c: 0.0, b }, direction: Parameters { c: 1.0, b: 0.0 } };
            self.most_on(line, at.c - (b - at.b) * best.mean)
        };
        let intercept_profile = |a: f64| {
            let line = Line {
                origin: Parameters { c: a, b: 0.0 },
                direction: Parameters { c: self.centre, b: 1.0 },
            };
            self.most_on(line, at.b)
        };
        Ok(FirthFit {
            intercept,
            slope: at.b,
            method: "firth",
            intercept_interval: interval(best.value, intercept, intercept_error, level, |a| {
                Some(intercept_profile(a)?.1)
            }),
            slope_interval: interval(best.value, at.b, slope_error, level, |b| {
                Some(slope_profile(b)?.1)
            }),
            penalised_log_likelihood: best.value,
            several_maxima,
        })
    }
}

/// The profile interval about `estimate`: where twice the fall from `best` reaches χ²₁'s quantile.
fn interval(
    best: f64,
    estimate: f64,
    standard_error: f64,
    level: Level,
    profile: impl Fn(f64) -> Option<f64>,
) -> Interval {
    let allowed = two_sided_z(level).powi(2);
    let excess = |value: f64| profile(value).map_or(f64::NAN, |most| 2.0 * (best - most) - allowed);
    let bound = |mut step: f64| {
        let mut inner = estimate;
        for _ in 0..100 {
            let outer = inner + step;
            if excess(outer) > 0.0 {
                return crossing(excess, inner, outer);
            }
            inner = outer;
            step *= 1.5;
        }
        None
    };
    Interval { method: "profile", level, low: bound(-standard_error), high: bound(standard_error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(threads: &[u64], n: u64, k: &[u64]) -> Curve {
        let rows: Vec<ThreadsTried> =
            threads.iter().zip(k).map(|(&threads, &k)| ThreadsTried { threads, n, k }).collect();
        Curve::new(&rows)
    }

    #[test]
    fn the_score_is_the_derivative_of_the_value() {
        let curve = curve(&[1, 2, 4, 8, 32], 7, &[0, 1, 0, 5, 7]);
        for (c, b) in [(0.0, 0.0), (-1.0, 2.0), (3.0, -0.5), (0.3, 6.0)] {
            let h = 1e-5;
            let value = |c, b| curve.likelihood(Parameters { c, b }).value;
            let score = curve.likelihood(Parameters { c, b }).score;
            let by_c = (value(c + h, b) - value(c - h, b)) / (2.0 * h);
            let by_b = (value(c, b + h) - value(c, b - h)) / (2.0 * h);
            assert!((score.c - by_c).abs() < 1e-7 * (1.0 + by_c.abs()), "{c} {b}");
            assert!((score.b - by_b).abs() < 1e-7 * (1.0 + by_b.abs()), "{c} {b}");
        }
    }

    #[test]
    fn two_counts_have_a_closed_form() {
        // Saturated: Firth's estimate adds half a stalled and half a spared trial to each count.
        let fit = curve(&[1, 2], 10, &[0, 10]).fit(Level::P95).unwrap();
        let log_odds = |k: f64| ((k + 0.5) / (10.0 - k + 0.5)).ln();
        assert!((fit.intercept - log_odds(0.0)).abs() < 1e-10, "{fit:?}");
        assert!((fit.slope - (log_odds(10.0) - log_odds(0.0))).abs() < 1e-10, "{fit:?}");
    }

    #[test]
    fn bounds_lie_where_the_likelihood_has_fallen_by_the_quantile() {
        let curve = curve(&[4, 8, 16, 32], 10, &[0, 1, 8, 10]);
        let fit = curve.fit(Level::P95).unwrap();
        for b in [fit.slope_interval.low.unwrap(), fit.slope_interval.high.unwrap()] {
            // the best c at this slope, by brute force
            let most = (-40_000..40_000)
                .map(|i| curve.likelihood(Parameters { c: f64::from(i) / 2_000.0, b }).value)
                .fold(f64::NEG_INFINITY, f64::max);
            let fall = 2.0 * (fit.penalised_log_likelihood - most);
            assert!((fall - 3.841_458_8).abs() < 1e-5, "{fall}");
        }
        assert!(fit.intercept_interval.low < Some(fit.intercept));
        assert!(fit.intercept_interval.high > Some(fit.intercept));
    }
}
