//! Recovery: how long a due growth stays behind on each side, what was still pending right-censored.
//!
//! Only trials in which growth was due have a time. A patch may change in how many it is due (by
//! sizing the hash at once); then the times are of different kinds of trials, and that is said.
//!
//! A patch may be quicker in one stratum and slower in another. A hazard ratio of all strata is given
//! only where nothing shows that they have different ones; the strata's own always are.
//!
//! Where boots or stretches of time are what is independent, the one test is that of whole clusters, and the
//! ratio has no interval: all that counts trials is left out.

use serde::Serialize;

use std::collections::BTreeMap;

use super::sides::{Sides, Which};
use super::strata::{Stratum, Tally};
use super::units::{FEWEST, Key, Places, Unit};
use crate::error::AnalysisError;
use crate::recovery::SeenBy;
use crate::recovery::event::lifetime;
use stats::clusters::log_rank::{self, TimedCluster};
use stats::multiplicity::holm;
use stats::survival::{
    FollowUp, Group, HazardHomogeneity, HazardRatio, Lifetime, RestrictedMeanDifference,
    SurvivalOptions, SurvivalSummary, hazard_homogeneity, notes, stratified_hazard_ratio,
    stratified_log_rank, summarize,
};
use stats::{Level, TestResult};

/// The recovery times against each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecoveryComparison {
    /// Each stratum in which both sides have times.
    pub strata: Vec<StratumRecovery>,
    /// All of them together, each with its own hazard, by what is independent; `None` where there is none.
    pub log_rank: Option<TestResult>,
    /// The ratio of hazards that they have in common, test against base: above 1 the test side is
    /// quicker. `None` where `homogeneity` is rejected: then they have none in common.
    pub hazard_ratio: Option<HazardRatio>,
    /// Whether they have one in common.
    pub homogeneity: Option<HazardHomogeneity>,
    /// Whether it is rejected at the comparison's level.
    pub ratios_differ: bool,
    /// Whether every time was seen by the throughput and not by the slots.
    pub by_throughput: bool,
    /// What the log-rank test and the hazard ratio of all strata together lack or cannot carry;
    /// each stratum has its own.
    pub notes: Vec<notes::Note>,
    /// Strata in which the times are of different kinds of trials.
    pub not_alike: Vec<NotAlike>,
    /// What is independent.
    pub unit: Unit,
    /// Whether there are enough of them for a test.
    pub are_enough: bool,
}

/// A stratum in which recovery was due in different shares of both sides' trials.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NotAlike {
    /// The stratum's name.
    pub stratum: String,
    /// The share of trials with a time to recovery, seen or censored, base then test; 0 on a side
    /// without such a trial, where the stratum is not compared.
    pub due: [f64; 2],
}

/// Which way recovery changed in a stratum, by the log-rank test adjusted by Holm over the strata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// The test side recovers sooner.
    Quicker,
    /// The test side recovers later.
    Slower,
    /// Neither is shown.
    NotShown,
}

/// One stratum.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StratumRecovery {
    /// By its place among the strata.
    pub stratum: usize,
    /// Its name.
    pub name: String,
    /// The log-rank test's p-value, adjusted by Holm over the strata.
    pub p_holm: Option<f64>,
    /// Which way it changed.
    pub change: Change,
    /// Base, then test: curves, medians, restricted means up to [`horizon`], tests, the
    /// hazard ratio and the difference of restricted means.
    #[serde(flatten)]
    pub summary: SurvivalSummary,
}

