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
use serde_json::Value;

use super::checks::{self, Check};
use super::sides::{RunSide, Sides, Which};
use super::strata::Stratum;
use crate::data::Trial;
use crate::ends::Ends;
use crate::error::AnalysisError;
use stats::Level;
use stats::multiplicity::holm;
use stats::proportion::at_most;
use stats::strata::{self as stat, exact_strata};
use stats::words::{counted, list, p_is, percent};

/// Whether harm was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// It was.
    Found,
    /// Something failed on the test side, or is missing there, and whether that is the patch's doing is
    /// not shown.
    Unclear,
    /// Nothing failed on the test side.
    NoneSeen,
    /// Nobody looked: neither at the kernel's console, nor at how the trials ended, nor at checks.
    NotObserved,
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

/// The harm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Harm {
    /// In a word.
    pub finding: Finding,
    /// What was found, in sentences.
    pub found: Vec<String>,
    /// What failed or is missing, and need not be the patch's doing, in sentences.
    pub unclear: Vec<String>,
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
}

/// Looks for harm in the strata's trials, in what the test side has besides, and in the sides' checks.
pub fn of(sides: &Sides, strata: &[Stratum], level: Level) -> Result<Harm, AnalysisError> {
    let ends: Vec<Ends> = sides
        .data
        .runs
        .iter()
        .enumerate()
        .map(|(at, run)| {
            let mut trials = sides.data.trials.iter().filter(|trial| trial.run == at);
            Ends::of(run, run.is_imported() && trials.any(|trial| !trial.is_ok()))
        })
        .collect();
    let mut events = vec![complaints(sides, strata)?];
    for (what, status) in
        [("crashed", Status::Crashed), ("timeout", Status::Timeout), ("refused", Status::Refused)]
    {
        events.push(statuses(sides, &ends, strata, what, status)?);
    }
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
    let said = |finding| {
        let events = events.iter().filter(move |event| event.finding == finding);
        events.map(Event::sentence).collect::<Vec<String>>()
    };
    let mut found = said(Finding::Found);
    found.extend(checks::regressed(&checks));
    let mut unclear = said(Finding::Unclear);
    unclear.extend(outside(sides, &ends, strata));
    unclear.extend(without_a_row(sides));
    unclear.extend(checks::unclear(&checks));
    if !checks.iter().any(Check::is_lost) {
        unclear.extend(without_a_result(sides));
    }
    unclear.extend(on_no_side(sides)?);
    let trials = events.get(1).map_or(0, |event| event.test[1]);
    let watched = events.first().map_or(0, |event| event.test[1]);
    let bound = |events: &[Event], n: u64| {
        let none = events.iter().all(|event| event.test[0] == 0);
        (none && n > 0).then(|| at_most(n, level)).transpose()
    };
    let finding = match (found.is_empty(), unclear.is_empty()) {
        (false, _) => Finding::Found,
        (true, false) => Finding::Unclear,
        _ if trials + watched > 0 || checks.iter().any(Check::ran_on_test) => Finding::NoneSeen,
        _ => Finding::NotObserved,
    };
    Ok(Harm {
        finding,
        found,
        unclear,
        trial_at_most: bound(events.get(1..).unwrap_or_default(), trials)?,
        complaint_at_most: bound(events.get(..1).unwrap_or_default(), watched)?,
        events,
        compared: strata.iter().map(|stratum| stratum.test.trials).sum(),
        trials,
        watched,
        checks,
    })
}

/// Trials of cells that only the test side has: they are in no stratum, and a crash is one there too.
fn outside(sides: &Sides, ends: &[Ends], strata: &[Stratum]) -> Option<String> {
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
            !trial.is_ok() && ends.get(trial.run).is_some_and(|e| e.are_known_of(trial.trial));
        if complaint.is_some() || failed {
            bad += 1;
            example = example.or(complaint.or(trial.error.as_deref()));
        }
    }
    (bad > 0).then(|| {
        let example = example.map_or_else(String::new, |text| format!(", such as {text:?}"));
        format!(
            "In cells that only the test side has, {bad} of {} failed or made the kernel complain\
             {example}: the base side can't tell whether it does too.",
            counted(n, "trial", "trials")
        )
    })
}

/// Runs of the test side that ended before their plan did. A run that was stopped looks like one whose
/// machine died.
fn without_a_row(sides: &Sides) -> Option<String> {
    let runs = sides.runs_of(RunSide::Side(Which::Test)).filter(|run| run.missing > 0);
    let (names, missing): (Vec<String>, Vec<u64>) =
        runs.map(|run| (run.name(), run.missing)).unzip();
    (!names.is_empty()).then(|| {
        let missing: u64 = missing.iter().fold(0, |sum, n| sum.saturating_add(*n));
        format!(
            "{} planned on the test side {} no row ({}): a run that was stopped and one whose machine \
             died look alike. `experiments resume RUN` goes on with a run.",
            counted(missing, "trial", "trials"),
            if missing == 1 { "has" } else { "have" },
            list(&names)
        )
    })
}

