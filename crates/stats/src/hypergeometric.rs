//! The 2×2 table with both margins fixed: Fisher's noncentral hypergeometric distribution.
//!
//! X is the count on the test side, given K counted in all. Its mass at x is proportional to
//! C(test n, x) · C(base n, K − x) · ωˣ, with ω the odds ratio, test against base; ω = 1 is the
//! null hypothesis. Sums start at their largest term and walk outwards until nothing is added any
//! more, so a tail costs about √N steps and keeps its relative precision however small it is.

use super::binomial::{MOST_TRIALS, Probability, ln_pmf};

/// The conditional distribution of the test side's count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hypergeometric {
    base_n: u64,
    test_n: u64,
    total: u64,
}

impl Hypergeometric {
    /// Two sides with `base_n` and `test_n` trials, at most [`MOST_TRIALS`] each, and `total` counted
    /// among them, at most `base_n + test_n`; what is more is cut to it.
    pub fn new(base_n: u64, test_n: u64, total: u64) -> Self {
        let [base_n, test_n] = [base_n, test_n].map(|n| n.min(MOST_TRIALS));
        Hypergeometric { base_n, test_n, total: total.min(base_n + test_n) }
    }

    /// The least count that the margins allow.
    pub fn least(self) -> u64 {
        self.total.saturating_sub(self.base_n)
    }

    /// The greatest count that the margins allow.
    pub fn greatest(self) -> u64 {
        self.total.min(self.test_n)
    }

    /// ln P(X = x) under the null hypothesis, −∞ outside the margins.
    pub fn ln_pmf(self, x: u64) -> f64 {
        if x < self.least() || x > self.greatest() {
            return f64::NEG_INFINITY;
        }
        let n = self.base_n + self.test_n;
        if self.total == 0 || self.total == n {
            return 0.0;
        }
        // Loader (2000): three binomial masses at the common p; nothing large cancels.
        let at =
            Probability { p: self.total as f64 / n as f64, q: (n - self.total) as f64 / n as f64 };
        ln_pmf(x, self.test_n, at) + ln_pmf(self.total - x, self.base_n, at)
            - ln_pmf(self.total, n, at)
    }

    /// P(X = x + 1) / P(X = x) at odds ratio 1, for x in `least..greatest`.
    fn ratio_up(self, x: u64) -> f64 {
        // base_n − total + x + 1 is positive for x ≥ least, and is computed in that order.
        let base_free = (self.base_n + x + 1 - self.total) as f64;
        ((self.total - x) as f64 / (x + 1) as f64) * ((self.test_n - x) as f64 / base_free)
    }

