//! The files of a run: their columns, their rows and their readers.
//!
//! Both halves of the suite stand on this crate and on nothing of each other: what records trials
//! writes these files, what analyses them reads them. A run is a folder.

mod error;
pub mod input;
pub mod journal;
pub mod json;
pub mod manifest;
pub mod quotes;
pub mod stream;
pub mod table;
pub mod timeline;
pub mod torn;
pub mod whole;

pub use error::RecordError;
