//! Plain text of at most 78 columns, for a mailing list. Figures are left out.

use super::plain_table;
use super::plain_text::{folded_command, padded, width, wrapped};
use super::{Block, Table};

/// The columns of a mail.
pub const WIDTH: usize = 78;

/// The text.
pub fn render(blocks: &[Block]) -> String {
    let mut text = String::new();
    for (at, block) in blocks.iter().enumerate() {
        let part = match block {
            Block::Heading(..) if heads_figures_alone(&blocks[at + 1..]) => continue,
            Block::Heading(1, title) => {
                let lines = wrapped(title, WIDTH);
                let longest = lines.iter().map(|line| width(line)).max().unwrap_or(0);
                format!("{}\n{}\n", lines.join("\n"), "=".repeat(longest))
            }
            Block::Heading(_, title) => {
                let lines = wrapped(title, WIDTH);
                let longest = lines.iter().map(|line| width(line)).max().unwrap_or(0);
                format!("{}\n{}\n", lines.join("\n"), "-".repeat(longest))
            }
            Block::Paragraph(paragraph) => wrapped(paragraph, WIDTH).join("\n") + "\n",
            Block::List(items) => items
                .iter()
                .map(|item| format!("- {}\n", wrapped(item, WIDTH - 2).join("\n  ")))
                .collect(),
            Block::Table(table) => rows(table),
            Block::Figure(_) => continue,
            Block::Code(code) => {
                code.trim_end().lines().map(|line| folded_command(line, WIDTH)).collect()
            }
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text += &part;
    }
    text
}

/// Whether what follows a heading is figures, and then another heading or nothing.
fn heads_figures_alone(after: &[Block]) -> bool {
    let others = after.iter().position(|block| !matches!(block, Block::Figure(_)));
    let next = others.map(|at| &after[at]);
    others != Some(0) && matches!(next, None | Some(Block::Heading(..))) && !after.is_empty()
}

fn rows(table: &Table) -> String {
    // Two columns of which the last is prose: its lines are broken beside the first.
    if table.texts == 2 && table.header.len() == 2 {
        let names = table.rows.iter().filter_map(|row| row.first());
        let first = names.map(|name| width(name)).max().unwrap_or(0).min(24);
        let lines = table.rows.iter().map(|row| {
            let name = wrapped(row.first().map_or("", String::as_str), first);
            let prose = wrapped(row.get(1).map_or("", String::as_str), WIDTH - first - 4);
            let line = |at: usize| {
                let part = |of: &[String]| of.get(at).cloned().unwrap_or_default();
                format!("  {}  {}", padded(&part(&name), first, true), part(&prose))
            };
            let lines = (0..name.len().max(prose.len())).map(line);
            lines.map(|line| line.trim_end().to_string() + "\n").collect::<String>()
        });
        return lines.collect();
    }
    plain_table::render(table, WIDTH)
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

    #[test]
    fn a_heading_of_figures_alone_is_left_out_with_them() {
        let heading = |title: &str| Block::Heading(2, title.into());
        let figure = || {
            Block::Figure(crate::figure::Drawn {
                name: "stalls".into(),
                caption: "stalls".into(),
                svg: String::new(),
            })
        };
        let said = || Block::Paragraph("said".into());
        let text = render(&[heading("Figures"), figure(), figure(), heading("Stalls"), said()]);
        assert_eq!(text, "Stalls\n------\n\nsaid\n");
        assert_eq!(render(&[heading("Figures"), figure()]), "");
        assert_eq!(render(&[heading("A"), figure(), said()]), "A\n-\n\nsaid\n");
        assert_eq!(render(&[heading("A"), heading("B")]), "A\n-\n\nB\n-\n");
    }
}
