//! Plan, run, fault at any point, resume: in the end the files are those of a run without a fault, byte for
//! byte, and a trial was on the disk before the next began.
//!
//! The disk is a model that keeps apart what a reader sees and what outlives a power failure: of a write
//! that was not synced any part may be left, also as zeros, and of two names that were not synced either
//! may be the old one. `STALLSCOPE_MODEL_CASES` says how many runs are tried.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use model::definition::{Definition, parse};
use model::manifest::{FORMAT, Kernel, Machine, Manifest, Origin, Source};
use model::record::{Metric, Sample, SlotsSet, Status, TrialRecord};
use proptest::prelude::*;
use records::journal::disk::Disk;
use records::journal::{Journal, JournalError, Look};
use records::torn::Cut;
use stallscope_campaign::executor::{Broken, Done, Execution, Executor, Stop};
use stallscope_campaign::plan::{Plan, Planned, Site};
use stallscope_campaign::runner::{Observer, RunError, run};

const FILES: [&str; 6] =
    ["plan.csv", "trials.csv", "timeline.csv", "metrics.csv", "pivots.csv", "events.csv"];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// SIGKILL of the runner: what was written is there.
    Killed,
    /// The power fails: what was not synced may be there or not, whole or in part.
    PowerLoss,
    /// The disk is full from then on, or read-only, or gone, until somebody sees to it.
    Full,
    /// One call fails.
    Failed,
}

#[derive(Debug, Clone, Copy)]
struct Fault {
    /// After how many calls that change the disk it happens.
    at: u64,
    kind: Kind,
    /// Draws what is left of what was not synced.
    draw: u64,
}

#[derive(Debug, Clone, Default)]
struct Bytes {
    seen: Vec<u8>,
    synced: Vec<u8>,
}

#[derive(Debug, Default)]
struct State {
    files: Vec<Bytes>,
    names: BTreeMap<String, usize>,
    synced_names: BTreeMap<String, usize>,
    fault: Option<Fault>,
    calls: u64,
    is_down: bool,
    draw: u64,
}

impl State {
    fn number(&mut self, below: usize) -> usize {
        // A step of Knuth's generator; the high bits are the random ones.
        self.draw = self
            .draw
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.draw >> 33) as usize % below.max(1)
    }

    /// Counts a call; how much of `length` bytes it does, and whether it fails.
    fn call(&mut self, length: usize) -> (usize, io::Result<()>) {
        if self.is_down {
            return (0, Err(io::Error::other("it is down")));
        }
        self.calls += 1;
        match self.fault {
            Some(fault) if self.calls > fault.at => {
                match fault.kind {
                    Kind::Failed => self.fault = None,
                    _ => self.is_down = true,
                }
                self.draw = fault.draw;
                (self.number(length + 1), Err(io::Error::other("the fault")))
            }
            _ => (length, Ok(())),
        }
    }

    fn after_power_loss(&mut self) {
        let names: BTreeSet<String> =
            self.names.keys().chain(self.synced_names.keys()).cloned().collect();
        let mut left = BTreeMap::new();
        for name in names {
            let is_new = self.number(2) == 0;
            let names = if is_new { &self.names } else { &self.synced_names };
            if let Some(file) = names.get(&name).copied() {
                left.insert(name, file);
            }
        }
        for at in 0..self.files.len() {
            let Bytes { seen, synced } = self.files[at].clone();
            let mut bytes = synced.clone();
            let more = self.number(seen.len() - synced.len() + 1);
            bytes.extend(&seen[synced.len()..synced.len() + more]);
            // Reordered: a part in the midst is not there, and what is behind it is.
            if more > 0 && self.number(3) == 0 {
                let from = synced.len() + self.number(more);
                let to = from + 1 + self.number(bytes.len() - from);
                let to = to.min(bytes.len());
                bytes[from..to].fill(0);
            }
            self.files[at] = Bytes { seen: bytes.clone(), synced: bytes };
        }
        self.names = left.clone();
        self.synced_names = left;
    }
}

