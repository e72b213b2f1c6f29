//! Quantiles of a survival curve, such as the median time, with their intervals.

use super::{Bounds, KaplanMeier, PointwiseMethod};
use crate::{Estimate, Level, StatError};

/// How near to 1 − p a value of S counts as equal to it: above the rounding of a product of a
/// million factors, far below the step of a curve of a million trials.
const FLAT: f64 = 1e-10;

/// The time by which a share `p` of the trials has had the event, in the unit of the times: the
/// first time at which S ≤ 1 − p. Where the curve is flat at 1 − p exactly, the middle of the flat
/// part, as R does and as the median of an even sample; its start, if the curve never falls again.
///
/// The interval inverts the pointwise intervals of S: from the first t to the last whose interval
/// holds 1 − p, itself included (R takes the middle of a bound's flat part where it meets 1 − p
/// exactly, and sorts a bound that does not fall throughout). A bound that the curves do not reach
/// does not exist.
///
/// Brookmeyer and Crowley (1982), Biometrics 38:29.
///
/// # Errors
///
/// [`StatError::Domain`] for a `p` outside (0, 1).
pub fn quantile(
    curve: &KaplanMeier,
    p: f64,
    method: PointwiseMethod,
    level: Level,
) -> Result<Estimate, StatError> {
    quantile_by_band(curve, p, method, level, &method.band(curve, level))
}

/// [`quantile`] by a band of the curve that is there already: that of
/// [`PointwiseMethod::band`] by the same method and level.
///
/// # Errors
///
/// As [`quantile`].
pub fn quantile_by_band(
    curve: &KaplanMeier,
    p: f64,
    method: PointwiseMethod,
    level: Level,
    band: &[Bounds],
) -> Result<Estimate, StatError> {
    if !(p > 0.0 && p < 1.0) {
        return Err(StatError::domain(
            "the share of the trials of a quantile",
            p,
            "a number above 0 and below 1, such as 0.9",
        ));
    }
    Ok(inverted(curve, p, method.before(curve, level), band))
}

/// [`median`] by a band of the curve that is there already: that of
/// [`PointwiseMethod::band`] by the same method and level.
pub fn median_by_band(
    curve: &KaplanMeier,
    method: PointwiseMethod,
    level: Level,
    band: &[Bounds],
) -> Estimate {
    inverted(curve, 0.5, method.before(curve, level), band)
}

/// The quantile, its interval by inverting the curve's.
fn inverted(curve: &KaplanMeier, p: f64, before: Bounds, band: &[Bounds]) -> Estimate {
    let times = curve.steps().iter().map(|step| step.time);
    // So few trials that S may be at 1 − p from the start have a lower bound of 0.
    let start = std::iter::once((0.0, before.low()));
    let low = start.chain(times.clone().zip(band.iter().map(|bounds| bounds.low_after())));
    let high = times.clone().zip(band.iter().map(|bounds| bounds.high()));
    let survival = times.zip(curve.steps().iter().map(|step| Some(step.survival)));
    Estimate {
        estimate: first_at_or_below(survival, 1.0 - p),
        low: first(low, |bound| bound <= 1.0 - p + FLAT),
        high: first(high, |bound| bound < 1.0 - p - FLAT),
    }
}

/// The median time with its interval: [`quantile`] at 1/2.
pub fn median(curve: &KaplanMeier, method: PointwiseMethod, level: Level) -> Estimate {
    quantile(curve, 0.5, method, level).unwrap_or(Estimate {
        estimate: None,
        low: None,
        high: None,
    })
}

/// The first time at which what is known of the curve is so.
fn first(
    mut steps: impl Iterator<Item = (f64, Option<f64>)>,
    is: impl Fn(f64) -> bool,
) -> Option<f64> {
    steps.find(|&(_, bound)| bound.is_some_and(&is)).map(|(time, _)| time)
}

fn first_at_or_below(steps: impl Iterator<Item = (f64, Option<f64>)>, target: f64) -> Option<f64> {
    let mut known = steps.filter_map(|(time, value)| value.map(|value| (time, value)));
    let (start, value) = known.find(|&(_, value)| value <= target + FLAT)?;
    if value < target - FLAT {
        return Some(start);
    }
    let end = known.find(|&(_, later)| later < value - FLAT).map_or(start, |(time, _)| time);
    Some(start + (end - start) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survival::fixture::{REPORTED, curve};

    #[test]
    fn the_median_of_the_reported_recoveries() {
        // R: survfit(conf.type = "log-log").
        let curve = curve(&REPORTED);
        let median = median(&curve, PointwiseMethod::LogLog, Level::P95);
        assert_eq!(median.estimate, Some(169.0));
        assert_eq!(median.low, Some(14.0));
        assert_eq!(median.high, Some(300.0));
    }

    #[test]
    fn too_few_trials_for_a_lower_bound_have_none_above_zero() {
        // (1/2)^5 is above 2.5 %: five trials may all come late with a median of nearly 0.
        let times: Vec<(f64, bool)> = (1..=5).map(|i| (f64::from(i), true)).collect();
        let median =
            |times: &[(f64, bool)]| median(&curve(times), PointwiseMethod::BetaProduct, Level::P95);
        assert_eq!(median(&times).low, Some(0.0));
        // Six are enough: 1 − 2 / 2^6 is 96.9 %, from the first to the last.
        let times: Vec<(f64, bool)> = (1..=6).map(|i| (f64::from(i), true)).collect();
        assert_eq!((median(&times).low, median(&times).high), (Some(1.0), Some(6.0)));
    }

    #[test]
    fn a_bound_that_meets_one_half_exactly_is_held() {
        // At level 3/4, three trials that all last bound S by (1/8)^(1/3) = 1/2 from the start.
        let curve = curve(&[(1.0, true), (2.0, true), (4.0, true)]);
        let level = Level::new(0.75).unwrap();
        let found = median(&curve, PointwiseMethod::BetaProduct, level);
        assert_eq!((found.low, found.high), (Some(0.0), None));
    }

    #[test]
    fn an_even_sample_has_the_middle_of_its_flat_part() {
        let curve = curve(&[(1.0, true), (2.0, true), (4.0, true), (5.0, true)]);
        assert_eq!(median(&curve, PointwiseMethod::LogLog, Level::P95).estimate, Some(3.0));
    }

    #[test]
    fn a_curve_that_ends_at_one_half_has_the_start_of_its_flat_part() {
        let curve = curve(&[(1.0, true), (9.0, false)]);
        assert_eq!(median(&curve, PointwiseMethod::LogLog, Level::P95).estimate, Some(1.0));
    }

    #[test]
    fn a_curve_above_one_half_has_no_median() {
        let curve = curve(&[(1.0, true), (2.0, false), (3.0, false)]);
        assert_eq!(median(&curve, PointwiseMethod::LogLog, Level::P95).estimate, None);
        assert!(quantile(&curve, 1.0, PointwiseMethod::LogLog, Level::P95).is_err());
    }
}
