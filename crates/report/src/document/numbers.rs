//! Numbers as the tables have them, with their intervals.

use stats::words::{decimals_below_one, significant};

/// A probability to three decimals, or to as many more as tell it from 0 and 1.
pub(super) fn probability(p: f64) -> String {
    match p {
        p if p != 0.0 && p < 0.001 => significant(p, 2),
        p => format!("{p:.*}", decimals_below_one(p, 3)),
    }
}

/// `0.49 to 0.943`.
fn between(low: Option<f64>, high: Option<f64>, digits: usize) -> String {
    match (low, high) {
        (Some(low), Some(high)) => {
            format!("{} to {}", significant(low, digits), significant(high, digits))
        }
        (Some(low), None) => format!("above {}", significant(low, digits)),
        (None, Some(high)) => format!("below {}", significant(high, digits)),
        (None, None) => String::new(),
    }
}

pub(super) fn with_interval(
    value: &str,
    low: Option<f64>,
    high: Option<f64>,
    digits: usize,
) -> String {
    match between(low, high, digits) {
        between if between.is_empty() || value.is_empty() => value.to_string(),
        between => format!("{value} ({between})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probability_is_not_rounded_to_none_or_all() {
        let found = [0.0, 1e-5, 0.278, 0.9994, 0.9998, 1.0].map(probability);
        assert_eq!(found, ["0.000", "0.00001", "0.278", "0.999", "0.9998", "1.000"]);
    }

    #[test]
    fn an_interval_with_one_end_says_so() {
        assert_eq!(between(Some(0.49), None, 3), "above 0.49");
        assert_eq!(between(None, Some(0.9), 3), "below 0.9");
        assert_eq!(between(None, None, 3), "");
        assert_eq!(with_interval("3", None, None, 3), "3");
    }
}
