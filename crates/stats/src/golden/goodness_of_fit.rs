//! The deviance of a logistic curve against statsmodels' GLM, its p-value against a bootstrap by numpy.

use super::super::threshold::{ThreadsTried, goodness_of_fit};
use super::{close, count, part};

#[test]
fn agrees_with_statsmodels() {
    for case in part(include_str!("../../oracle/golden/goodness_of_fit.json"), "cases", 9) {
        let counts =
            |name: &str| -> Vec<u64> { case[name].as_array().unwrap().iter().map(count).collect() };
        let rows: Vec<ThreadsTried> = counts("threads")
            .into_iter()
            .zip(counts("n").into_iter().zip(counts("k")))
            .map(|(threads, (n, k))| ThreadsTried { threads, n, k })
            .collect();
        let found = goodness_of_fit::test(&rows).unwrap();
        close(found.statistic, case["deviance"].as_f64(), 1e-6, &case);
        // Both are simulated: 400 draws there, at least 100 as large or 1,999 here.
        let (p, expected) = (found.p_value.unwrap(), case["p_bootstrap"].as_f64().unwrap());
        assert!((p - expected).abs() < 0.11, "{p}: {case}");
    }
}
