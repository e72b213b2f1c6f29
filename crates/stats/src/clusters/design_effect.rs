//! By how much clusters widen an interval that takes trials as independent.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::super::Level;
use super::super::proportion::two_sided_z;
use super::{Cluster, strata};

/// The factor by which the variance of a comparison of the sides is larger than that of independent
/// trials, at least 1: to be given to a score interval as its `variance_factor`.
///
/// It is Rao and Scott's design effect, Σ over sides of m / (m − 1) Σᵢ rᵢ² over Σ n p (1 − p), where
/// rᵢ = Σₛ (kᵢₛ − nᵢₛ pₛ) is what cluster i of m has above its side's own shares, times (t / z)², the square of
/// the quantile of Student's distribution with m₁ + m₂ − 2 degrees of freedom over the normal one, as the
/// variance is estimated from few clusters. A side whose trials all have the same outcome shows no
/// variance: its clusters then count as one trial each, since the next cluster may be another.
///
/// Only the strata given count. Infinite where a side has fewer than two clusters.
///
/// Source: J. N. K. Rao and A. J. Scott (1992), *A simple method for the analysis of clustered binary
/// data*.
pub fn variance_factor(clusters: &[Cluster], only: Option<usize>, level: Level) -> f64 {
    let chosen: Vec<usize> = match only {
        Some(stratum) => vec![stratum],
        None => (0..strata(clusters)).collect(),
    };
    let (mut seen, mut binomial, mut alike, mut freedom) = (0.0, 0.0, 1.0_f64, -2.0);
    for is_test in [false, true] {
        let side: Vec<&Cluster> = clusters
            .iter()
            .filter(|of| of.is_test == is_test && chosen.iter().any(|at| of.at(*at)[1] > 0.0))
            .collect();
        let m = side.len() as f64;
        if m < 2.0 {
            return f64::INFINITY;
        }
        freedom += m;
        let (mut of_side, mut trials) = (0.0, 0.0);
        let mut above = vec![0.0; side.len()];
        for &stratum in &chosen {
            let counts: Vec<[f64; 2]> = side.iter().map(|of| of.at(stratum)).collect();
            let [k, n] = counts.iter().fold([0.0, 0.0], |[k, n], [x, y]| [k + x, n + y]);
            if n == 0.0 {
                continue;
            }
            let p = k / n;
            trials += n;
            of_side += n * p * (1.0 - p);
            for (above, [k, n]) in above.iter_mut().zip(counts) {
                *above += k - n * p;
            }
        }
        if of_side == 0.0 {
            alike = alike.max(trials / m);
        } else {
            seen += m / (m - 1.0) * above.iter().map(|r| r * r).sum::<f64>();
            binomial += of_side;
        }
    }
    let effect = if binomial > 0.0 { (seen / binomial).max(1.0) } else { 1.0 };
    let student = StudentsT::new(0.0, 1.0, freedom)
        .map_or(f64::INFINITY, |law| -law.inverse_cdf(level.alpha() / 2.0));
    effect.max(alike) * (student / two_sided_z(level)).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster(is_test: bool, strata: &[[u64; 2]]) -> Cluster {
        Cluster { is_test, strata: strata.to_vec() }
    }

    fn t_over_z(freedom: f64) -> f64 {
        let t = -StudentsT::new(0.0, 1.0, freedom).unwrap().inverse_cdf(0.025);
        (t / two_sided_z(Level::P95)).powi(2)
    }

    #[test]
    fn it_is_rao_and_scott_s_by_hand() {
        // Base: 8 of 10 and 2 of 10, p = 0.5: r = ±3, so 2 (9 + 9) = 36 over 5. Test: alike, 0 over 5.
        let clusters = [
            cluster(false, &[[8, 10]]),
            cluster(false, &[[2, 10]]),
            cluster(true, &[[5, 10]]),
            cluster(true, &[[5, 10]]),
        ];
        let found = variance_factor(&clusters, None, Level::P95);
        assert!((found / t_over_z(2.0) - 3.6).abs() < 1e-12, "{found}");
        assert_eq!(found, variance_factor(&clusters, Some(0), Level::P95));
    }

    #[test]
    fn strata_of_one_cluster_add_up_before_they_are_squared() {
        let both = [
            cluster(false, &[[7, 10], [7, 10]]),
            cluster(false, &[[3, 10], [3, 10]]),
            cluster(true, &[[5, 10], [5, 10]]),
            cluster(true, &[[5, 10], [5, 10]]),
        ];
        let of_two = variance_factor(&both, None, Level::P95) / t_over_z(2.0);
        let of_one = variance_factor(&both, Some(1), Level::P95) / t_over_z(2.0);
        assert!((of_one - 1.6).abs() < 1e-12 && (of_two - 3.2).abs() < 1e-12, "{of_one} {of_two}");
    }

    #[test]
    fn a_side_that_never_stalled_counts_its_clusters() {
        let mut clusters: Vec<Cluster> = (0..12).map(|_| cluster(true, &[[0, 5]])).collect();
        clusters.extend((0..12).map(|at| cluster(false, &[[4 + at % 2, 5]])));
        let found = variance_factor(&clusters, None, Level::P95);
        assert!((found / t_over_z(22.0) - 5.0).abs() < 1e-12, "{found}");
        assert_eq!(variance_factor(&clusters[..13], None, Level::P95), f64::INFINITY);
    }
}
