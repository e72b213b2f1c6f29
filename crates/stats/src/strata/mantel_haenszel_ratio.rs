//! The common risk ratio, with a score interval.

use super::super::proportion::two_sided_z;
use super::super::root::crossing;
use super::super::two_by_two::{TwoByTwo, koopman};
use super::super::{Interval, Level};
use super::{Cells, Contrast, Stratum};

/// Mantel and Haenszel's estimate, Σ k_test n_base / N over Σ k_base n_test / N, and Miettinen and
/// Nurminen's score interval with the same weights.
///
/// Kept is every θ with |Σ w (p_test − θ p_base)| ≤ z √(Σ w² V(θ) N / (N − 1)), w = n_test n_base / N
/// and V(θ) the variance at each stratum's maximum likelihood under θ. That maximum follows the
/// stratum's own counts, so that V alone is too small, by half with one trial a side; N / (N − 1)
/// makes it unbiased at θ = 1, where the left over the right, squared, is Cochran, Mantel and
/// Haenszel's statistic: an interval that leaves out 1 and that test at the same level agree.
///
/// Of one stratum it is Miettinen and Nurminen's interval for a ratio; without N / (N − 1), Koopman's
/// ([`koopman`]). Miettinen and Nurminen iterate their weights; Mantel and Haenszel's are fixed, and
/// the estimate is then theirs. Unlike the interval from the variance of the logarithm (Greenland and
/// Robins 1985), this one exists where a side has no events, and has a width where all trials have one.
/// Without events in the base there is no upper bound; without any in the test the lower is 0.
///
/// Where all trials of one stratum have events, its variance is 0 at θ = 1 and not beside it. With
/// sides of unequal size, 1 may then be rejected between ratios that are not; the interval goes from
/// the least to the greatest that is not.
///
/// Source: O. Miettinen and M. Nurminen (1985), *Comparative analysis of two rates*, the stratified
/// case; J. J. Gart and J. Nam (1988).
pub fn contrast(strata: &[Stratum], level: Level) -> Contrast {
    widened(strata, level, 1.0)
}

/// [`contrast`] of trials that come in clusters, whose variance is `variance_factor` times that of
/// independent ones ([`variance_factor`](crate::clusters::design_effect::variance_factor)). Without bounds where
/// it is infinite.
pub fn widened(strata: &[Stratum], level: Level, variance_factor: f64) -> Contrast {
    const METHOD: &str = "miettinen-nurminen";
    let (mut base, mut test) = (0.0, 0.0);
    let mut tables = Vec::new();
    for stratum in strata {
        let (Some(c), Some(table)) = (stratum.cells(), stratum.table()) else { continue };
        test += c.y1 * c.n2 / c.trials();
        base += c.y2 * c.n1 / c.trials();
        tables.push((c, table));
    }
    let nothing = Interval { method: METHOD, level, low: None, high: None };
    if tables.is_empty() {
        return Contrast { estimate: None, intervals: vec![nothing] };
    }
    if base == 0.0 && test == 0.0 {
        let interval = Interval { low: Some(0.0), ..nothing };
        return Contrast { estimate: None, intervals: vec![interval] };
    }
    let estimate = (base > 0.0).then(|| test / base);
    if variance_factor.is_infinite() {
        return Contrast { estimate, intervals: vec![nothing] };
    }
    let z = two_sided_z(level) * variance_factor.sqrt();
    let low = if test == 0.0 { Some(0.0) } else { outermost(|u| score(&tables, u) - z, false) };
    let high = if base == 0.0 { None } else { outermost(|u| score(&tables, u) + z, true) };
    Contrast { estimate, intervals: vec![Interval { low, high, ..nothing }] }
}

/// The score statistic of θ = exp u over strata.
fn score(tables: &[(Cells, TwoByTwo)], u: f64) -> f64 {
    let (mut distance, mut variance) = (0.0, 0.0);
    for (cells, table) in tables {
        let n = cells.trials();
        let weight = cells.n1 * cells.n2 / n;
        let here = koopman::at(*table, u.exp());
        distance += weight * here.distance;
        variance += weight * weight * here.variance * (n / (n - 1.0));
    }
    koopman::standardised(distance, variance)
}

/// exp of the first zero of `f` from the right or from the left.
///
/// Scores rise again near u = 0 only, if anywhere, so that is where they are looked at step by step;
/// ±60 is far outside any bound that counts up to 1e9 can give.
fn outermost(f: impl Fn(f64) -> f64, from_the_right: bool) -> Option<f64> {
    let side = if from_the_right { 1.0 } else { -1.0 };
    let mut outer = 60.0 * side;
    let sign = f(outer) > 0.0;
    for step in -STEPS..=STEPS {
        let inner = -side * f64::from(step) * REACH / f64::from(STEPS);
        if (f(inner) > 0.0) != sign {
            return crossing(&f, outer.min(inner), outer.max(inner)).map(f64::exp);
        }
        outer = inner;
    }
    crossing(&f, outer.min(-60.0 * side), outer.max(-60.0 * side)).map(f64::exp)
}

