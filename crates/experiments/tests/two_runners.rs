//! Two runners, one run.

mod driven;

use std::fs;
use std::process::Child;

use driven::{Ended, User};

const LONG: &str =
    "run race-sweep --duration 300ms --trials 3 --set threads=1,2 --out R --no-report --seed 5";

fn ended(child: Child) -> Ended {
    Ended::from(child.wait_with_output().expect("waited"))
}

/// All files of the run itself.
fn snapshot(user: &User) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(user.path("R"))
        .expect("the run")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_file())
        .map(|path| (path.display().to_string(), fs::read(path).expect("read")))
        .collect();
    files.sort();
    files
}

#[test]
fn of_two_that_begin_at_once_one_runs_and_the_other_is_told_who() {
    let user = User::new();
    // A run takes 2.4 s, which the second one's start will not be late by.
    for round in 0..2 {
        let _ = fs::remove_dir_all(user.path("R"));
        let command = LONG.replace("300ms", "200ms");
        let children = [user.start(&command), user.start(&command)];
        let ids = children.each_ref().map(Child::id);
        let [one, other] = children.map(ended);
        let (won, lost, winner) =
            if one.status == Some(0) { (one, other, ids[0]) } else { (other, one, ids[1]) };
        won.ok();
        lost.refused(&["another runner", "is at work in R"]);
        let named = lost.err.contains(&format!("(process {winner})"));
        assert!(named || !lost.err.contains("process"), "round {round}: {}", lost.err);
        assert_eq!(user.rows("R/trials.csv").len(), 12);
    }
}

#[test]
fn who_comes_second_is_told_the_process_and_changes_nothing() {
    let user = User::new();
    let mut first = user.start(LONG);
    // It works for 3.6 s; the second ones are refused within the first trials.
    user.wait_for_lines("R/trials.csv", 2, &mut first);
    let process = format!("another runner (process {}) is at work in R", first.id());
    for second in ["resume R", "resume R --force", LONG] {
        user.experiments(second).refused(&[&process, "nothing was changed"]);
    }
    let first = ended(first);
    first.ok();
    assert_eq!(user.rows("R/trials.csv").len(), 12);
    let before = snapshot(&user);
    user.experiments(LONG).refused(&["holds another run"]);
    assert_eq!(snapshot(&user), before);
}

#[test]
fn a_killed_runner_holds_nothing_and_of_two_that_go_on_one_does() {
    let user = User::new();
    let mut first = user.start(LONG);
    user.wait_for_lines("R/trials.csv", 4, &mut first);
    first.kill().expect("killed");
    let _ = first.wait();
    let kept = user.read("R/trials.csv");
    let whole = &kept[..=kept.rfind('\n').expect("a line")];
    let children = [user.start("resume R --no-report"), user.start("resume R --no-report")];
    let [one, other] = children.map(ended);
    // The second may have come so late that nothing was left to do.
    let lost = [&one, &other].into_iter().find(|ended| ended.status != Some(0));
    if let Some(lost) = lost {
        lost.refused(&["another runner", "is at work in R"]);
    }
    assert!(one.status == Some(0) || other.status == Some(0), "{one:?} {other:?}");
    let text = user.read("R/trials.csv");
    assert!(text.starts_with(whole), "finished rows are as they were");
    let trials: std::collections::BTreeSet<String> =
        user.rows("R/trials.csv").iter().map(|row| row["trial"].clone()).collect();
    assert_eq!((trials.len(), text.lines().count()), (12, 13));
    // One resumption was recorded, whoever came when.
    let manifest: serde_json::Value = serde_json::from_str(&user.read("R/manifest.json")).unwrap();
    assert_eq!(manifest["resumed"].as_array().map(Vec::len), Some(1));
}
