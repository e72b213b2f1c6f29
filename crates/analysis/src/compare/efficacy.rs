//! Efficacy: stall probabilities of the two sides, stratum by stratum and pooled.
//!
//! One test decides, and tables and words have its p-value: where trials are independent it is the exact
//! conditional test over strata, of one stratum Fisher's; where boots or stretches are, it is their permutation
//! test. Each stratum has the same test, adjusted by Holm over the strata: it says where, not whether.

use serde::Serialize;

use super::strata::Stratum;
use super::units::{Unit, Units};
use crate::error::AnalysisError;
use stats::clusters::design_effect::variance_factor;
use stats::clusters::{Cluster, permutation};
use stats::multiplicity::holm;
use stats::strata::{
    self as stat, breslow_day_tarone, cochran_mantel_haenszel, exact_strata,
    mantel_haenszel_difference, mantel_haenszel_ratio,
};
use stats::two_by_two::{Contrast, Side, TwoByTwo, fisher, newcombe};
use stats::{Alternative, Estimate, Interval, Level, StatError, TestResult};

/// The stall probabilities against each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Efficacy {
    /// Each stratum that has outcomes on both sides.
    pub strata: Vec<StratumEfficacy>,
    /// All of them together.
    pub pooled: Pooled,
}

/// One stratum.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StratumEfficacy {
    /// By its place among the strata.
    pub stratum: usize,
    /// Its name.
    pub name: String,
    /// Stalled and counted on the base side.
    pub base: Side,
    /// On the test side.
    pub test: Side,
    /// Difference and ratio, test against base. The difference's interval is Newcombe's, the ratio's
    /// Miettinen and Nurminen's.
    #[serde(flatten)]
    pub effect: Effect,
    /// The test of the stratum, two-sided; no p-value where its units are too few.
    pub test_result: TestResult,
    /// Fisher's exact test of its trials, two-sided: the same where trials are the units.
    pub p_fisher: Option<f64>,
    /// The p-value of the test, adjusted by Holm's method over the strata.
    pub p_holm: Option<f64>,
}

/// By how much the sides differ. The intervals count what is independent, and hold no effect exactly where
/// the test's p is above α.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Effect {
    /// Test − base; Mantel and Haenszel's over several strata.
    pub difference: Contrast,
    /// Test / base; Mantel and Haenszel's over several strata.
    pub ratio: Contrast,
    /// 1 − ratio: the share of the base's stalls that is gone.
    pub reduction: Estimate,
}

/// All strata together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pooled {
    /// Stalled and counted, base then test: sums, for orientation.
    pub counts: [[u64; 2]; 2],
    /// Mantel and Haenszel's common difference and ratio.
    #[serde(flatten)]
    pub effect: Effect,
    /// The test that the verdict goes by.
    pub primary: TestResult,
    /// Whether the odds ratio is the same in all strata: Breslow and Day, with Tarone's correction, as if
    /// trials were independent. No p-value where fewer than two strata inform it.
    pub homogeneity: TestResult,
}

/// Stalled and counted of both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Counts {
    /// Stalled and counted, base side.
    pub base: [u64; 2],
    /// Stalled and counted, test side.
    pub test: [u64; 2],
}

impl Counts {
    /// Those of a stratum.
    pub fn of(stratum: &Stratum) -> Counts {
        Counts {
            base: [stratum.base.stalled, stratum.base.observed],
            test: [stratum.test.stalled, stratum.test.observed],
        }
    }

    /// A side's share, base or test; 0 without a trial.
    pub fn share(self, side: usize) -> f64 {
        let [k, n] = [self.base, self.test][side.min(1)];
        if n == 0 { 0.0 } else { k as f64 / n as f64 }
    }

    /// Its table.
    pub fn table(self) -> Result<TwoByTwo, StatError> {
        TwoByTwo::new(self.base[0], self.base[1], self.test[0], self.test[1])
    }

    /// For the stratified estimators.
    pub fn stratum(self, name: &str) -> Result<stat::Stratum, StatError> {
        stat::Stratum::new(name, self.base[0], self.base[1], self.test[0], self.test[1])
    }
}

impl From<[[u64; 2]; 2]> for Counts {
    fn from([base, test]: [[u64; 2]; 2]) -> Counts {
        Counts { base, test }
    }
}

/// Counts as strata of the stratified estimators.
pub fn tables(counts: &[Counts]) -> Result<Vec<stat::Stratum>, StatError> {
    counts.iter().map(|counts| counts.stratum("")).collect()
}

/// The primary test, two-sided: of trials, the exact conditional one, group by group where several groups
/// have both sides, and CMH where its enumeration would take more than a few seconds, which is where the
/// strata are large; of boots or stretches, their permutation test.
pub fn primary(units: &Units, seed: u64) -> Result<TestResult, StatError> {
    test(units, None, seed)
}

