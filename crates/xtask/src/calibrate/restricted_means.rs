//! Intervals of restricted means and of their difference.
//!
//! Each is tried up to a time fixed in advance, and up to the last time followed, which is where
//! tables end it unless told otherwise. That end is chance, and the truth is the restricted mean up
//! to it.

use super::censoring::{CENSORINGS, Censoring};
use super::{Coverage, Effort, Family, Setting, simulate_together};
use stats::Interval;
use stats::survival::{KaplanMeier, restricted_mean, restricted_mean_difference};

/// The end that is fixed: 39 % of the trials have had the event by then, and no run is shorter.
const UNTIL: f64 = 0.5;

/// Rates of the test side; the base's is 1.
const RATES: [f64; 3] = [1.0, 0.3, 3.0];

/// Coverage of one side's mean and of the difference of two.
pub fn coverage(effort: &Effort) -> Vec<Coverage> {
    let sizes: &[usize] = if effort.whole_grid { &[5, 8, 10, 24, 50] } else { &[8, 24] };
    let pairs: &[(usize, usize)] = if effort.whole_grid {
        &[(5, 5), (8, 8), (10, 10), (24, 24), (24, 8), (50, 50)]
    } else {
        &[(8, 8), (24, 8)]
    };
    let mut rows = Vec::new();
    for (j, censoring) in CENSORINGS.into_iter().enumerate() {
        for (i, &n) in sizes.iter().enumerate() {
            rows.extend(one_side(n, censoring, effort, 6_000 + 10 * i + j));
        }
        for (i, &pair) in pairs.iter().enumerate() {
            for (k, rate) in RATES.into_iter().enumerate() {
                let number = 6_200 + 100 * i + 10 * k + j;
                rows.extend(difference(pair, rate, censoring, effort, number));
            }
        }
    }
    // Tables show a quantity at a time, by size.
    let place = |row: &Coverage| {
        let size = |text: &str| {
            let single = sizes.iter().position(|n| text == format!("n={n}"));
            single.or_else(|| pairs.iter().position(|(a, b)| text == format!("n={a}+{b}")))
        };
        (QUANTITIES.iter().position(|name| *name == row.setting.quantity), size(&row.setting.size))
    };
    rows.sort_by_key(place);
    rows
}

const QUANTITIES: [&str; 4] = [
    "restricted mean to a fixed time",
    "restricted mean to the last time",
    "difference to a fixed time",
    "difference to the last time",
];

fn setting(quantity: &str, size: String, truth: String) -> Setting {
    Setting { family: Family::RestrictedMeans, quantity: quantity.into(), size, truth }
}

/// E min(T, until) of an exponential time.
fn mean(rate: f64, until: f64) -> f64 {
    -(-rate * until).exp_m1() / rate
}

/// The interval around a truth that differs from data set to data set, moved to a truth of 0.
fn about(truth: f64, low: Option<f64>, high: Option<f64>, effort: &Effort) -> Vec<Interval> {
    let moved = |bound: Option<f64>| bound.map(|bound| bound - truth);
    let (low, high) = (moved(low), moved(high));
    vec![Interval { method: "greenwood", level: effort.level, low, high }]
}

fn one_side(n: usize, censoring: Censoring, effort: &Effort, number: usize) -> Vec<Coverage> {
    let quantities =
        [0, 1].map(|at| (setting(QUANTITIES[at], format!("n={n}"), censoring.name()), 0.0));
    simulate_together(&quantities, effort, number, |rng| {
        let curve = KaplanMeier::fit(&censoring.trials(n, 1.0, rng)).ok();
        let to = |until: f64| {
            let found = curve.as_ref().and_then(|c| restricted_mean(c, until, effort.level).ok());
            let (low, high) = found.map_or((None, None), |mean| (mean.low, mean.high));
            about(mean(1.0, until), low, high, effort)
        };
        vec![to(UNTIL), to(curve.as_ref().map_or(0.0, KaplanMeier::last_time))]
    })
}

fn difference(
    (base_n, test_n): (usize, usize),
    rate: f64,
    censoring: Censoring,
    effort: &Effort,
    number: usize,
) -> Vec<Coverage> {
    let quantities = [2, 3].map(|at| {
        let truth = format!("rates 1, {rate}, {}", censoring.name());
        (setting(QUANTITIES[at], format!("n={base_n}+{test_n}"), truth), 0.0)
    });
    simulate_together(&quantities, effort, number, |rng| {
        let base = KaplanMeier::fit(&censoring.trials(base_n, 1.0, rng)).ok();
        let test = KaplanMeier::fit(&censoring.trials(test_n, rate, rng)).ok();
        let both = base.as_ref().zip(test.as_ref());
        let to = |until: f64| {
            let found = both.and_then(|(base, test)| {
                restricted_mean_difference(base, test, until, effort.level).ok()
            });
            let (low, high) = found.map_or((None, None), |found| (found.low, found.high));
            about(mean(rate, until) - mean(1.0, until), low, high, effort)
        };
        // The shorter side's, as `stat survival` has it.
        let last = both.map_or(0.0, |(base, test)| base.last_time().min(test.last_time()));
        vec![to(UNTIL), to(last)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_is_the_area_under_the_curve() {
        for (rate, until) in [(1.0, 0.5), (0.3, 2.0), (3.0, 0.1)] {
            let steps = 100_000;
            let width = until / steps as f64;
            let at = |i: i32| (-rate * (f64::from(i) + 0.5) * width).exp() * width;
            let area: f64 = (0..steps).map(at).sum();
            assert!((mean(rate, until) - area).abs() < 1e-9, "{rate} {until}");
        }
    }

    #[test]
    fn a_large_sample_is_near_its_level_and_a_small_one_is_not() {
        let effort = Effort { data_sets: 2_000, ..Effort::default() };
        for row in one_side(200, Censoring::Fixed(0.3), &effort, 1) {
            assert!((row.coverage - 0.95).abs() < 5.0 * 0.005, "{row:?}");
        }
        let small = &one_side(5, Censoring::Fixed(0.3), &effort, 2)[0];
        assert!(small.coverage < 0.9, "{small:?}");
    }
}
