//! A unit of time in which the sums and squares of an estimator stay numbers.

use crate::StatError;

/// The power of two at or below the longest time, which is above 0: dividing by it costs no digit, and
/// times in it are below 2. The least normal number for a time below that.
pub(super) fn unit_of(longest: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    f64::from_bits(longest.to_bits() & EXPONENT).max(f64::MIN_POSITIVE)
}

/// A parameter that no floating-point number holds, in the unit of the times.
pub(super) fn beyond_range(what: &str, longest: f64) -> StatError {
    StatError::domain(
        what,
        format!("beyond the range of numbers in this unit, with times up to {longest:e}"),
        "times in a unit in which they are nearer to 1",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_below_two_units() {
        for longest in [1.0, 1.5, 300.0, 1e-300, f64::MAX, f64::MIN_POSITIVE] {
            let times = longest / unit_of(longest);
            assert!((1.0..2.0).contains(&times), "{longest}");
            assert_eq!(times * unit_of(longest), longest);
        }
        assert!(5e-324 / unit_of(5e-324) < 1.0);
    }
}
