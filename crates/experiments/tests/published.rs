//! `data/published/`: made again from its sources, and read by the statistics.

mod driven;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use driven::User;

fn published() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/published")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        fs::copy(entry.path(), to.join(entry.file_name())).expect("copied");
    }
}

/// Name and text of every file of every run in a folder.
fn runs(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for run in fs::read_dir(folder).expect("a folder") {
        let run = run.expect("an entry").path();
        if !run.join("manifest.json").exists() {
            continue;
        }
        for file in fs::read_dir(&run).expect("a run").map(|file| file.expect("an entry").path()) {
            if file.is_file() {
                let name = file.strip_prefix(folder).expect("within").display().to_string();
                files.insert(name, fs::read_to_string(&file).expect("text"));
            }
        }
    }
    files
}

#[test]
fn the_runs_are_what_their_sources_make() {
    let user = User::new();
    let again = user.path("data/published");
    copy(&published().join("sources"), &again.join("sources"));
    fs::copy(published().join("rebuild.sh"), again.join("rebuild.sh")).expect("copied");
    let made = Command::new("sh")
        .arg(again.join("rebuild.sh"))
        .env("EXPERIMENTS", env!("CARGO_BIN_EXE_experiments"))
        .output()
        .expect("started");
    assert!(made.status.success(), "{made:?}");
    let (committed, again) = (runs(&published()), runs(&again));
    assert!(committed.len() > 80, "{}", committed.len());
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&committed), names(&again));
    for (name, text) in &committed {
        assert!(*text == again[name], "{name} is not what sources/ makes: run rebuild.sh");
    }
}

#[test]
fn rows_and_tables_count_alike() {
    let user = User::new();
    copy(&published().join("2-stalled-by-threads"), &user.path("R"));
    copy(&published().join("tables"), &user.path("T"));
    let trials = user.rows("R/trials.csv");
    let stalled: BTreeMap<String, bool> = user
        .rows("R/metrics.csv")
        .iter()
        .filter(|row| row["metric"] == "stalled")
        .map(|row| (row["trial"].clone(), row["value"] == "1"))
        .collect();
    let text = user.read("T/2-stalled-by-threads.csv");
    let table: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).skip(1).collect();
    assert_eq!(table.len(), 8);
    for line in table {
        let cells: Vec<&str> = line.split(',').collect();
        let rows: Vec<_> = trials.iter().filter(|row| row["threads"] == cells[0]).collect();
        let count = rows.iter().filter(|row| stalled[&row["trial"]]).count();
        assert_eq!((rows.len().to_string(), count.to_string()), (cells[1].into(), cells[2].into()));
        // Where a throughput is printed, it says the same by the message's own rule.
        for row in rows.iter().filter(|row| !row["mops_per_s"].is_empty()) {
            let below = row["mops_per_s"].parse::<f64>().expect("a number") < 100.0;
            assert_eq!(below, stalled[&row["trial"]], "{row:?}");
        }
        assert_eq!(rows.iter().filter(|row| row["mops_per_s"].is_empty()).count(), 5);
    }
}

#[test]
fn the_statistics_read_the_tables() {
    let user = User::new();
    copy(&published().join("tables"), &user.path("T"));
    let json = |args: &str| -> serde_json::Value {
        serde_json::from_str(&user.experiments(args).ok()).expect("JSON")
    };
    let threshold = json("stat threshold T/2-stalled-by-threads.csv --json");
    let half = threshold["t50"]["estimate"].as_f64().expect("a number");
    assert!((48.0..56.0).contains(&half), "{half}");
    let survival = json("stat survival T/3-recovery.csv --json");
    let group = &survival["groups"][0];
    assert_eq!((&group["n"], &group["events"]), (&7.into(), &6.into()));
    assert_eq!(group["median"]["estimate"], 169.0);
    let strata = json("stat strata T/3-patch.csv --json");
    assert_eq!(strata["strata"].as_array().map(Vec::len), Some(6));
    // The report's "0/24 against 4/24" alone decides nothing.
    let alone = json("stat two-by-two 4 24 0 24 --json");
    let fisher = alone["tests"]
        .as_array()
        .expect("tests")
        .iter()
        .find(|test| test["method"] == "fisher" && test["alternative"] == "two-sided");
    let p = fisher.expect("fisher")["p_value"].as_f64().expect("a number");
    assert!((p - 0.109).abs() < 0.0005, "{p}");
}

