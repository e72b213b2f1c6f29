//! Golden values: what other software answers to the same question, from the scripts in `oracle/`.
//! The values are committed with the versions that made them, so these tests need neither.

mod adjusted;
mod goodness_of_fit;
mod isotonic;
mod posterior;
mod power;
mod proportion;
mod samples;
mod strata;
mod survival;
mod tails;
mod timelines;
mod two_by_two;

use serde_json::Value;

use super::Level;

/// The cases of a golden file.
fn cases(text: &str) -> Vec<Value> {
    part(text, "cases", 101)
}

/// The rows of a named part of a golden file, `least` or more.
fn part(text: &str, name: &str, least: usize) -> Vec<Value> {
    let file: Value = serde_json::from_str(text).unwrap();
    let rows = file[name].as_array().unwrap().clone();
    assert!(rows.len() >= least, "a golden file lost its {name}");
    rows
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn level(case: &Value) -> Level {
    Level::new(case["level"].as_f64().unwrap()).unwrap()
}

/// The rows of a golden CSV by R: its first line names the version, its second the columns.
fn rows(text: &str) -> Vec<Vec<String>> {
    let rows: Vec<Vec<String>> =
        text.lines().skip(2).map(|line| line.split(',').map(str::to_owned).collect()).collect();
    assert!(rows.len() > 50, "a golden file lost its rows");
    rows
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

/// Fails unless both do not exist, or `found` is `expected` to a relative `tolerance` (1e-13
/// absolute, where a bound crosses 0).
#[track_caller]
fn close(found: Option<f64>, expected: Option<f64>, tolerance: f64, of: &dyn std::fmt::Debug) {
    match (found, expected) {
        (None, None) => {}
        (Some(found), Some(expected))
            if (found - expected).abs() <= tolerance * expected.abs() + 1e-13 => {}
        _ => panic!("{found:?} is not {expected:?} in {of:?}"),
    }
}
