//! What a crash tears off a file: its last line, or its header.
//!
//! Rows are appended and synced one write at a time, so this is the only damage that a crash does.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use model::column::{Column, header};
use serde::Serialize;

use crate::RecordError;

/// A last line without its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Torn {
    /// The line's number, from 1.
    pub line: usize,
    /// What is left of the line.
    pub text: String,
}

impl Torn {
    /// The last line of a file whose text does not end with a newline; `None` where it does, or
    /// where there is no file.
    pub fn in_file(file: &Path) -> Result<Option<Torn>, RecordError> {
        let failed = RecordError::reading(file);
        let Some(mut opened) = open_if_there(file).map_err(&failed)? else { return Ok(None) };
        let mut last = [b'\n'];
        if opened.seek(SeekFrom::End(-1)).is_ok() {
            opened.read_exact(&mut last).map_err(&failed)?;
        }
        if last == [b'\n'] {
            return Ok(None);
        }
        let bytes = std::fs::read(file).map_err(&failed)?;
        let whole = whole_lines(&bytes);
        let line = 1 + bytes[..whole].iter().filter(|byte| **byte == b'\n').count();
        Ok(Some(Torn { line, text: String::from_utf8_lossy(&bytes[whole..]).into_owned() }))
    }

    /// The trial of a line of a file whose first column is the trial, if the tear left it whole.
    pub fn trial(&self) -> Option<u64> {
        self.text.split_once(',').and_then(|(trial, _)| trial.parse().ok())
    }
}

/// How many bytes are whole lines.
pub(crate) fn whole_lines(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
}

/// A file that has no whole header and nothing else: the crash came between its making and its first row,
/// or a copy of it did not come through. It is whole but for its header, and so no reason to refuse a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Headless {
    /// The file has no byte.
    Empty,
    /// The file has this part of its header, without the line's end.
    Torn(String),
}

impl Headless {
    /// Whether a file is headless; `None` where it has a line, or text that its header does not begin
    /// with, or where there is no file.
    pub fn of(file: &Path, columns: &[Column]) -> Result<Option<Headless>, RecordError> {
        let failed = RecordError::reading(file);
        let Some(opened) = open_if_there(file).map_err(&failed)? else { return Ok(None) };
        let mut found = Vec::new();
        let most = header(columns).len() as u64 + 1;
        opened.take(most).read_to_end(&mut found).map_err(&failed)?;
        Ok(Headless::in_bytes(&found, columns))
    }

    /// As [`of`](Self::of), from a file's bytes.
    pub(crate) fn in_bytes(bytes: &[u8], columns: &[Column]) -> Option<Headless> {
        match header(columns).as_bytes().starts_with(bytes) {
            false => None,
            true if bytes.is_empty() => Some(Headless::Empty),
            true => Some(Headless::Torn(String::from_utf8_lossy(bytes).into_owned())),
        }
    }
}

/// What a resumption took out of a file and no trial brings back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// A torn last line of a finished trial, or of one whose number was torn.
    Line {
        /// The file's name.
        file: String,
        /// The line that was taken out.
        line: Torn,
    },
    /// A header that was put back.
    Header {
        /// The file's name.
        file: String,
        /// What stood there instead.
        found: Headless,
        /// Trials that were finished, at least 1: the file may have held rows of them.
        finished: usize,
    },
}

/// Opens a file; `None` if it does not exist.
pub(crate) fn open_if_there(file: &Path) -> io::Result<Option<File>> {
    match crate::input::regular(file) {
        Ok(opened) => Ok(Some(opened)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Table;
    use model::columns::TIMELINE;

    #[test]
    fn a_torn_line_is_found_in_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("metrics.csv");
        assert_eq!(Torn::in_file(&file).unwrap(), None);
        for (text, torn) in [
            ("", None),
            ("a\nb\n", None),
            ("a\nb\nc,", Some(Torn { line: 3, text: "c,".into() })),
            ("a", Some(Torn { line: 1, text: "a".into() })),
        ] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(Torn::in_file(&file).unwrap(), torn, "{text:?}");
        }
    }

    #[test]
    fn a_file_is_headless_where_its_header_is_not_whole_and_nothing_else_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("timeline.csv");
        assert_eq!(Headless::of(&file, &TIMELINE).unwrap(), None, "there is no file");
        let header = header(&TIMELINE);
        for (text, found) in [
            (String::new(), Some(Headless::Empty)),
            ("trial,t_".into(), Some(Headless::Torn("trial,t_".into()))),
            (header.clone(), Some(Headless::Torn(header.clone()))),
            (format!("{header}\n"), None),
            ("1,0.1,2".into(), None),
            ("trial,t_s\n".into(), None),
            (format!("{header},more"), None),
        ] {
            std::fs::write(&file, &text).unwrap();
            assert_eq!(Headless::of(&file, &TIMELINE).unwrap(), found, "{text:?}");
            if found.is_some() {
                assert!(Table::read_begun(&file, &TIMELINE).unwrap().is_none());
            }
        }
        assert!(Table::read_begun(&file, &TIMELINE).is_err(), "another header is an error");
    }
}
