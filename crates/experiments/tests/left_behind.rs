//! What trials leave running, what the runner was started beside, and what a full disk or a limit does.

mod driven;

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use driven::{Ended, User};

/// Processes whose command line is this, words apart by a space.
fn running(line: &str) -> Vec<u32> {
    let processes = fs::read_dir("/proc").expect("/proc").flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words).trim_end_matches('\0').replace('\0', " ") == line
    })
    .collect()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..6000 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("it never came to that: {what}");
}

/// Two processes left behind, one in a session of its own; `tag` makes their command lines this test's.
fn definition(user: &User, tag: u32, then: &str) {
    user.write(
        "left.toml",
        &format!(
            "trials = 2\n[factors]\nworkload = \"command\"\nthreads = 1\nhash = \"auto\"\n[command]\nargv = [\"sh\", \"-c\", \
             \"sleep {tag}1 & setsid sleep {tag}2 & echo rate 5; {then}\"]\nregex = \"rate ([0-9]+)\"\n\
             unit = \"1/s\"\n"
        ),
    );
}

const RUN: &str = "run left.toml --out R --no-report";

#[test]
fn what_the_runner_was_started_beside_is_not_its_to_end() {
    let user = User::new();
    definition(&user, 9101, "true");
    let binary = env!("CARGO_BIN_EXE_experiments");
    let shell = |script: &str| {
        let mut command = Command::new("bash");
        command.args(["-c", script]).current_dir(user.path(".")).stdin(Stdio::null());
        Ended::from(command.output().expect("bash"))
    };
    // The child of the shell becomes the runner's, and so does what is left of its children.
    let script = format!(
        "(sleep 91013 & exec sleep 0.1) > /dev/null 2>&1 & sleep 91014 > /dev/null 2>&1 & exec {binary} {RUN}"
    );
    shell(&script).ok();
    let (orphan, child) = (running("sleep 91013"), running("sleep 91014"));
    for pid in orphan.iter().chain(&child) {
        kernel_abi::process::kill(*pid).expect("killed");
    }
    assert_eq!((orphan.len(), child.len()), (1, 1));
    assert_eq!(running("sleep 91011").len() + running("sleep 91012").len(), 0);
    // Of the control, whose hash is set from inside, processes that are ended early tell nothing.
    let rows = user.rows("R/trials.csv");
    assert!(rows.iter().filter(|row| row["hash"] == "auto").all(|row| row["status"] == "ok"));
    shell(&format!("{binary} {} > >(tee log)", RUN.replace("--out R", "--out S"))).ok();
    until("the log is written", || user.read("log").contains("written:"));
}

#[test]
fn a_killed_runner_leaves_no_process() {
    let user = User::new();
    definition(&user, 9102, "sleep 91023");
    let mut child = user.start(RUN);
    let all = ["sleep 91021", "sleep 91022", "sleep 91023"];
    until("the trial runs", || all.iter().all(|line| !running(line).is_empty()));
    child.kill().expect("killed");
    let _ = child.wait();
    until("its processes are gone", || all.iter().all(|line| running(line).is_empty()));
}

#[test]
fn what_outlived_runner_and_trial_is_ended_before_the_run_goes_on() {
    let user = User::new();
    definition(&user, 9103, "sleep 91033");
    let mut child = user.start(RUN);
    until("the trial runs", || {
        !running("sleep 91032").is_empty() && !running("sleep 91033").is_empty()
    });
    // Both at once, as where memory ran out for all of a group: nobody is left to end the others.
    let trials = kernel_abi::process_tree::descendants(child.id()).expect("/proc");
    let trial = trials.first().expect("race-trial").pid;
    for pid in [child.id(), trial] {
        let _ = Command::new("kill").args(["-STOP", &pid.to_string()]).status();
    }
    for pid in [trial, child.id()] {
        let _ = Command::new("kill").args(["-KILL", &pid.to_string()]).status();
    }
    let _ = child.wait();
    until("the trial is gone", || {
        !fs::exists(format!("/proc/{trial}/fd")).unwrap_or(false)
            || fs::read_dir(format!("/proc/{trial}/fd")).is_err()
    });
    let old = running("sleep 91032");
    assert_eq!(old.len(), 1, "it has a session of its own");
    let mut child = user.start("resume R --no-report");
    until("what was left is gone", || !running("sleep 91032").contains(&old[0]));
    // The trial of now is ended with its runner.
    let all = ["sleep 91031", "sleep 91032", "sleep 91033"];
    until("the trial runs", || all.iter().all(|line| !running(line).is_empty()));
    child.kill().expect("killed");
    let _ = child.wait();
    until("all is gone", || all.iter().all(|line| running(line).is_empty()));
}

