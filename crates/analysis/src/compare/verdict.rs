//! The verdict: counts of stalls in, one of five words out, by rules that docs/reference/verdict.md states and
//! whose error rates `cargo xtask calibrate --verdict` simulates.
//!
//! | verdict | when |
//! | --- | --- |
//! | worse | the primary test says more stalls, or one stratum's does, adjusted |
//! | fixed | the primary test says fewer stalls, and what may be left is below the stated bound |
//! | reduced | the primary test says fewer stalls |
//! | large effect excluded | it says nothing, and the interval excludes a halving and a doubling |
//! | undecided | everything else, and whatever has too few independent units |
//!
//! The first that holds is the verdict. No rule asks for observed power: an interval says what the data
//! exclude, and power at the observed effect is a function of the p-value.

use serde::Serialize;

use super::efficacy::{Counts, Effect, adjusted, primary, tables};
use super::units::{Unit, Units};
use stats::clusters::{Cluster, bounded_mean};
use stats::proportion::{self, Proportion, mean_at_most};
use stats::strata::breslow_day_tarone;
use stats::{Level, StatError};

/// The rules' numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rules {
    /// The level of tests and intervals.
    pub level: Level,
    /// Fixed is: the test side stalls with at most this probability.
    pub fixed_below: f64,
    /// A relevant effect: the stall probability falls to this share, or rises to its inverse.
    pub relevant_ratio: f64,
}

impl Rules {
    /// 5 %: with no stall seen, 59 trials show it.
    pub const FIXED_BELOW: f64 = 0.05;

    /// A patch that does not halve the stalls is not what anyone wants to know of.
    pub const RELEVANT_RATIO: f64 = 0.5;
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            level: Level::P95,
            fixed_below: Self::FIXED_BELOW,
            relevant_ratio: Self::RELEVANT_RATIO,
        }
    }
}

/// The verdict in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Fewer stalls, and what may be left is below the bound.
    Fixed,
    /// Fewer stalls.
    Reduced,
    /// A halving and a doubling are excluded.
    LargeEffectExcluded,
    /// More stalls.
    Worse,
    /// Neither.
    Undecided,
}

impl Kind {
    /// All, in the order of tables.
    pub const ALL: [Kind; 5] =
        [Kind::Fixed, Kind::Reduced, Kind::LargeEffectExcluded, Kind::Worse, Kind::Undecided];
}

/// Why it is that and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "because", rename_all = "kebab-case")]
pub enum Because {
    /// Fixed: the bound is kept.
    BoundKept,
    /// Reduced: what may be left is above the bound.
    BoundNotReached,
    /// Reduced: one stratum of the test side is itself shown to be above the bound.
    StratumAboveBound {
        /// By its place among those given: of several, the one that is farthest above.
        stratum: usize,
    },
    /// Reduced: the base stalls less often than the bound, which then says nothing.
    BaseBelowBound,
    /// Large effect excluded: the interval says so.
    RelevantEffectExcluded,
    /// Worse: by the pooled test.
    MoreStalls,
    /// Worse: by one stratum's test.
    MoreStallsInStratum {
        /// By its place among those given.
        stratum: usize,
    },
    /// Undecided: nothing stalled on either side.
    NothingStalled,
    /// Undecided: the base did not stall, and the test side not significantly more.
    BaseDidNotStall,
    /// Undecided: on average no relevant effect is left, but the strata are shown to differ.
    StrataDiffer,
    /// Unit by unit the sides differ one way, over all trials the other: a few large units decide.
    UnequalUnits,
    /// Undecided: an effect is neither shown nor excluded.
    NeitherShownNorExcluded,
    /// Undecided: the boots or the stretches are too few to be told from their sides.
    TooFewUnits {
        /// What the verdict would be if all trials were independent.
        of_trials: Kind,
    },
}

