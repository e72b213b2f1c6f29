//! The verdict: counts of stalls in, one of five words out, by rules that docs/reference/verdict.md states and
//! whose error rates `cargo xtask calibrate --verdict` simulates.
//!
//! | verdict | when |
//! | --- | --- |
//! | worse | the pooled test says more stalls, or one stratum's does, adjusted |
//! | fixed | the pooled test says fewer stalls, and what may be left is below the stated bound |
//! | reduced | the pooled test says fewer stalls |
//! | no evidence of an effect | it says nothing, and the interval excludes a relevant effect |
//! | undecided | it says nothing, and a relevant effect may still be there |
//!
//! The first that holds is the verdict. No rule asks for observed power: an interval says what the data
//! exclude, and power at the observed effect is a function of the p-value.

use serde::Serialize;

use super::efficacy::{Counts, primary};
use stats::multiplicity::holm;
use stats::proportion::{self, Proportion, mean_at_most};
use stats::strata::{
    self as stat, breslow_day_tarone, mantel_haenszel_difference, mantel_haenszel_ratio,
};
use stats::two_by_two::fisher;
use stats::{Alternative, Level, StatError};

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
    /// A relevant effect is excluded.
    NoEvidenceOfAnEffect,
    /// More stalls.
    Worse,
    /// Neither.
    Undecided,
}

impl Kind {
    /// All, in the order of tables.
    pub const ALL: [Kind; 5] =
        [Kind::Fixed, Kind::Reduced, Kind::NoEvidenceOfAnEffect, Kind::Worse, Kind::Undecided];
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
    /// No evidence: a halving and a doubling are excluded.
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
    /// Undecided: an effect is neither shown nor excluded.
    NeitherShownNorExcluded,
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
    /// the same ([`mean_at_most`]); `None` without such strata.
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
    /// The pooled test's p-value, two-sided.
    pub p_value: Option<f64>,
    /// The pooled test.
    pub method: &'static str,
    /// Where the base stalled.
    pub at_risk: AtRisk,
    /// The rules' numbers.
    pub rules: Rules,
}

/// Decides.
///
/// # Errors
/// [`StatError::TooFew`] without strata, or with a side that has no trials in one.
pub fn decide(counts: &[Counts], rules: Rules) -> Result<Verdict, StatError> {
    if counts.is_empty() {
        return Err(StatError::too_few(
            "a verdict",
            "a stratum with outcomes on both sides",
            "none",
        ));
    }
    let alpha = rules.level.alpha();
    let strata: Vec<stat::Stratum> =
        counts.iter().map(|counts| counts.stratum("")).collect::<Result<_, _>>()?;
    let test = primary(&strata);
    let at_risk = at_risk(counts, rules.level)?;
    let verdict = |kind, because| Verdict {
        kind,
        because,
        p_value: test.p_value,
        method: test.method,
        at_risk,
        rules,
    };
    let difference =
        mantel_haenszel_difference::contrast(&strata, rules.level).estimate.unwrap_or(0.0);
    let significant = test.p_value.is_some_and(|p| p <= alpha);
    if significant && difference > 0.0 {
        return Ok(verdict(Kind::Worse, Because::MoreStalls));
    }
    if let Some(stratum) = worse_stratum(counts, alpha)? {
        return Ok(verdict(Kind::Worse, Because::MoreStallsInStratum { stratum }));
    }
    if significant && difference < 0.0 {
        let lacks = lacks(counts, &at_risk, rules)?;
        return Ok(match lacks {
            None => verdict(Kind::Fixed, Because::BoundKept),
            Some(because) => verdict(Kind::Reduced, because),
        });
    }
    let ratio = mantel_haenszel_ratio::contrast(&strata, rules.level);
    let bounds = ratio.intervals.first().and_then(|i| Some((i.low?, i.high?)));
    let base_stalled: u64 = counts.iter().map(|counts| counts.base[0]).sum();
    let test_stalled: u64 = counts.iter().map(|counts| counts.test[0]).sum();
    let differ = || breslow_day_tarone::test(&strata).p_value.is_some_and(|p| p <= alpha);
    Ok(match bounds {
        Some((low, high)) if low > rules.relevant_ratio && high < rules.relevant_ratio.recip() => {
            match differ() {
                true => verdict(Kind::Undecided, Because::StrataDiffer),
                false => verdict(Kind::NoEvidenceOfAnEffect, Because::RelevantEffectExcluded),
            }
        }
        _ if base_stalled == 0 && test_stalled == 0 => {
            verdict(Kind::Undecided, Because::NothingStalled)
        }
        _ if base_stalled == 0 => verdict(Kind::Undecided, Because::BaseDidNotStall),
        _ => verdict(Kind::Undecided, Because::NeitherShownNorExcluded),
    })
}

