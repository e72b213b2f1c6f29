//! Named columns of a CSV file, with errors that name the file, the line and the column.

use std::path::Path;

use super::csv_text::{CsvText, Lengths};
use crate::failure::Failure;

/// A CSV file with a header, read whole.
#[derive(Debug)]
pub struct Columns {
    file: String,
    header: Vec<String>,
    /// Each with the line on which it begins.
    rows: Vec<(u64, csv::StringRecord)>,
}

/// One row of [`Columns`].
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    of: &'a Columns,
    record: &'a csv::StringRecord,
    line: u64,
}

/// The most cells of a first line that an error shows.
const SHOWN: usize = 6;

/// Whether a first line is a row of numbers, and no header.
fn is_numbers(header: &[String]) -> bool {
    let is_number = |cell: &String| {
        cell.parse::<f64>().is_ok() && !cell.starts_with(|first: char| first.is_alphabetic())
    };
    header.iter().filter(|cell| !cell.is_empty()).all(is_number)
}

impl Columns {
    /// Reads `path` (`-` is standard input) and checks that it has the columns that are needed.
    /// Other columns may be there, in any order.
    pub fn read(path: &Path, needed: &[&str]) -> Result<Columns, Failure> {
        Self::read_one_of(path, &[needed])
    }

    /// As [`read`](Self::read), for a file that can have one of several sets of columns: the first
    /// set that shares a column with the header is the one needed, else the first.
    pub fn read_one_of(path: &Path, choices: &[&[&str]]) -> Result<Columns, Failure> {
        Self::of(&CsvText::open(path)?, choices)
    }

    /// The columns of a CSV text, as [`read_one_of`](Self::read_one_of).
    pub fn of(text: &CsvText, choices: &[&[&str]]) -> Result<Columns, Failure> {
        let file = text.file();
        let mut records = text.records(Lengths::Equal)?.into_iter();
        let (line, first) = records.next().unwrap_or_default();
        let header: Vec<String> = first.iter().map(str::to_owned).collect();
        let list = |names: &[&str]| names.join("`, `");
        let known =
            |set: &&&[&str]| set.iter().any(|name| header.iter().any(|found| found == name));
        let needed = choices.iter().find(known).or(choices.first()).copied().unwrap_or(&[]);
        if header.is_empty() || header.iter().all(String::is_empty) {
            return Err(Failure::Request(format!(
                "{file} is empty: it needs a header with the columns `{}`, then a row each",
                list(needed)
            )));
        }
        if is_numbers(&header) {
            let found: Vec<&str> = header.iter().take(SHOWN).map(String::as_str).collect();
            let more = if header.len() > SHOWN { ", …" } else { "" };
            return Err(Failure::Request(format!(
                "{file}, line {line}: it holds numbers, `{}`{more}, where a header is needed: a column is \
                 known by its name, and a number taken for one would be lost to the data. Put a line of \
                 names above{}",
                list(&found),
                match needed.iter().any(|name| name.parse::<f64>().is_ok()) {
                    true => ", and ask for one of them".to_owned(),
                    false => format!(", with `{}`", list(needed)),
                }
            )));
        }
        for name in needed {
            match header.iter().filter(|found| found == name).count() {
                1 => {}
                0 => {
                    let found: Vec<&str> = header.iter().map(String::as_str).collect();
                    return Err(Failure::Request(format!(
                        "{file}, line {line}: there is no column `{name}`; needed are `{}`, found are `{}`",
                        list(needed),
                        list(&found)
                    )));
                }
                _ => {
                    let why = format!("the column `{name}` is there more than once");
                    return Err(text.wrong_line(line, why));
                }
            }
        }
        let rows: Vec<_> = records.collect();
        if rows.is_empty() {
            return Err(Failure::Request(format!(
                "{file} has a header and no rows: there is nothing to compute from"
            )));
        }
        Ok(Columns { file: file.to_owned(), header, rows })
    }

    /// Whether an optional column is there.
    pub fn has(&self, column: &str) -> bool {
        self.header.iter().any(|name| name == column)
    }

    /// The columns' names, in the file's order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.header.iter().map(String::as_str)
    }

    /// As [`has`](Self::has); refused if the column is there more than once.
    pub fn has_once(&self, column: &str) -> Result<bool, Failure> {
        match self.header.iter().filter(|name| *name == column).count() {
            count @ (0 | 1) => Ok(count == 1),
            _ => Err(Failure::Request(format!(
                "{}, line 1: the column `{column}` is there more than once",
                self.file
            ))),
        }
    }

    /// A note of the columns that are none of these, and change nothing; `None` if there are none.
    pub fn unused(&self, used: &[&str]) -> Option<String> {
        let unused: Vec<&str> =
            self.names().filter(|name| !name.is_empty() && !used.contains(name)).collect();
        match unused.as_slice() {
            [] => None,
            [one] => Some(format!("the column `{one}` is not used")),
            several => Some(format!("the columns `{}` are not used", several.join("`, `"))),
        }
    }

    /// An error about the file as a whole: its name, then the sentence.
    pub fn wrong(&self, why: impl std::fmt::Display) -> Failure {
        Failure::Request(format!("{}: {why}", self.file))
    }

    /// The rows, in the file's order.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|(line, record)| Row { of: self, record, line: *line })
    }
}

