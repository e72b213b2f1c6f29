//! Trials for "0 of n" to mean something.

use serde::Serialize;

use super::super::binomial::MOST_TRIALS;
use super::super::proportion::at_most;
use super::super::{Level, StatError};

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NoneOfN {
    /// Trials, all of which must pass.
    pub n: u64,
    /// What "0 of n" then shows: the one-sided exact upper bound.
    pub at_most: f64,
    /// The one-sided confidence level.
    pub level: Level,
}

/// The least n for which "0 of n" puts the one-sided exact upper bound at `p` or below:
/// ln(1 − level) / ln(1 − p), rounded up.
///
/// # Errors
/// [`StatError::Domain`] unless 0 < p < 1 and n is at most [`MOST_TRIALS`].
pub fn trials(p: f64, level: Level) -> Result<NoneOfN, StatError> {
    if !(p > 0.0 && p < 1.0) {
        return Err(StatError::domain(
            "the probability to stay below",
            p,
            "a number above 0 and below 1: no number of trials shows 0",
        ));
    }
    let needed = level.alpha().ln() / (-p).ln_1p();
    if needed > MOST_TRIALS as f64 {
        return Err(StatError::domain(
            "the number of trials that this needs",
            format!("{needed:.3e}"),
            format!("at most {MOST_TRIALS}"),
        ));
    }
    // Rounding may put an exact quotient a hair to either side.
    let mut n = (needed.floor() as u64).max(1);
    while at_most(n, level)? > p * (1.0 + 1e-12) {
        n += 1;
    }
    Ok(NoneOfN { n, at_most: at_most(n, level)?, level })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_least_that_does() {
        for p in [0.9, 0.5, 0.1, 0.05, 0.0123, 1e-4, 1e-7] {
            let found = trials(p, Level::P95).unwrap();
            assert!(found.at_most <= p * (1.0 + 1e-12));
            if found.n > 1 {
                assert!(at_most(found.n - 1, Level::P95).unwrap() > p);
            }
        }
        assert_eq!(trials(0.1, Level::P95).unwrap().n, 29);
        assert_eq!(trials(0.05, Level::P95).unwrap().n, 59);
        // (1 − ½)^n = 1/8 is exact.
        assert_eq!(trials(0.5, Level::new(0.875).unwrap()).unwrap().n, 3);
    }

    #[test]
    fn what_cannot_be_shown_is_refused() {
        for bad in [0.0, 1.0, -0.1, f64::NAN, 1e-12] {
            assert!(trials(bad, Level::P95).is_err(), "{bad}");
        }
    }
}
