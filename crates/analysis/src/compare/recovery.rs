//! Recovery: how long a due growth stays behind on each side, what was still pending right-censored.
//!
//! Only trials in which growth was due have a time. A patch may change in how many it is due (by
//! sizing the hash at once); then the times are of different kinds of trials, and that is said.

use serde::Serialize;
use trial::record::Pivot;

use super::sides::Sides;
use super::strata::{Stratum, Tally};
use crate::error::AnalysisError;
use crate::recovery::SeenBy;
use crate::stat::survival::{
    FollowUp, Group, HazardRatio, Lifetime, SurvivalOptions, SurvivalSummary, notes,
    stratified_hazard_ratio, stratified_log_rank, summarize,
};
use crate::stat::{Level, TestResult};

/// The recovery times against each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recovery {
    /// Each stratum in which both sides have times.
    pub strata: Vec<StratumRecovery>,
    /// All of them together, each with its own hazard; `None` where there is none.
    pub log_rank: Option<TestResult>,
    /// The ratio of hazards that they have in common, test against base: above 1 the test side is
    /// quicker.
    pub hazard_ratio: Option<HazardRatio>,
    /// Whether every time was seen by the throughput and not by the slots.
    pub by_throughput: bool,
    /// What the log-rank test and the hazard ratio of all strata together lack or cannot carry, in
    /// sentences; each stratum has its own.
    pub notes: Vec<String>,
    /// Strata in which they can't be compared, and why, in sentences.
    pub not_compared: Vec<String>,
}

/// One stratum.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StratumRecovery {
    /// By its place among the strata.
    pub stratum: usize,
    /// Its name.
    pub name: String,
    /// Base, then test: curves, medians, restricted means up to [`horizon`], tests, the
    /// hazard ratio and the difference of restricted means.
    #[serde(flatten)]
    pub summary: SurvivalSummary,
}

/// Compares the times.
pub fn of(sides: &Sides, strata: &[Stratum], level: Level) -> Result<Recovery, AnalysisError> {
    let options = SurvivalOptions { level, ..SurvivalOptions::default() };
    let mut found = Vec::new();
    let mut follow_ups: Vec<[Vec<FollowUp>; 2]> = Vec::new();
    let mut not_compared = Vec::new();
    for (at, stratum) in strata.iter().enumerate().filter(|(_, stratum)| !stratum.is_control) {
        let [base, test] = [&stratum.base, &stratum.test].map(|tally| times(sides, tally));
        if base.is_empty() && test.is_empty() {
            continue;
        }
        if base.is_empty() || test.is_empty() {
            let (with, without) = if test.is_empty() { ("base", "test") } else { ("test", "base") };
            not_compared.push(format!(
                "{}: growth was due on the {with} side, and in no trial of the {without} side whose \
                 time is known",
                stratum.name
            ));
            continue;
        }
        let share = |times: &[Lifetime], tally: &Tally| {
            times.len() as f64 / (tally.trials - tally.failed).max(1) as f64
        };
        let (base_due, test_due) = (share(&base, &stratum.base), share(&test, &stratum.test));
        if (base_due - test_due).abs() > 0.1 {
            not_compared.push(format!(
                "{}: growth was due in {} of the base side's trials and in {} of the test side's, so \
                 that the times are not of the same kind of trial",
                stratum.name,
                crate::words::percent(base_due),
                crate::words::percent(test_due)
            ));
        }
        let seen = |times: &[Lifetime]| -> Vec<FollowUp> {
            times
                .iter()
                .filter_map(|time| match *time {
                    Lifetime::Exact(after) => FollowUp::seen(after).ok(),
                    Lifetime::RightCensored(after) => FollowUp::censored(after).ok(),
                    Lifetime::Between { .. } => None,
                })
                .collect()
        };
        follow_ups.push([seen(&base), seen(&test)]);
        let options = SurvivalOptions { until: horizon(&base, &test), ..options.clone() };
        let group = |name: &str, trials| Group { name: Some(name.to_string()), trials };
        let summary = summarize(&[group("base", base), group("test", test)], &options)?;
        found.push(StratumRecovery { stratum: at, name: stratum.name.clone(), summary });
    }
    let pairs: Vec<(&[FollowUp], &[FollowUp])> =
        follow_ups.iter().map(|[base, test]| (base.as_slice(), test.as_slice())).collect();
    let any = !pairs.is_empty();
    let by_throughput = any
        && found.iter().all(|one| {
            let stratum = strata.get(one.stratum);
            stratum.is_some_and(|s| SeenBy::of(&s.factors) == SeenBy::Throughput)
        });
    let hazard_ratio = any.then(|| stratified_hazard_ratio(&pairs, level)).transpose()?;
    Ok(Recovery {
        by_throughput,
        notes: hazard_ratio.as_ref().map_or_else(Vec::new, |ratio| notes_on(&found, ratio)),
        strata: found,
        log_rank: any.then(|| stratified_log_rank(&pairs)).transpose()?,
        hazard_ratio,
        not_compared,
    })
}

