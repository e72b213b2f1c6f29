//! The shared nouns of the suite: what two crates or more speak of, each once.
//!
//! Types and serde only. A text of a definition, of the command line or of a CSV cell becomes a type
//! here, at the edge, and is one from there on.

pub mod as_run;
pub mod checked;
pub mod column;
pub mod columns;
pub mod definition;
pub mod event;
pub mod factor;
pub mod manifest;
pub mod outcome;
pub mod ramp;
pub mod record;
pub mod recovery;
pub mod rows;
pub mod serde_words;
pub mod spec;
pub mod throughput;
pub mod workload;
