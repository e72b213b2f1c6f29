//! `stat threshold` against brglm2, isoreg and a separate computation of the profile intervals; see
//! oracle/threshold.py and oracle/threshold.R.

use std::sync::LazyLock;

use serde_json::Value;
use stallscope_stats::Level;
use stallscope_stats::threshold::{ThreadsTried, Threshold, threshold};

/// Each case with its fit.
fn cases() -> &'static [(Value, Threshold)] {
    static CASES: LazyLock<Vec<(Value, Threshold)>> = LazyLock::new(|| {
        let golden: Value =
            serde_json::from_str(include_str!("../oracle/golden/threshold.json")).unwrap();
        let cases = golden["cases"].as_array().unwrap();
        cases.iter().map(|case| (case.clone(), fit(case))).collect()
    });
    &CASES
}

fn whole(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|x| x.as_u64().unwrap()).collect()
}

fn fit(case: &Value) -> Threshold {
    // The rows as they were given, where thread counts come in several; else one a thread count.
    let rows: Vec<ThreadsTried> = match case["rows"].as_array() {
        Some(rows) => rows
            .iter()
            .map(|row| match whole(row)[..] {
                [threads, n, k] => ThreadsTried { threads, n, k },
                _ => panic!("{row}"),
            })
            .collect(),
        None => whole(&case["threads"])
            .into_iter()
            .zip(whole(&case["n"]).into_iter().zip(whole(&case["k"])))
            .map(|(threads, (n, k))| ThreadsTried { threads, n, k })
            .collect(),
    };
    threshold(&rows, Level::new(case["level"].as_f64().unwrap()).unwrap()).unwrap()
}

/// Both iterate: 1e-6 of the value, or of 1 near zero.
fn near(found: f64, expected: f64, what: &str, case: &Value) {
    assert!(
        (found - expected).abs() <= 1e-6 * expected.abs().max(1.0),
        "{what}: {found} where {expected} is expected, in {case}"
    );
}

fn bound_near(found: Option<f64>, expected: &Value, what: &str, case: &Value) {
    match (found, expected.as_f64()) {
        (Some(found), Some(expected)) => {
            assert!(
                (found - expected).abs() <= 1e-6 * expected.abs(),
                "{what}: {found} where {expected} is expected, in {case}"
            );
        }
        (None, None) => {}
        (found, expected) => panic!("{what}: {found:?} where {expected:?} is expected, in {case}"),
    }
}

#[test]
fn coefficients_are_those_of_brglm2_or_more_likely() {
    let (mut same, mut short) = (0, 0);
    for (case, found) in cases() {
        let found = &found.fit;
        let highest = &case["highest"];
        near(found.penalised_log_likelihood, highest["value"].as_f64().unwrap(), "value", case);
        near(found.intercept, highest["intercept"].as_f64().unwrap(), "intercept", case);
        near(found.slope, highest["slope"].as_f64().unwrap(), "slope", case);
        // brglm2 climbs from one place: it may end on a lower maximum, and where the top is flat it
        // may end short of it, which its own value tells.
        let of_r = |key: &str| case["fit"][key].as_f64().unwrap();
        let short_by =
            found.penalised_log_likelihood - highest["value_of_brglm2"].as_f64().unwrap();
        if short_by < 1e-12 {
            near(found.intercept, of_r("intercept"), "intercept", case);
            near(found.slope, of_r("slope"), "slope", case);
            same += 1;
        } else if short_by < 1e-7 {
            let apart = (found.slope - of_r("slope")).abs() / found.slope.abs().max(1.0);
            assert!(apart < 1e-4, "slope: {} where brglm2 is near the top, in {case}", found.slope);
            short += 1;
        } else {
            assert!(found.several_maxima, "{case}");
        }
    }
    assert!(same > 200, "brglm2 ends on the highest maximum in {same} of {}", cases().len());
    assert!(short <= 1, "brglm2 stops short of the top in {short} of {}", cases().len());
}

#[test]
fn isotonic_steps_are_those_of_isoreg() {
    for (case, found) in cases() {
        let expected = case["fit"]["isotonic"].as_array().unwrap();
        assert_eq!(found.isotonic.len(), expected.len());
        for (step, p) in found.isotonic.iter().zip(expected) {
            assert!((step.p - p.as_f64().unwrap()).abs() < 1e-12, "{case}");
        }
    }
}

#[test]
fn profile_intervals_of_the_coefficients_agree() {
    for (case, found) in cases() {
        let profile = &case["profile"];
        for (what, interval) in
            [("slope", &found.fit.slope_interval), ("intercept", &found.fit.intercept_interval)]
        {
            near(interval.low.unwrap(), profile[what][0].as_f64().unwrap(), what, case);
            near(interval.high.unwrap(), profile[what][1].as_f64().unwrap(), what, case);
        }
    }
}

#[test]
fn thresholds_and_their_intervals_agree() {
    let mut compared = 0;
    for (case, found) in cases() {
        for (what, t) in [("t10", found.t10), ("t50", found.t50), ("t90", found.t90)] {
            let expected = &case["profile"][what];
            if expected.is_null() {
                assert_eq!(t.estimate, None, "{what} in {case}");
                continue;
            }
            bound_near(t.estimate, &expected[0], what, case);
            bound_near(t.low, &expected[1], what, case);
            bound_near(t.high, &expected[2], what, case);
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared}");
}
