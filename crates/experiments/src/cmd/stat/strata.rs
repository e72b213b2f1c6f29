//! `experiments stat strata FILE.csv`.

use std::io::Write;
use std::path::PathBuf;

use analysis::stat::strata::{self, StrataSummary, Stratum};
use clap::Args;

use super::Options;
use super::columns::{Columns, Row};
use super::table::{Table, number, p_value};
use super::two_by_two::{contrast_rows, side};
use crate::failure::{Failure, Outcome};

const COLUMNS: [&str; 5] = ["stratum", "base_k", "base_n", "test_k", "test_n"];

/// Two proportions in strata: is the contrast the same, and is it there?
///
/// FILE.csv has the columns stratum,base_k,base_n,test_k,test_n (`-` reads standard input). Each
/// stratum is shown, then the Mantel-Haenszel odds ratio and risk difference, the
/// Cochran-Mantel-Haenszel test, its exact form, and Breslow-Day's test of one odds ratio with
/// Tarone's correction.
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
    let strata = columns.rows().map(stratum).collect::<Result<Vec<_>, _>>()?;
    let summary = strata::summarize(&strata, args.options.level)?;
    args.options.answer(out, &summary, || text(&summary, &args.options))
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

fn text(summary: &StrataSummary, options: &Options) -> String {
    let percent = number(options.level.get() * 100.0);
    let mut each =
        Table::new(&["stratum", "base", "test", "difference", "odds ratio", "low", "high"]);
    for s in &summary.strata {
        let exact = s.odds_ratio.intervals.first();
        each.row([
            s.stratum.clone(),
            side(&s.base),
            side(&s.test),
            number(s.difference.estimate),
            number(s.odds_ratio.estimate),
            number(exact.and_then(|interval| interval.low)),
            number(exact.and_then(|interval| interval.high)),
        ]);
    }
    let mut pooled =
        Table::new(&["all strata", "estimate", &format!("{percent} % low"), "high", "method"]);
    contrast_rows(&mut pooled, "odds ratio", &summary.odds_ratio);
    contrast_rows(&mut pooled, "difference", &summary.difference);
    let mut tests = Table::new(&["test", "statistic", "p-value", "asks"]);
    for test in &summary.tests {
        let asks = match test.method {
            "breslow-day-tarone" => "is it one odds ratio?",
            _ => "is the odds ratio 1?",
        };
        tests.row([
            test.method.to_owned(),
            number(test.statistic),
            p_value(test.p_value),
            asks.to_owned(),
        ]);
    }
    format!(
        "{}\n{}\n{}\n{}Default: cmh where strata are well filled (no continuity correction), \
         exact-strata where cells are few.\nThe difference's interval is Klingenberg's (Sato's \
         variance, score form). Assumes independent trials, and for the\npooled estimates one \
         contrast in all strata; a large breslow-day-tarone p-value does not prove that.\n",
        each.render(),
        pooled.render(),
        tests.render(),
        notes(summary),
    )
}

/// What does not exist, and why.
fn notes(summary: &StrataSummary) -> String {
    let mut notes = String::new();
    let empty = summary
        .strata
        .iter()
        .filter(|s| s.base.n == 0 || s.test.n == 0)
        .map(|s| s.stratum.as_str())
        .collect::<Vec<_>>();
    if !empty.is_empty() {
        notes += &format!(
            "No trials on one side, so nothing about the contrast: {}.\n",
            empty.join(", ")
        );
    }
    let no_bounds = |contrast: &analysis::stat::two_by_two::Contrast| {
        contrast.intervals.iter().all(|interval| interval.low.is_none())
    };
    if no_bounds(&summary.odds_ratio) {
        notes += "The common odds ratio is 0, infinite or unknown: it has no interval on the log \
                  scale. The exact test still answers.\n";
    }
    if no_bounds(&summary.difference) {
        notes += "The common difference has no interval: events, or non-events, are missing \
                  altogether.\n";
    }
    for test in summary.tests.iter().filter(|test| test.p_value.is_none()) {
        notes += match test.method {
            "cmh" => "cmh: no stratum has both events and non-events.\n",
            "exact-strata" => {
                "exact-strata: no count can vary, or the strata are too large to enumerate (then \
                 cmh serves).\n"
            }
            _ => {
                "breslow-day-tarone: fewer than two informative strata, or no finite common odds \
                 ratio.\n"
            }
        };
    }
    if !notes.is_empty() {
        notes.push('\n');
    }
    notes
}
