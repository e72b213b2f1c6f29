//! The text of a CSV file, read strictly: each record with the line on which it begins.

use std::io::{self, Read};
use std::path::Path;

use csv::StringRecord;
use records::input;
use records::quotes::Style;

use crate::failure::Failure;
use crate::words::counted;

/// A CSV file, read whole. Every quote in it is closed.
#[derive(Debug)]
pub struct CsvText {
    file: String,
    text: Vec<u8>,
}

/// Whether all records have as many cells as the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lengths {
    Equal,
    Any,
}

/// What begins a line that is passed over.
const COMMENT: u8 = b'#';

impl CsvText {
    /// Reads a file that was named on the command line; `-` is standard input.
    pub fn open(path: &Path) -> Result<CsvText, Failure> {
        if path == Path::new("-") {
            return CsvText::read("standard input".to_owned(), io::stdin().lock());
        }
        let file = path.display().to_string();
        match input::named(path) {
            Ok(text) => CsvText::of(file, text),
            Err(error) => Err(Failure::Request(format!("{file} cannot be read: {error}"))),
        }
    }

    /// Reads text from anywhere; `file` is what the errors call it.
    pub fn read(file: String, source: impl Read) -> Result<CsvText, Failure> {
        match input::bounded(source) {
            Ok(text) => CsvText::of(file, text),
            Err(error) => Err(Failure::Request(format!("{file} cannot be read: {error}"))),
        }
    }

    fn of(file: String, mut text: Vec<u8>) -> Result<CsvText, Failure> {
        if text.starts_with("\u{feff}".as_bytes()) {
            text.drain(.."\u{feff}".len());
        }
        let style = Style { delimiter: b',', comment: Some(COMMENT), strict: false };
        let wrong = style.problem(&text);
        let of = CsvText { file, text };
        match wrong {
            None => Ok(of),
            Some((line, problem)) => Err(of.wrong_line(line, problem)),
        }
    }

    /// What errors call the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The records, with the lines on which they begin. Blank lines and comments are passed over.
    pub fn records(&self, lengths: Lengths) -> Result<Vec<(u64, StringRecord)>, Failure> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(lengths == Lengths::Any)
            .trim(csv::Trim::All)
            .comment(Some(COMMENT))
            .from_reader(self.text.as_slice());
        let line = |at: Option<&csv::Position>| at.map_or(1, |at| line_of(&self.text, at));
        let records = reader.records().map(|record| match record {
            Ok(record) => Ok((line(record.position()), record)),
            Err(error) => {
                let why = match error.kind() {
                    csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                        let cells = counted(*len, "cell");
                        format!("it has {cells} where the header has {expected_len}")
                    }
                    csv::ErrorKind::Utf8 { .. } => "it is not UTF-8 text".to_owned(),
                    _ => error.to_string(),
                };
                Err(self.wrong_line(line(error.position()), why))
            }
        });
        records.collect()
    }

    /// An error about a line: file and line, then the sentence.
    pub fn wrong_line(&self, line: u64, why: impl std::fmt::Display) -> Failure {
        Failure::Request(format!("{}, line {line}: {why}", self.file))
    }
}

/// The line on which a record really begins: the reader's position is before the blank lines and the
/// comments that it passes over.
fn line_of(text: &[u8], at: &csv::Position) -> u64 {
    let rest = usize::try_from(at.byte()).ok().and_then(|byte| text.get(byte..)).unwrap_or(&[]);
    let passed_over = |line: &&[u8]| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.is_empty() || line == b"\r" || line.first() == Some(&COMMENT)
    };
    at.line() + rest.split_inclusive(|byte| *byte == b'\n').take_while(passed_over).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let error = CsvText::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains("it is a folder, and a file of text is needed"), "{error}");
    }

    #[test]
    fn a_quote_that_is_never_closed_is_named_by_its_line() {
        let text = "time,event,group\n14,1,\"a\"\n33,1,\"a\n165,1,b\n";
        let error = CsvText::read("times.csv".into(), text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("times.csv, line 3: a quote is opened"), "{error}");
    }

    #[test]
    fn a_line_that_is_no_text_is_named() {
        let text = CsvText::read("times.csv".into(), &b"time\n\n1\n\xff\n"[..]).unwrap();
        let error = text.records(Lengths::Any).unwrap_err().to_string();
        assert_eq!(error, "times.csv, line 4: it is not UTF-8 text");
    }
}
