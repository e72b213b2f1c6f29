//! One trial: what it is asked to do ([`model::spec`]), what it saw ([`model::record`]), and the workloads that
//! do it ([`workload`]).
//!
//! A trial is a process: `race-trial` reads one [`model::spec::TrialSpec`] as JSON, does it, writes one
//! [`model::record::TrialRecord`] as JSON and ends. The private futex hash belongs to the address space,
//! so a second trial in the same process would begin with what the first one left.

mod counters;
pub mod drive;
mod error;
mod futex_hash;
pub mod guest_init;
pub mod place;
pub mod prepare;
pub mod ramp;
pub mod stage;
mod trial;
pub mod work;
pub mod workload;

pub use error::TrialError;
pub use trial::run;
