//! Pointwise confidence intervals of a Kaplan-Meier curve.

use serde::Serialize;
use statrs::distribution::{Beta, ContinuousCDF};

use super::{KaplanMeier, Step};
use crate::Level;
use crate::proportion::two_sided_z;

/// How an interval of S(t) is made.
///
/// The default is [`LogLog`](PointwiseMethod::LogLog). The plain interval leaves [0, 1] and with
/// few trials covers far too little; the log interval, the default of R's `survfit`, is unbounded
/// above and still covers too little in the lower tail; log-log stays within (0, 1) by itself and
/// is close to its level from about 25 trials on, with up to half of them censored (Borgan and
/// Liestøl 1990, Scand. J. Stat. 17:35). Below that, and wherever S is 1 or 0, no interval that
/// is built on Greenwood's variance is to be trusted: [`BetaProduct`](PointwiseMethod::BetaProduct)
/// is the one that keeps its level there, at the price of width. `xtask/src/calibrate/survival_curves.rs`
/// simulates the coverage of all four.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PointwiseMethod {
    /// S ± z × SE, cut to [0, 1].
    Plain,
    /// Symmetric in log S, cut to 1. R's default.
    Log,
    /// Symmetric in log(−log S): Kalbfleisch and Prentice (1980), R's `conf.type = "log-log"`,
    /// Stata's and SAS's default, "exponential Greenwood" elsewhere.
    #[default]
    LogLog,
    /// The beta product: the distribution of S(t) as a product of independent beta variables, one
    /// an event, and one more for the risk not yet seen, each product replaced by the beta
    /// distribution of equal mean and variance. Clopper-Pearson where nothing is censored. Defined
    /// also where S is 1 or 0. Fay, Brittain and Proschan (2013), Biostatistics 14:723.
    BetaProduct,
}

impl PointwiseMethod {
    /// All, in the order in which tables show them.
    pub const ALL: [PointwiseMethod; 4] = [
        PointwiseMethod::Plain,
        PointwiseMethod::Log,
        PointwiseMethod::LogLog,
        PointwiseMethod::BetaProduct,
    ];

    /// The name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            PointwiseMethod::Plain => "plain",
            PointwiseMethod::Log => "log",
            PointwiseMethod::LogLog => "log-log",
            PointwiseMethod::BetaProduct => "beta-product",
        }
    }

    /// The intervals of S at the steps of `curve`, in their order.
    ///
    /// Where S is 1 or 0, Greenwood's variance is 0 or has no value, and the three methods built on
    /// it have no interval: `None`. (R gives 1 to 1 for `plain` and `log` before the first event,
    /// which would say that an event is impossible.)
    pub fn band(self, curve: &KaplanMeier, level: Level) -> Vec<Bounds> {
        let z = two_sided_z(level);
        let greenwood = |transform: fn(f64, f64) -> (f64, f64)| {
            curve.steps().iter().map(|step| by_greenwood(step, z, transform)).collect()
        };
        match self {
            PointwiseMethod::Plain => greenwood(|s, half| (s - s * half, s + s * half)),
            PointwiseMethod::Log => greenwood(|s, half| (s * (-half).exp(), s * half.exp())),
            PointwiseMethod::LogLog => greenwood(|s, half| {
                // S^exp(∓ half / log S): log S is negative.
                let log = s.ln();
                let stretch = (half / -log).exp();
                ((log * stretch).exp(), (log / stretch).exp())
            }),
            PointwiseMethod::BetaProduct => {
                beta_product(curve).map(|product| product.bounds(level)).collect()
            }
        }
    }
}

impl PointwiseMethod {
    /// The interval of S before the first step, where S is 1. Only the beta product has one: of n
    /// trials all last, so S is above (α/2)^(1/n).
    pub fn before(self, curve: &KaplanMeier, level: Level) -> Bounds {
        if self != PointwiseMethod::BetaProduct {
            return Bounds::NONE;
        }
        let low = (level.alpha() / 2.0).powf(1.0 / curve.trials() as f64);
        Bounds { low, low_after: low, high: 1.0 }
    }

