//! The files of a run while it is made: appended and synced a trial at a time.
//!
//! A trial's row in `trials.csv` is written last: once it is there, all of the trial is. What a
//! crash leaves behind without it (samples of an unfinished trial, a torn row) is taken out when
//! the run is gone on with, and named.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use model::columns::{METRICS, PIVOTS, PLAN, TIMELINE, TRIALS};
use model::manifest::{self, Manifest};
use model::record::Sample;
use model::rows::{MetricRow, PivotRow, TimelineRow, TrialRow, one_line};
use records::table::{Headless, Table, Torn};
use serde::Serialize;

use crate::executor::Execution;
use crate::plan::{Plan, Planned};
use crate::utc;

/// Why a run's files can't be made or used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The folder is taken.
    #[error("{}", .0)]
    Taken(String),
    /// What is there is no run that can be gone on with.
    #[error(transparent)]
    Record(#[from] records::RecordError),
    /// The system refused to write.
    #[error("writing {} failed: {error}. What was measured before is kept; `experiments resume` goes on", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

/// The open files of a run.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    trials: File,
    timeline: File,
    /// As long as this runner is at work.
    _lock: RunLock,
}

/// The file whose lock a runner holds; in it stands its process id. The lock is the kernel's
/// (flock), so it ends with the process, however that ends.
const LOCK: &str = ".lock";

/// The right to write in a run's folder: one runner at a time has it.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
}

impl RunLock {
    /// Of a run that is there. What is read before it is taken may be another runner's past.
    pub fn of_run(folder: &Path) -> Result<RunLock, JournalError> {
        for missing in [manifest::FILE, "trials.csv"] {
            if !folder.join(missing).exists() {
                let folder = folder.to_path_buf();
                return Err(records::RecordError::NotARun { folder, missing }.into());
            }
        }
        RunLock::take(folder)
    }

    fn take(folder: &Path) -> Result<RunLock, JournalError> {
        let failed = |error: io::Error| {
            JournalError::Taken(format!(
                "{} can't be written in: {error}. A run needs a folder that can be",
                folder.display()
            ))
        };
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join(LOCK))
            .map_err(failed)?;
        let mut tries = 0;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                // One who only asks whether it is held has it for a moment.
                Err(fs::TryLockError::WouldBlock) if tries < 5 => {
                    tries += 1;
                    std::thread::sleep(std::time::Duration::from_millis(10));
                }
                Err(fs::TryLockError::WouldBlock) => return Err(at_work(folder)),
                Err(fs::TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        let id = format!("{}\n", std::process::id());
        file.set_len(0).and_then(|()| file.write_all(id.as_bytes())).map_err(failed)?;
        Ok(RunLock { _file: file })
    }

    /// Whether another runner holds it now.
    fn is_held(folder: &Path) -> bool {
        let Ok(file) = File::open(folder.join(LOCK)) else { return false };
        // Shared: two that only ask don't meet. It ends with this function.
        matches!(file.try_lock_shared(), Err(fs::TryLockError::WouldBlock))
    }
}

/// The sentence for who comes second.
fn at_work(folder: &Path) -> JournalError {
    // Empty for a moment after it was taken; a process that is no more was an earlier one.
    let process = fs::read_to_string(folder.join(LOCK))
        .ok()
        .and_then(|text| text.trim().parse::<u32>().ok())
        .filter(|id| Path::new(&format!("/proc/{id}")).exists())
        .map(|id| format!(" (process {id})"))
        .unwrap_or_default();
    JournalError::Taken(format!(
        "another runner{process} is at work in {}: wait for it, or end it; nothing was changed",
        folder.display()
    ))
}

/// A run that is gone on with.
#[derive(Debug)]
pub struct Reopened {
    /// Its files.
    pub journal: Journal,
    /// The numbers of the trials that are finished.
    pub finished: BTreeSet<u64>,
    /// The torn last line of `trials.csv`, whose trial is run again.
    pub torn: Option<Torn>,
    /// What was taken out of finished trials, a sentence each.
    pub cut: Vec<String>,
}

