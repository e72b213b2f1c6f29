//! A system that gives fewer threads than a trial asks for, in the middle of the ramp: what was
//! refused is recorded, with the call, errno by name and how many threads came; nobody waits for
//! threads that never will, and nothing panics.

mod common;

use std::os::unix::process::CommandExt;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use common::{ended, spec, task};
use model::record::{Status, TrialRecord};
use model::spec::TrialSpec;

/// Their stacks of 128 KiB alone are 250 MB.
const THREADS: u32 = 2000;

/// Room for some of them.
const KIB: u64 = 60 << 10;

/// `race-trial` with so much address space: what a thread's stack needs.
fn within(kib: u64, spec: &TrialSpec) -> Output {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("ulimit -v {kib} && exec \"$0\"")])
        .arg(env!("CARGO_BIN_EXE_race-trial"))
        .env("RUST_BACKTRACE", "0");
    ended(command, &format!("{}\n", serde_json::to_string(spec).expect("JSON")))
}

fn record(output: &Output) -> TrialRecord {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn of(workload: &str, ramp: &str) -> TrialSpec {
    let mut spec = spec();
    spec.task = task(workload, 4);
    spec.ramp = ramp.parse().expect("a ramp");
    // A worker of `messenger` has a histogram besides, which is to have room.
    spec.threads = if workload == "messenger" { THREADS / 4 } else { THREADS };
    spec
}

/// The number before a word.
fn before(text: &str, word: &str) -> u32 {
    let words: Vec<&str> = text.split([' ', ',', ';']).filter(|part| !part.is_empty()).collect();
    let at = words.iter().position(|part| *part == word).unwrap_or_else(|| panic!("{text}"));
    words[at - 1].parse().unwrap_or_else(|_| panic!("{text}"))
}

#[test]
fn in_every_workload_and_ramp_it_is_recorded_how_far_it_came() {
    for (workload, ramp) in [
        ("wake-storm", "burst"),
        ("wake-storm", "barrier:10ms"),
        ("wake-storm", "linear:100ms"),
        ("wake-storm", "steps:4x20ms"),
        ("wake-storm", "poisson:100000/s"),
        ("wake-storm", "grow:8@20ms"),
        ("mutex", "burst"),
        ("mutex", "barrier:10ms"),
        ("resize", "burst"),
        ("messenger", "burst"),
        ("messenger", "barrier:10ms"),
    ] {
        let began = Instant::now();
        let output = within(KIB, &of(workload, ramp));
        assert_eq!(output.status.code(), Some(0), "{workload} {ramp}: {output:?}");
        let record = record(&output);
        assert_eq!(record.status, Status::Refused, "{workload} {ramp}: {record:?}");
        assert_eq!((record.ops, record.mops_per_s, record.elapsed_s), (None, None, None));
        let error = record.error.expect("a reason");
        assert!(error.starts_with("pthread_create: EAGAIN ("), "{workload} {ramp}: {error}");
        let came = before(&error, "existed");
        assert!((8..THREADS).contains(&came), "{workload} {ramp}: {error}");
        assert!(error.contains(&format!("for thread {} of", came + 1)), "{error}");
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{workload} {ramp} took {:?}",
            began.elapsed()
        );
    }
}

#[test]
fn with_whatever_little_memory_nothing_panics_or_hangs() {
    let spec = of("wake-storm", "barrier:1ms");
    for mib in [4, 6, 8, 10, 12, 16, 20, 24, 32, 48] {
        let output = within(mib << 10, &spec);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("panicked"), "{mib} MiB: {said}");
        // With next to none the program can't be loaded, or its first allocation fails.
        if output.status.code() == Some(0) {
            let record = record(&output);
            assert_eq!(record.status, Status::Refused, "{mib} MiB: {record:?}");
            assert!(record.error.is_some());
        }
    }
}

#[test]
fn a_limit_on_the_users_processes_is_recorded_the_same() {
    // The kernel counts none of root's; another user is needed, and only root can become one.
    let status = std::fs::read_to_string("/proc/self/status").expect("status");
    let root = status.lines().any(|line| line.starts_with("Uid:\t0\t"));
    if !root {
        eprintln!("not root: RLIMIT_NPROC is not tried");
        return;
    }
    // A user that has nothing else running, and a copy that it may execute.
    let user = 61_000 + std::process::id() % 1000;
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("race-trial");
    // By another process: what this one has open for writing, a child that another test starts at that
    // moment has too until it executes, and nobody may execute the copy as long (ETXTBSY).
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_race-trial")).arg(&copy).status();
    assert!(copied.expect("cp").success());
    for path in [folder.path(), copy.as_path()] {
        std::os::unix::fs::chown(path, Some(user), Some(user)).expect("given");
    }
    let mut spec = of("wake-storm", "burst");
    spec.threads = 100;
    let mut command = Command::new("prlimit");
    command.arg("--nproc=20").arg(&copy).current_dir(folder.path()).uid(user).gid(user);
    let output = ended(command, &format!("{}\n", serde_json::to_string(&spec).expect("JSON")));
    let record = record(&output);
    assert_eq!(record.status, Status::Refused, "{record:?}");
    let error = record.error.expect("a reason");
    assert!(error.starts_with("pthread_create: EAGAIN ("), "{error}");
    assert!(error.contains("for thread 20 of 100, 19 existed"), "{error}");
}
