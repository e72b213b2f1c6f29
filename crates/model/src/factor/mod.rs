//! The factors of an experiment and the text of their values.
//!
//! The same text stands in definitions, on the command line and in CSV cells: each type parses
//! from it and prints back the canonical form. Which values exist on a machine is not decided
//! here.

mod count;
mod hash;
mod memory;
mod placement;
mod ramp;
mod span;
mod threads;
mod until;

pub use count::Count;
pub use hash::Hash;
pub use memory::Memory;
pub use placement::Placement;
pub use ramp::Ramp;
pub use span::Span;
pub use threads::{Threads, threads_in_words};
pub use until::Until;

use std::borrow::Cow;
use std::fmt;

/// The factors that every workload has, in the order of their columns.
pub const COMMON: [&str; 6] = ["workload", "threads", "ramp", "hash", "placement", "memory"];

/// The factor by which the kernel is told what to do: in tables its values stand side by side, the usual
/// one first, and in names last.
pub const POLICY: &str = "hash";

/// What the kernel does where it is told nothing.
pub const USUAL_POLICY: &str = "auto";

/// A text that is not a value of its factor: what was found and what is accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadValue {
    /// The factor, as in a definition: `ramp`.
    pub factor: &'static str,
    /// The text that was given.
    pub found: String,
    /// What is wrong with it, when more can be said than that it has no accepted form.
    pub reason: Option<String>,
    /// The accepted forms.
    pub accepted: Cow<'static, str>,
}

impl BadValue {
    /// A text that has none of the accepted forms.
    pub fn new(
        factor: &'static str,
        found: impl fmt::Display,
        accepted: impl Into<Cow<'static, str>>,
    ) -> Self {
        BadValue { factor, found: found.to_string(), reason: None, accepted: accepted.into() }
    }

    /// With what is wrong, where more can be said than that the text has no accepted form.
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

impl fmt::Display for BadValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} ", self.factor, self.found)?;
        match &self.reason {
            Some(reason) => write!(f, "is not possible: {reason}")?,
            None => write!(f, "is not understood")?,
        }
        write!(f, "; accepted is {}", self.accepted)
    }
}

impl std::error::Error for BadValue {}

/// Serialises a factor as its text, so that JSON, TOML and CSV hold the same.
macro_rules! as_text {
    ($type:ty) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use as_text;
