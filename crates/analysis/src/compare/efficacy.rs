//! Efficacy: stall probabilities of the two sides, stratum by stratum and pooled.
//!
//! The pooled test is the primary one: exact, conditional on every stratum's margins; of one stratum it
//! is Fisher's. Each stratum has its own test beside it, Boschloo's, adjusted by Holm over the strata:
//! it says where, not whether.

use serde::Serialize;

use super::strata::Stratum;
use crate::error::AnalysisError;
use stats::multiplicity::holm;
use stats::strata::{
    self as stat, breslow_day_tarone, cochran_mantel_haenszel, exact_strata, mantel_fleiss,
    mantel_haenszel_difference, mantel_haenszel_odds_ratio, mantel_haenszel_ratio,
};
use stats::two_by_two::{self, Contrast, Effects, TwoByTwo, boschloo, fisher, fisher_mid_p};
use stats::{Alternative, Estimate, Level, StatError, TestResult};

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
    /// Counts, difference, ratio and odds ratio, test against base. The ratio's interval is Miettinen
    /// and Nurminen's, not Koopman's: of one stratum it is then the common ratio's.
    #[serde(flatten)]
    pub effects: Effects,
    /// 1 − ratio: the share of the base's stalls that is gone.
    pub reduction: Estimate,
    /// Boschloo's exact test, two-sided; Fisher's mid-P where there are too many trials for it.
    pub test_result: TestResult,
    /// Fisher's exact test, two-sided.
    pub p_fisher: Option<f64>,
    /// The first, adjusted by Holm's method over the strata.
    pub p_holm: Option<f64>,
}

/// All strata together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pooled {
    /// Stalled and counted, base then test: sums, for orientation.
    pub counts: [[u64; 2]; 2],
    /// Mantel and Haenszel's common difference.
    pub difference: Contrast,
    /// Mantel and Haenszel's common ratio.
    pub ratio: Contrast,
    /// 1 − ratio.
    pub reduction: Estimate,
    /// Mantel and Haenszel's common odds ratio.
    pub odds_ratio: Contrast,
    /// The test that the verdict goes by.
    pub primary: TestResult,
    /// Cochran-Mantel-Haenszel, beside it.
    pub cmh: TestResult,
    /// Whether the strata are too sparse for its χ², by Mantel and Fleiss.
    pub is_sparse: bool,
    /// Whether the odds ratio is the same in all strata: Breslow and Day, with Tarone's correction.
    /// No p-value where fewer than two strata inform it.
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

    /// Its table.
    pub fn table(self) -> Result<TwoByTwo, StatError> {
        TwoByTwo::new(self.base[0], self.base[1], self.test[0], self.test[1])
    }

    /// For the stratified estimators.
    pub fn stratum(self, name: &str) -> Result<stat::Stratum, StatError> {
        stat::Stratum::new(name, self.base[0], self.base[1], self.test[0], self.test[1])
    }
}

/// The primary test: exact and conditional, two-sided; CMH where its enumeration would take more than
/// a few seconds, which is where the strata are large.
pub fn primary(strata: &[stat::Stratum]) -> TestResult {
    let exact = exact_strata::test(strata);
    if exact.p_value.is_some() {
        return exact;
    }
    let cmh = cochran_mantel_haenszel::test(strata);
    if cmh.p_value.is_some() { cmh } else { exact }
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

/// Compares the strata.
pub fn of(strata: &[Stratum], level: Level) -> Result<Efficacy, AnalysisError> {
    let compared: Vec<(usize, &Stratum)> =
        strata.iter().enumerate().filter(|(_, stratum)| stratum.is_compared()).collect();
    let mut found = Vec::new();
    let mut tables = Vec::new();
    for (at, stratum) in compared {
        let counts = Counts::of(stratum);
        let table = counts.table()?;
        let alone = counts.stratum(&stratum.name)?;
        let ratio = mantel_haenszel_ratio::contrast(std::slice::from_ref(&alone), level);
        let effects = Effects { ratio, ..two_by_two::effects(table, level) };
        let exact = boschloo::test(table, Alternative::TwoSided);
        let test_result = match exact.p_value {
            Some(_) => exact,
            None => fisher_mid_p::test(table, Alternative::TwoSided),
        };
        found.push(StratumEfficacy {
            stratum: at,
            name: stratum.name.clone(),
            reduction: reduction(&effects.ratio),
            effects,
            test_result,
            p_fisher: fisher::test(table, Alternative::TwoSided).p_value,
            p_holm: None,
        });
        tables.push(alone);
    }
    let p_values: Vec<f64> = found.iter().filter_map(|s| s.test_result.p_value).collect();
    let adjusted = holm(&p_values)?;
    let with_p = found.iter_mut().filter(|stratum| stratum.test_result.p_value.is_some());
    for (stratum, p) in with_p.zip(adjusted) {
        stratum.p_holm = Some(p);
    }
    Ok(Efficacy { pooled: pooled(strata, &tables, level), strata: found })
}

fn pooled(strata: &[Stratum], tables: &[stat::Stratum], level: Level) -> Pooled {
    let mut counts = [[0, 0]; 2];
    for stratum in strata.iter().filter(|stratum| stratum.is_compared()) {
        for (sum, side) in counts.iter_mut().zip([&stratum.base, &stratum.test]) {
            sum[0] += side.stalled;
            sum[1] += side.observed;
        }
    }
    let ratio = mantel_haenszel_ratio::contrast(tables, level);
    Pooled {
        counts,
        difference: mantel_haenszel_difference::contrast(tables, level),
        reduction: reduction(&ratio),
        ratio,
        odds_ratio: mantel_haenszel_odds_ratio::contrast(tables, level),
        primary: primary(tables),
        cmh: cochran_mantel_haenszel::test(tables),
        is_sparse: mantel_fleiss::is_sparse(tables),
        homogeneity: breslow_day_tarone::test(tables),
    }
}
