//! How probable is it that the test side's probability is the lower one?
//!
//! With Jeffreys' prior Beta(½, ½) for each side, independently, the posteriors are Beta(k + ½, n − k + ½),
//! and the answer is P(p_test < p_base) = ∫ F_test f_base. It is a statement about these trials under that
//! prior, not a p-value; near ½ the data favour neither side.
//!
//! The integral is taken over the log-odds, where both densities are analytic and fall off exponentially,
//! so that the trapezoidal rule converges faster than any power of its step. It runs over the density of
//! the side with more information, which the other side's distribution function is smooth on.
//!
//! Source: H. Jeffreys, *Theory of probability* (1961); A. Gelman and others, *Bayesian data analysis*,
//! chapter 2; L. N. Trefethen and J. A. C. Weideman, *The exponentially convergent trapezoidal rule*,
//! SIAM Review 56 (2014).

use super::super::binomial::{Probability, beta_tails};
use super::super::proportion::Proportion;
use super::TwoByTwo;

/// A density below e^−45 of its largest adds nothing.
const NEGLIGIBLE: f64 = 45.0;
/// Steps that a standard deviation is divided in, or a unit of log-odds where that is shorter.
const FINENESS: f64 = 8.0;

/// The posterior probability that the test side's probability is below the base side's.
///
/// ```
/// use stallscope_stats::two_by_two::{TwoByTwo, lower_on_test};
/// let fixed = lower_on_test::probability(TwoByTwo::new(4, 24, 0, 24)?);
/// assert!((fixed - 0.98799).abs() < 1e-5, "{fixed}");
/// let same = lower_on_test::probability(TwoByTwo::new(3, 10, 3, 10)?);
/// assert!((same - 0.5).abs() < 1e-12);
/// # Ok::<(), stallscope_stats::StatError>(())
/// ```
pub fn probability(table: TwoByTwo) -> f64 {
    let (base, test) = (Posterior::of(table.base), Posterior::of(table.test));
    match base.spread() <= test.spread() {
        true => base.mean_of(|at| beta_tails(test.a, test.b, at).0),
        false => test.mean_of(|at| beta_tails(base.a, base.b, at).1),
    }
}

/// Beta(a, b).
#[derive(Debug, Clone, Copy)]
struct Posterior {
    a: f64,
    b: f64,
}

impl Posterior {
    fn of(side: Proportion) -> Self {
        Posterior { a: side.k() as f64 + 0.5, b: (side.n() - side.k()) as f64 + 0.5 }
    }

    /// About the variance of the log-odds.
    fn spread(self) -> f64 {
        1.0 / self.a + 1.0 / self.b
    }

    /// The mean of a function over this law.
    fn mean_of(self, function: impl Fn(Probability) -> f64) -> f64 {
        let Posterior { a, b } = self;
        let step = self.spread().sqrt().min(1.0) / FINENESS;
        let mode = (a / b).ln();
        // ln of the density of the log-odds, pᵃ qᵇ, below its largest.
        let share = |u: f64| -softplus(-u) * a - softplus(u) * b;
        let most = share(mode);
        let (mut mass, mut sum) = (0.0, 0.0);
        let mut add = |u: f64| {
            let below = most - share(u);
            let weight = (-below).exp();
            mass += weight;
            sum += weight * function(Probability::from_logit(u));
            below < NEGLIGIBLE
        };
        add(mode);
        for direction in [step, -step] {
            let mut u = mode + direction;
            while add(u) {
                u += direction;
            }
        }
        sum / mass
    }
}

/// ln(1 + eᵘ).
fn softplus(u: f64) -> f64 {
    u.max(0.0) + (-u.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(k1: u64, n1: u64, k2: u64, n2: u64) -> f64 {
        probability(TwoByTwo::new(k1, n1, k2, n2).unwrap())
    }

    #[test]
    fn sides_swapped_add_up_to_one_and_large_counts_answer() {
        let tables = [(4, 24, 0, 24), (0, 3, 500, 1_000_000), (7, 9, 1, 1), (0, 1, 0, 1)];
        for (k1, n1, k2, n2) in tables {
            let sum = of(k1, n1, k2, n2) + of(k2, n2, k1, n1);
            assert!((sum - 1.0).abs() < 1e-12, "{k1} {n1} {k2} {n2}: {sum}");
        }
        let large = of(500_000_000, 1_000_000_000, 500_010_000, 1_000_000_000);
        // The difference is 1e-5 with a standard error of √(2 · ¼ · 1e-9).
        assert!((large - 0.327_360).abs() < 1e-5, "{large}");
    }
}
