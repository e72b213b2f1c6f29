//! Runs `race-trial` as its runner does: a fresh process, a spec in, a record out.

// Each test binary uses a part of it.
#![allow(dead_code)]

use std::io::Write;
use std::process::{Command, Output, Stdio};

use model::record::TrialRecord;
use model::spec::TrialSpec;
use model::workload::Task;
use model::workload::wake_storm::WakeStorm;

/// A short wake-storm of two threads, to be changed by a test.
pub fn spec() -> TrialSpec {
    TrialSpec {
        trial: 1,
        task: Task::WakeStorm(WakeStorm {}),
        threads: 2,
        ramp: "burst".parse().expect("a ramp"),
        hash: "auto".parse().expect("a hash"),
        placement: "unpinned".parse().expect("a placement"),
        memory: "default".parse().expect("a memory policy"),
        duration: "120ms".parse().expect("a span"),
        until: Default::default(),
        sample: "20ms".parse().expect("a span"),
        watch: Default::default(),
        seed: 1,
    }
}

/// The record of a spec, and the exit status.
pub fn trial(spec: &TrialSpec) -> TrialRecord {
    trial_with(spec, &[])
}

/// [`trial`] with additions to its environment.
pub fn trial_with(spec: &TrialSpec, env: &[(&str, &str)]) -> TrialRecord {
    let line = serde_json::to_string(spec).expect("a spec is JSON");
    let (status, output) = race_trial_with(&format!("{line}\n"), env);
    assert_eq!(status, Some(0), "{output}");
    serde_json::from_str(&output).expect("one record")
}

/// What a text on standard input leads to: the exit status, and standard output.
pub fn race_trial(input: &str) -> (Option<i32>, String) {
    race_trial_with(input, &[])
}

fn race_trial_with(input: &str, env: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_race-trial"));
    command.env_remove("STALLSCOPE_PRELOAD").envs(env.iter().copied());
    let output = ended(command, input);
    (output.status.code(), String::from_utf8(output.stdout).expect("text"))
}

/// A command with a text on its standard input, at its end.
pub fn ended(mut command: Command, input: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("race-trial");
    // One that could not even begin reads nothing.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("ended")
}

/// The task of a workload with this many locks or messengers, where it takes them.
pub fn task(workload: &str, count: u32) -> Task {
    let parameters = match workload {
        "mutex" => format!(
            r#"{{"locks": "{count}", "unlock": "store-wake", "critical": "0s", "think": "0s"}}"#
        ),
        "messenger" => format!(r#"{{"messengers": "{count}"}}"#),
        _ => "{}".to_string(),
    };
    let text = format!("{{\"{workload}\": {parameters}}}");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}