/// The strata in which the base stalled: only there can a patch show anything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct AtRisk {
    /// How many.
    pub strata: u64,
    /// Stalled and counted there, base side.
    pub base: [u64; 2],
    /// Stalled and counted there, test side.
    pub test: [u64; 2],
    /// The mean of the base side's shares there, each stratum counting the same; `None` without such
    /// strata.
    pub base_mean: Option<f64>,
    /// The one-sided upper bound of the test side's stall probability there, each stratum counting
    /// the same: [`mean_at_most`] where trials are the units, else [`bounded_mean`] of the boots or
    /// stretches. `None` without such strata.
    pub test_at_most: Option<f64>,
}

/// The verdict with its ground.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Verdict {
    /// In a word.
    pub kind: Kind,
    /// Why.
    #[serde(flatten)]
    pub because: Because,
    /// The primary test's p-value, two-sided; `None` where the units are too few for it.
    pub p_value: Option<f64>,
    /// The primary test.
    pub method: &'static str,
    /// Where the base stalled.
    pub at_risk: AtRisk,
    /// The rules' numbers.
    pub rules: Rules,
}

/// Decides. `seed` is that of the permutation test, where boots or stretches are the units.
///
/// # Errors
/// [`StatError::TooFew`] without strata, or with a side that has no trials in one.
pub fn decide(units: &Units, rules: Rules, seed: u64) -> Result<Verdict, StatError> {
    if units.are_enough() {
        return by_units(units, rules, seed);
    }
    let as_trials = Units::trials(&units.strata());
    let found = by_units(&as_trials, rules, seed)?;
    Ok(match found.kind {
        Kind::Undecided => Verdict { p_value: None, ..found },
        of_trials => Verdict {
            kind: Kind::Undecided,
            because: Because::TooFewUnits { of_trials },
            p_value: None,
            ..found
        },
    })
}

fn by_units(units: &Units, rules: Rules, seed: u64) -> Result<Verdict, StatError> {
    let counts: Vec<Counts> = units.strata().into_iter().map(Counts::from).collect();
    if counts.is_empty() {
        return Err(StatError::too_few(
            "a verdict",
            "a stratum with outcomes on both sides",
            "none",
        ));
    }
    let alpha = rules.level.alpha();
    let test = primary(units, seed)?;
    let at_risk = at_risk(units, &counts, rules.level)?;
    let verdict = |kind, because| Verdict {
        kind,
        because,
        p_value: test.p_value,
        method: test.method,
        at_risk,
        rules,
    };
    let effect = Effect::of(units, None, test.p_value, rules.level)?;
    let pooled = effect.difference.estimate.unwrap_or(0.0);
    let significant = test.p_value.is_some_and(|p| p <= alpha);
    // The test's own direction: clusters of unequal sizes may say another than their trials do.
    let difference = match units.unit {
        Unit::Trial => pooled,
        Unit::Boot | Unit::Stretch => test.statistic.unwrap_or(pooled),
    };
    if significant && difference * pooled < 0.0 {
        return Ok(verdict(Kind::Undecided, Because::UnequalUnits));
    }
    if significant && difference > 0.0 {
        return Ok(verdict(Kind::Worse, Because::MoreStalls));
    }
    if let Some(stratum) = worse_stratum(units, &counts, alpha, seed)? {
        return Ok(verdict(Kind::Worse, Because::MoreStallsInStratum { stratum }));
    }
    if significant && difference < 0.0 {
        let lacks = lacks(units, &counts, &at_risk, rules)?;
        return Ok(match lacks {
            None => verdict(Kind::Fixed, Because::BoundKept),
            Some(because) => verdict(Kind::Reduced, because),
        });
    }
    let bounds = effect.ratio.intervals.first().and_then(|i| Some((i.low?, i.high?)));
    let base_stalled: u64 = counts.iter().map(|counts| counts.base[0]).sum();
    let test_stalled: u64 = counts.iter().map(|counts| counts.test[0]).sum();
    let tables = tables(&counts)?;
    let differ = || breslow_day_tarone::test(&tables).p_value.is_some_and(|p| p <= alpha);
    Ok(match bounds {
        Some((low, high)) if low > rules.relevant_ratio && high < rules.relevant_ratio.recip() => {
            match differ() {
                true => verdict(Kind::Undecided, Because::StrataDiffer),
                false => verdict(Kind::LargeEffectExcluded, Because::RelevantEffectExcluded),
            }
        }
        _ if base_stalled == 0 && test_stalled == 0 => {
            verdict(Kind::Undecided, Because::NothingStalled)
        }
        _ if base_stalled == 0 => verdict(Kind::Undecided, Because::BaseDidNotStall),
        _ => verdict(Kind::Undecided, Because::NeitherShownNorExcluded),
    })
}

