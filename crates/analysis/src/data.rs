//! The recorded trials of one run or several, as one data set.
//!
//! A file is checked whole before a row of it is used; polars then parses only the columns that a
//! table asks for. The checked text is what is parsed, not the file again: a run that is still
//! going on is seen at one moment.
//!
//! A cell is what may be pooled: trials of the same factors, on the same number of CPUs and nodes.
//! Neither is a factor, because a machine has what it has; where a data set holds several for the
//! same factors (guests of several sizes), each cell's labels say which it is.

use std::collections::HashMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::column::{Column as Declared, Kind};
use model::columns::{FACTORS, PLACE, PLAN, TRIALS};
use model::event::Event;
use model::record::Status;
use polars::prelude::*;
use records::RecordError;
use records::table::Table;

use crate::case::{self, InTrial};
use crate::damage::TornLine;
use crate::error::AnalysisError;
use crate::factors::Factors;
use crate::measured::{self, Names};
use crate::outcome::Outcome;
use crate::planned::{self, Missing};
use crate::run::Run;

const TRIALS_FILE: &str = "trials.csv";

/// What the tables are made from, besides [`FACTORS`] and what a case reads.
const NEEDED: [&str; 12] = [
    "trial",
    "block",
    "boot",
    "duration_s",
    "cpus",
    "nodes",
    "elapsed_s",
    "mops_per_s",
    "steal_s",
    "splats",
    "status",
    "error",
];

/// Columns that a rule may name as metrics, with their units.
pub const COLUMNS_AS_METRICS: [(&str, &str); 3] =
    [("elapsed_s", "s"), ("mops_per_s", "Mops/s"), ("steal_s", "s")];

/// A trial that ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Its run, by its place in [`Data::runs`].
    pub run: usize,
    /// Its number in that run.
    pub trial: u64,
    /// Its block in that run.
    pub block: u64,
    /// The boot of its guest, a number of its run; `None` outside of guests.
    pub boot: Option<u64>,
    /// Its cell, by its place in [`Data::cells`].
    pub cell: usize,
    /// How long it was to measure.
    pub duration_s: Option<f64>,
    /// CPUs online where it ran.
    pub cpus: Option<u64>,
    /// NUMA nodes where it ran.
    pub nodes: Option<u64>,
    /// How long all threads worked.
    pub elapsed_s: Option<f64>,
    /// Its throughput.
    pub mops_per_s: Option<f64>,
    /// What became of the case's event; `None` where it was not recorded.
    pub event: Option<Event>,
    /// What only a case records.
    pub of_case: InTrial,
    /// What the hypervisor took from the CPUs during it, in seconds of one CPU.
    pub steal_s: Option<f64>,
    /// Its metrics: the place of each in [`Data::names`], and its value.
    pub metrics: Vec<(u32, f64)>,
    /// Kernel complaints that fell into it; `None` where nobody watched.
    pub splats: Option<Box<str>>,
    /// How it ended.
    pub status: Status,
    /// Why it failed.
    pub error: Option<Box<str>>,
    /// Whether the rule names what it failed by, so that it is a hit and no failure. Known once it was
    /// judged.
    pub is_hit: bool,
}

impl Trial {
    /// Whether it did its work.
    pub fn is_ok(&self) -> bool {
        self.status == Status::Ok
    }

    /// Whether it failed by something else than the rule names.
    pub fn failed(&self) -> bool {
        !self.is_ok() && !self.is_hit
    }
}

/// Trials of one run or several.
#[derive(Debug, Clone)]
pub struct Data {
    /// The runs, as named.
    pub runs: Vec<Run>,
    /// The cells that have a trial, in the order of tables.
    pub cells: Vec<Factors>,
    /// The trials, in the order of runs and rows.
    pub trials: Vec<Trial>,
    /// Beside the runs: what was planned and has no row.
    pub missing: Vec<Missing>,
    /// The metrics that trials have.
    pub names: Names,
}

