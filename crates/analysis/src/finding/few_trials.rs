//! Trials that are too few for an interval, or for one that can be relied on.

use serde::Serialize;

use super::{Finding, Tables};
use stats::samples::median::median_ranks;
use stats::survival::{PointwiseMethod, notes};
use stats::{Estimate, Level};

/// Cells whose medians have no interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FewTrials {
    /// The most trials with a throughput that any of these cells has.
    pub most: u64,
    /// Trials that a median's interval needs at this level.
    pub needed: u64,
    /// Cells that have fewer.
    pub cells: u64,
    /// The confidence level.
    pub level: Level,
    /// Whether all was measured elsewhere, so that no more trials can be had here.
    pub imported: bool,
}

/// Intervals of times to recovery are of few trials, and cover less often than they should.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FewTimes {
    /// The fewest trials behind an interval of a finding.
    pub least: u64,
}

pub(super) fn few_trials(tables: &Tables) -> Option<FewTrials> {
    // [min, max] of n values misses the median with probability 2^(1-n).
    let needed = (1.0 - tables.level.alpha().log2()).ceil().max(2.0) as u64;
    let counts = tables.cells.iter().filter_map(|cell| cell.mops.map(|mops| mops.n as u64));
    let few: Vec<u64> = counts.filter(|n| *n < needed).collect();
    Some(FewTrials {
        most: few.iter().max().copied()?,
        needed,
        cells: few.len() as u64,
        level: tables.level,
        imported: tables.imported(),
    })
}

pub(super) fn few_times(found: &[Finding], level: Level) -> Option<FewTimes> {
    let mut medians: Vec<(u64, &Estimate)> = Vec::new();
    for finding in found {
        match finding {
            Finding::TimeToRecovery(time) => {
                medians.extend(time.at.iter().map(|at| (at.n, &at.median)));
            }
            Finding::StallDuration(time) => {
                medians.extend(time.at.iter().map(|at| (at.n, &at.median)));
            }
            _ => {}
        }
    }
    let with_interval = medians.into_iter().filter(|(n, median)| has_interval(median, *n, level));
    let least = with_interval.map(|(n, _)| n).min()?;
    notes::few_trials(least, PointwiseMethod::default()).map(|_| FewTimes { least })
}

/// Whether so many trials have an interval of a median at all, whatever happens, and this one has a bound.
pub fn has_interval(median: &Estimate, n: u64, level: Level) -> bool {
    enough(n, level) && (median.low.is_some() || median.high.is_some())
}

/// Whether an interval of a median of so many trials can have its level.
pub fn enough(n: u64, level: Level) -> bool {
    n > 0 && median_ranks(n as usize, level).is_some()
}
