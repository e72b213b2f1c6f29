//! Events for a log-rank test to show a hazard ratio.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

use super::super::{Alternative, Level, StatError};
use super::wanted_power;

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EventsNeeded {
    /// Events seen, both groups together; censored trials don't count.
    pub events: u64,
    /// The power at this number.
    pub power: f64,
    /// 1 − the error rate of the test.
    pub level: Level,
    /// The hazard ratio to be shown.
    pub hazard_ratio: f64,
    /// The share of the trials on the test side.
    pub share: f64,
    /// `log-rank`.
    pub test: &'static str,
}

/// Schoenfeld's number of events: (z_α + z_power)² / (s (1 − s) (ln HR)²), rounded up, with s the
/// share of the trials that is on the test side. z_α is two-sided unless the alternative is
/// one-sided.
///
/// It counts events, not trials: with recoveries censored at the end of the trial, divide by the
/// share that is expected to recover. Assumes proportional hazards, equal censoring in the groups,
/// and enough events for the normal limit; below about 20 it is a guess.
///
/// Source: D. A. Schoenfeld (1981, 1983).
///
/// # Errors
/// [`StatError::Domain`] unless the ratio is positive, finite and not 1, the share and the power
/// are between 0 and 1.
pub fn events(
    hazard_ratio: f64,
    share: f64,
    power: f64,
    level: Level,
    alternative: Alternative,
) -> Result<EventsNeeded, StatError> {
    let power = wanted_power(power)?;
    if !(hazard_ratio > 0.0 && hazard_ratio.is_finite()) || hazard_ratio == 1.0 {
        return Err(StatError::domain(
            "the hazard ratio",
            hazard_ratio,
            "a positive, finite number other than 1: no number of events shows that there is no effect",
        ));
    }
    if !(share > 0.0 && share < 1.0) {
        return Err(StatError::domain(
            "the share of trials on the test side",
            share,
            "a number above 0 and below 1, such as 0.5",
        ));
    }
    let wrong_side = match alternative {
        Alternative::TwoSided => false,
        Alternative::Less => hazard_ratio > 1.0,
        Alternative::Greater => hazard_ratio < 1.0,
    };
    if wrong_side {
        return Err(StatError::domain(
            "the hazard ratio",
            hazard_ratio,
            "below 1 for the alternative `less`, above 1 for `greater`",
        ));
    }
    let normal = Normal::standard();
    let tail = match alternative {
        Alternative::TwoSided => level.alpha() / 2.0,
        _ => level.alpha(),
    };
    let z = -normal.inverse_cdf(tail);
    let per_event = (share * (1.0 - share)).sqrt() * hazard_ratio.ln().abs();
    let needed = (((z - normal.inverse_cdf(1.0 - power)) / per_event).powi(2)).ceil().max(1.0);
    if needed > 1e15 {
        return Err(StatError::domain(
            "the number of events that this needs",
            format!("{needed:.3e}"),
            "at most 1e15: take a hazard ratio farther from 1",
        ));
    }
    Ok(EventsNeeded {
        events: needed as u64,
        power: normal.cdf(needed.sqrt() * per_event - z),
        level,
        hazard_ratio,
        share,
        test: "log-rank",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_published_table() {
        // (1.959964 + 0.841621)² × 4 / ln² 2 = 65.35; 1.5: 190.96.
        let two = Alternative::TwoSided;
        assert_eq!(events(2.0, 0.5, 0.8, Level::P95, two).unwrap().events, 66);
        assert_eq!(events(0.5, 0.5, 0.8, Level::P95, two).unwrap().events, 66);
        assert_eq!(events(1.5, 0.5, 0.8, Level::P95, two).unwrap().events, 191);
        // One-sided at 90 % power: (1.644854 + 1.281552)² × 4 / ln² 2 = 71.30.
        assert_eq!(events(0.5, 0.5, 0.9, Level::P95, Alternative::Less).unwrap().events, 72);
        let found = events(2.0, 0.3, 0.8, Level::P95, two).unwrap();
        assert!(found.power >= 0.8 && found.power < 0.81);
    }

    #[test]
    fn no_effect_needs_no_answer() {
        let two = Alternative::TwoSided;
        for bad in [1.0, 0.0, -2.0, f64::NAN, f64::INFINITY, 1.0 + 1e-12] {
            assert!(events(bad, 0.5, 0.8, Level::P95, two).is_err(), "{bad}");
        }
        assert!(events(2.0, 0.0, 0.8, Level::P95, two).is_err());
        assert!(events(2.0, 0.5, 1.0, Level::P95, two).is_err());
        assert!(events(2.0, 0.5, 0.8, Level::P95, Alternative::Less).is_err());
    }
}
