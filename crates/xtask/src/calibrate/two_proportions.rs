//! Intervals of two proportions, by enumeration of all tables. Miettinen and Nurminen's of the ratio is
//! that over strata, of one.

use rayon::prelude::*;

use super::{Coverage, Effort, Family, Setting, enumerate, searched};
use stats::Interval;
use stats::binomial::{Probability, pmf};
use stats::strata::{Stratum, mantel_haenszel_ratio};
use stats::two_by_two::{Effects, TwoByTwo, effects};

/// Probabilities of the base and of the test. The odd decimals keep clear of where bounds lie.
const PROBABILITIES: [f64; 8] = [0.0203, 0.0507, 0.1013, 0.2011, 0.3517, 0.5021, 0.7019, 0.9007];

/// How far the search for the worst pair goes, in tenths of log odds: from p = 0.0006 to 0.9994.
const SEARCHED: i32 = 74;

/// Coverage of the difference's, the ratio's and the odds ratio's intervals at all pairs of
/// probabilities, and the least of each over a finer grid of pairs.
pub fn coverage(effort: &Effort) -> Vec<Coverage> {
    let sizes: &[(u64, u64)] = if effort.whole_grid {
        &[(10, 10), (24, 24), (24, 8), (50, 50)]
    } else {
        &[(10, 10), (24, 8)]
    };
    let mut rows: Vec<Coverage> = sizes.iter().flat_map(|&size| at_size(size, effort)).collect();
    // Tables show a quantity at a time.
    let order = |row: &Coverage| {
        ["difference", "ratio", "odds-ratio"].iter().position(|name| *name == row.setting.quantity)
    };
    rows.sort_by_key(order);
    rows
}

type OfEffects = fn(&Effects) -> &[Interval];

fn at_size((base_n, test_n): (u64, u64), effort: &Effort) -> Vec<Coverage> {
    let tables: Vec<(u64, u64)> =
        (0..=base_n).flat_map(|k1| (0..=test_n).map(move |k2| (k1, k2))).collect();
    let of_tables: Vec<(u64, u64, Effects)> = tables
        .into_par_iter()
        .filter_map(|(k1, k2)| {
            let table = TwoByTwo::new(k1, base_n, k2, test_n).ok()?;
            let stratum = [Stratum::new("", k1, base_n, k2, test_n).ok()?];
            let mut of = effects(table, effort.level);
            of.ratio
                .intervals
                .extend(mantel_haenszel_ratio::contrast(&stratum, effort.level).intervals);
            Some((k1, k2, of))
        })
        .collect();
    let step = if effort.whole_grid { 1 } else { 2 };
    let grid: Vec<f64> = PROBABILITIES.into_iter().step_by(step).collect();
    let log_odds = (-SEARCHED..=SEARCHED).step_by(2 * step);
    let fine: Vec<f64> =
        log_odds.map(|tenths| 1.0 / (1.0 + (-0.1 * f64::from(tenths)).exp())).collect();
    let odds = |p: f64| p / (1.0 - p);
    let at = |(p1, of_base): &(f64, Vec<f64>), (p2, of_test): &(f64, Vec<f64>)| {
        let quantities: [(&'static str, f64, OfEffects); 3] = [
            ("difference", p2 - p1, |of| &of.difference.intervals),
            ("ratio", p2 / p1, |of| &of.ratio.intervals),
            ("odds-ratio", odds(*p2) / odds(*p1), |of| &of.odds_ratio.intervals),
        ];
        let rows = quantities.into_iter().flat_map(|(quantity, truth, intervals)| {
            let setting = Setting {
                family: Family::TwoProportions,
                quantity: quantity.into(),
                size: format!("n={base_n}+{test_n}"),
                truth: format!("p={p1:.4}, {p2:.4}"),
            };
            let data = of_tables
                .iter()
                .map(|(k1, k2, of)| (of_base[*k1 as usize] * of_test[*k2 as usize], intervals(of)));
            enumerate(&setting, truth, effort.level, data)
        });
        rows.collect::<Vec<Coverage>>()
    };
    let with_law = |n: u64, probabilities: &[f64]| -> Vec<(f64, Vec<f64>)> {
        let law = |p: f64| (0..=n).map(|k| pmf(k, n, Probability::new(p))).collect();
        probabilities.iter().map(|&p| (p, law(p))).collect()
    };
    let pairs = |probabilities: &[f64]| -> Vec<Coverage> {
        let (base, test) = (with_law(base_n, probabilities), with_law(test_n, probabilities));
        let of_base =
            |base: &(f64, Vec<f64>)| test.iter().flat_map(|test| at(base, test)).collect();
        base.par_iter().flat_map_iter(|base| -> Vec<Coverage> { of_base(base) }).collect()
    };
    let mut rows = pairs(&grid);
    rows.extend(searched(pairs(&fine)));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_odds_ratio_never_falls_below_the_level() {
        let rows = at_size((10, 10), &Effort::default());
        let least = |quantity: &str, method: &str| {
            rows.iter()
                .filter(|row| row.setting.quantity == quantity && row.method == method)
                .map(|row| row.coverage)
                .fold(f64::INFINITY, f64::min)
        };
        assert!(least("odds-ratio", "exact") >= 0.95 - 1e-12);
        for (quantity, method) in [
            ("difference", "newcombe"),
            ("difference", "miettinen-nurminen"),
            ("ratio", "koopman"),
            ("ratio", "miettinen-nurminen"),
        ] {
            let least = least(quantity, method);
            assert!(least > 0.8 && least < 0.95, "{method} {least}");
        }
    }
}
