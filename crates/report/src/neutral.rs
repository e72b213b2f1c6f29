//! Text of others (a title, a program's last words, a check's name, a folder) made neutral where it is
//! shown: it moves no terminal's cursor and is no markup.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Whether a terminal acts on a character instead of showing it: control characters, and those that turn
/// the direction of what follows.
fn acts(c: char) -> bool {
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && c != '\n' && c != '\t')
}

/// A text for a terminal or a file: a character on which a terminal acts is shown by its number, as JSON
/// writes it.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut neutral = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match acts(c) {
            // Into a String: this can't fail.
            true => drop(write!(neutral, "\\u{:04x}", u32::from(c))),
            false => neutral.push(c),
        }
    }
    Cow::Owned(neutral)
}

/// A line of Markdown in which only `code` is markup: no HTML, link or image begins in it.
pub fn markdown(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    // A run of several backticks is paired otherwise than single ones.
    let has_runs = text.contains("``");
    let parts: Vec<&str> = text.split('`').collect();
    let last = parts.len() - 1;
    let is_code = |at: usize| !has_runs && at % 2 == 1 && at < last;
    let neutral = |(at, part): (usize, &&str)| match is_code(at) {
        true => part.to_string(),
        false => outside_code(part),
    };
    parts.iter().enumerate().map(neutral).collect::<Vec<_>>().join("`")
}

fn outside_code(text: &str) -> String {
    let mut neutral = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let begins_a_tag =
            c == '<' && rest.peek().is_some_and(|c| c.is_ascii_alphabetic() || "/!?".contains(*c));
        let links = c == ']' && matches!(rest.peek(), Some('(' | '['));
        if begins_a_tag || links {
            neutral.push('\\');
        }
        neutral.push(c);
    }
    neutral
}

/// Writes text as [`plain`] has it.
#[derive(Debug)]
pub struct Neutral<W>(pub W);

impl<W: Write> Write for Neutral<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for chunk in bytes.utf8_chunks() {
            self.0.write_all(plain(chunk.valid()).as_bytes())?;
            self.0.write_all(chunk.invalid())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_on_is_shown_by_its_number() {
        assert_eq!(
            plain("\u{1b}[31m\0\r\u{9b}x\u{202e}\t\n"),
            "\\u001b[31m\\u0000\\u000d\\u009bx\\u202e\t\n"
        );
        assert!(matches!(plain("größer `µ`\n"), Cow::Borrowed(_)));
        let mut out = Neutral(Vec::new());
        out.write_all("a\u{1b}]0;x\u{7}é".as_bytes()).unwrap();
        assert_eq!(String::from_utf8(out.0).unwrap(), "a\\u001b]0;x\\u0007é");
    }

    #[test]
    fn json_stays_json() {
        let text = serde_json::to_string("\u{1b} \u{9b} \u{202e}").unwrap();
        let read: String = serde_json::from_str(&plain(&text)).unwrap();
        assert_eq!(read, "\u{1b} \u{9b} \u{202e}");
    }

    #[test]
    fn no_markup_but_code_begins_in_markdown() {
        for (text, neutral) in [
            ("<script>alert(1)</script>", "\\<script>alert(1)\\</script>"),
            ("`a<b>` is <b>", "`a<b>` is \\<b>"),
            ("p < 0.05, 1<2", "p < 0.05, 1<2"),
            ("one ` alone <i>", "one ` alone \\<i>"),
            ("``` ` <img> `", "``` ` \\<img> `"),
            ("![x](http://y)", "![x\\](http://y)"),
            ("a\n# b", "a # b"),
        ] {
            assert_eq!(markdown(text), neutral, "{text}");
        }
    }
}
