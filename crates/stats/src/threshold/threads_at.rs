//! The thread count at which a given share of the trials stalls, with its profile interval.
//!
//! The curve is parametrised by t = log₂ T itself: logit p = λ + b (x − t), λ = logit of the share.
//! For each t the penalised likelihood is maximised over b ≥ 0, and the interval is every t that the
//! ratio test does not reject. No normal approximation of −intercept/slope is made, so the interval
//! is neither symmetric nor always two-sided: as t goes to infinity, b goes to 0 and the curve to a
//! constant below the share; where such a constant is not rejected, there is no upper bound (and so
//! downwards). b ≥ 0 because a threshold is where stalls begin: a curve that falls has none.
//!
//! Beyond a factor of 2⁶⁴ from the thread counts tried nothing is looked for; a bound or an estimate out
//! there is none.

use super::super::proportion::two_sided_z;
use super::super::root::crossing;
use super::super::{Estimate, Level};
use super::firth::{Curve, FirthFit, Line, Parameters};

/// How far outside the thread counts tried, in doublings.
const REACH: f64 = 64.0;

/// The thread count where the curve passes `share`.
pub(super) fn threads_at(curve: &Curve, fit: &FirthFit, share: f64, level: Level) -> Estimate {
    let lambda = (share / (1.0 - share)).ln();
    let (Some(&first), Some(&last)) = (curve.x.first(), curve.x.last()) else {
        return Estimate { estimate: None, low: None, high: None };
    };
    let (begin, end) = (first - REACH, last + REACH);
    let estimate = Some((lambda - fit.intercept) / fit.slope - curve.centre)
        .filter(|t| fit.slope > 0.0 && (begin..=end).contains(t));

    let allowed = two_sided_z(level).powi(2);
    let excess =
        |t: f64| 2.0 * (fit.penalised_log_likelihood - most_through(curve, t, lambda)) - allowed;

    // Fine within the thread counts tried, coarser outside; the estimate is itself a place.
    let step = (last - first) / 16.0;
    let mut places: Vec<f64> = (0..=16).map(|i| first + f64::from(i) * step).collect();
    let mut away = step;
    while away < REACH {
        places.extend([first - away, last + away]);
        away *= 2.0;
    }
    places.extend([begin, end]);
    places.extend(estimate);
    places.sort_unstable_by(f64::total_cmp);
    let kept: Vec<bool> = places.iter().map(|&t| excess(t) <= 0.0).collect();

    let threads = |t: f64| (t + curve.centre).exp2();
    // The outermost places kept decide; a bound lies between one of them and the next beyond.
    let low = kept.iter().position(|&kept| kept).filter(|&i| i > 0);
    let high = kept.iter().rposition(|&kept| kept).filter(|&i| i + 1 < places.len());
    Estimate {
        estimate: estimate.map(threads),
        low: low.and_then(|i| crossing(excess, places[i - 1], places[i])).map(threads),
        high: high.and_then(|i| crossing(excess, places[i], places[i + 1])).map(threads),
    }
}

/// The largest penalised likelihood among curves that pass log-odds `lambda` at t and do not fall.
fn most_through(curve: &Curve, t: f64, lambda: f64) -> f64 {
    let line =
        Line { origin: Parameters { c: lambda, b: 0.0 }, direction: Parameters { c: -t, b: 1.0 } };
    let slope_of = |score: Parameters| score.b - t * score.c;
    // Slopes from one that is flat over all the rows to one that is a step between two of them.
    let width = curve.x.last().zip(curve.x.first()).map_or(1.0, |(last, first)| last - first);
    let narrowest = curve.x.windows(2).map(|pair| pair[1] - pair[0]).fold(width, f64::min);
    let (flattest, steepest) = (1e-5 / (width + t.abs()), 200.0 / narrowest);
    let slopes = std::iter::successors(Some(flattest), |b| Some(b * std::f64::consts::SQRT_2))
        .take_while(|b| *b < steepest * 2.0);
    // There may be several maxima, one for each gap between rows in which the curve may rise. All
    // are climbed: the best place seen may be on the foot of the highest or near the top of a lower
    // one, and taking the wrong one would put a jump into the profile and a bound where it jumps.
    let mut most = f64::NEG_INFINITY;
    let mut before: Option<(f64, f64)> = None;
    for b in std::iter::once(0.0).chain(slopes) {
        let here = curve.likelihood(line.at(b));
        let uphill = slope_of(here.score);
        most = most.max(here.value);
        if let Some((b_before, uphill_before)) = before
            && uphill_before > 0.0
            && uphill < 0.0
            && let Some(top) =
                crossing(|b| slope_of(curve.likelihood(line.at(b)).score), b_before, b)
        {
            most = most.max(curve.likelihood(line.at(top)).value);
        }
        before = Some((b, uphill));
    }
    most
}

#[cfg(test)]
mod tests {
    use super::super::{ThreadsTried, threshold};
    use super::*;

    #[test]
    fn a_bound_is_that_of_the_highest_maximum() {
        // Through T = 50.2 with log-odds of 10 % the likelihood has a maximum at slope 4.007 and a lower one
        // at 7.408. mpmath: twice the fall from the top reaches 2.7055 at T = 50.7971551.
        let rows = [
            (46, 6, 0),
            (51, 5, 2),
            (58, 9, 3),
            (152, 10, 10),
            (159, 6, 6),
            (191, 11, 11),
            (237, 6, 6),
            (242, 5, 5),
        ]
        .map(|(threads, n, k)| ThreadsTried { threads, n, k });
        let found = threshold(&rows, Level::new(0.9).unwrap()).unwrap().t10;
        assert!(found.high.is_some_and(|high| (high - 50.797_155_1).abs() < 1e-6), "{found:?}");
    }
}
