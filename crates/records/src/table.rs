//! Reads a file of a run: checks its header and every cell, and keeps what a crash left whole.
//!
//! Rows are appended and synced one at a time, so the only damage that a crash can do is a last
//! line that is torn. Such a line is set aside and named; anything else that is not a row is an
//! error, because a row that is silently passed over is a biased sample.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use model::column::{Column, header};
use serde::Serialize;

use crate::RecordError;
use crate::quotes::Style;
use crate::torn::{Headless, Torn, whole_lines};

/// A checked file: the rows as text, and the torn last line if there is one.
#[derive(Debug, Clone)]
pub struct Table {
    /// The file.
    pub file: PathBuf,
    /// Header and whole rows, each ended by a newline.
    pub text: String,
    /// How many rows.
    pub rows: usize,
    /// The last line, if it was torn.
    pub torn: Option<Torn>,
}

impl Table {
    /// Reads and checks a file whose header must be `columns`, in this order.
    pub fn read(file: &Path, columns: &[Column]) -> Result<Table, RecordError> {
        let mut bytes = Vec::new();
        let opened = crate::input::regular(file);
        opened
            .and_then(|mut opened| opened.read_to_end(&mut bytes))
            .map_err(RecordError::reading(file))?;
        Table::parse(file, bytes, columns)
    }

    /// As [`read`](Self::read); `None` where there is no file, or one that is [`Headless`].
    pub fn read_begun(file: &Path, columns: &[Column]) -> Result<Option<Table>, RecordError> {
        if !file.exists() || Headless::of(file, columns)?.is_some() {
            return Ok(None);
        }
        Table::read(file, columns).map(Some)
    }

    /// Checks what stands in a file; `file` is for the messages.
    pub fn parse(
        file: &Path,
        mut bytes: Vec<u8>,
        columns: &[Column],
    ) -> Result<Table, RecordError> {
        // A torn write may end inside a character: the tail is judged before the text.
        let whole = whole_lines(&bytes);
        let tail = String::from_utf8_lossy(&bytes[whole..]).into_owned();
        bytes.truncate(whole);
        let text = String::from_utf8(bytes).map_err(|error| RecordError::Row {
            file: file.to_path_buf(),
            line: 1 + error.as_bytes()[..error.utf8_error().valid_up_to()]
                .iter()
                .filter(|byte| **byte == b'\n')
                .count(),
            problem: "there are bytes that are not UTF-8".to_string(),
        })?;
        if let Some((line, problem)) = Style::RUN.problem(text.as_bytes()) {
            return Err(RecordError::Row {
                file: file.to_path_buf(),
                line: usize::try_from(line).unwrap_or(usize::MAX),
                problem: problem.to_string(),
            });
        }

        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let mut record = csv::StringRecord::new();
        let mut rows = 0;
        let mut last_line = 0;
        let row_error = |line: usize, problem: String| RecordError::Row {
            file: file.to_path_buf(),
            line,
            problem,
        };
        loop {
            match reader.read_record(&mut record) {
                Ok(false) => break,
                Ok(true) => {}
                Err(error) => return Err(row_error(last_line + 1, error.to_string())),
            }
            let line = record.position().map_or(last_line + 1, |at| at.line() as usize);
            if last_line == 0 {
                check_header(file, &record, columns)?;
            } else {
                if let Some(problem) = row_problem(&record, columns) {
                    return Err(row_error(line, problem));
                }
                rows += 1;
            }
            last_line = line;
        }
        if last_line == 0 {
            let found = if tail.is_empty() { "the file is empty" } else { "the header is torn" };
            return Err(RecordError::Header {
                file: file.to_path_buf(),
                problem: found.to_string(),
                expected: header(columns),
            });
        }
        let torn = (!tail.is_empty()).then(|| Torn { line: last_line + 1, text: tail });
        Ok(Table { file: file.to_path_buf(), text, rows, torn })
    }

    /// The cells of one column with their lines, as text.
    pub fn column(&self, name: &str) -> Vec<(usize, String)> {
        let mut reader = csv::Reader::from_reader(self.text.as_bytes());
        let at = reader.headers().ok().and_then(|header| header.iter().position(|c| c == name));
        let Some(at) = at else { return Vec::new() };
        reader
            .records()
            .filter_map(Result::ok)
            .map(|row| {
                let line = row.position().map_or(0, |p| p.line() as usize);
                (line, row.get(at).unwrap_or_default().to_string())
            })
            .collect()
    }

    /// That no two rows have the same cell in `column`: a trial that is there twice would count twice.
    pub fn unique(&self, column: &str) -> Result<(), RecordError> {
        let mut reader = csv::Reader::from_reader(self.text.as_bytes());
        let at = reader.headers().ok().and_then(|header| header.iter().position(|c| c == column));
        let Some(at) = at else { return Ok(()) };
        // A million numbers take a tenth of the room of a million texts.
        let mut numbers: HashMap<u64, u64> = HashMap::new();
        let mut texts: HashMap<String, u64> = HashMap::new();
        let mut row = csv::StringRecord::new();
        // Every row was read before: none can't be read.
        while reader.read_record(&mut row).unwrap_or(false) {
            let line = row.position().map_or(0, csv::Position::line);
            let cell = row.get(at).unwrap_or_default();
            let first = match cell.parse() {
                Ok(number) => numbers.insert(number, line),
                Err(_) => texts.insert(cell.to_string(), line),
            };
            if let Some(first) = first {
                return Err(RecordError::Row {
                    file: self.file.clone(),
                    line: usize::try_from(line).unwrap_or(usize::MAX),
                    problem: format!(
                        "{column} {cell} is already in line {first}: a {column} counts once"
                    ),
                });
            }
        }
        Ok(())
    }
}

