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
    let z = two_sided_z(level);
    let (p1, p2) = (table.base.estimate(), table.test.estimate());
    let (l1, u1) = wilson_bounds(table.base, z);
    let (l2, u2) = wilson_bounds(table.test, z);
    let d = table.difference();
    Interval::new("newcombe", level, d - (p2 - l2).hypot(u1 - p1), d + (u2 - p2).hypot(p1 - l1))
}
