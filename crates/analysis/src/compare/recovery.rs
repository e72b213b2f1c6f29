//! Recovery: how long a due growth stays behind on each side, what was still pending right-censored.
//!
//! Only trials in which growth was due have a time. A patch may change in how many it is due (by
//! sizing the hash at once); then the times are of different kinds of trials, and that is said.
//!
//! A patch may be quicker in one stratum and slower in another. A hazard ratio of all strata is given
//! only where nothing shows that they have different ones; the strata's own always are.

use model::record::Pivot;
use serde::Serialize;

use super::sentences::listed;
use super::sides::Sides;
use super::strata::{Stratum, Tally};
use crate::error::AnalysisError;
use crate::recovery::SeenBy;
use stats::multiplicity::holm;
use stats::survival::{
    FollowUp, Group, HazardHomogeneity, HazardRatio, Lifetime, RestrictedMeanDifference,
    SurvivalOptions, SurvivalSummary, hazard_homogeneity, notes, stratified_hazard_ratio,
    stratified_log_rank, summarize,
};
use stats::words::{out_of, p_is, seconds, significant};
use stats::{Level, TestResult};

/// The recovery times against each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recovery {
    /// Each stratum in which both sides have times.
    pub strata: Vec<StratumRecovery>,
    /// All of them together, each with its own hazard; `None` where there is none.
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
    /// What the log-rank test and the hazard ratio of all strata together lack or cannot carry, in
    /// sentences; each stratum has its own.
    pub notes: Vec<String>,
    /// Strata in which they can't be compared, and why, in sentences.
    pub not_compared: Vec<String>,
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
                stats::words::percent(base_due),
                stats::words::percent(test_due)
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
    changes(&mut found, level)?;
    let homogeneity = any.then(|| hazard_homogeneity(&pairs)).transpose()?;
    let p = homogeneity.as_ref().and_then(|homogeneity| homogeneity.test.p_value);
    let ratios_differ = p.is_some_and(|p| p <= level.alpha());
    let hazard_ratio =
        (any && !ratios_differ).then(|| stratified_hazard_ratio(&pairs, level)).transpose()?;
    Ok(Recovery {
        by_throughput,
        notes: hazard_ratio.as_ref().map_or_else(Vec::new, |ratio| notes_on(&found, ratio)),
        strata: found,
        log_rank: any.then(|| stratified_log_rank(&pairs)).transpose()?,
        hazard_ratio,
        homogeneity,
        ratios_differ,
        not_compared,
    })
}

/// What of the strata together does not exist, or rests on too few events.
fn notes_on(strata: &[StratumRecovery], ratio: &HazardRatio) -> Vec<String> {
    let events = |side: usize| {
        strata.iter().filter_map(|one| one.summary.groups.get(side)).map(|group| group.events).sum()
    };
    let few = notes::few_events([("base", events(0)), ("test", events(1))]);
    notes::ratio_at_the_edge(ratio, "base", "test")
        .iter()
        .chain(&few)
        .map(stats::said::survival::note)
        .collect()
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
    /// The ratio of hazards, test against base.
    pub fn hazard_ratio(&self) -> Option<&HazardRatio> {
        self.summary.contrasts.first().map(|contrast| &contrast.hazard_ratio)
    }

    /// The difference of restricted means, test less base.
    pub fn mean_difference(&self) -> Option<&RestrictedMeanDifference> {
        self.summary.contrasts.first().map(|contrast| &contrast.rmst_difference)
    }
}

/// `2.6 (1.63 to 4.21)`, `0 (below 0.31)`, `above 3.2`; a ratio without an upper end has a bound only.
pub fn ratio_in_words(ratio: &HazardRatio) -> Option<String> {
    let interval = ratio.intervals.first();
    let number = |x: Option<f64>| x.map(|x| significant(x, 3));
    let (low, high) = (number(interval.and_then(|i| i.low)), number(interval.and_then(|i| i.high)));
    Some(match (number(ratio.estimate), low, high) {
        (Some(ratio), Some(low), Some(high)) => format!("{ratio} ({low} to {high})"),
        (Some(ratio), Some(low), None) => format!("{ratio} (above {low})"),
        (Some(ratio), None, Some(high)) => format!("{ratio} (below {high})"),
        (Some(ratio), None, None) => ratio,
        (None, Some(low), _) => format!("above {low}"),
        (None, None, Some(high)) => format!("below {high}"),
        (None, None, None) => return None,
    })
}

