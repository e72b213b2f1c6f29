//! Markdown, as forges render it.

use super::{Block, Table};
use crate::neutral::markdown as neutral;

/// The text; figures are links to their SVG files beside it.
pub fn render(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        let part = match block {
            Block::Heading(depth, title) => {
                format!("{} {}\n", "#".repeat(usize::from(*depth)), neutral(title))
            }
            Block::Paragraph(paragraph) => format!("{}\n", neutral(paragraph)),
            Block::List(items) => {
                items.iter().map(|item| format!("- {}\n", neutral(item))).collect()
            }
            Block::Table(table) => rows(table),
            Block::Figure(figure) => {
                format!("![{}]({}.svg)\n", neutral(&figure.caption), figure.name)
            }
            Block::Code(code) => {
                // A fence longer than any in the code.
                let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
                let fence = "`".repeat(longest.max(2) + 1);
                format!("{fence}\n{}\n{fence}\n", code.trim_end())
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
    let line = |cells: &[String]| {
        let cells: Vec<String> =
            cells.iter().map(|cell| neutral(cell).replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let mut text = line(&table.header);
    let rules: Vec<&str> = (0..table.header.len())
        .map(|column| if column < table.texts { "---" } else { "---:" })
        .collect();
    text += &format!("| {} |\n", rules.join(" | "));
    for row in &table.rows {
        text += &line(row);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_in_a_cell_and_a_fence_in_code_do_not_break_out() {
        let table = Table {
            header: vec!["a|b".into(), "n".into()],
            texts: 1,
            rows: vec![vec!["x".into(), "1".into()]],
        };
        let text = render(&[Block::Table(table), Block::Code("```\ninside\n```".into())]);
        assert_eq!(
            text,
            "| a\\|b | n |\n| --- | ---: |\n| x | 1 |\n\n````\n```\ninside\n```\n````\n"
        );
    }
}