pub(crate) fn check_header(
    file: &Path,
    found: &csv::StringRecord,
    columns: &[Column],
) -> Result<(), RecordError> {
    let names: Vec<&str> = found.iter().collect();
    let expected: Vec<&str> = columns.iter().map(|column| column.name).collect();
    if names == expected {
        return Ok(());
    }
    let quoted = |names: Vec<&&str>| {
        names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
    };
    let missing: Vec<&&str> = expected.iter().filter(|column| !names.contains(column)).collect();
    let foreign: Vec<&&str> = names.iter().filter(|name| !expected.contains(name)).collect();
    let mut problems = Vec::new();
    if !missing.is_empty() {
        problems.push(format!("missing {}", quoted(missing)));
    }
    if !foreign.is_empty() {
        problems.push(format!("not known {}", quoted(foreign)));
    }
    if problems.is_empty() {
        problems.push("the columns are in another order, or one stands there twice".to_string());
    }
    Err(RecordError::Header {
        file: file.to_path_buf(),
        problem: problems.join("; "),
        expected: header(columns),
    })
}

/// That a row has too many cells or too few.
pub(crate) fn wrong_count(found: usize, columns: usize) -> String {
    let cells = if found == 1 { "1 cell".to_string() } else { format!("{found} cells") };
    format!("{cells}: a row has {columns}")
}

/// Rows as lines, without a header.
pub fn csv_rows<T: Serialize>(rows: &[T]) -> String {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    for row in rows {
        // Into memory, of types that all have a text: this can't fail.
        let _ = writer.serialize(row);
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// What is wrong with a row: how many cells it has, or the first cell that is none of its column.
fn row_problem(row: &csv::StringRecord, columns: &[Column]) -> Option<String> {
    if row.len() != columns.len() {
        return Some(wrong_count(row.len(), columns.len()));
    }
    row.iter().zip(columns).find_map(|(cell, column)| column.problem(cell))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::columns::TIMELINE;

    const HEADER: &str = "trial,t_s,threads,ops,mops_per_s,slots\n";

    fn parse(text: &str) -> Result<Table, RecordError> {
        Table::parse(Path::new("R/timeline.csv"), text.as_bytes().to_vec(), &TIMELINE)
    }

    #[test]
    fn a_torn_last_line_is_set_aside_and_named() {
        let table = parse(&format!("{HEADER}1,0.1,2,10,,16\n1,0.2,2,3")).unwrap();
        assert_eq!(table.rows, 1);
        assert_eq!(table.torn, Some(Torn { line: 3, text: "1,0.2,2,3".into() }));
        assert!(table.text.ends_with("16\n"));
    }

    #[test]
    fn a_line_in_the_middle_that_is_no_row_is_an_error() {
        let error = parse(&format!("{HEADER}1,0.1,2\n1,0.2,2,3,,16\n")).unwrap_err();
        assert_eq!(error.to_string(), "R/timeline.csv line 2: 3 cells: a row has 6");
    }

    #[test]
    fn a_cell_of_another_kind_is_named() {
        let error = parse(&format!("{HEADER}1,soon,2,3,,16\n")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "R/timeline.csv line 2: t_s is \"soon\": accepted is a finite number from 0"
        );
        assert!(parse(&format!("{HEADER}1,NaN,2,3,,16\n")).is_err());
        assert!(parse(&format!("{HEADER}-1,0.1,2,3,,16\n")).is_err());
    }

    #[test]
    fn a_header_with_foreign_or_missing_expectedis_named() {
        let error = parse("trial,t_s,threads,ops,rate,slots\n").unwrap_err().to_string();
        assert!(error.contains("missing \"mops_per_s\"; not known \"rate\""), "{error}");
        assert!(parse("").unwrap_err().to_string().contains("empty"));
        assert!(parse("trial,t_s").unwrap_err().to_string().contains("torn"));
        assert!(parse("t_s,trial,threads,ops,mops_per_s,slots\n").is_err());
    }

    #[test]
    fn a_quote_that_no_row_is_written_with_is_named_by_its_line() {
        for row in ["\"2,0.2,2,3,,16", "2,0.2,2,3,,16\"", "2,0.2,\"2,3,,16", "2,0.2,2\",3,,16"] {
            let error = parse(&format!("{HEADER}1,0.1,2,10,,16\n{row}\n3,0.1,2,10,,16\n"));
            let error = error.unwrap_err().to_string();
            assert!(error.starts_with("R/timeline.csv line 3: a quote "), "{row}: {error}");
        }
    }

    #[test]
    fn a_torn_character_is_a_torn_line() {
        let mut bytes = format!("{HEADER}1,0.1,2,10,,16\n").into_bytes();
        bytes.push(0xc3);
        let table = Table::parse(Path::new("t"), bytes, &TIMELINE).unwrap();
        assert_eq!(table.torn.unwrap().line, 3);
    }

    #[test]
    fn a_trial_counts_once() {
        let table = parse(&format!("{HEADER}1,0.1,2,10,,16\n1,0.2,2,11,,16\n")).unwrap();
        let error = table.unique("trial").unwrap_err().to_string();
        assert!(error.contains("line 3") && error.contains("line 2"), "{error}");
    }
}
