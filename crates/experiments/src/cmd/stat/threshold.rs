//! `experiments stat threshold FILE.csv`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use stats::threshold::{MOST_THREADS, ThreadsTried, Threshold, threshold};
use stats::{Interval, Level, StatError};

use super::Options;
use super::columns::Columns;
use super::table::{Table, number};
use crate::failure::{Failure, Outcome};

/// From how many threads on it stalls: a curve over thread counts
///
/// Fits logit p = intercept + slope * log2(threads) with Firth's penalty, which keeps it finite where no
/// trial stalls below some thread count and every one does above. T10, T50 and T90 are the thread counts
/// at which 10, 50 and 90 % stall, with profile intervals of the penalised likelihood; a bound that the
/// data do not give is `-`, and so is a T10, T50 or T90 where no trial stalls at any thread count, or every
/// one does: the curve is then the penalty's alone. Beside the curve stands the isotonic estimate, which assumes only that
/// stalls do not become fewer.
///
/// A one-sided bound asks one question, as "from at least how many threads on?", and is nearer at the same
/// level: it is that of the two-sided interval with twice the error rate. Where no trial stalls at any
/// count, or every one does, only one of the two exists.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  printf 'threads,n,k\\n4,10,0\\n8,10,1\\n16,10,8\\n32,10,10\\n' | experiments stat threshold -")]
pub struct ThresholdArgs {
    /// CSV with the columns threads, n (trials) and k (stalled); `-` reads standard input
    #[arg(value_name = "FILE.csv")]
    file: PathBuf,
    #[command(flatten)]
    options: Options,
}

/// Runs the command.
pub fn run(args: ThresholdArgs, out: &mut dyn Write) -> Outcome {
    let columns = Columns::read(&args.file, &["threads", "n", "k"])?;
    let rows = rows(&columns)?;
    let mut answer = answer(&rows, &args.options).map_err(|error| columns.wrong(error))?;
    answer.notes.extend(columns.unused(&["threads", "n", "k"]));
    args.options.answer(out, &answer, || text(&rows, &answer, &args.options))
}

/// What docs/reference/commands.md promises, then more of the fit, one-sided bounds, and what it cannot carry.
#[derive(Debug, Serialize)]
struct Answer {
    #[serde(flatten)]
    curve: Threshold,
    slope_interval: Interval,
    intercept_interval: Interval,
    /// `None` where the level is at most 1/2: twice the error rate is then no level, and a note says so.
    one_sided: Option<OneSided>,
    notes: Vec<String>,
}

/// Bounds that each hold at the level by themselves, not both together.
#[derive(Debug, Serialize)]
struct OneSided {
    level: Level,
    t10: Bounds,
    t50: Bounds,
    t90: Bounds,
}

#[derive(Debug, Clone, Copy, Serialize)]
struct Bounds {
    at_least: Option<f64>,
    at_most: Option<f64>,
}

fn answer(rows: &[ThreadsTried], options: &Options) -> Result<Answer, StatError> {
    let curve = threshold(rows, options.level)?.held_by_the_data();
    let one_sided = match Level::new(1.0 - 2.0 * options.level.alpha()) {
        Ok(doubled) => {
            let wide = threshold(rows, doubled)?;
            let [t10, t50, t90] =
                [wide.t10, wide.t50, wide.t90].map(|t| Bounds { at_least: t.low, at_most: t.high });
            Some(OneSided { level: options.level, t10, t50, t90 })
        }
        Err(_) => None,
    };
    let mut notes: Vec<String> = curve.notes.iter().map(stats::said::threshold::note).collect();
    if one_sided.is_none() {
        notes.push(format!(
            "no one-sided bounds at {} %: at a level of 50 % or less such a bound is the estimate or \
             beyond it",
            options.level.percent()
        ));
    }
    let slope_interval = curve.fit.slope_interval.clone();
    let intercept_interval = curve.fit.intercept_interval.clone();
    Ok(Answer { curve, slope_interval, intercept_interval, one_sided, notes })
}

fn rows(columns: &Columns) -> Result<Vec<ThreadsTried>, Failure> {
    columns
        .rows()
        .map(|row| {
            let (threads, n, k) = (row.count("threads")?, row.count("n")?, row.count("k")?);
            if threads == 0 || threads > MOST_THREADS {
                let why = format!(
                    "it is {threads}; a thread count is 1 to {MOST_THREADS}, the most that Linux can \
                     have"
                );
                return Err(row.wrong("threads", why));
            }
            if k > n {
                return Err(row.wrong("k", format!("{k} stalled of n = {n}; k is 0 to n")));
            }
            Ok(ThreadsTried { threads, n, k })
        })
        .collect()
}