impl Journal {
    /// Makes the folder and its files; `plan.csv` and the manifest are whole before the first
    /// trial.
    pub fn create(
        folder: &Path,
        manifest: &Manifest,
        plan: &Plan,
    ) -> Result<Journal, JournalError> {
        free(folder)?;
        let failed = |file: &Path| {
            let file = file.to_path_buf();
            move |error| JournalError::Write { file, error }
        };
        fs::create_dir_all(folder).map_err(|error| {
            JournalError::Taken(format!(
                "{} can't be used for a run: {error}. Choose another --out",
                folder.display()
            ))
        })?;
        let lock = RunLock::take(folder)?;
        // Again: between the first look and the lock another runner may have been here.
        empty(folder)?;
        let plan_file = folder.join("plan.csv");
        write_synced(&plan_file, &plan_text(plan)).map_err(failed(&plan_file))?;
        for (name, columns) in
            [("trials.csv", &TRIALS[..]), ("timeline.csv", &TIMELINE), ("metrics.csv", &METRICS)]
        {
            let file = folder.join(name);
            write_synced(&file, &format!("{}\n", columns.join(","))).map_err(failed(&file))?;
        }
        records::manifest::write(&manifest, folder)?;
        sync_folder(folder).map_err(failed(folder))?;
        Journal::open(folder, lock)
    }

    /// Opens a run to go on with; takes out what belongs to no finished trial, and torn last lines.
    pub fn reopen(folder: &Path, lock: RunLock) -> Result<Reopened, JournalError> {
        let file = folder.join("trials.csv");
        let table = Table::read(&file, &TRIALS)?;
        table.unique("trial")?;
        let finished: BTreeSet<u64> =
            table.column("trial").iter().filter_map(|(_, cell)| cell.parse().ok()).collect();
        if table.torn.is_some() {
            replace(&file, &table.text)?;
        }
        let mut cut = Vec::new();
        for (name, columns) in
            [("timeline.csv", &TIMELINE[..]), ("metrics.csv", &METRICS), ("pivots.csv", &PIVOTS)]
        {
            let file = folder.join(name);
            if let Some(headless) = Headless::of(&file, columns)? {
                replace(&file, &format!("{}\n", columns.join(",")))?;
                cut.extend(headless.lost(&file, finished.len()));
            } else if file.exists()
                && let Some(torn) = keep_finished(&file, columns, &finished)?
            {
                cut.extend(torn.lost(&file, |trial| finished.contains(&trial)));
            }
        }
        Ok(Reopened { journal: Journal::open(folder, lock)?, finished, torn: table.torn, cut })
    }

    fn open(folder: &Path, lock: RunLock) -> Result<Journal, JournalError> {
        let append = |name: &str, columns: &[&str]| open_to_append(&folder.join(name), columns);
        Ok(Journal {
            trials: append("trials.csv", &TRIALS)?,
            timeline: append("timeline.csv", &TIMELINE)?,
            folder: folder.to_path_buf(),
            _lock: lock,
        })
    }

    /// Writes all that a trial saw, and then its row; returns the row. When it returns, the trial
    /// is on the disk.
    pub fn append(
        &mut self,
        experiment: &str,
        planned: &Planned,
        execution: &Execution,
    ) -> Result<TrialRow, JournalError> {
        self.append_side(planned, execution)?;
        let row = row(experiment, planned, execution);
        let text = csv_rows(std::slice::from_ref(&row));
        append_synced(&mut self.trials, &text)
            .map_err(|error| JournalError::Write { file: self.folder.join("trials.csv"), error })?;
        Ok(row)
    }

    fn append_side(
        &mut self,
        planned: &Planned,
        execution: &Execution,
    ) -> Result<(), JournalError> {
        let trial = planned.spec.trial;
        let record = &execution.record;
        let samples = timeline_rows(trial, &record.timeline, planned.spec.sample.seconds());
        let file = self.folder.join("timeline.csv");
        append_synced(&mut self.timeline, &csv_rows(&samples))
            .map_err(|error| JournalError::Write { file, error })?;

        let metrics: Vec<MetricRow> = record
            .metrics
            .iter()
            .filter(|metric| metric.value.is_finite())
            .map(|metric| MetricRow {
                trial,
                metric: one_line(&metric.metric),
                value: metric.value,
                unit: one_line(&metric.unit),
            })
            .collect();
        self.append_seldom("metrics.csv", &METRICS, &metrics)?;
        let pivots: Vec<PivotRow> = record
            .pivots
            .iter()
            .map(|pivot| PivotRow {
                trial,
                index: pivot.index,
                from: pivot.from,
                to: pivot.to,
                seconds: pivot.seconds,
                errno: pivot.errno.as_deref().map(one_line),
            })
            .collect();
        self.append_seldom("pivots.csv", &PIVOTS, &pivots)
    }

