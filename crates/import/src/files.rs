//! The files of an imported run, as texts.
//!
//! Trials are numbered in the order of the source. A cell is one combination of factors, by its
//! first trial; where the source has no blocks, the n-th trial of every cell is in block n.

use std::collections::{BTreeMap, HashMap};

use model::column::{Column, header, names};
use model::columns::{CHECKS, FACTORS, METRICS, NOTES, PLAN, TIMELINE, TRIALS};
use model::rows::{CheckRow, NoteRow, decimal_text, inert, one_line};
use records::table::csv_rows;
use serde::Serialize;

use crate::imported::{Imported, ImportedTrial, Metric, Sample};

/// Each file's text; `None` for a file that the run doesn't have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFiles {
    /// `plan.csv`: the trials, as if they had been planned in this order.
    pub plan: String,
    /// `trials.csv`.
    pub trials: String,
    /// `timeline.csv`.
    pub timeline: String,
    /// `metrics.csv`.
    pub metrics: String,
    /// `checks.csv`.
    pub checks: Option<String>,
    /// `notes.csv`.
    pub notes: Option<String>,
    /// How many cells there are.
    pub cells: usize,
}

impl RunFiles {
    /// The files of what was imported and filled.
    pub fn of(imported: &Imported, experiment: &str) -> RunFiles {
        let mut cells: HashMap<Vec<String>, (usize, usize)> = HashMap::new();
        let mut trials = Vec::new();
        let mut plan = Vec::new();
        for (index, trial) in imported.trials.iter().enumerate() {
            let number = (index + 1).to_string();
            let labels = labels(&trial.labels);
            let factors: Vec<String> = FACTORS
                .iter()
                .map(|factor| match *factor {
                    "labels" => labels.clone(),
                    factor => trial.cells.get(factor).unwrap_or("").to_string(),
                })
                .collect();
            let known = cells.len();
            let (cell, seen) = cells.entry(factors).or_insert((known + 1, 0));
            *seen += 1;
            let numbered = Numbered {
                number,
                block: seen.to_string(),
                cell: cell.to_string(),
                experiment,
                labels,
            };
            trials.push(names(&TRIALS).map(|column| numbered.cell(trial, column)));
            plan.push(names(&PLAN).map(|column| numbered.cell(trial, column)));
        }
        let each = |index: usize| (index + 1).to_string();
        let trials_of = || imported.trials.iter().enumerate();
        let timeline = trials_of().flat_map(|(index, trial)| {
            trial.samples.iter().map(move |sample| sample_row(each(index), trial, sample))
        });
        let metrics = trials_of().flat_map(|(index, trial)| {
            trial.metrics.iter().map(move |metric| metric_row(each(index), metric))
        });
        let notes: Vec<NoteRow> = (1..)
            .zip(&imported.trials)
            .flat_map(|(number, trial)| {
                let row = move |(key, text): (&String, &String)| NoteRow {
                    trial: number,
                    note: inert(one_line(key)),
                    text: inert(one_line(text)),
                };
                trial.notes.iter().map(row)
            })
            .collect();
        let checks: Vec<CheckRow> = imported
            .checks
            .iter()
            .map(|check| CheckRow { check: inert(one_line(&check.check)), ..check.clone() })
            .collect();
        RunFiles {
            plan: csv_text(&PLAN, plan),
            trials: csv_text(&TRIALS, trials),
            timeline: csv_text(&TIMELINE, timeline),
            metrics: csv_text(&METRICS, metrics),
            checks: (!checks.is_empty()).then(|| rows_text(&CHECKS, &checks)),
            notes: (!notes.is_empty()).then(|| rows_text(&NOTES, &notes)),
            cells: cells.len(),
        }
    }

    /// Name and text of each file.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [
            ("plan.csv", Some(&self.plan)),
            ("trials.csv", Some(&self.trials)),
            ("timeline.csv", Some(&self.timeline)),
            ("metrics.csv", Some(&self.metrics)),
            ("checks.csv", self.checks.as_ref()),
            ("notes.csv", self.notes.as_ref()),
        ]
        .into_iter()
        .filter_map(|(name, text)| Some((name, text?.as_str())))
    }
}

/// What the import says of a trial.
struct Numbered<'a> {
    number: String,
    block: String,
    cell: String,
    experiment: &'a str,
    labels: String,
}

