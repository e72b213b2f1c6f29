//! What the source of a run says itself: whether a trial stalled.
//!
//! Published figures often give counts without the throughputs behind them. An imported run then has
//! the metric `stalled`, 1 or 0, in `metrics.csv`; the rule `reported` judges by it.

use std::collections::HashMap;
use std::path::Path;

use model::columns::METRICS;
use records::RecordError;
use records::table::Table;

pub use model::outcome::reported::METRIC;

const FILE: &str = "metrics.csv";

/// By the trial's number; a trial of which nothing is said is not in it.
pub fn read(run: &Path) -> Result<HashMap<u64, bool>, RecordError> {
    let file = run.join(FILE);
    let mut reported = HashMap::new();
    let Some(table) = Table::read_begun(&file, &METRICS)? else { return Ok(reported) };
    let metrics = table.column("metric");
    for (((line, metric), (_, trial)), (_, value)) in
        metrics.into_iter().zip(table.column("trial")).zip(table.column("value"))
    {
        if metric != METRIC {
            continue;
        }
        let bad = |problem: String| RecordError::Row { file: file.clone(), line, problem };
        let stalled = match value.parse::<f64>() {
            Ok(1.0) => true,
            Ok(0.0) => false,
            _ => return Err(bad(format!("{METRIC} is {value:?}: accepted is 1 or 0"))),
        };
        // The table's reader has checked that it is a whole number.
        let Ok(trial) = trial.parse::<u64>() else { continue };
        if reported.insert(trial, stalled).is_some() {
            return Err(bad(format!("trial {trial} has the metric {METRIC} twice")));
        }
    }
    Ok(reported)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(rows: &str) -> Result<HashMap<u64, bool>, String> {
        let folder = tempfile::tempdir().unwrap();
        let text = format!("{}\n{rows}", model::column::header(&METRICS));
        std::fs::write(folder.path().join(FILE), text).unwrap();
        read(folder.path()).map_err(|error| error.to_string())
    }

    #[test]
    fn only_its_metric_counts() {
        let reported = run("1,stalled,1,1\n1,seconds,7,s\n2,stalled,0,1\n").unwrap();
        assert_eq!(reported, HashMap::from([(1, true), (2, false)]));
        let folder = tempfile::tempdir().unwrap();
        assert!(read(folder.path()).unwrap().is_empty());
    }

    #[test]
    fn what_is_neither_or_twice_is_named() {
        assert!(run("1,stalled,0.5,1\n").unwrap_err().contains("line 2: stalled is \"0.5\""));
        assert!(run("1,stalled,1,1\n1,stalled,1,1\n").unwrap_err().contains("line 3: trial 1"));
    }
}
