//! A table as CSV text. Numbers have no exponent and all their digits: a spreadsheet, awk and
//! polars read them alike, and to the same value.

use model::rows::inert;

/// A table in the making.
pub struct CsvText {
    writer: csv::Writer<Vec<u8>>,
}

impl CsvText {
    /// A table with this header.
    pub fn new<'a>(header: impl IntoIterator<Item = &'a &'static str>) -> Self {
        let mut table = CsvText { writer: csv::Writer::from_writer(Vec::new()) };
        table.row(header.into_iter().map(|name| name.to_string()));
        table
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        // Writing into memory fails only for rows of unequal length, of which each of our tables
        // has one; its test would find it.
        let written =
            self.writer.write_record(cells.into_iter().map(|cell| inert(cell).into_bytes()));
        debug_assert!(written.is_ok(), "{written:?}");
    }

    /// The text.
    pub fn finish(self) -> String {
        let bytes = self.writer.into_inner().unwrap_or_default();
        String::from_utf8(bytes).unwrap_or_default()
    }
}

/// A number, or empty.
pub fn number(value: Option<f64>) -> String {
    value.filter(|x| x.is_finite()).map_or_else(String::new, |x| x.to_string())
}

/// A whole number, or empty.
pub fn integer(value: Option<u64>) -> String {
    value.map_or_else(String::new, |n| n.to_string())
}
