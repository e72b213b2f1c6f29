//! Harm: what a patch breaks. Kernel complaints, trials that crashed, hung or were refused, and
//! functional checks, side by side with exact tests.
//!
//! Some harm needs no statistics. A functional check that passed on the base and fails on the test
//! side is a regression, and so is a kernel complaint where the base, watched as well, had none: a
//! sound kernel does neither at any rate. Trials that crash or time out may be the harness' or the
//! machine's doing, and are harm when an exact test says that they are more.
//!
//! "None seen" is said of what was looked at, with how much that was. Where nobody looked at the
//! console, at how trials ended or at checks, the finding is that nothing was observed.

use std::path::Path;

use model::record::Status;
use serde::Serialize;

use super::checks::{self, Check};
use super::harm_finding::HarmFinding;
use super::order::Order;
use super::sides::{RunSide, Sides, Which};
use super::strata::Stratum;
use super::units::{self, Unit};
use crate::data::Trial;
use crate::ends::Ends;
use crate::error::AnalysisError;
use crate::run::Run;
use stats::clusters::permutation;
use stats::multiplicity::holm;
use stats::proportion::at_most;
use stats::strata::{self as stat, exact_strata};
use stats::{Alternative, Level};

/// Something that goes wrong with a trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// `kernel complaint`, `crashed`, `timeout`, `refused`.
    pub what: &'static str,
    /// How such a trial ended; `None` of a kernel complaint.
    #[serde(skip)]
    status: Option<Status>,
    /// In how many of the base side's trials, of how many.
    pub base: [u64; 2],
    /// In how many of the test side's trials, of how many.
    pub test: [u64; 2],
    /// The exact conditional test over strata, or that of whole clusters where they are what is independent
    /// and there are enough, two-sided.
    pub p_value: Option<f64>,
    /// Adjusted by Holm over the kinds of event.
    pub p_holm: Option<f64>,
    /// What it says.
    pub finding: HarmFinding,
    /// An example from the test side.
    pub example: Option<String>,
}

/// The harm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Harm {
    /// In a word.
    pub finding: HarmFinding,
    /// What goes wrong with trials.
    pub events: Vec<Event>,
    /// Trials of the test side in the strata.
    pub compared: u64,
    /// Of those, the ones of which it is known how they ended: not imported ones whose source does not
    /// say it.
    pub trials: u64,
    /// Of those compared, the ones whose kernel's console was watched.
    pub watched: u64,
    /// What "none in `trials`" leaves open: the exact one-sided upper bound; `None` where something
    /// was seen, or nothing was looked at.
    pub trial_at_most: Option<f64>,
    /// The same of kernel complaints in `watched`.
    pub complaint_at_most: Option<f64>,
    /// Functional checks, in the natural order of their names.
    pub checks: Vec<Check>,
    /// Trials of cells that only the test side has, where one of them failed or made the kernel
    /// complain.
    pub outside: Option<Outside>,
    /// Runs of the test side that ended before their plan did.
    pub cut_short: Vec<CutShort>,
    /// Checks that each side's logs planned and have no result of, base then test.
    pub checks_without_result: [u64; 2],
    /// Runs with failed checks that belong to no side.
    pub on_no_side: Option<OnNoSide>,
}

/// Trials of cells that only the test side has.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outside {
    /// How many trials such cells have.
    pub trials: u64,
    /// Trials that failed or made the kernel complain.
    pub bad: u64,
    /// What one of them says.
    pub example: Option<String>,
}

/// A run that has fewer rows than its plan. One that was stopped looks like one whose machine died.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CutShort {
    /// The run's name.
    pub run: String,
    /// Trials planned that have no row.
    pub missing: u64,
}

/// Runs with failed checks whose side can't be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OnNoSide {
    /// The runs' names.
    pub runs: Vec<String>,
    /// What the sides are chosen by: `kernel`, a label's name, or `side`.
    pub by: String,
}

