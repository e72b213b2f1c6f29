//! `experiments stat adjust FILE.csv`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use report::say::stat::adjust as say;
use serde::Serialize;
use serde_json::{Map, Value};
use stats::multiplicity::{benjamini_hochberg, holm};

use super::columns::{Columns, Row};
use super::{Answer, Options, paths};
use crate::failure::{Failure, Outcome};

/// Several p-values: raw, by Holm, by Benjamini and Hochberg
///
/// FILE.csv has a row a contrast: its p-value in the column `p`, between 0 and 1, and any other columns,
/// which are carried through. All rows are one family: the contrasts that were looked at, not only those
/// that came out small. A row whose p-value is empty has none, and is not counted.
///
/// Holm: where his value is at most 0.05, the chance of even one false claim among all of them is at most
/// 5 %, whatever the dependence between the tests. Benjamini and Hochberg: where theirs is at most 0.05,
/// the expected share of false claims among those made is at most 5 %, for tests that are independent or
/// positively dependent. Both assume that each p-value is valid by itself.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  printf 'contrast,p\\n96 threads,0.001\\n128 threads,0.02\\n192 threads,0.04\\n' |
    experiments stat adjust -
  experiments stat adjust data/runs/NAME/analysis/contrasts.csv --column p --name threads")]
pub struct AdjustArgs {
    /// The CSV file; `-` is standard input
    #[arg(value_name = "FILE.csv")]
    file: PathBuf,
    /// The column that holds the p-values
    #[arg(long, value_name = "COLUMN", default_value = "p")]
    column: String,
    /// A column to carry through, repeatable; by default all of them
    #[arg(long, value_name = "COLUMN")]
    name: Vec<String>,
    #[command(flatten)]
    options: Options,
}

/// What the answer calls its own columns.
const OWN: [&str; 4] = ["line", "p", "holm", "benjamini_hochberg"];

#[derive(Debug, Serialize)]
struct Adjusted {
    /// How many p-values there are.
    n: usize,
    /// 1 − the error rate at which `rejected` counts.
    level: f64,
    /// How many p-values are at most 1 − level.
    rejected: Rejected,
    rows: Vec<Map<String, Value>>,
}

#[derive(Debug, Serialize)]
struct Rejected {
    raw: usize,
    holm: usize,
    benjamini_hochberg: usize,
}

/// Runs the command.
pub fn run(args: AdjustArgs, out: &mut dyn Write) -> Outcome {
    let mut needed = vec![args.column.as_str()];
    needed.extend(args.name.iter().map(String::as_str).filter(|name| *name != args.column));
    let columns = Columns::read(&args.file, &needed)?;
    let carried = carried(&columns, &args)?;
    let answer = adjust(&columns, &args.column, &carried, &args.options)?;
    let Rejected { raw, holm, benjamini_hochberg } = answer.rejected;
    let counts = [raw, holm, benjamini_hochberg];
    let mut shown: Vec<String> = carried.iter().map(|name| format!("rows.*.{name}")).collect();
    if carried.is_empty() {
        shown.push("rows.*.line".into());
    }
    shown.extend(paths(&["rows.*.p", "rows.*.holm", "rows.*.benjamini_hochberg"]));
    let headline = say::headline(answer.n, counts, args.options.level);
    let notes = say::notes(answer.n, answer.rows.len() - answer.n);
    args.options.answer(out, Answer { result: &answer, headline, notes, shown })
}

/// The columns to carry through, in the file's order.
fn carried<'a>(columns: &'a Columns, args: &AdjustArgs) -> Result<Vec<&'a str>, Failure> {
    let asked = |name: &&str| args.name.is_empty() || args.name.iter().any(|asked| asked == name);
    let carried: Vec<&str> =
        columns.names().filter(|name| *name != args.column).filter(asked).collect();
    for (i, name) in carried.iter().enumerate() {
        let why = if OWN.contains(name) {
            "the answer has a column of that name"
        } else if carried[..i].contains(name) {
            "it is there more than once"
        } else {
            continue;
        };
        return Err(columns.wrong(format!(
            "the column `{name}` can't be carried through, because {why}; rename it, or choose others \
             with --name"
        )));
    }
    Ok(carried)
}

