//! The dip and the mixture against R's diptest and mclust; see oracle/bimodality.R.

use serde_json::Value;
use stallscope_stats::samples::mixture::{Mixture, MixtureFit};
use stallscope_stats::samples::{Resampling, dip};

fn cases() -> Vec<Value> {
    let golden: Value =
        serde_json::from_str(include_str!("../oracle/golden/bimodality.json")).unwrap();
    golden["cases"].as_array().unwrap().clone()
}

fn logs(case: &Value) -> Vec<f64> {
    case["logs"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

#[test]
fn the_dip_is_that_of_diptest() {
    for case in cases() {
        let found = dip::statistic(&logs(&case));
        let expected = case["dip"].as_f64().unwrap();
        assert!((found - expected).abs() < 1e-9 * expected, "{found} {expected} in {case}");
    }
}

#[test]
fn the_dips_p_value_is_near_diptests_table() {
    let resampling = Resampling { resamples: 1_000, seed: 1 };
    let mut compared = 0;
    for case in cases() {
        let Some(expected) = case["p_value"].as_f64() else { continue };
        let found = dip::test(&logs(&case), resampling).unwrap().p_value;
        // Five standard errors, and what the table loses between its sizes.
        let error = 5.0 * (expected * (1.0 - expected) / 1_000.0).sqrt() + 0.01;
        assert!((found - expected).abs() < error, "{found} {expected} in {case}");
        compared += 1;
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn one_component_is_that_of_mclust() {
    for case in cases() {
        let Some(expected) = case["one"]["bic"].as_f64() else { continue };
        let values: Vec<f64> = logs(&case).iter().map(|y| y.exp()).collect();
        let found = Mixture::fit(&values, 1).unwrap().one.bic;
        assert!((found - expected).abs() < 1e-6 * expected.abs(), "{found} {expected}");
    }
}

/// Whether the guards allow the fit that mclust came to, and it is one of two modes: components
/// within one another are not looked for.
fn allowed(expected: &Value, n: usize, equal: bool) -> bool {
    let sigma: Vec<f64> =
        expected["sigma"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    let weight: Vec<f64> =
        expected["weight"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    let ratio = sigma[0].min(sigma[1]) / sigma[0].max(sigma[1]);
    let held = weight[0].min(weight[1]) * n as f64;
    let mu: Vec<f64> =
        expected["mu"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    let apart = (mu[1] - mu[0]).abs() > 2.0 * sigma[0].max(sigma[1]);
    apart && ratio > 0.055 && held > if equal { 0.6 } else { 3.1 }
}

#[test]
fn two_components_are_at_least_as_likely_as_mclusts() {
    let (mut compared, mut equalled) = (0, 0);
    for case in cases() {
        let y = logs(&case);
        let values: Vec<f64> = y.iter().map(|y| y.exp()).collect();
        for (model, equal) in [("equal", true), ("unequal", false)] {
            let expected = &case[model];
            let (Some(likelihood), true) = (
                expected["log_likelihood"].as_f64(),
                expected.is_object() && allowed(expected, y.len(), equal),
            ) else {
                continue;
            };
            let fit = Mixture::fit(&values, 1).unwrap();
            let found = if equal { fit.two_equal } else { fit.two_unequal };
            let found: MixtureFit = found.unwrap_or_else(|| panic!("no {model} fit of {case}"));
            // EM stops where a step gains nothing; the rest is a few 1e-6 of the value.
            assert!(
                found.log_likelihood > likelihood - 1e-5 * likelihood.abs().max(1.0),
                "{model}: {} {likelihood} in {case}",
                found.log_likelihood
            );
            compared += 1;
            if (found.log_likelihood - likelihood).abs() < 1e-6 * likelihood.abs() {
                equalled += 1;
                let bic = expected["bic"].as_f64().unwrap();
                assert!((found.bic - bic).abs() < 2e-6 * bic.abs().max(1.0), "{} {bic}", found.bic);
            }
        }
    }
    assert!(compared > 120 && equalled * 3 > compared, "{equalled} of {compared}");
}
