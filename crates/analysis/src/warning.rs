//! What a reader of the tables must know of how trials were pooled and intervals made.

use std::path::PathBuf;

use serde::Serialize;
use stats::samples::Note;

use crate::data::Data;
use crate::factors::Factors;
use crate::run::Run;

/// One such fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Warning {
    /// Trials of different lengths in one cell: the longer one has more time to recover in.
    MixedDurations {
        /// How many cells have such.
        cells: u64,
        /// The first of them.
        example: Factors,
    },
    /// Runs of different machines that nothing in the tables tells apart.
    MixedMachines {
        /// A run, and one that differs from it.
        runs: [OnMachine; 2],
    },
    /// The rule `split` looked for two modes.
    Modes {
        /// Cells with throughputs.
        cells: u64,
        /// Those that have two modes, their control pooled with them.
        bimodal: u64,
    },
    /// No trial's output has the expression of a rule.
    NeverMatched {
        /// The expression.
        expression: String,
        /// Trials whose output was looked at.
        trials: u64,
    },
    /// What weakens the ratios to the control, or why they don't exist.
    ControlRatio {
        /// In how many cells.
        cells: u64,
        /// The reason.
        note: Note,
    },
}

/// A run with its machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OnMachine {
    /// The run's folder.
    pub run: PathBuf,
    /// The machine's CPU; `None` where it is not known.
    pub cpu_model: Option<String>,
    /// CPUs online.
    pub cpus: u32,
}

/// [`Warning::MixedDurations`], if any.
pub(crate) fn mixed_durations(data: &Data) -> Option<Warning> {
    let mut first: Vec<Option<f64>> = vec![None; data.cells.len()];
    let mut mixed: Vec<usize> = Vec::new();
    for trial in &data.trials {
        match first[trial.cell] {
            None => first[trial.cell] = trial.duration_s,
            Some(duration) if trial.duration_s.is_some_and(|d| d != duration) => {
                mixed.push(trial.cell)
            }
            _ => {}
        }
    }
    mixed.sort_unstable();
    mixed.dedup();
    let example = data.cells.get(*mixed.first()?)?.clone();
    Some(Warning::MixedDurations { cells: mixed.len() as u64, example })
}

/// [`Warning::MixedMachines`], if any.
pub(crate) fn mixed_machines(runs: &[Run]) -> Option<Warning> {
    let machine = |run: &Run| {
        let machine = &run.manifest.machine;
        (machine.cpu_model.clone(), machine.cpus_online)
    };
    let on = |run: &Run| {
        let (cpu_model, cpus) = machine(run);
        OnMachine { run: run.folder.clone(), cpu_model, cpus }
    };
    for (at, run) in runs.iter().enumerate() {
        for other in &runs[..at] {
            if run.manifest.labels == other.manifest.labels && machine(run) != machine(other) {
                return Some(Warning::MixedMachines { runs: [on(other), on(run)] });
            }
        }
    }
    None
}
