//! The Weibull law by maximum likelihood: a hazard that falls (shape < 1), stays or rises with
//! the time already waited.

use super::follow_up::{Lifetime, latest};
use super::location_scale;
use super::smallest_extreme::SmallestExtreme;
use super::unit::beyond_range;
use crate::StatError;

/// S(t) = exp(−(t / scale)^shape).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeibullFit {
    /// The time by which 1 − 1/e of the trials have had the event, in the unit of the times.
    pub scale: f64,
    /// 1 is the exponential law.
    pub shape: f64,
    /// The maximum of the log-likelihood of the times.
    pub log_likelihood: f64,
}

/// Fits scale and shape to times of any kind. Assumes independent trials and independent censoring.
///
/// # Errors
///
/// [`StatError::TooFew`] where no maximum exists: no event, an event at time 0, or times that are
/// all one value. [`StatError::Domain`] where no number holds the scale in the unit of the times.
///
/// ```
/// use stallscope_stats::survival::{fit_weibull, Lifetime};
/// let mut trials = [14.0, 33.0, 165.0, 169.0, 280.0, 300.0].map(Lifetime::Exact).to_vec();
/// trials.push(Lifetime::RightCensored(300.0));
/// let fit = fit_weibull(&trials)?;
/// assert!((fit.scale - 213.517).abs() < 1e-3 && (fit.shape - 1.1633).abs() < 1e-4);
/// # Ok::<(), stallscope_stats::StatError>(())
/// ```
pub fn fit_weibull(trials: &[Lifetime]) -> Result<WeibullFit, StatError> {
    let fit = location_scale::fit::<SmallestExtreme>("weibull", trials, None)?;
    let scale = fit.location.exp();
    if !scale.is_normal() {
        return Err(beyond_range("a Weibull scale", latest(trials)));
    }
    Ok(WeibullFit { scale, shape: 1.0 / fit.scale, log_likelihood: fit.log_likelihood })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_grid_of_looks_says_nearly_what_exact_times_say() {
        let exact = [14.0, 33.0, 165.0, 169.0, 280.0, 301.0].map(Lifetime::Exact);
        let looked = exact.map(|trial| match trial {
            Lifetime::Exact(t) => Lifetime::between(t - 1e-3, Some(t + 1e-3)).unwrap(),
            other => other,
        });
        let (exact, looked) = (fit_weibull(&exact).unwrap(), fit_weibull(&looked).unwrap());
        assert!((exact.scale / looked.scale - 1.0).abs() < 1e-6);
        assert!((exact.shape / looked.shape - 1.0).abs() < 1e-6);
        let widths = 6.0 * 2e-3f64.ln();
        assert!((exact.log_likelihood + widths - looked.log_likelihood).abs() < 1e-5);
    }

    #[test]
    fn edges_one_rounding_apart_are_as_good_as_exact() {
        let t = 1_853_858_298_472_727.5;
        let others = [Lifetime::Exact(1.0), Lifetime::Exact(0.05)];
        let looked = Lifetime::between(t, Some(t + 1.0)).unwrap();
        let looked = fit_weibull(&[&others[..], &[looked]].concat()).unwrap();
        let exact = fit_weibull(&[&others[..], &[Lifetime::Exact(t)]].concat()).unwrap();
        assert!((looked.shape / exact.shape - 1.0).abs() < 1e-9);
        assert!((looked.log_likelihood - exact.log_likelihood).abs() < 1e-9);
    }

    #[test]
    fn no_maximum_is_said_not_approximated() {
        use Lifetime::{Between, Exact, RightCensored};
        let between = |left, right| Between { left, right };
        for none in [
            vec![],
            vec![RightCensored(5.0)],
            vec![Exact(5.0)],
            vec![Exact(5.0), Exact(5.0), RightCensored(5.0), RightCensored(2.0)],
            vec![Exact(0.0), Exact(5.0)],
            vec![between(1.0, 2.0), between(1.5, 3.0), RightCensored(1.0)],
            vec![between(0.0, 2.0), RightCensored(2.0)],
            vec![between(0.0, 2.0), between(0.0, 3.0)],
            // Those looked at later had no event, the earlier ones had: the wrong way round.
            vec![between(0.0, 2.0), RightCensored(3.0), between(0.0, 1.0), RightCensored(4.0)],
        ] {
            assert!(fit_weibull(&none).is_err(), "{none:?}");
        }
        // A trial that outlasts the only event is enough to have a spread.
        assert!(fit_weibull(&[Exact(5.0), RightCensored(6.0)]).is_ok());
        assert!(fit_weibull(&[Exact(5.0), RightCensored(0.0), Exact(6.0)]).is_ok());
    }

    #[test]
    fn a_scale_beyond_the_range_of_numbers_is_said() {
        use Lifetime::{Exact, RightCensored};
        let spread = fit_weibull(&[Exact(1e-5), RightCensored(1e300), RightCensored(1e308)]);
        let error = spread.unwrap_err().to_string();
        assert!(error.contains("Weibull scale is beyond the range of numbers"), "{error}");
    }

    #[test]
    fn any_unit_gives_the_same_shape() {
        let times = [0.3, 2.0, 2.0, 7.0, 11.0];
        let base = fit_weibull(&times.map(Lifetime::Exact)).unwrap();
        for unit in [1e-9, 1e-3, 1e6, 1e12] {
            let fit = fit_weibull(&times.map(|time| Lifetime::Exact(time * unit))).unwrap();
            assert!((fit.shape / base.shape - 1.0).abs() < 1e-10, "{unit}");
            assert!((fit.scale / (base.scale * unit) - 1.0).abs() < 1e-10, "{unit}");
        }
    }
}