    /// To a file that only some workloads write; made with its header at the first row.
    fn append_seldom<T: Serialize>(
        &self,
        name: &str,
        columns: &[&str],
        rows: &[T],
    ) -> Result<(), JournalError> {
        if rows.is_empty() {
            return Ok(());
        }
        let file = self.folder.join(name);
        let mut open = open_to_append(&file, columns)?;
        append_synced(&mut open, &csv_rows(rows))
            .map_err(|error| JournalError::Write { file, error })
    }
}

/// The rows of a trial's samples, which were to be `sample_s` apart.
///
/// Beside the grid there are looks at special moments, which may be a microsecond from one of it. The
/// threads publish their counts in batches, so that over such a time a rate says nothing: below half of
/// the interval a row has none, and the next one's covers the time since the last row that has one.
fn timeline_rows(trial: u64, samples: &[Sample], sample_s: f64) -> Vec<TimelineRow> {
    let mut before: Option<(f64, u64)> = None;
    let row = |sample: &Sample| {
        let mops_per_s = match before {
            None => {
                before = Some((sample.t_s, sample.ops));
                None
            }
            Some((t_s, _)) if sample.t_s - t_s < sample_s / 2.0 => None,
            Some((t_s, ops)) => {
                before = Some((sample.t_s, sample.ops));
                rate(sample.ops.checked_sub(ops), Some(sample.t_s - t_s))
            }
        };
        TimelineRow {
            trial,
            t_s: sample.t_s,
            threads: sample.threads,
            ops: Some(sample.ops),
            mops_per_s,
            slots: sample.slots,
        }
    };
    samples.iter().map(row).collect()
}

/// The row of a trial that ended.
pub fn row(experiment: &str, planned: &Planned, execution: &Execution) -> TrialRow {
    let record = &execution.record;
    TrialRow {
        sequence: planned.sequence,
        trial: planned.spec.trial,
        block: planned.block,
        cell: planned.cell,
        experiment: experiment.to_string(),
        workload: planned.spec.workload,
        threads: planned.spec.threads,
        ramp: planned.spec.ramp,
        hash: planned.spec.hash,
        placement: planned.spec.placement.clone(),
        memory: planned.spec.memory.clone(),
        locks: planned.spec.locks,
        unlock: planned.spec.unlock,
        messengers: planned.spec.messengers,
        duration_s: Some(planned.spec.duration.seconds()),
        seed: planned.spec.seed,
        boot: execution.boot,
        kernel: planned.kernel.clone(),
        cpus: execution.kernel.cpus,
        nodes: execution.kernel.nodes,
        labels: planned.labels.clone(),
        started_at: utc::rfc3339_ms(execution.started_at),
        elapsed_s: record.elapsed_s,
        ops: record.ops,
        mops_per_s: record.mops_per_s.or_else(|| rate(record.ops, record.elapsed_s)),
        thread_ops_min: record.thread_ops_min,
        thread_ops_median: record.thread_ops_median,
        thread_ops_max: record.thread_ops_max,
        slots_start: record.slots_start,
        slots_set: record.slots_set,
        slots_loaded: record.slots_loaded,
        slots_end: record.slots_end,
        slots_expected: record.slots_expected,
        pivot: record.pivot,
        pivot_s: record.pivot_s,
        user_s: record.user_s,
        system_s: record.system_s,
        voluntary_switches: record.voluntary_switches,
        involuntary_switches: record.involuntary_switches,
        steal_s: record.steal_s,
        splats: execution.splats.as_ref().map(|splats| match splats.as_slice() {
            [] => "none".to_string(),
            splats => splats.iter().map(|s| one_line(s)).collect::<Vec<_>>().join(";"),
        }),
        status: record.status,
        error: record.error.as_deref().map(one_line),
    }
}

/// What `plan.csv` holds for a plan.
pub fn plan_text(plan: &Plan) -> String {
    let rows: Vec<_> = plan.trials.iter().map(Planned::row).collect();
    csv_text(&PLAN, &rows)
}

/// Operations and seconds to millions a second; nothing where either is unknown or no time passed.
fn rate(ops: Option<u64>, seconds: Option<f64>) -> Option<f64> {
    let (ops, seconds) = (ops?, seconds?);
    (seconds > 0.0).then(|| ops as f64 / seconds / 1e6)
}

