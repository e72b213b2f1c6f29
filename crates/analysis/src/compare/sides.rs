//! The two sides of a comparison: which trial is on which, what tells them apart, and how each side's
//! trials are judged.
//!
//! A side is named by its runs, or by a value that its trials have: a kernel, or a label. What tells
//! the sides apart is then found, not assumed: of the kernel and of every label, those that have no
//! value on both sides. They are left out when cells are matched; all else must be the same.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::Serialize;

use super::error::CompareError;
use super::units::BOOT;
use super::{copies, strata};
use crate::analysis::{the_control, the_rule};
use crate::cells::Cells;
use crate::data::{Data, Trial};
use crate::factors::{Factors, natural};
use crate::outcome::Outcome;
use crate::run::Run;
use model::definition::Control;
use model::outcome::StallRule;
use stats::Level;
use stats::samples::Resampling;
use stats::words::list;

/// Which side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    /// Before: what is compared against.
    Base,
    /// After: what is compared.
    Test,
}

impl Which {
    /// Both, base first.
    pub const BOTH: [Which; 2] = [Which::Base, Which::Test];

    /// `base` or `test`.
    pub fn name(self) -> &'static str {
        match self {
            Which::Base => "base",
            Which::Test => "test",
        }
    }

    /// 0 or 1.
    pub fn at(self) -> usize {
        self as usize
    }
}

/// What the user asked to compare.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Asked {
    /// Runs against runs.
    Runs {
        /// The base side.
        base: Vec<PathBuf>,
        /// The test side.
        test: Vec<PathBuf>,
    },
    /// Trials of the same runs, by a value that they have.
    By {
        /// The runs.
        runs: Vec<PathBuf>,
        /// `kernel`, or a label's name.
        key: String,
        /// The values of the base side.
        base: Vec<String>,
        /// The values of the test side.
        test: Vec<String>,
    },
}

/// Something that has no value on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToldBy {
    /// `kernel`, or a label's name.
    pub key: String,
    /// Its values on the base side; empty is a trial without the label.
    pub base: Vec<String>,
    /// Its values on the test side.
    pub test: Vec<String>,
}

/// Where a run belongs as a whole, and so what it has besides trials: a functional check has no factors
/// and no label of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunSide {
    /// To a side: all that the run has is on it.
    Side(Which),
    /// To neither: nothing of the run was asked for.
    Neither,
    /// Not to be told: the run has trials of both sides, or says nothing of what the sides are chosen by.
    Unknown,
}

/// The trials of both sides.
#[derive(Debug, Clone)]
pub struct Sides {
    /// All trials read.
    pub data: Data,
    /// Beside the trials: which side each is on.
    pub which: Vec<Option<Which>>,
    /// Beside the runs, also those without a trial: where each belongs.
    pub run_sides: Vec<RunSide>,
    /// What tells the sides apart.
    pub told_by: Vec<ToldBy>,
    /// What the sides were chosen by, if not by their runs.
    pub by: Option<String>,
}

