//! The median of a bootstrap resample, drawn from its exact law.
//!
//! A resample of n values is n draws with replacement from x₍₁₎ ≤ … ≤ x₍ₙ₎. Its median depends on the
//! ranks of its one or two middle values alone, and their law is known, so that no resample is built:
//!
//! - the m-th smallest of the resample is at most x₍ⱼ₎ with probability P(Bin(n, j/n) ≥ m);
//! - for n = 2m, the m-th is x₍ᵢ₎ and the next is x₍ⱼ₎, j > i, with probability
//!   C(2m, m) · [(i/n)ᵐ − ((i−1)/n)ᵐ] · [((n−j+1)/n)ᵐ − ((n−j)/n)ᵐ]: one half of the resample at or
//!   below i with at least one on i, the other half at or above j with at least one on j.
//!
//! The law is a table of about 10√n medians for odd n, and 350√n for even; a draw inverts it by a guide
//! table, at the same cost for any size.
//!
//! Sources: B. Efron, *Bootstrap methods: another look at the jackknife*, Ann. Statist. 7 (1979),
//! section 3 (the law for odd n); the law of the pair follows in the same way. H.-C. Chen and
//! Y. Asau, *On generating random variates from an empirical distribution*, AIIE Trans. 6 (1974), the
//! guide table.

use rand::{Rng, RngExt};
use statrs::function::factorial::ln_factorial;

use super::super::binomial::{Probability, beta_tails};
use super::median::median_of_sorted;

/// What is left out of the table: a probability that no draw of 53 bits can tell from 0.
const NEGLIGIBLE: f64 = 1e-18;

/// The law of the median of a resample of one sample.
#[derive(Debug, Clone)]
pub struct ResampledMedian {
    /// Medians that a resample may have, by the ranks of its middle values.
    medians: Vec<f64>,
    /// P(this median or one before it).
    cumulative: Vec<f64>,
    /// Where in `cumulative` a search begins, for equal parts of (0, 1).
    guide: Vec<usize>,
}

impl ResampledMedian {
    /// The law for an ascending sample; that of an empty one is NaN.
    pub fn new(ascending: &[f64]) -> Self {
        let mut law =
            ResampledMedian { medians: Vec::new(), cumulative: Vec::new(), guide: Vec::new() };
        let mut reached = 0.0;
        middle_ranks(ascending.len(), |[lower, upper], probability| {
            reached += probability;
            law.cumulative.push(reached);
            law.medians.push(ascending[lower] / 2.0 + ascending[upper] / 2.0);
        });
        if law.medians.is_empty() {
            law.medians.push(median_of_sorted(ascending));
            law.cumulative.push(1.0);
        }
        let parts = law.medians.len().next_power_of_two();
        let mut first = 0;
        for part in 0..parts {
            let from = part as f64 / parts as f64;
            while first + 1 < law.medians.len() && law.cumulative[first] <= from {
                first += 1;
            }
            law.guide.push(first);
        }
        law
    }

    /// One resample's median; NaN for an empty sample.
    pub fn draw(&self, rng: &mut impl Rng) -> f64 {
        let u: f64 = rng.random();
        let mut at = self.guide[(u * self.guide.len() as f64) as usize];
        // The last one takes what rounding left of 1.
        while self.cumulative[at] <= u && at + 1 < self.cumulative.len() {
            at += 1;
        }
        self.medians[at]
    }
}

/// Calls `visit` with the ranks, from 0, of the two middle values of a resample of n values, and with
/// their probability; for odd n there is one, twice. Only what is not [`NEGLIGIBLE`] is visited.
fn middle_ranks(n: usize, mut visit: impl FnMut([usize; 2], f64)) {
    let m = n.div_ceil(2);
    let share = |ranks: usize| ranks as f64 / n as f64;
    let at_most = |ranks: usize| -> f64 {
        match ranks {
            0 => 0.0,
            _ if ranks >= n => 1.0,
            _ => beta_tails(m as f64, (n - m + 1) as f64, Probability::new(share(ranks))).0,
        }
    };
    // ln(((i+1)/n)ᵐ − (i/n)ᵐ): of m draws from the lowest i + 1 ranks, at least one is on i.
    let ln_reaches = |rank: usize| {
        let below = rank as f64 / (rank + 1) as f64;
        m as f64 * share(rank + 1).ln() + (-below.powf(m as f64)).ln_1p()
    };
    let even = n.is_multiple_of(2);
    let ln_choose = ln_factorial(n as u64) - 2.0 * ln_factorial(m as u64);
    // The lower middle is further than ten standard deviations out with a probability below 1e-20.
    let reach = (5.0 * (n as f64).sqrt()).ceil() as usize + 2;
    let ranks = (n / 2).saturating_sub(reach)..(n / 2 + reach).min(n);
    let mut below = at_most(ranks.start);
    for lower in ranks {
        let up_to_here = at_most(lower + 1);
        let mut stays = up_to_here - below;
        below = up_to_here;
        if even && stays > NEGLIGIBLE {
            let ln_lower = ln_choose + ln_reaches(lower);
            let mut apart = Vec::new();
            for upper in lower + 1..n {
                let probability = (ln_lower + ln_reaches(n - 1 - upper)).exp();
                // It falls with `upper`, to a third or so at each: what is further is as negligible.
                if probability < NEGLIGIBLE {
                    break;
                }
                apart.push(probability);
            }
            stays -= apart.iter().sum::<f64>();
            visit([lower, lower], stays.max(0.0));
            for (probability, upper) in apart.into_iter().zip(lower + 1..) {
                visit([lower, upper], probability);
            }
        } else {
            visit([lower, lower], stays);
        }
    }
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
        for n in [1, 2, 3, 4, 5, 6, 7] {
            let all = enumerated(n);
            let mut sum = 0.0;
            middle_ranks(n, |[lower, upper], probability| {
                let expected = all.get(&(lower, upper)).copied().unwrap_or(0.0);
                assert!((probability - expected).abs() < 1e-13, "n {n}, {lower} and {upper}");
                sum += probability;
            });
            assert!((sum - 1.0).abs() < 1e-13, "n {n}");
        }
    }

    #[test]
    fn nothing_of_weight_is_left_out() {
        for n in [24, 99, 100, 5_000, 100_000, 100_001, 4_000_001] {
            let mut sum = 0.0;
            middle_ranks(n, |_, probability| {
                assert!(probability >= 0.0, "n {n}: {probability}");
                sum += probability;
            });
            assert!((sum - 1.0).abs() < 1e-9, "n {n}: {sum}");
        }
    }

    #[test]
    fn a_sample_without_a_choice_has_one_median() {
        let draw = |values: &[f64]| ResampledMedian::new(values).draw(&mut stream(1, 0));
        assert!(draw(&[]).is_nan());
        assert_eq!(draw(&[3.0]), 3.0);
        assert_eq!(draw(&[3.0; 8]), 3.0);
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
