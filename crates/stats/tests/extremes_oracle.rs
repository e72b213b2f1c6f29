//! Edges that the random golden cases seldom meet, against R; see oracle/extremes.R.

use serde_json::Value;
use stallscope_stats::Level;
use stallscope_stats::samples::dip;
use stallscope_stats::samples::median::median_ranks;
use stallscope_stats::segmentation::segment;
use stallscope_stats::survival::*;

fn golden(part: &str) -> Vec<Value> {
    let golden: Value =
        serde_json::from_str(include_str!("../oracle/golden/extremes.json")).unwrap();
    golden[part].as_array().unwrap().clone()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn follow_ups(case: &Value) -> Vec<FollowUp> {
    let seen = numbers(&case["event"]).into_iter().map(|event| event == 1.0);
    let trials = numbers(&case["time"]).into_iter().zip(seen);
    trials.map(|(time, event)| FollowUp::new(time, event).unwrap()).collect()
}

#[test]
fn a_median_is_bounded_by_the_ranks_of_the_binomial_tail() {
    for case in golden("medians") {
        let n = case["n"].as_u64().unwrap() as usize;
        let level = Level::new(case["level"].as_f64().unwrap()).unwrap();
        let rank = case["rank"].as_u64().unwrap() as usize;
        let expected = (rank > 0).then(|| (rank, n + 1 - rank));
        assert_eq!(median_ranks(n, level), expected, "{case}");
    }
}

#[test]
fn dips_of_few_values_and_of_heaps_are_those_of_diptest() {
    for case in golden("dips") {
        let (found, expected) = (dip::statistic(&numbers(&case["x"])), case["dip"].as_f64());
        assert!((found - expected.unwrap()).abs() < 1e-12, "{found} in {case}");
    }
}

#[test]
fn curves_with_events_at_zero_at_one_time_or_nowhere_are_those_of_survfit() {
    for case in golden("curves") {
        let curve = KaplanMeier::fit(&follow_ups(&case)).unwrap();
        let found: Vec<f64> = curve.steps().iter().map(|step| step.time).collect();
        assert_eq!(found, numbers(&case["steps"]), "{case}");
        let at_risk: Vec<f64> = curve.steps().iter().map(|step| step.at_risk as f64).collect();
        assert_eq!(at_risk, numbers(&case["at_risk"]), "{case}");
        for (step, expected) in curve.steps().iter().zip(numbers(&case["survival"])) {
            assert!((step.survival - expected).abs() < 1e-12, "{step:?} in {case}");
        }
        let found = median(&curve, PointwiseMethod::LogLog, Level::P95).estimate;
        assert_eq!(found, case["median"].as_f64(), "{case}");
    }
}

#[test]
fn separated_tied_and_empty_sides_compare_as_survdiff_and_coxph_say() {
    for case in golden("sides") {
        let trials = follow_ups(&case);
        let first = numbers(&case["group"]).iter().filter(|g| **g == 1.0).count();
        let (base, test) = trials.split_at(first);
        let found = &rank_tests(&[base, test], &[RankWeight::LogRank]).unwrap()[0];
        let near = |found: Option<f64>, expected: Option<f64>, by: f64| match (found, expected) {
            (Some(found), Some(expected)) => {
                (found - expected).abs() <= by * (1.0 + expected.abs())
            }
            (found, expected) => found == expected,
        };
        let expected = case["chi_square"].as_f64();
        assert!(near(found.result.statistic, expected, 1e-9), "{found:?} in {case}");
        let ratio = hazard_ratio(base, test, Level::P95).unwrap();
        let finite = ratio.estimate.filter(|ratio| *ratio > 0.0).map(f64::ln);
        let expected = case["log_ratio"].as_f64();
        assert!(near(finite, expected, 1e-6), "{ratio:?} in {case}");
    }
}

#[test]
fn series_of_one_value_and_of_equal_values_have_no_change() {
    for n in [1, 2, 3, 50] {
        let found = segment(&vec![3.4; n], 0.1, 5.0).unwrap();
        assert_eq!((found.starts, found.objective), (vec![0], 0.0), "{n}");
    }
}