/// What of the strata together does not exist, or rests on too few events.
fn notes_on(strata: &[StratumRecovery], ratio: &HazardRatio) -> Vec<String> {
    let events = |side: usize| {
        strata.iter().filter_map(|one| one.summary.groups.get(side)).map(|group| group.events).sum()
    };
    let few = notes::few_events([("base", events(0)), ("test", events(1))]);
    notes::ratio_at_the_edge(ratio, "base", "test").into_iter().chain(few).collect()
}

/// Up to when both sides' curves are known: the last time of any trial, or the earliest last time
/// of a side whose last trial is censored. After the last event of a side of which nothing is
/// left, its curve is 0 and known for ever, so a side that is through early does not cut the other
/// short.
fn horizon(base: &[Lifetime], test: &[Lifetime]) -> Option<f64> {
    let last = |side: &[Lifetime]| {
        side.iter().fold((0.0f64, false), |(last, censored), time| match *time {
            Lifetime::Exact(after) | Lifetime::Between { right: after, .. } if after > last => {
                (after, false)
            }
            // Censored where the last event is: that trial was still at risk after it.
            Lifetime::RightCensored(after) if after >= last => (after, true),
            _ => (last, censored),
        })
    };
    let sides = [last(base), last(test)];
    let any = sides.iter().fold(0.0, |any: f64, (last, _)| any.max(*last));
    let ends = sides.iter().filter(|(_, censored)| *censored).map(|(last, _)| *last);
    Some(ends.fold(any, f64::min)).filter(|until| *until > 0.0)
}

fn times(sides: &Sides, tally: &Tally) -> Vec<Lifetime> {
    let trials = tally.members.iter().filter_map(|at| sides.data.trials.get(*at));
    trials
        .filter(|trial| trial.is_ok())
        .filter_map(|trial| match (trial.pivot, trial.pivot_s) {
            (Some(Pivot::Settled), Some(after)) => Some(Lifetime::Exact(after)),
            (Some(Pivot::Pending), Some(watched)) => Some(Lifetime::RightCensored(watched)),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_that_is_through_early_does_not_cut_the_other_short() {
        use Lifetime::{Exact, RightCensored};
        let fast = [Exact(0.01), Exact(0.02)];
        assert_eq!(horizon(&[Exact(1.0), Exact(5.0)], &fast), Some(5.0));
        assert_eq!(horizon(&[Exact(1.0), RightCensored(5.0)], &fast), Some(5.0));
        assert_eq!(horizon(&[Exact(5.0)], &[Exact(0.01), RightCensored(3.0)]), Some(3.0));
        assert_eq!(horizon(&[Exact(5.0)], &[Exact(3.0), RightCensored(3.0)]), Some(3.0));
        assert_eq!(horizon(&[RightCensored(3.0), Exact(5.0)], &[Exact(4.0)]), Some(5.0));
        assert_eq!(horizon(&[Exact(0.0)], &[Exact(0.0)]), None);
    }
}
