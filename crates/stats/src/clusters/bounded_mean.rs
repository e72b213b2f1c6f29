//! What the mean of clusters' shares is at most, whatever the clusters are like.

use super::super::root::crossing;
use super::super::{Level, StatError};

/// Steps of the integration: twice as many change no bound by more than 1e-9.
const STEPS: usize = 2_000;

/// A one-sided upper bound for the mean of a quantity in [0, 1], such as a boot's stall probability, from
/// a share seen in each of n independent clusters, without a law for how clusters differ.
///
/// It is Gaffke's: the `level` quantile of Σ Dᵢ x₍ᵢ₎ over the ordered shares and a last one of 1, with D uniform on
/// the simplex. From shares that are all 0 or 1 it is Clopper and Pearson's; from n shares of 0 it is
/// 1 − α^(1/n), so that 59 clusters without a stall show at most 5 %, however many trials each has: one
/// cluster in twenty may be one in which all stall. That it holds for any law is a conjecture that no search
/// has broken; `cargo xtask calibrate --verdict` tries it.
///
/// Computed by inverting the characteristic function (J. P. Imhof 1961): Σ Dᵢ xᵢ ≤ t is Σ Eᵢ (xᵢ − t) ≤ 0 for
/// exponential Eᵢ. Absolute error below 1e-8.
///
/// Source: N. Gaffke (2005), *Three test statistics for a nonparametric one-sided hypothesis on the mean of a
/// nonnegative variable*; E. Learned-Miller and P. S. Thomas (2020).
///
/// # Errors
/// [`StatError::TooFew`] without shares, [`StatError::Domain`] for one outside [0, 1].
///
/// ```
/// use stallscope_stats::{Level, clusters::bounded_mean::at_most};
/// let bound = at_most(&[0.0; 59], Level::P95)?;
/// assert!((bound - 0.0495).abs() < 1e-4);
/// # Ok::<(), stallscope_stats::StatError>(())
/// ```
pub fn at_most(shares: &[f64], level: Level) -> Result<f64, StatError> {
    if shares.is_empty() {
        return Err(StatError::too_few("a bound for the mean of clusters", "a cluster", "none"));
    }
    if let Some(bad) = shares.iter().find(|share| !(0.0..=1.0).contains(*share)) {
        return Err(StatError::domain("a cluster's share", bad, "0 to 1"));
    }
    let mut ordered = shares.to_vec();
    ordered.sort_by(f64::total_cmp);
    // Each share once, with how often it is there; 1 once more.
    let mut counted: Vec<(f64, f64)> = Vec::new();
    for share in ordered.into_iter().chain([1.0]) {
        match counted.last_mut() {
            Some((last, count)) if *last == share => *count += 1.0,
            _ => counted.push((share, 1.0)),
        }
    }
    let least = counted[0].0;
    let excess = |t: f64| below(&counted, t) - level.get();
    // All below the least share is impossible, and all is below 1.
    Ok(crossing(excess, least, 1.0).unwrap_or(1.0))
}

/// The lower bound: what the mean is at least.
///
/// # Errors
/// As [`at_most`].
pub fn at_least(shares: &[f64], level: Level) -> Result<f64, StatError> {
    let mirrored: Vec<f64> = shares.iter().map(|share| 1.0 - share).collect();
    Ok(1.0 - at_most(&mirrored, level)?)
}

/// The probability that Σ Dᵢ xᵢ is at most t, with each x and how often it is there.
fn below(counted: &[(f64, f64)], t: f64) -> f64 {
    let weights: Vec<(f64, f64)> =
        counted.iter().map(|(share, count)| (share - t, *count)).collect();
    if weights.iter().all(|(a, _)| *a >= 0.0) {
        return 0.0;
    }
    if weights.iter().all(|(a, _)| *a <= 0.0) {
        return 1.0;
    }
    let unit = weights.iter().map(|(a, count)| count * a * a).sum::<f64>().sqrt().recip();
    // ∫ sin θ(u) / (u ρ(u)) du with u = unit s / (1 − s): du / u = ds / (s (1 − s)).
    let integrand = |s: f64| {
        if s <= 0.0 {
            // θ(u) / u at 0 is the sum of the weights.
            return unit * weights.iter().map(|(a, count)| count * a).sum::<f64>();
        }
        if s >= 1.0 {
            return 0.0;
        }
        let u = unit * s / (1.0 - s);
        let (mut angle, mut ln_size) = (0.0, 0.0);
        for (a, count) in &weights {
            angle += count * (u * a).atan();
            ln_size += 0.5 * count * (u * a * u * a).ln_1p();
        }
        angle.sin() * (-ln_size).exp() / (s * (1.0 - s))
    };
    // Simpson's rule.
    let step = 1.0 / STEPS as f64;
    let sum: f64 = (0..=STEPS)
        .map(|at| {
            let weight = match at {
                0 | STEPS => 1.0,
                at if at % 2 == 1 => 4.0,
                _ => 2.0,
            };
            weight * integrand(at as f64 * step)
        })
        .sum();
    0.5 - sum * step / 3.0 / std::f64::consts::PI
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::super::super::proportion::{Proportion, one_sided};
    use super::super::super::stream::stream;
    use super::*;

    #[test]
    fn of_zeros_and_ones_it_is_clopper_and_pearson_s() {
        for (k, n) in
            [(0, 1), (1, 1), (0, 5), (2, 5), (1, 12), (0, 59), (3, 59), (20, 400), (0, 1_000)]
        {
            let shares: Vec<f64> = (0..n).map(|at| f64::from(u8::from(at < k))).collect();
            let (low, high) = one_sided(Proportion::new(k, n).unwrap(), Level::P95);
            let found = at_most(&shares, Level::P95).unwrap();
            assert!((found - high).abs() < 1e-7, "{k} of {n}: {found} {high}");
            let found = at_least(&shares, Level::P95).unwrap();
            assert!((found - low).abs() < 1e-7, "{k} of {n}: {found} {low}");
        }
    }

    #[test]
    fn more_clusters_or_lower_shares_never_raise_it() {
        let of = |n: usize, share: f64| at_most(&vec![share; n], Level::P95).unwrap();
        for n in 1..40 {
            assert!(of(n + 1, 0.1) < of(n, 0.1) && of(n, 0.05) < of(n, 0.1) && of(n, 0.1) > 0.1);
        }
    }

    #[test]
    fn bad_shares_are_refused() {
        assert!(at_most(&[], Level::P95).is_err());
        for bad in [-0.1, 1.1, f64::NAN] {
            assert!(at_most(&[0.5, bad], Level::P95).is_err());
        }
    }

    /// One boot in ten is bad, and stalls always: the mean is 0.1. With few boots most data sets show
    /// none, and the bound must hold all the same.
    #[test]
    fn it_holds_where_most_data_sets_show_no_bad_cluster() {
        for boots in [5, 12, 29] {
            let missed = (0..1_000)
                .filter(|set| {
                    let mut rng = stream(boots, *set);
                    let shares: Vec<f64> = (0..boots)
                        .map(|_| f64::from(u8::from(rng.random::<f64>() < 0.1)))
                        .collect();
                    at_most(&shares, Level::P95).unwrap() < 0.1
                })
                .count();
            assert!(missed <= 50 + 35, "{boots} {missed}");
        }
    }
}
