//! Plain text of at most 78 columns, for a mailing list. Figures are left out.

use super::{Block, Table};

const WIDTH: usize = 78;

/// The text.
pub fn render(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        let part = match block {
            Block::Heading(1, title) => {
                let lines = wrapped(title, WIDTH);
                let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
                format!("{}\n{}\n", lines.join("\n"), "=".repeat(longest))
            }
            Block::Heading(_, title) => {
                format!("{title}\n{}\n", "-".repeat(title.chars().count().min(WIDTH)))
            }
            Block::Paragraph(paragraph) => wrapped(paragraph, WIDTH).join("\n") + "\n",
            Block::List(items) => items
                .iter()
                .map(|item| format!("- {}\n", wrapped(item, WIDTH - 2).join("\n  ")))
                .collect(),
            Block::Table(table) => rows(table),
            Block::Figure(_) => continue,
            Block::Code(code) => {
                code.trim_end().lines().map(|line| format!("  {line}\n")).collect()
            }
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text += &part;
    }
    text
}

fn rows(table: &Table) -> String {
    let all = || std::iter::once(&table.header).chain(&table.rows);
    let widths: Vec<usize> = (0..table.header.len())
        .map(|column| {
            all()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    // Two columns of which the last is prose: its lines are broken beside the first.
    if table.texts == 2 && table.header.len() == 2 {
        let first = widths[0].min(24);
        let lines = table.rows.iter().map(|row| {
            let second = wrapped(&row[1], WIDTH - first - 4);
            let gap = format!("\n{}", " ".repeat(first + 4));
            format!("  {:<first$}  {}\n", row[0], second.join(&gap))
        });
        return lines.collect();
    }
    let line = |row: &Vec<String>| {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let gap = "  ";
            line += &match column < table.texts {
                true => format!("{gap}{cell:<width$}"),
                false => format!("{gap}{cell:>width$}"),
            };
        }
        line.trim_end().to_string() + "\n"
    };
    all().map(line).collect()
}

/// Breaks a text at its spaces into lines of at most `width` characters; a longer word, such as a
/// path, has a line of its own.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_broken_and_tables_are_aligned() {
        let table = Table {
            header: vec!["hash".into(), "n".into()],
            texts: 1,
            rows: vec![vec!["auto".into(), "10".into()], vec!["slots:512".into(), "9".into()]],
        };
        let text = render(&[Block::Paragraph("word ".repeat(40)), Block::Table(table)]);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert!(text.ends_with("  hash        n\n  auto       10\n  slots:512   9\n"), "{text}");
    }
}
