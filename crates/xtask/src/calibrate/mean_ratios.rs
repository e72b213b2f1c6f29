//! The interval of the mean ratio of medians over strata, what a comparison tells cost and drift by.

use super::medians::{LAWS, Law};
use super::{Coverage, Effort, Family, Setting, simulate};
use rand::RngExt;
use stats::samples::{Resampling, mean_ratio, sorted};
use stats::{Estimate, Interval};

/// Strata, values of the base, values of the test.
type Design = (usize, usize, usize);

/// Coverage of the geometric mean over strata whose ratios are all 1.
pub fn coverage(effort: &Effort) -> Vec<Coverage> {
    let designs: &[Design] = if effort.whole_grid {
        &[
            (2, 3, 3),
            (2, 5, 5),
            (2, 10, 10),
            (2, 24, 24),
            (2, 24, 8),
            (6, 3, 3),
            (6, 5, 5),
            (6, 10, 10),
        ]
    } else {
        &[(2, 5, 5), (6, 10, 10)]
    };
    let mut rows = Vec::new();
    for (i, &design) in designs.iter().enumerate() {
        for (j, law) in LAWS.into_iter().enumerate() {
            rows.extend(of(design, law, effort, 9_000 + 10 * i + j));
        }
    }
    rows
}

fn of((strata, base_n, test_n): Design, law: Law, effort: &Effort, number: usize) -> Vec<Coverage> {
    let setting = Setting {
        family: Family::MeanRatios,
        quantity: "mean ratio of medians".into(),
        size: format!("{strata} strata of {base_n}+{test_n}"),
        truth: law.name(),
    };
    simulate(&setting, 1.0, effort, number, |rng| {
        let drawn: Vec<[Vec<f64>; 2]> = (0..strata)
            .map(|_| [law.sample(base_n, rng), law.sample(test_n, rng)])
            .filter_map(|[base, test]| {
                Some([sorted("base", &base).ok()?, sorted("test", &test).ok()?])
            })
            .collect();
        let sides: Vec<[&[f64]; 2]> =
            drawn.iter().map(|[base, test]| [base.as_slice(), test.as_slice()]).collect();
        let resampling = Resampling { resamples: effort.resamples, seed: rng.random() };
        let found = mean_ratio::of_sorted(&sides, effort.level, resampling);
        let Estimate { low, high, .. } = found.unwrap_or_default();
        vec![Interval { method: "percentile", level: effort.level, low, high }]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_near_its_level_from_five_values_a_side_on() {
        let effort = Effort { data_sets: 600, ..Effort::default() };
        let row = &of((2, 10, 10), Law::LogNormal(1.0), &effort, 1)[0];
        assert!((row.coverage - 0.95).abs() < 0.015 + 4.0 * 0.009, "{row:?}");
    }
}
