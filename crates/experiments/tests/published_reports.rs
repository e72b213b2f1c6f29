//! The committed reports of the published figures are what the program says of them today.
//!
//! `sh reports/published/rebuild.sh` writes them anew; the diff is to be read.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Every file below a folder, by its path in it.
fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.strip_prefix(folder).expect("inside").to_path_buf());
            }
        }
    }
    found
}

fn has_ending(file: &Path, endings: &[&str]) -> bool {
    file.extension().is_some_and(|ending| endings.iter().any(|one| ending == *one))
}

#[test]
fn the_committed_texts_are_what_the_program_says_today() {
    let made = tempfile::tempdir().expect("a folder");
    let script = Command::new("sh")
        .arg("reports/published/rebuild.sh")
        .current_dir(repository())
        .env("EXPERIMENTS", env!("CARGO_BIN_EXE_experiments"))
        .env("OUT", made.path())
        .env("TEXTS_ONLY", "1")
        .output()
        .expect("sh");
    let said = String::from_utf8_lossy(&script.stderr);
    assert!(script.status.success(), "rebuild.sh failed: {said}");

    let committed = repository().join("reports/published");
    let texts: BTreeSet<PathBuf> = files(&committed)
        .into_iter()
        // The folder's own page is written by hand.
        .filter(|file| file.components().count() > 1 && has_ending(file, &["md", "txt"]))
        .collect();
    assert_eq!(files(made.path()), texts, "another set of files: run reports/published/rebuild.sh");
    for file in &texts {
        let read = |folder: &Path| fs::read_to_string(folder.join(file)).expect("a text");
        let (today, then) = (read(made.path()), read(&committed));
        let differs = today.lines().zip(then.lines()).find(|(today, then)| today != then);
        assert!(
            today == then,
            "{}: run reports/published/rebuild.sh and read the diff; first difference: {differs:?}",
            file.display()
        );
    }
}

#[test]
fn every_figure_is_shown_and_every_run_has_its_report() {
    let committed = repository().join("reports/published");
    let page = fs::read_to_string(committed.join("README.md")).expect("the folder's page");
    for run in fs::read_dir(repository().join("data/published")).expect("a folder") {
        let run = run.expect("an entry").path();
        if !run.join("manifest.json").exists() {
            continue;
        }
        let name = run.file_name().expect("a name").to_string_lossy().into_owned();
        let folder = committed.join(&name);
        let report = fs::read_to_string(folder.join("report.md")).expect("a report");
        let shown: BTreeSet<String> = report
            .lines()
            .filter_map(|line| Some(line.strip_prefix("![")?.rsplit_once("](")?.1))
            .map(|link| link.trim_end_matches(')').to_string())
            .collect();
        let there: BTreeSet<String> = files(&folder)
            .into_iter()
            .filter(|file| !has_ending(file, &["md", "txt"]))
            .map(|file| file.display().to_string())
            .collect();
        assert_eq!(shown, there, "{name}: figures shown, figures committed");
        assert!(page.contains(&format!("({name}/report.md)")), "README.md lacks {name}");
    }
}

#[test]
fn a_mail_has_78_columns() {
    let committed = repository().join("reports/published");
    for file in files(&committed).into_iter().filter(|file| file.ends_with("report.txt")) {
        let text = fs::read_to_string(committed.join(&file)).expect("a text");
        let long = text.lines().find(|line| line.chars().count() > 78);
        assert_eq!(long, None, "{}", file.display());
    }
}

/// What the README shows of a program's answer is what it answers today, line by line.
#[test]
fn the_readme_quotes_todays_answers() {
    let answer = |words: &[&str]| {
        let command = Command::new(env!("CARGO_BIN_EXE_experiments"))
            .args(words)
            .current_dir(repository())
            .output()
            .expect("experiments");
        assert!(command.status.success(), "{command:?}");
        String::from_utf8(command.stdout).expect("text")
    };
    let readme = fs::read_to_string(repository().join("README.md")).expect("the README");
    let quoted = |first: &str| {
        let block = readme.split("```").find(|block| block.trim_start().starts_with(first));
        block.unwrap_or_else(|| panic!("no block of the README begins with {first}")).to_string()
    };
    let folders = |of: &str| ["16", "32", "48"].map(|cpus| format!("reports/{of}/{cpus}"));
    let ([a, b, c], [d, e, f]) = (folders("lab-growth"), folders("patches-7.3"));
    let kernels = ["--by", "kernel", "--base", "stock-7.3", "--test", "refuse-7.3"];
    for (first, words) in [
        ("Reduced:", [&["compare", &d, &e, &f][..], &kernels].concat()),
        ("`debian:7.3.4`", ["report", &a, &b, &c, "--format", "mail"].to_vec()),
    ] {
        let (block, answer) = (quoted(first), answer(&words));
        for line in block.lines().filter(|line| !line.trim().is_empty() && *line != "[…]") {
            assert!(answer.lines().any(|said| said == line), "the answer has no line {line:?}");
        }
    }
}

/// What the tutorial shows of `compare` and `stat` is what they answer today, line by line.
#[test]
fn the_tutorial_quotes_todays_answers() {
    let page = fs::read_to_string(repository().join("docs/tutorial.md")).expect("the tutorial");
    let blocks = page.split("```").skip(1).step_by(2).map(str::trim_start);
    let mut quoted = 0;
    for block in blocks.filter(|block| {
        ["$ experiments compare ", "$ experiments stat "].iter().any(|head| block.starts_with(head))
    }) {
        let (command, shown) = block.split_once('\n').expect("a command and its answer");
        let words = command.trim_start_matches("$ experiments ").split_whitespace();
        let answer = Command::new(env!("CARGO_BIN_EXE_experiments"))
            .args(words)
            .current_dir(repository())
            .output()
            .expect("experiments");
        let answer = String::from_utf8(answer.stdout).expect("text");
        for line in shown.lines().filter(|line| !line.trim().is_empty() && *line != "[…]") {
            assert!(answer.lines().any(|said| said == line), "{command}: no line {line:?}");
        }
        quoted += 1;
    }
    assert!(quoted >= 2, "{quoted} commands");
}
