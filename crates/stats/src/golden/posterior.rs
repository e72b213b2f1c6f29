//! Posteriors under Jeffreys' prior against mpmath's quadrature and scipy's beta-binomial law.

use super::super::proportion::{Proportion, next_at_most};
use super::super::two_by_two::{TwoByTwo, lower_on_test};
use super::{close, count, level, part};

const GOLDEN: &str = include_str!("../../oracle/golden/posterior.json");

#[test]
fn the_lower_side_is_mpmaths() {
    for case in part(GOLDEN, "lower_on_test", 8) {
        let [k1, n1, k2, n2] = [0, 1, 2, 3].map(|at| count(&case["table"][at]));
        let found = lower_on_test::probability(TwoByTwo::new(k1, n1, k2, n2).unwrap());
        close(Some(found), case["probability"].as_f64(), 1e-9, &case);
    }
}

#[test]
fn the_trials_to_come_are_scipys() {
    for case in part(GOLDEN, "next_at_most", 60) {
        let of = Proportion::new(count(&case["k"]), count(&case["n"])).unwrap();
        let found = next_at_most(of, count(&case["of"]), level(&case));
        assert_eq!(found, count(&case["at_most"]), "{case}");
    }
}
