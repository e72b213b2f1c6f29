//! The Kaplan-Meier estimate of a survival curve, and Greenwood's variance.

use super::risk_sets::tied_times;
use super::{FollowUp, Step};
use crate::StatError;

/// The product-limit estimate: S(t) is the product over the event times u ≤ t of
/// 1 − events(u) / at_risk(u). Greenwood: Var log S(t) is the sum of
/// events / (at_risk × (at_risk − events)).
///
/// Assumes that what ends the following of a trial says nothing about its event (censoring that is
/// independent of the time, as a fixed length of run is), and that trials are independent.
///
/// Kaplan and Meier (1958), J. Am. Stat. Assoc. 53:457; Greenwood (1926).
#[derive(Debug, Clone, PartialEq)]
pub struct KaplanMeier {
    steps: Vec<Step>,
    trials: u64,
    events: u64,
}

impl KaplanMeier {
    /// Estimates the curve, in O(n log n).
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] without a trial.
    ///
    /// ```
    /// use stallscope_stats::survival::{FollowUp, KaplanMeier};
    /// let trials = [FollowUp::seen(14.0)?, FollowUp::seen(33.0)?, FollowUp::censored(300.0)?];
    /// let curve = KaplanMeier::fit(&trials)?;
    /// assert_eq!(curve.survival_at(33.0), 1.0 / 3.0);
    /// # Ok::<(), stallscope_stats::StatError>(())
    /// ```
    pub fn fit(trials: &[FollowUp]) -> Result<Self, StatError> {
        if trials.is_empty() {
            return Err(StatError::too_few("a survival curve", "at least one trial", "none"));
        }
        let mut steps = tied_times(trials);
        let mut at_risk = trials.len() as u64;
        let mut greenwood = 0.0;
        let mut total_events = 0;
        // Between two censorings the factors telescope to left / at_risk, which is rounded once.
        // So S is the nearest number to k/n where nothing is censored, and reaches 1/2 exactly.
        let (mut anchor, mut anchored_at) = (1.0, at_risk);
        for step in &mut steps {
            let left = at_risk - step.events;
            step.at_risk = at_risk;
            step.survival = anchor * (left as f64 / anchored_at as f64);
            if step.events > 0 {
                greenwood += step.events as f64 / (at_risk as f64 * left as f64);
            }
            step.greenwood = greenwood;
            total_events += step.events;
            at_risk = left - step.censored;
            if step.censored > 0 {
                (anchor, anchored_at) = (step.survival, at_risk);
            }
        }
        Ok(KaplanMeier { steps, trials: trials.len() as u64, events: total_events })
    }

    /// The curve at each distinct time, ascending.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How many trials there are.
    pub fn trials(&self) -> u64 {
        self.trials
    }

    /// How many events were seen.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The last time anyone was followed to. Beyond it the curve is not estimated, unless it is 0.
    pub fn last_time(&self) -> f64 {
        self.steps.last().map_or(0.0, |step| step.time)
    }

    /// S(time) by the last step at or before `time`. Beyond [`last_time`](Self::last_time) that is
    /// the last value, which is an estimate only if it is 0.
    pub fn survival_at(&self, time: f64) -> f64 {
        let passed = self.steps.partition_point(|step| step.time <= time);
        passed.checked_sub(1).and_then(|i| self.steps.get(i)).map_or(1.0, |step| step.survival)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survival::fixture::{REPORTED, curve};

    #[test]
    fn recoveries_of_the_report() {
        let curve = curve(&REPORTED);
        let survival: Vec<f64> = curve.steps().iter().map(|step| step.survival).collect();
        let expected: Vec<f64> = (1..=6).map(|gone| (7 - gone) as f64 / 7.0).collect();
        assert_eq!(survival, expected);
        assert_eq!(curve.survival_at(300.0), 1.0 / 7.0);
        assert_eq!(curve.survival_at(13.9), 1.0);
        // Uncensored, Greenwood's S² × sum is the binomial variance p(1 − p)/n.
        let step = curve.steps()[2];
        let p = 4.0 / 7.0;
        assert!((step.survival.powi(2) * step.greenwood - p * (1.0 - p) / 7.0).abs() < 1e-15);
    }

    #[test]
    fn a_trial_censored_at_an_event_time_is_still_at_risk() {
        let curve = curve(&[(1.0, true), (1.0, false), (2.0, true)]);
        assert_eq!(curve.steps()[0].at_risk, 3);
        assert_eq!(curve.steps()[0].survival, 2.0 / 3.0);
        assert_eq!(curve.steps()[1].at_risk, 1);
        assert_eq!(curve.steps()[1].survival, 0.0);
        assert_eq!(curve.steps()[1].greenwood, f64::INFINITY);
    }

    #[test]
    fn all_censored_stays_at_one() {
        let curve = curve(&[(5.0, false), (5.0, false), (7.0, false)]);
        assert_eq!(curve.events(), 0);
        assert!(curve.steps().iter().all(|step| step.survival == 1.0 && step.greenwood == 0.0));
    }

    #[test]
    fn one_trial() {
        assert_eq!(curve(&[(5.0, true)]).survival_at(5.0), 0.0);
        assert_eq!(curve(&[(5.0, false)]).survival_at(5.0), 1.0);
        assert!(KaplanMeier::fit(&[]).is_err());
    }

    #[test]
    fn ties_are_one_step() {
        let curve = curve(&[(2.0, true), (2.0, true), (2.0, true), (3.0, true)]);
        assert_eq!(curve.steps().len(), 2);
        assert_eq!(curve.steps()[0].events, 3);
        assert_eq!(curve.steps()[0].survival, 0.25);
    }
}
