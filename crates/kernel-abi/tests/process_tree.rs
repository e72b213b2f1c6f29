//! Ending what descends from a process. It has a process of its own: what other tests start is not to
//! be ended with it.

use std::process::Command;
use std::time::Duration;

use kernel_abi::process::{AtDeath, Setup, become_subreaper, kill};
use kernel_abi::process_tree::{Process, descendants, end_descendants, end_started_with};
use stallscope_kernel_abi as kernel_abi;

const LONG: Duration = Duration::from_secs(20);

fn shell(script: &str, variable: Option<(&str, &str)>) -> u32 {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]).envs(variable);
    Setup { at_death: AtDeath::Terminate, ..Setup::default() }.apply(&mut command);
    command.spawn().expect("sh").id()
}

fn until(mut holds: impl FnMut() -> bool) {
    let began = std::time::Instant::now();
    while !holds() {
        assert!(began.elapsed() < LONG, "it never came to that");
        std::thread::yield_now();
    }
}

/// One test for all of it, since each looks at all children of this process.
#[test]
fn what_descends_is_ended_and_what_was_there_before_is_spared() {
    become_subreaper().expect("prctl");
    let own = std::process::id();
    let count = || descendants(own).expect("/proc").len();

    // Left behind, in its own session, with children of its own.
    shell("setsid sh -c 'sleep 600 & sleep 600' & sleep 600", None);
    until(|| count() >= 5);
    let ended = end_descendants(&|_| false, LONG);
    assert!(ended.killed >= 5 && ended.left.is_empty(), "{ended:?}");
    assert_eq!(count(), 0);

    // A chain: each link forks the next, in a session of its own, and exits.
    let chain = "import os\nwhile True:\n  if os.fork(): os._exit(0)\n  os.setsid()\n";
    if Command::new("python3").arg("--version").output().is_ok() {
        Command::new("python3").args(["-c", chain]).status().expect("its first link");
        until(|| count() > 0);
        let ended = end_descendants(&|_| false, LONG);
        assert!(ended.left.is_empty(), "{ended:?}");
        assert_eq!(count(), 0);
    }

    // What is spared is spared with all below it.
    let kept = Process::of(shell("sleep 600 & sleep 600", None)).expect("it runs");
    until(|| count() == 3);
    shell("sleep 600 & sleep 600", Some(("STALLSCOPE_RUN", "one")));
    until(|| count() == 6);
    end_descendants(&|process| *process == kept, LONG);
    assert_eq!(count(), 3);

    // By what they were started with, whoever's children they are.
    shell("sleep 600 & sleep 600", Some(("STALLSCOPE_RUN", "one")));
    until(|| count() == 6);
    assert_eq!(end_started_with("STALLSCOPE_RUN=on", LONG).killed, 0);
    let ended = end_started_with("STALLSCOPE_RUN=one", LONG);
    assert_eq!((ended.killed, ended.left.len()), (3, 0));
    assert!(Process::of(kept.pid) == Some(kept));
    kill(kept.pid).expect("killed");
    end_descendants(&|_| false, LONG);
}