impl Data {
    /// A metric of a trial, or a column that a rule may name as one: its value and its unit.
    pub fn number<'a>(&'a self, trial: &Trial, name: &str) -> Option<(f64, &'a str)> {
        let metric = trial.metrics.iter().find_map(|(at, value)| {
            let (found, unit) = self.names.get(*at);
            (found == name).then_some((*value, unit))
        });
        metric.or_else(|| {
            let [elapsed, throughput, steal] = COLUMNS_AS_METRICS;
            let values = [trial.elapsed_s, trial.mops_per_s, trial.steal_s];
            let columns = [elapsed, throughput, steal].into_iter().zip(values);
            columns.into_iter().find_map(|((column, unit), value)| {
                value.filter(|_| column == name).map(|value| (value, unit))
            })
        })
    }

    /// Takes down which failures the rule names, from what it says of each trial.
    pub fn mark_hits(&mut self, outcomes: &[Option<Outcome>]) {
        for (trial, outcome) in self.trials.iter_mut().zip(outcomes) {
            trial.is_hit |= *outcome == Some(Outcome::Stalled);
        }
    }

    /// Reads runs as one data set. A torn last line is set aside and noted with its run; a run
    /// without a finished trial is a run.
    pub fn read(folders: &[PathBuf]) -> Result<Data, AnalysisError> {
        if folders.is_empty() {
            return Err(AnalysisError::NoRun);
        }
        let mut seen = Vec::new();
        let mut runs = Vec::new();
        let mut frame: Option<DataFrame> = None;
        for folder in folders {
            let mut run = Run::read(folder)?;
            let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            if seen.contains(&real) {
                return Err(AnalysisError::SameRun { folder: folder.clone() });
            }
            seen.push(real);
            let file = folder.join(TRIALS_FILE);
            if !file.exists() {
                let missing = TRIALS_FILE;
                return Err(RecordError::NotARun { folder: folder.clone(), missing }.into());
            }
            let mut table = Table::read(&file, &TRIALS)?;
            table.unique("trial")?;
            run.finished = table.rows;
            let torn = table.torn.clone();
            run.torn = torn.map(|torn| TornLine::of(&run, torn, &file, |_| false));
            let text = std::mem::take(&mut table.text);
            let rows = parsed(text, runs.len() as u64);
            frame = match (frame, rows.map_err(|error| columns_error(&file, &error))?) {
                (None, rows) => Some(rows),
                (Some(mut all), rows) => {
                    all.vstack_mut(&rows).map_err(|error| columns_error(&file, &error))?;
                    Some(all)
                }
            };
            runs.push(run);
        }
        let mut data = from_frame(runs, &frame.unwrap_or_default())?;
        for at in 0..data.runs.len() {
            let rows = data.trials.iter().filter(|trial| trial.run == at).map(|trial| trial.cell);
            let missing = planned::hold(&data.runs[at], rows)?;
            data.runs[at].missing = missing.trials;
            data.missing.push(missing);
        }
        data.names = measured::read(&data.runs, &mut data.trials)?;
        Ok(data)
    }
}

fn columns_error(file: &Path, error: &PolarsError) -> AnalysisError {
    AnalysisError::Columns { file: file.to_path_buf(), reason: error.to_string() }
}

/// The rows of a run's `trials.csv`, in the columns that a table asks for, each with the run's place.
fn parsed(text: String, run: u64) -> PolarsResult<DataFrame> {
    let field = |column: &Declared| {
        let dtype = match column.kind {
            Kind::Integer => DataType::UInt64,
            Kind::Number | Kind::Signed => DataType::Float64,
            Kind::Text => DataType::String,
        };
        Field::new(column.name.into(), dtype)
    };
    let schema: Schema = TRIALS.iter().map(field).collect();
    let wanted: Vec<&str> = NEEDED.into_iter().chain(case::COLUMNS).chain(FACTORS).collect();
    let mut frame = CsvReadOptions::default()
        .with_schema(Some(Arc::new(schema)))
        .with_columns(Some(wanted.iter().map(|name| PlSmallStr::from_str(name)).collect()))
        .into_reader_with_file_handle(Cursor::new(text.into_bytes()))
        .finish()?;
    let rows = frame.height();
    frame.with_column(Column::new("run".into(), vec![run; rows]))?;
    Ok(frame)
}

