//! Each factor's bad texts, on the command line: one sentence with what was asked and what is
//! accepted, status 2, nothing made.

mod driven;

use driven::{Ended, User};

/// An experiment that has the factor, the factor, texts that are no value of it, and what the
/// sentence says is accepted.
const BAD: [(&str, &str, &[&str], &str); 12] = [
    ("race-sweep", "workload", &["", "storm", "Mutex", "wake_storm"], "`wake-storm`"),
    (
        "race-sweep",
        "threads",
        &["", "0", "-1", "1.5", "0%", "-5%", "x%", "nan%", "4294967296"],
        "50%",
    ),
    (
        "race-sweep",
        "ramp",
        &[
            "",
            "burst:1s",
            "barrier",
            "linear:3",
            "steps:0x1s",
            "poisson:-1/s",
            "grow:0@1s",
            "grow:8",
        ],
        "`grow:8@1s`",
    ),
    (
        "race-sweep",
        "hash",
        &["", "slots", "slots:", "slots:0", "slots:3", "slots:-2", "slots:512+mutable", "auto:1"],
        "`slots:512`",
    ),
    (
        "race-sweep",
        "placement",
        &["", "cpus:", "cpus:3-1", "cpus:x", "pin:", "node:", "node:x", "node:-1", "compact:1"],
        "`scatter`",
    ),
    (
        "race-sweep",
        "memory",
        &["", "bind:", "bind:x", "interleave:2-1", "local:0"],
        "`interleave:0-2`",
    ),
    ("contended-mutex", "locks", &["", "0", "-1", "x", "0%"], "count from 1"),
    ("contended-mutex", "unlock", &["", "spin", "storewake"], "`store-wake`"),
    ("contended-mutex", "critical", &["", "5", "-1ns", "1parsec"], "`50us`"),
    ("contended-mutex", "think", &["", "5", "-1ns", "1parsec"], "`50us`"),
    ("messenger", "messengers", &["", "0", "-1", "x", "0%"], "count from 1"),
    ("race-sweep", "hsah", &["auto"], "did you mean hash"),
];

fn refused(user: &User, args: &str, parts: &[&str]) -> Ended {
    let ended = user.experiments(&format!("run {args} --out R"));
    ended.refused(parts);
    assert_eq!(ended.err.trim_end().lines().count(), 1, "{args}: {}", ended.err);
    assert!(!user.path("R").exists(), "{args} left a folder");
    ended
}

#[test]
fn a_text_that_is_no_value_is_named_with_what_is() {
    let user = User::new();
    for (experiment, factor, texts, accepted) in BAD {
        for text in texts {
            let set = format!("{factor}={text}");
            let quoted = format!("{set:?}");
            refused(&user, &format!("{experiment} --set {set}"), &[&quoted, accepted]);
        }
    }
}

#[test]
fn what_does_not_exist_here_is_named_with_what_there_is() {
    let user = User::new();
    for placement in ["cpus:9999", "pin:9999", "cpus:0-9999"] {
        refused(&user, &format!("race-sweep --set placement={placement}"), &[placement, "9999"]);
    }
    refused(&user, "race-sweep --set placement=node:4000", &["node:4000", "no node 4000"]);
    for memory in ["bind:0-4000", "interleave:4000"] {
        let parts = [memory, "is not in this machine", "nodes with memory are"];
        refused(&user, &format!("race-sweep --set memory={memory}"), &parts);
    }
    refused(
        &user,
        "race-sweep --set placement=pin:0 --set threads=2",
        &["pin:0", "1 CPU for 2 threads"],
    );
}

#[test]
fn a_cpu_outside_the_cpuset_is_not_there() {
    let all = kernel_abi::affinity::current().expect("affinity");
    let cpus: Vec<u32> = all.iter().collect();
    let [first, .., last] = cpus.as_slice() else {
        eprintln!("one CPU only: there is none to leave out");
        return;
    };
    // Of this thread alone, and of what it starts.
    kernel_abi::affinity::set_current(&[*first].into_iter().collect()).expect("set");
    let user = User::new();
    for placement in [format!("cpus:{last}"), format!("pin:{last}"), format!("cpus:{first},{last}")]
    {
        let args = format!("race-sweep --set threads=1 --set placement={placement}");
        refused(&user, &args, &["placement `", &format!("CPU {last} is outside of what")]);
    }
    user.experiments(&format!(
        "run race-sweep --duration 20ms --trials 1 --set threads=1 --set placement=cpus:{first} --out R --no-report"
    ))
    .ok();
}
