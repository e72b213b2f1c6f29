//! Ranks of two samples together, and the exact law of one sample's rank sum.
//!
//! Given the values, with their ties, every way to choose which of them are a's is equally likely if
//! the two samples come from one distribution. Counting the ways by their rank sum gives a law that is
//! exact with ties as well.
//!
//! Source: the counting is that of M. Pagano and D. Tritchler, *On obtaining permutation distributions
//! in polynomial time*, J. Amer. Statist. Assoc. 78 (1983), without the transform.

/// The most additions that the exact law may cost: about 50 values a side without ties, 40 with.
const MOST_ADDITIONS: f64 = 2.5e7;

/// Two samples' ranks. Ranks are doubled, so that mid-ranks of ties are whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranks {
    /// Doubled mid-ranks of all values, ascending.
    pub doubled: Vec<u64>,
    /// The doubled rank sum of a.
    pub sum_a: u64,
    /// Values of a.
    pub n_a: usize,
    /// Values of b.
    pub n_b: usize,
    /// Σ (t³ − t) over groups of t tied values.
    pub ties: f64,
}

impl Ranks {
    /// Ranks of two ascending samples.
    pub fn of(a: &[f64], b: &[f64]) -> Self {
        let mut all: Vec<(f64, bool)> =
            a.iter().map(|&x| (x, true)).chain(b.iter().map(|&x| (x, false))).collect();
        all.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        let mut ranks = Ranks {
            doubled: Vec::with_capacity(all.len()),
            sum_a: 0,
            n_a: a.len(),
            n_b: b.len(),
            ties: 0.0,
        };
        // −0 and 0 are one value here: equality, not the total order, makes a tie.
        for tied in all.chunk_by(|x, y| x.0 == y.0) {
            let before = ranks.doubled.len() as u64;
            let size = tied.len() as u64;
            let rank = 2 * before + size + 1;
            ranks.sum_a += rank * tied.iter().filter(|(_, of_a)| *of_a).count() as u64;
            ranks.doubled.extend(std::iter::repeat_n(rank, tied.len()));
            ranks.ties += (size as f64).powi(3) - size as f64;
        }
        ranks
    }

    /// Mann and Whitney's U of a: the pairs in which a's value is larger, ties counting half.
    pub fn u_a(&self) -> f64 {
        let n = self.n_a as f64;
        self.sum_a as f64 / 2.0 - n * (n + 1.0) / 2.0
    }

    /// The exact law of a's doubled rank sum given the ranks; `None` where it would cost too much.
    pub fn law(&self) -> Option<RankSumLaw> {
        RankSumLaw::of(&self.doubled, self.n_a)
    }
}

/// The law of the sum of `size` ranks drawn without replacement.
#[derive(Debug, Clone, PartialEq)]
pub struct RankSumLaw {
    /// P(sum = first + i · unit)
    probability: Vec<f64>,
    first: u64,
    unit: u64,
}

impl RankSumLaw {
    /// The law for `size` of the ascending ranks.
    fn of(ranks: &[u64], size: usize) -> Option<Self> {
        let total: u64 = ranks.iter().sum();
        let small = size.min(ranks.len().checked_sub(size)?);
        // Ranks above the least, in the largest unit that keeps them whole: 2 where there are no
        // ties.
        let least = ranks.first().copied().unwrap_or(0);
        let unit = if ranks.iter().all(|rank| (rank - least).is_multiple_of(2)) { 2 } else { 1 };
        let steps: Vec<usize> = ranks.iter().map(|rank| ((rank - least) / unit) as usize).collect();
        let span: usize = steps.iter().rev().take(small).sum();
        if steps.len() as f64 * small as f64 * (span + 1) as f64 > MOST_ADDITIONS {
            return None;
        }
        // ways[k][s]: how many choices of k ranks have sum s. Descending k, so that each rank is
        // chosen once at most.
        let mut ways = vec![vec![0.0; span + 1]; small + 1];
        ways[0][0] = 1.0;
        for (seen, &step) in steps.iter().enumerate() {
            for k in (1..=small.min(seen + 1)).rev() {
                let (fewer, more) = ways.split_at_mut(k);
                let (from, to) = (&fewer[k - 1], &mut more[0]);
                for (s, count) in from[..=span.saturating_sub(step)].iter().enumerate() {
                    if let Some(slot) = to.get_mut(s + step) {
                        *slot += count;
                    }
                }
            }
        }
        let counts = ways.pop()?;
        let all: f64 = counts.iter().sum();
        let lowest: usize = steps.iter().take(small).sum();
        let mut probability: Vec<f64> =
            counts.iter().skip(lowest).map(|count| count / all).collect();
        let mut first = small as u64 * least + lowest as u64 * unit;
        if small != size {
            // The law was counted for the other sample; the two sums add up to the total.
            first = total - (small as u64 * least + span as u64 * unit);
            probability.reverse();
        }
        Some(RankSumLaw { probability, first, unit })
    }