/// The trials of a frame, each with its cell; the cells in the order of tables.
fn from_frame(runs: Vec<Run>, frame: &DataFrame) -> Result<Data, AnalysisError> {
    let failed = |error: PolarsError| {
        let file = runs.first().map(|run| run.folder.join(TRIALS_FILE)).unwrap_or_default();
        columns_error(&file, &error)
    };
    let integers = |name: &str| frame.column(name).and_then(|c| c.u64()).map_err(failed);
    let numbers = |name: &str| frame.column(name).and_then(|c| c.f64()).map_err(failed);
    let texts = |name: &str| frame.column(name).and_then(|c| c.str()).map_err(failed);

    let mut run_at = integers("run")?.iter();
    let mut trial = integers("trial")?.iter();
    let mut block = integers("block")?.iter();
    let mut boot = integers("boot")?.iter();
    let mut cpus = integers("cpus")?.iter();
    let mut nodes = integers("nodes")?.iter();
    let mut duration_s = numbers("duration_s")?.iter();
    let mut elapsed_s = numbers("elapsed_s")?.iter();
    let mut steal_s = numbers("steal_s")?.iter();
    let mut mops_per_s = numbers("mops_per_s")?.iter();
    let mut of_case = case::Rows::of(frame).map_err(failed)?;
    let mut splats = texts("splats")?.iter();
    let mut status = texts("status")?.iter();
    let mut error = texts("error")?.iter();
    // Some factors are numbers. Each number's text is made once, not once a row.
    let mut numbered: Vec<Option<HashMap<Option<u64>, String>>> = Vec::new();
    for Declared { name: factor, kind, .. } in &PLAN[PLACE..] {
        numbered.push(match kind {
            Kind::Integer => {
                let mut texts: HashMap<Option<u64>, String> = HashMap::new();
                for number in integers(factor)?.iter() {
                    let text = || number.map_or_else(String::new, |number| number.to_string());
                    texts.entry(number).or_insert_with(text);
                }
                Some(texts)
            }
            _ => None,
        });
    }
    let mut factors = Vec::new();
    for (factor, numbered) in FACTORS.iter().zip(&numbered) {
        let cells: Box<dyn Iterator<Item = &str>> = match numbered {
            Some(of) => Box::new(
                integers(factor)?.iter().map(|number| of.get(&number).map_or("", String::as_str)),
            ),
            None => Box::new(texts(factor)?.iter().map(Option::unwrap_or_default)),
        };
        factors.push(cells);
    }

    let mut cell_of: HashMap<Key, usize> = HashMap::new();
    let mut trials = Vec::with_capacity(frame.height());
    let mut row_in_run = 0;
    for _ in 0..frame.height() {
        let run = run_at.next().flatten().unwrap_or(0) as usize;
        row_in_run = match trials.last() {
            Some(Trial { run: before, .. }) if *before == run => row_in_run + 1,
            _ => 0,
        };
        let mut key = [""; FACTORS.len()];
        for (text, column) in key.iter_mut().zip(&mut factors) {
            *text = column.next().unwrap_or_default();
        }
        let size = Size { cpus: cpus.next().flatten(), nodes: nodes.next().flatten() };
        let known = cell_of.len();
        let cell = *cell_of.entry((key, size)).or_insert(known);
        let bad = |problem: String| {
            let file = runs.get(run).map(|run| run.folder.join(TRIALS_FILE)).unwrap_or_default();
            // The header is line 1.
            AnalysisError::Record(RecordError::Row { file, line: row_in_run + 2, problem })
        };
        let (event, of_case) = of_case.next_row().map_err(|e| bad(e.to_string()))?;
        trials.push(Trial {
            run,
            trial: trial.next().flatten().unwrap_or(0),
            block: block.next().flatten().unwrap_or(0),
            boot: boot.next().flatten(),
            cell,
            duration_s: duration_s.next().flatten(),
            cpus: size.cpus,
            nodes: size.nodes,
            elapsed_s: elapsed_s.next().flatten(),
            mops_per_s: mops_per_s.next().flatten(),
            event,
            of_case,
            steal_s: steal_s.next().flatten(),
            metrics: Vec::new(),
            splats: splats.next().flatten().filter(|text| !text.is_empty()).map(Box::from),
            status: status
                .next()
                .flatten()
                .unwrap_or_default()
                .parse::<Status>()
                .map_err(|e| bad(e.to_string()))?,
            error: error.next().flatten().filter(|text| !text.is_empty()).map(Box::from),
            is_hit: false,
        });
    }

    let telling = Size::telling(cell_of.keys());
    let mut cells: Vec<(usize, Factors)> = cell_of
        .into_iter()
        .map(|((key, size), at)| {
            (at, size.into_labels(Factors::new(key.map(str::to_string)), telling))
        })
        .collect();
    cells.sort_by(|(at, a), (bt, b)| a.in_table_order(b).then(at.cmp(bt)));
    let mut place = vec![0; cells.len()];
    for (new, (old, _)) in cells.iter().enumerate() {
        place[*old] = new;
    }
    for trial in &mut trials {
        trial.cell = place[trial.cell];
    }
    let cells = cells.into_iter().map(|(_, factors)| factors).collect();
    Ok(Data { runs, cells, trials, missing: Vec::new(), names: Names::default() })
}

