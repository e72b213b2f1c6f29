//! Figures and texts from the tables of an analysis, and from nothing else.

pub mod document;
pub mod draw;
pub mod figure;
pub mod neutral;
pub mod say;
mod write;
mod write_comparison;

pub use draw::DrawError;
pub use write::{Format, ReportError, answer, summary, text, write};
pub use write_comparison::{comparison_summary, comparison_text, write_comparison};
