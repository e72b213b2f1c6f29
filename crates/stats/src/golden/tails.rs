//! The laws behind the exact tests against 50 digits.

use super::super::binomial::{Probability, at_least, cdf, ln_pmf};
use super::super::hypergeometric::Hypergeometric;
use super::{cases, count};

/// 1e-9 of the value, or of 1e-300 where it is below what a number can hold.
#[track_caller]
fn near(found: f64, expected: f64, of: &dyn std::fmt::Debug) {
    assert!(
        (found - expected).abs() <= 1e-9 * expected.abs() + 1e-300,
        "{found} {expected} {of:?}"
    );
}

#[test]
fn binomial_and_hypergeometric_tails_keep_their_digits() {
    let (mut one, mut two) = (0, 0);
    for case in cases(include_str!("../../oracle/golden/tails.json")) {
        let number = |name: &str| case[name].as_f64().unwrap();
        if case.get("p").is_some() {
            let (k, n, p) = (count(&case["k"]), count(&case["n"]), Probability::new(number("p")));
            // 1e-12 of the mass itself: its logarithm may be near 0.
            let ln = ln_pmf(k, n, p);
            let off = (ln - number("ln_pmf")).abs();
            assert!(off <= 1e-10 + 1e-12 * ln.abs(), "{ln} {case}");
            near(cdf(k, n, p), number("at_most"), &case);
            near(at_least(k, n, p), number("at_least"), &case);
            one += 1;
        } else {
            let law = Hypergeometric::new(
                count(&case["base_n"]),
                count(&case["test_n"]),
                count(&case["total"]),
            );
            let (x, omega) = (count(&case["x"]), number("omega"));
            assert!((law.ln_pmf(x) - number("ln_pmf")).abs() < 1e-10, "{case}");
            near(law.at_most(x), number("at_most"), &case);
            near(law.at_least(x), number("at_least"), &case);
            for (found, expected) in law.ln_tails_at(x, omega).into_iter().zip([0, 1]) {
                let expected = case["ln_tails"][expected].as_f64().unwrap();
                assert!((found - expected).abs() < 1e-9, "{found} {expected} {case}");
            }
            near(law.mean_at(omega), number("mean"), &case);
            two += 1;
        }
    }
    assert!(one >= 120 && two >= 120, "{one} {two}");
}
