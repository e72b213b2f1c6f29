//! Unconditional exact tests: the worst case over the probability that both sides share.
//!
//! A test of this kind is a region of tables, those at least as extreme as the one seen, and its
//! p-value is the greatest probability that any common π gives to the region. The regions here are
//! staircases (Barnard's convexity: adding an event on the side that leads only adds to the
//! evidence), so they are two numbers a row and one probability costs a few √n.
//!
//! The greatest probability is found by branch and bound, not on a grid alone. In θ = arcsin √π the
//! counts carry information 4N (N = n1 + n2), whatever θ, so for any region
//! |d arcsin √P / dθ| ≤ √N and |d²P / dθ²| ≤ 4N. Between two points h apart, P is then nowhere above their
//! maximum by more than N h² / 2. Cells that this cannot rule out are halved until the answer is
//! certain to [`CERTAIN_WITHIN`], absolutely. Where P is so small that this would take more than
//! [`MOST_EVALUATIONS`] (a p-value below about 1e-5), the grid of 8 √N points with its highest
//! maxima refined stands.

use std::f64::consts::FRAC_PI_2;

use super::super::binomial::{self, Probability};

/// The most trials, both sides together, that the unconditional tests enumerate. Beyond it their
/// p-value is not computed: Fisher's mid-P is near it there.
pub const MOST_TRIALS: u64 = 20_000;

/// How far, absolutely, a p-value may be below the true supremum.
pub const CERTAIN_WITHIN: f64 = 1e-9;

/// The most probabilities that one supremum evaluates.
pub const MOST_EVALUATIONS: usize = 20_000;

/// Masses below this are left out of sums.
const NEGLIGIBLE: f64 = 1e-60;

/// Tables (x1 on the base side, x2 on the test side): x2 < `low[x1]` or x2 ≥ `high[x1]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    base_n: usize,
    test_n: usize,
    low: Vec<usize>,
    high: Vec<usize>,
}

impl Region {
    /// No table at all.
    pub fn empty(base_n: usize, test_n: usize) -> Self {
        Region { base_n, test_n, low: vec![0; base_n + 1], high: vec![test_n + 1; base_n + 1] }
    }

    /// Adds the tables where the test side leads: in each row all from the first x2 that `is_in`
    /// accepts. `is_in` must be convex: true beyond an x2 where it is true, and false for a greater
    /// x1 where it is false.
    pub fn with_high(mut self, mut is_in: impl FnMut(usize, usize) -> bool) -> Self {
        let mut x2 = 0;
        for (x1, high) in self.high.iter_mut().enumerate() {
            while x2 <= self.test_n && !is_in(x1, x2) {
                x2 += 1;
            }
            *high = x2;
        }
        self
    }

    /// Adds the tables where the base side leads: in each row all up to the last x2 that `is_in`
    /// accepts. Convex, as for [`Self::with_high`].
    pub fn with_low(mut self, mut is_in: impl FnMut(usize, usize) -> bool) -> Self {
        let mut x2 = 0;
        for (x1, low) in self.low.iter_mut().enumerate() {
            while x2 <= self.test_n && is_in(x1, x2) {
                x2 += 1;
            }
            *low = x2;
        }
        self
    }

    /// Adds one table, and with it those more extreme in its row: upwards from it if it is in the
    /// row's upper part, else downwards.
    pub(crate) fn extend(&mut self, x1: usize, x2: usize, upwards: bool) {
        if upwards {
            if let Some(high) = self.high.get_mut(x1) {
                *high = (*high).min(x2);
            }
        } else if let Some(low) = self.low.get_mut(x1) {
            *low = (*low).max(x2 + 1);
        }
    }

    /// Whether a table is in the upper part of its row.
    pub(crate) fn is_high(&self, x1: usize, x2: usize) -> bool {
        self.high.get(x1).is_some_and(|&high| x2 >= high)
    }

    /// Whether the region holds a table.
    pub fn contains(&self, x1: usize, x2: usize) -> bool {
        self.low.get(x1).is_some_and(|&low| x2 < low)
            || self.high.get(x1).is_some_and(|&high| x2 >= high && x2 <= self.test_n)
    }

