use std::fs;

use model::columns::PLAN;
use model::factor::{Hash, Memory, Placement, Ramp};
use model::manifest::{self, Manifest};
use model::record::Status;
use model::rows::PlanRow;
use model::workload::Workload;

use super::lock::LOCK;
use super::*;
use crate::RecordError;
use crate::table::Table;
use crate::torn::Cut;

/// Eight trials in the order of a plan.
fn plan() -> Vec<PlanRow> {
    [3, 1, 4, 2, 8, 5, 7, 6].iter().map(|trial| PlanRow::from(&rows(*trial).trial)).collect()
}

fn manifest() -> Manifest {
    Manifest {
        format: manifest::FORMAT,
        name: "x".into(),
        definition: serde_json::Value::Null,
        source: manifest::Source { from: "x".into(), sha256: String::new(), text: String::new() },
        command_line: Vec::new(),
        versions: Default::default(),
        seed: 1,
        planned: 8,
        machine: Default::default(),
        executor: manifest::Origin::ThisMachine,
        kernels: Vec::new(),
        labels: Default::default(),
        started_at: String::new(),
        ended_at: None,
        resumed: Vec::new(),
        disturbances: Vec::new(),
        skipped: Vec::new(),
    }
}

/// The rows of a trial that did 3 million operations in 1.5 s.
fn rows(trial: u64) -> TrialRows {
    let sample = |t_s, threads, ops, mops_per_s, slots| TimelineRow {
        trial,
        t_s,
        threads,
        ops: Some(ops),
        mops_per_s,
        slots,
    };
    TrialRows {
        trial: TrialRow {
            sequence: trial,
            trial,
            block: 1,
            cell: 1,
            experiment: "x".into(),
            workload: Workload::WakeStorm,
            threads: 2,
            ramp: Ramp::Burst,
            hash: Hash::Auto,
            placement: Placement::Unpinned,
            memory: Memory::Default,
            locks: None,
            unlock: None,
            messengers: None,
            duration_s: Some(1.5),
            seed: 1,
            boot: None,
            kernel: "6.18".into(),
            cpus: Some(2),
            nodes: None,
            labels: String::new(),
            started_at: "1970-01-01T00:00:01.500Z".into(),
            elapsed_s: Some(1.5),
            ops: Some(3_000_000),
            mops_per_s: Some(2.0),
            thread_ops_min: None,
            thread_ops_median: None,
            thread_ops_max: None,
            slots_start: None,
            slots_set: None,
            slots_loaded: None,
            slots_end: None,
            slots_expected: None,
            pivot: None,
            pivot_s: None,
            user_s: None,
            system_s: None,
            voluntary_switches: None,
            involuntary_switches: None,
            steal_s: None,
            splats: Some("none".into()),
            status: Status::Ok,
            error: Some("two lines, \"quoted\"".into()),
        },
        timeline: vec![
            sample(0.0, 0, 0, None, None),
            sample(0.5, 2, 1_000_000, Some(2.0), Some(16)),
        ],
        metrics: vec![MetricRow { trial, metric: "m".into(), value: 1.0, unit: "s".into() }],
        pivots: vec![PivotRow { trial, index: 0, from: 16, to: 32, seconds: 0.02, errno: None }],
        events: vec![EventRow { trial, event: "onset".into(), t_s: 0.5, ops: None, seen: 0 }],
    }
}

#[test]
fn a_trial_is_a_line_with_the_columns_of_the_header() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("R");
    let plan = plan();
    let mut journal = Journal::create(&run, &manifest(), &plan).unwrap();
    for row in &plan {
        journal.append(&rows(row.trial)).unwrap();
    }
    let table = Table::read(&run.join("trials.csv"), &TRIALS).unwrap();
    assert_eq!((table.rows, table.torn), (8, None));
    let text = fs::read_to_string(run.join("trials.csv")).unwrap();
    assert_eq!(text.lines().count(), 9);
    assert!(text.contains(",1.5,3000000,2,"), "{text}");
    let timeline = fs::read_to_string(run.join("timeline.csv")).unwrap();
    assert!(
        timeline.contains(",0,0,0,,\n") && timeline.contains(",0.5,2,1000000,2,16\n"),
        "{timeline}"
    );
    for (file, columns) in
        [("metrics.csv", &METRICS[..]), ("pivots.csv", &PIVOTS), ("events.csv", &EVENTS)]
    {
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
    for row in &plan[..3] {
        journal.append(&rows(row.trial)).unwrap();
    }
    drop(journal);
    // The third row is torn: its samples are whole, and must go with it.
    let file = run.join("trials.csv");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, &text[..text.len() - 10]).unwrap();
    let lock = RunLock::of_run(&run).unwrap();
    let look = Look::at(lock).unwrap();
    let (finished, torn, cut) = (look.finished.clone(), look.torn.clone(), look.cut.clone());
    assert_eq!(
        Table::read(&run.join("timeline.csv"), &TIMELINE).unwrap().rows,
        6,
        "only looked at"
    );
    let mut journal = look.reopen().unwrap();
    assert_eq!((finished.len(), cut.len()), (2, 0));
    assert_eq!(torn.unwrap().line, 4);
    assert_eq!(Table::read(&run.join("timeline.csv"), &TIMELINE).unwrap().rows, 4);
    for row in plan.iter().filter(|row| !finished.contains(&row.trial)) {
        journal.append(&rows(row.trial)).unwrap();
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
    for row in &plan[..2] {
        journal.append(&rows(row.trial)).unwrap();
    }
    drop(journal);
    let trial = plan[1].trial;
    let file = run.join("timeline.csv");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, &text[..text.len() - 4]).unwrap();
    // Of a trial that has no row, nothing is lost: it is run again.
    let other = plan[2].trial;
    let metrics = fs::read_to_string(run.join("metrics.csv")).unwrap();
    fs::write(run.join("metrics.csv"), format!("{metrics}{other},m,")).unwrap();
    let look = Look::at(RunLock::of_run(&run).unwrap()).unwrap();
    assert_eq!((look.finished.len(), &look.torn), (2, &None));
    let cuts = look.cut.clone();
    drop(look.reopen().unwrap());
    let [cut] = &cuts[..] else { panic!("{cuts:?}") };
    let Cut::Line { file: name, line } = cut else { panic!("{cut:?}") };
    assert_eq!((name.as_str(), line.line, line.trial()), ("timeline.csv", 5, Some(trial)));
    assert_eq!(Table::read(&file, &TIMELINE).unwrap().rows, 3);
    assert_eq!(fs::read_to_string(run.join("metrics.csv")).unwrap(), metrics);
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

