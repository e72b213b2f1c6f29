//! `[variants] NAME = {…}`: what differs by a name, in the same blocks: a program and its fix, two settings of
//! an environment, values of a factor that go together.

use std::collections::BTreeMap;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::checked::Texts;
use crate::factor::{Hash, Memory, Placement, Ramp};
use crate::workload::{Around, command};

/// The label under which a row has its variant's name.
pub const LABEL: &str = "variants";

/// What one variant changes; what it leaves out is as in the definition.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Variant {
    /// `command`: program and arguments.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "texts")]
    pub argv: Option<Vec<String>>,
    /// `command`: variables, beside those of the definition.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// `command`: the working folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// What is asked of the private hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<Hash>,
    /// How the threads are created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ramp: Option<Ramp>,
    /// On which CPUs the threads may run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placement: Option<Placement>,
    /// The NUMA memory policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
}

fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    Option::<Texts>::deserialize(from).map(|texts| texts.map(|texts| texts.0))
}

/// Reads variants, each by a name that can be a label's value.
pub(super) fn read<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<String, Variant>, D::Error> {
    let variants = BTreeMap::<String, Variant>::deserialize(from)?;
    for (name, variant) in &variants {
        super::label::check(LABEL, name).map_err(D::Error::custom)?;
        if *variant == Variant::default() && variants.len() == 1 {
            return Err(D::Error::custom(format!(
                "{name} is the only variant and changes nothing: accepted is two or more"
            )));
        }
    }
    Ok(variants)
}

impl Variant {
    /// Whether it changes the program of the workload `command`.
    pub fn is_of_a_program(&self) -> bool {
        self.argv.is_some() || !self.env.is_empty() || self.folder.is_some()
    }

    /// The program with its changes.
    pub fn command(&self, table: &command::Table) -> command::Table {
        let mut table = table.clone();
        if let Some(argv) = &self.argv {
            table.argv.clone_from(argv);
        }
        table.env.extend(self.env.clone());
        if self.folder.is_some() {
            table.folder.clone_from(&self.folder);
        }
        table
    }

    /// The factors with its changes.
    pub fn around<'a>(&'a self, around: Around<'a>) -> Around<'a> {
        Around {
            hash: self.hash.unwrap_or(around.hash),
            ramp: self.ramp.unwrap_or(around.ramp),
            placement: self.placement.as_ref().unwrap_or(around.placement),
            memory: self.memory.as_ref().unwrap_or(around.memory),
            ..around
        }
    }
}
