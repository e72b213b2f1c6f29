//! Reads a file of a run: checks its header and every cell, and keeps what a crash left whole.
//!
//! Rows are appended and synced one at a time, so the only damage that a crash can do is a last
//! line that is torn. Such a line is set aside and named; anything else that is not a row is an
//! error, because a row that is silently passed over is a biased sample.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::RecordError;
use model::columns::{Kind, kind};

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

/// A last line without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torn {
    /// Its number, from 1.
    pub line: usize,
    /// What stands there.
    pub text: String,
}

impl Torn {
    /// The last line of a file whose text does not end with a newline; `None` where it does, or
    /// where there is no file.
    pub fn in_file(file: &Path) -> Result<Option<Torn>, RecordError> {
        let failed = |error: io::Error| RecordError::Unreadable {
            file: file.to_path_buf(),
            reason: error.to_string(),
        };
        let Some(mut opened) = open_if_there(file).map_err(failed)? else { return Ok(None) };
        let mut last = [b'\n'];
        if opened.seek(SeekFrom::End(-1)).is_ok() {
            opened.read_exact(&mut last).map_err(failed)?;
        }
        if last == [b'\n'] {
            return Ok(None);
        }
        let bytes = std::fs::read(file).map_err(failed)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let (before, tail) = bytes.split_at(whole);
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        Ok(Some(Torn { line, text: String::from_utf8_lossy(tail).into_owned() }))
    }

    /// The trial of a line of a file whose first column is the trial, if the tear left it whole.
    pub fn trial(&self) -> Option<u64> {
        self.text.split_once(',').and_then(|(trial, _)| trial.parse().ok())
    }

    /// The line by its file and number, and what is left of it.
    fn named(&self, file: &Path) -> String {
        format!("{} line {} is torn ({:?})", file.display(), self.line, shortened(&self.text))
    }

    /// The warning that names it, where nothing can bring it back: in an imported run.
    pub fn sentence(&self, file: &Path) -> String {
        format!("{}: it is not used", self.named(file))
    }

    /// What a resumption has to say that takes the line out: what is lost, of a trial that is not run
    /// again. `None` where its trial is.
    pub fn lost(&self, file: &Path, has_row: impl Fn(u64) -> bool) -> Option<String> {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let what = match name {
            "timeline.csv" => "samples",
            "metrics.csv" => "metrics",
            "pivots.csv" => "calls",
            _ => "rows",
        };
        let lost = match self.trial() {
            Some(trial) if !has_row(trial) => return None,
            Some(trial) => format!("the {what} of trial {trial} end there"),
            None => format!("the {what} of its trial end there, if that was finished"),
        };
        Some(format!(
            "{name} line {} was torn ({:?}) and taken out when the run was resumed: {lost}",
            self.line,
            shortened(&self.text)
        ))
    }

    /// The warning that names it in a run of this suite, and what follows from it: a trial's row is
    /// written last, so only the trial that has none is run again. `has_row` is whether a trial has
    /// one.
    pub fn sentence_with_what_next(&self, file: &Path, has_row: impl Fn(u64) -> bool) -> String {
        let sentence = self.sentence(file);
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let what = match name {
            "trials.csv" => {
                return format!("{sentence}; `experiments resume` runs its trial again");
            }
            "plan.csv" => {
                return format!(
                    "{sentence}, and `experiments resume` refuses the run: put the line back as it \
                     was written, or begin a new run"
                );
            }
            "timeline.csv" => "samples",
            "metrics.csv" => "metrics",
            "pivots.csv" => "calls",
            _ => return sentence,
        };
        match self.trial() {
            Some(trial) if has_row(trial) => format!(
                "{sentence}; the {what} of trial {trial} end there. The trial has its row in \
                 trials.csv, so `experiments resume` does not run it again"
            ),
            Some(trial) => format!(
                "{sentence}; trial {trial} has no row in trials.csv, so `experiments resume` runs it \
                 again"
            ),
            None => format!(
                "{sentence}; the {what} of its trial end there, and `experiments resume` runs that \
                 again only if it has no row in trials.csv"
            ),
        }
    }
}

