//! Intervals of a contrast that strata have in common: Mantel and Haenszel's odds ratio, difference
//! and ratio.
//!
//! Two strata are enumerated, many are simulated, down to pairs of single trials. The strata's base
//! probabilities lie apart, and one contrast is the same in all of them, so that each quantity has
//! truths of its own.

use rand::RngExt;
use rayon::prelude::*;

use super::{Coverage, Effort, Family, Setting, enumerate, simulate};
use stats::Interval;
use stats::binomial::{Probability, pmf};
use stats::strata::{
    Stratum, mantel_haenszel_difference, mantel_haenszel_odds_ratio, mantel_haenszel_ratio,
};
use stats::{Level, two_by_two::Contrast};

/// What is the same in all strata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Common {
    OddsRatio,
    Difference,
    Ratio,
}

impl Common {
    const ALL: [Common; 3] = [Common::OddsRatio, Common::Difference, Common::Ratio];

    fn name(self) -> &'static str {
        match self {
            Common::OddsRatio => "common odds-ratio",
            Common::Difference => "common difference",
            Common::Ratio => "common ratio",
        }
    }

    /// None, far fewer stalls and more, at base probabilities up to about a half; smaller where
    /// stalls are rare and a difference has less room.
    fn truths(self, rare: bool) -> [f64; 3] {
        match (self, rare) {
            (Common::OddsRatio, _) => [1.0, 0.2, 4.0],
            (Common::Difference, false) => [0.0, -0.09, 0.3],
            (Common::Difference, true) => [0.0, -0.04, 0.3],
            (Common::Ratio, _) => [1.0, 0.2, 1.6],
        }
    }

    /// The test side's probability where the base's is `p`.
    fn test(self, p: f64, truth: f64) -> f64 {
        match self {
            Common::OddsRatio => truth * p / (1.0 - p + truth * p),
            Common::Difference => p + truth,
            Common::Ratio => truth * p,
        }
    }

    fn contrast(self, strata: &[Stratum], level: Level) -> Contrast {
        match self {
            Common::OddsRatio => mantel_haenszel_odds_ratio::contrast(strata, level),
            Common::Difference => mantel_haenszel_difference::contrast(strata, level),
            Common::Ratio => mantel_haenszel_ratio::contrast(strata, level),
        }
    }
}

/// Base probabilities of two strata; in the second pair stalls are rare.
const PAIRS: [[f64; 2]; 2] = [[0.1013, 0.6019], [0.0507, 0.1013]];

/// Base probabilities of many strata, from the first to the last at equal steps.
const RANGE: [f64; 2] = [0.1013, 0.5021];

/// Strata, trials of the base, trials of the test.
type Design = (usize, u64, u64);

/// Coverage of the three contrasts.
pub fn coverage(effort: &Effort) -> Vec<Coverage> {
    let (two, many): (&[u64], &[Design]) = if effort.whole_grid {
        (&[5, 10, 24], &[(6, 8, 8), (6, 24, 8), (20, 2, 2), (100, 1, 1)])
    } else {
        (&[5], &[(20, 2, 2)])
    };
    let mut rows: Vec<Coverage> = two.iter().flat_map(|&n| of_two(n, effort)).collect();
    for (i, &design) in many.iter().enumerate() {
        for (j, common) in Common::ALL.into_iter().enumerate() {
            for (k, truth) in common.truths(false).into_iter().enumerate() {
                let number = 8_000 + 100 * i + 10 * j + k;
                rows.extend(of_many(design, common, truth, effort, number));
            }
        }
    }
    // Tables show a quantity at a time.
    rows.sort_by_key(|row| Common::ALL.iter().position(|of| of.name() == row.setting.quantity));
    rows
}

fn setting(common: Common, size: String, truth: f64, bases: &[f64]) -> Setting {
    let bases: Vec<String> = bases.iter().map(f64::to_string).collect();
    Setting {
        family: Family::Strata,
        quantity: common.name().into(),
        size,
        truth: format!("{truth}, base p={}", bases.join(" to ")),
    }
}

