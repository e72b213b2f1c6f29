//! Programs as workloads, from the definition to the row: little real ones that say too little or
//! too much, fail, never end, and leave others behind.

mod driven;

use std::time::{Duration, Instant};

use driven::{Ended, Row, User};

/// A definition of one trial that runs a script.
fn definition(script: &str, regex: &str) -> String {
    format!(
        "trials = 1\nduration = \"20ms\"\nlimit = \"2s\"\n\
         [factors]\nworkload = \"command\"\nthreads = 1\nhash = \"auto\"\n\
         [outcome]\nstall = \"absolute:1\"\n\
         [command]\nargv = [\"sh\", \"-c\", '''{script}''']\nregex = '{regex}'\nunit = \"1/s\"\n\
         mops_per_unit = 1\n"
    )
}

fn run(user: &User, script: &str) -> (Ended, Row) {
    let _ = std::fs::remove_dir_all(user.path("R"));
    user.write("program.toml", &definition(script, "rate ([0-9.]+)"));
    let ended = user.experiments("run program.toml --out R --no-report");
    let rows = user.rows("R/trials.csv");
    assert_eq!(rows.len(), 1, "{ended:?}");
    (ended, rows[0].clone())
}

#[test]
fn a_program_that_gives_no_number_has_a_row_that_says_why() {
    let user = User::new();
    for (script, part) in [
        ("true", "it printed nothing"),
        ("echo nothing here", "matches nothing of what it printed"),
        ("echo rate 5; echo rate 6", "matches 2 times"),
        ("echo rate 5; echo it broke >&2; exit 3", "sh ended with status 3; it said: it broke"),
        ("kill -SEGV $$", "sh was killed by SIGSEGV"),
    ] {
        let (ended, row) = run(&user, script);
        assert_eq!(ended.status, Some(1), "nothing was measured: {ended:?}");
        assert!(ended.err.contains("the only trial failed"), "{ended:?}");
        assert_eq!(
            (row["status"].as_str(), row["mops_per_s"].as_str()),
            ("crashed", ""),
            "{row:?}"
        );
        assert!(row["error"].contains(part), "{script}: {}", row["error"]);
    }
}

#[test]
fn an_expression_that_can_find_nothing_is_refused_before_anything_runs() {
    let user = User::new();
    for (regex, part) in [("rate", "no group"), ("rate (", "no regular expression")] {
        user.write("program.toml", &definition("touch ran; echo rate 1", regex));
        user.experiments("run program.toml --out R").refused(&["program", "command.regex", part]);
        assert!(!user.path("R").exists() && !user.path("ran").exists());
    }
}

/// Whether a process still is.
fn lives(pid: &str) -> bool {
    let pid = pid.trim();
    assert!(pid.parse::<u32>().is_ok(), "{pid:?}");
    std::path::Path::new(&format!("/proc/{pid}")).exists()
}

#[test]
fn a_program_that_never_ends_is_killed_with_all_that_it_started() {
    let user = User::new();
    let began = Instant::now();
    let script = "sleep 1000 & echo $! > child; setsid sleep 1000 & echo $! > daemon; sleep 1000";
    let (ended, row) = run(&user, script);
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert_eq!(row["status"], "timeout");
    assert!(row["error"].contains("time limit of 2 s"), "{}", row["error"]);
    for process in ["child", "daemon"] {
        assert!(!lives(&user.read(process)), "{process} outlived its trial");
    }
}

#[test]
fn what_a_program_leaves_behind_is_killed_and_counted() {
    let user = User::new();
    let script = "sleep 1000 & echo $! > child; setsid sleep 1000 & echo $! > daemon; echo rate 7";
    let (ended, row) = run(&user, script);
    ended.ok();
    assert_eq!((row["status"].as_str(), row["mops_per_s"].as_str()), ("ok", "7"), "{row:?}");
    for process in ["child", "daemon"] {
        assert!(!lives(&user.read(process)), "{process} outlived its trial");
    }
    let metrics = user.rows("R/metrics.csv");
    assert!(metrics.iter().any(|row| row["metric"] == "left_behind"), "{metrics:?}");
}