/// How far from u = 0 scores are looked at step by step, and in how many on either side.
const REACH: f64 = 2.0;
const STEPS: i32 = 40;

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::super::super::binomial::{Probability, pmf};
    use super::super::super::stream::stream;
    use super::super::cochran_mantel_haenszel;
    use super::*;

    fn bounds(strata: &[Stratum]) -> (Option<f64>, Option<f64>) {
        let found = contrast(strata, Level::P95);
        (found.intervals[0].low, found.intervals[0].high)
    }

    #[test]
    fn one_stratum_is_koopman_s_interval_at_a_level_that_n_over_n_less_1_moves() {
        for [k1, n1, k2, n2] in
            [[4, 24, 0, 24], [20, 20, 20, 20], [7, 10, 3, 12], [1, 9, 5, 8], [20, 20, 19, 20]]
        {
            let strata = [Stratum::new("s", k1, n1, k2, n2).unwrap()];
            let (low, high) = bounds(&strata);
            // z √(N / (N − 1)) in place of z.
            let n = (n1 + n2) as f64;
            let z = two_sided_z(Level::P95) * (n / (n - 1.0)).sqrt();
            let level = Level::new(1.0 - statrs::function::erf::erfc(z / 2f64.sqrt())).unwrap();
            let koopman = koopman::interval(TwoByTwo::new(k1, n1, k2, n2).unwrap(), level);
            for (ours, theirs) in [(low, koopman.low), (high, koopman.high)] {
                let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
                assert!((ours - theirs).abs() < 1e-9 * theirs.max(1.0), "{k1}/{n1} {k2}/{n2}");
            }
        }
    }

    /// Counts of some strata; both sides have the same number of trials if `equal`.
    fn drawn(number: u64, equal: bool) -> Vec<Stratum> {
        let mut rng = stream(23, number);
        let most = [1, 2, 5, 24][rng.random_range(0..4)];
        (0..rng.random_range(1..=12))
            .map(|_| {
                let n1 = rng.random_range(1..=most);
                let n2 = if equal { n1 } else { rng.random_range(1..=most) };
                let mut side = |n: u64| {
                    let p = [0.0, 0.05, 0.3, 0.7, 1.0][rng.random_range(0..5)];
                    (0..n).filter(|_| rng.random::<f64>() < p).count() as u64
                };
                Stratum::new("s", side(n1), n1, side(n2), n2).unwrap()
            })
            .collect()
    }

    #[test]
    fn at_a_ratio_of_1_the_score_is_cmh_s_and_the_interval_agrees_with_the_test() {
        let (mut compared, mut rejected) = (0, 0);
        for number in 0..3_000 {
            let equal = number % 2 == 0;
            let strata = drawn(number, equal);
            let cmh = cochran_mantel_haenszel::test(&strata);
            let (Some(statistic), Some(p)) = (cmh.statistic, cmh.p_value) else { continue };
            let tables: Vec<(Cells, TwoByTwo)> =
                strata.iter().map(|s| (s.cells().unwrap(), s.table().unwrap())).collect();
            let ours = score(&tables, 0.0).powi(2);
            assert!((ours - statistic).abs() < 1e-9 * statistic.max(1e-3), "{ours} {statistic}");
            let (low, high) = bounds(&strata);
            let leaves_out_1 = low.is_some_and(|x| x > 1.0) || high.is_some_and(|x| x < 1.0);
            // Of unequal sides 1 may lie between ratios that are kept, and be rejected itself.
            if equal || leaves_out_1 {
                assert_eq!(leaves_out_1, p < 0.05, "{low:?} {high:?} p {p} of {strata:?}");
            }
            compared += 1;
            rejected += u32::from(p < 0.05);
        }
        assert!(compared > 2_000 && rejected > 500, "{rejected} of {compared}");
    }

    #[test]
    fn ratios_on_both_sides_of_one_that_is_rejected_are_kept() {
        let strata =
            [Stratum::new("a", 13, 13, 15, 15).unwrap(), Stratum::new("b", 1, 1, 0, 11).unwrap()];
        let level = Level::new(0.99).unwrap();
        assert!(cochran_mantel_haenszel::test(&strata).p_value.unwrap() < 0.001);
        let high = contrast(&strata, level).intervals[0].high.unwrap();
        assert!(high > 1.078 && high < 1.3, "{high}");
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
