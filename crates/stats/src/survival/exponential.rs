//! The exponential law: a constant hazard, the event as likely in the next second as in this one.

use statrs::distribution::{ChiSquared, ContinuousCDF, Gamma};

use super::follow_up::{FollowUp, Lifetime, latest};
use super::location_scale;
use super::smallest_extreme::SmallestExtreme;
use super::unit::{beyond_range, unit_of};
use crate::{Interval, Level, StatError, root};

/// An exponential fit.
#[derive(Debug, Clone, PartialEq)]
pub struct ExponentialFit {
    /// Events a unit of time. 0 without an event.
    pub rate: f64,
    /// The interval of the rate: `exact-gamma`, `exact-poisson` or `profile-likelihood`.
    pub interval: Interval,
    /// The maximum of the log-likelihood.
    pub log_likelihood: f64,
}

/// Fits a constant hazard. With d events in a total time T followed:
///
/// - Nothing censored: 2 × rate × T is chi-square on 2d degrees of freedom, so the interval
///   (`exact-gamma`) from χ²(α/2, 2d)/2T to χ²(1 − α/2, 2d)/2T is exact.
/// - Otherwise `exact-poisson`: χ²(α/2, 2d)/2T to χ²(1 − α/2, 2d + 2)/2T, the exact interval of a
///   Poisson rate seen for a time T. It is exact if T was fixed in advance; where each trial is
///   cut at a fixed time, T depends on the events a little, and the interval is at or above its
///   level in simulation (`xtask/src/calibrate/rates.rs`), not by proof.
///
/// Without an event the rate is 0, and the upper bound is −log(α/2)/T.
///
/// Epstein and Sobel (1953), J. Am. Stat. Assoc. 48:486; Garwood (1936), Biometrika 28:437.
///
/// # Errors
///
/// [`StatError::TooFew`] without a trial or if no time was followed at all; [`StatError::Domain`] where
/// the times are so near to 0 that no number holds the rate.
///
/// ```
/// use stallscope_stats::{Level, survival::{FollowUp, fit_exponential}};
/// // Two events in 100 s of watching.
/// let trials = [FollowUp::seen(10.0)?, FollowUp::seen(30.0)?, FollowUp::censored(60.0)?];
/// assert!((fit_exponential(&trials, Level::P95)?.rate - 0.02).abs() < 1e-12);
/// # Ok::<(), stallscope_stats::StatError>(())
/// ```
pub fn fit_exponential(trials: &[FollowUp], level: Level) -> Result<ExponentialFit, StatError> {
    let events = trials.iter().filter(|trial| trial.event()).count() as u64;
    let longest = trials.iter().fold(0.0, |longest: f64, trial| longest.max(trial.time()));
    if longest <= 0.0 {
        return Err(StatError::too_few(
            "an exponential rate",
            "a total time followed above 0",
            format!("0 over the {} trials", trials.len()),
        ));
    }
    // The sum of the times themselves may be beyond the range of numbers.
    let unit = unit_of(longest);
    let total: f64 = trials.iter().map(|trial| trial.time() / unit).sum();
    let d = events as f64;
    let half = level.alpha() / 2.0;
    // χ²(p, 2d)/2 is the quantile of a gamma variable of shape d.
    let low = if events == 0 { 0.0 } else { gamma_quantile(d, half) };
    let (method, high) = if events == trials.len() as u64 {
        ("exact-gamma", gamma_quantile(d, 1.0 - half))
    } else {
        ("exact-poisson", gamma_quantile(d + 1.0, 1.0 - half))
    };
    let [rate, low, high] = [d, low, high].map(|count| count / total / unit);
    if !(rate.is_finite() && high.is_finite()) {
        return Err(beyond_range("an exponential rate", longest));
    }
    Ok(ExponentialFit {
        rate,
        interval: Interval::new(method, level, low, high),
        log_likelihood: if events == 0 { 0.0 } else { d * ((d / total).ln() - unit.ln() - 1.0) },
    })
}

/// Fits a constant hazard where times are known between two looks, by maximum likelihood. There is
/// no exact interval: the rates are kept whose log-likelihood is within χ²(level, 1)/2 of the
/// maximum (`profile-likelihood`).
///
/// # Errors
///
/// [`StatError::TooFew`] without an event, or with no trial that lasted beyond a first look;
/// [`StatError::Domain`] where no number holds the rate in the unit of the times.
pub fn fit_exponential_interval(
    trials: &[Lifetime],
    level: Level,
) -> Result<ExponentialFit, StatError> {
    let fit = location_scale::fit::<SmallestExtreme>("exponential", trials, Some(1.0))?;
    let fall = ChiSquared::new(1.0).map_or(f64::NAN, |law| law.inverse_cdf(level.get()) / 2.0);
    let above = |location: f64| {
        location_scale::log_likelihood::<SmallestExtreme>(trials, location, 1.0)
            - (fit.log_likelihood - fall)
    };
    // The log-likelihood is concave in the location, −log(rate).
    let bound = |direction: f64| {
        let mut width = 1.0;
        while width < 1e3 {
            if above(fit.location + direction * width) < 0.0 {
                return root::crossing(above, fit.location, fit.location + direction * width);
            }
            width *= 2.0;
        }
        None
    };
    let rate = |location: f64| (-location).exp();
    if !rate(fit.location).is_normal() {
        return Err(beyond_range("an exponential rate", latest(trials)));
    }
    Ok(ExponentialFit {
        rate: rate(fit.location),
        interval: Interval {
            method: "profile-likelihood",
            level,
            low: bound(1.0).map(rate),
            high: bound(-1.0).map(rate).filter(|bound| bound.is_finite()),
        },
        log_likelihood: fit.log_likelihood,
    })
}