/// That a run may be made here: there is nothing, or an empty folder, and nobody is at work in it.
pub fn free(folder: &Path) -> Result<(), JournalError> {
    if RunLock::is_held(folder) {
        return Err(at_work(folder));
    }
    empty(folder)
}

/// That nothing stands in the folder, or that it is not there. A lock that nobody holds is nothing:
/// a runner left it that ended before it wrote a file.
fn empty(folder: &Path) -> Result<(), JournalError> {
    let shown = folder.display();
    let problem = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => format!("{shown} can't be used for a run: {error}. Choose another --out"),
        Ok(entries) => {
            let names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
            if names.iter().any(|name| name == manifest::FILE || name == "trials.csv") {
                // What was measured elsewhere is not gone on with.
                let is_imported = records::manifest::read(folder)
                    .is_ok_and(|manifest| manifest.executor == manifest::Origin::Imported);
                let go_on = match is_imported {
                    true => String::new(),
                    false => format!(", or go on with it: `experiments resume {shown}`"),
                };
                format!(
                    "{shown} holds another run: nothing is written over it. Choose another --out{go_on}"
                )
            } else if names.iter().any(|name| name != LOCK) {
                format!(
                    "{shown} is not empty: a run needs a folder of its own. Choose another --out"
                )
            } else {
                return Ok(());
            }
        }
    };
    Err(JournalError::Taken(problem))
}

fn open_to_append(file: &Path, columns: &[&str]) -> Result<File, JournalError> {
    let failed = |error| JournalError::Write { file: file.to_path_buf(), error };
    if !file.exists() {
        write_synced(file, &format!("{}\n", columns.join(","))).map_err(failed)?;
    }
    OpenOptions::new().append(true).open(file).map_err(failed)
}

/// Rewrites a side file without the rows of trials that are not finished, and without a torn line,
/// which it returns.
fn keep_finished(
    file: &Path,
    columns: &[&str],
    finished: &BTreeSet<u64>,
) -> Result<Option<Torn>, JournalError> {
    let table = Table::read(file, columns)?;
    let mut lines = table.text.split_inclusive('\n');
    let mut kept = lines.next().unwrap_or_default().to_string();
    let mut dropped = table.torn.is_some();
    for line in lines {
        let trial = line.split(',').next().and_then(|cell| cell.parse().ok());
        if trial.is_some_and(|trial: u64| finished.contains(&trial)) {
            kept.push_str(line);
        } else {
            dropped = true;
        }
    }
    if dropped {
        replace(file, &kept)?;
    }
    Ok(table.torn)
}

fn replace(file: &Path, text: &str) -> Result<(), JournalError> {
    let failed = |error| JournalError::Write { file: file.to_path_buf(), error };
    let next = file.with_extension("csv.next");
    write_synced(&next, text).map_err(failed)?;
    fs::rename(&next, file).map_err(failed)?;
    if let Some(folder) = file.parent() {
        sync_folder(folder).map_err(failed)?;
    }
    Ok(())
}

fn write_synced(file: &Path, text: &str) -> io::Result<()> {
    let mut open = File::create(file)?;
    open.write_all(text.as_bytes())?;
    open.sync_all()
}

/// A row is one write, so that a crash tears at most the last.
fn append_synced(file: &mut File, text: &str) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    file.write_all(text.as_bytes())?;
    file.sync_data()
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

fn csv_rows<T: Serialize>(rows: &[T]) -> String {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    for row in rows {
        // Into memory, of types that all have a text: this can't fail.
        let _ = writer.serialize(row);
    }
    writer
        .into_inner()
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default()
}