#[derive(Debug, Clone, Default)]
struct Model(Arc<Mutex<State>>);

impl Model {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no panic within")
    }

    /// The next attempt, with a fault to come or without.
    fn up_again(&self, next: Option<Fault>) {
        let mut state = self.state();
        if state.is_down && state.fault.is_some_and(|fault| fault.kind == Kind::PowerLoss) {
            state.after_power_loss();
        }
        (state.is_down, state.calls, state.fault) = (false, 0, next);
    }

    fn seen(&self, name: &str) -> Option<Vec<u8>> {
        let state = self.state();
        state.names.get(name).map(|file| state.files[*file].seen.clone())
    }

    fn synced(&self, name: &str) -> Vec<u8> {
        let state = self.state();
        state.synced_names.get(name).map_or_else(Vec::new, |file| state.files[*file].synced.clone())
    }

    fn done(&self, act: impl FnOnce(&mut State)) -> io::Result<()> {
        let mut state = self.state();
        let (_, result) = state.call(0);
        if result.is_ok() {
            act(&mut state);
        }
        result
    }
}

impl Disk for Model {
    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        Ok(self.seen(name))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        let (part, result) = state.call(bytes.len());
        if part > 0 || result.is_ok() {
            state.files.push(Bytes { seen: bytes[..part].to_vec(), synced: Vec::new() });
            let file = state.files.len() - 1;
            state.names.insert(name.to_string(), file);
        }
        result
    }

    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        let (part, result) = state.call(bytes.len());
        let Some(file) = state.names.get(name).copied() else {
            return Err(io::ErrorKind::NotFound.into());
        };
        state.files[file].seen.extend(&bytes[..part]);
        result
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        self.done(|state| {
            if let Some(file) = state.names.get(name).copied() {
                state.files[file].synced = state.files[file].seen.clone();
            }
        })
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.done(|state| {
            if let Some(file) = state.names.remove(from) {
                state.names.insert(to.to_string(), file);
            }
        })
    }

    fn sync_names(&self) -> io::Result<()> {
        self.done(|state| state.synced_names = state.names.clone())
    }

    fn has(&self, name: &str) -> io::Result<bool> {
        Ok(self.state().names.contains_key(name))
    }
}

/// Does a trial in no time: what it records follows from its number.
struct Fake {
    disk: Model,
    /// Rows that must be on the disk for sure before the next trial.
    rows: usize,
}

fn lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

impl Executor for Fake {
    fn run(&mut self, planned: &Planned, _: Duration, _: &Stop) -> Result<Done, Broken> {
        let rows = lines(&self.disk.synced("trials.csv"));
        assert_eq!(rows, 1 + self.rows, "a trial is on the disk before the next");
        self.rows += 1;
        let trial = planned.spec.trial;
        let mut record = TrialRecord::empty(Status::Ok);
        if trial.is_multiple_of(5) {
            record = TrialRecord::failed(Status::Crashed, "it said: \"a\", b\nand c".to_string());
        }
        record.timeline = (0..trial % 4)
            .map(|at| Sample { t_s: at as f64 / 8.0, threads: 2, ops: at * trial, slots: Some(16) })
            .collect();
        if trial.is_multiple_of(2) {
            record.metrics = vec![Metric { metric: "m, n".into(), value: 0.1, unit: "s".into() }];
        }
        if trial.is_multiple_of(3) {
            record.pivots =
                vec![SlotsSet { index: 0, from: 16, to: 32, seconds: trial as f64, errno: None }];
        }
        Ok(Done::Trial(Box::new(Execution {
            started_at: SystemTime::UNIX_EPOCH + Duration::from_secs(trial),
            record,
            boot: None,
            kernel: Kernel { name: "k".into(), ..Kernel::default() },
            splats: None,
            disturbances: Vec::new(),
        })))
    }
}

struct Nobody;

impl Observer for Nobody {
    fn starts(&mut self, _: &Planned) {}
    fn ended(&mut self, _: &Planned, _: &records::journal::TrialRows) {}
}