/// A stratum in which more stalls are shown, by the tests of the table of strata: two-sided, adjusted by
/// Holm over the strata.
fn worse_stratum(
    units: &Units,
    counts: &[Counts],
    alpha: f64,
    seed: u64,
) -> Result<Option<usize>, StatError> {
    let tests = adjusted(units, counts.len(), seed)?;
    let shown = tests.iter().zip(counts).enumerate().filter_map(|(at, ((_, holm), counts))| {
        let p = holm.filter(|p| *p <= alpha && counts.share(1) > counts.share(0))?;
        Some((at, p))
    });
    Ok(shown.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(at, _)| at))
}

fn at_risk(units: &Units, counts: &[Counts], level: Level) -> Result<AtRisk, StatError> {
    let mut sum = AtRisk::default();
    for counts in counts.iter().filter(|counts| counts.base[0] > 0) {
        sum.strata += 1;
        for at in [0, 1] {
            sum.base[at] += counts.base[at];
            sum.test[at] += counts.test[at];
        }
    }
    let base = of_the_base_that_stalls(counts, |c| c.base)?;
    let shares: f64 = base.iter().map(|of| of.estimate()).sum();
    sum.base_mean = (!base.is_empty()).then(|| shares / base.len() as f64);
    sum.test_at_most = match units.unit {
        Unit::Trial => mean_at_most(&of_the_base_that_stalls(counts, |c| c.test)?, level),
        Unit::Boot | Unit::Stretch => clusters_at_most(units, counts, level)?,
    };
    Ok(sum)
}

/// The bound from the test side's clusters, over the strata where the base stalled. Clusters that have all
/// of these strata give a mean share each. Where each has one stratum, and every stratum as many clusters, all
/// shares are taken together, as [`mean_at_most`] takes trials; else the bounds of the strata are averaged, which
/// is wider.
fn clusters_at_most(
    units: &Units,
    counts: &[Counts],
    level: Level,
) -> Result<Option<f64>, StatError> {
    let strata: Vec<usize> = (0..counts.len()).filter(|at| counts[*at].base[0] > 0).collect();
    if strata.is_empty() {
        return Ok(None);
    }
    if let Some(shares) = shares(units, &strata) {
        return Ok(Some(bounded_mean::at_most(&shares, level)?));
    }
    let each: Vec<Vec<f64>> =
        strata.iter().map(|at| shares(units, &[*at]).unwrap_or_default()).collect();
    let has_several = |cluster: &Cluster| {
        let here = strata.iter().filter(|at| cluster.strata.get(**at).is_some_and(|[_, n]| *n > 0));
        here.count() > 1
    };
    let are_alike = each.windows(2).all(|two| two[0].len() == two[1].len());
    if are_alike && !units.clusters.iter().any(has_several) {
        return Ok(Some(bounded_mean::at_most(&each.concat(), level)?));
    }
    let bounds: Vec<f64> =
        each.iter().map(|shares| bounded_mean::at_most(shares, level)).collect::<Result<_, _>>()?;
    Ok(Some(bounds.iter().sum::<f64>() / bounds.len() as f64))
}

