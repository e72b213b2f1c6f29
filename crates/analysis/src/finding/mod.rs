//! What the tables say: typed facts, the most important first. Their sentences are made in `report`.
//!
//! What these trials cannot show is a finding of its own, and comes before any count: "0 stalled" where
//! no event could happen says nothing about the race.

pub mod against_control;
pub mod by_factor;
pub mod checks;
pub mod failed;
pub mod few_trials;
pub mod guests;
pub mod metric_range;
pub mod not_observable;
pub mod recovery;
pub mod slowdown;
pub mod stall_duration;
pub mod stalls;
pub mod threads_are_cpus;
pub mod threshold;
pub mod unfinished;

use serde::Serialize;

use crate::case::{Case, CaseFinding, Extra, Occurrence};
use crate::cells::Cell;
use crate::checks::RunChecks;
use crate::data::Data;
use crate::metrics::CellMetric;
use crate::outcome::Outcome;
use crate::recovery::CellRecovery;
use crate::run::Run;
use crate::series::Series;
use crate::threshold::SeriesThreshold;
use against_control::{AgainstControl, RatioRange};
use by_factor::ByFactor;
use checks::Checks;
use failed::{AllFailed, Disturbed, Failed, Splats};
use few_trials::{FewTimes, FewTrials};
use guests::Guests;
use metric_range::MetricRange;
use model::outcome::StallRule;
use not_observable::{NotObservable, PartlyNotObservable};
use recovery::TimeToRecovery;
use slowdown::Slowdown;
use stall_duration::StallDuration;
use stalls::{ControlStalls, Stalls};
use stats::Level;
use stats::samples::Resampling;
use threads_are_cpus::ThreadsAreCpus;
use threshold::Threshold;
use unfinished::{Interrupted, NothingFinished};

/// Something that the tables say.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "finding", rename_all = "kebab-case")]
#[allow(missing_docs, reason = "each variant is its type, which is documented")]
pub enum Finding {
    NothingFinished(NothingFinished),
    AllFailed(AllFailed),
    Checks(Checks),
    /// What is true of one race only.
    Case(CaseFinding),
    ByFactor(ByFactor),
    Stalls(Stalls),
    /// As [`Stalls`], where no trial of the series stalled.
    NoStall(Stalls),
    Threshold(Threshold),
    Slowdown(Slowdown),
    TimeToRecovery(TimeToRecovery),
    StallDuration(StallDuration),
    NotObservable(NotObservable),
    PartlyNotObservable(PartlyNotObservable),
    ControlStalls(ControlStalls),
    FewTimes(FewTimes),
    AgainstControl(AgainstControl),
    RatioRange(RatioRange),
    MetricRange(MetricRange),
    ThreadsAreCpus(ThreadsAreCpus),
    Guests(Guests),
    Failed(Failed),
    Splats(Splats),
    FewTrials(FewTrials),
    Interrupted(Interrupted),
    Disturbed(Disturbed),
}

/// What findings are drawn from.
pub struct Tables<'a> {
    /// The runs and their trials.
    pub data: &'a Data,
    /// The cells.
    pub cells: &'a [Cell],
    /// The series.
    pub series: &'a [Series],
    /// Times to recovery, a cell and a sense each.
    pub recovery: &'a [CellRecovery],
    /// The curves over threads.
    pub threshold: &'a [SeriesThreshold],
    /// What was measured beyond throughput.
    pub metrics: &'a [CellMetric],
    /// Functional checks.
    pub checks: &'a [RunChecks],
    /// Beside the trials: `None` for a failed one.
    pub outcomes: &'a [Option<Outcome>],
    /// The case whose facts hold for these trials.
    pub case: Option<&'static dyn Case>,
    /// What only that case records.
    pub extra: &'a Extra,
    /// The rule by which trials were judged.
    pub rule: &'a StallRule,
    /// The confidence level of intervals.
    pub level: Level,
    /// How the resampling of ratios starts.
    pub resampling: Resampling,
}

/// All findings of the tables.
pub fn all(tables: &Tables) -> Vec<Finding> {
    let mut found = Vec::new();
    let trials: u64 = tables.cells.iter().map(|cell| cell.trials).sum();
    let ok: u64 = tables.cells.iter().map(|cell| cell.trials - cell.failed).sum();
    if trials == 0 {
        found.extend(unfinished::nothing(tables).map(Finding::NothingFinished));
        found.extend(checks::all(tables).map(Finding::Checks));
        return found;
    }
    if ok == 0 {
        found.push(Finding::AllFailed(AllFailed { trials }));
    } else {
        found.extend(of_trials(tables));
    }
    found.extend(checks::all(tables).map(Finding::Checks));
    found.extend(failed::failed(tables).map(Finding::Failed));
    found.extend(failed::splats(tables).map(Finding::Splats));
    found.extend(few_trials::few_trials(tables).map(Finding::FewTrials));
    found.extend(unfinished::interrupted(tables).map(Finding::Interrupted));
    found.extend(failed::disturbed(tables).map(Finding::Disturbed));
    found
}

