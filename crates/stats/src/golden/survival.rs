//! Survival contrasts, quantiles and tests against R's survival package, and the beta product
//! against a second derivation.

use serde_json::Value;

use super::super::survival::*;
use super::{close, level, numbers, part};

const CONTRASTS: &str = include_str!("../../oracle/golden/survival_contrasts.json");
const HOMOGENEITY: &str = include_str!("../../oracle/golden/survival_homogeneity.json");

fn trials(of: &Value) -> Vec<FollowUp> {
    let seen = numbers(&of["event"]).into_iter().map(|event| event == 1.0);
    let trials = numbers(&of["time"]).into_iter().zip(seen);
    trials.map(|(time, event)| FollowUp::new(time, event).unwrap()).collect()
}

/// Base and test of each stratum of a case.
fn both_sides(case: &Value) -> Vec<[Vec<FollowUp>; 2]> {
    let strata = case["strata"].as_array().unwrap().iter();
    strata.map(|stratum| [trials(&stratum["base"]), trials(&stratum["test"])]).collect()
}

#[test]
fn homogeneity_of_hazard_ratios_is_that_of_anova_coxph() {
    let (mut tested, mut by_anova) = (0, 0);
    for case in part(HOMOGENEITY, "cases", 100) {
        let sides = both_sides(&case);
        let strata: Vec<(&[FollowUp], &[FollowUp])> =
            sides.iter().map(|[base, test]| (&base[..], &test[..])).collect();
        let Ok(found) = hazard_homogeneity(&strata) else {
            assert!(sides.iter().all(|side| side.iter().any(Vec::is_empty)), "{case}");
            continue;
        };
        assert_eq!(found.degrees_of_freedom, case["df"].as_u64(), "{case}");
        // Where a ratio has no end, coxph stops a little below the supremum.
        if let Some(expected) = case["statistic"].as_f64() {
            let statistic = found.test.statistic.unwrap();
            assert!((statistic - expected).abs() < 1e-7, "{statistic} {case}");
            let p = found.test.p_value.unwrap();
            assert!((p - case["p_value"].as_f64().unwrap()).abs() < 1e-6, "{p} {case}");
            tested += 1;
        }
        if let Some(anova) = case["anova"].as_array() {
            close(found.test.statistic, anova[0].as_f64(), 1e-6, &case);
            close(found.test.p_value, anova[2].as_f64(), 1e-6, &case);
            by_anova += 1;
        }
    }
    assert!(tested > 60 && by_anova > 25, "{tested} {by_anova}");
}

