//! The commands, one file each.

pub mod analyze;
pub mod compare;
pub mod completions;
pub mod doctor;
pub mod import;
pub mod kernel;
pub mod list;
pub mod man;
pub mod planning;
pub mod report;
pub mod resume;
pub mod run;
pub mod show;
pub mod stat;