type Key<'a> = ([&'a str; FACTORS.len()], Size);

/// How large the machine, or the guest, was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Size {
    cpus: Option<u64>,
    nodes: Option<u64>,
}

impl Size {
    /// Whether cells of the same factors differ in CPUs, and in nodes.
    fn telling<'a>(keys: impl Iterator<Item = &'a Key<'a>>) -> (bool, bool) {
        let mut first: HashMap<[&str; FACTORS.len()], Size> = HashMap::new();
        let mut telling = (false, false);
        for (factors, size) in keys {
            let first = *first.entry(*factors).or_insert(*size);
            telling.0 |= first.cpus != size.cpus;
            telling.1 |= first.nodes != size.nodes;
        }
        telling
    }

    fn into_labels(self, factors: Factors, (cpus, nodes): (bool, bool)) -> Factors {
        let mut labels: Vec<String> = factors
            .get("labels")
            .split(';')
            .filter(|l| !l.is_empty())
            .map(str::to_string)
            .collect();
        let known = |n: Option<u64>| n.map_or_else(|| "unknown".to_string(), |n| n.to_string());
        if cpus {
            labels.push(format!("cpus={}", known(self.cpus)));
        }
        if nodes {
            labels.push(format!("nodes={}", known(self.nodes)));
        }
        labels.sort();
        labels.dedup();
        factors.with("labels", &labels.join(";"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::Synthetic;

    #[test]
    fn rows_become_trials_and_cells_in_table_order() {
        let mut made = Synthetic::new(96);
        made.trial(96, "slots:512").mops_per_s = Some(1128.7);
        made.trial(96, "auto").mops_per_s = Some(12.0);
        made.trial(8, "auto").mops_per_s = None;
        let (_folder, run) = made.written();
        let data = Data::read(&[run]).unwrap();
        let names: Vec<String> =
            data.cells.iter().map(|c| format!("{} {}", c.threads(), c.get("hash"))).collect();
        assert_eq!(names, ["8 auto", "96 auto", "96 slots:512"]);
        let cells: Vec<usize> = data.trials.iter().map(|trial| trial.cell).collect();
        assert_eq!(cells, [2, 1, 0]);
        assert_eq!(data.trials[2].mops_per_s, None);
        assert_eq!(data.trials[0].mops_per_s, Some(1128.7));
    }

    #[test]
    fn the_largest_counts_are_read_as_they_are() {
        let mut made = Synthetic::new(96);
        let row = made.trial(u32::MAX, "auto");
        row.trial = u64::MAX;
        row.ops = Some(u64::MAX);
        row.mops_per_s = Some(1e300);
        let (_folder, run) = made.written();
        let data = Data::read(&[run]).unwrap();
        assert_eq!(data.trials[0].trial, u64::MAX);
        assert_eq!(data.cells[0].threads(), u64::from(u32::MAX));
    }

    #[test]
    fn several_runs_are_one_data_set_and_the_same_one_is_not() {
        let mut made = Synthetic::new(96);
        made.trial(8, "auto");
        let (_one, first) = made.written();
        let (_two, second) = made.written();
        let data = Data::read(&[first.clone(), second]).unwrap();
        assert_eq!(data.trials.iter().map(|t| t.run).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(data.cells.len(), 1);
        let error = Data::read(&[first.clone(), first]).unwrap_err().to_string();
        assert!(error.contains("named twice"), "{error}");
        assert!(Data::read(&[]).is_err());
    }

    #[test]
    fn guests_of_several_sizes_are_several_cells() {
        let mut made = Synthetic::new(2);
        made.trial(16, "auto").cpus = Some(16);
        made.trial(16, "auto").cpus = Some(48);
        let (_folder, run) = made.written();
        let data = Data::read(&[run]).unwrap();
        let labels: Vec<&str> = data.cells.iter().map(|c| c.get("labels")).collect();
        assert_eq!(labels, ["cpus=16", "cpus=48"]);
    }

    #[test]
    fn a_torn_line_is_noted_and_the_rest_is_used() {
        let mut made = Synthetic::new(96);
        made.trial(8, "auto");
        made.trial(8, "auto");
        let (_folder, run) = made.written();
        let file = run.join(TRIALS_FILE);
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, &text[..text.len() - 20]).unwrap();
        let data = Data::read(&[run]).unwrap();
        assert_eq!(data.trials.len(), 1);
        let torn = data.runs[0].torn.clone().unwrap();
        assert_eq!((torn.torn.line, torn.imported), (3, false));
    }

    #[test]
    fn no_time_is_below_0() {
        for (column, set) in [
            ("duration_s", (|row| row.duration_s = Some(-1.0)) as fn(&mut model::rows::TrialRow)),
            ("elapsed_s", |row| row.elapsed_s = Some(-1.0)),
            ("steal_s", |row| row.steal_s = Some(-1.0)),
        ] {
            let mut made = Synthetic::new(96);
            set(made.trial(8, "auto"));
            let (_folder, run) = made.written();
            let error = Data::read(&[run]).unwrap_err().to_string();
            assert!(error.contains(&format!("trials.csv line 2: {column} is \"-1\"")), "{error}");
        }
    }

    #[test]
    fn a_run_without_a_finished_trial_is_a_run() {
        let (_folder, run) = Synthetic::new(96).written();
        let data = Data::read(&[run]).unwrap();
        assert!(data.trials.is_empty() && data.cells.is_empty());
    }

    #[test]
    fn what_is_missing_or_no_value_is_named() {
        let mut made = Synthetic::new(96);
        made.trial(8, "auto");
        made.trial(8, "auto");
        let (_folder, run) = made.written();
        let file = run.join(TRIALS_FILE);
        let text = std::fs::read_to_string(&file).unwrap();
        let broken = |from: &str, to: &str| {
            let at = text.rfind(from).unwrap();
            std::fs::write(&file, [&text[..at], to, &text[at + from.len()..]].concat()).unwrap();
            Data::read(std::slice::from_ref(&run)).unwrap_err().to_string()
        };
        let error = broken(",settled,", ",soon,");
        assert!(error.contains("trials.csv line 3: pivot \"soon\""), "{error}");
        let error = broken(",ok,", ",fine,");
        assert!(error.contains("trials.csv line 3: status \"fine\""), "{error}");
        let error = broken(",settled,0.01,", ",settled,-0.01,");
        assert!(error.contains("trials.csv line 3: pivot_s is \"-0.01\""), "{error}");
        std::fs::remove_file(&file).unwrap();
        let error = Data::read(std::slice::from_ref(&run)).unwrap_err().to_string();
        assert!(error.contains("it has no trials.csv"), "{error}");
        let error = Data::read(&[run.join("nowhere")]).unwrap_err().to_string();
        assert!(error.contains("it has no manifest.json"), "{error}");
    }
}
