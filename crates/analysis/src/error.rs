//! Why runs can't be analysed.

use std::path::PathBuf;

use records::RecordError;
use thiserror::Error;

use model::as_run::BadDefinition;
use model::definition::Control;
use model::outcome::ACCEPTED;
use stats::StatError;

/// Runs that can't be analysed, in a sentence for the user.
#[derive(Debug, Error)]
pub enum AnalysisError {
    /// A run folder, or a file in it.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// No run was named.
    #[error("no run is named: give one run folder or more, such as data/runs/race-sweep-…")]
    NoRun,
    /// A run was named twice: its trials would count twice.
    #[error("{} is named twice: a trial counts once", folder.display())]
    SameRun {
        /// The folder.
        folder: PathBuf,
    },
    /// A key of a run's definition can't be read.
    #[error("{from}: {problem}")]
    Definition {
        /// The manifest.
        from: String,
        /// The key and what is wrong there.
        problem: BadDefinition,
    },
    /// A definition has no rule and none was asked for.
    #[error(
        "{from}: the definition has no `[outcome] stall`, so nothing says when a trial is stalled; accepted is {ACCEPTED}"
    )]
    NoRule {
        /// The manifest.
        from: String,
    },
    /// Runs that can't be one data set.
    #[error(transparent)]
    Unlike(#[from] Box<Unlike>),
    /// A rule that compares with the control, and no control.
    #[error(
        "the rule {rule} compares each trial with its control, and no trial has the control, {control} (found: {found}); accepted is a run with the control among its trials, or another rule, such as `absolute:100` (below 100 Mops/s) or `split` (in the lower of two modes)"
    )]
    NoControl {
        /// The rule.
        rule: String,
        /// The control.
        control: Control,
        /// The values of its factor that there are.
        found: String,
    },
    /// A condition looks at a metric that no trial has, or that is in another unit.
    #[error(
        "the condition {condition} can't be judged: {}; the trials have {}",
        match found {
            Some(unit) if unit.is_empty() => "the metric has no unit, so that the limit may have none".to_string(),
            Some(unit) => format!("the metric is in {unit}"),
            None => "no trial has such a metric".to_string(),
        },
        listed(measured)
    )]
    NoMetric {
        /// The condition.
        condition: String,
        /// The unit that the metric has.
        found: Option<String>,
        /// The metrics that there are, with their units.
        measured: Vec<(String, String)>,
    },
    /// A statistic that can't be computed.
    #[error(transparent)]
    Stat(#[from] StatError),
    /// The checked rows could not be read as columns.
    #[error("{} can't be read as a table: {reason}", file.display())]
    Columns {
        /// The file.
        file: PathBuf,
        /// Why.
        reason: String,
    },
}

/// Names with their units: `p99 (us), misses`.
fn listed(measured: &[(String, String)]) -> String {
    if measured.is_empty() {
        return "none".to_string();
    }
    let one = |(name, unit): &(String, String)| match unit.as_str() {
        "" => format!("`{name}`"),
        unit => format!("`{name}` ({unit})"),
    };
    measured.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Two runs that can't be one data set.
#[derive(Debug, Error)]
#[error(
    "{first} and {second} can't be one data set: {what} is {first_has} in one and {second_has} in the other"
)]
pub struct Unlike {
    /// A run.
    pub first: String,
    /// Another.
    pub second: String,
    /// What is different.
    pub what: &'static str,
    /// In the first.
    pub first_has: String,
    /// In the second.
    pub second_has: String,
}

impl AnalysisError {
    /// Whether the request was wrong, rather than the work on it.
    pub fn is_request(&self) -> bool {
        !matches!(
            self,
            AnalysisError::Columns { .. } | AnalysisError::Stat(StatError::NoConvergence { .. })
        )
    }
}
