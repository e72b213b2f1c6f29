//! The ratio of throughputs, test over base, stratum by stratum and over all: what cost and drift are
//! told by.
//!
//! Over strata: the geometric mean of the strata's ratios of medians, each with the same weight, and
//! its interval by resampling every stratum and side on its own (percentile).

use serde::Serialize;

use super::strata::{Stratum, Tally};
use crate::stat::samples::{MedianRatio, Resampling, SampleMedian, mann_whitney, mean_ratio};
use crate::stat::{Alternative, Estimate, Level};

/// One stratum.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StratumRatio {
    /// By its place among the strata.
    pub stratum: usize,
    /// Its name.
    pub name: String,
    /// Its hash policy.
    pub hash: String,
    /// The base side's throughput, in Mops/s.
    pub base: SampleMedian,
    /// The test side's.
    pub test: SampleMedian,
    /// Test over base, with the bootstrap's percentile interval.
    pub ratio: Estimate,
    /// Mann and Whitney's test, two-sided.
    pub p_value: Option<f64>,
    /// What weakens the interval, in sentences.
    pub notes: Vec<String>,
    #[serde(skip)]
    values: [Vec<f64>; 2],
}

/// The ratio of a stratum, if both sides have throughputs. `take` picks a trial's throughput by the
/// trial's place.
pub fn of(
    at: usize,
    stratum: &Stratum,
    take: impl Fn(usize) -> Option<f64>,
    level: Level,
    resampling: Resampling,
) -> Option<StratumRatio> {
    let sorted = |tally: &Tally| {
        let mut values: Vec<f64> = tally.members.iter().filter_map(|at| take(*at)).collect();
        values.sort_unstable_by(f64::total_cmp);
        values
    };
    let (base, test) = (sorted(&stratum.base), sorted(&stratum.test));
    if base.is_empty() || test.is_empty() {
        return None;
    }
    let ratio = MedianRatio::of_sorted(&test, &base, level, resampling);
    let interval = ratio.intervals.iter().find(|interval| interval.method == "percentile");
    let (test_result, _) = mann_whitney::of_sorted(&test, &base, Alternative::TwoSided);
    Some(StratumRatio {
        stratum: at,
        name: stratum.name.clone(),
        hash: stratum.factors.hash().to_string(),
        base: SampleMedian::of_sorted(&base, level),
        test: SampleMedian::of_sorted(&test, level),
        ratio: Estimate {
            estimate: ratio.estimate,
            low: interval.and_then(|i| i.low),
            high: interval.and_then(|i| i.high),
        },
        p_value: test_result.p_value,
        notes: ratio.notes,
        values: [base, test],
    })
}

/// From so many values a side on, the percentile interval of a ratio of medians is at its level: simulated
/// in docs/statistics.md, Coverage.
const ENOUGH: usize = 5;

/// The geometric mean of the strata's ratios. A stratum without a ratio has no part in it, and one with
/// fewer than five trials on a side has one only if all strata are so small.
pub fn mean(ratios: &[StratumRatio], level: Level, resampling: Resampling) -> Option<MeanRatio> {
    let mut used: Vec<&StratumRatio> =
        ratios.iter().filter(|one| one.ratio.estimate.is_some_and(|r| r > 0.0)).collect();
    let enough = |one: &&StratumRatio| one.values.iter().all(|values| values.len() >= ENOUGH);
    if used.iter().any(enough) {
        used.retain(enough);
    }
    let sides: Vec<[&[f64]; 2]> =
        used.iter().map(|one| [one.values[0].as_slice(), one.values[1].as_slice()]).collect();
    let Estimate { estimate, low, high } = mean_ratio::of_sorted(&sides, level, resampling)?;
    let fewest = sides.iter().flatten().map(|side| side.len()).min().unwrap_or(0);
    Some(MeanRatio { strata: used.len() as u64, fewest: fewest as u64, estimate, low, high })
}

/// The mean of several strata's ratios.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeanRatio {
    /// How many.
    pub strata: u64,
    /// The fewest trials of a side of a stratum: below 5, the interval covers less than it says.
    pub fewest: u64,
    /// The geometric mean.
    pub estimate: Option<f64>,
    /// The lower bound; `None` where a side has a single trial.
    pub low: Option<f64>,
    /// The upper bound.
    pub high: Option<f64>,
}

impl MeanRatio {
    /// Whether its interval may be relied on.
    pub fn is_relied_on(&self) -> bool {
        self.fewest >= ENOUGH as u64
    }
}
