//! Strata against statsmodels, metafor, rational and multiple-precision arithmetic, and R.

use serde_json::Value;

use super::super::proportion::two_sided_z;
use super::super::strata::{
    StrataSummary, Stratum, cochran_mantel_haenszel, mantel_fleiss, mantel_haenszel_difference,
    mantel_haenszel_ratio, summarize,
};
use super::super::two_by_two::{TwoByTwo, koopman};
use super::super::{Level, TestResult};
use super::{cases, close, count, level, part, rows};

fn test<'a>(summary: &'a StrataSummary, method: &str) -> &'a TestResult {
    summary.tests.iter().find(|test| test.method == method).unwrap()
}

#[test]
fn pooled_estimates_and_tests_agree_with_statsmodels_and_rational_arithmetic() {
    let mut tarone = 0;
    for case in cases(include_str!("../../oracle/golden/strata.json")) {
        let summary = summarize(&strata(&case), level(&case)).unwrap();
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
    for row in rows(include_str!("../../oracle/golden/reference_strata.csv")) {
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

/// The strata of a golden case: rows of base_k, base_n, test_k, test_n.
fn strata(case: &Value) -> Vec<Stratum> {
    let rows = case["strata"].as_array().unwrap().iter();
    rows.map(|row| {
        let at = |i: usize| count(&row[i]);
        Stratum::new("s", at(0), at(1), at(2), at(3)).unwrap()
    })
    .collect()
}

#[test]
fn contrasts_tests_and_sato_s_variance_agree_with_metafor() {
    let (mut ratios, mut variances, mut tarone) = (0, 0, 0);
    for case in cases(include_str!("../../oracle/golden/strata_metafor.json")) {
        let (strata, level) = (strata(&case), level(&case));
        let summary = summarize(&strata, level).unwrap();
        close(summary.difference.estimate, case["difference"][0].as_f64(), 1e-9, &case);
        let (d, interval) =
            (summary.difference.estimate.unwrap(), &summary.difference.intervals[0]);
        if let (Some(low), Some(high)) = (interval.low, interval.high) {
            // The bounds are the roots of (d − δ)² = z² V(δ): their distances multiply to z² V(d).
            let z = two_sided_z(level);
            let variance = (high - d) * (d - low) / (z * z);
            if low > -1.0 && high < 1.0 && case["difference"][1].is_number() {
                close(Some(variance.sqrt()), case["difference"][1].as_f64(), 1e-9, &case);
                variances += 1;
            }
        }
        // Of 0 and infinity metafor takes no logarithm.
        if let Some(expected) = case["ratio"].as_f64() {
            let found = mantel_haenszel_ratio::contrast(&strata, level);
            close(found.estimate, Some(expected), 1e-9, &case);
            let interval = &found.intervals[0];
            assert!(interval.low.is_none_or(|low| low <= expected), "{interval:?} {case}");
            assert!(interval.high.is_none_or(|high| high >= expected), "{interval:?} {case}");
            ratios += 1;
        }
        let odds = &summary.odds_ratio;
        if let Some(expected) = case["odds"][0].as_f64() {
            close(odds.estimate, Some(expected), 1e-9, &case);
            close(odds.intervals[0].low, case["odds"][1].as_f64(), 1e-9, &case);
            close(odds.intervals[0].high, case["odds"][2].as_f64(), 1e-9, &case);
        } else {
            assert!(odds.estimate.is_none_or(|x| x == 0.0), "{odds:?} {case}");
        }
        let cmh = test(&summary, "cmh");
        close(cmh.statistic, case["cmh"][0].as_f64(), 1e-9, &case);
        close(cmh.p_value, case["cmh"][1].as_f64(), 1e-9, &case);
        if case["tarone"][1].is_number() {
            let found = test(&summary, "breslow-day-tarone");
            close(found.statistic, case["tarone"][0].as_f64(), 1e-8, &case);
            close(found.p_value, case["tarone"][1].as_f64(), 1e-8, &case);
            tarone += 1;
        }
    }
    assert!(ratios > 90 && variances > 80 && tarone > 50, "{ratios} {variances} {tarone}");
}

#[test]
fn score_intervals_and_room_agree_with_a_second_derivation() {
    let golden = include_str!("../../oracle/golden/strata_score.json");
    let mut koopmans = 0;
    for case in part(golden, "cases", 110) {
        let (strata, level) = (strata(&case), level(&case));
        let contrasts = [
            ("ratio", mantel_haenszel_ratio::contrast(&strata, level)),
            ("difference", mantel_haenszel_difference::contrast(&strata, level)),
        ];
        for (what, found) in &contrasts {
            close(found.estimate, case[what].as_f64(), 1e-9, &(what, &case));
            let bounds = &case[format!("{what}_interval")];
            close(found.intervals[0].low, bounds[0].as_f64(), 1e-9, &(what, &case));
            close(found.intervals[0].high, bounds[1].as_f64(), 1e-9, &(what, &case));
        }
        close(Some(mantel_fleiss::room(&strata)), case["room"].as_f64(), 1e-9, &case);
        if let ([row], Some(expected)) =
            (&case["strata"].as_array().unwrap()[..], case["koopman"][1].as_f64())
        {
            let [k1, n1, k2, n2] = [0, 1, 2, 3].map(|i| count(&row[i]));
            let found = koopman::interval(TwoByTwo::new(k1, n1, k2, n2).unwrap(), level);
            close(found.high, Some(expected), 1e-9, &case);
            close(found.low, case["koopman"][0].as_f64(), 1e-9, &case);
            koopmans += 1;
        }
    }
    assert!(koopmans > 10, "{koopmans}");
}

#[test]
fn the_common_ratio_s_interval_and_its_score_at_1_are_ratesci_s() {
    // ratesci cuts probabilities off at 1e-8 from 0 and 1, which a far bound of sparse strata feels as
    // 5e-6.
    let tolerance = 1e-5;
    let golden = include_str!("../../oracle/golden/strata_ratio.json");
    for case in part(golden, "cases", 110) {
        let (strata, level) = (strata(&case), level(&case));
        let found = mantel_haenszel_ratio::contrast(&strata, level);
        assert_eq!(found.intervals[0].method, "miettinen-nurminen");
        close(found.intervals[0].low, case["interval"][0].as_f64(), tolerance, &(&found, &case));
        close(found.intervals[0].high, case["interval"][1].as_f64(), tolerance, &(&found, &case));
        // At a ratio of 1 the score is the CMH test's. Where all trials of a stratum have events
        // there is no test, and ratesci's score is 0.
        let cmh = cochran_mantel_haenszel::test(&strata).statistic;
        close(
            cmh.or(Some(0.0)),
            case["score"].as_f64().map(|score| score * score),
            tolerance,
            &case,
        );
    }
}
