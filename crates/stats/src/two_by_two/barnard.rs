//! Barnard's unconditional exact test, with the pooled score statistic.

use std::cmp::Ordering;

use super::super::{Alternative, TestResult};
use super::TwoByTwo;
use super::unconditional::{MOST_TRIALS, Region};

/// Barnard's test in the form that is in use: tables are ordered by the score statistic
/// z = (p2 − p1) / √(p (1 − p) (1/n1 + 1/n2)) with the pooled p, and the p-value is the greatest
/// probability, over the common π, of a table as extreme (scipy's `barnard_exact`, pooled). It is
/// also known as the exact unconditional z-pooled test (Suissa and Shuster, 1985); Barnard's own
/// ordering (1945) is another, and costly.
///
/// Two-sided: |z| at least as large. Tables are compared in whole numbers, so ties are ties.
/// Accuracy: see [`super::unconditional`]. Beyond [`MOST_TRIALS`] there is no p-value.
pub fn test(table: TwoByTwo, alternative: Alternative) -> TestResult {
    let (n1, n2) = (table.base.n(), table.test.n());
    let seen = Score::of(n1, n2, table.base.k(), table.test.k());
    let p_value = (n1 + n2 <= MOST_TRIALS)
        .then(|| region(n1 as usize, n2 as usize, alternative, seen).worst_case());
    TestResult { method: "barnard", alternative, statistic: Some(seen.z(n1, n2)), p_value }
}

/// The tables at least as extreme as `seen`.
pub fn region(n1: usize, n2: usize, alternative: Alternative, seen: Score) -> Region {
    let score = |x1: usize, x2: usize| Score::of(n1 as u64, n2 as u64, x1 as u64, x2 as u64);
    let empty = Region::empty(n1, n2);
    match alternative {
        Alternative::Less => empty.with_low(|x1, x2| score(x1, x2) <= seen),
        Alternative::Greater => empty.with_high(|x1, x2| score(x1, x2) >= seen),
        Alternative::TwoSided => {
            let far = seen.absolute();
            empty
                .with_high(|x1, x2| score(x1, x2) >= far)
                .with_low(|x1, x2| score(x1, x2) <= far.negative())
        }
    }
}

/// The score statistic as a signed fraction of whole numbers, so that it can be compared exactly:
/// its sign, and its square up to a factor that the margins fix.
#[derive(Debug, Clone, Copy)]
pub struct Score {
    /// x2 n1 − x1 n2.
    difference: i128,
    /// K (N − K), at least 1.
    spread: i128,
}

impl Score {
    /// The score of x1 of n1 (base) and x2 of n2 (test). Counts are at most 1e9 each.
    pub fn of(n1: u64, n2: u64, x1: u64, x2: u64) -> Self {
        let [n1, n2, x1, x2] = [n1, n2, x1, x2].map(i128::from);
        let k = x1 + x2;
        // With nothing or everything counted the difference is 0, and so is the score.
        Score { difference: x2 * n1 - x1 * n2, spread: (k * (n1 + n2 - k)).max(1) }
    }

    /// The statistic itself.
    pub fn z(self, n1: u64, n2: u64) -> f64 {
        let (n1, n2) = (n1 as f64, n2 as f64);
        // z² = D² N / (n1 n2 K (N − K)).
        self.difference as f64 * ((n1 + n2) / (n1 * n2) / self.spread as f64).sqrt()
    }

    fn absolute(self) -> Self {
        Score { difference: self.difference.abs(), ..self }
    }

    fn negative(self) -> Self {
        Score { difference: -self.difference, ..self }
    }
}

impl PartialEq for Score {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        // Within MOST_TRIALS the products stay far below i128; beyond it nobody compares, and a
        // product that would not fit is no order.
        let signed = |a: &Score, b: &Score| {
            let square = a.difference.checked_mul(a.difference)?.checked_mul(b.spread)?;
            Some(square * a.difference.signum())
        };
        Some(signed(self, other)?.cmp(&signed(other, self)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_compare_as_numbers_do() {
        let (n1, n2) = (13, 8);
        let all: Vec<Score> =
            (0..=13).flat_map(|x1| (0..=8).map(move |x2| Score::of(n1, n2, x1, x2))).collect();
        for a in &all {
            for b in &all {
                let (za, zb) = (a.z(n1, n2), b.z(n1, n2));
                if (za - zb).abs() > 1e-9 {
                    assert_eq!(a > b, za > zb);
                } else {
                    assert_eq!(a, b);
                }
            }
        }
    }

    #[test]
    fn the_region_is_convex_as_the_walk_assumes() {
        for (n1, n2) in [(6, 9), (13, 4), (11, 11), (1, 20)] {
            for (k1, k2) in [(0, 3), (1, 0), (1, 4), (1, 1)] {
                let seen = Score::of(n1, n2, k1, k2);
                for alternative in Alternative::ALL {
                    let region = region(n1 as usize, n2 as usize, alternative, seen);
                    for x1 in 0..=n1 {
                        for x2 in 0..=n2 {
                            let here = Score::of(n1, n2, x1, x2);
                            let extreme = match alternative {
                                Alternative::Less => here <= seen,
                                Alternative::Greater => here >= seen,
                                Alternative::TwoSided => here.absolute() >= seen.absolute(),
                            };
                            assert_eq!(region.contains(x1 as usize, x2 as usize), extreme);
                        }
                    }
                }
            }
        }
    }
}
