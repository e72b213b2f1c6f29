//! Definitions of experiments: what they hold, where they are found, how they are read.

mod error;
mod overrides;
mod parse;
mod toml_table;

pub use error::DefinitionError;
pub use overrides::{Overrides, split_values};
pub use parse::parse;

use std::collections::BTreeMap;

use crate::columns::concatenated;
use crate::factor::{
    AMONG_LABELS, Hash, Memory, Placement, Ramp, Span, Threads, Unlock, Until, WITH_COLUMN,
    Workload, only_of,
};
use crate::outcome::StallRule;
use crate::recovery::Recovery;
use crate::throughput::Throughput;
use serde::{Deserialize, Serialize};

/// A question, and the trials that answer it. Its JSON, in a manifest, has the keys of the TOML.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// The experiment's name: the file's without its ending, unless it says another.
    pub name: String,
    /// A line for lists.
    pub title: String,
    /// What it answers, in words.
    pub question: String,
    /// Trials a cell: one a block.
    pub trials: u64,
    /// How long all threads of a trial work together.
    pub duration: Span,
    /// What ends a trial before its duration.
    pub until: Until,
    /// From one sample to the next.
    pub sample: Span,
    /// After which a trial is killed; by default its planned time and 20 s more.
    pub limit: Option<Span>,
    /// Draws the order, and each trial's own seed.
    pub seed: u64,
    /// What is varied; every combination is a cell.
    pub factors: Factors,
    /// What a trial is held against.
    pub control: Control,
    /// When a trial counts as stalled.
    pub outcome: Outcome,
    /// When a stalled trial counts as recovered, by its throughput.
    #[serde(default)]
    pub recovery: Recovery,
    /// What the workload `mutex` is told besides.
    pub mutex: Mutex,
    /// The program of the workload `command`.
    pub command: Option<Command>,
    /// What `--quick` makes of it.
    pub quick: Quick,
    /// What a comparison is to tell apart; in every row.
    pub labels: BTreeMap<String, String>,
}

/// The values of each factor, at least one each where the factor applies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Factors {
    /// What the threads do.
    pub workload: Vec<Workload>,
    /// How many, as counts or shares of the CPUs online.
    pub threads: Vec<Threads>,
    /// How they come to be.
    pub ramp: Vec<Ramp>,
    /// What is asked of the private hash.
    pub hash: Vec<Hash>,
    /// On which CPUs.
    pub placement: Vec<Placement>,
    /// On which memory.
    pub memory: Vec<Memory>,
    /// `mutex`: locks, as counts or shares of the CPUs online.
    pub locks: Vec<Threads>,
    /// `mutex`: how a lock is released.
    pub unlock: Vec<Unlock>,
    /// `messenger`: messenger threads, as counts or shares of the CPUs online.
    pub messengers: Vec<Threads>,
    /// `mutex`: the time in the critical section. In a row it stands among the labels.
    pub critical: Vec<Span>,
    /// `mutex`: the time between an unlock and the next lock. In a row it stands among the labels.
    pub think: Vec<Span>,
}

/// What a trial is held against: the cell with the same factors but this hash policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Control {
    /// The control's hash policy.
    pub hash: Hash,
}

impl Default for Control {
    fn default() -> Control {
        Control { hash: DEFAULT_CONTROL }
    }
}

/// When a trial counts as stalled.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Outcome {
    /// The rule that decides.
    pub stall: StallRule,
}

/// What the workload `mutex` is told besides its factors.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Mutex {
    /// Lock/unlock pairs a thread after which a trial ends; without it, its duration ends it.
    pub pairs_per_thread: Option<u64>,
}

/// The program of the workload `command`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Command {
    /// Program and arguments, with `{threads}`, `{duration}` (whole seconds, at least 1) and the
    /// other factors by name in braces.
    pub argv: Vec<String>,
    /// Added to the environment.
    pub env: BTreeMap<String, String>,
    /// The working folder.
    pub folder: Option<String>,
    /// Where its throughput stands in its output.
    pub throughput: Throughput,
    /// The unit of that number.
    pub unit: String,
    /// Millions of operations in one of that unit.
    pub mops_per_unit: Option<f64>,
    /// Whether that number is the mean of the threads, so that the rate of all is so many times it.
    #[serde(default)]
    pub per_thread: bool,
    /// How to get the program, for the message when it is not installed.
    pub install: Option<String>,
}

/// What `--quick` makes of a definition: a first look, in under 30 s.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Quick {
    /// Trials a cell.
    pub trials: Option<u64>,
    /// How long all threads of a trial work together.
    pub duration: Option<Span>,
    /// Lock/unlock pairs a thread.
    pub pairs_per_thread: Option<u64>,
    /// Factors whose values are replaced, by name, as texts.
    pub factors: BTreeMap<String, Vec<String>>,
}

/// Every factor's name: those with a column in the order of the columns, then the others.
pub const FACTOR_NAMES: [&str; WITH_COLUMN.len() + AMONG_LABELS.len()] =
    concatenated(&[&WITH_COLUMN, &AMONG_LABELS]);

