//! `experiments stat strata FILE.csv`.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use stats::strata::{self, StrataSummary, Stratum, exact_strata, mantel_fleiss};

use super::Options;
use super::answer::Answer;
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
    let summary = strata::summarize(&strata, args.options.level)?;
    let mut notes = notes(&strata, &summary);
    notes.extend(columns.unused(&COLUMNS));
    let answer = Answer { notes, summary };
    args.options.answer(out, &answer, || text(&answer, &args.options))
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

fn text(answer: &Answer<StrataSummary>, options: &Options) -> String {
    let summary = &answer.summary;
    let percent = options.level.percent();
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
    let mut notes: String = answer.notes.iter().map(|note| format!("Note: {note}.\n")).collect();
    if !notes.is_empty() {
        notes.push('\n');
    }
    format!(
        "{}\n{}\n{}\n{notes}Default: cmh where strata are well filled (no continuity correction), \
         exact-strata where cells are few.\nThe difference's interval is Klingenberg's (Sato's \
         variance, score form). Assumes independent trials, and for the\npooled estimates one \
         contrast in all strata; a large breslow-day-tarone p-value does not prove that.\n",
        each.render(),
        pooled.render(),
        tests.render(),
    )
}

/// What does not exist, and why.
fn notes(strata: &[Stratum], summary: &StrataSummary) -> Vec<String> {
    let mut notes = Vec::new();
    let named = |is: &dyn Fn(u64, u64, u64, u64) -> bool| {
        let found = summary.strata.iter().filter(|s| is(s.base.k, s.base.n, s.test.k, s.test.n));
        found.map(|s| s.stratum.as_str()).collect::<Vec<_>>().join(", ")
    };
    for (what, names) in [
        (
            "no trials on the base side, so nothing about the contrast",
            named(&|_, base_n, _, test_n| base_n == 0 && test_n > 0),
        ),
        (
            "no trials on the test side, so nothing about the contrast",
            named(&|_, base_n, _, test_n| base_n > 0 && test_n == 0),
        ),
        ("no trials at all", named(&|_, base_n, _, test_n| base_n == 0 && test_n == 0)),
        (
            "no events on either side, so nothing about the odds ratio and its tests",
            named(&|base_k, base_n, test_k, test_n| {
                base_n > 0 && test_n > 0 && base_k == 0 && test_k == 0
            }),
        ),
        (
            "every trial of both sides has the event, so nothing about the odds ratio and its tests",
            named(&|base_k, base_n, test_k, test_n| {
                base_n > 0 && test_n > 0 && base_k == base_n && test_k == test_n
            }),
        ),
    ] {
        if !names.is_empty() {
            notes.push(format!("{what}: {names}"));
        }
    }
    let no_bounds = |contrast: &stats::two_by_two::Contrast| {
        contrast.intervals.iter().all(|interval| interval.low.is_none())
    };
    // Strata with trials on both sides, with events and with non-events: they alone tell of the odds.
    let telling = summary.strata.iter().filter(|s| {
        let (k, n) = (s.base.k + s.test.k, s.base.n + s.test.n);
        s.base.n > 0 && s.test.n > 0 && k > 0 && k < n
    });
    let telling = telling.count();
    let exact = exact_strata::unanswered(strata);
    if no_bounds(&summary.odds_ratio) {
        let what = match (telling, summary.odds_ratio.estimate) {
            (0, _) => {
                "unknown, as no stratum with trials on both sides has both events and non-events"
            }
            (_, Some(_)) => "0",
            (_, None) => "infinite",
        };
        let serves = if exact.is_none() { "; exact-strata still answers" } else { "" };
        notes.push(format!(
            "the common odds ratio is {what}: it has no interval on the log scale{serves}"
        ));
    }
    if no_bounds(&summary.difference) {
        notes.push(
            "the common difference has no interval: events, or non-events, are missing altogether"
                .into(),
        );
    }
    for test in summary.tests.iter().filter(|test| test.p_value.is_none()) {
        notes.push(match (test.method, exact) {
            ("exact-strata", Some(exact_strata::Unanswered::TooLarge)) => format!(
                "exact-strata: the strata are too large to enumerate, above {:e} products; cmh serves",
                exact_strata::MOST_WORK
            ),
            ("exact-strata", _) => "exact-strata: the margins of every stratum allow one table only, \
                                    so no count can vary"
                .into(),
            ("cmh", _) => "cmh: no stratum with trials on both sides has both events and non-events".into(),
            _ if telling < 2 => format!(
                "breslow-day-tarone: it compares the odds ratios of two or more strata that have events \
                 and non-events, and there {}",
                match telling {
                    0 => "is none",
                    _ => "is one",
                }
            ),
            _ => "breslow-day-tarone: the common odds ratio is 0 or infinite, so no count is expected"
                .into(),
        });
    }
    let by_chi_square = summary.tests.iter().any(|test| test.p_value.is_some());
    if by_chi_square && mantel_fleiss::is_sparse(strata) {
        notes.push(format!(
            "sparse by Mantel and Fleiss' criterion ({} where {} is enough): read exact-strata, not cmh",
            number(mantel_fleiss::room(strata)),
            number(mantel_fleiss::ENOUGH)
        ));
    }
    notes
}
