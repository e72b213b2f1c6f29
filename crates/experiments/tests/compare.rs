//! `compare` as a user has it: the published runs, the lab's, and requests that are wrong.

mod driven;

use std::fs;
use std::path::{Path, PathBuf};

use driven::User;

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Puts a committed run into the user's folder.
fn put(user: &User, run: &str, name: &str) {
    let to = user.path(name);
    fs::create_dir_all(&to).expect("a folder");
    for entry in fs::read_dir(repository(run)).expect("a run") {
        let entry = entry.expect("an entry");
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            fs::copy(entry.path(), to.join(entry.file_name())).expect("copied");
        }
    }
}

fn published() -> User {
    let user = User::new();
    put(&user, "data/published/3-stock", "stock");
    put(&user, "data/published/3-patched", "patched");
    user
}

#[test]
fn the_published_patch_has_its_verdict_in_every_form() {
    let user = published();
    let text = user.experiments("compare --base stock --test patched").ok();
    assert!(text.starts_with("Undecided: `blocked-waiters` stalled in 0 of 72 trials"), "{text}");
    assert!(text.contains("Harm found."), "{text}");
    assert!(text.contains("8 of 8"), "{text}");
    let mail = user.experiments("compare --base stock --test patched --format mail").ok();
    for text in [&text, &mail] {
        assert!(text.lines().all(|line| line.chars().count() <= 78), "{text}");
    }
    assert!(text.contains("192, linear:3s, Graviton4"), "{text}");
    assert!(mail.contains("experiments compare --base stock --test patched"), "{mail}");
    assert!(mail.contains("experiments import"), "the commands of the runs: {mail}");
    let markdown = user.experiments("compare --base stock --test patched --format markdown").ok();
    assert!(markdown.contains("| stratum | base | test |"), "{markdown}");
    let json = user.experiments("compare --base stock --test patched --json").ok();
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["verdict"]["kind"], "undecided");
    assert_eq!(json["verdict"]["because"], "too-few-units");
    assert_eq!(
        json["units"],
        serde_json::json!({"unit": "stretch", "base": 1, "test": 1, "trials_each": 72.0})
    );
    assert_eq!(json["efficacy"]["pooled"]["counts"], serde_json::json!([[28, 72], [0, 72]]));
    assert!(!user.path("stock/analysis").exists(), "nothing is written unasked");
}

#[test]
fn every_file_of_out_is_there_and_told() {
    let user = published();
    let text = user.experiments("compare --base stock --test patched --out C").ok();
    for file in ["compare.md", "compare.html", "compare.txt", "compare.json", "strata.csv"] {
        assert!(text.contains(&format!("  C/{file}")), "{text}");
        assert!(user.path("C").join(file).metadata().expect("a file").len() > 0);
    }
    for figure in ["stalls-by-side.svg", "stalls-by-side.png"] {
        assert!(user.path("C").join(figure).metadata().expect("a figure").len() > 0);
    }
    let names = || {
        let entries = fs::read_dir(user.path("C")).expect("a folder").map(|e| e.expect("one"));
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    // Of an earlier comparison, and of somebody else.
    user.write("C/recovery-by-side-3.svg", "<svg/>");
    user.write("C/mine-by-side.svg", "<svg/>");
    user.experiments("compare --base stock --test patched --out C").ok();
    assert_eq!(names().len(), before.len() + 1, "{:?}", names());
    assert!(user.path("C/mine-by-side.svg").exists());
    let rows = user.rows("C/strata.csv");
    assert_eq!(rows.len(), 5);
    // A file that can't be put in its place is named, and nothing of the attempt is left.
    fs::remove_file(user.path("C/compare.json")).expect("removed");
    fs::create_dir_all(user.path("C/compare.json/in")).expect("a folder");
    let failed = user.experiments("compare --base stock --test patched --out C");
    assert_eq!(failed.status, Some(2), "{failed:?}");
    assert!(failed.err.contains("C/compare.json"), "{failed:?}");
    assert_eq!(names().len(), before.len() + 1, "{:?}", names());
    assert!(rows.iter().all(|row| row["role"] == "compared" && row["test_stalled"] == "0"));
}

#[test]
fn the_gate_is_an_exit_status_and_the_text_is_still_there() {
    let user = published();
    let ended = user.experiments("compare --base stock --test patched --gate");
    assert_eq!(ended.status, Some(10), "undecided, and harm: {}", ended.err);
    assert!(ended.out.starts_with("Undecided"), "{}", ended.out);
    assert!(ended.err.is_empty(), "{}", ended.err);
    // The other way round the checks say no harm, and one stretch of time a side decides nothing.
    let ended = user.experiments("compare --base patched --test stock --gate");
    assert_eq!(ended.status, Some(11));
    assert!(ended.out.contains("it would be `worse`"), "{}", ended.out);
}

#[test]
fn kernels_of_one_lab_run_are_compared_within_their_blocks() {
    let user = User::new();
    put(&user, "reports/lab-growth/48", "48");
    let args = "compare 48 --by kernel --base debian:7.3.4 --test debian:7.2.13";
    let json = user.experiments(&format!("{args} --json")).ok();
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["order"], "interleaved");
    assert_eq!(json["efficacy"]["strata"][0]["base"]["k"], 7);
    assert_eq!(json["efficacy"]["strata"][0]["base"]["n"], 20);
    assert!(json["cost"]["not_quoted"]["why"] == "emulated", "throughput is the emulator's");
    assert_eq!(json["recovery"]["strata"][0]["groups"][0]["events"], 14);
    let ended = user.experiments(&format!("{args} --out C"));
    assert!(ended.ok().contains("recovery-by-side.png"));
}

#[test]
fn a_wrong_request_is_told_what_is_accepted() {
    let user = published();
    put(&user, "reports/lab-growth/48", "48");
    let refused = |args: &str| {
        let ended = user.experiments(&format!("compare {args}"));
        assert_eq!(ended.status, Some(2), "{args}: {} {}", ended.out, ended.err);
        ended.err
    };
    assert!(refused("--base stock --test nowhere").contains("nowhere does not exist"));
    assert!(refused("--base stock --test .").contains(". is not a run"));
    assert!(refused("--base stock --test stock").contains("is on both sides"));
    assert!(refused("--base stock").contains("the test side is empty"));
    assert!(refused("stock patched").contains("stock is on no side"));
    assert!(refused("stock --base stock --test patched").contains("leave the first one out"));
    assert!(refused("--base stock --test patched --stall pivot:1000h").contains("than a week"));
    assert!(refused("--by patch --base stock --test x").contains("They stand first"));
    assert!(refused("stock --by patch --base stock --test x").contains("no trial has patch x"));
    let swallowed = refused("stock --by patch --base stock --test x patched");
    assert!(swallowed.contains("no trial has patch x"), "{swallowed}");
    assert!(refused("--base stock --test patched --margin 5").contains("such as 5%"));
    assert!(
        refused("--base stock --test patched --stall pivot:1s").contains("no trial of the base")
    );
    let unlike = refused("--base stock --test 48");
    assert!(unlike.contains("the stall rule is reported on the base side"), "{unlike}");
    assert!(refused("--base stock --test 48 --stall pivot:1s").contains("kernels"));
}

#[test]
fn help_shows_both_ways_to_name_sides() {
    let help = User::new().experiments("compare --help").ok();
    assert!(help.contains("--by kernel --base debian:7.3.4 --test built:fix"), "{help}");
    assert!(help.contains("10 not fixed or harm found"), "{help}");
}
