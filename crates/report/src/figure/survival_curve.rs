//! A survival curve as it is drawn: steps, its pointwise band, a cross where a trial was censored.

use stats::survival::summary::CurvePoint;

use crate::draw::{Backend, Canvas, DrawError, Look, Plot};

/// The band of the pointwise intervals; it lies below all curves.
pub fn band<DB: Backend>(
    canvas: &Canvas<'_, DB>,
    plot: &Plot,
    curve: &[CurvePoint],
    look: Look,
) -> Result<(), DrawError> {
    for (at, point) in curve.iter().enumerate() {
        let until = curve.get(at + 1).map_or(point.time, |next| next.time);
        if let (Some(low), Some(high)) = (point.low, point.high) {
            let (a, b) = (plot.point_inside(point.time, low), plot.point_inside(until, high));
            canvas.fill(a, b, look.colour, 0.13)?;
        }
    }
    Ok(())
}

/// The steps, and a cross a censored trial.
pub fn steps<DB: Backend>(
    canvas: &Canvas<'_, DB>,
    plot: &Plot,
    curve: &[CurvePoint],
    look: Look,
) -> Result<(), DrawError> {
    let mut steps = vec![plot.point_inside(0.0, 1.0)];
    let mut before = 1.0;
    for point in curve {
        steps.push(plot.point_inside(point.time, before));
        steps.push(plot.point_inside(point.time, point.survival));
        before = point.survival;
    }
    canvas.steps(&steps, look.colour, 1.6)?;
    for point in curve.iter().filter(|point| point.censored.is_some_and(|n| n > 0)) {
        let (x, y) = plot.point_inside(point.time, point.survival);
        canvas.steps(&[(x, y - 4.5), (x, y + 4.5)], look.colour, 1.2)?;
        canvas.steps(&[(x - 4.5, y), (x + 4.5, y)], look.colour, 1.2)?;
    }
    Ok(())
}

/// Trials that had neither the event nor their end before a time.
pub fn at_risk(curve: &[CurvePoint], time: f64) -> u64 {
    curve.iter().find(|point| point.time >= time).map_or(0, |point| point.at_risk.unwrap_or(0))
}
