//! Do clusters of trials (boots of a guest) differ more than chance gives?
//!
//! Tests and intervals of proportions take trials as independent. Trials of one boot share what that
//! boot drew; if that matters, their number overstates what was seen.

use rand::{Rng, RngExt};

use super::stream::draws;
use super::{Alternative, StatError, TestResult};

/// Permutations: a p-value of 0.05 then has a standard error of 0.002.
pub const PERMUTATIONS: usize = 9_999;

/// The most trials: beyond it a permutation test takes minutes.
const MOST_TRIALS: u64 = 1_000_000;

/// The method's name in results.
const METHOD: &str = "permutation-clusters";

/// Permutation test that within each stratum the clusters share one stall probability. The statistic
/// is the sum over strata of Pearson's χ², Σ (kᵢ − nᵢ p)² / (nᵢ p (1 − p)) over the clusters with kᵢ
/// stalls of nᵢ trials and p the stratum's share; the p-value is the share of random divisions of each
/// stratum's stalls among its trials whose statistic is as large, the data counted as one of them.
///
/// `strata` has a list of [stalls, trials] a stratum, one a cluster. Assumes exchangeable trials
/// within a stratum under the hypothesis, and nothing of the sample size. No p-value where no stratum
/// has two clusters, and a stall and a trial without one.
///
/// Source: E. J. G. Pitman (1937); the Monte Carlo p-value is that of A. C. A. Hope (1968).
///
/// # Errors
/// [`StatError::Domain`] where stalls are more than trials, or trials are too many.
pub fn test(strata: &[Vec<[u64; 2]>], seed: u64) -> Result<TestResult, StatError> {
    if let Some([k, n]) = strata.iter().flatten().find(|[k, n]| k > n) {
        return Err(StatError::domain("a cluster's stalls", k, format!("at most its {n} trials")));
    }
    let all: u64 = strata.iter().flatten().map(|[_, n]| n).sum();
    if all > MOST_TRIALS {
        return Err(StatError::domain(
            "the trials of all clusters",
            all,
            format!("at most {MOST_TRIALS}"),
        ));
    }
    let informative: Vec<Stratum> = strata.iter().filter_map(|of| Stratum::of(of)).collect();
    let nothing = TestResult {
        method: METHOD,
        alternative: Alternative::TwoSided,
        statistic: None,
        p_value: None,
    };
    if informative.is_empty() {
        return Ok(nothing);
    }
    let seen: f64 = informative.iter().map(|stratum| stratum.chi_squared(&stratum.stalls)).sum();
    let scratch = || (Vec::new(), Vec::new());
    let as_large = draws(seed, PERMUTATIONS, scratch, |rng, (rest, stalls)| {
        let drawn: f64 = informative.iter().map(|stratum| stratum.drawn(rng, rest, stalls)).sum();
        // Divisions with the data's own statistic are as large, whatever the order of the sum.
        drawn >= seen * (1.0 - 1e-9)
    });
    let count = as_large.into_iter().filter(|large| *large).count();
    let p = (count + 1) as f64 / (PERMUTATIONS + 1) as f64;
    Ok(TestResult { statistic: Some(seen), p_value: Some(p), ..nothing })
}

struct Stratum {
    stalls: Vec<u64>,
    trials: Vec<u64>,
    share: f64,
}

impl Stratum {
    /// One that can tell anything.
    fn of(clusters: &[[u64; 2]]) -> Option<Stratum> {
        let filled = || clusters.iter().filter(|[_, n]| *n > 0);
        let (k, n) = filled().fold((0, 0), |(k, n), of| (k + of[0], n + of[1]));
        (filled().count() > 1 && k > 0 && k < n).then(|| Stratum {
            stalls: filled().map(|[k, _]| *k).collect(),
            trials: filled().map(|[_, n]| *n).collect(),
            share: k as f64 / n as f64,
        })
    }

