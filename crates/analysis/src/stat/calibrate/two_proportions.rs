//! Intervals of two proportions, by enumeration of all tables.

use rayon::prelude::*;

use super::super::Interval;
use super::super::binomial::{Probability, pmf};
use super::super::two_by_two::{Effects, TwoByTwo, effects};
use super::{Coverage, Effort, Family, Setting, enumerate};

/// Probabilities of the base and of the test. The odd decimals keep clear of where bounds lie.
const PROBABILITIES: [f64; 8] = [0.0203, 0.0507, 0.1013, 0.2011, 0.3517, 0.5021, 0.7019, 0.9007];

/// Coverage of the difference's, the ratio's and the odds ratio's intervals at all pairs of
/// probabilities.
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
            Some((k1, k2, effects(table, effort.level)))
        })
        .collect();
    let step = if effort.whole_grid { 1 } else { 2 };
    let probabilities: Vec<f64> = PROBABILITIES.into_iter().step_by(step).collect();
    let pairs: Vec<(f64, f64)> = probabilities
        .iter()
        .flat_map(|&p1| probabilities.iter().map(move |&p2| (p1, p2)))
        .collect();
    let odds = |p: f64| p / (1.0 - p);
    pairs
        .into_par_iter()
        .flat_map_iter(|(p1, p2)| {
            let quantities: [(&'static str, f64, OfEffects); 3] = [
                ("difference", p2 - p1, |of| &of.difference.intervals),
                ("ratio", p2 / p1, |of| &of.ratio.intervals),
                ("odds-ratio", odds(p2) / odds(p1), |of| &of.odds_ratio.intervals),
            ];
            let of_tables = &of_tables;
            quantities.into_iter().flat_map(move |(quantity, truth, intervals)| {
                let setting = Setting {
                    family: Family::TwoProportions,
                    quantity: quantity.into(),
                    size: format!("n={base_n}+{test_n}"),
                    truth: format!("p={p1}, {p2}"),
                };
                let data = of_tables.iter().map(|(k1, k2, of)| {
                    let probability = pmf(*k1, base_n, Probability::new(p1))
                        * pmf(*k2, test_n, Probability::new(p2));
                    (probability, intervals(of))
                });
                enumerate(&setting, truth, effort.level, data)
            })
        })
        .collect()
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
        for (quantity, method) in
            [("difference", "newcombe"), ("difference", "miettinen-nurminen"), ("ratio", "koopman")]
        {
            let least = least(quantity, method);
            assert!(least > 0.85 && least < 1.0, "{method} {least}");
        }
    }
}
