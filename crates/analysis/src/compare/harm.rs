//! Harm: what a patch breaks. Kernel complaints, trials that crashed, hung or were refused, and
//! functional checks, side by side with exact tests.
//!
//! Some harm needs no statistics. A functional check that passed on the base and fails on the test
//! side is a regression, and so is a kernel complaint where the base, watched as well, had none: a
//! sound kernel does neither at any rate. Trials that crash or time out may be the harness' or the
//! machine's doing, and are harm when an exact test says that they are more.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use trial::record::Status;

use super::checks;
use super::sides::{Sides, Which};
use super::strata::Stratum;
use crate::data::Trial;
use crate::error::AnalysisError;
use crate::stat::multiplicity::holm;
use crate::stat::proportion::at_most;
use crate::stat::strata::{self as stat, exact_strata};
use crate::stat::two_by_two::{TwoByTwo, fisher};
use crate::stat::{Alternative, Level};

/// Whether harm was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// It was.
    Found,
    /// Something failed on the test side, and whether that is the patch's doing is not shown.
    Unclear,
    /// Nothing failed on the test side.
    NoneSeen,
}

/// Something that goes wrong with a trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// `kernel complaint`, `crashed`, `timeout`, `refused`.
    pub what: &'static str,
    /// In how many of the base side's trials, of how many.
    pub base: [u64; 2],
    /// In how many of the test side's trials, of how many.
    pub test: [u64; 2],
    /// The exact conditional test over strata, two-sided.
    pub p_value: Option<f64>,
    /// Adjusted by Holm over the kinds of event.
    pub p_holm: Option<f64>,
    /// What it says.
    pub finding: Finding,
    /// An example from the test side.
    pub example: Option<String>,
}

/// A functional check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// Passed and failed, base side; `None` where the base does not bring it.
    pub base: Option<[u64; 2]>,
    /// Passed and failed, test side.
    pub test: Option<[u64; 2]>,
    /// Fisher's exact test that both sides fail alike, two-sided.
    pub p_value: Option<f64>,
    /// What it says.
    pub finding: Finding,
}

/// The harm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Harm {
    /// In a word.
    pub finding: Finding,
    /// What was found, in sentences.
    pub found: Vec<String>,
    /// What goes wrong with trials.
    pub events: Vec<Event>,
    /// Trials of the test side that were looked at: all but imported ones, of which it is not known how
    /// they ended.
    pub trials: u64,
    /// Of those, the ones whose kernel's console was watched.
    pub watched: u64,
    /// What "none in `trials`" leaves open: the exact one-sided upper bound; `None` where something
    /// was seen, or nothing was looked at.
    pub trial_at_most: Option<f64>,
    /// The same of kernel complaints in `watched`.
    pub complaint_at_most: Option<f64>,
    /// Functional checks, by name.
    pub checks: Vec<Check>,
}

/// Looks for harm in the strata's trials and in the sides' checks.
pub fn of(sides: &Sides, strata: &[Stratum], level: Level) -> Result<Harm, AnalysisError> {
    let mut events = vec![complaints(sides, strata)?];
    for (what, status) in
        [("crashed", Status::Crashed), ("timeout", Status::Timeout), ("refused", Status::Refused)]
    {
        events.push(statuses(sides, strata, what, status)?);
    }
    let p_values: Vec<f64> = events.iter().filter_map(|event| event.p_value).collect();
    let adjusted = holm(&p_values)?;
    let with_p = events.iter_mut().filter(|event| event.p_value.is_some());
    for (event, p) in with_p.zip(adjusted) {
        event.p_holm = Some(p);
    }
    let mut found = Vec::new();
    for event in &mut events {
        event.judge(level);
        if event.finding == Finding::Found {
            found.push(event.sentence());
        }
    }
    let folders = |side: Which| sides.runs(side).into_iter().map(|run| run.folder.as_path());
    let checks = compare_checks(
        &checks::read(folders(Which::Base).collect::<Vec<&Path>>())?,
        &checks::read(folders(Which::Test).collect::<Vec<&Path>>())?,
        level,
    );
    found.extend(checks.iter().filter(|c| c.finding == Finding::Found).map(Check::sentence));
    let trials = events.get(1).map_or(0, |event| event.test[1]);
    let watched = events.first().map_or(0, |event| event.test[1]);
    let bound = |events: &[Event], n: u64| {
        let none = events.iter().all(|event| event.test[0] == 0);
        (none && n > 0).then(|| at_most(n, level)).transpose()
    };
    let unclear = events.iter().any(|event| event.finding == Finding::Unclear)
        || checks.iter().any(|check| check.finding == Finding::Unclear);
    let finding = match (found.is_empty(), unclear) {
        (false, _) => Finding::Found,
        (true, true) => Finding::Unclear,
        (true, false) => Finding::NoneSeen,
    };
    Ok(Harm {
        finding,
        found,
        trial_at_most: bound(events.get(1..).unwrap_or_default(), trials)?,
        complaint_at_most: bound(events.get(..1).unwrap_or_default(), watched)?,
        events,
        trials,
        watched,
        checks,
    })
}

