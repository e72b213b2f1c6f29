//! What a reader of times, means and ratios must know: what does not exist and why, and what too few
//! trials or events cannot carry. Facts; their sentences are made where they are shown.

use serde::Serialize;

use super::{HazardRatio, KaplanMeier, PointwiseMethod, RestrictedMean};
use crate::{Estimate, StatError};

/// Below this many trials, no interval by Greenwood's variance is known to be near its level:
/// Borgan and Liestøl (1990).
pub const FEW_TRIALS: u64 = 25;

/// Below this many events on a side, the laws that the p-values of the hazard ratio and of the difference
/// of restricted means are taken from are rough; their docstrings have what they reject.
pub const FEW_EVENTS: u64 = 10;

/// Why a variance estimate is 0: what the trials have before the end of the mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoSpread {
    /// No event.
    NoEvent,
    /// All events at one time.
    OneTime,
}

/// A fact about a summary of times. Groups are named as in the data.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "note", rename_all = "kebab-case")]
pub enum Note {
    /// Fewer than [`FEW_TRIALS`] trials: intervals are rough.
    FewTrials {
        /// The interval of curve and median.
        pointwise: PointwiseMethod,
    },
    /// Fewer than [`FEW_EVENTS`] events on a side: both tests between the sides are rough.
    FewEvents {
        /// The sides with few events, by name and count.
        sides: Vec<(String, u64)>,
    },
    /// The hazard ratio is 0: one side has no event while the other is at risk.
    HazardRatioIsZero {
        /// The side without an event.
        without: String,
        /// The side that is at risk meanwhile.
        with: String,
    },
    /// The hazard ratio is infinite: one side has no event while the other is at risk.
    HazardRatioIsInfinite {
        /// The side without an event.
        without: String,
        /// The side that is at risk meanwhile.
        with: String,
    },
    /// At no event were trials of both sides at risk, or all had it.
    NoHazardRatio,
    /// The difference of means has neither interval nor p-value: a side's variance estimate is 0.
    NoSpreadOfDifference {
        /// The side.
        group: String,
        /// Why its variance estimate is 0.
        because: NoSpread,
        /// Where the means end, in the unit of the times.
        until: f64,
    },
    /// The curve has no interval where it is 1 or 0.
    NoBandAtTheEnds,
    /// The curve stays above 1/2.
    NoMedian,
    /// The curve stays above what these shares leave.
    NotReached {
        /// The shares with the event, above 0 and below 1.
        shares: Vec<f64>,
    },
    /// The curve's lower bound does not come down to what these shares leave.
    NoLowerBound {
        /// The shares with the event; 1/2 is the median.
        shares: Vec<f64>,
    },
    /// The curve's upper bound does not come down to what these shares leave.
    NoUpperBound {
        /// The shares with the event; 1/2 is the median.
        shares: Vec<f64>,
    },
    /// No restricted mean: every trial of a group ended at 0.
    AllEndedAtZero,
    /// No restricted mean: the trials were not followed that long.
    MeanBeyondFollowUp {
        /// Where the mean was to end, in the unit of the times.
        until: f64,
        /// Up to where the trials were followed.
        followed_to: f64,
    },
    /// The restricted mean has no interval: its variance estimate is 0.
    NoSpreadOfMean {
        /// Why; `None` where the events tell of no spread otherwise.
        because: Option<NoSpread>,
        /// Where the mean ends, in the unit of the times.
        until: f64,
    },
    /// Some times are known between two looks only: the curve is Turnbull's, without interval and mean.
    IntervalCensored,
    /// Turnbull's curve was not found.
    NoCurve {
        /// The estimator's error.
        error: String,
    },
    /// Turnbull's curve is at 1/2 exactly over a stretch.
    FlatAtMedian {
        /// From where on it is at 1/2.
        from: f64,
        /// The median lies above this.
        left: f64,
        /// The median lies at or below this; `None` up to the end of the time followed.
        right: Option<f64>,
        /// The time that is shown as the median.
        shown: f64,
    },
    /// The median lies in an interval, whose right edge is shown.
    MedianBetween {
        /// The median lies above this.
        left: f64,
        /// The median lies at or below this.
        right: f64,
    },
    /// The last mass of Turnbull's curve lies beyond every look.
    MassBeyondLooks,
    /// A law could not be fitted.
    NoFit {
        /// The estimator's error.
        error: String,
    },
    /// No rank test: at no event were trials of two groups at risk, or all had it.
    NoRankTest,
    /// No rank test: some times are known between two looks only.
    NoRankTestOfIntervals,
    /// Hazard ratios and differences are pairwise, each group against the first.
    Pairwise {
        /// The group that the others are compared with.
        base: Option<String>,
        /// How many comparisons of one measure Holm's adjustment counts.
        comparisons: usize,
    },
    /// There is one group only, so that nothing is compared.
    OnlyGroup {
        /// Its name.
        group: String,
    },
}