/// The quantile of a gamma variable of this shape and scale 1.
fn gamma_quantile(shape: f64, p: f64) -> f64 {
    Gamma::new(shape, 1.0).map_or(f64::NAN, |gamma| gamma.inverse_cdf(p))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survival::fixture::trials;

    #[test]
    fn the_bounds_have_their_chi_square_tails() {
        let fit =
            fit_exponential(&trials(&[(10.0, true), (30.0, true), (60.0, false)]), Level::P95)
                .unwrap();
        assert_eq!(fit.rate, 0.02);
        assert_eq!(fit.interval.method, "exact-poisson");
        // R: qchisq(.025, 4)/200, qchisq(.975, 6)/200
        assert!((fit.interval.low.unwrap() / 0.002_422_092_785_439_649 - 1.0).abs() < 1e-12);
        assert!((fit.interval.high.unwrap() / 0.072_246_876_677_239_59 - 1.0).abs() < 1e-12);
        assert!((fit.log_likelihood - 2.0 * (0.02f64.ln() - 1.0)).abs() < 1e-14);
    }

    #[test]
    fn nothing_censored_is_exact() {
        let fit = fit_exponential(&trials(&[(10.0, true), (30.0, true)]), Level::P95).unwrap();
        assert_eq!(fit.interval.method, "exact-gamma");
    }

    #[test]
    fn no_event_bounds_the_rate_from_above() {
        let fit = fit_exponential(&trials(&[(100.0, false), (200.0, false)]), Level::P95).unwrap();
        assert_eq!((fit.rate, fit.interval.low), (0.0, Some(0.0)));
        assert!((fit.interval.high.unwrap() + 0.025f64.ln() / 300.0).abs() < 1e-14);
        assert_eq!(fit.log_likelihood, 0.0);
    }

    #[test]
    fn looks_close_to_the_events_say_nearly_what_the_events_say() {
        let exact = [3.0, 8.0, 20.0, 21.0];
        let looks = exact.map(|t| Lifetime::between(t - 1e-6, Some(t + 1e-6)).unwrap());
        let fit = fit_exponential_interval(&looks, Level::P95).unwrap();
        assert!((fit.rate / (4.0 / 52.0) - 1.0).abs() < 1e-9);
        let (low, high) = (fit.interval.low.unwrap(), fit.interval.high.unwrap());
        // At both bounds d × (log ρ − ρ + 1) = −χ²/2, where ρ is the ratio to the rate.
        for bound in [low, high] {
            let ratio = bound / fit.rate;
            let fall = 4.0 * (ratio.ln() - ratio + 1.0);
            assert!((fall + 3.841_458_820_694_124 / 2.0).abs() < 1e-6, "{fall}");
        }
        assert!(fit_exponential_interval(&[Lifetime::RightCensored(1.0)], Level::P95).is_err());
        let first_look = Lifetime::between(0.0, Some(1.0)).unwrap();
        assert!(fit_exponential_interval(&[first_look], Level::P95).is_err());
    }

    #[test]
    fn times_at_the_ends_of_the_range_have_a_rate_or_a_reason() {
        let long = fit_exponential(&trials(&[(1e308, true); 3]), Level::P95).unwrap();
        assert!((long.rate * 1e308 - 1.0).abs() < 1e-12, "{long:?}");
        assert!(long.interval.high.is_some_and(|high| high > long.rate));
        assert!((long.log_likelihood - 3.0 * (-(1e308f64.ln()) - 1.0)).abs() < 1e-9);
        for short in [5e-324, 1e-308] {
            let error = fit_exponential(&trials(&[(short, true)]), Level::P95).unwrap_err();
            assert!(error.to_string().contains("beyond the range of numbers"), "{error}");
            let look = Lifetime::between(short / 2.0, Some(short * 2.0)).unwrap();
            if let Ok(fit) = fit_exponential_interval(&[look, Lifetime::Exact(short)], Level::P95) {
                assert!(fit.rate.is_finite() && fit.interval.high.is_none_or(f64::is_finite));
            }
        }
    }

    #[test]
    fn no_time_is_no_rate() {
        assert!(fit_exponential(&trials(&[(0.0, true)]), Level::P95).is_err());
        assert!(fit_exponential(&[], Level::P95).is_err());
        assert!(fit_exponential(&trials(&[(5e-324, true)]), Level::P95).is_err());
    }
}