fn text(rows: &[ThreadsTried], answer: &Answer, options: &Options) -> String {
    let curve = &answer.curve;
    let percent = options.level.percent();
    let mut fitted = Table::new(&["", "estimate", "low", "high", "at least", "at most"]);
    let one_sided = answer.one_sided.as_ref();
    for (name, t, bounds) in [
        ("T10", curve.t10, one_sided.map(|all| all.t10)),
        ("T50", curve.t50, one_sided.map(|all| all.t50)),
        ("T90", curve.t90, one_sided.map(|all| all.t90)),
    ] {
        fitted.row([
            name.to_owned(),
            number(t.estimate),
            number(t.low),
            number(t.high),
            number(bounds.and_then(|bounds| bounds.at_least)),
            number(bounds.and_then(|bounds| bounds.at_most)),
        ]);
    }
    let fit = &curve.fit;
    for (name, estimate, interval) in [
        ("slope", fit.slope, &fit.slope_interval),
        ("intercept", fit.intercept, &fit.intercept_interval),
    ] {
        let (low, high) = (number(interval.low), number(interval.high));
        fitted.row([name.to_owned(), number(estimate), low, high]);
    }
    let mut steps = Table::new(&["threads", "stalled", "of", "isotonic", "curve"]);
    for step in &curve.isotonic {
        let here = rows.iter().filter(|row| row.threads == step.threads);
        let (k, n) = here.fold((0, 0), |(k, n), row| (k + row.k, n + row.n));
        let log_odds = fit.intercept + fit.slope * (step.threads as f64).log2();
        steps.row([
            step.threads.to_string(),
            k.to_string(),
            n.to_string(),
            number(step.p),
            number(1.0 / (1.0 + (-log_odds).exp())),
        ]);
    }
    let notes: String = answer.notes.iter().map(|note| format!("Note: {note}.\n")).collect();
    format!(
        "Threads at which 10, 50 and 90 % stall; {percent} % profile intervals; at least, at most: one-sided\n{}\n{}\n{notes}\
         The curve is Firth's logistic one in log2(threads) and rises to 1; where the isotonic steps \
         stay\nbelow it, it does not hold. Assumes independent trials.\n",
        fitted.render(),
        steps.render(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: Options = Options { level: Level::P95, json: false };

    fn read(csv: &str) -> Result<Vec<ThreadsTried>, Failure> {
        rows(&Columns::parse("t.csv".into(), csv.as_bytes(), &[&["threads", "n", "k"]])?)
    }

    #[test]
    fn the_json_has_the_contract_s_shape() {
        let rows = read("threads,n,k\n4,10,0\n8,10,1\n16,10,8\n32,10,10\n").unwrap();
        let answer = answer(&rows, &OPTIONS).unwrap();
        let json = serde_json::to_value(&answer).unwrap();
        let keys = |value: &serde_json::Value| {
            value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(",")
        };
        assert_eq!(
            keys(&json),
            "fit,t10,t50,t90,isotonic,slope_interval,intercept_interval,one_sided,notes"
        );
        assert_eq!(keys(&json["fit"]), "intercept,slope,method");
        assert_eq!(keys(&json["t50"]), "estimate,low,high");
        assert_eq!(keys(&json["isotonic"][0]), "threads,p");
    }

    #[test]
    fn the_text_shows_curve_steps_and_notes() {
        let rows = read("threads,n,k\n4,10,0\n8,10,0\n16,10,10\n").unwrap();
        let text = text(&rows, &answer(&rows, &OPTIONS).unwrap(), &OPTIONS);
        assert!(text.contains("T50") && text.contains("95 % profile intervals"), "{text}");
        assert!(text.contains("Note: the data are separated"), "{text}");
        let row: Vec<&str> = text
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>())
            .find(|cells| cells.first() == Some(&"16"))
            .unwrap();
        assert_eq!(row[1..4], ["10", "10", "1"], "{text}");
    }

    #[test]
    fn one_sided_bounds_are_nearer_and_alone_where_nothing_stalls() {
        let rows = read("threads,n,k\n4,10,0\n8,10,1\n16,10,8\n32,10,10\n").unwrap();
        let found = answer(&rows, &OPTIONS).unwrap();
        let one = found.one_sided.unwrap().t50;
        let two = found.curve.t50;
        assert!(two.low < one.at_least && one.at_least < two.estimate, "{one:?} {two:?}");
        assert!(two.estimate < one.at_most && one.at_most < two.high, "{one:?} {two:?}");
        let none = read("threads,n,k\n4,24,0\n8,24,0\n16,24,0\n").unwrap();
        let bounds = answer(&none, &OPTIONS).unwrap().one_sided.unwrap().t50;
        assert!(bounds.at_least.is_some() && bounds.at_most.is_none(), "{bounds:?}");
        let half = Options { level: Level::new(0.5).unwrap(), json: false };
        let found = answer(&rows, &half).unwrap();
        assert!(found.one_sided.is_none());
        let said = found.notes.iter().any(|note| note.contains("no one-sided bounds at 50 %"));
        assert!(said, "{:?}", found.notes);
    }

    #[test]
    fn a_wrong_cell_is_named() {
        let says = |csv: &str| read(csv).unwrap_err().to_string();
        assert_eq!(
            says("threads,n,k\n4,10,0\n8,10,11\n"),
            "t.csv, line 3, column `k`: 11 stalled of n = 10; k is 0 to n"
        );
        assert!(says("threads,n,k\n-4,10,0\n").contains("line 2, column `threads`"));
        assert!(
            says("threads,n,k\n0,10,0\n")
                .contains("line 2, column `threads`: it is 0; a thread count")
        );
        assert!(says("threads,n,k\n4,x,0\n").contains("line 2, column `n`"));
        assert!(says("threads,n\n4,1\n").contains("no column `k`"));
    }
}
