//! `stat samples` against scipy, R's wilcox.test and coin; see oracle/samples.py and oracle/samples.R.

use serde_json::Value;
use stallscope_analysis::stat::samples::bootstrap::{Replicates, acceleration};
use stallscope_analysis::stat::samples::median::median_of_sorted;
use stallscope_analysis::stat::samples::{brunner_munzel, hodges_lehmann, mann_whitney, sorted};
use stallscope_analysis::stat::{Alternative, Level};

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

#[test]
fn mann_whitney_is_scipys_where_there_are_no_ties() {
    let mut compared = 0;
    for case in golden("cases") {
        let expected = &case["scipy"]["mann_whitney"];
        if expected.is_null() {
            continue;
        }
        for (side, alternative) in SIDES {
            let (found, _) =
                mann_whitney::test(&numbers(&case["a"]), &numbers(&case["b"]), alternative)
                    .unwrap();
            same(found.statistic, &expected["u"], "U", &case);
            same(found.p_value, &expected[side], side, &case);
        }
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn mann_whitney_is_coins_where_there_are_ties() {
    let mut compared = 0;
    for case in golden("cases") {
        let expected = &case["r"]["permutation"];
        if expected.is_null() {
            continue;
        }
        for (side, alternative) in SIDES {
            let (found, _) =
                mann_whitney::test(&numbers(&case["a"]), &numbers(&case["b"]), alternative)
                    .unwrap();
            same(found.p_value, &expected[side], side, &case);
        }
        compared += 1;
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn brunner_munzel_is_scipys() {
    let mut compared = 0;
    for case in golden("cases") {
        let expected = &case["scipy"]["brunner_munzel"];
        if expected.is_null() {
            continue;
        }
        for (side, alternative) in SIDES {
            let found =
                brunner_munzel::test(&numbers(&case["a"]), &numbers(&case["b"]), alternative)
                    .unwrap();
            same(found.statistic, &expected["w"], "W", &case);
            same(found.p_value, &expected[side], side, &case);
        }
        compared += 1;
    }
    assert!(compared > 200, "{compared}");
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
