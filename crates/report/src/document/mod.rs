//! A report as blocks, and the forms it is written in.

pub mod checks;
mod circumstances;
pub mod comparison;
pub mod content;
pub mod contrasts;
pub mod factor_columns;
pub mod html;
pub mod imported;
pub mod mail;
pub mod markdown;
pub mod metrics;
mod numbers;
pub mod plain_table;
pub mod plain_text;
pub mod recovery;
pub mod room;
mod shell;

use crate::figure::Drawn;

/// A part of a report. Texts may have `code` in backticks and nothing else.
#[derive(Debug, Clone)]
pub enum Block {
    /// A heading of this depth, 1 for the title.
    Heading(u8, String),
    /// A paragraph.
    Paragraph(String),
    /// A list.
    List(Vec<String>),
    /// A table.
    Table(Table),
    /// A figure.
    Figure(Drawn),
    /// Lines as they are.
    Code(String),
}

/// A table.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The heads of its columns.
    pub header: Vec<String>,
    /// How many of the first columns are texts, aligned left; the others are numbers.
    pub texts: usize,
    /// Its rows, each as long as the header.
    pub rows: Vec<Vec<String>>,
}
