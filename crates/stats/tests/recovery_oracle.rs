//! Segmentation against the dynamic program of ruptures, on the values that `oracle/recovery.py`
//! wrote.

use serde_json::Value;
use stallscope_stats::segmentation::segment;

#[test]
fn segmentations_are_those_of_a_full_dynamic_program() {
    let path = format!("{}/oracle/recovery_python.json", env!("CARGO_MANIFEST_DIR"));
    let golden: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let cases = golden["cases"].as_array().unwrap();
    assert!(cases.len() > 100, "{}", cases.len());
    for (i, case) in cases.iter().enumerate() {
        let number = |value: &Value| value.as_f64().unwrap();
        let values: Vec<f64> = case["values"].as_array().unwrap().iter().map(number).collect();
        let found = segment(&values, number(&case["sigma"]), number(&case["penalty"])).unwrap();
        let expected = number(&case["objective"]);
        assert!(
            (found.objective - expected).abs() <= 1e-9 * (1.0 + expected),
            "case {i}: {} {expected}",
            found.objective
        );
        let starts: Vec<usize> =
            case["starts"].as_array().unwrap().iter().map(|x| number(x) as usize).collect();
        assert_eq!(found.starts, starts, "case {i}");
    }
}
