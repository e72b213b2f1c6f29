//! Inputs that are committed, damaged at random: every reader holds what the crate promises of it.
//! `STALLSCOPE_INPUT_CASES` sets how many damaged inputs a reader is given.

use import::format::Format;
use proptest::collection::vec;
use proptest::prelude::*;
use stallscope_any_input::{console, definition, imported, manifest, mapped, rows};

/// Bytes that readers of text stumble over.
const STRANGE: [&[u8]; 14] = [
    b"\0",
    b"\x1b[31m",
    b"\xff",
    b"\"",
    b",",
    b"\n",
    b"\r\n",
    b"#",
    b"-1",
    b"1e999",
    b"1,5",
    b"99999999999999999999",
    "\u{202e}".as_bytes(),
    "\u{1f980}".as_bytes(),
];

/// One damage: what is done, where (a share of the length), and with which bytes.
type Damage = (u8, f64, usize);

fn damages() -> impl Strategy<Value = (usize, Vec<Damage>)> {
    (any::<usize>(), vec((0u8..4, 0.0..1.0, any::<usize>()), 0..5))
}

fn damaged(inputs: &[&[u8]], which: usize, damages: &[Damage]) -> Vec<u8> {
    let mut bytes = inputs[which % inputs.len()].to_vec();
    for (what, share, with) in damages {
        let at = (bytes.len() as f64 * share) as usize;
        match what {
            0 => bytes.truncate(at),
            1 => drop(bytes.splice(at..at, STRANGE[with % STRANGE.len()].iter().copied())),
            2 => drop(bytes.drain(at..(at + with % 40).min(bytes.len()))),
            _ => {
                let line = bytes[at..].split_inclusive(|byte| *byte == b'\n').next();
                let line = line.unwrap_or_default().to_vec();
                bytes.splice(at..at, line);
            }
        }
    }
    bytes
}

fn each(default: u32, inputs: &[&[u8]], reader: impl Fn(&[u8])) {
    let cases = std::env::var("STALLSCOPE_INPUT_CASES").ok().and_then(|text| text.parse().ok());
    let mut config = ProptestConfig::with_cases(cases.unwrap_or(default));
    config.failure_persistence = None;
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let held = runner.run(&damages(), |(which, how)| {
        reader(&damaged(inputs, which, &how));
        Ok(())
    });
    if let Err(error) = held {
        panic!("{error}");
    }
}

fn text(reader: impl Fn(&str)) -> impl Fn(&[u8]) {
    move |bytes| reader(&String::from_utf8_lossy(bytes))
}

macro_rules! committed {
    ($($file:literal),+ $(,)?) => { &[$(include_bytes!(concat!("../../../", $file)).as_slice()),+] };
}

#[test]
fn definitions() {
    let inputs = committed!("experiments/race-sweep.toml", "experiments/messenger.toml");
    each(200, inputs, text(definition));
}

#[test]
fn rows_of_a_run() {
    let inputs = committed!(
        "data/published/1-reproducer/trials.csv",
        "data/published/1-reproducer/plan.csv",
        "data/published/1-reproducer/metrics.csv",
        "data/published/1-reproducer/timeline.csv",
    );
    each(60, inputs, rows);
}

#[test]
fn manifests() {
    each(60, committed!("data/published/1-reproducer/manifest.json"), text(manifest));
}

#[test]
fn logs() {
    let inputs = committed!(
        "crates/import/tests/logs/reproducer.log",
        "crates/import/tests/logs/perf-bench-futex-6.1.log",
        "crates/import/tests/cases/perf-decimal-comma.log",
        "crates/import/tests/logs/schbench.log",
        "crates/import/tests/cases/schbench-two-killed.log",
        "crates/import/tests/logs/kselftest-futex.tap",
        "crates/import/tests/cases/ktap-then-prefixed-failures.log",
    );
    each(60, inputs, text(|log| imported(log, None)));
    for format in Format::ALL.into_iter().filter(|format| *format != Format::Csv) {
        each(15, inputs, text(move |log| imported(log, Some(format))));
    }
}

#[test]
fn mappings_and_their_tables() {
    let map = include_str!("../../import/tests/logs/runs.toml");
    let csv = include_bytes!("../../import/tests/logs/runs.csv");
    each(40, &[csv], text(|csv| mapped(map, csv)));
    let csv = String::from_utf8_lossy(csv).into_owned();
    each(40, &[map.as_bytes()], text(move |map| mapped(map, &csv)));
}

#[test]
fn consoles() {
    each(200, committed!("crates/lab/tests/cases/console-ubsan.log"), console);
}