/// What was counted in a stratum: base then test, events then trials.
type Seen = [[u64; 2]; 2];

fn event(
    what: &'static str,
    strata: &[(&str, Seen)],
    example: Option<String>,
) -> Result<Event, AnalysisError> {
    let mut sum: Seen = Default::default();
    let mut tables = Vec::new();
    for (name, [base, test]) in strata {
        tables.push(stat::Stratum::new(*name, base[0], base[1], test[0], test[1])?);
        for (sum, side) in sum.iter_mut().zip([base, test]) {
            sum[0] += side[0];
            sum[1] += side[1];
        }
    }
    Ok(Event {
        what,
        base: sum[0],
        test: sum[1],
        p_value: exact_strata::test(&tables).p_value,
        p_holm: None,
        finding: Finding::NoneSeen,
        example,
    })
}

fn complaints(sides: &Sides, strata: &[Stratum]) -> Result<Event, AnalysisError> {
    let mut example = None;
    let mut seen = Vec::new();
    for stratum in strata {
        let mut counts: Seen = Default::default();
        for side in Which::BOTH {
            for at in &stratum.side(side).members {
                let splats = sides.data.trials.get(*at).and_then(|trial| trial.splats.as_deref());
                let Some(splats) = splats else { continue };
                counts[side.at()][1] += 1;
                if splats != "none" {
                    counts[side.at()][0] += 1;
                    if side == Which::Test {
                        example.get_or_insert_with(|| splats.to_string());
                    }
                }
            }
        }
        seen.push((stratum.name.as_str(), counts));
    }
    event("kernel complaint", &seen, example)
}

fn statuses(
    sides: &Sides,
    strata: &[Stratum],
    what: &'static str,
    status: Status,
) -> Result<Event, AnalysisError> {
    let mut example = None;
    let mut seen = Vec::new();
    for stratum in strata {
        let mut counts: Seen = Default::default();
        for side in Which::BOTH {
            let trials =
                stratum.side(side).members.iter().filter_map(|at| sides.data.trials.get(*at));
            // How an imported run's trials ended, only its source could say.
            let ours = |trial: &&Trial| {
                sides.data.runs.get(trial.run).is_some_and(|run| !run.is_imported())
            };
            for trial in trials.filter(ours) {
                counts[side.at()][1] += 1;
                if trial.status == status {
                    counts[side.at()][0] += 1;
                    if side == Which::Test && example.is_none() {
                        example = trial.error.as_deref().map(str::to_string);
                    }
                }
            }
        }
        seen.push((stratum.name.as_str(), counts));
    }
    event(what, &seen, example)
}

impl Event {
    fn judge(&mut self, level: Level) {
        let share = |[k, n]: [u64; 2]| if n == 0 { 0.0 } else { k as f64 / n as f64 };
        let more = share(self.test) > share(self.base);
        let shown = self.p_holm.is_some_and(|p| p <= level.alpha());
        let unheard_of = self.what == "kernel complaint" && self.base[0] == 0 && self.base[1] > 0;
        self.finding = match self.test[0] {
            0 => Finding::NoneSeen,
            _ if more && (shown || unheard_of) => Finding::Found,
            _ if more => Finding::Unclear,
            // As often on the base side: nothing that the patch brought.
            _ => Finding::NoneSeen,
        };
    }

