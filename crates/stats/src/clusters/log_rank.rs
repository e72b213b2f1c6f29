//! The log-rank test of whole clusters.

use super::permutation;
use crate::survival::FollowUp;
use crate::{Alternative, TestResult};

/// The times of one cluster of one side.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedCluster {
    /// Whether it is of the test side, and not of the base side.
    pub is_test: bool,
    /// The times of its trials in each stratum, in the order of all clusters' strata.
    pub strata: Vec<Vec<FollowUp>>,
}

/// Do the sides' times differ, where whole clusters are what is independent? The
/// [permutation test](permutation::test) of the clusters' mean log-rank scores.
///
/// A trial's score is d − H(t): 1 if its event was seen, else 0, less the cumulative hazard of Nelson and
/// Aalen at its time, of all trials of its stratum on both sides. The scores of a stratum sum to 0, and the
/// sum of a side's is its observed less its expected events, as in the log-rank test.
///
/// Assumes that the clusters are independent and, under the hypothesis, exchangeable with their
/// censoring. No p-value where one side has no cluster with a time, or no event was seen.
///
/// Source: R. Peto and J. Peto (1972) for the scores; E. J. G. Pitman (1937) for the test.
pub fn test(clusters: &[TimedCluster], seed: u64) -> TestResult {
    let strata = clusters.iter().map(|of| of.strata.len()).max().unwrap_or(0);
    let hazards: Vec<Hazard> = (0..strata)
        .map(|at| Hazard::of(clusters.iter().filter_map(|of| of.strata.get(at)).flatten()))
        .collect();
    let mut sides: [Vec<f64>; 2] = Default::default();
    for cluster in clusters {
        let scores: Vec<f64> = cluster
            .strata
            .iter()
            .zip(&hazards)
            .flat_map(|(times, hazard)| times.iter().map(|time| hazard.score(time)))
            .collect();
        if !scores.is_empty() {
            let mean = scores.iter().sum::<f64>() / scores.len() as f64;
            sides[usize::from(cluster.is_test)].push(mean);
        }
    }
    let found = permutation::of_scores(&sides[0], &sides[1], Alternative::TwoSided, seed);
    TestResult { method: "log-rank-permutation-clusters", ..found }
}

/// Nelson and Aalen's cumulative hazard: times of events, rising, and its value from each on.
struct Hazard(Vec<(f64, f64)>);

impl Hazard {
    fn of<'a>(times: impl Iterator<Item = &'a FollowUp>) -> Hazard {
        let mut all: Vec<&FollowUp> = times.collect();
        all.sort_by(|a, b| a.time().total_cmp(&b.time()));
        let (mut steps, mut sum) = (Vec::new(), 0.0);
        for (at, same) in all.chunk_by(|a, b| a.time() == b.time()).scan(0, |before, same| {
            let at = *before;
            *before += same.len();
            Some((at, same))
        }) {
            let events = same.iter().filter(|one| one.event()).count();
            if let (Some(first), 1..) = (same.first(), events) {
                sum += events as f64 / (all.len() - at) as f64;
                steps.push((first.time(), sum));
            }
        }
        Hazard(steps)
    }

    fn score(&self, one: &FollowUp) -> f64 {
        let passed = self.0.partition_point(|(time, _)| *time <= one.time());
        let hazard = passed.checked_sub(1).map_or(0.0, |at| self.0[at].1);
        f64::from(u8::from(one.event())) - hazard
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scores_of_a_stratum_sum_to_nothing() {
        let times: Vec<FollowUp> = [1.0, 2.0, 2.0, 5.0]
            .map(|time| FollowUp::seen(time).unwrap())
            .into_iter()
            .chain([FollowUp::censored(2.0).unwrap(), FollowUp::censored(9.0).unwrap()])
            .collect();
        let hazard = Hazard::of(times.iter());
        let sum: f64 = times.iter().map(|time| hazard.score(time)).sum();
        assert!(sum.abs() < 1e-12, "{sum}");
    }

    #[test]
    fn a_side_without_times_has_no_answer() {
        let one = |is_test| TimedCluster {
            is_test,
            strata: vec![vec![FollowUp::seen(1.0).unwrap(), FollowUp::seen(2.0).unwrap()]],
        };
        assert_eq!(test(&[one(true), one(true)], 1).p_value, None);
        assert_eq!(test(&[], 1).p_value, None);
        // Clusters that are all alike tell nothing apart.
        assert_eq!(test(&[one(true), one(false)], 1).p_value, None);
    }
}
