//! A run that is killed, ended or damaged, and gone on with.

mod driven;

use std::fs;
use std::io::Write;
use std::process::Child;

use driven::{Ended, Row, User};

const RUN: &str =
    "run race-sweep --duration 40ms --trials 3 --set threads=1,2 --out R --no-report --seed 5";

/// Whole, and each trial once, in the planned order.
fn complete(user: &User) -> Vec<Row> {
    let plan: Vec<String> = user.rows("R/plan.csv").iter().map(|r| r["trial"].clone()).collect();
    let rows = user.rows("R/trials.csv");
    let trials: Vec<String> = rows.iter().map(|row| row["trial"].clone()).collect();
    assert_eq!(trials, plan);
    let sampled: std::collections::BTreeSet<String> =
        user.rows("R/timeline.csv").iter().map(|row| row["trial"].clone()).collect();
    assert_eq!(sampled.len(), plan.len());
    // A trial's samples stand together once: none was written twice.
    let mut runs: Vec<String> =
        user.rows("R/timeline.csv").iter().map(|r| r["trial"].clone()).collect();
    runs.dedup();
    assert_eq!(runs.len(), plan.len());
    rows
}

fn end(mut child: Child, signal: &str) -> Ended {
    let killed = std::process::Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .expect("kill");
    assert!(killed.success());
    let _ = child.wait();
    Ended::from(child.wait_with_output().expect("waited"))
}

#[test]
fn a_killed_runner_loses_and_doubles_nothing() {
    let user = User::new();
    let mut child = user.start(RUN);
    user.wait_for_lines("R/trials.csv", 5, &mut child);
    end(child, "-KILL");
    let kept = user.read("R/trials.csv");
    let whole = &kept[..=kept.rfind('\n').expect("a line")];
    user.experiments("resume R --no-report").ok();
    complete(&user);
    assert!(user.read("R/trials.csv").starts_with(whole), "finished rows are as they were");
    let manifest = user.read("R/manifest.json");
    assert!(manifest.contains("\"resumed\": [\n    {"), "{manifest}");
    // Nothing is left to do, and nothing is done.
    let before = user.read("R/trials.csv");
    user.experiments("resume R --no-report").ok();
    assert_eq!(user.read("R/trials.csv"), before);
}

#[test]
fn a_signal_ends_the_trial_and_says_how_to_go_on() {
    let user = User::new();
    // Not SIGINT: where the tests were started in the background it is ignored, and stays so.
    let mut child = user.start(&RUN.replace("40ms", "20s"));
    user.wait_for_lines("R/plan.csv", 12, &mut child);
    let ended = end(child, "-TERM");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert!(
        ended.err.contains("SIGTERM") && ended.err.contains("experiments resume R"),
        "{ended:?}"
    );
    assert_eq!(user.rows("R/trials.csv").len(), 0);
}

#[test]
fn a_torn_last_row_is_named_and_its_trial_run_again() {
    let user = User::new();
    user.experiments(RUN).ok();
    let text = user.read("R/trials.csv");
    user.write("R/trials.csv", &text[..text.len() - 25]);
    user.experiments("analyze R").ok();
    let ended = user.experiments("resume R --no-report");
    assert!(ended.err.contains("trials.csv line 13 is torn"), "{ended:?}");
    ended.ok();
    complete(&user);
}

#[test]
fn what_is_torn_off_a_finished_trial_is_said_now_and_by_later_analyses() {
    let user = User::new();
    user.experiments(RUN).ok();
    let text = user.read("R/timeline.csv");
    let last = text.lines().count();
    user.write("R/timeline.csv", &text[..text.len() - 4]);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let before = words(&user.experiments("analyze R").ok());
    assert!(before.contains(&format!("timeline.csv line {last} is torn")), "{before}");
    assert!(before.contains("so resuming does not run it again"), "{before}");
    let ended = user.experiments("resume R --no-report");
    assert!(ended.err.contains("0 to do"), "{ended:?}");
    let note = format!("timeline.csv line {last} was torn");
    assert!(words(&ended.err).contains(&note), "{ended:?}");
    ended.ok();
    for _ in 0..2 {
        let later = words(&user.experiments("analyze R").ok());
        assert!(later.contains(&note) && !later.contains("is torn"), "{later}");
        // Once is enough: what is there now is whole.
        user.experiments("resume R --no-report").ok();
    }
    assert_eq!(user.read("R/manifest.json").matches(&note).count(), 1);
}

