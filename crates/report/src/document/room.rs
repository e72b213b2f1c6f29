//! How much room a text has for a table.

/// The longest table in a text; the CSV files have all rows.
pub(super) const MOST_ROWS: usize = 200;

/// How much room a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// A page.
    Wide,
    /// 78 columns.
    Narrow,
}