impl Note {
    pub(super) fn no_fit(error: &StatError) -> Note {
        Note::NoFit { error: error.to_string() }
    }
}

/// The intervals of a curve, its median and its restricted mean, of so many trials.
pub fn few_trials(trials: u64, pointwise: PointwiseMethod) -> Option<Note> {
    (trials < FEW_TRIALS).then_some(Note::FewTrials { pointwise })
}

/// The tests between two sides, by name, of so many events.
pub fn few_events(sides: [(&str, u64); 2]) -> Option<Note> {
    let few = sides.into_iter().filter(|(_, events)| *events < FEW_EVENTS);
    let sides: Vec<_> = few.map(|(name, events)| (name.to_owned(), events)).collect();
    (!sides.is_empty()).then_some(Note::FewEvents { sides })
}

/// A hazard ratio that is 0, infinite or unknown; base and test by name.
pub fn ratio_at_the_edge(ratio: &HazardRatio, base: &str, test: &str) -> Option<Note> {
    let bounded = ratio.intervals.iter().any(|interval| interval.low.or(interval.high).is_some());
    let [base, test] = [base, test].map(str::to_owned);
    match ratio.estimate {
        Some(estimate) if estimate > 0.0 => None,
        Some(_) => Some(Note::HazardRatioIsZero { without: test, with: base }),
        None if bounded => Some(Note::HazardRatioIsInfinite { without: base, with: test }),
        None => Some(Note::NoHazardRatio),
    }
}

/// Why the variance estimate of a mean up to a time is 0, if it is.
pub fn no_variance(curve: &KaplanMeier, until: f64) -> Option<NoSpread> {
    let mut falls = curve.steps().iter().filter(|step| step.events > 0 && step.time < until);
    match (falls.next(), falls.next()) {
        (None, _) => Some(NoSpread::NoEvent),
        (Some(only), None) if only.survival <= 0.0 => Some(NoSpread::OneTime),
        _ => None,
    }
}

/// What of a curve's own numbers has no value.
pub(super) fn of_curve(
    curve: &KaplanMeier,
    bounds_everywhere: bool,
    mean: &RestrictedMean,
    times: &[(f64, Estimate)],
) -> Vec<Note> {
    let mut notes = Vec::new();
    if !bounds_everywhere {
        notes.push(Note::NoBandAtTheEnds);
    }
    notes.extend(not_reached(times));
    notes.extend(without_bounds(times));
    let until = mean.until;
    match (mean.estimate, mean.low) {
        (None, _) if until <= 0.0 => notes.push(Note::AllEndedAtZero),
        (None, _) => {
            notes.push(Note::MeanBeyondFollowUp { until, followed_to: curve.last_time() });
        }
        (Some(_), None) => {
            notes.push(Note::NoSpreadOfMean { because: no_variance(curve, until), until });
        }
        (Some(_), Some(_)) => {}
    }
    notes
}

/// The times by which shares of the trials had the event that are not reached. The share 1/2 is the median.
pub(super) fn not_reached(times: &[(f64, Estimate)]) -> Vec<Note> {
    let mut shares = shares(times, |time| time.estimate.is_none());
    let mut notes = Vec::new();
    if shares.contains(&0.5) {
        notes.push(Note::NoMedian);
        shares.retain(|share| *share != 0.5);
    }
    if !shares.is_empty() {
        notes.push(Note::NotReached { shares });
    }
    notes
}

