//! From a definition to recorded trials: definition → plan → order → executor → journal.
//!
//! A definition ([`model::definition`]) is crossed to cells and blocks and put in an order ([`plan`]); an
//! [`executor::Executor`] does one trial at a time, on this machine or elsewhere;
//! what each saw becomes [`rows`], which the journal writes before the next begins; [`resume`] goes on where
//! a run stopped.

pub mod catalog;
pub mod executor;
pub mod plan;
pub mod resume;
pub mod rows;
pub mod runner;
pub mod utc;