#[test]
fn a_lock_that_is_a_link_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let victim = folder.path().join("victim");
    fs::write(&victim, "kept").unwrap();
    let run = folder.path().join("R");
    fs::create_dir(&run).unwrap();
    std::os::unix::fs::symlink(&victim, run.join(LOCK)).unwrap();
    for error in [free(&run).unwrap_err(), RunLock::take(&run).unwrap_err()] {
        assert!(matches!(error, JournalError::ForeignLock { .. }), "{error}");
    }
    assert_eq!(fs::read_to_string(&victim).unwrap(), "kept");
}

#[test]
fn a_folder_that_moves_keeps_its_run_and_another_begins_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let (run, moved) = (folder.path().join("R"), folder.path().join("moved"));
    let plan = plan();
    let mut first = Journal::create(&run, &manifest(), &plan).unwrap();
    first.append(&rows(3)).unwrap();
    fs::rename(&run, &moved).unwrap();
    let mut second = Journal::create(&run, &manifest(), &plan).unwrap();
    for trial in [1, 4] {
        first.append(&rows(trial)).unwrap();
        second.append(&rows(trial)).unwrap();
    }
    first.write_manifest(&manifest()).unwrap();
    assert_eq!(first.place().unwrap(), moved.canonicalize().unwrap());
    assert_eq!(second.place().unwrap(), run);
    for (folder, trials) in [(&moved, 3), (&run, 2)] {
        assert_eq!(Table::read(&folder.join("trials.csv"), &TRIALS).unwrap().rows, trials);
        assert_eq!(Table::read(&folder.join("metrics.csv"), &METRICS).unwrap().rows, trials);
    }
    // Where its lock is gone, another runner may be at work; where the folder is gone, nobody can be.
    fs::remove_file(run.join(LOCK)).unwrap();
    assert!(matches!(second.append(&rows(2)), Err(JournalError::LockGone { .. })));
    fs::remove_dir_all(&moved).unwrap();
    assert!(first.append(&rows(2)).is_err());
    assert!(matches!(first.place(), Err(JournalError::Deleted { .. })));
}

#[test]
fn a_run_that_was_half_made_is_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    drop(Journal::create(&whole, &manifest(), &plan()).unwrap());
    // As a death after each file leaves it.
    let files =
        [LOCK, "plan.csv", "trials.csv", "timeline.csv", "metrics.csv", "manifest.json.next"];
    for count in 1..=files.len() {
        let run = folder.path().join(count.to_string());
        fs::create_dir(&run).unwrap();
        for name in &files[..count] {
            let from = whole.join(name.trim_end_matches(".next"));
            fs::copy(from, run.join(name)).unwrap();
        }
        assert!(matches!(crate::manifest::read(&run), Err(RecordError::HalfMade { .. })));
        let mut journal = Journal::create(&run, &manifest(), &plan()).unwrap();
        journal.append(&rows(3)).unwrap();
        // With a row it is a run, also where its manifest is lost.
        drop(journal);
        fs::remove_file(run.join(manifest::FILE)).unwrap();
        assert!(matches!(free(&run), Err(JournalError::HoldsARun { .. })));
    }
}

#[test]
fn a_hole_in_the_last_write_is_a_torn_end() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("R");
    let plan = plan();
    let mut journal = Journal::create(&run, &manifest(), &plan).unwrap();
    for row in &plan[..2] {
        journal.append(&rows(row.trial)).unwrap();
    }
    drop(journal);
    let file = run.join("trials.csv");
    let good = fs::read(&file).unwrap();
    let second = good[..good.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    for hole in second..good.len() {
        let mut bytes = good.clone();
        bytes[hole] = 0;
        fs::write(&file, &bytes).unwrap();
        let look = Look::at(RunLock::of_run(&run).unwrap()).unwrap();
        assert_eq!(look.finished.iter().collect::<Vec<_>>(), [&plan[0].trial], "a hole at {hole}");
        drop(look.reopen().unwrap());
        assert_eq!(fs::read(&file).unwrap(), good[..second]);
    }
}