#[test]
fn stratified_contrasts_are_those_of_survdiff_and_coxph() {
    let mut kinds = std::collections::BTreeMap::new();
    for case in part(CONTRASTS, "stratified", 100) {
        let sides = both_sides(&case);
        let strata: Vec<(&[FollowUp], &[FollowUp])> =
            sides.iter().map(|[base, test]| (&base[..], &test[..])).collect();
        let log_rank = stratified_log_rank(&strata).unwrap();
        close(log_rank.statistic, case["log_rank"][0].as_f64(), 1e-9, &case);
        close(log_rank.p_value, case["log_rank"][1].as_f64(), 1e-9, &case);

        let found = stratified_hazard_ratio(&strata, level(&case)).unwrap();
        if let [(base, test)] = strata[..] {
            assert_eq!(found, hazard_ratio(base, test, level(&case)).unwrap(), "{case}");
        }
        let kind = case["kind"].as_str().unwrap().to_owned();
        let (profile, wald) = (&found.intervals[0], &found.intervals[1]);
        let of = &(&found, &case);
        match kind.as_str() {
            "flat" => {
                assert_eq!(
                    (found.estimate, profile.low, profile.high),
                    (None, None, None),
                    "{of:?}"
                );
                assert_eq!(found.test.p_value, None, "{of:?}");
                *kinds.entry(kind).or_insert(0) += 1;
                continue;
            }
            "finite" => {
                let ratio = case["log_ratio"].as_f64().map(f64::exp);
                close(found.estimate, ratio, 1e-6, of);
                close(found.log_se, case["se"].as_f64(), 1e-6, of);
                close(profile.low, case["profile"][0].as_f64(), 1e-6, of);
                close(profile.high, case["profile"][1].as_f64(), 1e-6, of);
                close(wald.low, case["wald"][0].as_f64(), 1e-6, of);
                close(wald.high, case["wald"][1].as_f64(), 1e-6, of);
            }
            "zero" => {
                assert_eq!((found.estimate, profile.low), (Some(0.0), Some(0.0)), "{of:?}");
                close(profile.high, case["bound"].as_f64(), 1e-6, of);
            }
            "infinite" => {
                assert_eq!((found.estimate, profile.high), (None, None), "{of:?}");
                close(profile.low, case["bound"].as_f64(), 1e-6, of);
            }
            other => panic!("{other}"),
        }
        if kind != "finite" {
            assert_eq!((found.log_se, wald.low, wald.high), (None, None, None), "{of:?}");
        }
        // R's supremum of a likelihood without a maximum is its value at a log ratio of 25.
        // In it, unlike in ours, are the terms of strata with one side, which do not depend on the ratio.
        if sides.iter().flatten().all(|side| !side.is_empty()) {
            close(Some(found.log_likelihood_null), case["null"].as_f64(), 1e-9, of);
            let off = (found.log_likelihood - case["maximum"].as_f64().unwrap()).abs();
            assert!(off < 1e-8, "{off} {of:?}");
        }
        let statistic = found.test.statistic.unwrap();
        let expected = case["likelihood_ratio"][0].as_f64().unwrap();
        assert!((statistic - expected).abs() < 1e-8, "{statistic} {expected} {of:?}");
        // Near 0 the p-value is as √statistic.
        let p = case["likelihood_ratio"][1].as_f64().unwrap();
        assert!((found.test.p_value.unwrap() - p).abs() < 1e-6, "{of:?}");
        *kinds.entry(kind).or_insert(0) += 1;
    }
    assert!(kinds.len() == 4 && kinds.values().all(|&cases| cases >= 15), "{kinds:?}");
}

#[test]
fn restricted_means_and_their_differences_have_r_s_intervals() {
    for case in part(CONTRASTS, "means", 80) {
        let (level, until) = (level(&case), case["until"].as_f64().unwrap());
        let [base, test] =
            ["base", "test"].map(|side| KaplanMeier::fit(&trials(&case[side])).unwrap());
        for (i, curve) in [&base, &test].into_iter().enumerate() {
            let found = restricted_mean(curve, until, level).unwrap();
            close(found.estimate, case["mean"][i].as_f64(), 1e-9, &case);
            close(Some(found.se.unwrap_or(0.0)), case["se"][i].as_f64(), 1e-9, &case);
            if i == 0 {
                close(found.low, case["one"][0].as_f64(), 1e-9, &case);
                close(found.high, case["one"][1].as_f64(), 1e-9, &case);
            }
        }
        let found = restricted_mean_difference(&base, &test, until, level).unwrap();
        let expected = case["difference"].as_f64().unwrap();
        assert!((found.estimate.unwrap() - expected).abs() < 1e-9 * until, "{found:?} {case}");
        // R's sum takes a side without a variance of its own as known exactly; here it has no interval.
        if numbers(&case["se"]).contains(&0.0) {
            assert_eq!((found.low, found.high, found.test.p_value), (None, None, None), "{case}");
            continue;
        }
        for (found, expected) in [found.low, found.high].into_iter().zip([0, 1]) {
            let expected = case["interval"][expected].as_f64();
            assert_eq!(found.is_some(), expected.is_some(), "{case}");
            let off = (found.unwrap_or(0.0) - expected.unwrap_or(0.0)).abs();
            assert!(off < 1e-9 * until, "{found:?} {case}");
        }
        close(found.test.p_value, case["p_value"].as_f64(), 1e-8, &case);
    }
}

#[test]
fn quantiles_and_their_intervals_are_those_of_survfit() {
    for case in part(CONTRASTS, "quantiles", 60) {
        let curve = KaplanMeier::fit(&trials(&case)).unwrap();
        for method in [PointwiseMethod::Plain, PointwiseMethod::Log, PointwiseMethod::LogLog] {
            let expected = &case[method.name()];
            for (i, p) in numbers(&case["p"]).into_iter().enumerate() {
                let found = quantile(&curve, p, method, level(&case)).unwrap();
                let of = &(p, method, &case);
                close(found.estimate, expected["estimate"][i].as_f64(), 1e-9, of);
                close(found.low, expected["low"][i].as_f64(), 1e-9, of);
                close(found.high, expected["high"][i].as_f64(), 1e-9, of);
            }
        }
    }
}