#[test]
fn a_timeline_without_its_header_loses_no_trial() {
    let user = User::new();
    user.experiments(RUN).ok();
    let (trials, timeline) = (user.read("R/trials.csv"), user.read("R/timeline.csv"));
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    // Half of the trials are left to do.
    let half: String = trials.split_inclusive('\n').take(7).collect();
    for (text, now, then) in [
        ("", "timeline.csv is empty, without even a header", "timeline.csv was empty"),
        (
            "trial,t_s",
            "timeline.csv line 1 is torn (\"trial,t_s\")",
            "timeline.csv had a torn header",
        ),
    ] {
        user.write("R/trials.csv", &half);
        user.write("R/timeline.csv", text);
        let before = words(&user.experiments("analyze R").ok());
        assert!(before.contains(now), "{before}");
        let ended = user.experiments("resume R --no-report");
        let said = words(&ended.err);
        assert!(said.contains(then) && said.contains("6 finished trials is lost"), "{said}");
        assert!(said.contains("6 to do"), "{said}");
        ended.ok();
        let done = user.read("R/trials.csv");
        assert!(done.starts_with(&half) && done.lines().count() == 13, "{done}");
        let sampled = user.read("R/timeline.csv");
        assert!(
            sampled.starts_with("trial,t_s,threads") && sampled.lines().count() > 6,
            "{sampled}"
        );
        let after = words(&user.experiments("analyze R").ok());
        assert!(
            after.contains(then) && after.contains("has no sample of 6 of 12 trials"),
            "{after}"
        );
    }
    // Rows without a header are refused by both, and nothing is changed.
    let rows: String = timeline.split_inclusive('\n').skip(1).collect();
    user.write("R/trials.csv", &half);
    user.write("R/timeline.csv", &rows);
    for command in ["analyze R", "resume R --no-report"] {
        user.experiments(command).refused(&["R/timeline.csv line 1", "missing \"trial\""]);
    }
    assert_eq!((user.read("R/trials.csv"), user.read("R/timeline.csv")), (half, rows));
}

#[test]
fn a_run_that_changed_is_refused_unless_forced() {
    let user = User::new();
    let definition =
        "trials = 2\nduration = \"20ms\"\n[factors]\nworkload = \"wake-storm\"\nthreads = [1, 2]\n";
    user.write("mine.toml", definition);
    user.experiments("run mine.toml --out R --no-report").ok();
    let text = user.read("R/trials.csv");
    let lines: Vec<&str> = text.lines().collect();
    user.write("R/trials.csv", &format!("{}\n", lines[..4].join("\n")));
    user.write("mine.toml", &definition.replace("20ms", "30ms"));
    user.experiments("resume R").refused(&["mine.toml", "--force"]);
    user.experiments("resume R --force --no-report").ok();
    let rows = complete(&user);
    assert!(rows.iter().all(|row| row["duration_s"] == "0.02"), "the begun plan is gone on with");
    assert!(user.read("R/manifest.json").contains("is not the one that the run was started with"));
    let manifest = user.read("R/manifest.json");
    user.write("R/manifest.json", &manifest.replace("\"cpus_online\": ", "\"cpus_online\": 1"));
    user.experiments("resume R").refused(&["CPUs online"]);
}

