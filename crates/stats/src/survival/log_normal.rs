//! The log-normal law by maximum likelihood: a hazard that rises and then falls.

use libm::erfc;

use super::Lifetime;
use super::location_scale::{self, Derivatives, StandardLaw};
use crate::StatError;

/// log T is normal with mean `mu` and standard deviation `sigma`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogNormalFit {
    /// The mean of the log time: exp(mu) is the median, in the unit of the times.
    pub mu: f64,
    /// The standard deviation of the log time.
    pub sigma: f64,
    /// The maximum of the log-likelihood of the times.
    pub log_likelihood: f64,
}

/// Fits mu and sigma to times of any kind. Assumes independent trials and independent censoring.
///
/// # Errors
///
/// [`StatError::TooFew`] where no maximum exists, as for [`fit_weibull`](super::fit_weibull).
///
/// ```
/// use stallscope_stats::survival::{Lifetime, fit_log_normal};
/// let fit = fit_log_normal(&[1.0, 10.0, 100.0].map(Lifetime::Exact))?;
/// assert!((fit.mu - 10f64.ln()).abs() < 1e-6);
/// assert!((fit.sigma - 10f64.ln() * (2.0f64 / 3.0).sqrt()).abs() < 1e-6);
/// # Ok::<(), stallscope_stats::StatError>(())
/// ```
pub fn fit_log_normal(trials: &[Lifetime]) -> Result<LogNormalFit, StatError> {
    let fit = location_scale::fit::<StandardNormal>("log-normal", trials, None)?;
    Ok(LogNormalFit { mu: fit.location, sigma: fit.scale, log_likelihood: fit.log_likelihood })
}

pub(super) struct StandardNormal;

impl StandardLaw for StandardNormal {
    fn log_density(z: f64) -> Derivatives {
        Derivatives { value: log_phi(z), first: -z, second: -1.0 }
    }

    fn log_survival(z: f64) -> Derivatives {
        let value = log_upper_tail(z);
        let hazard = (log_phi(z) - value).exp();
        // d hazard/dz = hazard × (hazard − z), which is above 0; far out the difference is 1/z.
        let excess = if z > FAR { 1.0 / z } else { hazard - z };
        Derivatives { value, first: -hazard, second: -hazard * excess }
    }

    fn log_between(a: f64, b: f64) -> f64 {
        let (a, b) = if a + b < 0.0 { (-b, -a) } else { (a, b) };
        // Now the middle is at or above 0: the difference of two upper tails.
        let tail = log_upper_tail(a);
        (-(log_upper_tail(b) - tail).exp_m1()).ln() + tail
    }
}

/// Beyond this, the upper tail by its asymptotic series; erfc is near the end of its range.
const FAR: f64 = 30.0;

fn log_phi(z: f64) -> f64 {
    const HALF_LOG_TWO_PI: f64 = 0.918_938_533_204_672_8;
    -0.5 * z * z - HALF_LOG_TWO_PI
}

/// log P(Z > z).
fn log_upper_tail(z: f64) -> f64 {
    if z <= FAR {
        return (0.5 * erfc(z * std::f64::consts::FRAC_1_SQRT_2)).ln();
    }
    if z.is_infinite() {
        return f64::NEG_INFINITY;
    }
    // φ(z)/z × (1 − 1/z² + 3/z⁴ − 15/z⁶ + 105/z⁸); the next term is below 2e-12 at 30.
    let w = 1.0 / (z * z);
    log_phi(z) - z.ln() + (-w * (1.0 - w * (3.0 - w * (15.0 - w * 105.0)))).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_law_agrees_with_its_derivatives() {
        location_scale::tests::check_law::<StandardNormal>(-40..40);
    }

    #[test]
    fn the_far_tail_joins_the_near_one() {
        let jump = log_upper_tail(FAR + 1e-9) - log_upper_tail(FAR);
        assert!((jump + FAR * 1e-9).abs() < 1e-10, "{jump}");
        // R: pnorm(50, lower.tail = FALSE, log.p = TRUE)
        assert!((log_upper_tail(50.0) + 1_254.831_361_139_42).abs() < 1e-8);
        let narrow = StandardNormal::log_between(40.0, 40.5);
        assert!(narrow.is_finite() && narrow < log_upper_tail(40.0));
    }

    #[test]
    fn the_tails_agree_with_scipy() {
        let golden: serde_json::Value =
            serde_json::from_str(include_str!("../../oracle/survival_python.json")).unwrap();
        let numbers = |key: &str| -> Vec<f64> {
            let array = golden["far_tails"][key].as_array().unwrap();
            array.iter().map(|x| x.as_f64().unwrap()).collect()
        };
        for (z, log_sf) in numbers("z").into_iter().zip(numbers("log_sf")) {
            let found = log_upper_tail(z);
            assert!((found - log_sf).abs() <= 1e-13 * log_sf.abs().max(1e-2), "{z} {found}");
        }
    }

    #[test]
    fn uncensored_it_is_the_mean_and_the_deviation_of_the_logs() {
        let times = [0.5, 1.0, 3.0, 4.0, 20.0];
        let fit = fit_log_normal(&times.map(Lifetime::Exact)).unwrap();
        let mu = times.iter().map(|t: &f64| t.ln()).sum::<f64>() / 5.0;
        let variance = times.iter().map(|t| (t.ln() - mu).powi(2)).sum::<f64>() / 5.0;
        assert!((fit.mu - mu).abs() < 1e-13);
        assert!((fit.sigma / variance.sqrt() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn one_value_has_no_spread() {
        assert!(fit_log_normal(&[Lifetime::Exact(2.0)]).is_err());
        assert!(fit_log_normal(&[Lifetime::RightCensored(2.0)]).is_err());
        assert!(fit_log_normal(&[]).is_err());
    }
}
