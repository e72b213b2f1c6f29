//! The quotes of a CSV text. The csv crate takes all that follows a quote which is never closed for one
//! cell, and a quote within a cell for a part of its text: rows would be lost, or text made up.

use thiserror::Error;

/// What is wrong with a quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Problem {
    /// No quote ends the cell.
    #[error(
        "a quote is opened and never closed; a cell in quotes ends with a quote, and a quote within it is \
         written twice"
    )]
    Unclosed,
    /// The cell does not begin with a quote and has one.
    #[error(
        "a quote stands within a cell that is not in quotes; a cell with a quote stands in quotes, and the \
         quote is written twice"
    )]
    Stray,
}

/// How a text writes its cells.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// What stands between two cells.
    pub delimiter: u8,
    /// What begins a line that is passed over.
    pub comment: Option<u8>,
    /// Whether it is a file of a run: no cell goes over several lines, and none has a quote without
    /// being in quotes.
    pub strict: bool,
}

impl Style {
    /// A file of a run.
    pub const RUN: Style = Style { delimiter: b',', comment: None, strict: true };

    /// The first quote that is wrong, with the line, from 1, on which its cell begins.
    pub fn problem(&self, text: &[u8]) -> Option<(u64, Problem)> {
        if !text.contains(&b'"') {
            return None;
        }
        let (mut line, mut cell_begins, mut line_begins, mut opened) = (1, true, true, None);
        let ends_cell = |byte: u8| byte == self.delimiter || byte == b'\n';
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            match (byte, opened) {
                (b'"', Some(_)) if text.get(at + 1) == Some(&b'"') => at += 1,
                (b'"', Some(begin)) => {
                    let mut rest = text.get(at + 1..).unwrap_or_default().iter();
                    let end = rest.find(|byte| {
                        **byte == self.delimiter || !matches!(byte, b' ' | b'\t' | b'\r')
                    });
                    if end.is_some_and(|byte| !ends_cell(*byte)) {
                        return Some((begin, Problem::Unclosed));
                    }
                    opened = None;
                }
                (b'\n', Some(begin)) if self.strict => return Some((begin, Problem::Unclosed)),
                (b'"', None) if cell_begins => opened = Some(line),
                (b'"', None) if self.strict => return Some((line, Problem::Stray)),
                (byte, None) if line_begins && self.comment == Some(byte) => {
                    let rest = text.get(at..).unwrap_or_default();
                    at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                    line += 1;
                }
                (b'\n', _) => line += 1,
                _ => {}
            }
            let here = text.get(at).copied();
            line_begins = here == Some(b'\n');
            cell_begins = here.is_some_and(ends_cell) || (cell_begins && byte == b' ');
            at += 1;
        }
        opened.map(|begin| (begin, Problem::Unclosed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, delimiter: u8, strict: bool) -> Option<(u64, Problem)> {
        Style { delimiter, comment: (!strict).then_some(b'#'), strict }.problem(text.as_bytes())
    }

    #[test]
    fn a_quote_that_is_never_closed_is_named_by_its_line() {
        for open in [
            "time,event,group\n14,1,\"a\"\n33,1,\"a\n165,1,b\n",
            "time,event,group\n14,1,\"a\"\n33,1,\"a\n165,1,\"b\"\n",
            "52.8\n46.1\n\"36.3\n34.0\n",
        ] {
            assert_eq!(of(open, b',', false), Some((3, Problem::Unclosed)), "{open}");
            assert_eq!(of(open, b',', true), Some((3, Problem::Unclosed)), "{open}");
            let tabs = open.replace(',', "\t");
            assert_eq!(of(&tabs, b'\t', false), Some((3, Problem::Unclosed)), "{tabs}");
        }
        for fine in [
            "time,event,group\n14,1,\"a \"\"b\"\"\" \r\n33,1,\"a, b\"\n",
            "# it's\n# \"open\ntime,event,group\n14,1,a\"b\n",
            "\"time\",\"event\"\n14,1",
            "\"over\ntwo lines\",1\n",
        ] {
            assert_eq!(of(fine, b',', false), None, "{fine:?}");
        }
    }

    #[test]
    fn a_file_of_a_run_has_no_stray_quote_and_no_cell_of_two_lines() {
        assert_eq!(of("a,b\n1,x\"y\n", b',', true), Some((2, Problem::Stray)));
        assert_eq!(of("a,b\n\"over\ntwo lines\",1\n", b',', true), Some((2, Problem::Unclosed)));
        assert_eq!(of("a,b\n1,\"x\"\"y, z\"\n", b',', true), None);
    }
}