/// Opens a file; `None` where there is none.
pub(crate) fn open_if_there(file: &Path) -> io::Result<Option<File>> {
    match File::open(file) {
        Ok(opened) => Ok(Some(opened)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// A file that has no whole header and nothing else: the crash came between its making and its first row,
/// or a copy of it did not come through. It is whole but for its header, and so no reason to refuse a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Headless {
    /// It has no byte.
    Empty,
    /// It has a part of its header, without the line's end.
    Torn(String),
}

impl Headless {
    /// Whether a file is so; `None` where it has a line, or text that its header does not begin with, or
    /// where there is no file.
    pub fn of(file: &Path, columns: &[&str]) -> Result<Option<Headless>, RecordError> {
        let failed = |error: io::Error| RecordError::Unreadable {
            file: file.to_path_buf(),
            reason: error.to_string(),
        };
        let Some(opened) = open_if_there(file).map_err(failed)? else { return Ok(None) };
        let header = columns.join(",");
        let mut found = Vec::new();
        opened.take(header.len() as u64 + 1).read_to_end(&mut found).map_err(failed)?;
        Ok(match header.as_bytes().starts_with(&found) {
            false => None,
            true if found.is_empty() => Some(Headless::Empty),
            true => Some(Headless::Torn(String::from_utf8_lossy(&found).into_owned())),
        })
    }

    /// What is found.
    pub fn sentence(&self, file: &Path) -> String {
        let file = file.display();
        match self {
            Headless::Empty => format!("{file} is empty, without even a header"),
            Headless::Torn(text) => {
                format!(
                    "{file} line 1 is torn ({text:?}): it is a part of the header, and no row follows"
                )
            }
        }
    }

    /// What a resumption has to say that puts the header back; `None` where no trial was finished that the
    /// file may have told of.
    pub fn lost(&self, file: &Path, finished: usize) -> Option<String> {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let found = match self {
            Headless::Empty => "was empty",
            Headless::Torn(_) => "had a torn header and no row",
        };
        (finished > 0).then(|| {
            format!(
                "{name} {found} when the run was resumed, and its header was put back: what it may have held \
                 of {finished} finished {} is lost",
                if finished == 1 { "trial" } else { "trials" }
            )
        })
    }
}

fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

impl Table {
    /// Reads and checks a file whose header must be `columns`, in this order.
    pub fn read(file: &Path, columns: &[&str]) -> Result<Table, RecordError> {
        let bytes = std::fs::read(file).map_err(|error| RecordError::Unreadable {
            file: file.to_path_buf(),
            reason: error.to_string(),
        })?;
        Table::parse(file, bytes, columns)
    }

    /// As [`read`](Self::read); `None` where there is no file, or one that is [`Headless`].
    pub fn read_begun(file: &Path, columns: &[&str]) -> Result<Option<Table>, RecordError> {
        if !file.exists() || Headless::of(file, columns)?.is_some() {
            return Ok(None);
        }
        Table::read(file, columns).map(Some)
    }

    /// Checks what stands in a file; `file` is for the messages.
    pub fn parse(file: &Path, mut bytes: Vec<u8>, columns: &[&str]) -> Result<Table, RecordError> {
        // A torn write may end inside a character: the tail is judged before the text.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
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
                check_row(&record, columns).map_err(|problem| row_error(line, problem))?;
                rows += 1;
            }
            last_line = line;
        }
        if last_line == 0 {
            let found = if tail.is_empty() { "the file is empty" } else { "the header is torn" };
            return Err(RecordError::Header {
                file: file.to_path_buf(),
                problem: found.to_string(),
                expected: columns.join(","),
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
    columns: &[&str],
) -> Result<(), RecordError> {
    let names: Vec<&str> = found.iter().collect();
    if names == columns {
        return Ok(());
    }
    let quoted = |names: Vec<&&str>| {
        names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
    };
    let missing: Vec<&&str> = columns.iter().filter(|column| !names.contains(column)).collect();
    let foreign: Vec<&&str> = names.iter().filter(|name| !columns.contains(name)).collect();
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
        expected: columns.join(","),
    })
}

/// That a row has too many cells or too few.
pub(crate) fn wrong_count(found: usize, columns: usize) -> String {
    let cells = if found == 1 { "1 cell".to_string() } else { format!("{found} cells") };
    format!("{cells}: a row has {columns}")
}

fn check_row(row: &csv::StringRecord, columns: &[&str]) -> Result<(), String> {
    if row.len() != columns.len() {
        return Err(wrong_count(row.len(), columns.len()));
    }
    for (cell, column) in row.iter().zip(columns) {
        let (kind, may_be_empty) = kind(column);
        if cell.is_empty() {
            if may_be_empty {
                continue;
            }
            return Err(format!("{column} is empty: every row has one"));
        }
        let accepted = match kind {
            Kind::Integer if cell.parse::<u64>().is_err() => "a whole number from 0",
            Kind::Number if !cell.parse::<f64>().is_ok_and(f64::is_finite) => "a finite number",
            _ => continue,
        };
        return Err(format!("{column} is {cell:?}: accepted is {accepted}"));
    }
    Ok(())
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
    fn a_file_is_headless_where_its_header_is_not_whole_and_nothing_else_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("timeline.csv");
        assert_eq!(Headless::of(&file, &TIMELINE).unwrap(), None, "there is no file");
        let header = HEADER.trim_end();
        for (text, found) in [
            ("", Some(Headless::Empty)),
            ("trial,t_", Some(Headless::Torn("trial,t_".into()))),
            (header, Some(Headless::Torn(header.into()))),
            (HEADER, None),
            ("1,0.1,2", None),
            ("trial,t_s\n", None),
            ("trial,t_s,threads,ops,mops_per_s,slots,more", None),
        ] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(Headless::of(&file, &TIMELINE).unwrap(), found, "{text:?}");
            if found.is_some() {
                assert!(Table::read_begun(&file, &TIMELINE).unwrap().is_none());
            }
        }
        assert!(Table::read_begun(&file, &TIMELINE).is_err(), "another header is an error");
        assert_eq!(Headless::Empty.lost(&file, 0), None);
        let lost = Headless::Empty.lost(&file, 2).unwrap();
        assert!(lost.starts_with("timeline.csv was empty") && lost.contains("2 finished trials"));
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
            "R/timeline.csv line 2: t_s is \"soon\": accepted is a finite number"
        );
        assert!(parse(&format!("{HEADER}1,NaN,2,3,,16\n")).is_err());
        assert!(parse(&format!("{HEADER}-1,0.1,2,3,,16\n")).is_err());
    }

    #[test]
    fn a_header_with_foreign_or_missing_columns_is_named() {
        let error = parse("trial,t_s,threads,ops,rate,slots\n").unwrap_err().to_string();
        assert!(error.contains("missing \"mops_per_s\"; not known \"rate\""), "{error}");
        assert!(parse("").unwrap_err().to_string().contains("empty"));
        assert!(parse("trial,t_s").unwrap_err().to_string().contains("torn"));
        assert!(parse("t_s,trial,threads,ops,mops_per_s,slots\n").is_err());
    }

    #[test]
    fn a_torn_character_is_a_torn_line() {
        let mut bytes = format!("{HEADER}1,0.1,2,10,,16\n").into_bytes();
        bytes.push(0xc3);
        let table = Table::parse(Path::new("t"), bytes, &TIMELINE).unwrap();
        assert_eq!(table.torn.unwrap().line, 3);
    }

    #[test]
    fn what_follows_from_a_torn_line_depends_on_its_file() {
        let torn = |text: &str| Torn { line: 3, text: text.into() };
        let said = |name: &str, text: &str| {
            torn(text).sentence_with_what_next(&Path::new("R").join(name), |trial| trial == 7)
        };
        let head =
            |name: &str, text: &str| format!("R/{name} line 3 is torn ({text:?}): it is not used");
        for (name, text, rest) in [
            ("trials.csv", "4,7,", "; `experiments resume` runs its trial again"),
            ("plan.csv", "4,7,", ", and `experiments resume` refuses the run: put the line back"),
            ("timeline.csv", "7,0.2,", "; the samples of trial 7 end there. The trial has its row"),
            ("metrics.csv", "7,p99,", "; the metrics of trial 7 end there."),
            ("pivots.csv", "7,1,", "; the calls of trial 7 end there."),
            (
                "timeline.csv",
                "8,0.2,",
                "; trial 8 has no row in trials.csv, so `experiments resume`",
            ),
            // 7 may be the begin of 70.
            ("timeline.csv", "7", "; the samples of its trial end there, and `experiments resume`"),
            ("checks.csv", "a,", ""),
        ] {
            let found = said(name, text);
            assert!(found.starts_with(&(head(name, text) + rest)), "{found}");
        }
        assert_eq!(torn("7,1").sentence(Path::new("R/x.csv")), head("x.csv", "7,1"));
    }

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
    fn a_trial_counts_once() {
        let table = parse(&format!("{HEADER}1,0.1,2,10,,16\n1,0.2,2,11,,16\n")).unwrap();
        let error = table.unique("trial").unwrap_err().to_string();
        assert!(error.contains("line 3") && error.contains("line 2"), "{error}");
    }
}
