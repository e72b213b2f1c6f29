//! The common risk ratio, with a score interval.

use super::super::proportion::two_sided_z;
use super::super::root::crossing;
use super::super::two_by_two::koopman;
use super::super::{Interval, Level};
use super::{Contrast, Stratum};

/// Mantel and Haenszel's estimate, Σ k_test n_base / N over Σ k_base n_test / N, and the score
/// interval with the same weights.
///
/// The interval keeps every θ with |Σ w (p_test − θ p_base)| ≤ z √(Σ w² V(θ)), w = n_test n_base / N
/// and V(θ) the variance at each stratum's maximum likelihood under θ. Of one stratum that is
/// Koopman's interval. Unlike the interval from the variance of the logarithm (Greenland and
/// Robins 1985), it exists where a side has no events, and has a width where all trials have one.
/// Without events in the base there is no upper bound; without any in the test the lower is 0.
///
/// Source: O. Miettinen and M. Nurminen (1985), *Comparative analysis of two rates*, the stratified
/// case; J. J. Gart and J. Nam (1988).
pub fn contrast(strata: &[Stratum], level: Level) -> Contrast {
    const METHOD: &str = "mantel-haenszel-score";
    let (mut base, mut test) = (0.0, 0.0);
    let mut tables = Vec::new();
    for stratum in strata {
        let (Some(c), Some(table)) = (stratum.cells(), stratum.table()) else { continue };
        test += c.y1 * c.n2 / c.trials();
        base += c.y2 * c.n1 / c.trials();
        tables.push((c.n1 * c.n2 / c.trials(), table));
    }
    let nothing = Interval { method: METHOD, level, low: None, high: None };
    if tables.is_empty() {
        return Contrast { estimate: None, intervals: vec![nothing] };
    }
    if base == 0.0 && test == 0.0 {
        let interval = Interval { low: Some(0.0), ..nothing };
        return Contrast { estimate: None, intervals: vec![interval] };
    }
    let score = |theta: f64| {
        let (mut distance, mut variance) = (0.0, 0.0);
        for (weight, table) in &tables {
            let here = koopman::at(*table, theta);
            distance += weight * here.distance;
            variance += weight * weight * here.variance;
        }
        koopman::standardised(distance, variance)
    };
    let z = two_sided_z(level);
    // In ln θ. ±60 is far outside any bound that counts up to 1e9 can give.
    let bound = |shift: f64| crossing(|u| score(u.exp()) + shift, -60.0, 60.0).map(f64::exp);
    let low = if test == 0.0 { Some(0.0) } else { bound(-z) };
    let high = if base == 0.0 { None } else { bound(z) };
    Contrast {
        estimate: (base > 0.0).then(|| test / base),
        intervals: vec![Interval { low, high, ..nothing }],
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::binomial::{Probability, pmf};
    use super::super::super::two_by_two::TwoByTwo;
    use super::*;

    fn bounds(strata: &[Stratum]) -> (Option<f64>, Option<f64>) {
        let found = contrast(strata, Level::P95);
        (found.intervals[0].low, found.intervals[0].high)
    }

    #[test]
    fn one_stratum_is_koopman_s() {
        for [k1, n1, k2, n2] in
            [[4, 24, 0, 24], [20, 20, 20, 20], [7, 10, 3, 12], [1, 9, 5, 8], [20, 20, 19, 20]]
        {
            let strata = [Stratum::new("s", k1, n1, k2, n2).unwrap()];
            let koopman = koopman::interval(TwoByTwo::new(k1, n1, k2, n2).unwrap(), Level::P95);
            let (low, high) = bounds(&strata);
            for (ours, theirs) in [(low, koopman.low), (high, koopman.high)] {
                assert!((ours.unwrap() - theirs.unwrap()).abs() < 1e-9, "{k1}/{n1} {k2}/{n2}");
            }
        }
    }

    #[test]
    fn the_estimate_is_the_weighted_one_by_hand() {
        let strata =
            [Stratum::new("a", 10, 20, 5, 20).unwrap(), Stratum::new("b", 4, 10, 3, 30).unwrap()];
        // (5·20/40 + 3·10/40) / (10·20/40 + 4·30/40) = 3.25 / 8.
        let found = contrast(&strata, Level::P95);
        assert!((found.estimate.unwrap() - 0.40625).abs() < 1e-12);
        let (low, high) = bounds(&strata);
        assert!(low.unwrap() < 0.40625 && high.unwrap() > 0.40625);
    }

    #[test]
    fn without_events_on_a_side_a_bound_is_missing_and_no_zero() {
        let of = |k1, k2| bounds(&[Stratum::new("s", k1, 12, k2, 12).unwrap()]);
        assert_eq!(of(0, 0), (Some(0.0), None));
        assert!(of(0, 4).0.unwrap() > 0.5 && of(0, 4).1.is_none());
        assert!(of(4, 0).0 == Some(0.0) && of(4, 0).1.unwrap() < 2.0);
        assert_eq!(bounds(&[Stratum::new("s", 3, 8, 0, 0).unwrap()]), (None, None));
    }

    /// Two strata of 8 a side with base probabilities 0.2 and 0.7: every table, exactly.
    #[test]
    fn it_holds_a_common_ratio_about_as_often_as_it_says() {
        const N: u64 = 8;
        for theta in [0.3, 0.6, 1.0] {
            let masses =
                |p: f64| -> Vec<f64> { (0..=N).map(|k| pmf(k, N, Probability::new(p))).collect() };
            let sides: Vec<[Vec<f64>; 2]> =
                [0.2, 0.7].map(|p| [masses(p), masses(theta * p)]).into();
            let mut held = 0.0;
            for code in 0..(N + 1).pow(4) {
                let k = [0, 1, 2, 3].map(|place| code / (N + 1).pow(place) % (N + 1));
                let mass = sides[0][0][k[0] as usize]
                    * sides[0][1][k[1] as usize]
                    * sides[1][0][k[2] as usize]
                    * sides[1][1][k[3] as usize];
                if mass < 1e-6 {
                    continue;
                }
                let strata = [
                    Stratum::new("a", k[0], N, k[1], N).unwrap(),
                    Stratum::new("b", k[2], N, k[3], N).unwrap(),
                ];
                let (low, high) = bounds(&strata);
                let inside = low.is_none_or(|x| x <= theta) && high.is_none_or(|x| x >= theta);
                held += if inside { mass } else { 0.0 };
            }
            assert!((0.93..0.99).contains(&held), "{held} at a ratio of {theta}");
        }
    }
}
