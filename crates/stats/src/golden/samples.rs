//! Samples against laws without chance: the bootstrap's own, R's of U, and the dip's by R's
//! simulation.

use super::super::Alternative;
use super::super::samples::{
    MedianRatio, Resampling, dip, hodges_lehmann, mann_whitney, mean_ratio, sorted,
};
use super::{close, level, numbers, part};

#[test]
fn bootstrap_intervals_of_a_ratio_are_quantiles_of_all_resamples() {
    let resampling = Resampling { resamples: 20_000, seed: 7 };
    for case in part(include_str!("../../oracle/golden/bootstrap.json"), "cases", 40) {
        let (a, b) = (numbers(&case["a"]), numbers(&case["b"]));
        let found = MedianRatio::of(&a, &b, level(&case), resampling).unwrap();
        for (interval, method) in found.intervals.iter().zip(["percentile", "bca"]) {
            assert_eq!(interval.method, method);
            close(interval.low, case[method][0].as_f64(), 1e-12, &(method, &case));
            close(interval.high, case[method][1].as_f64(), 1e-12, &(method, &case));
        }
    }
}

#[test]
fn the_mean_ratio_s_interval_is_where_all_resamples_of_all_strata_put_it() {
    let resampling = Resampling { resamples: 50_000, seed: 11 };
    let mut to_a_value = 0;
    for case in part(include_str!("../../oracle/golden/mean_ratio.json"), "cases", 48) {
        let strata: Vec<[Vec<f64>; 2]> = case["strata"]
            .as_array()
            .unwrap()
            .iter()
            .map(|sides| [0, 1].map(|side| sorted("golden", &numbers(&sides[side])).unwrap()))
            .collect();
        let strata: Vec<[&[f64]; 2]> =
            strata.iter().map(|[base, test]| [base.as_slice(), test.as_slice()]).collect();
        let found = mean_ratio::of_sorted(&strata, level(&case), resampling).unwrap();
        close(found.estimate, case["estimate"].as_f64(), 1e-12, &case);
        for (bound, range) in [(found.low, &case["low"]), (found.high, &case["high"])] {
            let (bound, range) = (bound.unwrap(), numbers(range));
            let [least, most] = range[..] else { panic!("{case}") };
            let inside = least * (1.0 - 1e-12)..=most * (1.0 + 1e-12);
            assert!(inside.contains(&bound), "{bound} of {range:?} in {case}");
            to_a_value += u32::from(least == most);
        }
    }
    assert!(to_a_value >= 12, "{to_a_value}");
}

#[test]
fn shifts_with_ties_and_of_large_samples_are_those_of_r() {
    let mut normal = 0;
    for case in part(include_str!("../../oracle/golden/shift.json"), "cases", 70) {
        let (a, b) = (numbers(&case["a"]), numbers(&case["b"]));
        let found = hodges_lehmann::shift(&a, &b, level(&case)).unwrap();
        // Differences of rounded values: R's have the same rounding, but not its last digit.
        close(found.estimate, case["estimate"].as_f64(), 1e-9, &case);
        close(found.low, case["interval"][0].as_f64(), 1e-9, &case);
        close(found.high, case["interval"][1].as_f64(), 1e-9, &case);
        let Some(p) = case["p"].as_array() else { continue };
        for (alternative, p) in Alternative::ALL.into_iter().zip(p) {
            let (found, by) = mann_whitney::test(&a, &b, alternative).unwrap();
            // With few distinct values the permutation law is within reach; R's is not.
            if by == mann_whitney::PValueBy::Normal {
                close(found.statistic, case["u"].as_f64(), 1e-12, &case);
                close(found.p_value, p.as_f64(), 1e-9, &case);
                normal += 1;
            }
        }
    }
    assert!(normal >= 30, "{normal}");
}

#[test]
fn the_dips_p_value_is_that_of_r_s_simulation() {
    let resampling = Resampling { resamples: 1_000, seed: 5 };
    for case in part(include_str!("../../oracle/golden/dip.json"), "cases", 40) {
        let expected = case["p_value"].as_f64().unwrap();
        let x = match case["gap"].as_f64() {
            // Even steps with a gap amid them, not written out.
            Some(gap) => (1..=3000)
                .map(|i| f64::from(i) / 3000.0 + if i > 1500 { gap } else { 0.0 })
                .collect(),
            None => numbers(&case["x"]),
        };
        let dip::Dip { statistic, p_value: found } = dip::test(&x, resampling).unwrap();
        close(Some(statistic), case["dip"].as_f64(), 1e-9, &case);
        // Both are counts of simulated samples: five standard errors of each.
        let spread = |draws: f64| (expected * (1.0 - expected) / draws).sqrt() + 1.0 / draws;
        let error = 5.0 * (spread(1_000.0) + spread(case["draws"].as_f64().unwrap()));
        assert!((found - expected).abs() < error, "{found} {expected} of {}", case["n"]);
    }
}