#[test]
fn the_test_of_the_shape_and_the_rate_between_looks_are_those_of_survreg() {
    for case in part(CONTRASTS, "shapes", 60) {
        let edges = |name: &str| case[name].as_array().unwrap().iter().map(Value::as_f64);
        let trials: Vec<Lifetime> = edges("left")
            .zip(edges("right"))
            .map(|(left, right)| Lifetime::between(left.unwrap_or(0.0), right).unwrap())
            .collect();
        close(Some(fit_weibull(&trials).unwrap().shape), case["shape"].as_f64(), 1e-5, &case);
        let found = shape_test::likelihood_ratio(&trials).unwrap();
        let expected = case["statistic"].as_f64().unwrap().max(0.0);
        assert!((found.statistic.unwrap() - expected).abs() < 1e-7, "{found:?} {case}");
        let p = case["p_value"].as_f64().unwrap();
        assert!((found.p_value.unwrap() - p).abs() < 1e-4, "{found:?} {case}");
        let found = fit_exponential_interval(&trials, level(&case)).unwrap();
        close(Some(found.rate), case["rate"].as_f64(), 1e-6, &case);
        close(found.interval.low, case["rate_interval"][0].as_f64(), 1e-6, &case);
        close(found.interval.high, case["rate_interval"][1].as_f64(), 1e-6, &case);
    }
}

#[test]
fn the_beta_product_and_its_quantiles_are_those_of_a_second_derivation() {
    let method = PointwiseMethod::BetaProduct;
    for case in part(include_str!("../../oracle/golden/beta_product.json"), "cases", 70) {
        let (curve, level) = (KaplanMeier::fit(&trials(&case)).unwrap(), level(&case));
        let band = method.band(&curve, level);
        let times = numbers(&case["times"]);
        assert_eq!(band.len(), times.len(), "{case}");
        for (j, (bounds, time)) in band.iter().zip(times).enumerate() {
            let of = &(time, &case);
            close(bounds.low(), case["low"][j].as_f64(), 1e-9, of);
            close(bounds.low_after(), case["low_after"][j].as_f64(), 1e-9, of);
            close(bounds.high(), case["high"][j].as_f64(), 1e-9, of);
            assert_eq!(method.at(&curve, time, level).low(), bounds.low(), "{of:?}");
            let next = f64::from_bits(time.to_bits() + 1);
            assert_eq!(method.at(&curve, next, level).low(), bounds.low_after(), "{of:?}");
        }
        close(method.before(&curve, level).low(), case["before"].as_f64(), 1e-9, &case);
        for row in case["quantiles"].as_array().unwrap() {
            let found = quantile(&curve, row[0].as_f64().unwrap(), method, level).unwrap();
            close(found.low, row[1].as_f64(), 1e-9, &(row, &case));
            close(found.high, row[2].as_f64(), 1e-9, &(row, &case));
        }
        // The median that takes the band along is the same.
        let found = quantile(&curve, 0.5, method, level).unwrap();
        assert_eq!(median_by_band(&curve, method, level, &band), found, "{case}");
        assert_eq!(median(&curve, method, level), found, "{case}");
    }
}

#[test]
fn turnbull_of_exact_and_right_censored_times_is_kaplan_and_meier_s() {
    let mut compared = 0;
    for case in part(CONTRASTS, "quantiles", 60) {
        let trials = trials(&case);
        let curve = KaplanMeier::fit(&trials).unwrap();
        let lifetimes: Vec<Lifetime> = trials.into_iter().map(Lifetime::from).collect();
        for mass in Turnbull::fit(&lifetimes).unwrap().masses() {
            let (Some(time), Some(survival)) = (mass.right, mass.survival) else { continue };
            assert!((survival - curve.survival_at(time)).abs() < 1e-7, "{mass:?} {case}");
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}
