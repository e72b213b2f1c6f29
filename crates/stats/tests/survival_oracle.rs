//! Survival statistics against R's survival package, lifelines, statsmodels and scipy, on the
//! values that `oracle/survival.R` and `oracle/survival.py` wrote.

use serde_json::Value;
use stallscope_stats::Level;
use stallscope_stats::survival::*;

const DIRECT: f64 = 1e-9;
const ITERATIVE: f64 = 1e-6;

fn golden(file: &str) -> Value {
    let path = format!("{}/oracle/{file}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn optional(value: &Value) -> Vec<Option<f64>> {
    array(value).iter().map(Value::as_f64).collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    optional(value).into_iter().map(Option::unwrap).collect()
}

/// R's vectors of length one.
fn one(value: &Value) -> f64 {
    value[0].as_f64().unwrap()
}

fn near(found: f64, expected: f64, tolerance: f64) -> bool {
    (found - expected).abs() <= tolerance * expected.abs() || found == expected
}

#[track_caller]
fn check(what: &str, found: impl Into<Option<f64>>, expected: impl Into<Option<f64>>, by: f64) {
    let (found, expected) = (found.into(), expected.into());
    let agree = match (found, expected) {
        (Some(found), Some(expected)) => near(found, expected, by),
        (None, None) => true,
        _ => false,
    };
    assert!(agree, "{what}: found {found:?}, expected {expected:?}");
}

fn follow_ups(case: &Value) -> Vec<FollowUp> {
    numbers(&case["time"])
        .into_iter()
        .zip(numbers(&case["event"]))
        .map(|(time, event)| FollowUp::new(time, event == 1.0).unwrap())
        .collect()
}

fn by_group(case: &Value) -> Vec<Vec<FollowUp>> {
    let labels = numbers(&case["group"]);
    let trials = follow_ups(case);
    let most = labels.iter().fold(0.0, |most: f64, &label| most.max(label)) as usize;
    (1..=most)
        .map(|g| {
            let in_group = trials.iter().zip(&labels).filter(|(_, label)| **label as usize == g);
            in_group.map(|(trial, _)| *trial).collect()
        })
        .collect()
}

#[test]
fn curves_bounds_and_medians_are_those_of_survfit() {
    for (i, case) in array(&golden("survival_r.json")["singles"]).iter().enumerate() {
        let curve = KaplanMeier::fit(&follow_ups(case)).unwrap();
        let level = Level::new(one(&case["level"])).unwrap();
        let expected = &case["curve"];
        assert_eq!(curve.steps().len(), array(&expected["time"]).len(), "case {i}");
        let column = |name: &str| numbers(&expected[name]);
        for (j, step) in curve.steps().iter().enumerate() {
            let what = format!("case {i}, step {j}");
            check(&what, step.time, column("time")[j], DIRECT);
            check(&what, step.at_risk as f64, column("at_risk")[j], 0.0);
            check(&what, step.events as f64, column("events")[j], 0.0);
            check(&what, step.censored as f64, column("censored")[j], 0.0);
            // R's product leaves a rounding of about 1e-17 where the curve is 0.
            if column("survival")[j] > 1e-12 {
                check(&what, step.survival, column("survival")[j], DIRECT);
            } else {
                assert_eq!(step.survival, 0.0, "{what}");
            }
        }
        for method in [PointwiseMethod::Plain, PointwiseMethod::Log, PointwiseMethod::LogLog] {
            let band = &case["bands"][method.name()];
            let (low, high) = (optional(&band["low"]), optional(&band["high"]));
            for (j, bounds) in method.band(&curve, level).iter().enumerate() {
                let what = format!("case {i}, step {j}, {}", method.name());
                let step = &curve.steps()[j];
                if step.survival == 0.0 || step.greenwood == 0.0 {
                    // Where R has a bound here, it is that of a variance of 0.
                    assert_eq!((bounds.low(), bounds.high()), (None, None), "{what}");
                    assert!(low[j].is_none_or(|x| x == step.survival), "{what}");
                    continue;
                }
                check(&what, bounds.low(), low[j], DIRECT);
                check(&what, bounds.high(), high[j], DIRECT);
            }
            let found = median(&curve, method, level);
            let expected = optional(&band["median"]);
            let what = format!("case {i}, median, {}", method.name());
            check(&what, found.estimate, expected[0], DIRECT);
            check(&what, found.low, expected[1], DIRECT);
            check(&what, found.high, expected[2], DIRECT);
        }
        for mean in case["rmst"].as_array().into_iter().flatten() {
            let expected = numbers(mean);
            let found = restricted_mean(&curve, expected[0], level).unwrap();
            let what = format!("case {i}, restricted mean");
            check(&what, found.estimate, expected[1], DIRECT);
            check(&what, found.se.unwrap_or(0.0), expected[2], DIRECT);
        }
    }
}

/// Where R found no maximum, there must be none.
fn check_none(what: &str, case: &Value, trials: &[Lifetime]) {
    if case["fits"]["weibull"][0] == "none" {
        assert!(fit_weibull(trials).is_err(), "{what}, weibull");
    }
    if case["fits"]["lognormal"][0] == "none" {
        assert!(fit_log_normal(trials).is_err(), "{what}, log-normal");
    }
}

/// R's fit as (location, scale, log-likelihood), where survreg gave one.
fn fit<'a>(case: &'a Value, law: &str) -> Option<[f64; 3]> {
    let fit: &'a [Value] = case["fits"][law].as_array()?;
    let number = |i: usize| fit.get(i).and_then(Value::as_f64);
    Some([number(0)?, number(1)?, number(2)?])
}

