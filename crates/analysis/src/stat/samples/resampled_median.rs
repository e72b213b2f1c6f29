//! The median of a bootstrap resample, drawn from its exact law.
//!
//! A resample of n values is n draws with replacement from x₍₁₎ ≤ … ≤ x₍ₙ₎. Its median depends on the
//! ranks of its one or two middle values alone, and their law is known, so that a draw costs the
//! same for ten values as for a million and no resample is built:
//!
//! - the m-th smallest of the resample is at most x₍ⱼ₎ with probability P(Bin(n, j/n) ≥ m);
//! - for n = 2m, the m-th is x₍ᵢ₎ and the next is above it with probability
//!   C(2m, m) · [(i/n)ᵐ − ((i−1)/n)ᵐ] · (1 − i/n)ᵐ: one half of the resample at or below i with at
//!   least one on i, the other half above;
//! - given that, the next is the least of m uniform draws from the ranks above i.
//!
//! Sources: B. Efron, *Bootstrap methods: another look at the jackknife*, Ann. Statist. 7 (1979),
//! section 3 (the law for odd n); the law of the pair follows in the same way.

use rand::{Rng, RngExt};
use statrs::function::beta::checked_beta_reg;
use statrs::function::factorial::ln_factorial;

use super::median::median_of_sorted;

/// The law of the median of a resample of one sample.
#[derive(Debug, Clone)]
pub struct ResampledMedian<'a> {
    ascending: &'a [f64],
    /// The rank, from 0, that `cumulative[0]` belongs to. Ranks outside the table are further than
    /// ten standard deviations out; their probability is below 1e-20.
    first: usize,
    /// P(lower middle rank ≤ first + index).
    cumulative: Vec<f64>,
    /// For even n: P(upper middle rank = lower | lower = first + index).
    stays: Vec<f64>,
}

impl<'a> ResampledMedian<'a> {
    /// The law for an ascending sample.
    pub fn new(ascending: &'a [f64]) -> Self {
        let n = ascending.len();
        let m = n.div_ceil(2);
        let reach = (5.0 * (n as f64).sqrt()).ceil() as usize + 2;
        let first = (n / 2).saturating_sub(reach);
        let last = (n / 2 + reach).min(n);
        let at_most = |ranks: usize| -> f64 {
            match ranks {
                0 => 0.0,
                _ if ranks >= n => 1.0,
                _ => checked_beta_reg(m as f64, (n - m + 1) as f64, ranks as f64 / n as f64)
                    .unwrap_or(f64::NAN),
            }
        };
        let cumulative: Vec<f64> = (first..last).map(|rank| at_most(rank + 1)).collect();
        let even = n > 0 && n.is_multiple_of(2);
        let stays = if even {
            (first..last)
                .map(|rank| {
                    let lower_is = at_most(rank + 1) - at_most(rank);
                    if lower_is > 0.0 { 1.0 - lower_then_above(n, rank) / lower_is } else { 1.0 }
                })
                .collect()
        } else {
            Vec::new()
        };
        ResampledMedian { ascending, first, cumulative, stays }
    }

    /// One resample's median; NaN for an empty sample.
    pub fn draw(&self, rng: &mut impl Rng) -> f64 {
        let n = self.ascending.len();
        if n < 2 {
            return median_of_sorted(self.ascending);
        }
        let u: f64 = rng.random();
        let index = self.cumulative.partition_point(|&p| p <= u).min(self.cumulative.len() - 1);
        let lower = self.first + index;
        if self.stays.is_empty() {
            return self.ascending[lower];
        }
        let stay: f64 = rng.random();
        let upper = if stay < self.stays[index] || lower + 1 >= n {
            lower
        } else {
            // P(upper rank > r | above lower) = ((n − r) / (n − lower))ᵐ, ranks counted from 1.
            let room = (n - lower - 1) as f64;
            let v: f64 = rng.random();
            let above = room * v.powf(2.0 / n as f64);
            (n - 1 - (above.floor() as usize).min(n - lower - 2)).clamp(lower + 1, n - 1)
        };
        self.ascending[lower] / 2.0 + self.ascending[upper] / 2.0
    }
}