/// A stratum in which more stalls are shown: Fisher's one-sided test at half of α, as the pooled
/// test's upper half has, adjusted by Holm over the strata.
fn worse_stratum(counts: &[Counts], alpha: f64) -> Result<Option<usize>, StatError> {
    let mut p_values = Vec::with_capacity(counts.len());
    for counts in counts {
        let test = fisher::test(counts.table()?, Alternative::Greater);
        p_values.push(test.p_value.unwrap_or(1.0));
    }
    let adjusted = holm(&p_values)?;
    let least = adjusted.iter().enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b));
    Ok(least.filter(|(_, p)| **p <= alpha / 2.0).map(|(at, _)| at))
}

fn at_risk(counts: &[Counts], level: Level) -> Result<AtRisk, StatError> {
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
    sum.test_at_most = mean_at_most(&of_the_base_that_stalls(counts, |c| c.test)?, level);
    Ok(sum)
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
pub fn above_the_bound(counts: &[Counts], rules: Rules) -> Result<Vec<usize>, StatError> {
    let mut above = Vec::new();
    for (at, counts) in counts.iter().enumerate() {
        let low = one_sided(counts.test, rules.level)?.0;
        if low > rules.fixed_below {
            above.push((at, low));
        }
    }
    above.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    Ok(above.into_iter().map(|(at, _)| at).collect())
}

/// What a reduction lacks to be called fixed.
fn lacks(counts: &[Counts], at_risk: &AtRisk, rules: Rules) -> Result<Option<Because>, StatError> {
    if at_risk.base_mean.is_none_or(|mean| mean <= rules.fixed_below) {
        return Ok(Some(Because::BaseBelowBound));
    }
    if let Some(&stratum) = above_the_bound(counts, rules)?.first() {
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

    fn counts(of: &[[u64; 4]]) -> Vec<Counts> {
        of.iter().map(|&[k1, n1, k2, n2]| Counts { base: [k1, n1], test: [k2, n2] }).collect()
    }

    fn of(strata: &[[u64; 4]]) -> Verdict {
        decide(&counts(strata), Rules::default()).unwrap()
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
    fn opposite_effects_are_not_no_evidence_of_an_effect() {
        let found = of(&[[12, 20, 6, 20], [6, 20, 12, 20]]);
        assert_eq!((found.kind, found.because), (Kind::Undecided, Because::StrataDiffer));
    }

    #[test]
    fn a_bound_above_the_base_shows_nothing() {
        let found = of(&[[40, 2000, 2, 2000]]);
        assert_eq!((found.kind, found.because), (Kind::Reduced, Because::BaseBelowBound));
        let strict = Rules { fixed_below: 0.005, ..Rules::default() };
        assert_eq!(decide(&counts(&[[40, 2000, 2, 2000]]), strict).unwrap().kind, Kind::Fixed);
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
    fn no_evidence_is_an_interval_and_not_a_large_p_value() {
        assert_eq!(of(&[[20, 20, 20, 20]]).kind, Kind::NoEvidenceOfAnEffect);
        assert_eq!(of(&[[60, 100, 55, 100]]).kind, Kind::NoEvidenceOfAnEffect);
        // The same shares of few trials exclude nothing.
        assert_eq!(of(&[[6, 10, 6, 10]]).kind, Kind::Undecided);
        assert_eq!(of(&[[0, 500, 0, 500]]).because, Because::NothingStalled);
        assert_eq!(of(&[[0, 20, 2, 20]]).because, Because::BaseDidNotStall);
    }

    #[test]
    fn without_a_stratum_there_is_no_verdict() {
        assert!(decide(&[], Rules::default()).is_err());
        assert!(decide(&counts(&[[0, 0, 0, 4]]), Rules::default()).is_err());
    }
}
