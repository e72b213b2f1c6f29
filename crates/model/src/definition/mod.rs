//! Definitions of experiments: what they hold and how they are read. The keys are explained in
//! docs/reference/definitions.md.

mod called;
mod control;
mod error;
mod factors;
mod label;
mod near;
mod overrides;
mod toml_text;
pub mod variants;

pub use control::Control;
pub use error::{DefinitionError, NotTaken};
pub use factors::{BadFactor, Factors, Given};
pub use near::{did_you_mean, near_names};
pub use overrides::{BadOverride, Override, OverrideProblem, Overrides, split_values};
pub use toml_text::parse;
pub use variants::Variant;

use std::collections::BTreeMap;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::checked::{from_1, optional_from_1, optional_time, time};
use crate::columns::concatenated;
use crate::factor::{COMMON, Hash, Span, Until};
use crate::outcome::StallRule;
use crate::recovery::Recovery;
use crate::workload::{AMONG_LABELS, WITH_COLUMN, command, mutex};

/// A question, and the trials that answer it. Its JSON, in a manifest, has the keys of the TOML.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Definition {
    /// The experiment's name: the file's without its ending, unless it says another.
    #[serde(deserialize_with = "name")]
    pub name: String,
    /// A line for lists.
    #[serde(deserialize_with = "trimmed")]
    pub title: String,
    /// What the experiment answers, in words.
    #[serde(deserialize_with = "trimmed")]
    pub question: String,
    /// Trials a cell: one a block.
    #[serde(deserialize_with = "trials")]
    pub trials: u64,
    /// How long all threads of a trial work together.
    #[serde(deserialize_with = "time")]
    pub duration: Span,
    /// What ends a trial before its duration.
    pub until: Until,
    /// From one sample to the next.
    #[serde(deserialize_with = "time")]
    pub sample: Span,
    /// The time after which a trial is killed; by default twice its planned time and 20 s more.
    #[serde(deserialize_with = "optional_time")]
    pub limit: Option<Span>,
    /// Draws the order, and each trial's own seed.
    pub seed: u64,
    /// What is varied; every combination is a cell.
    pub factors: Factors,
    /// What a trial is held against, where it is said; [`Definition::control`] is what holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// When a trial counts as stalled.
    pub outcome: Outcome,
    /// When a stalled trial counts as recovered, by its throughput.
    pub recovery: Recovery,
    /// What the workload `mutex` is told besides its factors.
    pub mutex: mutex::Table,
    /// The program of the workload `command`.
    pub command: Option<command::Table>,
    /// What differs by a name, each in every block; empty: nothing does.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "variants::read")]
    pub variants: BTreeMap<String, Variant>,
    /// What a first look makes of the definition.
    pub quick: Quick,
    /// Labels of every row, by which a comparison can tell runs apart.
    #[serde(deserialize_with = "label::read")]
    pub labels: BTreeMap<String, String>,
}

impl Default for Definition {
    fn default() -> Definition {
        Definition {
            name: String::new(),
            title: String::new(),
            question: String::new(),
            trials: 10,
            duration: Span::from_ms(1000),
            until: Until::default(),
            sample: Span::from_ms(10),
            limit: None,
            // Results are to repeat.
            seed: 1,
            factors: Factors::default(),
            control: None,
            outcome: Outcome::default(),
            recovery: Recovery::default(),
            mutex: mutex::Table::default(),
            command: None,
            variants: BTreeMap::new(),
            quick: Quick::default(),
            labels: BTreeMap::new(),
        }
    }
}

impl Definition {
    /// What a trial is held against, if anything. A definition that names no control has the usual one
    /// if its rule needs one, or if that is among its values.
    pub fn control(&self) -> Option<Control> {
        let usual = || self.factors.hash.contains(&DEFAULT_CONTROL).then(Control::default);
        Control::of(self.control.as_ref(), Some(&self.outcome.stall)).or_else(usual)
    }
}

/// When a trial counts as stalled.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Outcome {
    /// The rule that decides.
    pub stall: StallRule,
    /// What texts and figures call a stall, in the singular; `None`: what the rule suggests.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "called::read")]
    pub called: Option<String>,
}

/// What a first look, in under 30 s, makes of a definition.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Quick {
    /// Trials a cell.
    #[serde(deserialize_with = "optional_from_1")]
    pub trials: Option<u64>,
    /// How long all threads of a trial work together.
    #[serde(deserialize_with = "optional_time")]
    pub duration: Option<Span>,
    /// Lock/unlock pairs a thread.
    #[serde(deserialize_with = "optional_from_1")]
    pub pairs_per_thread: Option<u64>,
    /// Factors whose values are replaced.
    pub factors: Given,
}

/// Every factor's name: those with a column in the order of the columns, then the others.
pub const FACTOR_NAMES: [&str; COMMON.len() + WITH_COLUMN.len() + AMONG_LABELS.len()] =
    concatenated(&[&COMMON, &WITH_COLUMN, &AMONG_LABELS]);

/// The control of a definition that names none and has a rule that needs one: the report's pre-sized
/// hash.
pub const DEFAULT_CONTROL: Hash = Hash::Slots { slots: 512, immutable: false };

/// More than any sweep needs; beyond it the plan itself would be the problem.
pub const MOST_TRIALS: u64 = 1_000_000;

fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    let good = !name.is_empty()
        && name.len() <= 100
        && !name.starts_with('-')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    match good {
        true => Ok(name),
        false => Err(D::Error::custom(format!(
            "found {name:?}; accepted is letters, digits, - and _, as in a file's name"
        ))),
    }
}

fn trimmed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    String::deserialize(deserializer).map(|text| text.trim().to_string())
}

fn trials<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    match from_1(deserializer)? {
        n if n > MOST_TRIALS => {
            Err(D::Error::custom(format!("found {n}; accepted is at most {MOST_TRIALS}")))
        }
        n => Ok(n),
    }
}