    fn chi_squared(&self, stalls: &[u64]) -> f64 {
        let one = |(k, n): (&u64, &u64)| {
            let expected = *n as f64 * self.share;
            (*k as f64 - expected).powi(2) / (expected * (1.0 - self.share))
        };
        stalls.iter().zip(&self.trials).map(one).sum()
    }

    /// The statistic of a random division of the stalls among the trials.
    fn drawn(&self, rng: &mut impl Rng, rest: &mut Vec<u64>, stalls: &mut Vec<u64>) -> f64 {
        rest.clone_from(&self.trials);
        stalls.clear();
        stalls.resize(self.trials.len(), 0);
        let mut left: u64 = self.trials.iter().sum();
        for _ in 0..self.stalls.iter().sum() {
            let mut place = rng.random_range(0..left);
            for (rest, stalls) in rest.iter_mut().zip(stalls.iter_mut()) {
                if place < *rest {
                    *rest -= 1;
                    *stalls += 1;
                    break;
                }
                place -= *rest;
            }
            left -= 1;
        }
        self.chi_squared(stalls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(strata: &[&[[u64; 2]]]) -> Option<f64> {
        let strata: Vec<Vec<[u64; 2]>> = strata.iter().map(|of| of.to_vec()).collect();
        test(&strata, 1).unwrap().p_value
    }

    /// `chisq.test(m, simulate.p.value = TRUE, B = 2000000)` of R 4.2.2, seed 1, where m has a row a
    /// cluster: stalled, not stalled. Five standard errors of our own draws.
    #[test]
    fn as_r_finds_it() {
        for (clusters, expected) in [
            (vec![[5, 5], [0, 5]], 0.007901996),
            (vec![[3, 5], [1, 5], [5, 5]], 0.065900467),
            (vec![[1, 10], [3, 10], [0, 10], [6, 10]], 0.010685995),
        ] {
            let found = p(&[&clusters]).unwrap();
            let error = (expected * (1.0 - expected) / PERMUTATIONS as f64).sqrt();
            assert!((found - expected).abs() < 5.0 * error, "{clusters:?} {found} {expected}");
        }
    }

    #[test]
    fn strata_add_up_and_do_not_mix() {
        // What differs between strata is no difference of clusters.
        assert_eq!(p(&[&[[0, 10], [0, 10]], &[[10, 10], [10, 10]]]), None);
        assert!(p(&[&[[5, 10], [5, 10]], &[[1, 10], [1, 10]]]).unwrap() > 0.9);
        let one = p(&[&[[8, 10], [2, 10]]]).unwrap();
        let two = p(&[&[[8, 10], [2, 10]], &[[7, 10], [2, 10]]]).unwrap();
        assert!(two < one && one < 0.05, "{one} {two}");
    }

    #[test]
    fn what_tells_nothing_has_no_p_value() {
        for strata in
            [&[][..], &[&[][..]], &[&[[3, 10]]], &[&[[0, 5], [0, 5]]], &[&[[2, 4], [0, 0]]]]
        {
            assert_eq!(p(strata), None, "{strata:?}");
        }
        assert!(test(&[vec![[6, 5], [0, 5]]], 1).is_err());
        assert!(test(&[vec![[0, u64::MAX / 2], [0, 5]]], 1).is_err());
    }

    /// With no difference p is at most 0.05 in 5 % of data sets.
    #[test]
    fn it_errs_as_often_as_it_says() {
        use super::super::stream::stream;
        let sets = 400;
        let wrong = (0..sets)
            .filter(|set| {
                let mut rng = stream(7, *set);
                let clusters: Vec<[u64; 2]> = (0..4)
                    .map(|_| [(0..10).filter(|_| rng.random::<f64>() < 0.4).count() as u64, 10])
                    .collect();
                test(&[clusters], *set).unwrap().p_value.is_some_and(|p| p <= 0.05)
            })
            .count();
        // Five standard errors above 5 %.
        assert!(
            wrong as f64 / sets as f64 <= 0.05 + 5.0 * (0.05 * 0.95 / 400.0_f64).sqrt(),
            "{wrong}"
        );
    }
}