impl Numbered<'_> {
    fn cell(&self, trial: &ImportedTrial, column: &str) -> String {
        match column {
            "sequence" | "trial" => self.number.clone(),
            "cell" => self.cell.clone(),
            "experiment" => self.experiment.to_string(),
            "labels" => self.labels.clone(),
            "block" => trial.cells.get("block").unwrap_or(&self.block).to_string(),
            "status" => trial.cells.get("status").unwrap_or("ok").to_string(),
            column => trial.cells.get(column).unwrap_or("").to_string(),
        }
    }
}

fn labels(labels: &BTreeMap<String, String>) -> String {
    labels.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(";")
}

fn sample_row(number: String, trial: &ImportedTrial, sample: &Sample) -> [String; 6] {
    let text = |n: Option<u64>| n.map_or_else(String::new, |n| n.to_string());
    let threads = match sample.threads {
        Some(threads) => threads.to_string(),
        None => trial.cells.get("threads").unwrap_or("").to_string(),
    };
    [
        number,
        decimal_text(sample.t_s),
        threads,
        text(sample.ops),
        sample.mops_per_s.map_or_else(String::new, decimal_text),
        text(sample.slots.map(u64::from)),
    ]
}

fn metric_row(number: String, metric: &Metric) -> [String; 4] {
    let value = decimal_text(metric.value);
    [number, inert(one_line(&metric.metric)), value, inert(one_line(&metric.unit))]
}

fn rows_text(columns: &[Column], rows: &[impl Serialize]) -> String {
    format!("{}\n{}", header(columns), csv_rows(rows))
}

fn csv_text<const N: usize>(
    columns: &[Column],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Into memory, rows of one length: this can't fail.
    let _ = writer.write_record(columns.iter().map(|column| column.name));
    for row in rows {
        let _ = writer.write_record(&row);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use records::table::Table;

    use super::*;

    fn trial(threads: &str, hash: &str) -> ImportedTrial {
        let mut trial = ImportedTrial::at(1);
        for (column, text) in [("workload", "command"), ("threads", threads), ("hash", hash)] {
            trial.cells.set(column, text).unwrap();
        }
        trial
    }

    #[test]
    fn the_files_are_those_of_a_run() {
        let mut first = trial("8", "auto");
        first.labels = [("b".into(), "x, y".into()), ("a".into(), "1".into())].into();
        first.samples = vec![Sample { t_s: 1.5, mops_per_s: Some(3.4), ..Sample::default() }];
        first.metric("wake_time", 0.25, "ms");
        first.notes.insert("approximate".into(), "two\nlines".into());
        let imported = Imported {
            trials: vec![first.clone(), trial("8", "slots:64"), first],
            checks: vec![CheckRow { check: "a, b".into(), passed: 1, failed: 0 }],
            ..Imported::default()
        };
        let files = RunFiles::of(&imported, "x");
        let read = |name: &str, columns: &[Column]| {
            let (_, text) = files.iter().find(|(file, _)| *file == name).unwrap();
            Table::parse(Path::new(name), text.as_bytes().to_vec(), columns).unwrap()
        };
        let table = read("trials.csv", &TRIALS);
        table.unique("trial").unwrap();
        let column = |name: &str| -> Vec<String> {
            table.column(name).into_iter().map(|(_, cell)| cell).collect()
        };
        assert_eq!(column("cell"), ["1", "2", "1"]);
        assert_eq!(column("block"), ["1", "1", "2"]);
        assert_eq!(column("labels"), ["a=1;b=x, y", "", "a=1;b=x, y"]);
        assert_eq!(column("status"), ["ok", "ok", "ok"]);
        assert_eq!(column("seed"), ["", "", ""], "what is not known is empty");
        assert_eq!(read("plan.csv", &PLAN).rows, 3);
        let timeline = read("timeline.csv", &TIMELINE);
        assert!(timeline.text.contains("1,1.5,8,,3.4,\n"), "{}", timeline.text);
        assert_eq!(read("metrics.csv", &METRICS).rows, 2);
        assert_eq!(files.checks.as_deref(), Some("check,passed,failed\n\"a, b\",1,0\n"));
        assert!(files.notes.unwrap().contains("1,approximate,two lines\n"));
        assert_eq!(files.cells, 2);
    }

    #[test]
    fn a_run_of_checks_alone_has_no_trial() {
        let checks = vec![CheckRow { check: "a".into(), passed: 1, failed: 0 }];
        let files = RunFiles::of(&Imported { checks, ..Imported::default() }, "x");
        assert_eq!(files.trials.lines().count(), 1);
        assert_eq!(files.notes, None);
    }
}