/// Checks the fits of one case; answers how many of R's were checked.
fn check_fits(what: &str, case: &Value, trials: &[Lifetime]) -> usize {
    let mut checked = 0;
    check_none(what, case, trials);
    if let Some([location, scale, log_likelihood]) = fit(case, "weibull") {
        let found = fit_weibull(trials).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(
            found.log_likelihood > log_likelihood - DIRECT * (1.0 + log_likelihood.abs()),
            "{what}: {found:?} {location} {scale} {log_likelihood}"
        );
        check(&format!("{what}, weibull scale"), found.scale, location.exp(), ITERATIVE);
        check(&format!("{what}, weibull shape"), found.shape, 1.0 / scale, ITERATIVE);
        check(&format!("{what}, weibull"), found.log_likelihood, log_likelihood, ITERATIVE);
        checked += 1;
    }
    if let Some([location, scale, log_likelihood]) = fit(case, "lognormal") {
        let found = fit_log_normal(trials).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(
            found.log_likelihood > log_likelihood - DIRECT * (1.0 + log_likelihood.abs()),
            "{what}: {found:?} {location} {scale} {log_likelihood}"
        );
        check(&format!("{what}, median"), found.mu.exp(), location.exp(), ITERATIVE);
        check(&format!("{what}, sigma"), found.sigma, scale, ITERATIVE);
        check(&format!("{what}, log-normal"), found.log_likelihood, log_likelihood, ITERATIVE);
        checked += 1;
    }
    checked
}

#[test]
fn fits_to_right_censored_times_are_those_of_survreg() {
    let mut checked = 0;
    for (i, case) in array(&golden("survival_r.json")["singles"]).iter().enumerate() {
        let trials = follow_ups(case);
        let lifetimes: Vec<Lifetime> = trials.iter().copied().map(Lifetime::from).collect();
        checked += check_fits(&format!("case {i}"), case, &lifetimes);
        if let Some([location, _, log_likelihood]) = fit(case, "exponential") {
            let found = fit_exponential(&trials, Level::P95).unwrap();
            check(&format!("case {i}, rate"), found.rate, (-location).exp(), DIRECT);
            check(&format!("case {i}, exponential"), found.log_likelihood, log_likelihood, DIRECT);
        }
    }
    assert!(checked > 150, "{checked}");
}

fn lifetimes(case: &Value) -> Vec<Lifetime> {
    optional(&case["left"])
        .into_iter()
        .zip(optional(&case["right"]))
        .map(|(left, right)| Lifetime::between(left.unwrap_or(0.0), right).unwrap())
        .collect()
}