/// P(m-th is the rank-th, counted from 0, and the (m+1)-th is above it), n = 2m.
fn lower_then_above(n: usize, rank: usize) -> f64 {
    let m = (n / 2) as f64;
    let (below, at, above) =
        (rank as f64 / n as f64, (rank + 1) as f64 / n as f64, (n - rank - 1) as f64 / n as f64);
    if above <= 0.0 {
        return 0.0;
    }
    let ln_choose = ln_factorial(n as u64) - 2.0 * ln_factorial((n / 2) as u64);
    // atᵐ − belowᵐ = atᵐ · (1 − (below/at)ᵐ)
    let share = if below > 0.0 { -(m * (below / at).ln()).exp_m1() } else { 1.0 };
    (ln_choose + m * (at.ln() + above.ln())).exp() * share
}

#[cfg(test)]
mod tests {
    use super::super::super::stream::stream;
    use super::*;
    use std::collections::BTreeMap;

    /// Every resample of ranks 0..n, by its two middle ranks.
    fn enumerated(n: usize) -> BTreeMap<(usize, usize), f64> {
        let total = n.pow(n as u32);
        let mut law: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for code in 0..total {
            let mut rest = code;
            let mut ranks: Vec<usize> = (0..n)
                .map(|_| {
                    let rank = rest % n;
                    rest /= n;
                    rank
                })
                .collect();
            ranks.sort_unstable();
            *law.entry((ranks[(n - 1) / 2], ranks[n / 2])).or_insert(0.0) += 1.0;
        }
        law.into_iter().map(|(ranks, count)| (ranks, count / total as f64)).collect()
    }

    #[test]
    fn the_law_is_that_of_all_resamples() {
        for n in [2, 3, 4, 5, 6, 7] {
            let values: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let law = ResampledMedian::new(&values);
            let all = enumerated(n);
            for rank in 0..n {
                let expected: f64 = all.iter().filter(|((l, _), _)| *l <= rank).map(|x| x.1).sum();
                assert!((law.cumulative[rank] - expected).abs() < 1e-13, "n {n} rank {rank}");
            }
            if n % 2 == 0 {
                for rank in 0..n {
                    let above: f64 =
                        all.iter().filter(|((l, u), _)| *l == rank && u > l).map(|x| x.1).sum();
                    assert!((lower_then_above(n, rank) - above).abs() < 1e-13, "n {n} rank {rank}");
                }
            }
        }
    }

    #[test]
    fn draws_follow_the_law_of_all_resamples() {
        // Powers of three tell every pair of ranks apart.
        for n in [4, 5, 6] {
            let values: Vec<f64> = (0..n).map(|i| 3f64.powi(i as i32)).collect();
            let law = ResampledMedian::new(&values);
            let draws = 100_000;
            let mut rng = stream(11, n as u64);
            let mut seen: BTreeMap<u64, f64> = BTreeMap::new();
            for _ in 0..draws {
                *seen.entry(law.draw(&mut rng).to_bits()).or_insert(0.0) += 1.0;
            }
            for ((lower, upper), p) in enumerated(n) {
                let median = values[lower] / 2.0 + values[upper] / 2.0;
                let found = seen.get(&median.to_bits()).copied().unwrap_or(0.0);
                let (expected, sd) = (draws as f64 * p, (draws as f64 * p * (1.0 - p)).sqrt());
                assert!(
                    (found - expected).abs() < 5.0 * sd + 1.0,
                    "{lower} {upper} {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn a_large_sample_has_the_known_spread() {
        // n uniform values: the resample's median has variance 1 / (4n) to first order.
        for n in [100_000usize, 100_001] {
            let values: Vec<f64> = (0..n).map(|i| (i as f64 + 0.5) / n as f64).collect();
            let law = ResampledMedian::new(&values);
            let mut rng = stream(5, 0);
            let draws: Vec<f64> = (0..20_000).map(|_| law.draw(&mut rng)).collect();
            let mean = draws.iter().sum::<f64>() / 20_000.0;
            let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 19_999.0;
            assert!((mean - 0.5).abs() < 5e-5, "{mean}");
            assert!((variance * 4.0 * n as f64 - 1.0).abs() < 0.05, "{variance}");
        }
    }
}