impl<'a> Row<'a> {
    /// The cell's text, trimmed; empty if there is no such column.
    pub fn text(&self, column: &str) -> &'a str {
        let at = self.of.header.iter().position(|name| name == column);
        at.and_then(|i| self.record.get(i)).unwrap_or("")
    }

    /// A whole number from 0.
    pub fn count(&self, column: &str) -> Result<u64, Failure> {
        let text = self.text(column);
        super::count(text).map_err(|why| match text {
            "" => self.wrong(column, "the cell is empty; a count is needed"),
            _ => self.wrong(column, why),
        })
    }

    /// A finite number; −0 is 0.
    pub fn number(&self, column: &str) -> Result<f64, Failure> {
        match self.text(column) {
            "" => Err(self.wrong(column, "the cell is empty; a number is needed")),
            text => match text.parse::<f64>() {
                Ok(x) if x.is_finite() => Ok(x + 0.0),
                Ok(_) => Err(self.wrong(column, format!("`{text}` is not a finite number"))),
                Err(_) => Err(self.wrong(column, format!("`{text}` is not a number"))),
            },
        }
    }

    /// The line on which the row begins, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// An error about this cell: file, line and column, then the sentence.
    pub fn wrong(&self, column: &str, why: impl std::fmt::Display) -> Failure {
        let (file, line) = (&self.of.file, self.line());
        Failure::Request(format!("{file}, line {line}, column `{column}`: {why}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Columns, Failure> {
        let text = CsvText::read("times.csv".into(), text.as_bytes())?;
        Columns::of(&text, &[&["time", "event"], &["left", "right"]])
    }

    #[test]
    fn reads_columns_by_name_in_any_order() {
        let columns = parse("event, note ,time\n# a comment\n1,x,2.5\n0,,3\n").unwrap();
        let times: Vec<f64> = columns.rows().map(|row| row.number("time").unwrap()).collect();
        assert_eq!(times, [2.5, 3.0]);
        assert!(columns.has("note") && !columns.has("group"));
        assert_eq!(columns.rows().next().unwrap().text("note"), "x");
    }

    #[test]
    fn numbers_are_no_names_even_where_they_are_asked_for() {
        let read = |text: &str, column: &str| {
            let text = CsvText::read("x.csv".into(), text.as_bytes());
            let columns = text.and_then(|text| Columns::of(&text, &[&[column]]));
            columns.map_err(|failure| failure.to_string())
        };
        let error = read("3.5,5\n4.1,6\n", "5").unwrap_err();
        assert!(error.contains("x.csv, line 1: it holds numbers, `3.5`, `5`"), "{error}");
        assert!(read("-1,,2e3\n4,5,6\n", "2e3").unwrap_err().contains("`-1`, ``, `2e3`"));
        for (named, column) in [("threads,5\n4,1\n", "5"), ("nan,inf\n4,1\n", "nan")] {
            assert!(read(named, column).is_ok(), "{named:?}");
        }
    }

    #[test]
    fn less_than_nothing_is_nothing() {
        let columns = parse("time,event\n-0,1\n").unwrap();
        let row = columns.rows().next().unwrap();
        assert!(row.number("time").unwrap().is_sign_positive());
    }

    #[test]
    fn columns_that_change_nothing_are_named() {
        let unused = |text: &str| parse(text).unwrap().unused(&["time", "event", "group"]);
        assert_eq!(unused("time,event,group\n1,1,a\n"), None);
        let one = "the column `weight` is not used";
        assert_eq!(unused("time,weight,event\n1,3,1\n").as_deref(), Some(one));
        let two = "the columns `x`, `y` are not used";
        assert_eq!(unused("x,time,event,y\n1,3,1,2\n").as_deref(), Some(two));
    }

    #[test]
    fn one_of_several_sets_of_columns_is_enough() {
        assert!(parse("left,right\n1,2\n").unwrap().has("left"));
        let says = |text: &str| parse(text).unwrap_err().to_string();
        assert!(says("left\n1\n").contains("no column `right`"));
        assert!(says("x\n1\n").contains("no column `time`"));
    }

    #[test]
    fn errors_name_file_line_and_column() {
        let says = |text: &str| match parse(text) {
            Err(failure) => failure.to_string(),
            Ok(columns) => {
                let cell = |row: Row| row.number("time").and(row.count("event"));
                columns.rows().find_map(|row| cell(row).err()).unwrap().to_string()
            }
        };
        assert!(says("").contains("times.csv is empty"));
        assert!(says("time,event\n").contains("no rows"));
        let headless = says("# of a run\n14,1\n33,1\n");
        assert!(
            headless.contains("times.csv, line 2: it holds numbers, `14`, `1`, where a header")
        );
        assert!(headless.ends_with("with `time`, `event`"), "{headless}");
        assert!(says("time,group\n1,2\n").contains("line 1: there is no column `event`"));
        assert!(says("time,event,time\n1,1,1\n").contains("more than once"));
        assert!(
            says("time,event\n1,1\n2\n").contains("line 3: it has 1 cell where the header has 2")
        );
        assert!(says("time,event\n1,1\nsoon,1\n").contains("line 3, column `time`: `soon`"));
        assert!(says("time,event\nNaN,1\n").contains("not a finite number"));
        assert!(says("time,event\n1,\n").contains("line 2, column `event`: the cell is empty"));
        for passed_over in ["\n\n", "# a\n# b\n", "\n#\n", "\r\n# ü\r\n"] {
            let text = format!("{passed_over}time,event\n1,1\n{passed_over}soon,1\n");
            let sentence = says(&text);
            assert!(sentence.contains("line 7, column `time`: `soon`"), "{text:?}: {sentence}");
            let unequal = says(&format!("{passed_over}time,event\n{passed_over}1,1,1\n"));
            assert!(unequal.contains("line 6: it has 3 cells"), "{passed_over:?}: {unequal}");
            let headless = says(&format!("{passed_over}1,1\n2,1\n"));
            assert!(headless.contains("line 3: it holds numbers"), "{passed_over:?}: {headless}");
        }
        assert!(says("time,event\n1,-1\n").contains("column `event`: a count is"));
    }
}
