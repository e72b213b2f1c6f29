//! The odds ratio given both margins: conditional maximum likelihood and its exact interval.
//!
//! As R's `fisher.test`: the estimate is the ω whose noncentral hypergeometric mean is the count
//! seen, not the cross product; each bound is where a one-sided test at α/2 would begin to reject
//! (Cornfield, 1956), so coverage is never below the level.

use super::super::hypergeometric::Hypergeometric;
use super::super::root::crossing;
use super::super::{Interval, Level};
use super::TwoByTwo;

/// ln ω is sought within this distance of 0.
const WIDEST: f64 = 60.0;

fn given_margins(table: TwoByTwo) -> Hypergeometric {
    Hypergeometric::new(table.base.n(), table.test.n(), table.base.k() + table.test.k())
}

/// The conditional maximum likelihood estimate: 0 where the test side has as few as the margins
/// allow; `None` where it is infinite, or where the margins allow one table only.
pub fn estimate(table: TwoByTwo) -> Option<f64> {
    let (h, x) = (given_margins(table), table.test.k());
    if x == h.greatest() {
        return None;
    }
    if x == h.least() {
        return Some(0.0);
    }
    crossing(|u| h.mean_at(u.exp()) - x as f64, -WIDEST, WIDEST).map(f64::exp)
}

/// The exact interval. The upper bound is `None` (infinite) where the test side has as many as the
/// margins allow.
pub fn interval(table: TwoByTwo, level: Level) -> Interval {
    let (h, x) = (given_margins(table), table.test.k());
    let target = (level.alpha() / 2.0).ln();
    let bound = |tail: usize| {
        crossing(|u| h.ln_tails_at(x, u.exp())[tail].max(-1e6) - target, -WIDEST, WIDEST)
            .map_or(f64::NAN, f64::exp)
    };
    let low = if x == h.least() { 0.0 } else { bound(1) };
    let high = if x == h.greatest() { f64::INFINITY } else { bound(0) };
    Interval::new("exact", level, low, high)
}
