//! Why runs can't be compared.

use std::path::PathBuf;

use thiserror::Error;

use crate::error::AnalysisError;
use stats::StatError;

/// Runs that can't be compared, in a sentence for the user.
#[derive(Debug, Error)]
pub enum CompareError {
    /// A run that can't be read, or judged.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// Nothing was named for a side.
    #[error(
        "the {side} side is empty: give --base and --test a run folder or more each, or choose the sides out of given runs, as in `experiments compare RUN… --by patch --base stock --test fix`"
    )]
    NoSide {
        /// `base` or `test`.
        side: &'static str,
    },
    /// The runs of a side have no trial.
    #[error("the {side} side is empty: no trial has ended in {runs}. {hint}")]
    NoTrial {
        /// `base` or `test`.
        side: &'static str,
        /// Its runs.
        runs: String,
        /// What to do.
        hint: &'static str,
    },
    /// A folder that is not there.
    #[error(
        "{} does not exist: a run is a folder such as data/runs/race-sweep-…, which `experiments run` names when it ends{hint}",
        folder.display()
    )]
    NoSuchRun {
        /// The folder.
        folder: PathBuf,
        /// What may have been meant, with its own punctuation.
        hint: &'static str,
    },
    /// One run on both sides.
    #[error(
        "{} is on both sides: a run compared with itself shows nothing. To compare trials within one run, choose the sides by what tells them apart: `experiments compare RUN --by kernel --base NAME --test NAME`",
        folder.display()
    )]
    SameRun {
        /// The folder.
        folder: PathBuf,
    },
    /// One run under two names.
    #[error(
        "{first} and {second} hold the same measurements: one is a copy of the other, or both were made of one source. A trial counts once, on one side. If they are two measurements that happen to be equal, import each from its own file, with a comment line (# and the date) that tells the texts apart"
    )]
    CopiedRun {
        /// A run.
        first: String,
        /// Another.
        second: String,
    },
    /// What `--by` names is not there.
    #[error("--by {key}: no trial has a label of that name. Accepted here: {known}")]
    UnknownKey {
        /// What was asked for.
        key: String,
        /// What there is.
        known: String,
    },
    /// A size is part of a stratum.
    #[error(
        "--by {key}: guests or machines of another size are other cells, and are compared only with their like. Accepted: kernel, or a label's name"
    )]
    SizeAsKey {
        /// `cpus` or `nodes`.
        key: String,
    },
    /// A value that no trial has.
    #[error("--{side} {value}: no trial has {key} {value}. There are {known}")]
    UnknownValue {
        /// `base` or `test`.
        side: &'static str,
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
        "the sides have no stratum in common, so there is nothing to hold against each other. Nearest are {base} on the base side and {test} on the test side: they differ in {differ}"
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
        "the strata that both sides have are all controls ({control}), which can't stall for lack of slots: there is nothing that a patch could mend. Run other hash policies on both sides, such as `--set hash=auto,{control}`"
    )]
    OnlyControls {
        /// The control's hash.
        control: String,
    },
    /// Every trial of a side failed.
    #[error(
        "{} of the {side} side{at} failed{example}: a trial that failed has no outcome, so stalls can't be compared. {harm} `experiments analyze RUN` lists the failed trials",
        if *failed == 1 { "the only trial".to_string() } else { format!("all {failed} trials") }
    )]
    OnlyFailed {
        /// `base` or `test`.
        side: &'static str,
        /// Where, with its own punctuation.
        at: &'static str,
        /// How many.
        failed: u64,
        /// The most frequent error, with its own punctuation.
        example: String,
        /// What the failures say of harm, in sentences.
        harm: String,
    },
    /// The rule has nothing to look at on a side.
    #[error(
        "by the rule {rule}, no trial of the {side} side in a common stratum has an outcome: {reasons}. Give another rule with --stall"
    )]
    NothingObserved {
        /// `base` or `test`.
        side: &'static str,
        /// Its rule.
        rule: String,
        /// Why, by how often.
        reasons: String,
    },
    /// The sides were not measured alike.
    #[error(
        "the sides were not measured alike: {what} is {base} on the base side and {test} on the test side{at}. {hint}--force compares them all the same, and the result says so"
    )]
    Unlike {
        /// What differs.
        what: &'static str,
        /// The base side's.
        base: String,
        /// The test side's.
        test: String,
        /// Where, with its own punctuation.
        at: String,
        /// What to do instead, with a blank behind it.
        hint: &'static str,
    },
    /// Several kernels would be one side.
    #[error(
        "the {side} side holds the kernels {kernels}, and pooling them would hide which one stalls. Name one with `RUN… --by kernel --base NAME --test NAME`. --force pools them all the same, and the result says so"
    )]
    SeveralKernels {
        /// `base` or `test`.
        side: &'static str,
        /// The kernels.
        kernels: String,
    },
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
