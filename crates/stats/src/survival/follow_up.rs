//! One trial's time to the event, and how well it is known.

use crate::StatError;

/// How long a trial was followed, and whether the event ended it. A trial without the event is
/// right-censored: the event's time is above `time`, by an unknown amount.
///
/// The unit is the caller's, the same for every trial of a sample. Zero is a valid time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FollowUp {
    time: f64,
    event: bool,
}

impl FollowUp {
    /// Takes a time that is finite and not negative.
    pub fn new(time: f64, event: bool) -> Result<Self, StatError> {
        check_time("a time", time)?;
        // -0.0 is 0: the two must not become two points of a curve.
        Ok(FollowUp { time: time + 0.0, event })
    }

    /// The event was seen at `time`.
    pub fn seen(time: f64) -> Result<Self, StatError> {
        FollowUp::new(time, true)
    }

    /// No event up to and including `time`.
    pub fn censored(time: f64) -> Result<Self, StatError> {
        FollowUp::new(time, false)
    }

    /// The time of the event, or the time up to which there was none.
    pub fn time(self) -> f64 {
        self.time
    }

    /// Whether the event was seen.
    pub fn event(self) -> bool {
        self.event
    }
}

/// A time to the event that is known exactly, only from below, or only between two looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Lifetime {
    /// The event was seen at this time.
    Exact(f64),
    /// No event up to and including this time.
    RightCensored(f64),
    /// No event at `left`, the event had happened at `right`: it lies in (left, right]. A `left`
    /// of 0 is a left-censored time.
    Between {
        /// The last look without the event.
        left: f64,
        /// The first look with it.
        right: f64,
    },
}

impl Lifetime {
    /// The event lies in (left, right]; `right = None` is right-censored at `left`, and two equal
    /// edges are an exact time.
    pub fn between(left: f64, right: Option<f64>) -> Result<Self, StatError> {
        check_time("a left edge", left)?;
        let left = left + 0.0;
        let Some(right) = right else {
            return Ok(Lifetime::RightCensored(left));
        };
        check_time("a right edge", right)?;
        let right = right + 0.0;
        if right < left {
            return Err(StatError::domain(
                "a right edge",
                format!("{right}, below its left edge {left}"),
                "a right edge at or above the left one, or none for a trial without the event",
            ));
        }
        Ok(if left == right { Lifetime::Exact(left) } else { Lifetime::Between { left, right } })
    }

    /// Whether an event happened, whenever it was.
    pub fn event(self) -> bool {
        !matches!(self, Lifetime::RightCensored(_))
    }
}

impl From<FollowUp> for Lifetime {
    fn from(trial: FollowUp) -> Self {
        if trial.event { Lifetime::Exact(trial.time) } else { Lifetime::RightCensored(trial.time) }
    }
}

/// The latest time that a trial has.
pub(super) fn latest(trials: &[Lifetime]) -> f64 {
    trials.iter().fold(0.0, |latest: f64, trial| {
        latest.max(match *trial {
            Lifetime::Exact(time) | Lifetime::RightCensored(time) => time,
            Lifetime::Between { right, .. } => right,
        })
    })
}

fn check_time(what: &str, time: f64) -> Result<(), StatError> {
    if time.is_finite() && time >= 0.0 {
        return Ok(());
    }
    Err(StatError::domain(what, time, "a finite number, 0 or above"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_finite_and_not_negative() {
        assert_eq!(FollowUp::seen(0.0).unwrap().time(), 0.0);
        assert!(FollowUp::seen(-0.0).unwrap().time().is_sign_positive());
        for bad in [-1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(FollowUp::seen(bad).is_err(), "{bad}");
            assert!(FollowUp::censored(bad).is_err(), "{bad}");
            assert!(Lifetime::between(bad, None).is_err(), "{bad}");
            assert!(Lifetime::between(0.0, Some(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn edges_say_how_well_a_time_is_known() {
        assert_eq!(Lifetime::between(3.0, None).unwrap(), Lifetime::RightCensored(3.0));
        assert_eq!(Lifetime::between(3.0, Some(3.0)).unwrap(), Lifetime::Exact(3.0));
        assert_eq!(
            Lifetime::between(3.0, Some(4.0)).unwrap(),
            Lifetime::Between { left: 3.0, right: 4.0 }
        );
        let error = Lifetime::between(4.0, Some(3.0)).unwrap_err().to_string();
        assert!(error.contains("below its left edge 4"), "{error}");
    }
}
