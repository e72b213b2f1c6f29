//! Recoveries out of simulated timelines, against the moments at which they happened and against a
//! second computation of the rule.

use super::super::recovery::{Between, Course, RecoveryRule, Sample, recovery};
use super::{cases, numbers};

#[test]
fn recoveries_are_where_they_happened() {
    let (mut truths, mut first) = (0, 0);
    for case in cases(include_str!("../../oracle/golden/timelines.json")) {
        let number = |name: &str| case[name].as_f64().unwrap();
        let dt = number("dt");
        let samples: Vec<Sample> = (1..)
            .zip(numbers(&case["throughput"]))
            .map(|(i, throughput)| Sample { t_s: f64::from(i) * dt, throughput })
            .collect();
        let rule = RecoveryRule {
            share: number("share"),
            hold_s: number("hold"),
            ..RecoveryRule::new(number("control"))
        };
        let found = recovery(&samples, &rule).unwrap();
        let near = |found: f64, expected: f64| (found - expected).abs() < 1e-9 * (1.0 + expected);
        let same = |found: Between, expected: &serde_json::Value| {
            let edges = numbers(expected);
            assert!(
                near(found.left_s, edges[0]) && near(found.right_s, edges[1]),
                "{found:?} {case}"
            );
        };
        match (case["outcome"].as_str().unwrap(), found.course) {
            ("never-stalled", Course::NeverStalled) => {}
            ("recovered", Course::Recovered(between)) => same(between, &case["between"]),
            ("not-recovered", Course::NotRecovered { until_s }) => {
                assert!(near(until_s, number("until")), "{until_s} {case}");
            }
            (_, course) => panic!("{course:?} in {case}"),
        }
        match found.onset {
            Some(onset) => same(onset, &case["onset"]),
            None => assert!(case["onset"].is_null(), "{case}"),
        }
        let Some(truth) = case["truth"].as_f64() else { continue };
        let Course::Recovered(between) = found.course else { panic!("{case}") };
        // A rise within the last few percent of a sample is in its noise.
        let (left, right) = (between.left_s - 0.05 * dt, between.right_s + 0.05 * dt);
        assert!(left < truth && truth <= right, "{truth} is not in {between:?} of {case}");
        truths += 1;
        first += usize::from(truth < dt);
    }
    assert!(truths >= 50 && first >= 5, "{truths} {first}");
}
