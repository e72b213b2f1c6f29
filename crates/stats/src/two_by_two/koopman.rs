//! Koopman's score interval for a risk ratio.

use super::super::proportion::two_sided_z;
use super::super::root::crossing;
use super::super::{Interval, Level};
use super::TwoByTwo;

/// The interval for test / base: every θ that the score test of "the ratio is θ" does not reject,
/// with the variance at the maximum likelihood under θ (no N / (N − 1), unlike Miettinen and
/// Nurminen's). With no events in the base there is no upper bound; with none in the test the lower
/// is 0; with none at all every ratio is possible, 0 upwards without end.
///
/// Source: P. A. R. Koopman (1984), *Confidence intervals for the ratio of two binomial
/// proportions*.
pub fn interval(table: TwoByTwo, level: Level) -> Interval {
    const METHOD: &str = "koopman";
    let z = two_sided_z(level);
    let (k1, k2) = (table.base.k(), table.test.k());
    if k1 == 0 && k2 == 0 {
        return Interval::new(METHOD, level, 0.0, f64::INFINITY);
    }
    // In ln θ. ±60 is far outside any bound that counts up to 1e9 can give.
    let bound = |shift: f64| {
        crossing(|u| score(table, u.exp()) + shift, -60.0, 60.0).map_or(f64::NAN, f64::exp)
    };
    let low = if k2 == 0 { 0.0 } else { bound(-z) };
    let high = if k1 == 0 { f64::INFINITY } else { bound(z) };
    Interval::new(METHOD, level, low, high)
}

/// The score statistic of θ, which falls as θ grows.
fn score(table: TwoByTwo, theta: f64) -> f64 {
    let Score { distance, variance } = at(table, theta);
    standardised(distance, variance)
}

/// What a table says of "the ratio is θ".
#[derive(Debug, Clone, Copy)]
pub struct Score {
    /// test − θ × base.
    pub distance: f64,
    /// Its variance at the maximum likelihood under θ.
    pub variance: f64,
}

/// The score of θ.
pub fn at(table: TwoByTwo, theta: f64) -> Score {
    let (k1, n1) = (table.base.k() as f64, table.base.n() as f64);
    let (k2, n2) = (table.test.k() as f64, table.test.n() as f64);
    // The base's p at the maximum of the likelihood with test = θ × base solves
    // θ N p² − (n1 + k2 + θ (n2 + k1)) p + K = 0; the discriminant as a sum of squares.
    let k = k1 + k2;
    let b = n1 + k2 + theta * (n2 + k1);
    let apart = n1 + k2 - theta * (n2 + k1);
    let root = (apart * apart + 4.0 * theta * (n1 - k1) * (n2 - k2)).sqrt();
    let p1 = 2.0 * k / (b + root);
    let p2 = theta * p1;
    let variance = (p2 * (1.0 - p2).max(0.0) / n2) + theta * theta * p1 * (1.0 - p1).max(0.0) / n1;
    Score { distance: k2 / n2 - theta * (k1 / n1), variance }
}

/// A distance over its standard error, within ±1000.
pub fn standardised(distance: f64, variance: f64) -> f64 {
    if distance == 0.0 {
        return 0.0;
    }
    if variance <= 0.0 {
        return 1e3f64.copysign(distance);
    }
    (distance / variance.sqrt()).clamp(-1e3, 1e3)
}