/// The times whose bounds the curve's interval does not give.
fn without_bounds(times: &[(f64, Estimate)]) -> Vec<Note> {
    let no_low = shares(times, |time| time.estimate.is_some() && time.low.is_none());
    let no_high = shares(times, |time| time.estimate.is_some() && time.high.is_none());
    let low = (!no_low.is_empty()).then_some(Note::NoLowerBound { shares: no_low });
    let high = (!no_high.is_empty()).then_some(Note::NoUpperBound { shares: no_high });
    low.into_iter().chain(high).collect()
}

fn shares(times: &[(f64, Estimate)], is: impl Fn(&Estimate) -> bool) -> Vec<f64> {
    times.iter().filter(|(_, time)| is(time)).map(|(share, _)| *share).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{FollowUp, hazard_ratio};
    use super::*;
    use crate::Level;

    fn trials(times: &[(f64, bool)]) -> Vec<FollowUp> {
        times.iter().map(|&(time, event)| FollowUp::new(time, event).unwrap()).collect()
    }

    #[test]
    fn few_is_fewer_than_the_bound() {
        assert_eq!(few_trials(25, PointwiseMethod::LogLog), None);
        assert!(few_trials(24, PointwiseMethod::LogLog).is_some());
        assert_eq!(few_events([("base", 10), ("test", 10)]), None);
        let one = few_events([("base", 10), ("test", 1)]);
        assert_eq!(one, Some(Note::FewEvents { sides: vec![("test".into(), 1)] }));
    }

    #[test]
    fn a_variance_is_0_without_an_event_or_with_all_at_one_time() {
        let of = |times: &[(f64, bool)], until: f64| {
            let curve = KaplanMeier::fit(&trials(times)).unwrap();
            let why = no_variance(&curve, until);
            let mean = super::super::restricted_mean(&curve, until, Level::P95).unwrap();
            assert_eq!(mean.low.is_none(), why.is_some(), "{times:?} {until}");
            why
        };
        let all = [(1.0, true), (2.0, true), (3.0, true), (4.0, true)];
        assert_eq!(of(&all, 4.0), None, "it fell to 0, and not at one time");
        assert_eq!(of(&all, 1.0), Some(NoSpread::NoEvent));
        let at_once = [(1.0, false), (2.0, true), (2.0, true)];
        assert_eq!(of(&at_once, 3.0), Some(NoSpread::OneTime));
        assert_eq!(of(&[(1.0, false), (2.0, false)], 2.0), Some(NoSpread::NoEvent));
        assert_eq!(of(&[(1.0, true), (2.0, false)], 2.0), None);
    }

    #[test]
    fn a_ratio_at_the_edge_says_which() {
        let of = |base: &[(f64, bool)], test: &[(f64, bool)]| {
            let ratio = hazard_ratio(&trials(base), &trials(test), Level::P95).unwrap();
            ratio_at_the_edge(&ratio, "stock", "patched")
        };
        let (seen, none) = ([(1.0, true), (3.0, true)], [(4.0, false), (5.0, false)]);
        let [stock, patched] = ["stock", "patched"].map(str::to_owned);
        let zero = Note::HazardRatioIsZero { without: patched.clone(), with: stock.clone() };
        assert_eq!(of(&seen, &none), Some(zero));
        let infinite = Note::HazardRatioIsInfinite { without: stock, with: patched };
        assert_eq!(of(&none, &seen), Some(infinite));
        assert_eq!(of(&[(1.0, false)], &[(2.0, true)]), Some(Note::NoHazardRatio));
        assert_eq!(of(&seen, &[(2.0, true), (2.5, true)]), None);
    }

    #[test]
    fn every_time_without_a_value_is_named_once() {
        let some = |low, high| Estimate { estimate: Some(2.0), low, high };
        let none = Estimate::default();
        let times = [
            (0.5, some(Some(1.0), None)),
            (0.25, some(None, Some(3.0))),
            (0.9, none),
            (0.999, none),
        ];
        assert_eq!(not_reached(&times), [Note::NotReached { shares: vec![0.9, 0.999] }]);
        let open = without_bounds(&times);
        assert_eq!(open[0], Note::NoLowerBound { shares: vec![0.25] });
        assert_eq!(open[1], Note::NoUpperBound { shares: vec![0.5] });
        assert_eq!(not_reached(&[(0.5, none)]), [Note::NoMedian]);
    }
}