/// Looks for harm in the strata's trials, in what the test side has besides, and in the sides' checks.
///
/// Where boots or stretches of time are what is independent, and enough, an event's test is that of whole
/// clusters.
pub fn of(
    sides: &Sides,
    strata: &[Stratum],
    order: Order,
    level: Level,
    seed: u64,
) -> Result<Harm, AnalysisError> {
    let ends: Vec<Ends> = sides
        .data
        .runs
        .iter()
        .enumerate()
        .map(|(at, run)| {
            let mut trials = sides.data.trials.iter().filter(|trial| trial.run == at);
            Ends::of(run, run.is_imported() && trials.any(Trial::failed))
        })
        .collect();
    let mut events = vec![complaints(sides, strata)?];
    for (what, status) in
        [("crashed", Status::Crashed), ("timeout", Status::Timeout), ("refused", Status::Refused)]
    {
        events.push(statuses(sides, &ends, strata, what, status)?);
    }
    by_clusters(&mut events, sides, &ends, strata, order, seed);
    let p_values: Vec<f64> = events.iter().filter_map(|event| event.p_value).collect();
    let adjusted = holm(&p_values)?;
    let with_p = events.iter_mut().filter(|event| event.p_value.is_some());
    for (event, p) in with_p.zip(adjusted) {
        event.p_holm = Some(p);
    }
    for event in &mut events {
        event.judge(level);
    }
    let folders = |side| {
        let runs = sides.runs_of(RunSide::Side(side));
        runs.map(|run| run.folder.as_path()).collect::<Vec<&Path>>()
    };
    let checks = checks::compare(
        &checks::read(folders(Which::Base))?,
        &checks::read(folders(Which::Test))?,
        level,
    );
    let outside = outside(sides, &ends, strata);
    let cut_short = sides.runs_of(RunSide::Side(Which::Test)).filter(|run| run.missing > 0);
    let cut_short: Vec<CutShort> =
        cut_short.map(|run| CutShort { run: run.name(), missing: run.missing }).collect();
    let checks_without_result = Which::BOTH.map(|side| {
        let runs = sides.runs_of(RunSide::Side(side));
        runs.fold(0u64, |sum, run| sum.saturating_add(without_result(run)))
    });
    let on_no_side = on_no_side(sides)?;
    let any = |finding| {
        events.iter().any(|event| event.finding == finding)
            || checks.iter().any(|check| check.finding == finding)
    };
    let [base_without, test_without] = checks_without_result;
    let unclear = any(HarmFinding::Unclear)
        || outside.is_some()
        || !cut_short.is_empty()
        || test_without > base_without
        || on_no_side.is_some();
    let trials = events.get(1).map_or(0, |event| event.test[1]);
    let watched = events.first().map_or(0, |event| event.test[1]);
    let bound = |events: &[Event], n: u64| {
        let none = events.iter().all(|event| event.test[0] == 0);
        (none && n > 0).then(|| at_most(n, level)).transpose()
    };
    let finding = match any(HarmFinding::Found) {
        true => HarmFinding::Found,
        false if unclear => HarmFinding::Unclear,
        _ if trials + watched > 0 || checks.iter().any(Check::ran_on_test) => HarmFinding::NoneSeen,
        _ => HarmFinding::NotObserved,
    };
    Ok(Harm {
        finding,
        trial_at_most: bound(events.get(1..).unwrap_or_default(), trials)?,
        complaint_at_most: bound(events.get(..1).unwrap_or_default(), watched)?,
        events,
        compared: strata.iter().map(|stratum| stratum.test.trials).sum(),
        trials,
        watched,
        checks,
        outside,
        cut_short,
        checks_without_result,
        on_no_side,
    })
}