fn manifest() -> Manifest {
    Manifest {
        format: FORMAT,
        name: "x".into(),
        definition: serde_json::Value::Null,
        source: Source { from: "x".into(), sha256: String::new(), text: String::new() },
        command_line: Vec::new(),
        versions: BTreeMap::new(),
        seed: 1,
        planned: 0,
        machine: Machine::default(),
        executor: Origin::ThisMachine,
        kernels: Vec::new(),
        labels: BTreeMap::new(),
        started_at: String::new(),
        ended_at: None,
        resumed: Vec::new(),
        disturbances: Vec::new(),
        skipped: Vec::new(),
    }
}

/// Begins a run, or goes on with it where there is one; does what is left to do.
fn attempt(definition: &Definition, plan: &Plan, disk: &Model) -> Result<(), JournalError> {
    let folder = Path::new("R");
    let on = || Arc::new(disk.clone());
    let (mut journal, finished) = match disk.seen("manifest.json") {
        None => (Journal::begin(on(), folder, &manifest(), &plan.rows())?, BTreeSet::new()),
        Some(_) => {
            let look = Look::on(on(), folder).expect("what a fault leaves can be resumed");
            // Of a line that is torn within its number nobody knows whether it was a finished trial's.
            let unknown =
                |cut: &Cut| matches!(cut, Cut::Line { line, .. } if line.trial().is_none());
            assert!(
                look.cut.iter().all(unknown),
                "no finished trial loses anything: {:?}",
                look.cut
            );
            let finished = look.finished.clone();
            (look.reopen()?, finished)
        }
    };
    let mut fake = Fake { disk: disk.clone(), rows: finished.len() };
    let nobody = &mut Nobody;
    let (ended, result) =
        run(definition, plan, &finished, &mut fake, &mut journal, &Stop::default(), nobody);
    assert!(ended.skipped.is_empty());
    match result {
        Ok(()) => journal.write_manifest(&manifest()),
        Err(RunError::Journal(error)) => Err(error),
        Err(error) => panic!("{error}"),
    }
}

fn cases() -> u32 {
    std::env::var("STALLSCOPE_MODEL_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(400)
}

fn fault() -> impl Strategy<Value = Fault> {
    let kind = prop_oneof![
        Just(Kind::Killed),
        Just(Kind::PowerLoss),
        Just(Kind::PowerLoss),
        Just(Kind::Full),
        Just(Kind::Failed),
    ];
    (0u64..90, kind, any::<u64>()).prop_map(|(at, kind, draw)| Fault { at, kind, draw })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn after_any_faults_a_run_is_as_without_them(
        cells in 1u32..4,
        blocks in 1u32..4,
        seed in any::<u32>(),
        faults in prop::collection::vec(fault(), 1..5),
    ) {
        let threads: Vec<String> = (1..=cells).map(|n| n.to_string()).collect();
        let text = format!(
            "trials = {blocks}\nseed = {seed}\n[factors]\nworkload = \"wake-storm\"\nthreads = [{}]\n",
            threads.join(", ")
        );
        let definition = parse("x", "x", &text).expect("a definition");
        let site = Site { cpus: 8, kernels: vec!["k".into()] };
        let plan = Plan::new(&definition, &site).expect("a plan");
        let (whole, disk) = (Model::default(), Model::default());
        attempt(&definition, &plan, &whole).expect("no fault");
        for fault in faults.iter().map(|fault| Some(*fault)).chain([None]) {
            disk.up_again(fault);
            let result = attempt(&definition, &plan, &disk);
            prop_assert!(fault.is_some() || result.is_ok(), "{result:?}");
        }
        for name in FILES {
            let text = |disk: &Model| {
                disk.seen(name).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            };
            prop_assert_eq!(text(&disk), text(&whole), "{}", name);
        }
        prop_assert_eq!(lines(&disk.synced("trials.csv")), 1 + plan.trials.len());
    }
}