#[test]
fn a_row_that_was_not_planned_so_is_refused() {
    let user = User::new();
    user.experiments(RUN).ok();
    let text = user.read("R/trials.csv");
    let first = text.lines().nth(1).unwrap();
    let number = first.split(',').nth(1).unwrap();
    let foreign = first.replacen(&format!(",{number},"), ",9999,", 1);
    user.write("R/trials.csv", &text.replacen(first, &foreign, 1));
    user.experiments("resume R").refused(&["line 2", "9999 is not in plan.csv"]);
    let hash = if first.contains(",auto,") {
        (",auto,", ",slots:512,")
    } else {
        (",slots:512,", ",auto,")
    };
    user.write("R/trials.csv", &text.replacen(first, &first.replacen(hash.0, hash.1, 1), 1));
    user.experiments("resume R").refused(&["line 2", "hash is"]);
    user.write("R/trials.csv", &text);
    let plan = user.read("R/plan.csv");
    user.write("R/plan.csv", &plan.replace(",slots:512,", ",auto,"));
    user.experiments("resume R").refused(&["plan.csv", "not the plan"]);
}

#[test]
fn what_is_no_run_is_refused() {
    let user = User::new();
    user.experiments("resume nowhere").refused(&["nowhere", "not a run"]);
    user.experiments(RUN).ok();
    fs::rename(user.path("R/trials.csv"), user.path("R/kept.csv")).unwrap();
    user.experiments("resume R").refused(&["trials.csv"]);
    user.experiments("analyze R").refused(&["trials.csv"]);
    let text = user.read("R/kept.csv");
    user.write("R/trials.csv", &text.replacen(",ops,", ",operations,", 1));
    user.experiments("resume R").refused(&["missing \"ops\"", "not known \"operations\""]);
    user.experiments("analyze R").refused(&["missing \"ops\""]);
    let last = text.lines().last().unwrap();
    user.write("R/trials.csv", &format!("{text}{last}\n"));
    user.experiments("resume R").refused(&["line 14", "line 13"]);
    user.experiments("analyze R").refused(&["line 14"]);
    let mut file = fs::File::create(user.path("R/manifest.json")).unwrap();
    file.write_all(&[0xff, 0xfe]).unwrap();
    user.experiments("resume R").refused(&["manifest.json"]);
}

#[test]
fn a_manifest_that_can_not_be_is_told_by_line_and_key() {
    let user = User::new();
    user.experiments(RUN).ok();
    let good = user.read("R/manifest.json");
    let changed = |old: &str, new: &str| {
        assert!(good.contains(old), "{old} is not in {good}");
        user.write("R/manifest.json", &good.replacen(old, new, 1));
    };
    let both = ["resume R", "analyze R", "report R"];
    for (old, new, parts) in [
        (
            "\"planned\": 12",
            "\"planned\": \"many\"",
            ["planned is \"many\"", "a whole number from 0"],
        ),
        ("\"planned\": 12,", "", ["the key planned is missing", "Set it right"]),
        ("\"planned\": 12,", "\"planned\": 12", ["it is not JSON", "expected"]),
        ("\"format\": 1", "\"format\": 2", ["its format is 2", "this build reads format 1"]),
    ] {
        changed(old, new);
        for command in both {
            user.experiments(command).refused(&["R/manifest.json", parts[0], parts[1]]);
        }
    }
    user.write("R/manifest.json", &good[..good.len() / 2]);
    for command in both {
        user.experiments(command).refused(&["R/manifest.json line", "the file is torn"]);
    }
    changed("\"burst\"", "\"slow\"");
    let parts = ["R/manifest.json line", "definition.factors.ramp", "\"slow\"", "`burst`"];
    user.experiments("resume R").refused(&parts);
    changed("\"executor\": \"this machine\"", "\"executor\": \"elsewhere\"");
    user.experiments("resume R").refused(&["elsewhere", "`this machine`", "Set it right"]);
    user.write("R/manifest.json", &good);
    user.experiments("resume R --no-report").ok();
}
