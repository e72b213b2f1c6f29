//! Why runs can't be compared.

use std::collections::BTreeMap;
use std::path::PathBuf;

use model::outcome::StallRule;
use thiserror::Error;

use super::harm::Harm;
use super::sides::Which;
use super::unlike::Unlike;
use crate::error::AnalysisError;
use crate::outcome::Reason;
use stats::words::list;
use stats::{Level, StatError};

/// Runs that can't be compared: the facts. What to do about them depends on how they were asked for.
#[derive(Debug, Error)]
pub enum CompareError {
    /// A run that can't be read, or judged.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// Nothing was named for a side.
    #[error("the {} side is empty", side.name())]
    NoSide {
        /// The empty side.
        side: Which,
    },
    /// The runs of a side have no trial.
    #[error("the {} side is empty: no trial has ended in {runs}", side.name())]
    NoTrial {
        /// The empty side.
        side: Which,
        /// Its runs.
        runs: String,
        /// Whether one of them has functional checks.
        has_checks: bool,
    },
    /// A folder that is not there.
    #[error("{} does not exist", folder.display())]
    NoSuchRun {
        /// The folder.
        folder: PathBuf,
        /// Whether the sides were to be chosen by a value.
        by_value: bool,
    },
    /// One run on both sides.
    #[error("{} is on both sides: a run compared with itself shows nothing", folder.display())]
    SameRun {
        /// The folder.
        folder: PathBuf,
    },
    /// One run under two names.
    #[error(
        "{first} and {second} hold the same measurements: one is a copy of the other, or both were made of one source. A trial counts once, on one side"
    )]
    CopiedRun {
        /// A run.
        first: String,
        /// Another.
        second: String,
    },
    /// What the sides were to be chosen by is not there.
    #[error("no trial has a label {key}. Accepted here: {known}")]
    UnknownKey {
        /// What was asked for.
        key: String,
        /// What there is.
        known: String,
    },
    /// A size is part of a stratum.
    #[error(
        "{key} can't choose the sides: guests or machines of another size are other cells, and are compared only with their like. Accepted: kernel, or a label's name"
    )]
    SizeAsKey {
        /// `cpus` or `nodes`.
        key: String,
    },
    /// A value that no trial has.
    #[error("the {} side: no trial has {key} {value}. There are {known}", side.name())]
    UnknownValue {
        /// The side that it was named for.
        side: Which,
        /// What was asked for.
        value: String,
        /// By what the sides are chosen.
        key: String,
        /// What there is.
        known: String,
    },
    /// A value on both sides.
    #[error("{key} {value} is named for both sides: a trial is on one")]
    ValueOnBothSides {
        /// By what the sides are chosen.
        key: String,
        /// The value.
        value: String,
    },
    /// The sides have no cell in common.
    #[error(
        "the sides have no stratum in common, so there is nothing to compare. Nearest are {base} on the base side and {test} on the test side: they differ in {differ}"
    )]
    NoCommonStratum {
        /// A cell of the base side.
        base: String,
        /// The nearest one of the test side.
        test: String,
        /// In what they differ.
        differ: String,
    },
    /// Only controls are common.
    #[error(
        "the strata that both sides have are all controls ({control}): there is nothing that a patch could fix"
    )]
    OnlyControls {
        /// The control's value.
        control: String,
    },
    /// Every trial of a side failed.
    #[error(
        "{} of the {} side{} failed{}: a trial that failed has no outcome, so stalls can't be compared",
        if *failed == 1 { "the only trial".to_string() } else { format!("all {failed} trials") },
        side.name(),
        if *in_strata { " in the strata that both sides have" } else { "" },
        example.as_ref().map_or_else(String::new, |error| format!(" (most often: {error})"))
    )]
    OnlyFailed {
        /// The side whose trials failed.
        side: Which,
        /// Whether those of the common strata failed, and others did not.
        in_strata: bool,
        /// How many failed.
        failed: u64,
        /// The most frequent error.
        example: Option<String>,
        /// What the failures say of harm.
        harm: Box<Harm>,
        /// The level of the harm's bounds.
        level: Level,
    },
    /// The rule has nothing to look at on a side.
    #[error(
        "by the rule {rule}, no trial of the {} side in a common stratum has an outcome: {}",
        side.name(),
        no_outcome(reasons, *failed)
    )]
    NothingObserved {
        /// The side without outcomes.
        side: Which,
        /// Its rule.
        rule: StallRule,
        /// Why trials that did their work have no outcome, by how many.
        reasons: BTreeMap<Reason, u64>,
        /// Trials that failed.
        failed: u64,
    },
    /// The sides were not measured alike.
    #[error("the sides were not measured alike: {0}")]
    Unlike(Unlike),
}

fn no_outcome(reasons: &BTreeMap<Reason, u64>, failed: u64) -> String {
    let mut all: Vec<String> =
        reasons.iter().map(|(reason, count)| format!("{reason} ({count})")).collect();
    if failed > 0 {
        all.push(format!("the trial failed ({failed})"));
    }
    match all.is_empty() {
        true => "the sides' outcomes are in different strata".to_string(),
        false => list(&all),
    }
}

impl From<StatError> for CompareError {
    fn from(error: StatError) -> Self {
        AnalysisError::from(error).into()
    }
}

impl CompareError {
    /// Whether the request was wrong, rather than the work on it.
    pub fn is_request(&self) -> bool {
        match self {
            CompareError::Analysis(error) => error.is_request(),
            _ => true,
        }
    }
}