    /// What happened, in a sentence.
    pub fn sentence(&self) -> String {
        let of = |[k, n]: [u64; 2]| format!("{k} of {n}");
        let what = match self.what {
            "kernel complaint" => "The kernel complained in".to_string(),
            "crashed" => "Crashed:".to_string(),
            "timeout" => "Timed out:".to_string(),
            _ => "Refused:".to_string(),
        };
        let p = match self.p_holm {
            Some(p) => format!(" ({}, Holm)", crate::words::p_is(p)),
            None => String::new(),
        };
        let example = match &self.example {
            Some(example) => format!(", such as {example:?}"),
            None => String::new(),
        };
        format!(
            "{what} {} trials of the test side{example}, {} of the base side{p}.",
            of(self.test),
            of(self.base)
        )
    }
}

fn compare_checks(
    base: &BTreeMap<String, [u64; 2]>,
    test: &BTreeMap<String, [u64; 2]>,
    level: Level,
) -> Vec<Check> {
    let mut names: Vec<&String> = base.keys().chain(test.keys()).collect();
    names.sort();
    names.dedup();
    names
        .into_iter()
        .map(|name| {
            let (base, test) = (base.get(name).copied(), test.get(name).copied());
            let count = |[passed, failed]: [u64; 2]| (failed, passed.saturating_add(failed));
            let table = base.zip(test).and_then(|(base, test)| {
                let ((k1, n1), (k2, n2)) = (count(base), count(test));
                TwoByTwo::new(k1, n1, k2, n2).ok()
            });
            let p_value =
                table.and_then(|table| fisher::test(table, Alternative::TwoSided).p_value);
            let finding = match (base, test) {
                (_, None) | (_, Some([_, 0])) => Finding::NoneSeen,
                // It failed, and nobody knows how the base does.
                (None, Some(_)) => Finding::Unclear,
                // Checks are deterministic by intent: one that never failed and now does regressed.
                (Some([passed, 0]), Some(_)) if passed > 0 => Finding::Found,
                (Some(_), Some(_)) => {
                    let more = table.is_some_and(|table| table.difference() > 0.0);
                    match p_value {
                        Some(p) if more && p <= level.alpha() => Finding::Found,
                        _ if more => Finding::Unclear,
                        _ => Finding::NoneSeen,
                    }
                }
            };
            Check { name: name.clone(), base, test, p_value, finding }
        })
        .collect()
}

impl Check {
    /// What became of it, in a sentence.
    pub fn sentence(&self) -> String {
        let of = |side: Option<[u64; 2]>| match side {
            Some([passed, failed]) => format!("{passed} passed, {failed} failed"),
            None => "not run".to_string(),
        };
        format!(
            "Check `{}` regressed: {} on the base side, {} on the test side.",
            self.name,
            of(self.base),
            of(self.test)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks(base: &[(&str, [u64; 2])], test: &[(&str, [u64; 2])]) -> Vec<Check> {
        let map = |of: &[(&str, [u64; 2])]| {
            of.iter().map(|(name, counts)| (name.to_string(), *counts)).collect()
        };
        compare_checks(&map(base), &map(test), Level::P95)
    }

    #[test]
    fn a_check_that_never_failed_and_now_does_regressed_whatever_p_says() {
        let found = checks(
            &[("requeue", [1, 0]), ("wait", [12, 0])],
            &[("requeue", [0, 1]), ("wait", [12, 0])],
        );
        assert_eq!(found[0].finding, Finding::Found);
        assert_eq!(found[0].p_value, Some(1.0));
        assert_eq!(found[1].finding, Finding::NoneSeen);
    }

    #[test]
    fn a_check_that_fails_on_the_base_too_needs_an_exact_test() {
        let of = |base, test| checks(&[("flaky", base)], &[("flaky", test)])[0].finding;
        assert_eq!(of([9, 1], [8, 2]), Finding::Unclear);
        assert_eq!(of([99, 1], [60, 40]), Finding::Found);
        assert_eq!(of([8, 2], [8, 2]), Finding::NoneSeen);
    }

    #[test]
    fn a_failure_without_a_base_is_unclear_and_a_check_of_the_base_alone_is_none() {
        assert_eq!(checks(&[], &[("stress-ng", [0, 1])])[0].finding, Finding::Unclear);
        assert_eq!(checks(&[], &[("stress-ng", [1, 0])])[0].finding, Finding::NoneSeen);
        assert_eq!(checks(&[("x", [0, 1])], &[])[0].finding, Finding::NoneSeen);
    }
}