/// Checks that the test side's logs planned and have no result of, where the base's logs are more
/// complete.
fn without_a_result(sides: &Sides) -> Option<String> {
    let [base, test] = Which::BOTH.map(|side| {
        let key = "/import/checks_without_result";
        let of = |pointer: Option<&Value>| pointer.and_then(Value::as_u64).unwrap_or(0);
        let runs = sides.runs_of(RunSide::Side(side));
        runs.fold(0u64, |sum, run| sum.saturating_add(of(run.manifest.definition.pointer(key))))
    });
    (test > base).then(|| {
        format!(
            "{} that the test side's logs planned {} no result in them; on the base side {base}.",
            counted(test, "check", "checks"),
            if test == 1 { "has" } else { "have" },
        )
    })
}

/// Checks of runs that belong to no side.
fn on_no_side(sides: &Sides) -> Result<Option<String>, AnalysisError> {
    let mut names = Vec::new();
    for run in sides.runs_of(RunSide::Unknown) {
        if crate::checks::read(&run.folder)?.iter().any(|(_, _, failed)| *failed > 0) {
            names.push(run.name());
        }
    }
    Ok((!names.is_empty()).then(|| {
        let by = sides.by.as_deref().unwrap_or("side");
        format!(
            "Functional checks failed in {}, which belong to no one {by}: its trials are of both sides, \
             or it has none and no label. Import each side's checks as a run with its label.",
            list(&names)
        )
    }))
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
        let what = match self.what {
            "kernel complaint" => "The kernel complained in",
            "crashed" => "Crashed:",
            "timeout" => "Timed out:",
            _ => "Refused:",
        };
        let p = match self.p_holm {
            Some(p) => format!(" ({}, Holm)", p_is(p)),
            None => String::new(),
        };
        let example = match &self.example {
            Some(example) => format!(", such as {example:?}"),
            None => String::new(),
        };
        let [k, n] = self.test;
        let base = match self.base {
            [_, 0] => "and of the base side it is not known".to_string(),
            [k, n] => format!("{k} of {n} of the base side"),
        };
        format!(
            "{what} {k} of {} of the test side{example}, {base}{p}.",
            counted(n, "trial", "trials")
        )
    }
}

impl Harm {
    /// What it comes to, in sentences.
    pub fn sentence(&self, level: Level) -> String {
        let unclear = self.unclear.join(" ");
        match self.finding {
            Finding::Found => {
                format!("Harm found. {} {unclear}", self.found.join(" ")).trim().to_string()
            }
            Finding::Unclear => format!("Harm is not excluded. {unclear}"),
            Finding::NotObserved => {
                "Harm: not observed. Nobody watched the kernel's console, how the trials of the test \
                 side ended is not recorded, and no functional checks were brought."
                    .to_string()
            }
            Finding::NoneSeen => {
                let parts =
                    [self.of_ends(level), self.of_the_console(), self.of_checks()].join(" ");
                format!("Harm: none seen{parts}")
            }
        }
    }

    fn of_ends(&self, level: Level) -> String {
        if self.trials == 0 {
            return ". How the trials ended is not recorded.".to_string();
        }
        let of = match self.compared - self.trials.min(self.compared) {
            0 => counted(self.trials, "trial", "trials") + " of the test side",
            _ => format!(
                "{} of the {} of the test side, those whose end is recorded",
                self.trials,
                counted(self.compared, "trial", "trials")
            ),
        };
        let of_trials = self.events.iter().skip(1).filter(|event| event.test[0] > 0);
        let seen: Vec<String> = of_trials.map(Event::sentence).collect();
        match self.trial_at_most {
            Some(bound) => format!(
                " in {of}: crashed, timed out or refused in at most {} with {} confidence.",
                percent(bound),
                percent(level.get())
            ),
            None => format!(" in {of} that the base side has not as often. {}", seen.join(" ")),
        }
    }

    fn of_the_console(&self) -> String {
        match (self.watched, self.complaint_at_most) {
            (0, _) => "Nobody watched the kernel's console.".to_string(),
            (watched, Some(bound)) => format!(
                "No kernel complaint in the {watched} whose console was watched (at most {}).",
                percent(bound)
            ),
            (_, None) => self.events.first().map(Event::sentence).unwrap_or_default(),
        }
    }

    fn of_checks(&self) -> String {
        let ran = self.checks.iter().filter(|check| check.ran_on_test()).count() as u64;
        match ran {
            0 => "No functional checks were brought.".to_string(),
            ran => format!(
                "{} on the test side, none of which regressed.",
                counted(ran, "functional check", "functional checks")
            ),
        }
    }
}