/// Compares the times.
pub fn of(
    sides: &Sides,
    strata: &[Stratum],
    places: &Places,
    level: Level,
    seed: u64,
) -> Result<RecoveryComparison, AnalysisError> {
    let options = SurvivalOptions { level, ..SurvivalOptions::default() };
    let mut found = Vec::new();
    let mut follow_ups: Vec<[Vec<FollowUp>; 2]> = Vec::new();
    let mut not_alike = Vec::new();
    let mut clusters = Clusters::default();
    for (at, stratum) in strata.iter().enumerate().filter(|(_, stratum)| !stratum.is_control) {
        let [base, test] = [&stratum.base, &stratum.test].map(|tally| times(sides, tally));
        if base.is_empty() && test.is_empty() {
            continue;
        }
        let share = |times: &[Lifetime], tally: &Tally| {
            times.len() as f64 / (tally.trials - tally.failed).max(1) as f64
        };
        let due = [share(&base, &stratum.base), share(&test, &stratum.test)];
        let one_sided = base.is_empty() || test.is_empty();
        if one_sided || (due[0] - due[1]).abs() > 0.1 {
            not_alike.push(NotAlike { stratum: stratum.name.clone(), due });
        }
        if one_sided {
            continue;
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
        for side in Which::BOTH {
            clusters.take(sides, places, stratum, side, follow_ups.len());
        }
        follow_ups.push([seen(&base), seen(&test)]);
        let options = SurvivalOptions { until: horizon(&base, &test), ..options.clone() };
        let group = |name: &str, trials| Group { name: Some(name.to_string()), trials };
        let summary = summarize(&[group("base", base), group("test", test)], &options)?;
        found.push(StratumRecovery {
            stratum: at,
            name: stratum.name.clone(),
            p_holm: None,
            change: Change::NotShown,
            summary,
        });
    }
    let pairs: Vec<(&[FollowUp], &[FollowUp])> =
        follow_ups.iter().map(|[base, test]| (base.as_slice(), test.as_slice())).collect();
    let any = !pairs.is_empty();
    let by_throughput = any
        && found.iter().all(|one| {
            let stratum = strata.get(one.stratum);
            stratum.is_some_and(|s| SeenBy::of(&s.factors) == SeenBy::Throughput)
        });
    let by_trials = places.unit == Unit::Trial;
    let are_enough = by_trials || clusters.are_enough();
    if by_trials {
        changes(&mut found, level)?;
    } else {
        found.iter_mut().for_each(StratumRecovery::leave_out_what_counts_trials);
    }
    let homogeneity = (any && by_trials).then(|| hazard_homogeneity(&pairs)).transpose()?;
    let p = homogeneity.as_ref().and_then(|homogeneity| homogeneity.test.p_value);
    let ratios_differ = p.is_some_and(|p| p <= level.alpha());
    let mut hazard_ratio =
        (any && !ratios_differ).then(|| stratified_hazard_ratio(&pairs, level)).transpose()?;
    let log_rank = match by_trials {
        true => any.then(|| stratified_log_rank(&pairs)).transpose()?,
        false => {
            hazard_ratio.iter_mut().for_each(|ratio| ratio.intervals.clear());
            (any && are_enough).then(|| log_rank::test(&clusters.all(), seed))
        }
    };
    Ok(RecoveryComparison {
        by_throughput,
        notes: hazard_ratio.as_ref().map_or_else(Vec::new, |ratio| notes_on(&found, ratio)),
        strata: found,
        log_rank,
        hazard_ratio,
        homogeneity,
        ratios_differ,
        not_alike,
        unit: places.unit,
        are_enough,
    })
}

/// The times of each cluster, stratum by stratum.
#[derive(Default)]
struct Clusters(BTreeMap<(Key, bool), Vec<Vec<FollowUp>>>);

impl Clusters {
    /// Takes the times of a stratum's side.
    fn take(
        &mut self,
        sides: &Sides,
        places: &Places,
        stratum: &Stratum,
        side: Which,
        place: usize,
    ) {
        for trial in stratum.side(side).members.iter().filter_map(|at| sides.data.trials.get(*at)) {
            let time = trial.event.filter(|_| trial.is_ok()).and_then(lifetime);
            let time = match time {
                Some(Lifetime::Exact(after)) => FollowUp::seen(after).ok(),
                Some(Lifetime::RightCensored(after)) => FollowUp::censored(after).ok(),
                Some(Lifetime::Between { .. }) | None => None,
            };
            let Some(time) = time else { continue };
            let key = (places.group(sides, trial), side == Which::Test);
            let of = self.0.entry(key).or_default();
            of.resize(of.len().max(place + 1), Vec::new());
            of[place].push(time);
        }
    }

    fn are_enough(&self) -> bool {
        let count = |is_test| self.0.keys().filter(|(_, test)| *test == is_test).count() as u64;
        count(false).min(count(true)) >= FEWEST
    }

    fn all(self) -> Vec<TimedCluster> {
        let one = |((_, is_test), strata)| TimedCluster { is_test, strata };
        self.0.into_iter().map(one).collect()
    }
}

/// What of the strata together does not exist, or rests on too few events.
fn notes_on(strata: &[StratumRecovery], ratio: &HazardRatio) -> Vec<notes::Note> {
    let events = |side: usize| {
        strata.iter().filter_map(|one| one.summary.groups.get(side)).map(|group| group.events).sum()
    };
    let few = notes::few_events([("base", events(0)), ("test", events(1))]);
    notes::ratio_at_the_edge(ratio, "base", "test").into_iter().chain(few).collect()
}

/// Tells which way each stratum changed.
fn changes(strata: &mut [StratumRecovery], level: Level) -> Result<(), AnalysisError> {
    let log_rank = |one: &StratumRecovery| one.summary.tests.first()?.result.p_value;
    let p_values: Vec<f64> = strata.iter().filter_map(log_rank).collect();
    let mut adjusted = holm(&p_values)?.into_iter();
    for one in strata.iter_mut().filter(|one| log_rank(one).is_some()) {
        one.p_holm = adjusted.next();
        if one.p_holm.is_none_or(|p| p > level.alpha()) {
            continue;
        }
        // More events on the test side than its share of those at risk leads to expect.
        let test = one.summary.tests.first();
        let of_test = test.and_then(|test| test.observed.get(1).zip(test.expected.get(1)));
        if let Some((observed, expected)) = of_test {
            one.change = if observed > expected { Change::Quicker } else { Change::Slower };
        }
    }
    Ok(())
}

impl StratumRecovery {
    fn leave_out_what_counts_trials(&mut self) {
        self.summary.tests.clear();
        for group in &mut self.summary.groups {
            (group.median.low, group.median.high) = (None, None);
        }
        for contrast in &mut self.summary.contrasts {
            contrast.hazard_ratio.intervals.clear();
            contrast.rmst_difference.low = None;
            contrast.rmst_difference.high = None;
        }
    }

    /// The ratio of hazards, test against base.
    pub fn hazard_ratio(&self) -> Option<&HazardRatio> {
        self.summary.contrasts.first().map(|contrast| &contrast.hazard_ratio)
    }

    /// The difference of restricted means, test less base.
    pub fn mean_difference(&self) -> Option<&RestrictedMeanDifference> {
        self.summary.contrasts.first().map(|contrast| &contrast.rmst_difference)
    }
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
        .filter_map(|trial| trial.event.and_then(lifetime))
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
