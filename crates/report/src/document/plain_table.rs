//! A table as plain text of a width that it never exceeds, whatever its cells hold.
//!
//! Columns are as wide as their cells. If that is too wide, heads are broken over lines, then cells, the
//! widest first, numbers at their spaces only; if even that does not fit, every row is a list of
//! its fields.

use super::Table;
use super::plain_text::{padded, unbroken, width, wrapped};

const GAP: usize = 2;

/// A text column is not made narrower than this by breaking it.
const LEAST_TEXT: usize = 9;

/// The lines of a table, each indented by two.
pub fn render(table: &Table, most: usize) -> String {
    match widths(table, most) {
        Some(widths) => in_columns(table, &widths),
        None => in_fields(table, most),
    }
}

/// Whether a table fits with no cell broken.
pub fn fits_whole(table: &Table, most: usize) -> bool {
    let widest = |at: usize| {
        let rows = std::iter::once(&table.header).chain(&table.rows);
        rows.filter_map(|row| row.get(at)).map(|cell| width(cell)).max().unwrap_or(0)
    };
    (0..table.header.len()).map(|at| GAP + widest(at)).sum::<usize>() <= most
}

/// The widest word of a text.
fn widest_word(text: &str) -> usize {
    unbroken(text).iter().map(|word| width(word)).max().unwrap_or(0)
}

/// A width a column, if they fit.
fn widths(table: &Table, most: usize) -> Option<Vec<usize>> {
    let columns = table.header.len();
    let cells = |at: usize| table.rows.iter().filter_map(move |row| row.get(at));
    let widest = |at: usize| cells(at).map(|cell| width(cell)).max().unwrap_or(0);
    let mut widths: Vec<usize> =
        (0..columns).map(|at| widest(at).max(width(&table.header[at]))).collect();
    let total = |widths: &[usize]| widths.iter().sum::<usize>() + GAP * columns;
    // Each round may narrow more: heads; then texts and, at their spaces, numbers; then texts whose
    // heads have to be broken too.
    let head = |at: usize| widest_word(&table.header[at]);
    let words = |at: usize| cells(at).map(|cell| widest_word(cell)).max().unwrap_or(0);
    let least_text = |at: usize| widest(at).max(head(at)).min(LEAST_TEXT);
    let narrowest: [&dyn Fn(usize) -> usize; 3] = [
        &|at| widest(at).max(head(at)),
        &|at| if at < table.texts { least_text(at).max(head(at)) } else { words(at).max(head(at)) },
        &|at| if at < table.texts { least_text(at) } else { words(at).max(head(at)) },
    ];
    for least in narrowest {
        while total(&widths) > most {
            let widest_open =
                (0..columns).filter(|at| widths[*at] > least(*at)).max_by_key(|at| widths[*at]);
            match widest_open {
                Some(at) => widths[at] -= 1,
                None => break,
            }
        }
    }
    (total(&widths) <= most).then_some(widths)
}

fn in_columns(table: &Table, widths: &[usize]) -> String {
    let lines_of = |row: &[String]| -> Vec<Vec<String>> {
        row.iter().zip(widths).map(|(cell, width)| wrapped(cell, *width)).collect()
    };
    let mut text = String::new();
    let mut put = |cells: &[Vec<String>], from_below: bool| {
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..height {
            let mut whole = String::new();
            for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
                let at =
                    if from_below { (line + cell.len()).checked_sub(height) } else { Some(line) };
                let part = at.and_then(|at| cell.get(at)).map_or("", String::as_str);
                whole += &" ".repeat(GAP);
                whole += &padded(part, *width, column < table.texts);
            }
            text += whole.trim_end();
            text.push('\n');
        }
    };
    // A broken head stands on its column.
    put(&lines_of(&table.header), true);
    for row in &table.rows {
        put(&lines_of(row), false);
    }
    text
}

/// Each row as a list of its fields that are not empty.
fn in_fields(table: &Table, most: usize) -> String {
    let mut text = String::new();
    for row in &table.rows {
        let fields = table.header.iter().zip(row).filter(|(_, cell)| !cell.is_empty());
        let fields: Vec<String> = fields.map(|(head, cell)| format!("{head}: {cell}")).collect();
        let lines = wrapped(&fields.join("; "), most.saturating_sub(4));
        text += &format!("  - {}\n", lines.join("\n    "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(header: &[&str], texts: usize, rows: &[&[&str]]) -> Table {
        let owned = |cells: &[&str]| cells.iter().map(|cell| cell.to_string()).collect();
        Table { header: owned(header), texts, rows: rows.iter().map(|row| owned(row)).collect() }
    }

    fn fits(text: &str) {
        assert!(text.lines().all(|line| width(line) <= 78), "{text}");
    }

    #[test]
    fn what_fits_is_aligned() {
        let text = render(&table(&["hash", "n"], 1, &[&["auto", "10"], &["slots:512", "9"]]), 78);
        assert_eq!(text, "  hash        n\n  auto       10\n  slots:512   9\n");
    }

    #[test]
    fn long_heads_and_texts_are_broken_and_numbers_stay_whole() {
        let label = "machine=a-very-long-name-of-a-machine-in-a-rack;patch=v2-of-the-series";
        let text = render(
            &table(
                &["labels", "threads", "stalled", "difference (Newcombe 95 %)"],
                1,
                &[&[label, "96", "8 of 10", "0.8 (0.43 to 0.94)"], &["b", "8", "0 of 10", "0"]],
            ),
            78,
        );
        fits(&text);
        assert!(text.contains("0.8 (0.43 to 0.94)"), "{text}");
        assert!(text.contains("  b  "), "{text}");
    }

    #[test]
    fn wide_characters_count_as_they_are_shown() {
        let name = "机器".repeat(20);
        let text = render(&table(&["machine", "n"], 1, &[&[name.as_str(), "1"], &["b", "2"]]), 78);
        fits(&text);
        assert!(text.contains('1') && text.lines().count() >= 3, "{text}");
    }

    #[test]
    fn too_many_columns_become_fields_and_nothing_is_lost() {
        let header: Vec<String> = (0..30).map(|n| format!("factor-{n}")).collect();
        let row: Vec<String> =
            (0..30).map(|n| format!("value-{n}-{}", "x".repeat(n * 5))).collect();
        let text = render(&Table { header, texts: 30, rows: vec![row] }, 78);
        fits(&text);
        let kept: String = text.split_whitespace().collect();
        assert!(kept.contains(&"x".repeat(48)), "{text}");
        assert_eq!(text.matches("value-").count(), 30, "{text}");
    }

    #[test]
    fn no_row_and_no_column_are_no_text_of_their_own() {
        assert_eq!(render(&table(&["a"], 1, &[]), 78), "  a\n");
        assert_eq!(render(&Table::default(), 78), "");
    }
}