/// Reads the runs and puts each trial on its side.
pub fn choose(asked: &Asked) -> Result<Sides, CompareError> {
    let (data, which, run_sides, by) = match asked {
        Asked::Runs { base, test } => {
            for (side, runs) in [(Which::Base, base), (Which::Test, test)] {
                if runs.is_empty() {
                    return Err(CompareError::NoSide { side });
                }
                check_there(runs, false)?;
            }
            let real = |folder: &PathBuf| folder.canonicalize().unwrap_or_else(|_| folder.clone());
            let on_base: Vec<PathBuf> = base.iter().map(real).collect();
            if let Some(folder) = test.iter().find(|folder| on_base.contains(&real(folder))) {
                return Err(CompareError::SameRun { folder: folder.clone() });
            }
            let all: Vec<PathBuf> = base.iter().chain(test).cloned().collect();
            let data = Data::read(&all)?;
            copies::check(&data.runs)?;
            let side =
                |trial: &Trial| if trial.run < base.len() { Which::Base } else { Which::Test };
            let which: Vec<Option<Which>> =
                data.trials.iter().map(|trial| Some(side(trial))).collect();
            for (at, folders) in [(Which::Base, base), (Which::Test, test)] {
                if !which.contains(&Some(at)) {
                    let runs: Vec<String> =
                        folders.iter().map(|folder| folder.display().to_string()).collect();
                    let checks = |folder: &PathBuf| folder.join("checks.csv").exists();
                    let has_checks = folders.iter().any(checks);
                    return Err(CompareError::NoTrial { side: at, runs: list(&runs), has_checks });
                }
            }
            let side = |at| if at < base.len() { Which::Base } else { Which::Test };
            let run_sides = (0..data.runs.len()).map(|at| RunSide::Side(side(at))).collect();
            (data, which, run_sides, None)
        }
        Asked::By { runs, key, base, test } => {
            check_there(runs, true)?;
            let data = Data::read(runs)?;
            copies::check(&data.runs)?;
            let which = by_value(&data, key, base, test)?;
            let run_sides = run_sides_by_value(&data, &which, key, base, test);
            (data, which, run_sides, Some(key.clone()))
        }
    };
    let told_by = told_by(&data, &which);
    Ok(Sides { data, which, run_sides, told_by, by })
}

fn check_there(folders: &[PathBuf], by_value: bool) -> Result<(), CompareError> {
    match folders.iter().find(|folder| !folder.exists()) {
        Some(folder) => Err(CompareError::NoSuchRun { folder: folder.clone(), by_value }),
        None => Ok(()),
    }
}

fn by_value(
    data: &Data,
    key: &str,
    base: &[String],
    test: &[String],
) -> Result<Vec<Option<Which>>, CompareError> {
    if ["cpus", "nodes"].contains(&key) {
        return Err(CompareError::SizeAsKey { key: key.to_string() });
    }
    let values: Vec<Option<String>> =
        data.trials.iter().map(|trial| value(data, trial, key)).collect();
    let mut known: Vec<&str> = values.iter().flatten().map(String::as_str).collect();
    known.sort_by(|a, b| natural(a, b));
    known.dedup();
    if known.is_empty() {
        let mut keys: BTreeSet<String> =
            data.cells.iter().flat_map(|cell| labels(cell).into_keys()).collect();
        keys.extend(data.runs.iter().flat_map(|run| run.manifest.labels.keys().cloned()));
        keys.retain(|key| !["cpus", "nodes"].contains(&key.as_str()));
        let mut known = vec!["kernel".to_string()];
        known.extend(keys);
        return Err(CompareError::UnknownKey { key: key.to_string(), known: list(&known) });
    }
    for (side, asked) in [(Which::Base, base), (Which::Test, test)] {
        if asked.is_empty() {
            return Err(CompareError::NoSide { side });
        }
        if let Some(value) = asked.iter().find(|value| !known.contains(&value.as_str())) {
            let known: Vec<String> = known.iter().map(|value| value.to_string()).collect();
            return Err(CompareError::UnknownValue {
                side,
                value: value.clone(),
                key: key.to_string(),
                known: list(&known),
            });
        }
    }
    if let Some(value) = base.iter().find(|value| test.contains(value)) {
        return Err(CompareError::ValueOnBothSides { key: key.to_string(), value: value.clone() });
    }
    let side = |value: &Option<String>| match value {
        Some(value) if base.contains(value) => Some(Which::Base),
        Some(value) if test.contains(value) => Some(Which::Test),
        _ => None,
    };
    Ok(values.iter().map(side).collect())
}

