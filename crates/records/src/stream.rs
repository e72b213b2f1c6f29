//! Reads a file of a run a row at a time, for files that may be larger than memory. Header, cells and
//! a torn last line are judged as in [`crate::table`].

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::RecordError;
use crate::quotes::Problem;
use crate::table::check_header;
use crate::torn::{Torn, open_if_there};
use model::column::{Column, Kind, header};

/// The rows of a file, read from its begin to its end.
#[derive(Debug)]
pub struct Rows {
    file: PathBuf,
    columns: &'static [Column],
    reader: csv::Reader<io::Take<BufReader<File>>>,
    row: csv::ByteRecord,
    torn: Option<Torn>,
    read: u64,
}

impl Rows {
    /// Opens a file whose header must be `columns`, in this order; `None` where there is no file. A
    /// last line that is torn is set aside. What is appended from here on is not read.
    pub fn open(file: &Path, columns: &'static [Column]) -> Result<Option<Rows>, RecordError> {
        let Some(mut rows) = Rows::open_at(file, columns, 0)? else { return Ok(None) };
        let failed = |error: csv::Error| RecordError::Row {
            file: file.to_path_buf(),
            line: 1,
            problem: error.to_string(),
        };
        if !rows.reader.read_byte_record(&mut rows.row).map_err(failed)? {
            let torn = if rows.torn.is_some() { "the header is torn" } else { "the file is empty" };
            return Err(RecordError::Header {
                file: file.to_path_buf(),
                problem: torn.to_string(),
                expected: header(columns),
            });
        }
        let found = csv::StringRecord::from_byte_record_lossy(rows.row.clone());
        check_header(file, &found, columns)?;
        Ok(Some(rows))
    }

    /// Opens a file at a row that begins at this byte. Lines are counted from there.
    pub(crate) fn open_at(
        file: &Path,
        columns: &'static [Column],
        offset: u64,
    ) -> Result<Option<Rows>, RecordError> {
        let failed = RecordError::reading(file);
        let Some(opened) = open_if_there(file).map_err(&failed)? else { return Ok(None) };
        let (mut opened, whole, tail) = whole_lines(opened).map_err(&failed)?;
        opened.seek(SeekFrom::Start(offset)).map_err(failed)?;
        let bytes = whole.saturating_sub(offset);
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(1 << 18)
            .from_reader(BufReader::new(opened).take(bytes));
        // The torn line's number is known when all before it are read.
        let torn = (!tail.is_empty()).then_some(Torn { line: 0, text: tail });
        let file = file.to_path_buf();
        Ok(Some(Rows { file, columns, reader, row: csv::ByteRecord::new(), torn, read: 0 }))
    }

    /// Reads the next row and checks how many cells it has; false at the end.
    pub fn read(&mut self) -> Result<bool, RecordError> {
        match self.reader.read_byte_record(&mut self.row) {
            Ok(false) => return Ok(false),
            Ok(true) => self.read += 1,
            Err(error) => {
                let line = line(self.reader.position().line());
                let problem = error.to_string();
                return Err(RecordError::Row { file: self.file.clone(), line, problem });
            }
        }
        // A quote that is opened and never closed takes the lines below it into its cell.
        if self.row.iter().any(|cell| cell.contains(&b'\n')) {
            return Err(self.bad(Problem::Unclosed.to_string()));
        }
        if self.row.len() == self.columns.len() {
            return Ok(true);
        }
        Err(self.bad(crate::table::wrong_count(self.row.len(), self.columns.len())))
    }

