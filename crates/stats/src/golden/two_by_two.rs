//! Two proportions against scipy, statsmodels, rational arithmetic and R.

use serde_json::Value;

use super::super::two_by_two::{
    Contrast, TwoByTwo, barnard, boschloo, effects, fisher, fisher_mid_p,
};
use super::super::{Alternative, Level, TestResult};
use super::{cases, close, count, rows};

type Test = fn(TwoByTwo, Alternative) -> TestResult;

fn bounds(contrast: &Contrast, case: &Value, tolerance: f64) {
    for interval in &contrast.intervals {
        let expected = &case[interval.method];
        close(interval.low, expected[0].as_f64(), tolerance, &(interval, case));
        close(interval.high, expected[1].as_f64(), tolerance, &(interval, case));
    }
}

#[test]
fn effects_and_tests_agree_with_scipy_statsmodels_and_rational_arithmetic() {
    let mut unconditional = 0;
    for case in cases(include_str!("../../oracle/golden/two_by_two.json")) {
        let [k1, n1, k2, n2] = ["k1", "n1", "k2", "n2"].map(|name| count(&case[name]));
        let table = TwoByTwo::new(k1, n1, k2, n2).unwrap();
        let level = Level::new(case["level"].as_f64().unwrap()).unwrap();
        let effects = effects(table, level);
        bounds(&effects.difference, &case, 1e-9);
        bounds(&effects.ratio, &case, 1e-9);
        bounds(&effects.odds_ratio, &case, 1e-9);
        close(effects.odds_ratio.estimate, case["odds_ratio"].as_f64(), 1e-9, &case);
        // The unconditional ones are suprema, on either side, found to 1e-9.
        let tests: [(&str, Test, f64); 4] = [
            ("fisher", fisher::test, 1e-9),
            ("fisher-mid-p", fisher_mid_p::test, 1e-9),
            ("boschloo", boschloo::test, 3e-9),
            ("barnard", barnard::test, 3e-9),
        ];
        for (method, test, tolerance) in tests {
            // Only every third case has the unconditional ones.
            let Some(expected) = case.get(method) else { continue };
            unconditional += usize::from(method == "boschloo");
            for (alternative, side) in
                Alternative::ALL.into_iter().zip(["two-sided", "less", "greater"])
            {
                let found = test(table, alternative);
                assert_eq!(found.method, method);
                close(found.p_value, expected[side].as_f64(), tolerance, &(side, &case));
            }
        }
    }
    assert!(unconditional > 70);
}

#[test]
fn fisher_agrees_with_r_also_in_far_tails() {
    for row in rows(include_str!("../../oracle/golden/reference_fisher.csv")) {
        let counts: Vec<u64> = row[..4].iter().map(|cell| cell.parse().unwrap()).collect();
        let numbers: Vec<f64> = row[4..].iter().map(|cell| cell.parse().unwrap()).collect();
        let table = TwoByTwo::new(counts[0], counts[1], counts[2], counts[3]).unwrap();
        for (alternative, expected) in Alternative::ALL.into_iter().zip(&numbers) {
            let found = fisher::test(table, alternative).p_value.unwrap();
            // R prints 15 digits, and its own tails are good to about 1e-11 at these sizes.
            assert!(
                (found - expected).abs() <= 1e-9 * expected + f64::MIN_POSITIVE,
                "{row:?} {found:e} {alternative:?}"
            );
        }
        // R's root finder stops within 1.2e-4 of ω, or of 1/ω where ω is above 1.
        let odds = effects(table, Level::P95).odds_ratio;
        let within = |x: f64| if x > 1.0 { 1.0 - 1.0 / x } else { x - 1.0 };
        let loosely = |found: Option<f64>, expected: f64| match found {
            None => expected.is_infinite() || odds.intervals[0].high.is_none(),
            Some(found) => (within(found) - within(expected)).abs() < 3e-4,
        };
        assert!(loosely(odds.estimate, numbers[3]), "{row:?} {odds:?}");
        assert!(loosely(odds.intervals[0].low, numbers[4]), "{row:?} {odds:?}");
        assert!(loosely(odds.intervals[0].high, numbers[5]), "{row:?} {odds:?}");
    }
}
