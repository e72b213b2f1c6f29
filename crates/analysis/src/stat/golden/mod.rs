//! Golden values: what other software answers to the same question, from the scripts in `oracle/`.
//! The values are committed with the versions that made them, so these tests need neither.

mod adjusted;
mod power;
mod proportion;
mod strata;
mod two_by_two;

use serde_json::Value;

/// The cases of a golden file.
fn cases(text: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(text).unwrap();
    let cases = file["cases"].as_array().unwrap().clone();
    assert!(cases.len() > 100, "a golden file lost its cases");
    cases
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