/// Trials of cells that only the test side has: they are in no stratum, and a crash is one there too.
fn outside(sides: &Sides, ends: &[Ends], strata: &[Stratum]) -> Option<Outside> {
    let inside: Vec<usize> = strata.iter().flat_map(|s| s.test.members.iter().copied()).collect();
    let mut known = vec![false; sides.data.trials.len()];
    for at in inside {
        if let Some(known) = known.get_mut(at) {
            *known = true;
        }
    }
    let others = sides.trials(Which::Test).filter(|(at, _)| known.get(*at) == Some(&false));
    let (mut n, mut bad, mut example) = (0, 0, None);
    for (_, trial) in others {
        n += 1;
        let complaint = trial.splats.as_deref().filter(|splats| *splats != "none");
        let failed =
            trial.failed() && ends.get(trial.run).is_some_and(|e| e.are_known_of(trial.trial));
        if complaint.is_some() || failed {
            bad += 1;
            example = example.or(complaint.or(trial.error.as_deref()));
        }
    }
    let example = example.map(str::to_string);
    (bad > 0).then_some(Outside { trials: n, bad, example })
}

/// Checks of runs that belong to no side.
fn on_no_side(sides: &Sides) -> Result<Option<OnNoSide>, AnalysisError> {
    let mut runs = Vec::new();
    for run in sides.runs_of(RunSide::Unknown) {
        if crate::checks::read(&run.folder)?.iter().any(|(_, _, failed)| *failed > 0) {
            runs.push(run.name());
        }
    }
    let by = sides.by.clone().unwrap_or_else(|| "side".to_string());
    Ok((!runs.is_empty()).then_some(OnNoSide { runs, by }))
}

/// Checks that an imported log planned and has no result of.
fn without_result(run: &Run) -> u64 {
    run.definition.import.as_ref().map_or(0, |import| import.checks_without_result)
}

/// What was counted in a stratum: base then test, events then trials.
type Seen = [[u64; 2]; 2];

fn event(
    what: &'static str,
    status: Option<Status>,
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
        status,
        base: sum[0],
        test: sum[1],
        p_value: exact_strata::test(&tables).p_value,
        p_holm: None,
        finding: HarmFinding::NoneSeen,
        example,
    })
}

/// Replaces the tests that count trials where these are not independent. With too few clusters for a test
/// the trials' own stays: harm is better told once too often.
fn by_clusters(
    events: &mut [Event],
    sides: &Sides,
    ends: &[Ends],
    strata: &[Stratum],
    order: Order,
    seed: u64,
) {
    for event in events {
        let happened = |_: Which, at: usize| {
            let trial = sides.data.trials.get(at)?;
            match event.status {
                None => trial.splats.as_deref().map(|splats| splats != "none"),
                Some(status) => {
                    let known =
                        ends.get(trial.run).is_some_and(|ends| ends.are_known_of(trial.trial));
                    known.then_some(trial.failed() && trial.status == status)
                }
            }
        };
        let units = units::of(sides, strata, order, happened);
        if units.unit != Unit::Trial && units.are_enough() {
            let test = permutation::test(&units.clusters, Alternative::TwoSided, seed);
            event.p_value = test.p_value;
        }
    }
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
    event("kernel complaint", None, &seen, example)
}

fn statuses(
    sides: &Sides,
    ends: &[Ends],
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
            let known = |trial: &&Trial| {
                ends.get(trial.run).is_some_and(|ends| ends.are_known_of(trial.trial))
            };
            for trial in trials.filter(known) {
                counts[side.at()][1] += 1;
                if trial.failed() && trial.status == status {
                    counts[side.at()][0] += 1;
                    if side == Which::Test && example.is_none() {
                        example = trial.error.as_deref().map(str::to_string);
                    }
                }
            }
        }
        seen.push((stratum.name.as_str(), counts));
    }
    event(what, Some(status), &seen, example)
}

impl Event {
    fn judge(&mut self, level: Level) {
        let share = |[k, n]: [u64; 2]| if n == 0 { 0.0 } else { k as f64 / n as f64 };
        let more = share(self.test) > share(self.base);
        let shown = self.p_holm.is_some_and(|p| p <= level.alpha());
        let unheard_of = self.what == "kernel complaint" && self.base[0] == 0 && self.base[1] > 0;
        self.finding = match self.test[0] {
            0 => HarmFinding::NoneSeen,
            _ if more && (shown || unheard_of) => HarmFinding::Found,
            _ if more => HarmFinding::Unclear,
            // As often on the base side: nothing that the patch brought.
            _ => HarmFinding::NoneSeen,
        };
    }
}
