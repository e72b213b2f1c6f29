//! Aligned text tables.

/// A table in the making: a header, then rows. The first column is aligned left, the others right,
/// unless [`Table::left`] says more.
#[derive(Debug, Clone, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
    more_left: usize,
}

impl Table {
    /// A table with these column heads.
    pub fn new(header: &[&str]) -> Self {
        let rows = vec![header.iter().map(|&cell| cell.to_owned()).collect()];
        Table { rows, more_left: 0 }
    }

    /// Aligns the first `columns` columns left: those that hold names.
    pub fn left(mut self, columns: usize) -> Self {
        self.more_left = columns.saturating_sub(1);
        self
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The lines, each ended by a line feed, indented by two spaces.
    pub fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|i| {
                let width = |row: &Vec<String>| row.get(i).map_or(0, |cell| cell.chars().count());
                self.rows.iter().map(width).max().unwrap_or(0)
            })
            .collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::from(" ");
            for (i, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                line += &match i {
                    0 => format!(" {cell:<width$}"),
                    i if i <= self.more_left => format!("  {cell:<width$}"),
                    _ => format!("  {cell:>width$}"),
                };
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_have_no_trailing_space() {
        let mut table = Table::new(&["method", "low", "high"]);
        table.row(["wilson".into(), "0.490162".into(), "0.94".into()]);
        table.row(["a".into(), "-".into(), String::new()]);
        assert_eq!(
            table.render(),
            "  method       low  high\n  wilson  0.490162  0.94\n  a              -\n"
        );
    }
}