#[test]
fn fits_to_interval_censored_times_are_those_of_survreg() {
    let mut checked = 0;
    for (i, case) in array(&golden("survival_r.json")["looks"]).iter().enumerate() {
        let trials = lifetimes(case);
        checked += check_fits(&format!("looks {i}"), case, &trials);
        if let Some([location, _, log_likelihood]) = fit(case, "exponential") {
            let found = fit_exponential_interval(&trials, Level::P95).unwrap();
            check(&format!("looks {i}, rate"), found.rate, (-location).exp(), ITERATIVE);
            check(&format!("looks {i}"), found.log_likelihood, log_likelihood, ITERATIVE);
        }
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn rank_tests_are_those_of_survdiff_lifelines_and_statsmodels() {
    let r = golden("survival_r.json");
    let python = golden("survival_python.json");
    let mut checked = 0;
    for (i, (case, others)) in
        array(&r["groups"]).iter().zip(array(&python["rank_tests"])).enumerate()
    {
        let groups = by_group(case);
        let sides: Vec<&[FollowUp]> = groups.iter().map(Vec::as_slice).collect();
        for test in case["tests"].as_array().into_iter().flatten() {
            let rho = one(&test["rho"]);
            let weight = RankWeight::FlemingHarrington { rho, gamma: 0.0 };
            let found = &rank_tests(&sides, &[weight]).unwrap()[0];
            let what = format!("groups {i}, rho {rho}");
            for (o, e) in found.observed.iter().zip(numbers(&test["observed"])) {
                assert!((o - e).abs() <= DIRECT * (1.0 + e), "{what}: {o} {e}");
            }
            for (o, e) in found.expected.iter().zip(numbers(&test["expected"])) {
                assert!((o - e).abs() <= DIRECT * (1.0 + e), "{what}: {o} {e}");
            }
            // R answers 0 or a rounding where the variance is 0: nothing was compared.
            if found.result.statistic.is_none() {
                assert!(
                    test["chisq"][0].as_f64().is_none_or(|x| x.abs() < 1e-9 || x > 1e9),
                    "{what} {test}"
                );
                continue;
            }
            // A group at risk at no event but alone is in R's degrees of freedom.
            if found.degrees_of_freedom.map(f64::from) != Some(one(&test["df"])) {
                continue;
            }
            let (x, y) = (found.result.statistic.unwrap(), one(&test["chisq"]));
            assert!((x - y).abs() <= DIRECT * y + 1e-12, "{what}: {x} {y}");
            check(&what, found.result.p_value, one(&test["p"]), DIRECT);
            checked += 1;
        }
        for test in array(others) {
            let weight = match (test["rho"].as_f64(), test["gamma"].as_f64()) {
                (Some(rho), Some(gamma)) => RankWeight::FlemingHarrington { rho, gamma },
                _ => RankWeight::GehanWilcoxon,
            };
            let found = &rank_tests(&sides, &[weight]).unwrap()[0];
            let what = format!("groups {i}, {test}");
            if found.result.statistic.is_some() && test["statistic"].is_number() {
                check(&what, found.result.statistic, test["statistic"].as_f64(), DIRECT);
                checked += 1;
            }
        }
    }
    assert!(checked > 700, "{checked}");
}

#[test]
fn hazard_ratios_are_those_of_coxph() {
    let (mut finite, mut infinite) = (0, 0);
    for (i, case) in array(&golden("survival_r.json")["groups"]).iter().enumerate() {
        let cox = &case["cox"];
        if cox.is_null() {
            continue;
        }
        let groups = by_group(case);
        let found = hazard_ratio(&groups[0], &groups[1], Level::P95).unwrap();
        let what = format!("groups {i}");
        if cox["infinite"][0] == true {
            assert!(found.log_se.is_none(), "{what}: {found:?}");
            infinite += 1;
            continue;
        }
        let likelihoods = numbers(&cox["loglik"]);
        if found.log_se.is_none() {
            // The likelihood does not depend on the ratio; R answers 0.
            assert!((one(&cox["log_ratio"])).abs() < 1e-9, "{what}: {found:?}");
            continue;
        }
        check(&what, found.log_likelihood_null, likelihoods[0], DIRECT);
        check(&what, found.log_likelihood, likelihoods[1], DIRECT);
        let log_ratio = found.estimate.unwrap().ln();
        assert!((log_ratio - one(&cox["log_ratio"])).abs() < 1e-7, "{what}: {log_ratio} {cox}");
        check(&what, found.log_se, one(&cox["se"]), ITERATIVE);
        let profile = optional(&cox["profile"]);
        check(&what, found.intervals[0].low, profile[0], ITERATIVE);
        check(&what, found.intervals[0].high, profile[1], ITERATIVE);
        finite += 1;
    }
    assert!(finite > 20 && infinite > 5, "{finite} {infinite}");
}

#[test]
fn differences_of_restricted_means_are_those_of_survfit() {
    let mut checked = 0;
    for (i, case) in array(&golden("survival_r.json")["groups"]).iter().enumerate() {
        let Some([base, test]) = case["rmst"].as_array().map(Vec::as_slice) else { continue };
        let (base, test) = (numbers(base), numbers(test));
        let groups = by_group(case);
        let curves: Vec<KaplanMeier> =
            groups.iter().map(|group| KaplanMeier::fit(group).unwrap()).collect();
        let until = one(&case["until"]);
        let found = restricted_mean_difference(&curves[0], &curves[1], until, Level::P95).unwrap();
        let what = format!("groups {i}");
        let difference = test[0] - base[0];
        assert!((found.estimate.unwrap() - difference).abs() <= DIRECT * base[0], "{what}");
        let se = base[1].hypot(test[1]);
        // Without a variance of either's own there is no interval, whatever R's sum of the two is.
        if base[1] > 0.0 && test[1] > 0.0 {
            let z = found.test.statistic.unwrap();
            assert!((z - difference / se).abs() <= DIRECT * (1.0 + z.abs()), "{what}");
        } else {
            assert_eq!(found.test.p_value, None, "{what}");
        }
        checked += 1;
    }
    assert!(checked > 30, "{checked}");
}

#[test]
fn exponential_intervals_are_those_of_the_chi_square_quantiles() {
    let r = golden("survival_r.json");
    let python = golden("survival_python.json");
    for (i, (case, expected)) in
        array(&r["singles"]).iter().zip(array(&python["exponential"])).enumerate()
    {
        let level = Level::new(one(&case["level"])).unwrap();
        let found = fit_exponential(&follow_ups(case), level).unwrap();
        let what = format!("case {i}");
        check(&what, found.rate, expected["rate"].as_f64(), DIRECT);
        check(&what, found.interval.low, expected["low"].as_f64(), DIRECT);
        check(&what, found.interval.high, expected["high"].as_f64(), DIRECT);
    }
}

#[test]
fn the_beta_product_is_that_of_a_second_derivation() {
    let r = golden("survival_r.json");
    let python = golden("survival_python.json");
    for (i, (case, expected)) in
        array(&r["singles"]).iter().zip(array(&python["beta_product"])).enumerate()
    {
        let level = Level::new(one(&case["level"])).unwrap();
        let curve = KaplanMeier::fit(&follow_ups(case)).unwrap();
        let band = PointwiseMethod::BetaProduct.band(&curve, level);
        for (j, bounds) in band.iter().enumerate() {
            let what = format!("case {i}, step {j}");
            check(&what, bounds.low(), numbers(&expected["low"])[j], DIRECT);
            check(&what, bounds.high(), numbers(&expected["high"])[j], DIRECT);
        }
    }
}

#[test]
fn turnbull_reaches_the_maximum_that_em_and_slsqp_reach() {
    for (i, case) in array(&golden("survival_python.json")["turnbull"]).iter().enumerate() {
        let trials = lifetimes(case);
        let found = Turnbull::fit(&trials).unwrap();
        let what = format!("looks {i}, {} rounds", found.iterations());
        let expected = case["log_likelihood"].as_f64().unwrap();
        let behind = case["gap"].as_f64().unwrap().max(0.0) * trials.len() as f64;
        assert!(
            (found.log_likelihood() - expected).abs() <= 1e-8 + behind,
            "{what}: {} {expected}",
            found.log_likelihood()
        );
        // Each trial's own probability is unique at the maximum, whatever the masses.
        for (trial, p) in trials.iter().zip(numbers(&case["probabilities"])) {
            let (left, right) = match *trial {
                Lifetime::Exact(t) => (t, t),
                Lifetime::RightCensored(t) => (t, f64::INFINITY),
                Lifetime::Between { left, right } => (left, right),
            };
            let inside = |mass: &&Mass| {
                let end = mass.right.unwrap_or(f64::INFINITY);
                let starts = if left == right || left == 0.0 {
                    mass.left >= left
                } else {
                    mass.left > left || (mass.left == left && end > left)
                };
                starts && end <= right
            };
            let sum: f64 = found.masses().iter().filter(inside).map(|mass| mass.mass).sum();
            assert!((sum - p).abs() < 1e-4, "{what}: {trial:?} {sum} {p}");
        }
    }
}
