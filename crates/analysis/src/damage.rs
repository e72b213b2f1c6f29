//! What is torn, missing or contradicts its plan: the tables lack it.

use std::path::{Path, PathBuf};

use records::torn::{Headless, Torn};
use serde::Serialize;

use crate::planned::Missing;
use crate::run::Run;
use crate::timeline::Why;

/// One such fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Damage {
    /// The last line of a file has no end, and is not used.
    TornLine(TornLine),
    /// A file beside the trials has no whole header, and is as one without rows.
    NoHeader {
        /// The file.
        file: PathBuf,
        /// What is there instead.
        found: Headless,
    },
    /// A resumption took something out of a file.
    Cut {
        /// The run's folder.
        run: PathBuf,
        /// What it was and what is lost by it, as the manifest has it.
        said: String,
    },
    /// A run without its plan.
    NoPlan {
        /// Where the plan should be.
        file: PathBuf,
    },
    /// A plan of another size than the manifest says.
    OtherPlan {
        /// The plan.
        file: PathBuf,
        /// Trials in the plan.
        planned: u64,
        /// Trials planned by the manifest.
        by_manifest: u64,
    },
    /// Cells of a plan without a trial.
    EmptyCells {
        /// The run's folder.
        run: PathBuf,
        /// How many cells.
        cells: u64,
    },
    /// A timeline without a whole header.
    NoTimelineHeader {
        /// The timeline.
        file: PathBuf,
        /// What is there instead.
        found: Headless,
        /// Trials that should have samples.
        trials: u64,
        /// Whether the run was measured elsewhere, and so can't be resumed.
        imported: bool,
    },
    /// A run without a timeline.
    NoTimeline {
        /// Where it should be.
        file: PathBuf,
        /// Trials that should have samples.
        trials: u64,
    },
    /// Trials without a sample.
    NoSamples {
        /// The timeline.
        file: PathBuf,
        /// How many trials have none.
        without: u64,
        /// Trials that should have samples.
        trials: u64,
        /// The first without.
        first: u64,
    },
    /// Stalled trials whose samples end before their work did.
    SamplesEndEarly {
        /// The timeline.
        file: PathBuf,
        /// How many.
        trials: u64,
        /// The first of them.
        first: u64,
    },
    /// Samples of trials that `trials.csv` does not have.
    ForeignSamples {
        /// The timeline.
        file: PathBuf,
        /// How many samples.
        rows: u64,
        /// Of how many trials.
        trials: u64,
        /// The first of those trials.
        first: u64,
        /// Its first line.
        line: u64,
    },
    /// Trials of which a stall by throughput could not be seen.
    NotWatched {
        /// The timeline.
        file: PathBuf,
        /// How many.
        trials: u64,
        /// Why.
        why: Why,
    },
}

/// A torn last line of a file of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TornLine {
    /// The file.
    pub file: PathBuf,
    /// The line.
    #[serde(flatten)]
    pub torn: Torn,
    /// Whether the run was measured elsewhere, so that nothing brings the line back.
    pub imported: bool,
    /// The trial that it is of, where the tear left its number, and whether that has a row in
    /// `trials.csv`.
    pub trial: Option<TrialOfLine>,
}

/// The trial of a torn line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TrialOfLine {
    /// Its number.
    pub number: u64,
    /// Whether it has a row in `trials.csv`.
    pub has_row: bool,
}

impl TornLine {
    /// The torn line of a file of a run. `has_row` is whether a trial has a row in `trials.csv`.
    pub fn of(run: &Run, torn: Torn, file: &Path, has_row: impl Fn(u64) -> bool) -> TornLine {
        let trial = torn.trial().map(|number| TrialOfLine { number, has_row: has_row(number) });
        TornLine { file: file.to_path_buf(), torn, imported: run.is_imported(), trial }
    }
}

/// What a run's plan and its rows lack of each other.
pub(crate) fn of_plan(run: &Run, missing: &Missing) -> Vec<Damage> {
    let file = run.folder.join("plan.csv");
    let mut found: Vec<Damage> = missing.torn.clone().map(Damage::TornLine).into_iter().collect();
    match missing.planned {
        None => found.push(Damage::NoPlan { file }),
        Some(planned) if planned != run.planned => {
            found.push(Damage::OtherPlan { file, planned, by_manifest: run.planned })
        }
        Some(_) => {}
    }
    if missing.trials > 0 && missing.empty_cells > 0 {
        found.push(Damage::EmptyCells { run: run.folder.clone(), cells: missing.empty_cells });
    }
    found
}
