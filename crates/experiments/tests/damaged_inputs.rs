//! Damaged inputs of every kind, through the binary: it never panics, it says what is wrong, it prints no
//! control character, and what it imports it also analyses.
//!
//! `STALLSCOPE_INPUT_CASES` is how many inputs are tried of each kind.

mod driven;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use driven::{Ended, User};
use rayon::prelude::*;

/// Cases of each kind that an ordinary test tries: some seconds of it.
const CASES: u64 = 12;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A small generator, so that a failure can be made again (splitmix64).
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }
}

/// What stands where it is least expected.
const STRANGE: [&[u8]; 16] = [
    b"\x1b[31m",
    b"\x00",
    b"\xff\xfe",
    b"\r",
    b"\n",
    b"\"",
    b",",
    b";",
    b"=cmd()",
    b"1e999",
    b"-1",
    b"999999999999999999999999",
    b"nan",
    "\u{202e}".as_bytes(),
    "\u{1F980}".as_bytes(),
    b"<script>",
];

/// A damaged copy: cut, doubled, swapped lines; bytes changed, strange ones put in.
fn damaged(bytes: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=chance.below(3) {
        let at = chance.below(bytes.len() + 1);
        match chance.below(6) {
            0 => bytes.truncate(at),
            1 => {
                let strange = STRANGE[chance.below(STRANGE.len())];
                bytes.splice(at..at, strange.iter().copied());
            }
            2 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
            3 => {
                let end = (at + chance.below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            4 => {
                let end = (at + chance.below(200)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            _ => {
                let mut lines: Vec<Vec<u8>> =
                    bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
                let (a, b) = (chance.below(lines.len()), chance.below(lines.len()));
                if !lines.is_empty() {
                    lines.swap(a, b);
                }
                bytes = lines.concat();
            }
        }
    }
    bytes
}

/// That the program ended as it should, whatever it was given.
fn check(what: &str, ended: &Ended) {
    let status = ended.status.unwrap_or_else(|| panic!("{what}: a signal ended it\n{ended:?}"));
    assert!([0, 1, 2, 10, 11].contains(&status), "{what}: status {status}\n{ended:?}");
    for text in [&ended.out, &ended.err] {
        let raw = text.chars().find(|c| c.is_control() && !"\n\t".contains(*c));
        assert_eq!(raw, None, "{what}: a control character is printed\n{ended:?}");
    }
    if [1, 2].contains(&status) {
        assert!(ended.err.contains("error: "), "{what}: no reason is given\n{ended:?}");
    }
}

/// Tries the damaged copies of each input on all CPUs.
fn try_all(inputs: &[PathBuf], with: impl Fn(&User, &str, &Path, &mut Chance) + Sync) {
    let cases = std::env::var("STALLSCOPE_INPUT_CASES").ok().and_then(|n| n.parse().ok());
    let cases: u64 = cases.unwrap_or(CASES);
    let done = AtomicU64::new(0);
    (0..cases.max(inputs.len() as u64)).into_par_iter().for_each(|case| {
        let mut chance = Chance(case);
        let input = &inputs[case as usize % inputs.len()];
        let user = User::new();
        let name = input.file_name().and_then(|name| name.to_str()).expect("a name");
        // The first round is undamaged.
        let bytes = fs::read(input).expect("an input");
        let bytes = if case < inputs.len() as u64 { bytes } else { damaged(&bytes, &mut chance) };
        fs::write(user.path(name), bytes).expect("written");
        with(&user, &format!("case {case} of {name}"), input, &mut chance);
        done.fetch_add(1, Ordering::Relaxed);
    });
    assert!(done.into_inner() >= cases);
}

fn files(folders: &[&str], endings: &[&str]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(root().join(folder)).expect("a folder"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            let ending = path.extension().and_then(|ending| ending.to_str());
            ending.is_some_and(|ending| endings.contains(&ending))
        })
        .collect();
    found.sort();
    assert!(!found.is_empty());
    found
}

#[test]
fn what_is_imported_is_analysed() {
    let folders =
        ["crates/import/tests/logs", "crates/import/tests/cases", "data/published/sources"];
    let taken = AtomicU64::new(0);
    try_all(&files(&folders, &["log", "tap", "txt", "csv"]), |user, what, input, _| {
        let name = input.file_name().and_then(|name| name.to_str()).expect("a name");
        let map = input.with_extension("toml");
        let map = match map.exists() {
            true => format!("--map {}", map.display()),
            false => String::new(),
        };
        // What a log leaves open is said by its importer; what it says itself can't be set.
        let ways = ["", "--threads 8", "--threads 8 --set hash=auto"];
        let mut tried = ways.iter().map(|said| {
            let imported = user.experiments(&format!("import {name} {map} {said} --out R"));
            check(what, &imported);
            imported.status == Some(0)
        });
        if tried.any(|taken| taken) {
            taken.fetch_add(1, Ordering::Relaxed);
            let analysed = user.experiments("analyze R");
            check(what, &analysed);
            assert_eq!(analysed.status, Some(0), "{what}: imported, and then\n{analysed:?}");
            check(what, &user.experiments("report R --format mail"));
        }
    });
    assert!(taken.into_inner() > 10, "most inputs are imported");
}

#[test]
fn a_definition_is_shown_or_refused() {
    try_all(&files(&["experiments"], &["toml"]), |user, what, input, _| {
        let name = input.file_name().and_then(|name| name.to_str()).expect("a name");
        check(what, &user.experiments(&format!("show {name}")));
    });
}

#[test]
fn a_mapping_is_read_or_refused() {
    let mappings: Vec<PathBuf> = files(&["data/published/sources"], &["toml"])
        .into_iter()
        .filter(|map| map.with_extension("csv").exists())
        .collect();
    try_all(&mappings, |user, what, input, _| {
        let name = input.file_name().and_then(|name| name.to_str()).expect("a name");
        let source = input.with_extension("csv");
        let imported =
            user.experiments(&format!("import {} --map {name} --out R", source.display()));
        check(what, &imported);
        if imported.status == Some(0) {
            let analysed = user.experiments("analyze R");
            assert_eq!(analysed.status, Some(0), "{what}: imported, and then\n{analysed:?}");
        }
    });
}

#[test]
fn a_run_is_analysed_or_refused() {
    let run = |file: &str| root().join("reports/patches-7.3/16").join(file);
    let inputs =
        ["manifest.json", "trials.csv", "plan.csv", "timeline.csv", "metrics.csv"].map(run);
    try_all(&inputs, |user, what, input, _| {
        let name = input.file_name().and_then(|name| name.to_str()).expect("a name");
        let folder = user.path("R");
        fs::create_dir(&folder).expect("made");
        for other in &inputs {
            fs::copy(other, folder.join(other.file_name().expect("a name"))).expect("copied");
        }
        fs::rename(user.path(name), folder.join(name)).expect("moved");
        check(what, &user.experiments("analyze R --details"));
        let sides = "--by kernel --base stock-7.3 --test size-7.3";
        check(what, &user.experiments(&format!("compare R {sides}")));
    });
}

#[test]
fn numbers_typed_in_are_taken_or_refused() {
    let user = User::new();
    let kinds: [(&str, &str); 5] = [
        ("survival", "time,event,group\n1.5,1,a\n2,0,a\n2.5,1,b\n3,1,b\n4,0,b\n1,1,a\n"),
        ("threshold", "threads,n,k\n8,10,0\n16,10,2\n32,10,7\n64,10,10\n"),
        ("strata", "stratum,base_k,base_n,test_k,test_n\na,5,10,1,10\nb,8,10,2,10\n"),
        ("adjust", "name,p\na,0.01\nb,0.04\nc,0.2\n"),
        ("samples", "1\n2\n3.5\n4\n"),
    ];
    let inputs = kinds.map(|(kind, text)| {
        user.write(kind, text);
        user.path(kind)
    });
    try_all(&inputs, |user, what, input, _| {
        let kind = input.file_name().and_then(|name| name.to_str()).expect("a name");
        let second = if kind == "samples" { input.display().to_string() } else { String::new() };
        check(what, &user.experiments(&format!("stat {kind} {kind} {second}")));
    });
}