fn of_trials(tables: &Tables) -> Vec<Finding> {
    let mut of_series = Vec::new();
    for series in tables.series.iter().filter(|series| !series.is_control) {
        of_series.extend(of_one_series(tables, series));
    }
    for series in tables.series.iter().filter(|series| series.is_control) {
        of_series.extend(stalls::of_control(tables, series).map(Finding::ControlStalls));
    }
    let stalls = of_series.iter().any(|finding| matches!(finding, Finding::Stalls(_)));
    let mut found: Vec<Finding> = Vec::new();
    let by_factor = by_factor::by_factor(tables).map(Finding::ByFactor);
    let limits = tables.case.map_or_else(Vec::new, |case| case.limits(tables));
    // What the definition varies is what it asks for, unless the race itself was seen.
    match stalls {
        true => {
            found.extend(limits.into_iter().map(Finding::Case));
            found.extend(not_observable::together(of_series));
            found.extend(by_factor);
        }
        false => {
            found.extend(by_factor);
            found.extend(limits.into_iter().map(Finding::Case));
            found.extend(not_observable::together(of_series));
        }
    }
    found.extend(few_trials::few_times(&found, tables.level).map(Finding::FewTimes));
    if tables.cells.iter().all(|cell| cell.observed() == 0) {
        found.extend(against_control::measured(tables));
    }
    found.extend(threads_are_cpus::threads_are_cpus(tables).map(Finding::ThreadsAreCpus));
    found.extend(guests::guests(tables).map(Finding::Guests));
    found
}

fn of_one_series(tables: &Tables, series: &Series) -> Vec<Finding> {
    let mut found = Vec::new();
    if tables.worked(series) == 0 || series.occurrence == Occurrence::Absent {
        return found;
    }
    let counts = stalls::of_series(tables, series);
    if series.occurrence == Occurrence::Impossible {
        let of_case = tables.case.and_then(|case| case.without_event(tables, series));
        found.extend(of_case.map(Finding::Case));
    } else if counts.observed() == 0 {
        found.push(Finding::NotObservable(not_observable::all(tables, series)));
    } else if counts.stalled() == 0 {
        found.push(Finding::NoStall(counts));
    } else {
        found.push(Finding::Stalls(counts));
        found.extend(threshold::threshold(tables, series).map(Finding::Threshold));
        let evidence = tables.case.and_then(|case| case.evidence(tables, series));
        found.extend(evidence.map(Finding::Case));
        found.extend(slowdown::slowdown(tables, series).map(Finding::Slowdown));
    }
    // Where the event can't happen, slow samples are the machine's noise and no stalls of the case.
    if series.occurrence == Occurrence::Possible {
        found.extend(recovery::time_to_recovery(tables, series).map(Finding::TimeToRecovery));
    }
    if series.occurrence != Occurrence::Impossible {
        found.extend(stall_duration::stall_duration(tables, series).map(Finding::StallDuration));
    }
    if !matches!(found.first(), Some(Finding::NotObservable(_))) {
        let partly = not_observable::partly(tables, series);
        found.extend(partly.map(Finding::PartlyNotObservable));
    }
    found
}

impl Tables<'_> {
    /// Whether all was measured elsewhere.
    pub fn imported(&self) -> bool {
        self.data.runs.iter().all(Run::is_imported)
    }

    /// The cells of a series, by rising thread count.
    pub fn cells_of<'a>(&'a self, series: &'a Series) -> impl Iterator<Item = &'a Cell> + 'a {
        series.cells.iter().filter_map(|at| self.cells.get(*at))
    }

    /// Trials of a series that did their work.
    pub fn worked(&self, series: &Series) -> u64 {
        self.cells_of(series).map(|cell| cell.trials - cell.failed).sum()
    }

    /// The places of the stalled trials of a series.
    pub fn stalled_trials<'a>(&'a self, series: &'a Series) -> impl Iterator<Item = usize> + 'a {
        self.outcomes.iter().enumerate().filter_map(|(at, outcome)| {
            let stalled = *outcome == Some(Outcome::Stalled);
            (stalled && series.cells.contains(&self.data.trials[at].cell)).then_some(at)
        })
    }
}
