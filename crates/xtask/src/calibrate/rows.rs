//! The file of coverages, a row a setting and method: written by `--out`, read by `--from`.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Deserialize;
use stats::Level;

use super::error::{CalibrateError, RowError};
use super::{Coverage, Family, How, Setting};

const COLUMNS: &str = "family,quantity,size,truth,method,level,how,coverage,above,below,unbounded,\
                       standard_error";

/// A row of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    family: Family,
    quantity: String,
    size: String,
    truth: String,
    method: String,
    level: f64,
    how: How,
    coverage: f64,
    above: f64,
    below: f64,
    unbounded: f64,
    standard_error: f64,
}

/// The file's text.
pub fn csv(rows: &[Coverage]) -> String {
    let mut text = format!("{COLUMNS}\n");
    for row in rows {
        let how = match row.how {
            How::Enumerated => "enumerated",
            How::Searched => "searched",
            How::Simulated => "simulated",
        };
        // A size or a truth may hold a comma; none holds a quote. Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{},{},\"{}\",\"{}\",{},{},{how},{},{},{},{},{}",
            row.setting.family.name(),
            row.setting.quantity,
            row.setting.size,
            row.setting.truth,
            row.method,
            row.level.get(),
            row.coverage,
            row.above,
            row.below,
            row.unbounded,
            row.standard_error,
        );
    }
    text
}

/// Reads such files, one after the other.
///
/// # Errors
/// A file that can't be read, a column that is missing, a cell that is not what its column holds; rows of
/// several levels, which no table has room for; a row that is there twice, in one file or in two.
pub fn read(files: &[PathBuf]) -> Result<Vec<Coverage>, CalibrateError> {
    let mut rows: Vec<Coverage> = Vec::new();
    let mut known = HashSet::new();
    for file in files {
        let of_file = |error| CalibrateError::Csv(file.clone(), error);
        let mut reader = csv::Reader::from_path(file).map_err(of_file)?;
        for (at, row) in reader.deserialize().enumerate() {
            let row: Row = row.map_err(of_file)?;
            let wrong = |why| CalibrateError::Row { file: file.clone(), line: at as u64 + 2, why };
            let level = Level::new(row.level).map_err(|error| wrong(error.into()))?;
            if let Some(first) = rows.first().filter(|first| first.level != level) {
                let there = first.level.get();
                return Err(wrong(RowError::Level { here: row.level, there }));
            }
            let Row { family, quantity, size, truth, method, .. } = row;
            let key = [&quantity, &size, &truth, &method].map(String::clone);
            if !known.insert((family.name(), key)) {
                return Err(wrong(RowError::Duplicate(method)));
            }
            rows.push(Coverage {
                setting: Setting { family, quantity, size, truth },
                method,
                level,
                how: row.how,
                coverage: row.coverage,
                above: row.above,
                below: row.below,
                unbounded: row.unbounded,
                standard_error: row.standard_error,
            });
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::{Effort, calibrate};
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let effort = Effort { data_sets: 100, ..Effort::default() };
        let rows = calibrate(&[Family::Proportions, Family::Shifts], &effort).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("coverage.csv");
        fs::write(&file, csv(&rows)).unwrap();
        assert_eq!(read(&[file]).unwrap(), rows);
    }

    #[test]
    fn a_wrong_row_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("coverage.csv");
        let right = "proportions,p,n=5,p=0.1,wilson,0.95,enumerated,0.9,0.1,0,0,0";
        for (wrong, named) in [
            ("means,p,n=5,p=0.1,wilson,0.95,enumerated,0.9,0.1,0,0,0", "two-proportions"),
            ("proportions,p,n=5,p=0.2,wilson,0.9,enumerated,0.9,0.1,0,0,0", "one level"),
            ("proportions,p,n=5,p=0.2,wilson,0.95,guessed,0.9,0.1,0,0,0", "`guessed`"),
            ("proportions,p,n=5,p=0.1,wilson,0.95,enumerated,0.8,0.1,0,0,0", "already"),
        ] {
            fs::write(&file, format!("{COLUMNS}\n{right}\n{wrong}\n")).unwrap();
            let sentence = read(std::slice::from_ref(&file)).unwrap_err().to_string();
            assert!(sentence.contains("line") && sentence.contains(named), "{sentence}");
        }
        // A file that is given twice is the same mistake.
        fs::write(&file, format!("{COLUMNS}\n{right}\n")).unwrap();
        assert!(read(&[file.clone(), file]).is_err());
    }
}
