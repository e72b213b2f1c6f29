//! Power against enumeration in rational arithmetic, scipy and statsmodels.

use serde_json::Value;

use super::super::power::interval_width::{self, IntervalMethod};
use super::super::power::two_proportions::{self, Design, PowerTest};
use super::super::power::{hazard_ratio, none_of_n};
use super::super::{Alternative, Level};
use super::{cases, close, count};

/// The cases about one question.
fn about(kind: &str) -> Vec<Value> {
    let all = cases(include_str!("../../oracle/golden/power.json"));
    let some: Vec<Value> = all.into_iter().filter(|case| case["kind"] == kind).collect();
    assert!(some.len() >= 40, "{} cases about {kind}", some.len());
    some
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn level(case: &Value) -> Level {
    Level::new(number(&case["level"])).unwrap()
}

fn alternative(case: &Value) -> Alternative {
    match case["alternative"].as_str().unwrap() {
        "two-sided" => Alternative::TwoSided,
        "less" => Alternative::Less,
        "greater" => Alternative::Greater,
        other => panic!("{other}"),
    }
}

/// A golden design, and its powers with 1, 2, … trials a side.
fn design(case: &Value) -> (Design, Vec<f64>) {
    let by = PowerTest::ALL.into_iter().find(|by| case["test"] == by.name()).unwrap();
    let (base, test) = (number(&case["base"]), number(&case["other"]));
    let powers = case["powers"].as_array().unwrap().iter().map(number).collect();
    (Design::new(base, test, by, level(case), alternative(case)).unwrap(), powers)
}

#[test]
fn the_power_of_each_test_is_the_sum_over_all_tables() {
    for case in about("two-proportions") {
        let (design, powers) = design(&case);
        for (n, expected) in (1..).zip(powers) {
            let found = design.power(n).unwrap();
            // Masses below 1e-18 are left out of ours.
            assert!(
                (found - expected).abs() <= 1e-9 * expected + 1e-15,
                "{found} is not {expected} with {n} a side by {design:?}"
            );
        }
    }
}

#[test]
fn trials_needed_come_after_the_last_number_that_falls_short() {
    let mut answered = 0;
    for case in about("two-proportions") {
        let (design, powers) = design(&case);
        for target in [0.8, 0.9] {
            // Where the powers known go as far as the answer looks.
            let Ok(found) = two_proportions::trials(&design, target) else { continue };
            let Some(checked) = powers.get(..found.checked_to as usize) else { continue };
            let short = checked.iter().rposition(|&power| power < target);
            let n = short.map_or(1, |before| before as u64 + 2);
            assert_eq!(found.n_per_side, n, "for {target} by {design:?}");
            answered += 1;
        }
    }
    assert!(answered > 60, "{answered}");
}

#[test]
fn trials_for_a_width() {
    for case in about("width") {
        let method =
            IntervalMethod::ALL.into_iter().find(|by| case["interval"] == by.name()).unwrap();
        let (width, p) = (number(&case["width"]), number(&case["p"]));
        let found = interval_width::trials(width, p, level(&case), method).unwrap();
        assert_eq!(found.n, count(&case["n"]), "{case}");
        close(Some(found.expected_width), case["expected_width"].as_f64(), 1e-9, &case);
    }
}

#[test]
fn trials_for_none_of_n() {
    for case in about("none-of-n") {
        let found = none_of_n::trials(number(&case["p"]), level(&case)).unwrap();
        assert_eq!(found.n, count(&case["n"]), "{case}");
        close(Some(found.at_most), case["at_most"].as_f64(), 1e-9, &case);
    }
}

#[test]
fn events_for_a_hazard_ratio() {
    for case in about("hazard-ratio") {
        let [ratio, share, target] =
            ["hazard_ratio", "share", "target"].map(|name| number(&case[name]));
        let found =
            hazard_ratio::events(ratio, share, target, level(&case), alternative(&case)).unwrap();
        assert_eq!(found.events, count(&case["events"]), "{case}");
        close(Some(found.power), case["power"].as_f64(), 1e-9, &case);
    }
}
