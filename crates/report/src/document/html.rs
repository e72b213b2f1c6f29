//! One HTML file with everything in it: no script, no font and no picture from elsewhere.

use super::{Block, Table};

const STYLE: &str = "
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 54rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.2rem; margin-top: 2rem; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap; }
th { border-bottom: 2px solid #888; } .text { text-align: left; white-space: normal; }
code, pre { font: .875em/1.45 ui-monospace, monospace; background: #f4f4f4; border-radius: 3px; }
code { padding: .1em .3em; } pre { padding: .75rem; overflow-x: auto; }
figure { margin: 1.5rem 0; } figure svg { max-width: 100%; height: auto; } figcaption { color: #555; font-size: .875rem; }
";

/// The file's text.
pub fn render(title: &str, blocks: &[Block]) -> String {
    let mut body = String::new();
    for block in blocks {
        body += &match block {
            Block::Heading(depth, text) => {
                let depth = (*depth).clamp(1, 6);
                format!("<h{depth}>{}</h{depth}>\n", inline(text))
            }
            Block::Paragraph(text) => format!("<p>{}</p>\n", inline(text)),
            Block::List(items) => {
                let items: String =
                    items.iter().map(|item| format!("<li>{}</li>\n", inline(item))).collect();
                format!("<ul>\n{items}</ul>\n")
            }
            Block::Table(table) => rows(table),
            Block::Figure(figure) => format!(
                "<figure role=\"img\" aria-label=\"{}\">\n{}\n<figcaption>{}</figcaption>\n</figure>\n",
                escaped(&figure.caption),
                scalable(&figure.svg),
                inline(&figure.caption)
            ),
            Block::Code(code) => format!("<pre>{}</pre>\n", escaped(code.trim_end())),
        };
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta \
         name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escaped(title)
    )
}

fn rows(table: &Table) -> String {
    let line = |cells: &[String], tag: &str| {
        let cells: String = cells
            .iter()
            .enumerate()
            .map(|(column, cell)| {
                let class = if column < table.texts { " class=\"text\"" } else { "" };
                format!("<{tag}{class}>{}</{tag}>", inline(cell))
            })
            .collect();
        format!("<tr>{cells}</tr>\n")
    };
    let body: String = table.rows.iter().map(|row| line(row, "td")).collect();
    format!(
        "<div class=\"wide\"><table>\n<thead>{}</thead>\n<tbody>\n{body}</tbody>\n</table></div>\n",
        line(&table.header, "th")
    )
}

/// The drawing without what only a file of its own has.
fn scalable(svg: &str) -> &str {
    svg.find("<svg").map_or(svg, |at| &svg[at..])
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A text with its `code`; a backtick without a partner stays one.
fn inline(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let last = parts.len() - 1;
    let mut html = String::new();
    for (at, part) in parts.iter().enumerate() {
        match at % 2 {
            0 => html += &escaped(part),
            _ if at < last => html += &format!("<code>{}</code>", escaped(part)),
            _ => html += &format!("`{}", escaped(part)),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_code_is_marked() {
        assert_eq!(inline("`a<b` & c"), "<code>a&lt;b</code> &amp; c");
        assert_eq!(inline("one ` alone"), "one ` alone");
        assert_eq!(inline(""), "");
    }

    #[test]
    fn nothing_comes_from_elsewhere() {
        let html = render("t", &[Block::Heading(1, "<script>".into())]);
        assert!(html.contains("<h1>&lt;script&gt;</h1>"));
        assert!(!html.contains("src=") && !html.contains("href="));
    }
}
