//! The ratio of throughputs, test over base, stratum by stratum and over all: what cost and drift are
//! told by.
//!
//! Over strata: the geometric mean of the strata's ratios of medians, each with the same weight, and
//! its interval by resampling every stratum and side on its own (percentile).

use serde::Serialize;

use super::strata::{Stratum, Tally};
use model::factor::POLICY;
use stats::samples::{MedianRatio, Note, Resampling, SampleMedian, mann_whitney, mean_ratio};
use stats::{Alternative, Estimate, Level};

/// One stratum.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StratumRatio {
    /// By its place among the strata.
    pub stratum: usize,
    /// Its name.
    pub name: String,
    /// What the kernel is told to do.
    pub policy: String,
    /// The base side's throughput, in Mops/s.
    pub base: SampleMedian,
    /// The test side's.
    pub test: SampleMedian,
    /// Test over base, with the bootstrap's percentile interval; without one where a side has fewer
    /// than five values, of which the resamples are too few for its level.
    pub ratio: Estimate,
    /// Whether it is in the mean over strata.
    pub in_mean: bool,
    /// Mann and Whitney's test, two-sided.
    pub p_value: Option<f64>,
    /// What weakens the interval.
    pub notes: Vec<Note>,
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
    let enough = base.len().min(test.len()) >= ENOUGH;
    let percentile = ratio.intervals.iter().find(|interval| interval.method == "percentile");
    let interval = percentile.filter(|_| enough);
    let (test_result, _) = mann_whitney::of_sorted(&test, &base, Alternative::TwoSided);
    Some(StratumRatio {
        stratum: at,
        name: stratum.name.clone(),
        policy: stratum.factors.get(POLICY).to_string(),
        base: SampleMedian::of_sorted(&base, level),
        test: SampleMedian::of_sorted(&test, level),
        ratio: Estimate {
            estimate: ratio.estimate,
            low: interval.and_then(|i| i.low),
            high: interval.and_then(|i| i.high),
        },
        in_mean: false,
        p_value: test_result.p_value,
        notes: ratio.notes,
        values: [base, test],
    })
}

/// From so many values a side on, the percentile interval of a ratio of medians is at its level: simulated
/// in docs/appendix/coverage.md.
const ENOUGH: usize = 5;

impl StratumRatio {
    /// The fewest values of a side.
    pub fn fewest(&self) -> usize {
        self.base.n.min(self.test.n)
    }

    /// Whether its interval may be relied on.
    pub fn is_relied_on(&self) -> bool {
        self.fewest() >= ENOUGH
    }

    /// That the ratio is at least this one: Mann and Whitney's one-sided test of the test side's values
    /// over it against the base's, whose small p says that the test side is below. Exact for any number
    /// of values where the patch changes the scale and nothing else of the distribution.
    pub fn at_least_p(&self, ratio: f64) -> Option<f64> {
        let scaled: Vec<f64> = self.values[1].iter().map(|value| value / ratio).collect();
        let usable = ratio > 0.0 && scaled.iter().all(|value| value.is_finite());
        let test =
            || mann_whitney::of_sorted(&scaled, &self.values[0], Alternative::Less).0.p_value;
        usable.then(test).flatten()
    }
}

/// The geometric mean of the strata's ratios, which are told whether they are in it. A stratum without a
/// ratio above 0 has no part in it, and one with fewer than five values on a side has one only if all
/// strata are so small.
pub fn mean(
    ratios: &mut [StratumRatio],
    level: Level,
    resampling: Resampling,
) -> Option<MeanRatio> {
    let exists = |one: &StratumRatio| one.ratio.estimate.is_some_and(|r| r > 0.0);
    let any_enough = ratios.iter().any(|one| exists(one) && one.is_relied_on());
    for one in ratios.iter_mut() {
        one.in_mean = exists(one) && (one.is_relied_on() || !any_enough);
    }
    let used = || ratios.iter().filter(|one| one.in_mean);
    let sides: Vec<[&[f64]; 2]> =
        used().map(|one| [one.values[0].as_slice(), one.values[1].as_slice()]).collect();
    let Estimate { estimate, low, high } = mean_ratio::of_sorted(&sides, level, resampling)?;
    let fewest = used().map(StratumRatio::fewest).min().unwrap_or(0);
    let relied_on = |bound: Option<f64>| bound.filter(|_| fewest >= ENOUGH);
    Some(MeanRatio {
        strata: sides.len() as u64,
        fewest: fewest as u64,
        estimate,
        low: relied_on(low),
        high: relied_on(high),
    })
}

/// The mean of several strata's ratios.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeanRatio {
    /// How many.
    pub strata: u64,
    /// The fewest values of a side of a stratum: below 5, there is no interval.
    pub fewest: u64,
    /// The geometric mean.
    pub estimate: Option<f64>,
    /// The lower bound; `None` with fewer than five values.
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
