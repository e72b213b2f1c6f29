//! Mantel and Haenszel's common risk difference.

use super::super::proportion::two_sided_z;
use super::super::{Interval, Level};
use super::{Contrast, Stratum};

/// The estimate Σ w (p1 − p2) / Σ w with w = n1 n2 / (n1 + n2), and Klingenberg's interval.
///
/// The variance is Sato's, consistent for few large strata and for many sparse ones: it is linear
/// in the difference, V(δ) = (δ P + Q) / W². Sato's own interval puts the estimate into it (Wald),
/// and so shrinks to nothing as the estimate nears ±1 and is too narrow when events are rare, as
/// here. Klingenberg keeps every δ with (d − δ)² ≤ z² V(δ), a score interval at no cost: two roots
/// of a quadratic. It is the better covered of the two in small strata and with rare events.
///
/// Where the variance has nothing to estimate from (each stratum without an event, or with nothing
/// but events), the interval does not exist, rather than being one that ends at 0 by arithmetic alone.
///
/// Source: T. Sato (1989), *On the variance estimator for the Mantel-Haenszel risk difference*;
/// B. Klingenberg (2014), *A new and improved confidence interval for the Mantel-Haenszel risk
/// difference*.
pub fn contrast(strata: &[Stratum], level: Level) -> Contrast {
    widened(strata, level, 1.0)
}

/// [`contrast`] of trials that come in clusters, whose variance is `variance_factor` times that of
/// independent ones ([`variance_factor`](crate::clusters::design_effect::variance_factor)). Without bounds where
/// it is infinite.
pub fn widened(strata: &[Stratum], level: Level, variance_factor: f64) -> Contrast {
    let (mut weight, mut weighted, mut p, mut q) = (0.0, 0.0, 0.0, 0.0);
    for c in strata.iter().filter_map(Stratum::cells) {
        let n = c.trials();
        weight += c.n1 * c.n2 / n;
        weighted += (c.y1 * c.n2 - c.y2 * c.n1) / n;
        p +=
            (c.n1 * c.n1 * c.y2 - c.n2 * c.n2 * c.y1 + 0.5 * c.n1 * c.n2 * (c.n2 - c.n1)) / (n * n);
        q += (c.y1 * (c.n2 - c.y2) + c.y2 * (c.n1 - c.y1)) / (2.0 * n);
    }
    let estimate = (weight > 0.0).then(|| weighted / weight);
    let is_bounded = q > 0.0 && variance_factor.is_finite();
    let bounds = estimate.filter(|_| is_bounded).and_then(|d| {
        let z2 = variance_factor * two_sided_z(level).powi(2) / (weight * weight);
        let middle = d + 0.5 * z2 * p;
        // middle² − d², as a product.
        let reach = (0.5 * z2 * p * (middle + d) + z2 * q).sqrt();
        (reach > 0.0).then(|| ((middle - reach).max(-1.0), (middle + reach).min(1.0)))
    });
    let (low, high) = bounds.unwrap_or((f64::NAN, f64::NAN));
    Contrast { estimate, intervals: vec![Interval::new("mantel-haenszel", level, low, high)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_solve_the_score_equation() {
        let strata: Vec<Stratum> = [[3, 10, 7, 12], [0, 8, 2, 5], [1, 4, 4, 4]]
            .iter()
            .map(|&[a, b, c, d]| Stratum::new("s", a, b, c, d).unwrap())
            .collect();
        let found = contrast(&strata, Level::P95);
        let d = found.estimate.unwrap();
        let (mut w, mut p, mut q) = (0.0, 0.0, 0.0);
        for &[y2, n2, y1, n1] in
            &[[3.0, 10.0, 7.0, 12.0], [0.0, 8.0, 2.0, 5.0], [1.0, 4.0, 4.0, 4.0f64]]
        {
            let n: f64 = n1 + n2;
            w += n1 * n2 / n;
            p += (n1 * n1 * y2 - n2 * n2 * y1 + n1 * n2 * (n2 - n1) / 2.0) / n.powi(2);
            q += (y1 * (n2 - y2) + y2 * (n1 - y1)) / (2.0 * n);
        }
        for bound in [found.intervals[0].low.unwrap(), found.intervals[0].high.unwrap()] {
            let z = (d - bound).abs() / ((bound * p + q) / (w * w)).sqrt();
            assert!((z - two_sided_z(Level::P95)).abs() < 1e-10, "{bound} {z}");
        }
    }

    #[test]
    fn strata_that_each_have_one_outcome_bound_nothing() {
        let strata: Vec<Stratum> = [[0, 8, 0, 9], [0, 2, 0, 7], [7, 7, 2, 2]]
            .iter()
            .map(|&[a, b, c, d]| Stratum::new("s", a, b, c, d).unwrap())
            .collect();
        let found = contrast(&strata, Level::P95);
        assert_eq!(found.estimate, Some(0.0));
        assert_eq!((found.intervals[0].low, found.intervals[0].high), (None, None));
    }

    #[test]
    fn a_difference_of_one_keeps_a_width() {
        let strata = [Stratum::new("s", 0, 10, 10, 10).unwrap()];
        let interval = &contrast(&strata, Level::P95).intervals[0];
        assert_eq!(interval.high, Some(1.0));
        assert!(interval.low.unwrap() < 0.9);
    }
}
