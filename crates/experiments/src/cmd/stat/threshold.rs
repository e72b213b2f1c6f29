//! `experiments stat threshold FILE.csv`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use report::say::stat::threshold as say;
use serde::Serialize;
use stats::threshold::{MOST_THREADS, ThreadsTried, Threshold, threshold};
use stats::{Interval, Level, StatError};

use super::columns::Columns;
use super::{Answer, Options, paths};
use crate::failure::{Failure, Outcome};

/// From how many threads on it stalls: a curve over thread counts
///
/// Fits logit p = intercept + slope * log2(threads) with Firth's penalty, which keeps it finite where no
/// trial stalls below some thread count and every one does above. T10, T50 and T90 are the thread counts
/// at which 10, 50 and 90 % stall, with profile intervals of the penalised likelihood; a bound that the
/// data do not give is `-`, and so is a T10, T50 or T90 where no trial stalls at any thread count, or every
/// one does: the curve is then the penalty's alone. What lies beyond the counts tried is said to be below or
/// above them. Beside the curve stands the isotonic estimate, which assumes only that stalls do not become
/// fewer. Where the counts do not fit the curve, the thresholds are the isotonic estimate's, without
/// intervals.
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
    let level = args.options.level;
    let found = found(&rows, level).map_err(|error| columns.wrong(error))?;
    let in_full = args.options.json || args.options.all;
    let of_curve = found.curve.notes.iter().filter(|note| in_full || say::adds(note));
    let mut notes: Vec<String> = of_curve.map(say::note).collect();
    notes.extend((in_full && doubled(level).is_none()).then(|| say::no_one_sided(level)));
    notes.extend(columns.unused(&["threads", "n", "k"]));
    let shown = paths(&["t10", "t50", "t90", "isotonic"]);
    let headline = say::headline(&found.curve, level);
    let mut result = serde_json::to_value(&found).unwrap_or_default();
    if !args.options.json {
        let Threshold { t10, t50, t90, beyond, .. } = &found.curve;
        let tried = found.curve.range().unwrap_or_default();
        for (name, of, beyond) in
            [("t10", t10, beyond.t10), ("t50", t50, beyond.t50), ("t90", t90, beyond.t90)]
        {
            result[name] = say::at(of, beyond, tried).into();
        }
    }
    args.options.answer(out, Answer { result: &result, headline, notes, shown })
}

/// What docs/reference/commands.md promises, then more of the fit, one-sided bounds, and what it cannot carry.
#[derive(Debug, Serialize)]
struct Found {
    #[serde(flatten)]
    curve: Threshold,
    slope_interval: Interval,
    intercept_interval: Interval,
    /// `None` where the level is at most 1/2: twice the error rate is then no level; and where the counts
    /// do not fit the curve that it would be of.
    one_sided: Option<OneSided>,
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

fn found(rows: &[ThreadsTried], level: Level) -> Result<Found, StatError> {
    let curve = threshold(rows, level)?.held_by_the_data();
    let one_sided = match doubled(level).filter(|_| curve.fits()) {
        Some(doubled) => {
            let wide = threshold(rows, doubled)?;
            let [t10, t50, t90] =
                [wide.t10, wide.t50, wide.t90].map(|t| Bounds { at_least: t.low, at_most: t.high });
            Some(OneSided { level, t10, t50, t90 })
        }
        None => None,
    };
    let slope_interval = curve.fit.slope_interval.clone();
    let intercept_interval = curve.fit.intercept_interval.clone();
    Ok(Found { curve, slope_interval, intercept_interval, one_sided })
}

/// The level of twice the error rate.
fn doubled(level: Level) -> Option<Level> {
    Level::new(1.0 - 2.0 * level.alpha()).ok()
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

#[cfg(test)]
mod tests {
    use super::super::csv_text::CsvText;
    use super::*;

    fn read(csv: &str) -> Result<Vec<ThreadsTried>, Failure> {
        let text = CsvText::read("t.csv".into(), csv.as_bytes())?;
        rows(&Columns::of(&text, &[&["threads", "n", "k"]])?)
    }

    #[test]
    fn the_json_has_the_contract_s_shape() {
        let rows = read("threads,n,k\n4,10,0\n8,10,1\n16,10,8\n32,10,10\n").unwrap();
        let found = found(&rows, Level::P95).unwrap();
        let json = serde_json::to_value(&found).unwrap();
        let keys = |value: &serde_json::Value| {
            value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(",")
        };
        assert_eq!(
            keys(&json),
            "fit,t10,t50,t90,isotonic,beyond,goodness_of_fit,slope_interval,intercept_interval,one_sided"
        );
        assert_eq!(keys(&json["fit"]), "intercept,slope,method");
        assert_eq!(keys(&json["t50"]), "estimate,low,high");
        assert_eq!(keys(&json["isotonic"][0]), "threads,p");
    }

    #[test]
    fn one_sided_bounds_are_nearer_and_alone_where_nothing_stalls() {
        let rows = read("threads,n,k\n4,10,0\n8,10,1\n16,10,8\n32,10,10\n").unwrap();
        let found = found(&rows, Level::P95).unwrap();
        let one = found.one_sided.unwrap().t50;
        let two = found.curve.t50;
        assert!(two.low < one.at_least && one.at_least < two.estimate, "{one:?} {two:?}");
        assert!(two.estimate < one.at_most && one.at_most < two.high, "{one:?} {two:?}");
        let none = read("threads,n,k\n4,24,0\n8,24,0\n16,24,0\n").unwrap();
        let of = |rows: &[ThreadsTried], level: f64| super::found(rows, Level::new(level).unwrap());
        let bounds = of(&none, 0.95).unwrap().one_sided.unwrap().t50;
        assert!(bounds.at_least.is_some() && bounds.at_most.is_none(), "{bounds:?}");
        assert!(of(&rows, 0.5).unwrap().one_sided.is_none());
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
