//! The non-decreasing estimate against the max-min formula in rational arithmetic.

use super::super::Level;
use super::super::threshold::{ThreadsTried, threshold};
use super::{close, count, numbers, part};

#[test]
fn agrees_with_the_max_min_formula() {
    for case in part(include_str!("../../oracle/golden/isotonic.json"), "cases", 80) {
        let counts =
            |name: &str| -> Vec<u64> { case[name].as_array().unwrap().iter().map(count).collect() };
        let rows: Vec<ThreadsTried> = (1..)
            .zip(counts("n").into_iter().zip(counts("k")))
            .map(|(threads, (n, k))| ThreadsTried { threads, n, k })
            .collect();
        let found = threshold(&rows, Level::P95).unwrap().isotonic;
        let expected = numbers(&case["p"]);
        assert_eq!(found.len(), expected.len());
        for (step, p) in found.iter().zip(expected) {
            close(Some(step.p), Some(p), 1e-12, &case);
        }
    }
}
