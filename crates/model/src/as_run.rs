//! The definition in a run's manifest, as what reads a run needs it. It is more lenient than a
//! definition that is to be run: an imported run has only some of the keys.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::definition::Control;
use crate::factor::Span;
use crate::outcome::StallRule;
use crate::recovery::Recovery;
use crate::serde_words;

/// What a run's definition says of how its trials are to be read.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct AsRun {
    /// A line for lists and for the head of a report.
    pub title: Option<String>,
    /// The question that the experiment answers.
    pub question: Option<String>,
    /// How long all threads of a trial worked together.
    pub duration: Option<Span>,
    /// From one sample of a timeline to the next.
    pub sample: Option<Span>,
    outcome: Option<Outcome>,
    control: Option<Control>,
    /// When a stalled trial counts as recovered by its throughput.
    pub recovery: Recovery,
    /// What an import found in its source; `None` of a run that was not imported.
    pub import: Option<Import>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Outcome {
    stall: Option<StallRule>,
    called: Option<String>,
}

/// What an import found in its source besides the trials.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Import {
    /// The format's name: `csv`, `reproducer`.
    pub format: String,
    /// Lines of the source.
    pub lines: u64,
    /// The lines that hold nothing that the format knows.
    pub not_understood: Vec<UnreadLine>,
    /// What the import itself remarks.
    pub notes: Vec<String>,
    /// What the source says of trials in words, by key and text: of how many trials.
    pub said: BTreeMap<String, BTreeMap<String, u64>>,
    /// Of which trials the source says how they ended; `None` where it says it of none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusSaid>,
    /// Functional checks that the source planned and that have no result in it.
    #[serde(skip_serializing_if = "is_zero")]
    pub checks_without_result: u64,
    /// Whether the source says each trial's block. Otherwise blocks are numbers made by the import, and say
    /// nothing about time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub blocks: bool,
}

/// A line of an imported source that was not understood.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnreadLine {
    /// Its number, from 1.
    pub line: u64,
    /// Its text.
    pub text: String,
    /// The reason, where one is known.
    pub why: Option<String>,
}

/// Of which trials an imported source says how they ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatusSaid {
    /// Of every trial.
    All,
    /// Of every trial but these, by number.
    NotOf(Vec<u64>),
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A key of a run's definition that can't be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the definition's {problem}")]
pub struct BadDefinition {
    /// The key, what was found there and what is accepted.
    pub problem: String,
}

impl AsRun {
    /// Reads it.
    pub(crate) fn of(definition: &Value) -> Result<AsRun, BadDefinition> {
        serde_path_to_error::deserialize(definition).map_err(|error| BadDefinition {
            problem: serde_words::problem(&error.path().to_string(), &error.inner().to_string()),
        })
    }

    /// The rule by which its trials were to be judged, if the definition has one.
    pub fn stall(&self) -> Option<StallRule> {
        self.outcome.as_ref().and_then(|outcome| outcome.stall.clone())
    }

    /// What texts call a hit, if the definition says it.
    pub fn called(&self) -> Option<&str> {
        self.outcome.as_ref()?.called.as_deref()
    }

    /// What its trials are held against, if anything, when they are judged by this rule.
    pub fn control(&self, rule: &StallRule) -> Option<Control> {
        Control::of(self.control.as_ref(), Some(rule))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Condition;
    use serde_json::json;

    #[test]
    fn an_imported_run_has_only_some_of_the_keys() {
        let import = json!({"format": "csv", "lines": 3, "not_understood": [], "notes": [],
            "said": {"approximate": {"a range": 2}}, "status": {"not_of": [4]}});
        let run = AsRun::of(&json!({"name": "x", "import": import})).unwrap();
        assert_eq!((run.stall(), run.control(&Condition::Reported.into())), (None, None));
        let found = run.import.unwrap();
        assert_eq!(found.status, Some(StatusSaid::NotOf(vec![4])));
        assert_eq!(serde_json::to_value(&found).unwrap(), import);
        assert_eq!(AsRun::of(&json!({})).unwrap(), AsRun::default());
    }

    #[test]
    fn a_wrong_value_is_named_by_its_key() {
        for (definition, problem) in [
            (json!({"recovery": {"share": 2}}), "the definition's recovery.share is 2.0; accepted"),
            (json!({"recovery": {"hold": 3}}), "recovery.hold is 3; accepted is a text"),
            (json!({"control": {"hash": 5}}), "control.hash is 5; accepted is a text"),
            (json!({"outcome": {"stall": "slow"}}), "outcome.stall: stall rule \"slow\""),
        ] {
            let error = AsRun::of(&definition).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}
