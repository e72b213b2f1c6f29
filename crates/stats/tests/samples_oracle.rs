//! `stat samples` against scipy, R's wilcox.test and coin; see oracle/samples.py and oracle/samples.R.

use serde_json::Value;
use stallscope_stats::samples::bootstrap::{Replicates, acceleration};
use stallscope_stats::samples::median::median_of_sorted;
use stallscope_stats::samples::{brunner_munzel, hodges_lehmann, mann_whitney, sorted};
use stallscope_stats::{Alternative, Level, TestResult};

fn golden(part: &str) -> Vec<Value> {
    let golden: Value =
        serde_json::from_str(include_str!("../oracle/golden/samples.json")).unwrap();
    golden[part].as_array().unwrap().clone()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn level(case: &Value) -> Level {
    Level::new(case["level"].as_f64().unwrap()).unwrap()
}

/// 1e-9 of the value; what does not exist there does not exist here.
fn same(found: Option<f64>, expected: &Value, what: &str, case: &Value) {
    match (found, expected.as_f64()) {
        (Some(found), Some(expected)) => assert!(
            (found - expected).abs() <= 1e-9 * expected.abs() + 1e-14,
            "{what}: {found} where {expected} is expected, in {case}"
        ),
        (None, None) => {}
        (found, expected) => panic!("{what}: {found:?} where {expected:?} is expected, in {case}"),
    }
}

const SIDES: [(&str, Alternative); 3] = [
    ("two_sided", Alternative::TwoSided),
    ("less", Alternative::Less),
    ("greater", Alternative::Greater),
];

/// Holds a test against what another program found, side by side, in each case that it has: how
/// many cases it had. `statistic` is the statistic's name there, where it is told.
fn compared(
    program: &str,
    name: &str,
    statistic: Option<&str>,
    test: impl Fn(&[f64], &[f64], Alternative) -> TestResult,
) -> usize {
    let mut count = 0;
    for case in golden("cases") {
        let expected = &case[program][name];
        if expected.is_null() {
            continue;
        }
        for (side, alternative) in SIDES {
            let found = test(&numbers(&case["a"]), &numbers(&case["b"]), alternative);
            if let Some(key) = statistic {
                same(found.statistic, &expected[key], key, &case);
            }
            same(found.p_value, &expected[side], side, &case);
        }
        count += 1;
    }
    count
}

fn mann_whitney(a: &[f64], b: &[f64], alternative: Alternative) -> TestResult {
    mann_whitney::test(a, b, alternative).unwrap().0
}

#[test]
fn mann_whitney_is_scipys_where_there_are_no_ties() {
    let cases = compared("scipy", "mann_whitney", Some("u"), mann_whitney);
    assert!(cases > 100, "{cases}");
}

#[test]
fn mann_whitney_is_coins_where_there_are_ties() {
    let cases = compared("r", "permutation", None, mann_whitney);
    assert!(cases > 200, "{cases}");
}

#[test]
fn brunner_munzel_is_scipys() {
    let cases = compared("scipy", "brunner_munzel", Some("w"), |a, b, alternative| {
        brunner_munzel::test(a, b, alternative).unwrap()
    });
    assert!(cases > 200, "{cases}");
}

#[test]
fn hodges_lehmann_is_that_of_r() {
    let mut intervals = 0;
    for case in golden("cases") {
        let found = hodges_lehmann::shift(&numbers(&case["a"]), &numbers(&case["b"]), level(&case))
            .unwrap();
        same(found.estimate, &case["r"]["hodges_lehmann"], "estimate", &case);
        if let Some(interval) = case["r"]["interval"].as_array() {
            same(found.low, &interval[0], "low", &case);
            same(found.high, &interval[1], "high", &case);
            intervals += 1;
        }
    }
    assert!(intervals > 100, "{intervals}");
}

#[test]
fn bootstrap_intervals_are_scipys_on_the_same_replicates() {
    for case in golden("bca") {
        let (a, b) = (
            sorted("a", &numbers(&case["a"])).unwrap(),
            sorted("b", &numbers(&case["b"])).unwrap(),
        );
        let estimate = median_of_sorted(&a) / median_of_sorted(&b);
        // Reading JSON may move a number by its last digit, and so off the estimate that it equals.
        let read = |x: f64| if (x / estimate - 1.0).abs() < 1e-14 { estimate } else { x };
        let replicates =
            Replicates::new(numbers(&case["replicates"]).into_iter().map(read).collect());
        let percentile = replicates.percentile(level(&case));
        same(percentile.low, &case["percentile"][0], "percentile low", &case);
        same(percentile.high, &case["percentile"][1], "percentile high", &case);

        let without = |sample: &[f64], i: usize| {
            let mut rest = sample.to_vec();
            rest.remove(i);
            median_of_sorted(&rest)
        };
        let leave_one_out = [
            (0..a.len()).map(|i| without(&a, i) / median_of_sorted(&b)).collect(),
            (0..b.len()).map(|i| median_of_sorted(&a) / without(&b, i)).collect(),
        ];
        let a_hat = acceleration(&leave_one_out);
        same(Some(a_hat).filter(|x| x.is_finite()), &case["acceleration"], "acceleration", &case);
        let bca = replicates.bca(estimate, a_hat, level(&case));
        same(bca.low, &case["bca"][0], "bca low", &case);
        same(bca.high, &case["bca"][1], "bca high", &case);
    }
}