    /// The most likely count at odds ratio ω.
    fn mode(self, omega: f64) -> u64 {
        // The ratio of neighbours falls with x: the mode is where it first drops below 1.
        let (mut low, mut high) = (self.least(), self.greatest());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.ratio_up(middle) * omega >= 1.0 { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Σ over x from `from` upwards of weight(x) × mass(x) / mass(from), stopping when terms no
    /// longer count. `from` is at or above the mode, or the sum is not short.
    fn sum_up(self, from: u64, omega: f64, weight: impl Fn(u64) -> f64) -> f64 {
        let (mut term, mut sum, mut x) = (1.0, weight(from), from);
        while x < self.greatest() {
            term *= self.ratio_up(x) * omega;
            x += 1;
            let next = sum + term * weight(x);
            if next == sum && term < 1e-18 {
                break;
            }
            sum = next;
        }
        sum
    }

    /// As [`Self::sum_up`], downwards.
    fn sum_down(self, from: u64, omega: f64, weight: impl Fn(u64) -> f64) -> f64 {
        let (mut term, mut sum, mut x) = (1.0, weight(from), from);
        while x > self.least() {
            x -= 1;
            term /= self.ratio_up(x) * omega;
            let next = sum + term * weight(x);
            if next == sum && term < 1e-18 {
                break;
            }
            sum = next;
        }
        sum
    }

    /// P(X ≥ x) under the null hypothesis.
    pub fn at_least(self, x: u64) -> f64 {
        if x <= self.least() {
            return 1.0;
        }
        if x > self.greatest() {
            return 0.0;
        }
        if x > self.mode(1.0) {
            (self.ln_pmf(x).exp() * self.sum_up(x, 1.0, |_| 1.0)).min(1.0)
        } else {
            1.0 - self.ln_pmf(x - 1).exp() * self.sum_down(x - 1, 1.0, |_| 1.0)
        }
    }

    /// P(X ≤ x) under the null hypothesis.
    pub fn at_most(self, x: u64) -> f64 {
        if x >= self.greatest() {
            return 1.0;
        }
        if x < self.least() {
            return 0.0;
        }
        if x < self.mode(1.0) {
            (self.ln_pmf(x).exp() * self.sum_down(x, 1.0, |_| 1.0)).min(1.0)
        } else {
            1.0 - self.ln_pmf(x + 1).exp() * self.sum_up(x + 1, 1.0, |_| 1.0)
        }
    }

    /// ln of [P(X ≤ x), P(X ≥ x)] at odds ratio ω > 0.
    pub fn ln_tails_at(self, x: u64, omega: f64) -> [f64; 2] {
        let x = x.clamp(self.least(), self.greatest());
        let mode = self.mode(omega);
        // All masses relative to the mode's.
        let all = self.sum_up(mode, omega, |_| 1.0) + self.sum_down(mode, omega, |_| 1.0) - 1.0;
        let ln_here =
            self.ln_pmf(x) - self.ln_pmf(mode) + (x as f64 - mode as f64) * omega.ln() - all.ln();
        let complement = |ln_p: f64| (-ln_p.exp().min(1.0)).ln_1p();
        // The tail away from the mode is summed; the other is what remains.
        if x > mode {
            let upper = ln_here + self.sum_up(x, omega, |_| 1.0).ln();
            let beyond = upper.exp() - ln_here.exp();
            [(-beyond).ln_1p(), upper]
        } else if x < mode {
            let lower = ln_here + self.sum_down(x, omega, |_| 1.0).ln();
            let beyond = lower.exp() - ln_here.exp();
            [lower, (-beyond).ln_1p()]
        } else {
            let above = self.sum_up(x, omega, |_| 1.0) - 1.0;
            let below = self.sum_down(x, omega, |_| 1.0) - 1.0;
            [complement(ln_here + above.ln()), complement(ln_here + below.ln())]
        }
    }

    /// E[X] at odds ratio ω > 0.
    pub fn mean_at(self, omega: f64) -> f64 {
        let mode = self.mode(omega);
        let all = self.sum_up(mode, omega, |_| 1.0) + self.sum_down(mode, omega, |_| 1.0) - 1.0;
        // About the mode, so that what is summed is small.
        let above = self.sum_up(mode, omega, |x| (x - mode) as f64);
        let below = self.sum_down(mode, omega, |x| (mode - x) as f64);
        mode as f64 + (above - below) / all
    }

    /// The two-sided p-value of `x` by minimum likelihood, as (P(mass below x's), P(mass equal to
    /// x's)): their sum is Fisher's, half of the second less is the mid-P.
    ///
    /// Masses within 1e-7 of each other, relatively, count as equal, as in R's `fisher.test`.
    pub fn minimum_likelihood(self, x: u64) -> (f64, f64) {
        const SAME: f64 = 1e-7;
        let here = self.ln_pmf(x);
        let mode = self.mode(1.0);
        // On each side of the mode the mass falls: find where it stops being above x's, and where
        // it is below.
        let (least, greatest) = (self.least(), self.greatest());
        let first_up = |limit: f64| {
            let (mut low, mut high) = (mode, greatest + 1);
            while low < high {
                let middle = low + (high - low) / 2;
                if self.ln_pmf(middle) <= limit { high = middle } else { low = middle + 1 }
            }
            low
        };
        // One past the last, counted from below, whose mass is within the limit.
        let end_down = |limit: f64| {
            let (mut low, mut high) = (least, mode);
            while low < high {
                let middle = low + (high - low) / 2;
                if self.ln_pmf(middle) <= limit { low = middle + 1 } else { high = middle }
            }
            low
        };
        let beyond = |limit: f64| {
            let up = first_up(limit);
            let down = end_down(limit);
            let upper = if up > greatest { 0.0 } else { self.at_least(up) };
            let lower = if down == least { 0.0 } else { self.at_most(down - 1) };
            (upper + lower).min(1.0)
        };
        let with = beyond(here + SAME);
        let without = beyond(here - SAME);
        (without, with - without)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every mass at ω by the definition, in plain floating point.
    fn masses(h: Hypergeometric, omega: f64) -> Vec<(u64, f64)> {
        let choose = |n: u64, k: u64| (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64);
        let weights: Vec<(u64, f64)> = (h.least()..=h.greatest())
            .map(|x| {
                let ways = choose(h.test_n, x) * choose(h.base_n, h.total - x);
                (x, ways * omega.powi(x as i32))
            })
            .collect();
        let all: f64 = weights.iter().map(|w| w.1).sum();
        weights.into_iter().map(|(x, w)| (x, w / all)).collect()
    }

    #[test]
    fn agrees_with_the_definition_on_every_small_table() {
        for (base_n, test_n) in [(1, 1), (3, 7), (7, 3), (12, 12), (24, 20)] {
            for total in 0..=base_n + test_n {
                let h = Hypergeometric::new(base_n, test_n, total);
                for omega in [1.0, 0.02, 0.7, 35.0] {
                    let masses = masses(h, omega);
                    let mean: f64 = masses.iter().map(|&(x, m)| x as f64 * m).sum();
                    assert!((h.mean_at(omega) - mean).abs() < 1e-12 * (1.0 + mean), "{h:?}");
                    for &(x, mass) in &masses {
                        let up: f64 = masses.iter().filter(|m| m.0 >= x).map(|m| m.1).sum();
                        let down: f64 = masses.iter().filter(|m| m.0 <= x).map(|m| m.1).sum();
                        let [ln_down, ln_up] = h.ln_tails_at(x, omega);
                        assert!((ln_down.exp() - down).abs() < 1e-13, "{h:?} {x} {omega}");
                        assert!((ln_up.exp() - up).abs() < 1e-13, "{h:?} {x} {omega}");
                        if omega == 1.0 {
                            assert!((h.ln_pmf(x).exp() - mass).abs() < 1e-14);
                            assert!((h.at_least(x) - up).abs() < 1e-13);
                            assert!((h.at_most(x) - down).abs() < 1e-13);
                            let (below, equal) = h.minimum_likelihood(x);
                            let cut = mass * (1.0 + 1e-7);
                            let all: f64 = masses.iter().filter(|m| m.1 <= cut).map(|m| m.1).sum();
                            assert!((below + equal - all).abs() < 1e-13, "{h:?} {x}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn far_tails_of_large_tables_are_not_zero() {
        let h = Hypergeometric::new(1_000_000, 1_000_000, 1_000_000);
        let p = h.at_least(510_000);
        assert!(p > 1e-180 && p < 1e-150, "{p:e}");
        assert!((h.at_least(500_001) + h.at_most(500_000) - 1.0).abs() < 1e-12);
    }
}