/// The mean share over these strata of each cluster of the test side that has any of them; `None` if one
/// has some of them only.
pub(super) fn shares(units: &Units, strata: &[usize]) -> Option<Vec<f64>> {
    let mut found = Vec::new();
    for cluster in units.clusters.iter().filter(|cluster| cluster.is_test) {
        let here: Vec<[u64; 2]> = strata
            .iter()
            .filter_map(|at| cluster.strata.get(*at).copied())
            .filter(|[_, n]| *n > 0)
            .collect();
        match here.len() {
            0 => {}
            n if n == strata.len() => {
                let sum: f64 = here.iter().map(|[k, n]| *k as f64 / *n as f64).sum();
                found.push(sum / n as f64);
            }
            _ => return None,
        }
    }
    Some(found)
}

/// A side's counts in the strata where the base stalled.
fn of_the_base_that_stalls(
    counts: &[Counts],
    side: fn(&Counts) -> [u64; 2],
) -> Result<Vec<Proportion>, StatError> {
    let at_risk = counts.iter().filter(|counts| counts.base[0] > 0);
    at_risk.map(side).map(|[k, n]| Proportion::new(k, n)).collect()
}

/// Clopper and Pearson's one-sided bounds, each at the level, lower then upper.
pub(super) fn one_sided([k, n]: [u64; 2], level: Level) -> Result<(f64, f64), StatError> {
    Ok(proportion::one_sided(Proportion::new(k, n)?, level))
}

/// The strata in which the test side is itself shown to be above the bound, the farthest above
/// first.
fn above_the_bound(
    units: &Units,
    counts: &[Counts],
    rules: Rules,
) -> Result<Vec<usize>, StatError> {
    let mut above = Vec::new();
    for (at, counts) in counts.iter().enumerate() {
        let low = match units.unit {
            Unit::Trial => one_sided(counts.test, rules.level)?.0,
            Unit::Boot | Unit::Stretch => {
                bounded_mean::at_least(&shares(units, &[at]).unwrap_or_default(), rules.level)?
            }
        };
        if low > rules.fixed_below {
            above.push((at, low));
        }
    }
    above.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    Ok(above.into_iter().map(|(at, _)| at).collect())
}