/// Where each run belongs, if sides are chosen by a value: to the side of all its trials; without a
/// trial, to that of its label, or of its only kernel.
fn run_sides_by_value(
    data: &Data,
    which: &[Option<Which>],
    key: &str,
    base: &[String],
    test: &[String],
) -> Vec<RunSide> {
    let of_run = |(at, run): (usize, &Run)| {
        let trials = data.trials.iter().zip(which).filter(|(trial, _)| trial.run == at);
        let mut sides: Vec<Option<Which>> = trials.map(|(_, which)| *which).collect();
        if sides.is_empty() {
            let value = match (key, run.manifest.kernels.as_slice()) {
                ("kernel", [one]) => Some(&one.name),
                _ => run.manifest.labels.get(key),
            };
            let Some(value) = value else { return RunSide::Unknown };
            let on = |values: &[String], side| values.contains(value).then_some(side);
            sides.push(on(base, Which::Base).or(on(test, Which::Test)));
        }
        sides.sort_unstable();
        sides.dedup();
        match sides.as_slice() {
            [Some(side)] => RunSide::Side(*side),
            [None] => RunSide::Neither,
            _ => RunSide::Unknown,
        }
    };
    data.runs.iter().enumerate().map(of_run).collect()
}

/// What a trial has for `kernel`, or for a label: its own, or else its run's.
fn value(data: &Data, trial: &Trial, key: &str) -> Option<String> {
    let cell = data.cells.get(trial.cell)?;
    if key == "kernel" {
        return Some(cell.kernel().to_string());
    }
    let of_run = || data.runs.get(trial.run)?.manifest.labels.get(key).cloned();
    labels(cell).remove(key).or_else(of_run)
}

/// The labels of a cell.
pub(super) fn labels(cell: &Factors) -> BTreeMap<String, String> {
    let parts = cell.get("labels").split(';').filter(|label| !label.is_empty());
    parts
        .map(|label| label.split_once('=').unwrap_or((label, "")))
        .map(|(key, value)| (key.to_string(), value.to_string()))
        .collect()
}

fn told_by(data: &Data, which: &[Option<Which>]) -> Vec<ToldBy> {
    let mut keys: BTreeSet<String> =
        data.cells.iter().flat_map(|cell| labels(cell).into_keys()).collect();
    keys.extend(data.runs.iter().flat_map(|run| run.manifest.labels.keys().cloned()));
    // Sizes are put among the labels where they tell cells apart: they stay in the strata.
    keys.retain(|key| !["cpus", "nodes", "kernel", BOOT].contains(&key.as_str()));
    let mut found = Vec::new();
    for key in std::iter::once("kernel".to_string()).chain(keys) {
        let mut values: [BTreeSet<String>; 2] = Default::default();
        for (trial, which) in data.trials.iter().zip(which) {
            if let Some(which) = which {
                values[which.at()].insert(value(data, trial, &key).unwrap_or_default());
            }
        }
        let [base, test] = &values;
        if base.is_disjoint(test) && !base.is_empty() && !test.is_empty() {
            let sorted = |values: &BTreeSet<String>| {
                let mut values: Vec<String> = values.iter().cloned().collect();
                values.sort_by(|a, b| natural(a, b));
                values
            };
            found.push(ToldBy { base: sorted(base), test: sorted(test), key });
        }
    }
    found
}

impl Sides {
    /// The runs that have a trial on a side.
    pub fn runs(&self, side: Which) -> Vec<&Run> {
        let mut places: Vec<usize> = self.trials(side).map(|(_, trial)| trial.run).collect();
        places.sort_unstable();
        places.dedup();
        places.into_iter().filter_map(|at| self.data.runs.get(at)).collect()
    }

    /// Whether trials of a side ran in guests of the lab.
    pub fn in_lab(&self) -> bool {
        Which::BOTH.iter().any(|side| self.runs(*side).iter().any(|run| run.in_lab()))
    }

    /// The runs that belong somewhere, with a trial or without.
    pub fn runs_of(&self, of: RunSide) -> impl Iterator<Item = &Run> {
        let all = self.data.runs.iter().zip(&self.run_sides);
        all.filter(move |(_, place)| **place == of).map(|(run, _)| run)
    }

