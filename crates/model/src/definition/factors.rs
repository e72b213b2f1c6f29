//! The values of each factor: `[factors]`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use super::FACTOR_NAMES;
use super::error::NotTaken;
use super::near::did_you_mean;
use crate::checked::Texts;
use crate::factor::{BadValue, Hash, Memory, Placement, Ramp, Threads};
use crate::workload::{OwnFactor, Workload, own_factor};

/// The values of each factor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Factors {
    /// What the threads do.
    pub workload: Vec<Workload>,
    /// How many threads, as counts or shares of the CPUs online.
    pub threads: Vec<Threads>,
    /// How the threads are created.
    pub ramp: Vec<Ramp>,
    /// What is asked of the private hash.
    pub hash: Vec<Hash>,
    /// On which CPUs the threads may run.
    pub placement: Vec<Placement>,
    /// The NUMA memory policy.
    pub memory: Vec<Memory>,
    /// The factors that only one workload takes, where values are given: by name, in their canonical
    /// form.
    #[serde(flatten)]
    own: BTreeMap<String, Vec<String>>,
}

impl Default for Factors {
    /// What a definition has that says nothing: nothing is asked of the hash, nothing pinned.
    /// `workload` and `threads` have no default.
    fn default() -> Factors {
        Factors {
            workload: Vec::new(),
            threads: Vec::new(),
            ramp: vec![Ramp::Burst],
            hash: vec![Hash::Auto],
            placement: vec![Placement::Unpinned],
            memory: vec![Memory::Default],
            own: BTreeMap::new(),
        }
    }
}

/// Values that a factor can't be given.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadFactor {
    /// The name is no factor's.
    #[error(
        "there is no factor {name:?}{}; the factors are {}",
        did_you_mean(name, FACTOR_NAMES),
        FACTOR_NAMES.join(", ")
    )]
    Unknown {
        /// What was given as a factor.
        name: String,
    },
    /// No value was given.
    #[error("{0} has no value: at least one is needed")]
    Empty(String),
    /// A text is no value of the factor.
    #[error(transparent)]
    Value(#[from] BadValue),
}

impl Factors {
    /// Replaces the values of one factor.
    ///
    /// # Errors
    /// The factor does not exist, or does not have these values.
    pub fn set(&mut self, name: &str, texts: &[String]) -> Result<(), BadFactor> {
        fn all<T: FromStr<Err = BadValue>>(texts: &[String]) -> Result<Vec<T>, BadValue> {
            texts.iter().map(|text| text.trim().parse()).collect()
        }
        if texts.is_empty() {
            return Err(BadFactor::Empty(name.to_string()));
        }
        match name {
            "workload" => self.workload = all(texts)?,
            "threads" => self.threads = all(texts)?,
            "ramp" => self.ramp = all(texts)?,
            "hash" => self.hash = all(texts)?,
            "placement" => self.placement = all(texts)?,
            "memory" => self.memory = all(texts)?,
            _ => {
                let (_, factor) = own_factor(name)
                    .ok_or_else(|| BadFactor::Unknown { name: name.to_string() })?;
                let values = texts.iter().map(|text| (factor.read)(text.trim()));
                self.own.insert(name.to_string(), values.collect::<Result<_, _>>()?);
            }
        }
        Ok(())
    }

    /// The values of a factor, in their canonical form.
    pub fn texts(&self, name: &str) -> Vec<String> {
        fn all<T: fmt::Display>(values: &[T]) -> Vec<String> {
            values.iter().map(T::to_string).collect()
        }
        match name {
            "workload" => all(&self.workload),
            "threads" => all(&self.threads),
            "ramp" => all(&self.ramp),
            "hash" => all(&self.hash),
            "placement" => all(&self.placement),
            "memory" => all(&self.memory),
            _ => own_factor(name).map_or_else(Vec::new, |(_, factor)| self.own(factor)),
        }
    }

    /// The values of a factor that only one workload takes.
    pub fn own(&self, factor: &OwnFactor) -> Vec<String> {
        let given = self.own.get(factor.name);
        given.cloned().unwrap_or_else(|| vec![factor.default.to_string()])
    }

    /// Every combination of the values of a workload's own factors; the last factor varies fastest.
    pub fn own_crossed(&self, workload: Workload) -> Vec<Vec<(&'static OwnFactor, String)>> {
        workload.factors().iter().fold(vec![Vec::new()], |crossed, factor| {
            let values = self.own(factor);
            let with = |before: &Vec<_>, value: &String| {
                before.iter().cloned().chain([(factor, value.clone())]).collect()
            };
            crossed
                .iter()
                .flat_map(|before| values.iter().map(move |value| with(before, value)))
                .collect()
        })
    }

    /// That one of the workloads takes what only `of` takes. A factor that no trial has would be
    /// dropped, and its asker think that it was varied.
    ///
    /// # Errors
    /// None of the workloads takes it.
    pub fn taken(&self, what: &str, of: Workload) -> Result<(), NotTaken> {
        match self.workload.contains(&of) {
            true => Ok(()),
            false => Err(NotTaken { what: what.to_string(), of, there: self.workload.clone() }),
        }
    }

    /// That a workload of these takes the factor of this name.
    ///
    /// # Errors
    /// None of the workloads takes it.
    pub fn takes(&self, name: &str) -> Result<(), NotTaken> {
        own_factor(name).map_or(Ok(()), |(of, _)| self.taken(name, of))
    }

    /// The factors that were given values and that no workload of these takes, with the one that
    /// does: what is left of a definition whose workload was changed.
    pub fn idle(&self) -> impl Iterator<Item = (&'static str, Workload)> + '_ {
        self.own.iter().filter_map(|(name, values)| {
            let (of, factor) = own_factor(name)?;
            let given = values.len() != 1 || values[0] != factor.default;
            (given && !self.workload.contains(&of)).then_some((factor.name, of))
        })
    }
}

impl<'de> Deserialize<'de> for Factors {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Given(given) = Given::deserialize(deserializer)?;
        let mut factors = Factors::default();
        for (name, texts) in given {
            factors.set(&name, &texts).map_err(D::Error::custom)?;
        }
        Ok(factors)
    }
}

/// Factors by name, with the texts of their values, each of which was understood.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Given(pub BTreeMap<String, Vec<String>>);

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(GivenVisitor)
    }
}

struct GivenVisitor;

impl<'de> Visitor<'de> for GivenVisitor {
    type Value = Given;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Given, A::Error> {
        let mut given = BTreeMap::new();
        while let Some(name) = map.next_key_seed(Name)? {
            let texts = map.next_value_seed(Values(&name))?;
            given.insert(name, texts);
        }
        Ok(Given(given))
    }
}

/// Reads a factor's name.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let name = String::deserialize(deserializer)?;
        match FACTOR_NAMES.contains(&name.as_str()) {
            true => Ok(name),
            false => Err(D::Error::unknown_field(&name, &FACTOR_NAMES)),
        }
    }
}

/// Reads the values of the factor of that name.
struct Values<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for Values<'_> {
    type Value = Vec<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<String>, D::Error> {
        let Texts(texts) = Texts::deserialize(deserializer)?;
        Factors::default().set(self.0, &texts).map_err(D::Error::custom)?;
        Ok(texts)
    }
}
