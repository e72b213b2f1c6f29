//! Boschloo's unconditional exact test.

use super::super::hypergeometric::Hypergeometric;
use super::super::{Alternative, TestResult};
use super::TwoByTwo;
use super::unconditional::{MOST_TRIALS, Region};

/// Equal one-sided Fisher p-values of different tables agree to this, relatively.
const SAME: f64 = 1e-10;

/// Boschloo's test: tables are ordered by Fisher's one-sided p-value, and the p-value is the
/// greatest probability, over the common π, of a table as extreme. Exact, as it never exceeds the
/// level for any π, and one-sided never above Fisher's p-value: the default here.
///
/// Two-sided: twice the smaller one-sided p-value, at most 1 (scipy's `boschloo_exact`; exact2x2's
/// `tsmethod = "central"`): half of the error rate goes to either direction, so that a two-sided
/// rejection is a claim in a direction, as that of a central interval is. It can lie above Fisher's
/// two-sided p-value, which orders tables by their likelihood and so may give one direction more than
/// half (3 of 24 against 1 of 72: 0.0577, Fisher's 0.0471). `statistic` is Fisher's one-sided p-value, the smaller for two-sided.
/// Accuracy: see [`super::unconditional`]. Beyond [`MOST_TRIALS`] there is no p-value.
///
/// Source: R. D. Boschloo (1970); S. Lydersen, M. W. Fagerland and P. Laake (2009) recommend it.
pub fn test(table: TwoByTwo, alternative: Alternative) -> TestResult {
    let (statistic, p) = match alternative {
        Alternative::TwoSided => {
            let less = one_sided(table, Alternative::Less);
            let greater = one_sided(table, Alternative::Greater);
            let statistic = less.0.min(greater.0);
            let double = |a: f64, b: f64| (2.0 * a.min(b)).min(1.0);
            (statistic, less.1.zip(greater.1).map(|(a, b)| double(a, b)))
        }
        side => one_sided(table, side),
    };
    TestResult { method: "boschloo", alternative, statistic: Some(statistic), p_value: p }
}

/// Fisher's p-value, and Boschloo's where it is computed.
fn one_sided(table: TwoByTwo, alternative: Alternative) -> (f64, Option<f64>) {
    let (n1, n2) = (table.base.n(), table.test.n());
    let fisher = |x1: u64, x2: u64| {
        let given = Hypergeometric::new(n1, n2, x1 + x2);
        if alternative == Alternative::Less { given.at_most(x2) } else { given.at_least(x2) }
    };
    let statistic = fisher(table.base.k(), table.test.k());
    if n1 + n2 > MOST_TRIALS {
        return (statistic, None);
    }
    if statistic >= 1.0 {
        return (statistic, Some(1.0));
    }
    let region = region(n1 as usize, n2 as usize, alternative, statistic * (1.0 + SAME));
    (statistic, Some(region.worst_case()))
}

/// The tables whose one-sided Fisher p-value is at most `cut`.
pub fn region(n1: usize, n2: usize, alternative: Alternative, cut: f64) -> Region {
    let given = |x1: usize, x2: usize| Hypergeometric::new(n1 as u64, n2 as u64, (x1 + x2) as u64);
    let empty = Region::empty(n1, n2);
    if alternative == Alternative::Less {
        empty.with_low(|x1, x2| given(x1, x2).at_most(x2 as u64) <= cut)
    } else {
        empty.with_high(|x1, x2| given(x1, x2).at_least(x2 as u64) <= cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_never_above_fisher_one_sided_and_never_below_the_worst_point() {
        for (n1, n2) in [(1, 1), (4, 9), (10, 10), (15, 6)] {
            for k1 in 0..=n1 {
                for k2 in 0..=n2 {
                    let table = TwoByTwo::new(k1, n1, k2, n2).unwrap();
                    for side in [Alternative::Less, Alternative::Greater] {
                        let result = test(table, side);
                        let p = result.p_value.unwrap();
                        assert!(p <= result.statistic.unwrap() * (1.0 + 1e-9), "{result:?}");
                        assert!(p > 0.0);
                    }
                }
            }
        }
    }

    #[test]
    fn two_sided_it_can_lie_above_fisher_s() {
        let table = TwoByTwo::new(3, 24, 1, 72).unwrap();
        let boschloo = test(table, Alternative::TwoSided).p_value.unwrap();
        let fisher = super::super::fisher::test(table, Alternative::TwoSided).p_value.unwrap();
        // scipy 1.17: boschloo_exact([[3, 1], [21, 71]]), fisher_exact of the same.
        assert!((boschloo - 0.0577).abs() < 1e-4 && (fisher - 0.0471).abs() < 1e-4);
    }

    #[test]
    fn the_region_is_convex_as_the_walk_assumes() {
        // By brute force over all tables, against the walk.
        for (n1, n2) in [(6, 9), (13, 4), (11, 11)] {
            for cut in [0.01, 0.05, 0.3] {
                let greater = region(n1, n2, Alternative::Greater, cut);
                let less = region(n1, n2, Alternative::Less, cut);
                for x1 in 0..=n1 {
                    for x2 in 0..=n2 {
                        let given = Hypergeometric::new(n1 as u64, n2 as u64, (x1 + x2) as u64);
                        let x = x2 as u64;
                        assert_eq!(greater.contains(x1, x2), given.at_least(x) <= cut);
                        assert_eq!(less.contains(x1, x2), given.at_most(x) <= cut);
                    }
                }
            }
        }
    }
}
