//! `experiments stat samples A.csv B.csv`.

use std::io::Write;
use std::mem;
use std::path::{Path, PathBuf};

use clap::Args;
use report::say::stat::samples as say;
use serde::Serialize;
use stats::StatError;
use stats::samples::split::{Split, split};
use stats::samples::{Resampling, SampleComparison, compare};

use super::columns::Columns;
use super::csv_text::{CsvText, Lengths};
use super::side::Side;
use super::{Answer, Options, paths};
use crate::failure::{Failure, Outcome};
use crate::number::{how_many, seed};

/// Two samples: medians, their ratio, the shift, whether they differ, whether they have two modes
///
/// Each file has a number a line. Blank lines and lines that begin with # are passed over, and so is
/// a first line that is no number, as a header. Of a CSV with several columns --column names the one to
/// take, by its header; a file whose first line is numbers has none and is refused, as a number taken for
/// a name would be missing among the data. Empty cells were not observed and are left out.
///
/// The ratio of medians is a over b. The median's interval is distribution-free, and does not exist
/// below 6 values at 95 %; the ratio's are bootstrap intervals, which cover less than they say below 5
/// values. Mann-Whitney is exact for small samples, with ties as well.
///
/// Two modes: of the logarithms, Hartigans' dip with a simulated p-value, and two log-normal components
/// against one. There is a cut, as by the rule `split`, where two gain at least 10 in BIC and the cut
/// misplaces at most 1 % of either; the dip stands beside it and does not decide.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  experiments stat samples fast.csv slow.csv --level 0.9
  experiments stat samples patched.csv stock.csv --alternative greater
  experiments stat samples R1/trials.csv R2/trials.csv --column mops_per_s")]
pub struct SamplesArgs {
    /// The sample a; `-` reads standard input
    #[arg(value_name = "A.csv")]
    a: PathBuf,
    /// The sample b
    #[arg(value_name = "B.csv")]
    b: PathBuf,
    /// The column that holds the numbers, in files with several: its name in the header, not its place
    #[arg(long, value_name = "NAME")]
    column: Option<String>,
    /// The column of B.csv, if it has another name there
    #[arg(long, value_name = "NAME")]
    column_b: Option<String>,
    /// What the tests look for: that the two differ, that a's values tend to be smaller than b's, that
    /// they tend to be greater. To be chosen before the values are seen; the intervals stay two-sided
    #[arg(long, value_enum, default_value_t)]
    alternative: Side,
    /// Bootstrap resamples, from 100 to 100000000
    #[arg(long, default_value_t = Resampling::default().resamples, value_name = "COUNT", value_parser = how_many::<usize>, allow_negative_numbers = true)]
    resamples: usize,
    /// Where chance starts; the same seed gives the same result on any number of CPUs
    #[arg(long, default_value_t = Resampling::default().seed, value_parser = seed, allow_negative_numbers = true)]
    seed: u64,
    #[command(flatten)]
    options: Options,
}

/// Runs the command.
pub fn run(args: SamplesArgs, out: &mut dyn Write) -> Outcome {
    if args.a == Path::new("-") && args.b == Path::new("-") {
        return Err(Failure::Request(
            "both samples are `-`: standard input can be one of them only".into(),
        ));
    }
    let resampling = Resampling::new(args.resamples, args.seed)?;
    let column_b = args.column_b.as_deref().or(args.column.as_deref());
    let (a, b) = (read(&args.a, args.column.as_deref())?, read(&args.b, column_b)?);
    let alternative = args.alternative.into();
    let level = args.options.level;
    let comparison = compare(&a.values, &b.values, level, alternative, resampling)?;
    let in_full = args.options.json || args.options.all;
    let of_comparison = comparison.notes.iter().filter(|note| in_full || say::is_of_shown(note));
    let mut notes: Vec<String> = of_comparison.map(say::note).collect();
    for (name, of) in [("a", &a), ("b", &b)] {
        if of.unobserved > 0 {
            let rows = of.unobserved + of.values.len() as u64;
            notes.push(say::unobserved(name, of.unobserved, rows));
        }
    }
    let a = modes("a", &a.values, resampling, &mut notes)?;
    let b = modes("b", &b.values, resampling, &mut notes)?;
    if args.options.all {
        let both = [("a", &a), ("b", &b)];
        notes.extend(
            both.into_iter().filter_map(|(name, of)| Some(say::modes(name, &of.as_ref()?.split))),
        );
    }
    let headline = say::headline(&comparison, level);
    let found = Found { comparison, modes: Modes { a, b } };
    let shown =
        paths(&["a", "b", "median_ratio.percentile", "hodges_lehmann", "tests.mann-whitney"]);
    args.options.answer(out, Answer { result: &found, headline, notes, shown })
}

/// What docs/reference/commands.md promises, then whether a sample has two modes.
#[derive(Debug, Serialize)]
struct Found {
    #[serde(flatten)]
    comparison: SampleComparison,
    modes: Modes,
}

/// The rule `split` on each sample; `None` for one with negative values, which have no logarithm.
#[derive(Debug, Serialize)]
struct Modes {
    a: Option<Mode>,
    b: Option<Mode>,
}

