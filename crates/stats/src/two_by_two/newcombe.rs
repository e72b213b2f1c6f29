//! Newcombe's hybrid score interval for a risk difference.

use super::super::proportion::{two_sided_z, wilson_bounds};
use super::super::{Interval, Level};
use super::TwoByTwo;

/// The interval for test − base: each side's distance to its Wilson bounds, added in squares
/// (method 10, no continuity correction). Always inside [−1, 1], defined for zero cells, closed
/// form.
///
/// Source: R. G. Newcombe (1998), *Interval estimation for the difference between independent
/// proportions: comparison of eleven methods*.
pub fn interval(table: TwoByTwo, level: Level) -> Interval {
    widened(table, level, 1.0)
}

/// [`interval`] of trials that come in clusters, whose variance is `variance_factor` times that of
/// independent ones ([`variance_factor`](crate::clusters::design_effect::variance_factor)). −1 to 1 where it
/// is infinite.
pub fn widened(table: TwoByTwo, level: Level, variance_factor: f64) -> Interval {
    if variance_factor.is_infinite() {
        return Interval::new("newcombe", level, -1.0, 1.0);
    }
    let z = two_sided_z(level) * variance_factor.sqrt();
    let (p1, p2) = (table.base.estimate(), table.test.estimate());
    let (l1, u1) = wilson_bounds(table.base, z);
    let (l2, u2) = wilson_bounds(table.test, z);
    let d = table.difference();
    Interval::new("newcombe", level, d - (p2 - l2).hypot(u1 - p1), d + (u2 - p2).hypot(p1 - l1))
}
