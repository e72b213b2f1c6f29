//! Intervals of a hazard ratio, of one pair of sides and common to strata.
//!
//! Exponential times: the partial likelihood sees ranks only, so that any baseline hazard gives the
//! same where nothing or a fixed time censors.

use super::censoring::{CENSORINGS, Censoring};
use super::{Coverage, Effort, Family, Setting, simulate};
use stats::Interval;
use stats::survival::{FollowUp, HazardRatio, hazard_ratio, stratified_hazard_ratio};

/// Ratios, test against base.
const RATIOS: [f64; 3] = [1.0, 0.3, 3.0];

/// Baseline rates of strata.
const STRATA: [f64; 4] = [0.1, 0.5, 1.0, 5.0];

/// Coverage of the ratio.
pub fn coverage(effort: &Effort) -> Vec<Coverage> {
    let sizes: &[(usize, usize)] = if effort.whole_grid {
        &[(5, 5), (8, 8), (10, 10), (24, 24), (24, 8), (50, 50)]
    } else {
        &[(8, 8), (24, 8)]
    };
    let stratified: &[usize] = if effort.whole_grid { &[5, 10] } else { &[5] };
    let mut rows = Vec::new();
    for (i, &size) in sizes.iter().enumerate() {
        for (j, censoring) in CENSORINGS.into_iter().enumerate() {
            for (k, ratio) in RATIOS.into_iter().enumerate() {
                let number = 7_000 + 100 * i + 10 * k + j;
                rows.extend(one_pair(size, ratio, censoring, effort, number));
            }
        }
    }
    for (i, &n) in stratified.iter().enumerate() {
        for (j, censoring) in CENSORINGS.into_iter().enumerate() {
            for (k, ratio) in RATIOS.into_iter().enumerate() {
                let number = 7_800 + 100 * i + 10 * k + j;
                rows.extend(of_strata(n, ratio, censoring, effort, number));
            }
        }
    }
    rows
}

fn setting(size: String, ratio: f64, censoring: Censoring) -> Setting {
    Setting {
        family: Family::HazardRatios,
        quantity: "hazard ratio".into(),
        size,
        truth: format!("ratio={ratio}, {}", censoring.name()),
    }
}

fn intervals(found: Result<HazardRatio, impl std::error::Error>, effort: &Effort) -> Vec<Interval> {
    let none = |method| Interval { method, level: effort.level, low: None, high: None };
    found.map_or_else(|_| vec![none("profile-likelihood"), none("wald")], |found| found.intervals)
}

fn one_pair(
    (base_n, test_n): (usize, usize),
    ratio: f64,
    censoring: Censoring,
    effort: &Effort,
    number: usize,
) -> Vec<Coverage> {
    let setting = setting(format!("n={base_n}+{test_n}"), ratio, censoring);
    simulate(&setting, ratio, effort, number, |rng| {
        let base = censoring.trials(base_n, 1.0, rng);
        let test = censoring.trials(test_n, ratio, rng);
        intervals(hazard_ratio(&base, &test, effort.level), effort)
    })
}

/// Four strata, each with a baseline rate of its own and the same run.
fn of_strata(
    n: usize,
    ratio: f64,
    censoring: Censoring,
    effort: &Effort,
    number: usize,
) -> Vec<Coverage> {
    let setting = setting(format!("{} strata of {n}+{n}", STRATA.len()), ratio, censoring);
    simulate(&setting, ratio, effort, number, |rng| {
        let sides: Vec<[Vec<FollowUp>; 2]> = STRATA
            .iter()
            .map(|rate| [1.0, ratio].map(|factor| censoring.trials(n, rate * factor, rng)))
            .collect();
        let pairs: Vec<(&[FollowUp], &[FollowUp])> =
            sides.iter().map(|[base, test]| (base.as_slice(), test.as_slice())).collect();
        intervals(stratified_hazard_ratio(&pairs, effort.level), effort)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_interval_is_near_its_level_also_over_strata() {
        let effort = Effort { data_sets: 2_000, ..Effort::default() };
        let one = one_pair((24, 24), 3.0, Censoring::Fixed(0.3), &effort, 1);
        let strata = of_strata(10, 0.3, Censoring::None, &effort, 2);
        for row in [&one[0], &strata[0]] {
            assert_eq!(row.method, "profile-likelihood");
            assert!((row.coverage - 0.95).abs() < 0.01 + 4.0 * 0.005, "{row:?}");
        }
    }
}