/// A sample's modes, and why there are two or one.
#[derive(Debug, Serialize)]
struct Mode {
    #[serde(flatten)]
    split: Split,
    reason: String,
}

fn modes(
    name: &str,
    values: &[f64],
    resampling: Resampling,
    notes: &mut Vec<String>,
) -> Result<Option<Mode>, StatError> {
    if values.iter().any(|x| *x < 0.0) {
        notes.push(say::negative(name));
        return Ok(None);
    }
    let split = split(values, resampling)?;
    Ok(Some(Mode { reason: say::why(&split), split }))
}

/// The values of a file.
#[derive(Debug, PartialEq)]
struct Values {
    values: Vec<f64>,
    /// Rows whose cell is empty, in a file with several columns.
    unobserved: u64,
}

fn read(path: &Path, column: Option<&str>) -> Result<Values, Failure> {
    let text = CsvText::open(path)?;
    match column {
        Some(column) => of_column(&text, column),
        None => Ok(Values { values: one_a_line(&text)?, unobserved: 0 }),
    }
}

/// The numbers of one column of a CSV file.
fn of_column(text: &CsvText, column: &str) -> Result<Values, Failure> {
    let columns = Columns::of(text, &[&[column]])?;
    let mut read = Values { values: Vec::new(), unobserved: 0 };
    for row in columns.rows() {
        match row.text(column) {
            "" => read.unobserved += 1,
            _ => read.values.push(row.number(column)?),
        }
    }
    if read.values.is_empty() {
        return Err(columns.wrong(format!("every cell of the column `{column}` is empty")));
    }
    Ok(read)
}

/// The numbers of a file with one a line.
fn one_a_line(text: &CsvText) -> Result<Vec<f64>, Failure> {
    let mut values = Vec::new();
    let mut can_be_header = true;
    for (line, cells) in text.records(Lengths::Any)? {
        let cells: Vec<&str> = cells.iter().collect();
        let cell = cells.join(",");
        // A line of spaces, or a comment behind some.
        if cell.is_empty() || cell.starts_with('#') {
            continue;
        }
        let is_first = mem::take(&mut can_be_header);
        // A header, unless it begins as a number does: `12,5` or `3 4` is a mistake.
        let is_name = |cell: &&str| cell.starts_with(char::is_alphabetic);
        match cell.parse::<f64>() {
            // −0 is 0.
            Ok(value) if value.is_finite() => values.push(value + 0.0),
            Ok(_) => {
                return Err(text.wrong_line(line, format!("`{cell}` is not a finite number")));
            }
            // Which of several columns is meant must be said.
            Err(_) if is_first && cells.len() > 1 && cells.iter().any(is_name) => {
                let why = format!(
                    "there are {} columns, `{}`; say which holds the numbers, with --column NAME",
                    cells.len(),
                    cells.join("`, `")
                );
                return Err(text.wrong_line(line, why));
            }
            Err(_) if is_first && cells.len() == 1 && is_name(&cells[0]) => {}
            Err(_) => {
                let why = format!(
                    "`{cell}` is not a number; a line holds one number, such as 52.8, or a CSV has a \
                     header and --column NAME says which column"
                );
                return Err(text.wrong_line(line, why));
            }
        }
    }
    if values.is_empty() {
        let file = text.file();
        return Err(Failure::Request(format!("{file} has no numbers: it needs one a line")));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> CsvText {
        CsvText::read("t.csv".into(), text.as_bytes()).unwrap()
    }

    #[test]
    fn headers_blank_lines_and_comments_are_passed_over() {
        let of = |text: &str| one_a_line(&file(text)).unwrap();
        assert_eq!(
            of("mops_per_s\n\n52.8\n# warm\n  # cold\n 46.1 \r\n-3e2\n"),
            [52.8, 46.1, -300.0]
        );
        assert_eq!(of("1\n2"), [1.0, 2.0]);
        assert_eq!(of("\"mops, all\"\n\"3\"\n"), [3.0]);
    }

    #[test]
    fn a_wrong_line_is_named() {
        let says = |text: &str| one_a_line(&file(text)).unwrap_err().to_string();
        assert!(says("1\nx\n").contains("t.csv, line 2: `x` is not a number"));
        assert!(says("head\n1\nhead\n").contains("line 3"));
        assert!(says("1,5\n").contains("line 1: `1,5` is not a number"));
        assert!(says("mops\nNaN\n").contains("line 2: `NaN` is not a finite number"));
        assert!(says("\n\n").contains("t.csv has no numbers"));
        assert!(says("mops\n").contains("no numbers"));
        assert_eq!(
            says("# of a run\n\ntrial,mops_per_s\n1,2\n"),
            "t.csv, line 3: there are 2 columns, `trial`, `mops_per_s`; say which holds the numbers, \
             with --column NAME"
        );
    }

    #[test]
    fn one_of_several_columns_is_taken_by_name() {
        let read =
            of_column(&file("trial,mops_per_s\n1,52.8\n2,\n3,46.1\n"), "mops_per_s").unwrap();
        assert_eq!(read, Values { values: vec![52.8, 46.1], unobserved: 1 });
    }
}