impl Recovery {
    /// What is said of it; the names are the sides', base first.
    pub fn sentences(&self, names: [&str; 2]) -> Vec<String> {
        let mut lines = Vec::new();
        if self.log_rank.is_some() {
            lines.push(self.counts_and_ratio(names));
            lines.extend(self.directions(names[1]));
            lines.extend(self.means());
        }
        if !self.not_compared.is_empty() {
            lines.push(format!(
                "Recovery is not like with like everywhere: {}.",
                listed(&self.not_compared)
            ));
        }
        lines
    }

    fn counts_and_ratio(&self, [base, test]: [&str; 2]) -> String {
        let events = |side: usize| {
            let groups = self.strata.iter().filter_map(|one| one.summary.groups.get(side));
            groups.fold((0, 0), |(events, n), group| (events + group.events, n + group.n))
        };
        let ((base_events, base_n), (test_events, test_n)) = (events(0), events(1));
        let what = match self.by_throughput {
            true => "the throughput came back under load",
            false => "a due growth was installed under load",
        };
        let mut text = format!(
            "Recovery: {what} in {} of `{base}` and {test_events} of {test_n} of `{test}`",
            out_of(base_events, base_n, "trial", "trials")
        );
        if self.ratios_differ {
            let p = self.homogeneity.as_ref().and_then(|homogeneity| homogeneity.test.p_value);
            return text
                + &format!(
                    ". The hazard ratio is not the same in all strata ({} by the likelihood ratio), so \
                     that there is none for all of them: read the strata.",
                    p.map_or_else(String::new, p_is)
                );
        }
        let over = if self.strata.len() > 1 { " over strata" } else { "" };
        if let Some(p) = self.log_rank.as_ref().and_then(|test| test.p_value) {
            text += &format!(" (log-rank{over}, {})", p_is(p));
        }
        if let Some(ratio) = self.hazard_ratio.as_ref().and_then(ratio_in_words) {
            text += &format!("; hazard ratio {ratio}");
        }
        text += ".";
        for note in &self.notes {
            text += &format!(" {note}");
        }
        text
    }

    /// Where it became slower, and where quicker.
    fn directions(&self, test: &str) -> Option<String> {
        // One stratum is told by the numbers of all.
        if self.strata.len() < 2 {
            return None;
        }
        let of = |change: Change| -> Vec<String> {
            let changed = self.strata.iter().filter(|one| one.change == change);
            let name = |one: &StratumRecovery| {
                let ratio = one.hazard_ratio().and_then(ratio_in_words);
                let ratio =
                    ratio.map_or_else(String::new, |ratio| format!("hazard ratio {ratio}, "));
                let p = one.p_holm.map_or_else(String::new, p_is);
                format!("{} ({ratio}{p})", one.name)
            };
            changed.map(name).collect()
        };
        let (slower, quicker) = (of(Change::Slower), of(Change::Quicker));
        if slower.is_empty() && !self.ratios_differ {
            return None;
        }
        let mut text = String::new();
        for (way, strata) in [("slower", slower), ("quicker", quicker)] {
            if !strata.is_empty() {
                text += &format!("Recovery became {way} with `{test}` at {}. ", listed(&strata));
            }
        }
        if text.is_empty() {
            text += "In no stratum by itself is recovery shown to be slower or quicker. ";
        }
        Some(text + "p is the log-rank test's of each stratum, adjusted by Holm over the strata.")
    }

    /// The differences of restricted means.
    fn means(&self) -> Option<String> {
        let several = self.strata.len() > 1;
        let of = |one: &StratumRecovery| {
            let difference = one.mean_difference()?;
            let number = |x: f64| significant(x, 3);
            let estimate = number(difference.estimate?);
            let interval = match (difference.low, difference.high) {
                (Some(low), Some(high)) => format!(" ({} to {})", number(low), number(high)),
                _ => String::new(),
            };
            let at = if several { format!(" at {}", one.name) } else { String::new() };
            Some(format!("{estimate} s{interval} up to {}{at}", seconds(difference.until)))
        };
        let all: Vec<String> = self.strata.iter().filter_map(of).collect();
        (!all.is_empty())
            .then(|| format!("Restricted mean time to recovery, test less base: {}.", listed(&all)))
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