    /// The probability of the region where the base has probability `p1` and the test `p2`.
    pub fn probability(&self, p1: Probability, p2: Probability) -> f64 {
        Masses::default().probability(self, p1, p2)
    }

    /// The supremum of the region's probability over a common π.
    pub fn worst_case(&self) -> f64 {
        self.supremum(None)
    }

    /// Whether some common π gives the region more than `limit`: as [`Self::worst_case`] compared
    /// with it, but over as soon as the answer is certain.
    pub fn exceeds(&self, limit: f64) -> bool {
        self.supremum(Some(limit)) > limit
    }

    /// The supremum; with a limit, some probability above it if there is one, else one not above.
    fn supremum(&self, limit: Option<f64>) -> f64 {
        let decided = |best: f64| limit.is_some_and(|limit| best > limit);
        let mut masses = Masses::default();
        let mut evaluations = 0;
        let mut at = |theta: f64| {
            evaluations += 1;
            let (sin, cos) = theta.sin_cos();
            let pi = Probability { p: sin * sin, q: cos * cos };
            (masses.probability(self, pi, pi), evaluations)
        };
        let n = (self.base_n + self.test_n) as f64;
        // The ends themselves: nothing or everything is counted.
        let ends = [self.contains(0, 0), self.contains(self.base_n, self.test_n)];
        if ends.contains(&true) {
            return 1.0;
        }

        let cells = (8.0 * n.sqrt()).ceil() as usize + 16;
        let mut h = FRAC_PI_2 / cells as f64;
        let mut grid = vec![0.0; cells + 1];
        for (i, p) in grid.iter_mut().enumerate().take(cells).skip(1) {
            *p = at(i as f64 * h).0;
        }
        let mut best = grid.iter().copied().fold(0.0, f64::max);
        if decided(best) {
            return best;
        }

        // The tops that the grid may just have missed. Between points this close, ln P bends too
        // little to hide a maximum much above its neighbours.
        for i in 1..cells {
            if grid[i] >= grid[i - 1] && grid[i] >= grid[i + 1] && grid[i] > 0.9 * best {
                best = best.max(summit(|x| at(x).0, (i as f64 - 1.0) * h, (i as f64 + 1.0) * h));
                if decided(best) {
                    return best;
                }
            }
        }

        // Branch and bound over what is left.
        let mut open: Vec<(f64, f64, f64)> =
            (0..cells).map(|i| (i as f64 * h, grid[i], grid[i + 1])).collect();
        loop {
            let bound = |a: f64, b: f64| {
                let top = a.max(b);
                let by_slope = (top.sqrt() + 0.5 * n.sqrt() * h).powi(2);
                (top + 0.5 * n * h * h).min(by_slope)
            };
            let enough = (best + CERTAIN_WITHIN).max(limit.unwrap_or(0.0));
            open.retain(|&(_, a, b)| bound(a, b) > enough);
            if open.is_empty() {
                return best;
            }
            h *= 0.5;
            let mut halves = Vec::with_capacity(2 * open.len());
            for &(left, a, b) in &open {
                let (middle, evaluations) = at(left + h);
                best = best.max(middle);
                if decided(best) {
                    return best;
                }
                halves.push((left, a, middle));
                halves.push((left + h, middle, b));
                if evaluations >= MOST_EVALUATIONS {
                    return best;
                }
            }
            open = halves;
        }
    }
}

