//! The binomial distribution to full precision in both tails, and the incomplete beta function
//! behind it.
//!
//! Source: C. Loader (2000), *Fast and accurate computation of binomial probabilities*: the mass
//! as a saddle-point term times a Stirling correction, which keeps a relative error near 1e-12 up
//! to counts of 1e9. The tails are the continued fraction of NIST DLMF 8.17.22 times that mass.
//!
//! A version of our own for this one distribution: `statrs` 0.19 stops the fraction after 140
//! terms, so that its I_½(a, a), which is ½, is off by 1e-11 at a = 5e3, by 1e-3 at 5e5, and
//! negative at 5e7.
//!
//! A probability comes as the pair (p, 1 − p), so that neither end is rounded away.

use std::f64::consts::TAU;

/// The most trials that the estimators of proportions take. The incomplete beta's continued
/// fraction needs about √n terms; beyond this a count is a mistake before it is a measurement.
pub const MOST_TRIALS: u64 = 1_000_000_000;

/// A probability with its complement, each to full relative precision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Probability {
    /// The probability, p.
    pub p: f64,
    /// The complement, 1 − p.
    pub q: f64,
}

impl Probability {
    /// From p in [0, 1].
    pub fn new(p: f64) -> Self {
        Probability { p, q: 1.0 - p }
    }

    /// From the log-odds ln(p / q), any real number.
    pub(crate) fn from_logit(u: f64) -> Self {
        Probability { p: 1.0 / (1.0 + (-u).exp()), q: 1.0 / (1.0 + u.exp()) }
    }

    /// The complement's pair.
    pub fn complement(self) -> Self {
        Probability { p: self.q, q: self.p }
    }
}

/// ln Γ(x + 1) − [(x + ½) ln x − x + ½ ln 2π]: the error of Stirling's formula at x > 0.
fn stirling_error(x: f64) -> f64 {
    // Below 16 the recurrence δ(x) = δ(x + 1) + (x + ½) ln(1 + 1/x) − 1 climbs to where the series
    // holds; each step costs one rounding.
    let mut error = 0.0;
    let mut x = x;
    while x < 16.0 {
        error += (x + 0.5) * (1.0 / x).ln_1p() - 1.0;
        x += 1.0;
    }
    let r = 1.0 / (x * x);
    let series = 1.0 / 12.0
        - r * (1.0 / 360.0
            - r * (1.0 / 1260.0 - r * (1.0 / 1680.0 - r * (1.0 / 1188.0 - r * 691.0 / 360_360.0))));
    error + series / x
}

/// x ln(x / m) + m − x, without cancellation where x is near m.
fn deviance(x: f64, m: f64) -> f64 {
    if (x - m).abs() < 0.1 * (x + m) {
        let v = (x - m) / (x + m);
        let mut s = (x - m) * v;
        let mut term = 2.0 * x * v;
        let mut j = 1.0;
        while j < 1000.0 {
            term *= v * v;
            let next = s + term / (2.0 * j + 1.0);
            if next == s {
                break;
            }
            s = next;
            j += 1.0;
        }
        return s;
    }
    x * (x / m).ln() + m - x
}

/// ln of Γ(n+1) / (Γ(x+1) Γ(n−x+1)) pˣ q^(n−x), for real 0 ≤ x ≤ n.
fn ln_mass(x: f64, n: f64, at: Probability) -> f64 {
    let Probability { p, q } = at;
    if p == 0.0 {
        return if x == 0.0 { 0.0 } else { f64::NEG_INFINITY };
    }
    if q == 0.0 {
        return if x == n { 0.0 } else { f64::NEG_INFINITY };
    }
    let ln_p = if q < 0.5 { (-q).ln_1p() } else { p.ln() };
    let ln_q = if p < 0.5 { (-p).ln_1p() } else { q.ln() };
    if n == 0.0 {
        return 0.0;
    }
    if x == 0.0 {
        return n * ln_q;
    }
    if x == n {
        return n * ln_p;
    }
    let y = n - x;
    stirling_error(n)
        - stirling_error(x)
        - stirling_error(y)
        - deviance(x, n * p)
        - deviance(y, n * q)
        - 0.5 * (TAU.ln() + x.ln() + (y / n).ln())
}

