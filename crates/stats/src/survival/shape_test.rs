//! Does the event come without memory? Shape = 1 of a Weibull law against any shape.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::smallest_extreme::SmallestExtreme;
use super::{Lifetime, fit_weibull, location_scale};
use crate::{Alternative, StatError, TestResult};

/// Events below which the test rejects a constant hazard far more often than its level says.
pub const FEWEST_EVENTS: usize = 10;

/// The likelihood-ratio test that the hazard is constant: 2 × (log-likelihood of the Weibull fit −
/// of the exponential one) against chi-square on 1 degree of freedom. A small p-value says that
/// the time already waited matters, in the direction that the fitted shape shows. The chi-square
/// law is an approximation for many events; with few, the test rejects too often: at 5 %, simulated
/// on uncensored exponential times, 15 % with 3 events, 10 % with 5, 8 % with 7, 7 % with 15, 5 % with
/// 50. So there is none below [`FEWEST_EVENTS`]. A large p-value from few events says nothing.
///
/// # Errors
///
/// [`StatError::TooFew`] below [`FEWEST_EVENTS`] events; otherwise as [`fit_weibull`].
///
/// ```
/// use stallscope_stats::survival::{Lifetime, shape_test};
/// // Forty times that are nearly the same: the longer the wait, the nearer the event.
/// let times: Vec<Lifetime> = (0..40).map(|i| Lifetime::Exact(100.0 + f64::from(i))).collect();
/// assert!(shape_test(&times)?.p_value.unwrap() < 1e-6);
/// assert!(shape_test(&times[..9]).is_err());
/// # Ok::<(), stallscope_stats::StatError>(())
/// ```
pub fn shape_test(trials: &[Lifetime]) -> Result<TestResult, StatError> {
    let events = trials.iter().filter(|trial| trial.event()).count();
    if events < FEWEST_EVENTS {
        return Err(StatError::too_few(
            "the test of whether the hazard is constant",
            format!("{FEWEST_EVENTS} events"),
            events,
        ));
    }
    likelihood_ratio(trials)
}

/// The test without the check of how many events there are.
pub(crate) fn likelihood_ratio(trials: &[Lifetime]) -> Result<TestResult, StatError> {
    let weibull = fit_weibull(trials)?;
    let exponential = location_scale::fit::<SmallestExtreme>("exponential", trials, Some(1.0))?;
    // Rounding can put the wider model a hair below the narrower one.
    let statistic = (2.0 * (weibull.log_likelihood - exponential.log_likelihood)).max(0.0);
    Ok(TestResult {
        method: "shape-likelihood-ratio",
        alternative: Alternative::TwoSided,
        statistic: Some(statistic),
        p_value: ChiSquared::new(1.0).ok().map(|law| law.sf(statistic)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hazard_that_rises_is_told_from_a_constant_one() {
        // Quantiles of an exponential law, and their square roots: shape 1 and 2.
        let at = |power: f64| -> Vec<Lifetime> {
            (0..40)
                .map(|i| Lifetime::Exact((-((f64::from(i) + 0.5) / 40.0).ln()).powf(power)))
                .collect()
        };
        assert!(shape_test(&at(1.0)).unwrap().p_value.unwrap() > 0.5);
        assert!(shape_test(&at(0.5)).unwrap().p_value.unwrap() < 1e-4);
        assert!(shape_test(&[Lifetime::RightCensored(1.0)]).is_err());
        let error = shape_test(&at(1.0)[..9]).unwrap_err().to_string();
        assert!(error.ends_with("needs 10 events: there is 9"), "{error}");
    }
}