#[test]
fn no_file_of_the_runner_is_in_the_temporary_folder() {
    let user = User::new();
    fs::create_dir(user.path("full")).unwrap();
    let mut command = user.command(
        "run race-sweep --here --duration 20ms --trials 1 --set threads=1 --out R --no-report",
    );
    // Nothing can be made there, and there is no other place.
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("TMPDIR", "/proc/self/fdinfo");
    Ended::from(command.stdin(Stdio::null()).output().expect("started")).ok();
    assert!(user.rows("R/trials.csv").iter().all(|row| row["status"] == "ok"));
}

#[test]
fn a_limit_of_file_sizes_is_told_and_ends_the_run_without_a_row() {
    let user = User::new();
    let run =
        "run race-sweep --here --duration 30ms --trials 40 --set threads=1,2 --out R --no-report";
    let script = format!("ulimit -f 8; exec {} {run}", env!("CARGO_BIN_EXE_experiments"));
    let mut command = Command::new("sh");
    command.args(["-c", &script]).arg0("sh").current_dir(user.path(".")).stdin(Stdio::null());
    let ended = Ended::from(command.output().expect("sh"));
    assert!(matches!(ended.status, Some(1 | 2)), "{ended:?}");
    assert!(ended.err.contains("File too large"), "{ended:?}");
    assert!(!ended.err.contains("panicked"), "{ended:?}");
}

#[test]
fn a_cell_that_only_fails_is_skipped_and_the_others_go_on() {
    let user = User::new();
    user.write(
        "fail.toml",
        "trials = 5\n[factors]\nworkload = \"command\"\nthreads = [1, 2]\nhash = \"auto\"\n[command]\n\
         argv = [\"sh\", \"-c\", \"test {threads} = 1 && echo rate 5\"]\nregex = \"rate ([0-9]+)\"\n\
         unit = \"1/s\"\n",
    );
    let ended = user.experiments("run fail.toml --out R");
    assert!(
        ended.err.contains("failed 3 times in a row (the last: sh ended with status 1)"),
        "{ended:?}"
    );
    ended.ok();
    let count = || {
        let rows = user.rows("R/trials.csv");
        let of = |threads: &str| {
            rows.iter().filter(|row| row["threads"] == threads && row["hash"] == "auto").count()
        };
        (of("1"), of("2"))
    };
    assert_eq!(count(), (5, 3));
    let report = user.read("R/report/report.md");
    assert!(report.contains("failed 3 times in a row"), "{report}");
    // Whoever resumes has seen to the cause: it is tried again.
    user.experiments("resume R --no-report").ok();
    assert_eq!(count(), (5, 5));
    assert!(!user.read("R/manifest.json").contains("\"skipped\""));
}

#[test]
fn an_analysis_makes_do_with_few_threads_or_says_so() {
    let user = User::new();
    user.experiments(
        "run race-sweep --here --duration 20ms --trials 2 --set threads=1 --out R --no-report",
    )
    .ok();
    // The limit is not root's: another user has it, and may read and write here.
    let open = Command::new("chmod").args(["-R", "a+rwX"]).arg(user.path(".")).status();
    assert!(open.expect("chmod").success());
    let binary = env!("CARGO_BIN_EXE_experiments");
    let limited = |script: &str| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=54329", "--regid=54329", "--clear-groups", "bash", "-c", script]);
        command.current_dir(user.path(".")).stdin(Stdio::null()).output().map(Ended::from)
    };
    // Only root can become another, and the binary must be readable by all.
    let can = limited(&format!("{binary} --version"));
    if !can.is_ok_and(|can| can.status == Some(0)) {
        return;
    }
    for limit in [1, 2, 3, 4, 8] {
        let script = format!("ulimit -u {limit}; exec {binary} analyze R --out analysis-{limit}");
        let ended = limited(&script).expect("started");
        let said = ended.err.contains("the system lets it start");
        assert!(ended.status == Some(0) || (ended.status == Some(1) && said), "{limit}: {ended:?}");
        assert!(!ended.err.contains("panicked"), "{ended:?}");
        assert_eq!(ended.status == Some(0), limit >= 3, "{limit}: {ended:?}");
    }
}