    /// The interval of S at any time: that of the last step at or before it. Beyond the last time
    /// followed it is that of the last step, if S is 0 there; otherwise there is none but, for the
    /// beta product, the upper bound.
    pub fn at(self, curve: &KaplanMeier, time: f64, level: Level) -> Bounds {
        let passed = curve.steps().partition_point(|step| step.time <= time);
        let Some(at) = passed.checked_sub(1) else { return self.before(curve, level) };
        let step = curve.steps()[at];
        let bounds = match self {
            PointwiseMethod::BetaProduct => {
                beta_product(curve).nth(at).map_or(Bounds::NONE, |product| product.bounds(level))
            }
            _ => self.band(curve, level)[at],
        };
        let low = if time > step.time { bounds.low_after } else { bounds.low };
        if time > curve.last_time() && step.survival > 0.0 && self != PointwiseMethod::BetaProduct {
            return Bounds::NONE;
        }
        Bounds { low, low_after: low, high: bounds.high }
    }
}

/// Bounds of S at a step and on to the next one, in the room of three numbers: a curve has as many as
/// trials.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    // NaN where there is none.
    low: f64,
    low_after: f64,
    high: f64,
}

impl Bounds {
    const NONE: Bounds = Bounds { low: f64::NAN, low_after: f64::NAN, high: f64::NAN };

    /// The lower bound at the step; `None` does not exist.
    pub fn low(self) -> Option<f64> {
        Some(self.low).filter(|low| !low.is_nan())
    }

    /// The lower bound after the step. Below [`low`](Self::low) for the beta product where trials are
    /// censored at the step: they are known to last longer than it, but not by how much.
    pub fn low_after(self) -> Option<f64> {
        Some(self.low_after).filter(|low| !low.is_nan())
    }

    /// The upper bound.
    pub fn high(self) -> Option<f64> {
        Some(self.high).filter(|high| !high.is_nan())
    }
}

impl PartialEq for Bounds {
    fn eq(&self, other: &Self) -> bool {
        let all = |of: &Self| (of.low(), of.low_after(), of.high());
        all(self) == all(other)
    }
}

fn by_greenwood(step: &Step, z: f64, transform: fn(f64, f64) -> (f64, f64)) -> Bounds {
    if step.survival <= 0.0 || step.greenwood <= 0.0 {
        return Bounds::NONE;
    }
    let (low, high) = transform(step.survival, z * step.greenwood.sqrt());
    let low = low.clamp(0.0, 1.0);
    Bounds { low, low_after: low, high: high.clamp(0.0, 1.0) }
}

/// With `left` trials known to last longer, S is above the α/2 quantile of W × Beta(left, 1) and
/// below the 1 − α/2 quantile of W, where W is the product over the events so far of
/// Beta(at_risk − events + 1, events). Tied events count as one after the other. The products by
/// the method of moments, as the R package bpcp does by default.
fn beta_product(curve: &KaplanMeier) -> impl Iterator<Item = BetaProduct> + '_ {
    // First and second moment of W: products of the factors' moments.
    let (mut mean, mut square) = (1.0, 1.0);
    curve.steps().iter().map(move |step| {
        let left = (step.at_risk - step.events) as f64;
        if step.events > 0 {
            let (m, s) = beta_moments(left + 1.0, step.events as f64);
            mean *= m;
            square *= s;
        }
        BetaProduct { mean, square, left, after: left - step.censored as f64 }
    })
}

/// The beta product at one step.
struct BetaProduct {
    /// E W.
    mean: f64,
    /// E W².
    square: f64,
    /// Trials known to last longer than the step.
    left: f64,
    /// Those of them that are still followed.
    after: f64,
}

impl BetaProduct {
    fn bounds(&self, level: Level) -> Bounds {
        let half = level.alpha() / 2.0;
        let low = |left: f64| {
            if left <= 0.0 {
                return 0.0;
            }
            let (m, s) = beta_moments(left, 1.0);
            moments_quantile(self.mean * m, self.square * s, half)
        };
        let at = low(self.left);
        let after = if self.after == self.left { at } else { low(self.after) };
        let high = if self.mean == 1.0 {
            1.0
        } else {
            moments_quantile(self.mean, self.square, 1.0 - half)
        };
        Bounds { low: at, low_after: after, high }
    }
}

/// E X and E X² of Beta(a, b).
fn beta_moments(a: f64, b: f64) -> (f64, f64) {
    let mean = a / (a + b);
    (mean, mean * (a + 1.0) / (a + b + 1.0))
}