/// What a reduction lacks to be called fixed.
fn lacks(
    units: &Units,
    counts: &[Counts],
    at_risk: &AtRisk,
    rules: Rules,
) -> Result<Option<Because>, StatError> {
    if at_risk.base_mean.is_none_or(|mean| mean <= rules.fixed_below) {
        return Ok(Some(Because::BaseBelowBound));
    }
    if let Some(&stratum) = above_the_bound(units, counts, rules)?.first() {
        return Ok(Some(Because::StratumAboveBound { stratum }));
    }
    match at_risk.test_at_most {
        Some(bound) if bound <= rules.fixed_below => Ok(None),
        _ => Ok(Some(Because::BoundNotReached)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trials(of: &[[u64; 4]]) -> Units {
        let strata: Vec<[[u64; 2]; 2]> =
            of.iter().map(|&[k1, n1, k2, n2]| [[k1, n1], [k2, n2]]).collect();
        Units::trials(&strata)
    }

    fn of(strata: &[[u64; 4]]) -> Verdict {
        decide(&trials(strata), Rules::default(), 1).unwrap()
    }

    /// Boots of one stratum: stalls and trials of each, base and test.
    fn boots(base: &[[u64; 2]], test: &[[u64; 2]]) -> Units {
        let of = |is_test, side: &[[u64; 2]]| -> Vec<Cluster> {
            side.iter().map(|one| Cluster { is_test, strata: vec![*one] }).collect()
        };
        let clusters = [of(false, base), of(true, test)].concat();
        Units { unit: Unit::Boot, groups: (0..clusters.len()).collect(), clusters }
    }

    #[test]
    fn four_of_24_against_none_is_undecided_by_fisher() {
        let found = of(&[[4, 24, 0, 24]]);
        assert_eq!(
            (found.kind, found.because),
            (Kind::Undecided, Because::NeitherShownNorExcluded)
        );
        assert!((found.p_value.unwrap() - 0.1092199).abs() < 1e-6);
    }

    #[test]
    fn fixed_needs_a_bound_and_not_only_a_zero() {
        let reduced = of(&[[8, 8, 0, 8]]);
        assert_eq!((reduced.kind, reduced.because), (Kind::Reduced, Because::BoundNotReached));
        // 0 of 59 is at most 5 %, 0 of 58 is not.
        assert_eq!(of(&[[20, 59, 0, 59]]).kind, Kind::Fixed);
        assert_eq!(of(&[[20, 58, 0, 58]]).kind, Kind::Reduced);
        // The published comparison: 0 of 48 where the base stalled.
        let published =
            of(&[[8, 8, 0, 8], [8, 8, 0, 8], [8, 8, 0, 8], [0, 24, 0, 24], [4, 24, 0, 24]]);
        assert_eq!(published.kind, Kind::Reduced);
        assert_eq!((published.at_risk.strata, published.at_risk.test), (4, [0, 48]));
        // Each stratum as if it had the 8 trials of the smallest: 1 − 0.05^(1/32).
        assert!((published.at_risk.test_at_most.unwrap() - 0.089369).abs() < 1e-5);
    }

    #[test]
    fn one_stratum_that_still_stalls_is_not_hidden_by_many_trials_elsewhere() {
        let found = of(&[[90, 100, 0, 900], [20, 20, 5, 20]]);
        assert_eq!(found.because, Because::StratumAboveBound { stratum: 1 });
        assert_eq!(found.kind, Kind::Reduced);
    }

    #[test]
    fn few_trials_where_the_base_always_stalls_are_not_outvoted_by_many_elsewhere() {
        for left in [[0, 3], [1, 3], [1, 20]] {
            let [k, n] = left;
            let found = of(&[[5, 200, 0, 200], [20, 20, k, n]]);
            assert_eq!(
                (found.kind, found.because),
                (Kind::Reduced, Because::BoundNotReached),
                "{left:?}"
            );
        }
        assert_eq!(of(&[[5, 200, 0, 200], [20, 20, 0, 59]]).kind, Kind::Fixed);
    }

    #[test]
    fn of_several_strata_above_the_bound_the_worst_is_named() {
        let found = of(&[[38, 40, 0, 40], [20, 20, 6, 20], [20, 20, 9, 20]]);
        assert_eq!(found.because, Because::StratumAboveBound { stratum: 2 });
    }

    #[test]
    fn opposite_effects_exclude_nothing() {
        let found = of(&[[12, 20, 6, 20], [6, 20, 12, 20]]);
        assert_eq!((found.kind, found.because), (Kind::Undecided, Because::StrataDiffer));
    }

    #[test]
    fn a_bound_above_the_base_shows_nothing() {
        let found = of(&[[40, 2000, 2, 2000]]);
        assert_eq!((found.kind, found.because), (Kind::Reduced, Because::BaseBelowBound));
        let strict = Rules { fixed_below: 0.005, ..Rules::default() };
        assert_eq!(decide(&trials(&[[40, 2000, 2, 2000]]), strict, 1).unwrap().kind, Kind::Fixed);
    }

    #[test]
    fn more_stalls_are_worse_pooled_or_in_one_stratum() {
        assert_eq!(of(&[[0, 24, 9, 24]]).because, Because::MoreStalls);
        let found = of(&[[30, 30, 2, 30], [0, 20, 12, 20]]);
        assert_eq!(
            (found.kind, found.because),
            (Kind::Worse, Because::MoreStallsInStratum { stratum: 1 })
        );
    }

    #[test]
    fn a_large_effect_is_excluded_by_an_interval_and_not_by_a_large_p_value() {
        assert_eq!(of(&[[20, 20, 20, 20]]).kind, Kind::LargeEffectExcluded);
        assert_eq!(of(&[[60, 100, 55, 100]]).kind, Kind::LargeEffectExcluded);
        // The same shares of few trials exclude nothing.
        assert_eq!(of(&[[6, 10, 6, 10]]).kind, Kind::Undecided);
        assert_eq!(of(&[[0, 500, 0, 500]]).because, Because::NothingStalled);
        assert_eq!(of(&[[0, 20, 2, 20]]).because, Because::BaseDidNotStall);
    }

    #[test]
    fn without_a_stratum_there_is_no_verdict() {
        assert!(decide(&trials(&[]), Rules::default(), 1).is_err());
        assert!(decide(&boots(&[], &[]), Rules::default(), 1).is_err());
    }

    #[test]
    fn one_boot_a_side_decides_nothing_however_many_trials_it_has() {
        let found = decide(&boots(&[[54, 60]], &[[0, 60]]), Rules::default(), 1).unwrap();
        assert_eq!(found.kind, Kind::Undecided);
        assert_eq!(found.because, Because::TooFewUnits { of_trials: Kind::Fixed });
        assert_eq!(found.p_value, None);
        let four = decide(&boots(&[[14, 15]; 4], &[[0, 15]; 4]), Rules::default(), 1).unwrap();
        assert_eq!(four.because, Because::TooFewUnits { of_trials: Kind::Fixed });
    }

    #[test]
    fn the_bound_counts_boots_and_not_trials() {
        let found = decide(&boots(&[[4, 5]; 12], &[[0, 5]; 12]), Rules::default(), 1).unwrap();
        assert_eq!((found.kind, found.because), (Kind::Reduced, Because::BoundNotReached));
        // 1 − 0.05^(1/12).
        assert!((found.at_risk.test_at_most.unwrap() - 0.220_92).abs() < 1e-4);
        let fixed = decide(&boots(&[[1, 1]; 59], &[[0, 1]; 59]), Rules::default(), 1).unwrap();
        assert_eq!(fixed.kind, Kind::Fixed);
    }

    #[test]
    fn boots_of_one_stratum_each_are_taken_together() {
        let mut units = boots(&[[4, 5]; 8], &[[0, 5]; 8]);
        for (at, cluster) in units.clusters.iter_mut().enumerate() {
            let mut strata = vec![[0, 0], [0, 0]];
            strata[at % 2] = cluster.strata[0];
            cluster.strata = strata;
        }
        let found = decide(&units, Rules::default(), 1).unwrap();
        // 1 − 0.05^(1/8): four boots of each of two strata.
        assert!((found.at_risk.test_at_most.unwrap() - 0.312_34).abs() < 1e-4, "{found:?}");
        // One more in one of them: the mean of 1 − 0.05^(1/5) and 1 − 0.05^(1/4).
        let mut more = units.clusters[8].clone();
        more.is_test = true;
        units.clusters.push(more);
        units.groups.push(16);
        let found = decide(&units, Rules::default(), 1).unwrap();
        assert!((found.at_risk.test_at_most.unwrap() - 0.488_93).abs() < 1e-4, "{found:?}");
    }

    #[test]
    fn boots_that_are_all_bad_or_of_one_trial_are_judged() {
        let bad = decide(&boots(&[[5, 5]; 6], &[[5, 5]; 6]), Rules::default(), 1).unwrap();
        assert_eq!((bad.kind, bad.p_value), (Kind::LargeEffectExcluded, None));
        let worse = decide(&boots(&[[0, 1]; 8], &[[1, 1]; 8]), Rules::default(), 1).unwrap();
        assert_eq!(worse.because, Because::MoreStalls);
    }
}