#[test]
fn the_report_counts_what_the_messages_count() {
    let user = User::new();
    for run in
        ["1-mutex", "1-reproducer", "2-ratios", "2-stalled-by-threads", "3-recovery", "3-stock"]
    {
        copy(&published().join(run), &user.path(run));
    }
    let says = |run: &str| user.experiments(&format!("report {run} --format md")).ok();
    let by_threads = says("2-stalled-by-threads");
    assert!(by_threads.contains("1 of 10 at 48, 8 of 10 at 56, 10 of 10 at 64, 9 of 10 at 72"));
    assert!(by_threads.contains("at most 25.9 %"), "what none of ten leaves open");
    let stock = says("3-stock");
    assert!(stock.contains("8 of 8 at 96, 8 of 8 at 128 and 8 of 8 at 192"), "{stock}");
    assert!(stock.contains("4 of 24 trials at 192 threads"), "{stock}");
    let recovery = says("3-recovery");
    assert!(recovery.contains("~300s (1 trial)"), "{recovery}");
    assert!(says("1-reproducer").contains("1.1 %"));
    let mutex = says("1-mutex");
    assert!(mutex.contains("49.6") && mutex.contains("4.5") && mutex.contains("| 11 "), "{mutex}");
    assert!(says("2-ratios").contains("81.8"));
}

#[test]
fn the_printed_timeline_recovers_between_169_and_170_seconds() {
    let user = User::new();
    copy(&published().join("3-timeline"), &user.path("R"));
    let said = user.experiments("analyze R").ok();
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains(
            "throughput of `auto` at 192 threads was below 50 % of the control's in 1 of 1 trial, and \
             back there for 3 s in 1 of them; the median stall"
        ),
        "{said}"
    );
    let recovery = user.rows("R/analysis/recovery.csv");
    assert_eq!(recovery.len(), 1);
    let row = &recovery[0];
    assert_eq!((&*row["sense"], &*row["n"], &*row["events"]), ("throughput", "1", "1"));
    assert_eq!(row["turnbull_median_left_s"], "169");
    assert_eq!(row["turnbull_median_right_s"], "170");
    assert_eq!((&*row["control_mops"], &*row["stalled_mops"]), ("36", "3.4"));
    // 24.8 is the second in which it recovered, and no recovery in part.
    assert_eq!((&*row["below_share"], &*row["did_not_hold"], &*row["one_sample"]), ("0", "0", "0"));
    let stalls = user.rows("R/analysis/stalls.csv");
    assert_eq!((&*stalls[0]["over_after_s"], &*stalls[0]["over_by_s"]), ("169", "170"));
    assert_eq!((&*stalls[0]["began_by_s"], &*stalls[0]["partial"]), ("0", ""));
    // The seven times of the message are another run's, and in another sense.
    copy(&published().join("3-recovery"), &user.path("S"));
    user.experiments("analyze S").ok();
    let recovery = user.rows("S/analysis/recovery.csv");
    assert_eq!((recovery.len(), &*recovery[0]["sense"]), (1, "pivot"));
    assert_eq!((&*recovery[0]["n"], &*recovery[0]["median_s"]), ("7", "169"));
}

#[test]
fn a_row_that_contradicts_its_plan_is_refused_by_line() {
    let user = User::new();
    copy(&published().join("3-recovery"), &user.path("R"));
    let rows = user.read("R/trials.csv");
    user.write("R/trials.csv", &rows.replacen("wake-storm,192,,auto", "wake-storm,96,,auto", 1));
    user.experiments("analyze R").refused(&[
        "R/trials.csv line 2: trial 1: threads is \"96\" and was planned as \"192\" in line 2 of plan.csv",
    ]);
}
