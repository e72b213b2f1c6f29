//! Times the three statistics that `benches/statistics-ratio.sh` compares with scipy and lifelines.
//!
//!     statistics-speed FOLDER REPEATS
//!
//! FOLDER holds what the other side reads too: `a.txt` and `b.txt`, a number a line, and
//! `survival.csv` with the columns time, event, group. A line a repeat is printed, as JSON: what, the
//! seconds of the computation alone, and the answer, so that no speed is compared between two
//! different answers.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use rayon::prelude::*;
use serde_json::{Value, json};
use stallscope_stats::samples::{MedianRatio, Resampling};
use stallscope_stats::survival::{FollowUp, KaplanMeier, PointwiseMethod};
use stallscope_stats::survival::{RankWeight, median_by_band, rank_tests_of_curves};
use stallscope_stats::two_by_two::{TwoByTwo, boschloo};
use stallscope_stats::{Alternative, Level, StatError};

type Answer = Result<Value, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.as_slice() {
        [folder, repeats] => match repeats.parse() {
            Ok(repeats) => measure(Path::new(folder), repeats),
            Err(_) => Err(format!("the number of repeats is a count, not `{repeats}`").into()),
        },
        _ => Err("usage: statistics-speed FOLDER REPEATS".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("statistics-speed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(folder: &Path, repeats: u32) -> Result<(), Box<dyn std::error::Error>> {
    let (a, b) = (numbers(&folder.join("a.txt"))?, numbers(&folder.join("b.txt"))?);
    let groups = groups(&folder.join("survival.csv"))?;
    let sides: Vec<&[FollowUp]> = groups.iter().map(Vec::as_slice).collect();
    for _ in 0..repeats {
        timed("boschloo", || {
            let table = TwoByTwo::new(40, 200, 24, 200)?;
            Ok(json!(boschloo::test(table, Alternative::TwoSided).p_value))
        })?;
        timed("bca", || {
            let resampling = Resampling::new(100_000, 1)?;
            let ratio = MedianRatio::of(&a, &b, Level::P95, resampling)?;
            Ok(json!(ratio.intervals.iter().find(|interval| interval.method == "bca")))
        })?;
        timed("survival", || {
            // The curves with their intervals at every time, as the other side has them.
            let method = PointwiseMethod::LogLog;
            let side = |trials: &&[FollowUp]| {
                let curve = KaplanMeier::fit(trials)?;
                let band = method.band(&curve, Level::P95);
                let last = band.last().and_then(|bounds| bounds.low());
                let middle = median_by_band(&curve, method, Level::P95, &band);
                Ok((curve, json!({"median": middle.estimate, "last_low": last})))
            };
            let found: Vec<(KaplanMeier, Value)> =
                sides.par_iter().map(side).collect::<Result<_, StatError>>()?;
            let curves: Vec<&KaplanMeier> = found.iter().map(|(curve, _)| curve).collect();
            let test = rank_tests_of_curves(&curves, &[RankWeight::LogRank])?;
            let medians: Vec<&Value> = found.iter().map(|(_, median)| median).collect();
            let log_rank = test.first().and_then(|test| test.result.statistic);
            Ok(json!({"groups": medians, "log_rank": log_rank}))
        })?;
    }
    Ok(())
}

fn timed(what: &str, compute: impl FnOnce() -> Answer) -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let answer = compute()?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{}", json!({"what": what, "seconds": seconds, "answer": answer}));
    Ok(())
}

fn numbers(path: &Path) -> Result<Vec<f64>, Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string(path)?;
    Ok(text.lines().map(str::parse).collect::<Result<_, _>>()?)
}

/// The trials of each group, in the order in which groups appear.
fn groups(path: &Path) -> Result<Vec<Vec<FollowUp>>, Box<dyn std::error::Error>> {
    let mut names: Vec<String> = Vec::new();
    let mut groups: Vec<Vec<FollowUp>> = Vec::new();
    let mut reader = csv::Reader::from_path(path)?;
    for row in reader.deserialize() {
        let (time, event, group): (f64, u8, String) = row?;
        let at = names.iter().position(|name| *name == group).unwrap_or_else(|| {
            names.push(group);
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[at].push(FollowUp::new(time, event == 1)?);
    }
    Ok(groups)
}