/// The height of the only maximum between `low` and `high`, by golden section.
fn summit(mut f: impl FnMut(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    let mut left = high - GOLDEN * (high - low);
    let mut right = low + GOLDEN * (high - low);
    let (mut at_left, mut at_right) = (f(left), f(right));
    let mut best = at_left.max(at_right);
    // A maximum is flat: a millionth of the cell is 1e-12 of its height.
    for _ in 0..30 {
        if at_left > at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - GOLDEN * (high - low);
            at_left = f(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + GOLDEN * (high - low);
            at_right = f(right);
        }
        best = best.max(at_left).max(at_right);
    }
    best
}

/// Room for the two sides' masses, kept between evaluations.
#[derive(Debug, Default)]
struct Masses {
    base: Vec<f64>,
    test: Vec<f64>,
    below: Vec<f64>,
    above: Vec<f64>,
}

impl Masses {
    fn probability(&mut self, region: &Region, p1: Probability, p2: Probability) -> f64 {
        let base_from = window(&mut self.base, region.base_n, p1);
        let test_from = window(&mut self.test, region.test_n, p2);
        // below[i]: P(X2 < test_from + i); above[i]: P(X2 ≥ test_from + i). Each sums from its far
        // end, so that small tails keep their precision.
        let len = self.test.len();
        self.below.clear();
        self.below.push(0.0);
        let mut sum = 0.0;
        for mass in &self.test {
            sum += mass;
            self.below.push(sum);
        }
        self.above.clear();
        self.above.resize(len + 1, 0.0);
        sum = 0.0;
        for (above, mass) in self.above.iter_mut().zip(&self.test).rev() {
            sum += mass;
            *above = sum;
        }
        let mut total = 0.0;
        for (i, mass) in self.base.iter().enumerate() {
            let x1 = base_from + i;
            let low = region.low[x1].saturating_sub(test_from).min(len);
            let high = region.high[x1].saturating_sub(test_from).min(len);
            total += mass * (self.below[low] + self.above[high]);
        }
        total.min(1.0)
    }
}

/// Fills `masses` with the binomial masses that are not negligible; returns the first one's count.
fn window(masses: &mut Vec<f64>, n: usize, at: Probability) -> usize {
    masses.clear();
    let mode = (((n + 1) as f64 * at.p) as usize).min(n);
    let top = binomial::pmf(mode as u64, n as u64, at);
    // Downwards, then turned round, then upwards. A ratio of neighbours is one multiplication.
    let (up, down) = (at.p / at.q, at.q / at.p);
    let mut mass = top;
    let mut from = mode;
    masses.push(mass);
    for k in (1..=mode).rev() {
        mass *= k as f64 / (n - k + 1) as f64 * down;
        if mass <= NEGLIGIBLE || mass.is_nan() {
            break;
        }
        masses.push(mass);
        from = k - 1;
    }
    masses.reverse();
    mass = top;
    for k in mode..n {
        mass *= (n - k) as f64 / (k + 1) as f64 * up;
        if mass <= NEGLIGIBLE || mass.is_nan() {
            break;
        }
        masses.push(mass);
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_has_the_probability_of_its_tables() {
        let region = Region::empty(7, 5)
            .with_high(|x1, x2| x2 as f64 / 5.0 > x1 as f64 / 7.0 + 0.4)
            .with_low(|x1, x2| (x2 as f64) / 5.0 < x1 as f64 / 7.0 - 0.5);
        for (p1, p2) in [(0.3, 0.3), (0.01, 0.9), (0.0, 1.0), (1.0, 0.2)] {
            let (p1, p2) = (Probability::new(p1), Probability::new(p2));
            let mut sum = 0.0;
            for x1 in 0..=7 {
                for x2 in 0..=5 {
                    if region.contains(x1, x2) {
                        sum += binomial::pmf(x1 as u64, 7, p1) * binomial::pmf(x2 as u64, 5, p2);
                    }
                }
            }
            assert!((region.probability(p1, p2) - sum).abs() < 1e-15, "{p1:?} {p2:?}");
        }
    }

    #[test]
    fn the_worst_case_is_above_every_point_of_a_dense_grid() {
        for (n1, n2, lead) in [(5, 9, 0.31), (24, 24, 0.16), (40, 11, 0.05), (3, 90, 0.4)] {
            let region = Region::empty(n1, n2)
                .with_high(|x1, x2| x2 as f64 / n2 as f64 > x1 as f64 / n1 as f64 + lead);
            let worst = region.worst_case();
            let mut highest: f64 = 0.0;
            for i in 1..20_000 {
                let pi = Probability::new(f64::from(i) / 20_000.0);
                highest = highest.max(region.probability(pi, pi));
            }
            assert!(worst >= highest - 1e-12, "{worst} {highest}");
            assert!(worst < highest + 1e-5, "{worst} {highest}");
        }
    }
}
