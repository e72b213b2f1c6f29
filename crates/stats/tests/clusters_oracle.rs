//! Clusters and the posterior against numpy and scipy: `oracle/clusters.py`.

use serde::Deserialize;
use stallscope_stats::clusters::log_rank::{self, TimedCluster};
use stallscope_stats::clusters::{Cluster, bounded_mean, permutation};
use stallscope_stats::posterior::posterior;
use stallscope_stats::survival::FollowUp;
use stallscope_stats::{Alternative, Level};

#[derive(Deserialize)]
struct Golden {
    permutation: Vec<Divided>,
    log_rank: Vec<Timed>,
    paired: Paired,
    gaffke: Vec<Bounded>,
    posterior: Vec<Believed>,
}

#[derive(Deserialize)]
struct Divided {
    clusters: Vec<Of>,
    p: [f64; 3],
}

#[derive(Deserialize)]
struct Of {
    is_test: u8,
    strata: Vec<[u64; 2]>,
}

#[derive(Deserialize)]
struct Timed {
    clusters: Vec<TimesOf>,
    p: f64,
}

#[derive(Deserialize)]
struct TimesOf {
    is_test: u8,
    times: Vec<Vec<(f64, u8)>>,
}

#[derive(Deserialize)]
struct Paired {
    pairs: Vec<[u64; 2]>,
    p: f64,
}

#[derive(Deserialize)]
struct Bounded {
    shares: Vec<f64>,
    bound: f64,
}

#[derive(Deserialize)]
struct Believed {
    base: [f64; 2],
    test: [f64; 2],
    bound: f64,
    below_bound: f64,
    below_base: f64,
    next_at_most: u64,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../oracle/golden/clusters.json")).unwrap()
}

#[test]
fn every_division_is_counted_as_a_listing_of_all_counts_it() {
    for (at, case) in golden().permutation.into_iter().enumerate() {
        let clusters: Vec<Cluster> = case
            .clusters
            .into_iter()
            .map(|of| Cluster { is_test: of.is_test == 1, strata: of.strata })
            .collect();
        let ways = [Alternative::TwoSided, Alternative::Greater, Alternative::Less];
        for (way, expected) in ways.into_iter().zip(case.p) {
            let found = permutation::test(&clusters, way, 1).p_value.unwrap();
            assert!((found - expected).abs() < 1e-12, "case {at}, {way:?}: {found} {expected}");
        }
    }
}

#[test]
fn machines_that_are_strata_are_tested_in_pairs() {
    let Paired { pairs, p } = golden().paired;
    let mut clusters = Vec::new();
    for (machine, pair) in pairs.iter().enumerate() {
        for (is_test, k) in [(false, pair[0]), (true, pair[1])] {
            let mut strata = vec![[0, 0]; pairs.len()];
            strata[machine] = [k, 5];
            clusters.push(Cluster { is_test, strata });
        }
    }
    let found = permutation::test(&clusters, Alternative::TwoSided, 1).p_value.unwrap();
    assert!((found - p).abs() < 1e-12, "{found} {p}");
}

#[test]
fn times_are_told_apart_as_by_a_listing_of_all_divisions() {
    for case in golden().log_rank {
        let clusters: Vec<TimedCluster> = case
            .clusters
            .into_iter()
            .map(|of| TimedCluster {
                is_test: of.is_test == 1,
                strata: of
                    .times
                    .into_iter()
                    .map(|times| {
                        let one = |(time, event)| FollowUp::new(time, event == 1).unwrap();
                        times.into_iter().map(one).collect()
                    })
                    .collect(),
            })
            .collect();
        let found = log_rank::test(&clusters, 1).p_value.unwrap();
        assert!((found - case.p).abs() < 1e-12, "{found} {}", case.p);
    }
}

#[test]
fn the_bound_of_a_mean_is_what_drawing_from_the_simplex_finds() {
    for Bounded { shares, bound } in golden().gaffke {
        let found = bounded_mean::at_most(&shares, Level::P95).unwrap();
        // Three standard errors of a quantile of 4,000,000 draws.
        assert!((found - bound).abs() < 5e-4, "{shares:?}: {found} {bound}");
    }
}

#[test]
fn the_posterior_is_scipy_s() {
    for one in golden().posterior {
        let found = posterior(&[one.base], &[one.test], one.bound, 20, Level::P95, 1).unwrap();
        // Three and a half standard errors of 20,000 draws.
        for (ours, theirs) in
            [(found.below_bound, one.below_bound), (found.below_base, one.below_base)]
        {
            assert!((ours - theirs).abs() < 0.0125, "{:?} {ours} {theirs}", one.test);
        }
        assert!(found.next_at_most.abs_diff(one.next_at_most) <= 1, "{found:?}");
    }
}
