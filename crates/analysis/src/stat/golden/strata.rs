//! Strata against statsmodels, rational arithmetic and R.

use super::super::strata::{StrataSummary, Stratum, summarize};
use super::super::{Level, TestResult};
use super::{cases, close, count, rows};

fn test<'a>(summary: &'a StrataSummary, method: &str) -> &'a TestResult {
    summary.tests.iter().find(|test| test.method == method).unwrap()
}

#[test]
fn pooled_estimates_and_tests_agree_with_statsmodels_and_rational_arithmetic() {
    let mut tarone = 0;
    for case in cases(include_str!("../../../oracle/golden/strata.json")) {
        let strata: Vec<Stratum> = case["strata"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| {
                let at = |i: usize| count(&row[i]);
                Stratum::new("s", at(0), at(1), at(2), at(3)).unwrap()
            })
            .collect();
        let level = Level::new(case["level"].as_f64().unwrap()).unwrap();
        let summary = summarize(&strata, level).unwrap();
        close(summary.difference.estimate, case["difference"].as_f64(), 1e-9, &case);
        let interval = &summary.difference.intervals[0];
        close(interval.low, case["difference_interval"][0].as_f64(), 1e-9, &case);
        close(interval.high, case["difference_interval"][1].as_f64(), 1e-9, &case);
        if let Some(expected) = case.get("exact-strata") {
            close(test(&summary, "exact-strata").p_value, expected.as_f64(), 1e-9, &case);
        }
        let cmh = test(&summary, "cmh");
        close(cmh.statistic, case["cmh"][0].as_f64(), 1e-9, &case);
        close(cmh.p_value, case["cmh"][1].as_f64(), 1e-9, &case);
        close(summary.odds_ratio.estimate, case["odds_ratio"].as_f64(), 1e-9, &case);
        let interval = &summary.odds_ratio.intervals[0];
        close(interval.low, case["odds_ratio_interval"][0].as_f64(), 1e-9, &case);
        close(interval.high, case["odds_ratio_interval"][1].as_f64(), 1e-9, &case);
        if let Some(expected) = case.get("breslow-day-tarone") {
            let found = test(&summary, "breslow-day-tarone");
            tarone += usize::from(found.p_value.is_some());
            close(found.statistic, expected[0].as_f64(), 1e-9, &(found, &case));
            close(found.p_value, expected[1].as_f64(), 1e-9, &(found, &case));
        }
    }
    assert!(tarone > 50);
}

#[test]
fn agrees_with_r_mantelhaen_test() {
    for row in rows(include_str!("../../../oracle/golden/reference_strata.csv")) {
        let strata: Vec<Stratum> = row[0]
            .split(';')
            .map(|stratum| {
                let n: Vec<u64> = stratum.split(' ').map(|cell| cell.parse().unwrap()).collect();
                Stratum::new("s", n[0], n[1], n[2], n[3]).unwrap()
            })
            .collect();
        let summary = summarize(&strata, Level::P95).unwrap();
        let number = |i: usize| row[i].parse::<f64>().ok().filter(|x: &f64| x.is_finite());
        close(test(&summary, "cmh").statistic, number(1), 1e-9, &row);
        close(test(&summary, "cmh").p_value, number(2), 1e-9, &row);
        close(summary.odds_ratio.estimate, number(3), 1e-9, &row);
        if summary.odds_ratio.intervals[0].low.is_some() {
            close(summary.odds_ratio.intervals[0].low, number(4), 1e-9, &row);
            close(summary.odds_ratio.intervals[0].high, number(5), 1e-9, &row);
        }
        close(test(&summary, "exact-strata").p_value, number(6), 1e-9, &row);
    }
}