    /// How many rows were read.
    pub fn count(&self) -> u64 {
        self.read
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The last line, if it was torn; its number is right once all rows are read.
    pub fn torn(&self) -> Option<Torn> {
        let line = line(self.reader.position().line());
        self.torn.clone().map(|torn| Torn { line, ..torn })
    }

    /// The line of the row that was read, from 1.
    pub fn line(&self) -> u64 {
        self.row.position().map_or(0, csv::Position::line)
    }

    /// The byte at which it begins.
    pub fn offset(&self) -> u64 {
        self.row.position().map_or(0, csv::Position::byte)
    }

    /// An error at the row that was read.
    pub fn bad(&self, problem: String) -> RecordError {
        RecordError::Row { file: self.file.clone(), line: line(self.line()), problem }
    }

    /// A cell's bytes.
    pub fn cell(&self, at: usize) -> &[u8] {
        self.row.get(at).unwrap_or_default()
    }

    /// A whole number; `None` where the cell is empty and may be.
    pub fn integer(&self, at: usize) -> Result<Option<u64>, RecordError> {
        self.value(at, |_, _| true)
    }

    /// A finite number; `None` where the cell is empty and may be.
    pub fn number(&self, at: usize) -> Result<Option<f64>, RecordError> {
        self.value(at, |kind, value| kind.holds(*value))
    }

    /// The value of a cell that is never empty.
    pub fn needed<T>(&self, at: usize, value: Option<T>) -> Result<T, RecordError> {
        value.ok_or_else(|| {
            self.bad(format!("{} is empty: every row has one", self.columns[at].name))
        })
    }

    fn value<T: std::str::FromStr>(
        &self,
        at: usize,
        good: impl Fn(Kind, &T) -> bool,
    ) -> Result<Option<T>, RecordError> {
        let column = &self.columns[at];
        let cell = String::from_utf8_lossy(self.cell(at));
        if cell.is_empty() && column.may_be_empty {
            return Ok(None);
        }
        match cell.parse().ok().filter(|value| good(column.kind, value)) {
            Some(value) => Ok(Some(value)),
            None => Err(self.bad(column.problem(&cell).unwrap_or_default())),
        }
    }
}

fn line(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The file, how many bytes of it are whole lines, and what stands after those.
fn whole_lines(mut file: File) -> io::Result<(File, u64, String)> {
    const STEP: u64 = 1 << 16;
    let length = file.seek(SeekFrom::End(0))?;
    let mut end = length;
    let mut whole = 0;
    let mut bytes = Vec::new();
    while end > 0 {
        let begin = end.saturating_sub(STEP);
        file.seek(SeekFrom::Start(begin))?;
        bytes.clear();
        (&mut file).take(end - begin).read_to_end(&mut bytes)?;
        if let Some(at) = bytes.iter().rposition(|byte| *byte == b'\n') {
            whole = begin + at as u64 + 1;
            break;
        }
        end = begin;
    }
    file.seek(SeekFrom::Start(whole))?;
    bytes.clear();
    // As much of it as a sentence can quote.
    (&mut file).take((length - whole).min(STEP)).read_to_end(&mut bytes)?;
    let tail = String::from_utf8_lossy(&bytes).into_owned();
    Ok((file, whole, tail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::columns::METRICS;

    #[test]
    fn rows_come_one_by_one_with_their_lines() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("metrics.csv");
        assert!(Rows::open(&file, &METRICS).unwrap().is_none());
        let text = "trial,metric,value,unit\n1,\"a,\"\"b\",0.5,s\n2,c,x,\n3,d";
        std::fs::write(&file, text).unwrap();
        let mut rows = Rows::open(&file, &METRICS).unwrap().unwrap();
        assert!(rows.read().unwrap());
        assert_eq!((rows.line(), rows.integer(0).unwrap()), (2, Some(1)));
        assert_eq!((rows.cell(1), rows.number(2).unwrap()), (&b"a,\"b"[..], Some(0.5)));
        assert!(rows.read().unwrap());
        let error = rows.number(2).unwrap_err().to_string();
        assert!(error.ends_with("line 3: value is \"x\": accepted is a finite number"));
        assert!(!rows.read().unwrap());
        assert_eq!((rows.count(), rows.torn().map(|torn| torn.line)), (2, Some(4)));
    }
}
