//! The axis of times to recovery: linear, or logarithmic where curves are so far apart that on a linear
//! one a quick curve would lie on the edge.

use stats::survival::summary::CurvePoint;

use crate::draw::{Axis, Scale};

/// How many times as long one curve's median, or its whole length, is as another's for an axis to be
/// logarithmic. On a linear axis of 600 points a curve of a twentieth is 30 points wide.
const APART: f64 = 20.0;

/// The axis of these curves. A logarithmic one begins below the shortest time above 0; what is shorter
/// still stands at its left end, which its title says where there is such a time.
pub fn time_axis(title: &str, curves: &[&[CurvePoint]]) -> Axis {
    let last = |curve: &&[CurvePoint]| curve.last().map(|point| point.time);
    let median = |curve: &&[CurvePoint]| {
        curve.iter().find(|point| point.survival <= 0.5).map(|point| point.time)
    };
    let longest = curves.iter().filter_map(last).fold(0.0, f64::max);
    if !are_apart(curves.iter().filter_map(last)) && !are_apart(curves.iter().filter_map(median)) {
        let scale = Scale::Linear { low: 0.0, high: longest * 1.02 };
        return Axis { title: title.to_string(), scale, ticks: scale.steps(6) };
    }
    let times = || curves.iter().flat_map(|curve| curve.iter()).map(|point| point.time);
    let shortest = times().filter(|time| *time > 0.0).fold(longest, f64::min);
    let scale = Scale::Log { low: shortest / 1.6, high: longest * 1.1 };
    let at_zero = if times().any(|time| time <= 0.0) { "; at the left end, 0" } else { "" };
    Axis { title: format!("{title} (logarithmic{at_zero})"), scale, ticks: scale.decades() }
}

/// Whether the longest of some times is far above the shortest.
fn are_apart(times: impl Iterator<Item = f64>) -> bool {
    let above_zero = times.filter(|time| *time > 0.0 && time.is_finite());
    let (low, high) = above_zero.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), time| {
        (low.min(time), high.max(time))
    });
    high > low * APART
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(times: &[f64]) -> Vec<CurvePoint> {
        let n = times.len() as f64;
        let point = |(at, time): (usize, &f64)| CurvePoint {
            time: *time,
            at_risk: Some((times.len() - at) as u64),
            events: Some(1),
            censored: Some(0),
            survival: 1.0 - (at as f64 + 1.0) / n,
            low: None,
            high: None,
        };
        times.iter().enumerate().map(point).collect()
    }

    #[test]
    fn times_of_one_size_have_a_linear_axis_and_others_a_logarithmic_one() {
        let (quick, slow) = (curve(&[0.01, 0.02, 0.03]), curve(&[4.0, 5.0, 14.0]));
        let alike = curve(&[2.0, 3.0, 4.0]);
        let is_log =
            |curves: &[&[CurvePoint]]| matches!(time_axis("s", curves).scale, Scale::Log { .. });
        assert!(is_log(&[&slow, &quick]) && is_log(&[&quick, &slow]));
        assert!(!is_log(&[&slow, &alike]) && !is_log(&[&quick]) && !is_log(&[]));
        // One late trial makes the curves as long as each other, but not their medians.
        let mostly_quick = curve(&[0.01, 0.02, 0.03, 13.0]);
        assert!(is_log(&[&slow, &mostly_quick]));
        let axis = time_axis("s", &[&slow, &quick]);
        assert!(axis.scale.at(0.01) > 0.0 && axis.scale.at(14.0) < 1.0);
        let named = axis.ticks.iter().filter(|tick| !tick.label.is_empty()).count();
        assert!(named >= 3, "{:?}", axis.ticks);
    }

    #[test]
    fn a_time_of_0_is_told_to_stand_at_the_left_end() {
        let (quick, slow) = (curve(&[0.0, 0.02, 0.03]), curve(&[4.0, 5.0, 14.0]));
        let axis = time_axis("s", &[&slow, &quick]);
        assert_eq!(axis.title, "s (logarithmic; at the left end, 0)");
        assert!(axis.scale.at(0.0) < 0.0, "off the scale, and drawn at its end");
        let none = curve(&[0.0, 0.0]);
        assert_eq!(time_axis("s", &[&none, &slow]).title, "s");
    }
}