fn test(units: &Units, only: Option<usize>, seed: u64) -> Result<TestResult, StatError> {
    let chosen = |cluster: &Cluster| -> Vec<[u64; 2]> {
        match only {
            Some(at) => cluster.strata.get(at).copied().into_iter().collect(),
            None => cluster.strata.clone(),
        }
    };
    if units.unit != Unit::Trial {
        let clusters: Vec<Cluster> = units
            .clusters
            .iter()
            .map(|of| Cluster { is_test: of.is_test, strata: chosen(of) })
            .filter(|of| of.strata.iter().any(|[_, n]| *n > 0))
            .collect();
        let found = permutation::test(&clusters, Alternative::TwoSided, seed);
        return Ok(match units.are_enough() {
            true => found,
            false => TestResult { p_value: None, ..found },
        });
    }
    let mut strata = Vec::new();
    let groups = units.groups.iter().max().map_or(0, |last| last + 1);
    for group in 0..groups {
        let of = |is_test: bool| {
            let mut all = units.clusters.iter().zip(&units.groups);
            all.find(|(of, at)| **at == group && of.is_test == is_test).map(|(of, _)| chosen(of))
        };
        let (Some(base), Some(test)) = (of(false), of(true)) else { continue };
        for ([k1, n1], [k2, n2]) in base.into_iter().zip(test) {
            strata.push(stat::Stratum::new("", k1, n1, k2, n2)?);
        }
    }
    let exact = exact_strata::test(&strata);
    if exact.p_value.is_some() {
        return Ok(exact);
    }
    let cmh = cochran_mantel_haenszel::test(&strata);
    Ok(if cmh.p_value.is_some() { cmh } else { exact })
}

/// The test of each of so many strata, and its p-value adjusted by Holm over those that have one.
pub fn adjusted(
    units: &Units,
    strata: usize,
    seed: u64,
) -> Result<Vec<(TestResult, Option<f64>)>, StatError> {
    let tests: Vec<TestResult> =
        (0..strata).map(|at| test(units, Some(at), seed)).collect::<Result<_, _>>()?;
    let known: Vec<f64> = tests.iter().filter_map(|test| test.p_value).collect();
    let mut holm = holm(&known)?.into_iter();
    Ok(tests
        .into_iter()
        .map(|test| {
            let adjusted = test.p_value.and_then(|_| holm.next());
            (test, adjusted)
        })
        .collect())
}

impl Effect {
    /// Of one stratum, or of all together.
    pub fn of(
        units: &Units,
        only: Option<usize>,
        p_value: Option<f64>,
        level: Level,
    ) -> Result<Effect, StatError> {
        let factor = match units.unit {
            Unit::Trial => 1.0,
            Unit::Boot | Unit::Stretch => variance_factor(&units.clusters, only, level),
        };
        let all: Vec<Counts> = units.strata().into_iter().map(Counts::from).collect();
        let counts: Vec<Counts> = match only {
            Some(at) => all.get(at).copied().into_iter().collect(),
            None => all,
        };
        let strata = tables(&counts)?;
        let difference = match counts.as_slice() {
            [one] => {
                let table = one.table()?;
                Contrast {
                    estimate: Some(table.difference()),
                    intervals: vec![newcombe::widened(table, level, factor)],
                }
            }
            _ => mantel_haenszel_difference::widened(&strata, level, factor),
        };
        let ratio = mantel_haenszel_ratio::widened(&strata, level, factor);
        let agreeing = |of: Contrast, no_effect: f64| Contrast {
            intervals: of
                .intervals
                .into_iter()
                .map(|interval| {
                    // The test of whole clusters excludes what an interval by their variance holds: then
                    // that interval says nothing.
                    let holds = interval.low.is_some_and(|low| low < no_effect)
                        && interval.high.is_some_and(|high| high > no_effect);
                    let excluded = p_value.is_some_and(|p| p <= level.alpha());
                    if units.unit != Unit::Trial && holds && excluded {
                        return Interval { low: None, high: None, ..interval };
                    }
                    interval.agreeing(no_effect, of.estimate, p_value)
                })
                .collect(),
            ..of
        };
        let (difference, ratio) = (agreeing(difference, 0.0), agreeing(ratio, 1.0));
        Ok(Effect { reduction: reduction(&ratio), difference, ratio })
    }
}

/// 1 − ratio, with the bounds turned round.
fn reduction(ratio: &Contrast) -> Estimate {
    let interval = ratio.intervals.first();
    let bound = |x: Option<f64>| x.map(|x| 1.0 - x);
    Estimate {
        estimate: bound(ratio.estimate),
        low: bound(interval.and_then(|i| i.high)),
        high: bound(interval.and_then(|i| i.low)),
    }
}

/// Compares the strata. The units are those of the compared strata, in their order.
pub fn of(
    strata: &[Stratum],
    units: &Units,
    level: Level,
    seed: u64,
) -> Result<Efficacy, AnalysisError> {
    let compared: Vec<(usize, &Stratum)> =
        strata.iter().enumerate().filter(|(_, stratum)| stratum.is_compared()).collect();
    let tests = adjusted(units, compared.len(), seed)?;
    let mut found = Vec::new();
    for (place, ((at, stratum), (test_result, p_holm))) in
        compared.into_iter().zip(tests).enumerate()
    {
        let table = Counts::of(stratum).table()?;
        found.push(StratumEfficacy {
            stratum: at,
            name: stratum.name.clone(),
            base: table.base.into(),
            test: table.test.into(),
            effect: Effect::of(units, Some(place), p_holm, level)?,
            test_result,
            p_fisher: fisher::test(table, Alternative::TwoSided).p_value,
            p_holm,
        });
    }
    let mut counts = [[0, 0]; 2];
    for [base, test] in units.strata() {
        for (sum, side) in counts.iter_mut().zip([base, test]) {
            *sum = [sum[0] + side[0], sum[1] + side[1]];
        }
    }
    let all: Vec<Counts> = units.strata().into_iter().map(Counts::from).collect();
    let primary = primary(units, seed)?;
    Ok(Efficacy {
        strata: found,
        pooled: Pooled {
            counts,
            effect: Effect::of(units, None, primary.p_value, level)?,
            primary,
            homogeneity: breslow_day_tarone::test(&tables(&all)?),
        },
    })
}