fn adjust(
    columns: &Columns,
    column: &str,
    carried: &[&str],
    options: &Options,
) -> Result<Adjusted, Failure> {
    let found = columns.rows().map(|row| raw(row, column)).collect::<Result<Vec<_>, _>>()?;
    let p_values: Vec<f64> = found.iter().copied().flatten().collect();
    if p_values.is_empty() {
        return Err(columns.wrong(format!(
            "every cell of the column `{column}` is empty; at least one p-value is needed"
        )));
    }
    let by_holm = holm(&p_values)?;
    let by_share = benjamini_hochberg(&p_values)?;
    // As in `stat power`: a value that equals the error rate in exact arithmetic is not above it.
    let alpha = options.level.alpha() * (1.0 + 1e-10);
    let at_most = |values: &[f64]| values.iter().filter(|p| **p <= alpha).count();
    let rejected = Rejected {
        raw: at_most(&p_values),
        holm: at_most(&by_holm),
        benjamini_hochberg: at_most(&by_share),
    };

    let mut adjusted = by_holm.iter().zip(&by_share);
    let rows = columns.rows().zip(&found).map(|(row, p)| {
        let values = p.and_then(|p| adjusted.next().map(|(holm, share)| (p, *holm, *share)));
        let mut cells = Map::new();
        cells.insert("line".into(), row.line().into());
        for name in carried {
            cells.insert((*name).into(), row.text(name).into());
        }
        cells.insert("p".into(), values.map(|values| values.0).into());
        cells.insert("holm".into(), values.map(|values| values.1).into());
        cells.insert("benjamini_hochberg".into(), values.map(|values| values.2).into());
        cells
    });
    let rows = rows.collect();
    Ok(Adjusted { n: p_values.len(), level: options.level.get(), rejected, rows })
}

/// The p-value of a row; `None` where the cell is empty.
fn raw(row: Row<'_>, column: &str) -> Result<Option<f64>, Failure> {
    if row.text(column).is_empty() {
        return Ok(None);
    }
    let p = row.number(column)?;
    if !(0.0..=1.0).contains(&p) {
        return Err(row.wrong(column, format!("{p} is no p-value; it is a number from 0 to 1")));
    }
    Ok(Some(p))
}

#[cfg(test)]
mod tests {
    use super::super::csv_text::CsvText;
    use super::*;
    use stats::Level;

    const OPTIONS: Options = Options { level: Level::P95, json: false, all: false };

    fn of(csv: &str) -> Result<Adjusted, Failure> {
        let columns = Columns::of(&CsvText::read("p.csv".into(), csv.as_bytes())?, &[&["p"]])?;
        adjust(&columns, "p", &["contrast"], &OPTIONS)
    }

    #[test]
    fn the_three_stand_side_by_side() {
        // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm"), and "BH".
        let found = of("contrast,p\na,0.01\nb,0.04\nc,\nd,0.03\ne,0.005\n").unwrap();
        let column = |key: &str| -> Vec<Option<f64>> {
            found.rows.iter().map(|row| row[key].as_f64()).collect()
        };
        let near = |found: Vec<Option<f64>>, expected: [f64; 4]| {
            let expected =
                [Some(expected[0]), Some(expected[1]), None, Some(expected[2]), Some(expected[3])];
            for (found, expected) in found.iter().zip(expected) {
                assert_eq!(found.is_some(), expected.is_some());
                assert!((found.unwrap_or(0.0) - expected.unwrap_or(0.0)).abs() < 1e-15);
            }
        };
        near(column("holm"), [0.03, 0.06, 0.06, 0.02]);
        near(column("benjamini_hochberg"), [0.02, 0.04, 0.04, 0.02]);
        assert_eq!((found.n, found.rejected.raw, found.rejected.holm), (4, 4, 2));
    }

    #[test]
    fn what_is_no_p_value_is_named() {
        let says = |csv: &str| of(csv).unwrap_err().to_string();
        assert!(says("p\n0.5\n1.5\n").contains("p.csv, line 3, column `p`: 1.5 is no p-value"));
        assert!(says("p\n-0.1\n").contains("line 2, column `p`: -0.1"));
        assert!(says("p\nNaN\n").contains("`NaN` is not a finite number"));
        assert!(says("p\nsmall\n").contains("`small` is not a number"));
        assert!(says("p,contrast\n,a\n").contains("every cell of the column `p` is empty"));
    }
}
