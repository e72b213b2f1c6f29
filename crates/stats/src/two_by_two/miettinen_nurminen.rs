//! Miettinen and Nurminen's score interval for a risk difference.

use super::super::proportion::two_sided_z;
use super::super::root::crossing;
use super::super::{Interval, Level};
use super::TwoByTwo;

/// The interval for test − base: every δ that the score test of "the difference is δ" does not
/// reject, with the variance at the maximum likelihood under δ, times N / (N − 1).
///
/// statsmodels up to 0.15 differs in the third digit: the linear coefficient of its cubic has a
/// count where the paper has a group size (statsmodels issue 10269).
///
/// Source: O. Miettinen and M. Nurminen (1985), *Comparative analysis of two rates*.
pub fn interval(table: TwoByTwo, level: Level) -> Interval {
    // With fewer events than not, the small probabilities are the ones held to full precision.
    let events = table.base.k() + table.test.k();
    if 2 * events > table.base.n() + table.test.n() {
        let mirrored = bounds(table.complement(), level);
        return Interval::new("miettinen-nurminen", level, -mirrored.1, -mirrored.0);
    }
    let (low, high) = bounds(table, level);
    Interval::new("miettinen-nurminen", level, low, high)
}

fn bounds(table: TwoByTwo, level: Level) -> (f64, f64) {
    let z = two_sided_z(level);
    let d = table.difference();
    let low = match d <= -1.0 {
        true => -1.0,
        false => crossing(|delta| score(table, delta) - z, -1.0, d).unwrap_or(-1.0),
    };
    let high = match d >= 1.0 {
        true => 1.0,
        false => crossing(|delta| score(table, delta) + z, d, 1.0).unwrap_or(1.0),
    };
    (low, high)
}

/// The score statistic of δ, which falls as δ grows; cut to ±1e3, where no level reaches.
fn score(table: TwoByTwo, delta: f64) -> f64 {
    let (n1, n2) = (table.base.n() as f64, table.test.n() as f64);
    let p1 = base_under(table, delta);
    let p2 = p1 + delta;
    let variance = (p1 * (1.0 - p1) / n1 + p2 * (1.0 - p2) / n2) * (n1 + n2) / (n1 + n2 - 1.0);
    let distance = table.difference() - delta;
    if distance == 0.0 {
        return 0.0;
    }
    if variance <= 0.0 {
        return 1e3f64.copysign(distance);
    }
    (distance / variance.sqrt()).clamp(-1e3, 1e3)
}

/// The base's probability at the maximum of the likelihood with test = base + δ.
///
/// The published closed form (a cubic by cosines) loses half of its digits where two roots meet,
/// as they do with zero cells; the score equation is monotone, so it is solved instead.
fn base_under(table: TwoByTwo, delta: f64) -> f64 {
    let (k1, k2) = (table.base.k() as f64, table.test.k() as f64);
    let counts = [k1, table.base.n() as f64 - k1, k2, table.test.n() as f64 - k2];
    let sign = [1.0, -1.0, 1.0, -1.0];
    // The derivative of the log-likelihood, times every factor that it divides by.
    let slope = |p: f64| {
        let factors = [p, 1.0 - p, p + delta, 1.0 - p - delta];
        (0..4)
            .filter(|&i| counts[i] > 0.0)
            .map(|i| {
                let others = (0..4).filter(|&j| j != i && counts[j] > 0.0);
                sign[i] * counts[i] * others.map(|j| factors[j].max(0.0)).product::<f64>()
            })
            .sum::<f64>()
    };
    let (low, high) = ((-delta).max(0.0), (1.0 - delta).min(1.0));
    if low >= high || slope(low) <= 0.0 {
        return low;
    }
    if slope(high) >= 0.0 {
        return high;
    }
    crossing(slope, low, high).unwrap_or(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constrained_maximum_is_a_maximum() {
        for (k1, n1, k2, n2) in
            [(3, 10, 7, 12), (0, 5, 2, 9), (0, 8, 0, 4), (6, 6, 6, 6), (1, 1, 0, 1)]
        {
            let table = TwoByTwo::new(k1, n1, k2, n2).unwrap();
            let ln_likelihood = |p1: f64, delta: f64| {
                let part = |k: u64, p: f64| if k == 0 { 0.0 } else { k as f64 * p.ln() };
                let p2 = p1 + delta;
                part(k1, p1) + part(n1 - k1, 1.0 - p1) + part(k2, p2) + part(n2 - k2, 1.0 - p2)
            };
            for delta in [-0.9, -0.3, 0.01, 0.2, 0.75] {
                let p = base_under(table, delta);
                let (low, high) = (f64::max(-delta, 0.0), f64::min(1.0 - delta, 1.0));
                let best = ln_likelihood(p, delta);
                for i in 1..400 {
                    let other = low + (high - low) * f64::from(i) / 400.0;
                    assert!(ln_likelihood(other, delta) <= best + 1e-12, "{table:?} {delta}");
                }
            }
        }
    }

    #[test]
    fn ends_stay_inside_the_possible() {
        let interval = interval(TwoByTwo::new(0, 9, 9, 9).unwrap(), Level::P95);
        assert_eq!(interval.high, Some(1.0));
        assert!(interval.low.unwrap() > 0.5);
    }
}