/// Two strata of n and n: every pair of tables.
fn of_two(n: u64, effort: &Effort) -> Vec<Coverage> {
    let tables: Vec<[u64; 2]> = (0..=n).flat_map(|k1| (0..=n).map(move |k2| [k1, k2])).collect();
    let pairs: Vec<([u64; 2], [u64; 2])> =
        tables.iter().flat_map(|a| tables.iter().map(move |b| (*a, *b))).collect();
    let found: Vec<[Vec<Interval>; 3]> = pairs
        .par_iter()
        .map(|(a, b)| {
            let strata: Vec<Stratum> = [a, b]
                .into_iter()
                .filter_map(|[k1, k2]| Stratum::new("", *k1, n, *k2, n).ok())
                .collect();
            Common::ALL.map(|common| common.contrast(&strata, effort.level).intervals)
        })
        .collect();
    let masses = |p: f64| -> Vec<f64> { (0..=n).map(|k| pmf(k, n, Probability::new(p))).collect() };
    let mut settings = Vec::new();
    for (i, common) in Common::ALL.into_iter().enumerate() {
        for (rare, bases) in [false, true].into_iter().zip(PAIRS) {
            settings.extend(common.truths(rare).map(|truth| (i, common, bases, truth)));
        }
    }
    settings
        .into_par_iter()
        .flat_map_iter(|(i, common, bases, truth)| {
            let setting = setting(common, format!("2 strata of {n}+{n}"), truth, &bases);
            let [a, b] = bases.map(|p| [masses(p), masses(common.test(p, truth))]);
            let probability =
                |of: &[Vec<f64>; 2], [k1, k2]: [u64; 2]| of[0][k1 as usize] * of[1][k2 as usize];
            let data = pairs.iter().zip(&found).map(|((in_a, in_b), intervals)| {
                (probability(&a, *in_a) * probability(&b, *in_b), &intervals[i])
            });
            enumerate(&setting, truth, effort.level, data)
        })
        .collect()
}

fn of_many(
    (count, base_n, test_n): Design,
    common: Common,
    truth: f64,
    effort: &Effort,
    number: usize,
) -> Vec<Coverage> {
    let setting = setting(common, format!("{count} strata of {base_n}+{test_n}"), truth, &RANGE);
    let step = (RANGE[1] - RANGE[0]) / (count.max(2) - 1) as f64;
    let bases: Vec<f64> = (0..count).map(|at| RANGE[0] + step * at as f64).collect();
    simulate(&setting, truth, effort, number, |rng| {
        let mut stalled =
            |n: u64, p: f64| (0..n).filter(|_| rng.random::<f64>() < p).count() as u64;
        let strata: Vec<Stratum> = bases
            .iter()
            .filter_map(|p| {
                let base = stalled(base_n, *p);
                let test = stalled(test_n, common.test(*p, truth));
                Stratum::new("", base, base_n, test, test_n).ok()
            })
            .collect();
        common.contrast(&strata, effort.level).intervals
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_truth_is_what_the_probabilities_have_in_common() {
        for common in Common::ALL {
            for (rare, bases) in [false, true].into_iter().zip(PAIRS) {
                for truth in common.truths(rare) {
                    for p in bases.into_iter().chain(RANGE) {
                        if rare && RANGE.contains(&p) {
                            continue;
                        }
                        let q = common.test(p, truth);
                        assert!(q > 0.0 && q < 1.0, "{common:?} {p} {truth}");
                        let found = match common {
                            Common::OddsRatio => q / (1.0 - q) * (1.0 - p) / p,
                            Common::Difference => q - p,
                            Common::Ratio => q / p,
                        };
                        assert!((found - truth).abs() < 1e-12, "{common:?} {p} {truth}");
                    }
                }
            }
        }
    }

    #[test]
    fn drawing_and_enumerating_agree() {
        let effort = Effort { data_sets: 4_000, ..Effort::default() };
        let exact = of_two(5, &effort);
        for (number, common) in Common::ALL.into_iter().enumerate() {
            let truth = common.truths(false)[2];
            let drawn = &of_many((2, 5, 5), common, truth, &effort, number)[0];
            // The two strata of `of_many` are at the ends of its range.
            let near = exact
                .iter()
                .find(|row| row.setting.truth.starts_with(&format!("{truth}, base p=0.1013")))
                .unwrap();
            assert_eq!(near.how, super::super::How::Enumerated);
            assert!((drawn.coverage - near.coverage).abs() < 0.04, "{drawn:?} {near:?}");
        }
    }

    #[test]
    fn pairs_of_single_trials_keep_the_odds_ratio_near_its_level() {
        let effort = Effort { data_sets: 2_000, ..Effort::default() };
        let row = &of_many((100, 1, 1), Common::OddsRatio, 4.0, &effort, 1)[0];
        assert!((row.coverage - 0.95).abs() < 0.02 + 4.0 * 0.005, "{row:?}");
    }
}
