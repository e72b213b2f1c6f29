//! `experiments stat strata FILE.csv`.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use report::say::stat::strata as say;
use stats::strata::{self, Stratum};

use super::columns::{Columns, Row};
use super::{Answer, Options, paths};
use crate::failure::{Failure, Outcome};

const COLUMNS: [&str; 5] = ["stratum", "base_k", "base_n", "test_k", "test_n"];

/// Two proportions in strata: is the contrast the same, and is it there?
///
/// FILE.csv has the columns stratum,base_k,base_n,test_k,test_n (`-` reads standard input). Each
/// stratum is shown, then the Mantel-Haenszel odds ratio and risk difference, the
/// Cochran-Mantel-Haenszel test, its exact form, and Breslow-Day's test of one odds ratio with
/// Tarone's correction.
///
/// A stratum without trials on one side says nothing about the contrast and adds nothing; it is named. A
/// file without a stratum that has trials on both sides is refused.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  experiments stat strata machines.csv\n\nwith\n  \
                        stratum,base_k,base_n,test_k,test_n\n  epyc-96,8,10,0,10\n  \
                        xeon-64,3,10,1,10")]
pub struct StrataArgs {
    /// The table, a row a stratum
    #[arg(value_name = "FILE.csv")]
    file: PathBuf,
    #[command(flatten)]
    options: Options,
}

/// Runs the command.
pub fn run(args: StrataArgs, out: &mut dyn Write) -> Outcome {
    let columns = Columns::read(&args.file, &COLUMNS)?;
    let mut lines: HashMap<&str, u64> = HashMap::new();
    let mut strata = Vec::new();
    for row in columns.rows() {
        let name = row.text("stratum");
        if name.is_empty() {
            return Err(row.wrong("stratum", "the cell is empty; the stratum's name is needed"));
        }
        if let Some(first) = lines.insert(name, row.line()) {
            let why = format!(
                "`{name}` is the stratum of line {first} already; a stratum has one row, with its counts \
                 added up"
            );
            return Err(row.wrong("stratum", why));
        }
        strata.push(stratum(row)?);
    }
    if strata.iter().all(|stratum| !stratum.compares()) {
        return Err(columns.wrong(
            "no stratum has trials on both sides, so there is nothing to compare; a stratum needs \
             base_n and test_n of 1 or more",
        ));
    }
    let found = strata::summarize(&strata, args.options.level)?;
    let mut notes = say::notes(&strata, &found);
    notes.extend(columns.unused(&COLUMNS));
    let headline = say::headline(&found, args.options.level);
    let mut shown = paths(&["odds_ratio", "difference", "strata", "tests.breslow-day-tarone"]);
    shown.push(format!("tests.{}", say::one_test(&found).0));
    args.options.answer(out, Answer { result: &found, headline, notes, shown })
}

fn stratum(row: Row<'_>) -> Result<Stratum, Failure> {
    let [base_k, base_n, test_k, test_n] =
        ["base_k", "base_n", "test_k", "test_n"].map(|column| row.count(column));
    let (base_k, base_n, test_k, test_n) = (base_k?, base_n?, test_k?, test_n?);
    for (name, k, n) in [("base_k", base_k, base_n), ("test_k", test_k, test_n)] {
        if k > n {
            return Err(row.wrong(name, format!("{k} is more than its {n} trials")));
        }
    }
    Ok(Stratum::new(row.text("stratum"), base_k, base_n, test_k, test_n)?)
}