    fn sums(&self) -> impl Iterator<Item = (u64, f64)> + '_ {
        self.probability.iter().enumerate().map(|(i, &p)| (self.first + i as u64 * self.unit, p))
    }

    /// P(sum ≤ s).
    pub fn at_most(&self, s: u64) -> f64 {
        self.sums().filter(|(sum, _)| *sum <= s).map(|(_, p)| p).sum::<f64>().min(1.0)
    }

    /// P(sum ≥ s).
    pub fn at_least(&self, s: u64) -> f64 {
        self.sums().filter(|(sum, _)| *sum >= s).map(|(_, p)| p).sum::<f64>().min(1.0)
    }

    /// P(|sum − centre| ≥ |s − centre|).
    pub fn as_far(&self, s: u64, centre: u64) -> f64 {
        let far = s.abs_diff(centre);
        self.sums()
            .filter(|(sum, _)| sum.abs_diff(centre) >= far)
            .map(|x| x.1)
            .sum::<f64>()
            .min(1.0)
    }
}

/// The law of U for samples without ties, from U = 0; `None` where it would cost too much.
pub fn u_law(n_a: usize, n_b: usize) -> Option<Vec<f64>> {
    // The law has a term for each of the pairs: where those are too many, it need not be begun.
    if n_a as f64 * n_b as f64 > MOST_ADDITIONS {
        return None;
    }
    let ranks: Vec<u64> = (1..=n_a.checked_add(n_b)? as u64).map(|rank| 2 * rank).collect();
    Some(RankSumLaw::of(&ranks, n_a)?.probability)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_ties_are_mid_ranks() {
        let ranks = Ranks::of(&[1.0, 2.0, 2.0], &[2.0, 3.0]);
        assert_eq!(ranks.doubled, [2, 6, 6, 6, 10]);
        assert_eq!(ranks.sum_a, 14);
        assert_eq!(ranks.ties, 24.0);
        assert_eq!(ranks.u_a(), 1.0);
    }

    #[test]
    fn the_law_is_that_of_all_choices() {
        let a = [1.0, 2.0, 2.0, 5.0];
        let b = [2.0, 3.0, 5.0, 5.0, 9.0];
        for (a, b) in [(&a[..], &b[..]), (&b[..], &a[..])] {
            let ranks = Ranks::of(a, b);
            let law = ranks.law().unwrap();
            let n = ranks.doubled.len();
            let mut all = 0.0;
            let mut counts = std::collections::BTreeMap::new();
            for chosen in 0u32..1 << n {
                if chosen.count_ones() as usize == a.len() {
                    let sum: u64 =
                        (0..n).filter(|i| chosen >> i & 1 == 1).map(|i| ranks.doubled[i]).sum();
                    *counts.entry(sum).or_insert(0.0) += 1.0;
                    all += 1.0;
                }
            }
            for (sum, p) in law.sums() {
                let expected = counts.get(&sum).copied().unwrap_or(0.0) / all;
                assert!((p - expected).abs() < 1e-14, "{sum}");
            }
        }
    }

    #[test]
    fn the_law_without_ties_is_known() {
        // Mann and Whitney (1947): 3 against 3, U = 0, 1, … in 1 1 2 3 3 3 3 2 1 1 of 20 ways.
        let law = u_law(3, 3).unwrap();
        let ways: Vec<f64> = law.iter().map(|p| (p * 20.0).round()).collect();
        assert_eq!(ways, [1.0, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0, 2.0, 1.0, 1.0]);
        assert!(u_law(50, 50).is_some());
        assert_eq!(u_law(500, 500), None);
        assert_eq!(u_law(usize::MAX, 2), None);
        assert_eq!(u_law(1, 4).unwrap(), vec![0.2; 5]);
    }
}