/// The control of a definition that names none: the report's pre-sized hash.
pub const DEFAULT_CONTROL: Hash = Hash::Slots { slots: 512, immutable: false };

/// More than any sweep needs; beyond it the plan itself would be the problem.
pub const MOST_TRIALS: u64 = 1_000_000;

impl Default for Factors {
    /// What a definition has that says nothing: the report's two hash policies, nothing pinned.
    /// `workload` and `threads` have no default.
    fn default() -> Factors {
        Factors {
            workload: Vec::new(),
            threads: Vec::new(),
            ramp: vec![Ramp::Burst],
            hash: vec![Hash::Auto, DEFAULT_CONTROL],
            placement: vec![Placement::Unpinned],
            memory: vec![Memory::Default],
            locks: vec![Threads::Count(32)],
            unlock: vec![Unlock::Exchange],
            messengers: vec![Threads::Count(4)],
            critical: vec![Span::from_ns(0)],
            think: vec![Span::from_ns(0)],
        }
    }
}

/// That one of the workloads takes what only `of` takes. A factor that no trial has would be
/// dropped, and its asker think that it was varied.
pub fn taken(what: &str, of: Workload, workloads: &[Workload]) -> Result<(), String> {
    if workloads.contains(&of) {
        return Ok(());
    }
    let there: Vec<String> = workloads.iter().map(Workload::to_string).collect();
    Err(format!(
        "{what} belongs to the workload {of}, and the workload here is {}: leave it out, or have {of} \
         among the workloads",
        there.join(", ")
    ))
}

impl Factors {
    /// That a workload of these takes the factor of this name.
    pub fn takes(&self, name: &str) -> Result<(), String> {
        only_of(name).map_or(Ok(()), |of| taken(name, of, &self.workload))
    }

    /// The factors that were given values and that no workload of these takes, with the one that
    /// does: what is left of a definition whose workload was changed.
    pub fn idle(&self) -> Vec<(&'static str, Workload)> {
        let none = Factors::default();
        let given = [
            ("locks", self.locks != none.locks),
            ("unlock", self.unlock != none.unlock),
            ("messengers", self.messengers != none.messengers),
            ("critical", self.critical != none.critical),
            ("think", self.think != none.think),
        ];
        let of = |name| only_of(name).map(|of| (name, of));
        given
            .into_iter()
            .filter(|(_, is)| *is)
            .filter_map(|(name, _)| of(name))
            .filter(|(_, of)| !self.workload.contains(of))
            .collect()
    }

    /// Replaces the values of one factor by texts; the sentence says which text is wrong and what
    /// is accepted, or which factors there are.
    pub fn set(&mut self, name: &str, texts: &[String]) -> Result<(), String> {
        fn all<T: std::str::FromStr>(texts: &[String], name: &str) -> Result<Vec<T>, String>
        where
            T::Err: std::fmt::Display,
        {
            if texts.is_empty() {
                return Err(format!("{name} has no value: at least one is needed"));
            }
            texts
                .iter()
                .map(|text| text.trim().parse().map_err(|e: T::Err| e.to_string()))
                .collect()
        }
        // Written as threads are, and not threads.
        let counted = |texts: &[String], name: &str| {
            all::<Threads>(texts, name).map_err(|_| {
                let found = texts.join(",");
                let why = match texts.iter().any(|text| text.trim() == "0") {
                    true => "is not possible: at least one is needed",
                    false => "is not understood",
                };
                format!(
                    "{name} {found:?} {why}; accepted is a count from 1 (`32`) or a share of the CPUs online (`50%`)"
                )
            })
        };
        match name {
            "workload" => self.workload = all(texts, name)?,
            "threads" => self.threads = all(texts, name)?,
            "ramp" => self.ramp = all(texts, name)?,
            "hash" => self.hash = all(texts, name)?,
            "placement" => self.placement = all(texts, name)?,
            "memory" => self.memory = all(texts, name)?,
            "locks" => self.locks = counted(texts, name)?,
            "unlock" => self.unlock = all(texts, name)?,
            "messengers" => self.messengers = counted(texts, name)?,
            "critical" => self.critical = all(texts, name)?,
            "think" => self.think = all(texts, name)?,
            _ => {
                return Err(format!(
                    "there is no factor {name:?}{}; the factors are {}",
                    did_you_mean(name, FACTOR_NAMES),
                    FACTOR_NAMES.join(", ")
                ));
            }
        }
        Ok(())
    }
}

/// ` (did you mean …?)` where a known name is near, nothing otherwise.
pub fn did_you_mean<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let near = near_names(found, known);
    if near.is_empty() { String::new() } else { format!(" (did you mean {}?)", near.join(" or ")) }
}

/// The known names that a typing error could have made this of, nearest first, three at most.
pub fn near_names<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut near: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| {
            let inside = name.contains(found) || found.contains(name);
            let alike = strsim::jaro_winkler(found, name);
            (if inside && found.len() > 2 { alike.max(0.9) } else { alike }, name)
        })
        .filter(|(alike, _)| *alike > 0.8)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter().take(3).map(|(_, name)| name.to_string()).collect()
}