fn csv_text<T: Serialize>(columns: &[&str], rows: &[T]) -> String {
    format!("{}\n{}", columns.join(","), csv_rows(rows))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use model::manifest::Kernel;
    use model::record::{Metric, SlotsSet, Status, TrialRecord};

    use super::*;
    use crate::plan::Site;
    use model::definition::parse;

    fn plan() -> Plan {
        let text = "trials = 2\n[factors]\nworkload = \"wake-storm\"\nthreads = [1, 2]\n";
        let site = Site { cpus: 2, kernels: vec!["6.18".into()] };
        Plan::new(&parse("x", "x", text).unwrap(), &site).unwrap()
    }

    fn manifest() -> Manifest {
        Manifest {
            format: manifest::FORMAT,
            name: "x".into(),
            definition: serde_json::Value::Null,
            source: manifest::Source {
                from: "x".into(),
                sha256: String::new(),
                text: String::new(),
            },
            command_line: Vec::new(),
            versions: Default::default(),
            seed: 1,
            planned: 8,
            machine: Default::default(),
            executor: model::manifest::Origin::ThisMachine,
            kernels: Vec::new(),
            labels: Default::default(),
            started_at: String::new(),
            ended_at: None,
            resumed: Vec::new(),
            disturbances: Vec::new(),
        }
    }

    fn execution() -> Execution {
        let mut record = TrialRecord::empty(Status::Ok);
        record.ops = Some(3_000_000);
        record.elapsed_s = Some(1.5);
        record.error = Some("two\nlines, \"quoted\"".into());
        record.timeline = vec![
            Sample { t_s: 0.0, threads: 0, ops: 0, slots: None },
            Sample { t_s: 0.5, threads: 2, ops: 1_000_000, slots: Some(16) },
        ];
        record.metrics = vec![Metric { metric: "m".into(), value: 1.0, unit: "s".into() }];
        record.pivots = vec![SlotsSet { index: 0, from: 16, to: 32, seconds: 0.02, errno: None }];
        Execution {
            started_at: SystemTime::UNIX_EPOCH + Duration::from_millis(1500),
            record,
            boot: None,
            kernel: Kernel { name: "6.18".into(), cpus: Some(2), ..Kernel::default() },
            splats: Some(Vec::new()),
            disturbances: Vec::new(),
        }
    }

    #[test]
    fn a_trial_is_a_line_with_the_columns_of_the_header() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("R");
        let plan = plan();
        let mut journal = Journal::create(&run, &manifest(), &plan).unwrap();
        for planned in &plan.trials {
            journal.append("x", planned, &execution()).unwrap();
        }
        let table = Table::read(&run.join("trials.csv"), &TRIALS).unwrap();
        assert_eq!((table.rows, table.torn), (8, None));
        let text = fs::read_to_string(run.join("trials.csv")).unwrap();
        assert_eq!(text.lines().count(), 9);
        assert!(text.contains(",1.5,3000000,2,"), "{text}");
        assert!(text.contains("1970-01-01T00:00:01.500Z"), "{text}");
        let timeline = fs::read_to_string(run.join("timeline.csv")).unwrap();
        assert!(
            timeline.contains(",0,0,0,,\n") && timeline.contains(",0.5,2,1000000,2,16\n"),
            "{timeline}"
        );
        for (file, columns) in [("metrics.csv", &METRICS[..]), ("pivots.csv", &PIVOTS)] {
            assert_eq!(Table::read(&run.join(file), columns).unwrap().rows, 8);
        }
        assert_eq!(Table::read(&run.join("plan.csv"), &PLAN).unwrap().rows, 8);
    }

    #[test]
    fn after_a_crash_only_whole_trials_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("R");
        let plan = plan();
        let mut journal = Journal::create(&run, &manifest(), &plan).unwrap();
        for planned in &plan.trials[..3] {
            journal.append("x", planned, &execution()).unwrap();
        }
        drop(journal);
        // The third row is torn: its samples are whole, and must go with it.
        let file = run.join("trials.csv");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, &text[..text.len() - 10]).unwrap();
        let lock = RunLock::of_run(&run).unwrap();
        let Reopened { mut journal, finished, torn, cut } = Journal::reopen(&run, lock).unwrap();
        assert_eq!((finished.len(), cut.len()), (2, 0));
        assert_eq!(torn.unwrap().line, 4);
        assert_eq!(Table::read(&run.join("timeline.csv"), &TIMELINE).unwrap().rows, 4);
        for planned in plan.trials.iter().filter(|p| !finished.contains(&p.spec.trial)) {
            journal.append("x", planned, &execution()).unwrap();
        }
        let table = Table::read(&file, &TRIALS).unwrap();
        table.unique("trial").unwrap();
        assert_eq!((table.rows, table.torn), (8, None));
        assert_eq!(Table::read(&run.join("timeline.csv"), &TIMELINE).unwrap().rows, 16);
    }

    #[test]
    fn what_is_torn_off_a_finished_trial_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("R");
        let plan = plan();
        let mut journal = Journal::create(&run, &manifest(), &plan).unwrap();
        for planned in &plan.trials[..2] {
            journal.append("x", planned, &execution()).unwrap();
        }
        drop(journal);
        let trial = plan.trials[1].spec.trial;
        let file = run.join("timeline.csv");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, &text[..text.len() - 4]).unwrap();
        // Of a trial that has no row, nothing is lost: it is run again.
        let other = plan.trials[2].spec.trial;
        let metrics = fs::read_to_string(run.join("metrics.csv")).unwrap();
        fs::write(run.join("metrics.csv"), format!("{metrics}{other},m,")).unwrap();
        let reopened = Journal::reopen(&run, RunLock::of_run(&run).unwrap()).unwrap();
        assert_eq!((reopened.finished.len(), reopened.torn), (2, None));
        let [cut] = &reopened.cut[..] else { panic!("{:?}", reopened.cut) };
        assert!(cut.starts_with("timeline.csv line 5 was torn"), "{cut}");
        assert!(cut.ends_with(&format!("the samples of trial {trial} end there")), "{cut}");
        assert_eq!(Table::read(&file, &TIMELINE).unwrap().rows, 3);
        assert_eq!(fs::read_to_string(run.join("metrics.csv")).unwrap(), metrics);
    }

    #[test]
    fn a_row_beside_the_grid_has_no_throughput_and_the_next_has_it_all() {
        let sample = |t_s, ops| Sample { t_s, threads: 2, ops, slots: Some(16) };
        let looks = [
            sample(0.0, 0),
            sample(0.005952198, 38_080),
            sample(0.005953034, 38_080),
            sample(0.01, 400_000),
            sample(0.0301, 1_243_980),
            sample(0.0302, 1_244_000),
        ];
        let rows = timeline_rows(7, &looks, 0.01);
        let mops: Vec<Option<f64>> =
            rows.iter().map(|row| row.mops_per_s.map(|x| (x * 1e3).round() / 1e3)).collect();
        let since = (1_243_980.0_f64 - 38_080.0) / (0.0301 - 0.005952198) / 1e6;
        let since = (since * 1e3).round() / 1e3;
        assert_eq!(mops, [None, Some(6.398), None, None, Some(since), None]);
        assert_eq!(rows[2].ops, Some(38_080));
        assert_eq!((rows[2].trial, rows[2].slots), (7, Some(16)));
    }

    #[test]
    fn a_folder_that_is_taken_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("R");
        let own = format!("another runner (process {}) is at work in", std::process::id());
        let journal = Journal::create(&run, &manifest(), &plan()).unwrap();
        for busy in [
            Journal::create(&run, &manifest(), &plan()).map(drop),
            free(&run),
            RunLock::of_run(&run).map(drop),
            RunLock::take(&run).map(drop),
        ] {
            let busy = busy.unwrap_err().to_string();
            assert!(busy.contains(&own), "{busy}");
        }
        drop(journal);
        let again = Journal::create(&run, &manifest(), &plan()).unwrap_err().to_string();
        assert!(again.contains("holds another run"), "{again}");
        RunLock::of_run(&run).unwrap();
        let other = folder.path().join("other");
        fs::create_dir(&other).unwrap();
        fs::write(other.join("mine.txt"), "x").unwrap();
        assert!(Journal::create(&other, &manifest(), &plan()).is_err());
        assert!(RunLock::of_run(&other).unwrap_err().to_string().contains("manifest.json"));
        assert_eq!(fs::read_dir(&other).unwrap().count(), 1, "no lock where there is no run");
        let file = folder.path().join("file");
        fs::write(&file, "x").unwrap();
        assert!(Journal::create(&file, &manifest(), &plan()).is_err());
    }

    #[test]
    fn what_a_runner_left_that_wrote_nothing_is_no_run() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(LOCK), "1\n").unwrap();
        Journal::create(folder.path(), &manifest(), &plan()).unwrap();
    }

    #[test]
    fn of_many_that_begin_at_once_one_does() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("R");
        let (manifest, plan) = (manifest(), plan());
        let outcomes: Vec<Result<Journal, JournalError>> = std::thread::scope(|scope| {
            let create = || Journal::create(&run, &manifest, &plan);
            let all: Vec<_> = (0..8).map(|_| scope.spawn(create)).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
        assert_eq!(won.len(), 1);
        for error in lost.into_iter().map(|lost| lost.unwrap_err().to_string()) {
            assert!(error.contains("another runner"), "{error}");
        }
    }
}