    /// The trials of a side, each with its place.
    pub fn trials(&self, side: Which) -> impl Iterator<Item = (usize, &Trial)> {
        let all = self.data.trials.iter().zip(&self.which).enumerate();
        all.filter(move |(_, (_, which))| **which == Some(side)).map(|(at, (trial, _))| (at, trial))
    }

    /// A side's name: what tells it from the other, or its place.
    pub fn name(&self, side: Which) -> String {
        let one = |told: &ToldBy| {
            let values = if side == Which::Base { &told.base } else { &told.test };
            match values.as_slice() {
                [one] if !one.is_empty() => Some(one.clone()),
                [one] if one.is_empty() => Some(format!("without {}", told.key)),
                _ => None,
            }
        };
        // A label says what was meant; a kernel only what ran. Several labels are all named: which
        // of them is meant can't be known.
        let chosen = self.by.as_ref().and_then(|key| self.told(key));
        let names: Option<String> = match chosen {
            Some(told) => one(told),
            None => {
                let labels: Option<Vec<String>> = self.naming_labels().map(one).collect();
                match labels {
                    Some(labels) if labels.is_empty() => self.told("kernel").and_then(one),
                    labels => labels.map(|labels| labels.join(", ")),
                }
            }
        };
        names.unwrap_or_else(|| side.name().to_string())
    }

    /// The labels that tell the sides apart and may be the patch's name: a machine or a source isn't.
    pub fn naming_labels(&self) -> impl Iterator<Item = &ToldBy> {
        self.told_by.iter().filter(|told| !["kernel", "machine", "source"].contains(&&*told.key))
    }

    fn told(&self, key: &str) -> Option<&ToldBy> {
        self.told_by.iter().find(|told| told.key == key)
    }

    /// The rule and the control by which a side is judged, from its runs' definitions.
    pub fn rule(
        &self,
        side: Which,
        asked: Option<&StallRule>,
    ) -> Result<(StallRule, Option<Control>), CompareError> {
        let runs: Vec<Run> = self.runs(side).into_iter().cloned().collect();
        let rule = match asked {
            Some(rule) => rule.clone(),
            None => the_rule(&runs)?,
        };
        let control = the_control(&runs, &rule)?;
        Ok((rule, control))
    }

    /// Judges the trials of these sides, each held against controls of these sides only. Beside all
    /// trials; `None` for a trial that failed or is not on one of them.
    pub fn outcomes(
        &self,
        of: &[Which],
        rule: &StallRule,
        control: Option<&Control>,
        level: Level,
    ) -> Result<Vec<Option<Outcome>>, CompareError> {
        let mut place: BTreeMap<String, usize> = BTreeMap::new();
        let mut cells = Vec::new();
        let mut trials = Vec::new();
        let mut members = Vec::new();
        for (at, trial) in of.iter().flat_map(|side| self.trials(*side)) {
            let Some(factors) = self.data.cells.get(trial.cell) else { continue };
            // Two modes are those of a stratum, both sides together.
            let factors = match rule.is_by_modes() && of.len() == 2 {
                true => strata::without_sides(self, trial).unwrap_or_else(|| factors.clone()),
                false => factors.clone(),
            };
            let cell = *place.entry(format!("{factors:?}")).or_insert_with(|| {
                cells.push(factors);
                cells.len() - 1
            });
            trials.push(Trial { cell, ..trial.clone() });
            members.push(at);
        }
        let names = self.data.names.clone();
        let data = Data { runs: Vec::new(), cells, trials, missing: Vec::new(), names };
        // Only the outcomes are taken, so that the tables' bootstrap need not be good.
        let resampling = Resampling { resamples: 100, ..Resampling::default() };
        let judged = Cells::of(&data, rule, control, level, resampling)?;
        let mut outcomes = vec![None; self.data.trials.len()];
        for (at, outcome) in members.into_iter().zip(judged.outcomes) {
            outcomes[at] = outcome;
        }
        Ok(outcomes)
    }
}