/// The quantile of the beta distribution that has this mean and this second moment.
fn moments_quantile(mean: f64, square: f64, p: f64) -> f64 {
    let variance = square - mean * mean;
    let size = mean * (1.0 - mean) / variance - 1.0;
    match Beta::new(mean * size, (1.0 - mean) * size) {
        Ok(beta) => beta.inverse_cdf(p),
        // Only where the variance rounds to nothing: the distribution is a point.
        Err(_) => mean,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survival::fixture::curve;

    #[test]
    fn nothing_is_claimed_from_a_variance_of_zero() {
        let censored = curve(&[(300.0, false); 8]);
        for method in [PointwiseMethod::Plain, PointwiseMethod::Log, PointwiseMethod::LogLog] {
            let band = method.band(&censored, Level::P95);
            assert_eq!(band, vec![Bounds::NONE], "{method:?}");
        }
    }

    #[test]
    fn bounds_stay_within_zero_and_one_and_around_the_curve() {
        let curve = curve(&[(1.0, true), (2.0, true), (2.5, false), (3.0, true), (4.0, true)]);
        for method in PointwiseMethod::ALL {
            for (step, bounds) in curve.steps().iter().zip(method.band(&curve, Level::P95)) {
                let (Some(low), Some(high)) = (bounds.low(), bounds.high()) else {
                    assert_eq!(step.survival, 0.0);
                    continue;
                };
                assert!(0.0 <= low && low <= step.survival, "{method:?} {step:?} {low}");
                assert!(step.survival <= high && high <= 1.0, "{method:?} {step:?} {high}");
            }
        }
    }

    #[test]
    fn the_beta_product_is_clopper_pearson_where_nothing_is_censored() {
        let curve = curve(&[(1.0, true), (2.0, true), (2.0, true), (3.0, true), (4.0, true)]);
        let band = PointwiseMethod::BetaProduct.band(&curve, Level::P95);
        // 2 of 5 last longer than 2: R's binom.test(2, 5).
        let bounds = band[1];
        assert!((bounds.low().unwrap() - 0.052_744_950_526_316_91).abs() < 1e-12, "{bounds:?}");
        assert!((bounds.high().unwrap() - 0.853_367_200_365_326_8).abs() < 1e-12, "{bounds:?}");
        // 0 of 5: at most 1 − (α/2)^(1/5).
        let bounds = band[3];
        assert_eq!(bounds.low(), Some(0.0));
        assert!((bounds.high().unwrap() - (1.0 - 0.025f64.powf(0.2))).abs() < 1e-12, "{bounds:?}");
    }

    #[test]
    fn the_beta_product_answers_before_the_first_event() {
        // After the last, nobody is at risk.
        let censored = curve(&[(100.0, false), (300.0, false), (300.0, false)]);
        let band = PointwiseMethod::BetaProduct.band(&censored, Level::P95);
        // Three last longer than 100: the α/2 quantile of Beta(3, 1); just after, two.
        assert!((band[0].low().unwrap() - 0.025f64.cbrt()).abs() < 1e-12);
        assert!((band[0].low_after().unwrap() - 0.025f64.sqrt()).abs() < 1e-12);
        assert_eq!(band[0].high(), Some(1.0));
        assert!((band[1].low().unwrap() - 0.025f64.sqrt()).abs() < 1e-12);
        assert_eq!(band[1].low_after(), Some(0.0));
        let before = PointwiseMethod::BetaProduct.at(&censored, 50.0, Level::P95);
        assert!((before.low().unwrap() - 0.025f64.cbrt()).abs() < 1e-12);
    }

    #[test]
    fn at_any_time_the_last_step_counts() {
        let curve = curve(&[(1.0, true), (3.0, true), (4.0, false), (5.0, false)]);
        for method in PointwiseMethod::ALL {
            let band = method.band(&curve, Level::P95);
            assert_eq!(method.at(&curve, 1.0, Level::P95).low(), band[0].low());
            assert_eq!(method.at(&curve, 3.5, Level::P95).high(), band[1].high());
            assert_eq!(method.at(&curve, 4.0, Level::P95).low(), band[2].low());
            assert_eq!(method.at(&curve, 4.5, Level::P95).low(), band[2].low_after());
        }
        assert_eq!(PointwiseMethod::LogLog.at(&curve, 6.0, Level::P95), Bounds::NONE);
        assert_eq!(PointwiseMethod::LogLog.at(&curve, 0.5, Level::P95), Bounds::NONE);
        assert_eq!(PointwiseMethod::BetaProduct.at(&curve, 6.0, Level::P95).low(), Some(0.0));
    }
}
