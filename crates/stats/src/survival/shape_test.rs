//! Does the event come without memory? Shape = 1 of a Weibull law against any shape.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::smallest_extreme::SmallestExtreme;
use super::{Lifetime, fit_weibull, location_scale};
use crate::{Alternative, StatError, TestResult};

/// The likelihood-ratio test that the hazard is constant: 2 × (log-likelihood of the Weibull fit −
/// of the exponential one) against chi-square on 1 degree of freedom. A small p-value says that
/// the time already waited matters, in the direction that the fitted shape shows. The chi-square
/// law is an approximation for many events; with few, the test rejects too often: at 5 %, simulated
/// on uncensored exponential times, 10 % with 5 events, 8 % with 7, 7 % with 15, 5 % with 50. A
/// large p-value from few events says nothing.
///
/// # Errors
///
/// As [`fit_weibull`].
pub fn shape_test(trials: &[Lifetime]) -> Result<TestResult, StatError> {
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
    }
}
