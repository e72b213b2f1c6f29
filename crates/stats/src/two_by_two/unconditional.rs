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
//! certain to [`CERTAIN_WITHIN`], absolutely. A region that is its own mirror image is as probable at 1 − π
//! as at π, and only π up to 1/2 is looked at: one-sided with equal sides, and two-sided by the score. Where P is so small that this would take more than
//! [`MOST_EVALUATIONS`] (a p-value below about 1e-5), the grid of 8 √N points with its highest
//! maxima refined stands.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use super::super::binomial::{self, Probability};

/// The most trials, both sides together, that the unconditional tests enumerate. Beyond it their
/// p-value is not computed: Fisher's mid-P is near Boschloo's there. Barnard's may be far above both where
/// it is not small: its worst π is then one with a handful of events, however many trials there are.
pub const MOST_TRIALS: u64 = 20_000;

/// How far, absolutely, a p-value may be below the true supremum.
pub const CERTAIN_WITHIN: f64 = 1e-9;

/// The most probabilities that one supremum evaluates.
pub const MOST_EVALUATIONS: usize = 20_000;

/// Masses below this are left out of a probability, so that small ones keep their precision.
const NEGLIGIBLE: f64 = 1e-60;

/// Masses below this are left out where a probability is only compared with a limit: 20,000 of them are
/// far below the rounding of any limit that is asked about.
const NEGLIGIBLE_AT_A_LIMIT: f64 = 1e-25;

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
    pub fn extend(&mut self, x1: usize, x2: usize, upwards: bool) {
        if upwards {
            if let Some(high) = self.high.get_mut(x1) {
                *high = (*high).min(x2);
            }
        } else if let Some(low) = self.low.get_mut(x1) {
            *low = (*low).max(x2 + 1);
        }
    }

    /// Whether a table is in the upper part of its row.
    pub fn is_high(&self, x1: usize, x2: usize) -> bool {
        self.high.get(x1).is_some_and(|&high| x2 >= high)
    }

    /// Whether the region holds a table.
    pub fn contains(&self, x1: usize, x2: usize) -> bool {
        self.low.get(x1).is_some_and(|&low| x2 < low)
            || self.high.get(x1).is_some_and(|&high| x2 >= high && x2 <= self.test_n)
    }

    /// The probability of the region where the base has probability `p1` and the test `p2`.
    pub fn probability(&self, p1: Probability, p2: Probability) -> f64 {
        Masses::new(self, NEGLIGIBLE).probability(self, p1, p2)
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

    /// Whether the region is as probable at 1 − π as at π: its own image under (x1, x2) → (n1 − x1, n2 − x2),
    /// which changes events for non-events, or for equal sides under (x1, x2) → (n − x2, n − x1), which
    /// changes the sides as well.
    fn is_mirrored(&self) -> bool {
        let (n1, n2) = (self.base_n, self.test_n);
        let by_events = || (0..=n1).all(|x1| self.low[n1 - x1] + self.high[x1] == n2 + 1);
        by_events() || n1 == n2 && self.is_mirrored_by_sides()
    }

    /// Of equal sides: whether (x1, x2) and (n − x2, n − x1) are both in or both out.
    fn is_mirrored_by_sides(&self) -> bool {
        let n = self.base_n;
        let is_staircase = |bounds: &[usize]| bounds.windows(2).all(|pair| pair[0] <= pair[1]);
        if !is_staircase(&self.low) || !is_staircase(&self.high) {
            return false;
        }
        // In the image, row x1 is in its upper part from the x2 on for which high[n − x2] ≤ n − x1, and in its
        // lower part up to the x2 for which low[n − x2] > n − x1. Both counts of rows fall as x1 grows.
        let (mut upper, mut lower) = (n + 1, 0);
        (0..=n).all(|x1| {
            while upper > 0 && self.high[upper - 1] > n - x1 {
                upper -= 1;
            }
            while lower <= n && self.low[n - lower] > n - x1 {
                lower += 1;
            }
            self.high[x1] == n + 1 - upper && self.low[x1] == lower
        })
    }

    /// The supremum; with a limit, some probability above it if there is one, else one not above.
    fn supremum(&self, limit: Option<f64>) -> f64 {
        let decided = |best: f64| limit.is_some_and(|limit| best > limit);
        let negligible = if limit.is_some() { NEGLIGIBLE_AT_A_LIMIT } else { NEGLIGIBLE };
        let mut masses = Masses::new(self, negligible);
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

        // θ from 0 to π/2; of a mirror image to π/4.
        let mirrored = self.is_mirrored();
        let cells = (8.0 * n.sqrt()).ceil() as usize + 16;
        let (cells, end) =
            if mirrored { (cells.div_ceil(2), FRAC_PI_4) } else { (cells, FRAC_PI_2) };
        let mut h = end / cells as f64;
        let mut grid = vec![0.0; cells + 1];
        for (i, p) in grid.iter_mut().enumerate().skip(1) {
            if i < cells || mirrored {
                *p = at(i as f64 * h).0;
            }
        }
        let mut best = grid.iter().copied().fold(0.0, f64::max);
        if decided(best) {
            return best;
        }

        // The tops that the grid may just have missed. Between points this close, ln P bends too
        // little to hide a maximum much above its neighbours.
        for i in 1..cells + usize::from(mirrored) {
            // Beyond the middle comes what was before it.
            let next = if i == cells { grid[cells - 1] } else { grid[i + 1] };
            if grid[i] >= grid[i - 1] && grid[i] >= next && grid[i] > 0.9 * best {
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

/// The two sides' masses, and what is kept between evaluations.
#[derive(Debug)]
struct Masses {
    negligible: f64,
    base_steps: Steps,
    /// `None` where both sides have as many trials.
    test_steps: Option<Steps>,
    base: Vec<f64>,
    test: Vec<f64>,
    below: Vec<f64>,
    above: Vec<f64>,
}

impl Masses {
    fn new(region: &Region, negligible: f64) -> Self {
        let (n1, n2) = (region.base_n, region.test_n);
        Masses {
            negligible,
            base_steps: Steps::new(n1),
            test_steps: (n1 != n2).then(|| Steps::new(n2)),
            base: Vec::new(),
            test: Vec::new(),
            below: Vec::new(),
            above: Vec::new(),
        }
    }

    fn probability(&mut self, region: &Region, p1: Probability, p2: Probability) -> f64 {
        let base_from = self.base_steps.window(&mut self.base, p1, self.negligible);
        let test_from = match &self.test_steps {
            None if p1 == p2 => {
                self.test.clone_from(&self.base);
                base_from
            }
            steps => steps.as_ref().unwrap_or(&self.base_steps).window(
                &mut self.test,
                p2,
                self.negligible,
            ),
        };
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

/// How neighbouring binomial masses of n trials compare, but for the odds. The quotients are the same at
/// every probability, and dividing anew was most of the time.
#[derive(Debug)]
struct Steps {
    n: usize,
    /// At k: k / (n − k + 1), which with the odds against makes the mass at k − 1 from that at k.
    down: Vec<f64>,
    /// At k: (n − k) / (k + 1), which with the odds makes the mass at k + 1 from that at k.
    up: Vec<f64>,
}

impl Steps {
    fn new(n: usize) -> Self {
        let down = (0..=n).map(|k| k as f64 / (n - k + 1) as f64).collect();
        let up = (0..=n).map(|k| (n - k) as f64 / (k + 1) as f64).collect();
        Steps { n, down, up }
    }

    /// Fills `masses` with the binomial masses that are not negligible; returns the first one's count.
    fn window(&self, masses: &mut Vec<f64>, at: Probability, negligible: f64) -> usize {
        masses.clear();
        let mode = (((self.n + 1) as f64 * at.p) as usize).min(self.n);
        let top = binomial::pmf(mode as u64, self.n as u64, at);
        // Downwards, then turned round, then upwards.
        let (up, down) = (at.p / at.q, at.q / at.p);
        let mut mass = top;
        let mut from = mode;
        masses.push(mass);
        for (k, step) in self.down.iter().enumerate().take(mode + 1).skip(1).rev() {
            mass *= step * down;
            if mass <= negligible || mass.is_nan() {
                break;
            }
            masses.push(mass);
            from = k - 1;
        }
        masses.reverse();
        mass = top;
        for step in &self.up[mode..self.n] {
            mass *= step * up;
            if mass <= negligible || mass.is_nan() {
                break;
            }
            masses.push(mass);
        }
        from
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Alternative;
    use super::super::barnard;
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

    #[test]
    fn a_mirror_image_is_found_where_there_is_one() {
        let by_definition = |region: &Region| {
            let (n1, n2) = (region.base_n, region.test_n);
            let all = |image: &dyn Fn(usize, usize) -> (usize, usize)| {
                (0..=n1).all(|x1| {
                    (0..=n2).all(|x2| {
                        let (y1, y2) = image(x1, x2);
                        region.contains(x1, x2) == region.contains(y1, y2)
                    })
                })
            };
            all(&|x1, x2| (n1 - x1, n2 - x2)) || n1 == n2 && all(&|x1, x2| (n1 - x2, n1 - x1))
        };
        let mut mirrored = 0;
        for (n1, n2) in [(1, 1), (5, 5), (6, 9), (11, 11), (12, 12)] {
            for k1 in 0..=n1 {
                for k2 in 0..=n2 {
                    let seen = barnard::Score::of(n1, n2, k1, k2);
                    for alternative in Alternative::ALL {
                        let region = barnard::region(n1 as usize, n2 as usize, alternative, seen);
                        if region.contains(0, 0) {
                            // Its supremum is 1 without a search.
                            continue;
                        }
                        assert_eq!(region.is_mirrored(), by_definition(&region), "{region:?}");
                        mirrored += usize::from(region.is_mirrored());
                    }
                }
            }
        }
        assert!(mirrored > 500, "{mirrored}");
        // A staircase that leads by two of nine, and by three from four on.
        let uneven = Region::empty(9, 9).with_high(|x1, x2| x2 >= x1 + if x1 < 4 { 2 } else { 3 });
        assert!(!uneven.is_mirrored() && !by_definition(&uneven));
    }

    #[test]
    fn the_worst_case_of_a_mirror_image_is_above_every_point_of_a_dense_grid() {
        for (n, k1, k2) in [(24, 0, 4), (24, 11, 13), (37, 18, 19), (90, 1, 3)] {
            for alternative in [Alternative::Greater, Alternative::TwoSided] {
                let seen = barnard::Score::of(n, n, k1, k2);
                let region = barnard::region(n as usize, n as usize, alternative, seen);
                assert!(region.is_mirrored());
                let worst = region.worst_case();
                let mut highest: f64 = 0.0;
                for i in 1..20_000 {
                    let pi = Probability::new(f64::from(i) / 20_000.0);
                    highest = highest.max(region.probability(pi, pi));
                }
                assert!(worst >= highest - 1e-12 && worst < highest + 1e-5, "{worst} {highest}");
                // Compared with a limit it comes to the same, on either side of it.
                assert!(region.exceeds(worst - 2.0 * CERTAIN_WITHIN));
                assert!(!region.exceeds(worst + 2.0 * CERTAIN_WITHIN));
            }
        }
    }
}