/// ln P(X = k) for X binomial(n, p). Counts above n have probability 0.
pub(crate) fn ln_pmf(k: u64, n: u64, at: Probability) -> f64 {
    if k > n {
        return f64::NEG_INFINITY;
    }
    ln_mass(k as f64, n as f64, at)
}

/// P(X = k) for X binomial(n, p).
pub fn pmf(k: u64, n: u64, at: Probability) -> f64 {
    ln_pmf(k, n, at).exp()
}

/// The regularised incomplete beta function with its complement, (I_x(a, b), I_{1−x}(b, a)), for
/// a, b > 0. Whichever is the smaller has full relative precision.
pub(crate) fn beta_tails(a: f64, b: f64, at: Probability) -> (f64, f64) {
    if at.p <= 0.0 {
        return (0.0, 1.0);
    }
    if at.q <= 0.0 {
        return (1.0, 0.0);
    }
    if at.p < (a + 1.0) / (a + b + 2.0) {
        let lower = beta_fraction(a, b, at);
        (lower, 1.0 - lower)
    } else {
        let upper = beta_fraction(b, a, at.complement());
        (1.0 - upper, upper)
    }
}

/// I_x(a, b) by continued fraction (modified Lentz), for x below the mean.
fn beta_fraction(a: f64, b: f64, at: Probability) -> f64 {
    const TINY: f64 = 1e-300;
    // xᵃ (1−x)ᵇ / (a B(a, b)), as a binomial mass at real arguments.
    let factor = (ln_mass(a, a + b, at)).exp() * b / (a + b);
    if factor == 0.0 {
        return 0.0;
    }
    let x = at.p;
    let away_from_zero = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut h = d;
    // About √(a + b) terms are needed; the bound only keeps a NaN from looping.
    for i in 1..10_000_000u32 {
        let m = f64::from(i);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away_from_zero(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        h *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away_from_zero(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        let step = d * c;
        h *= step;
        let off = (step - 1.0).abs();
        if off <= 4.0 * f64::EPSILON || off.is_nan() {
            break;
        }
    }
    (factor * h).min(1.0)
}

/// P(X ≤ k) for X binomial(n, p).
pub fn cdf(k: u64, n: u64, at: Probability) -> f64 {
    if k >= n {
        return 1.0;
    }
    beta_tails((k + 1) as f64, (n - k) as f64, at).1
}

/// P(X ≥ k) for X binomial(n, p).
pub fn at_least(k: u64, n: u64, at: Probability) -> f64 {
    if k == 0 {
        return 1.0;
    }
    if k > n {
        return 0.0;
    }
    beta_tails(k as f64, (n - k + 1) as f64, at).0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        let error = (found - expected).abs() / expected.abs();
        assert!(error < 1e-12, "{found} is not {expected}: relative error {error:e}");
    }

    #[test]
    fn small_masses_are_the_binomial_theorem() {
        for n in 0..=30u64 {
            for p in [0.001, 0.25, 0.5, 0.9, 0.999] {
                let at = Probability::new(p);
                let mut ways = 1.0;
                let mut below = 0.0;
                for k in 0..=n {
                    let mass = ways * p.powi(k as i32) * at.q.powi((n - k) as i32);
                    close(pmf(k, n, at), mass);
                    below += mass;
                    assert!((cdf(k, n, at) - below).abs() < 1e-13);
                    ways *= (n - k) as f64 / (k + 1) as f64;
                }
            }
        }
    }

    #[test]
    fn both_tails_keep_their_relative_precision() {
        let at = Probability::new(1e-9);
        // 1 − (1 − p)^n, and its complement.
        close(at_least(1, 1000, at), -(1000.0 * (-1e-9f64).ln_1p()).exp_m1());
        close(cdf(0, 1000, Probability::new(0.5)), 0.5f64.powi(1000));
        close(at_least(1000, 1000, Probability::new(0.5)), 0.5f64.powi(1000));
    }

    #[test]
    fn the_median_of_a_symmetric_binomial_splits_it() {
        for (n, tolerance) in
            [(11u64, 1e-14), (1001, 1e-14), (1_000_001, 1e-12), (999_999_999, 1e-11)]
        {
            let found = cdf(n / 2, n, Probability::new(0.5));
            assert!((found - 0.5).abs() < tolerance, "{n}: {found}");
        }
    }
}
