//! The file of coverages, a row a setting and method: written by `--out`, read by `--from`.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use stats::Level;
use stats::calibrate::{Coverage, Family, How, Setting};

use super::super::columns::{Columns, Row};
use crate::failure::Failure;

const COLUMNS: [&str; 12] = [
    "family",
    "quantity",
    "size",
    "truth",
    "method",
    "level",
    "how",
    "coverage",
    "above",
    "below",
    "unbounded",
    "standard_error",
];

/// What a row is known by: there is one of each.
const KEY: [&str; 5] = ["family", "quantity", "size", "truth", "method"];

/// The file's text.
pub fn csv(rows: &[Coverage]) -> String {
    let mut text = COLUMNS.join(",") + "\n";
    for row in rows {
        // A size or a truth may hold a comma; none holds a quote. Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{},{},\"{}\",\"{}\",{},{},{},{},{},{},{},{}",
            row.setting.family.name(),
            row.setting.quantity,
            row.setting.size,
            row.setting.truth,
            row.method,
            row.level.get(),
            how(row.how),
            row.coverage,
            row.above,
            row.below,
            row.unbounded,
            row.standard_error,
        );
    }
    text
}

fn how(how: How) -> &'static str {
    match how {
        How::Enumerated => "enumerated",
        How::Searched => "searched",
        How::Simulated => "simulated",
    }
}

/// Reads such files, one after the other.
///
/// # Errors
/// A file that can't be read, a column that is missing, a cell that is not what its column holds;
/// rows of several levels, which no table has room for; a row that is there twice, in one file or in two.
pub fn read(files: &[PathBuf]) -> Result<Vec<Coverage>, Failure> {
    let mut rows: Vec<Coverage> = Vec::new();
    let mut places: HashMap<[String; 5], (&Path, u64)> = HashMap::new();
    for file in files {
        let columns = Columns::read(file, &COLUMNS)?;
        for row in columns.rows() {
            let read = coverage(row)?;
            if let Some(first) = rows.first().filter(|first| first.level != read.level) {
                let (here, there) = (read.level.get(), first.level.get());
                let why = format!(
                    "{here}, where the first row has {there}; a table has intervals of one level"
                );
                return Err(row.wrong("level", why));
            }
            let key = KEY.map(|column| row.text(column).to_owned());
            if let Some((other, line)) = places.get(&key) {
                let where_else = match *other == file.as_path() {
                    true => format!("line {line}"),
                    false => format!("{}, line {line}", other.display()),
                };
                let key: Vec<String> =
                    KEY.iter().zip(&key).map(|(name, text)| format!("{name} `{text}`")).collect();
                return Err(columns.wrong_at(
                    row.line(),
                    format!(
                        "{}: {where_else} has them already; a method has one row a setting, so leave \
                         one of the two",
                        key.join(", ")
                    ),
                ));
            }
            places.insert(key, (file, row.line()));
            rows.push(read);
        }
    }
    Ok(rows)
}

fn coverage(row: Row) -> Result<Coverage, Failure> {
    let text = |column| row.text(column).to_owned();
    let share = |column| {
        let value = row.number(column)?;
        match (0.0..=1.0).contains(&value) {
            true => Ok(value),
            false => Err(row.wrong(column, format!("{value} is no share: 0 to 1 is accepted"))),
        }
    };
    let all = [How::Enumerated, How::Searched, How::Simulated];
    let known = |name| all.into_iter().find(|one| how(*one) == name);
    Ok(Coverage {
        setting: Setting {
            family: Family::named(row.text("family"))
                .map_err(|error| row.wrong("family", error))?,
            quantity: text("quantity"),
            size: text("size"),
            truth: text("truth"),
        },
        method: text("method"),
        level: Level::new(row.number("level")?).map_err(|error| row.wrong("level", error))?,
        how: known(row.text("how")).ok_or_else(|| {
            let found = row.text("how");
            row.wrong("how", format!("`{found}` is neither enumerated, searched nor simulated"))
        })?,
        coverage: share("coverage")?,
        above: share("above")?,
        below: share("below")?,
        unbounded: share("unbounded")?,
        standard_error: share("standard_error")?,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use stats::calibrate::{Effort, calibrate};

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
    fn a_row_is_there_once_in_one_file_and_in_all() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let header = COLUMNS.join(",");
        let one = "proportions,p,n=5,p=0.1,wilson,0.95,enumerated,0.9,0.1,0,0,0";
        // Another coverage of the same setting: no table has room for both.
        let again = "proportions,p,n=5,p=0.1,wilson,0.95,enumerated,0.8,0.1,0,0,0";
        let other = "proportions,p,n=5,p=0.1,jeffreys,0.95,enumerated,0.9,0.1,0,0,0";
        fs::write(at("twice.csv"), format!("{header}\n{one}\n{other}\n{again}\n")).unwrap();
        let says = |files: &[PathBuf]| read(files).unwrap_err().to_string();
        let sentence = says(&[at("twice.csv")]);
        assert!(
            sentence.contains(
                "twice.csv, line 4: family `proportions`, quantity `p`, size `n=5`, truth `p=0.1`, \
                 method `wilson`: line 2 has them already"
            ),
            "{sentence}"
        );
        fs::write(at("a.csv"), format!("{header}\n{one}\n")).unwrap();
        fs::write(at("b.csv"), format!("{header}\n{other}\n{one}\n")).unwrap();
        let sentence = says(&[at("a.csv"), at("b.csv")]);
        assert!(sentence.contains("b.csv, line 3: family"), "{sentence}");
        assert!(sentence.contains("a.csv, line 2 has them already"), "{sentence}");
        // A file that is given twice is the same mistake.
        assert!(says(&[at("a.csv"), at("a.csv")]).contains("line 2 has them already"));
    }

    #[test]
    fn a_wrong_cell_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("coverage.csv");
        let header = COLUMNS.join(",");
        let right = "proportions,p,n=5,p=0.1,wilson,0.95,enumerated,0.9,0.1,0,0,0";
        for (wrong, named) in [
            ("means,p,n=5,p=0.1,wilson,0.95,enumerated,0.9,0.1,0,0,0", "two-proportions"),
            ("proportions,p,n=5,p=0.1,wilson,0.9,enumerated,0.9,0.1,0,0,0", "one level"),
            ("proportions,p,n=5,p=0.1,wilson,0.95,guessed,0.9,0.1,0,0,0", "`guessed`"),
            ("proportions,p,n=5,p=0.1,wilson,0.95,enumerated,90,0.1,0,0,0", "no share"),
        ] {
            fs::write(&file, format!("{header}\n{right}\n{wrong}\n")).unwrap();
            let sentence = read(std::slice::from_ref(&file)).unwrap_err().to_string();
            assert!(sentence.contains("line 3") && sentence.contains(named), "{sentence}");
        }
    }
}
