//! Damaged logs: cut anywhere, lines lost, doubled or swapped, bytes changed. Nothing panics, no line
//! disappears, and no value gets into a row that isn't one of its column.

use std::path::Path;

use model::column::Column;
use model::columns::{METRICS, PLAN, TIMELINE, TRIALS};
use records::table::Table;
use stallscope_import::files::RunFiles;
use stallscope_import::fill::{Fill, fill};
use stallscope_import::format::{Format, read};
use stallscope_import::imported::Imported;
use stallscope_import::ktap::Depth;
use stallscope_import::mapping::Mapping;

const LOGS: [(Format, &str); 5] = [
    (Format::Reproducer, include_str!("logs/reproducer.log")),
    (Format::PerfBenchFutex, include_str!("logs/perf-bench-futex-6.1.log")),
    (Format::Schbench, include_str!("logs/schbench.log")),
    (Format::Ktap, include_str!("logs/kselftest-futex.tap")),
    (Format::Csv, include_str!("logs/runs.csv")),
];

const MAP: &str = include_str!("logs/runs.toml");

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

fn imported(format: Format, text: &str) -> Option<Imported> {
    let mapping = Mapping::parse("runs.toml", MAP).unwrap();
    let mapping = (format == Format::Csv).then_some(&mapping);
    read(text, Some(format), mapping, Depth::Leaves).ok().map(|(_, found)| found)
}

/// That what was imported is a run: every file passes the reader's checks.
fn check(text: &str, mut found: Imported) {
    let lines = text.split('\n').filter(|line| !line.trim().is_empty()).count();
    assert!(found.unread.len() <= lines, "more lines are not understood than there are");
    let mut with = Fill::default();
    with.cells.set("threads", "8").unwrap();
    // A log that contradicts or leaves something open gives no run; that is its own test.
    if fill(&mut found, &Fill::default()).is_err() && fill(&mut found, &with).is_err() {
        return;
    }
    let files = RunFiles::of(&found, "x");
    for (name, text) in files.iter() {
        let columns: &[Column] = match name {
            "trials.csv" => &TRIALS,
            "plan.csv" => &PLAN,
            "timeline.csv" => &TIMELINE,
            "metrics.csv" => &METRICS,
            _ => continue,
        };
        let table = Table::parse(Path::new(name), text.as_bytes().to_vec(), columns);
        let table = table.unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(table.torn, None, "{name}");
    }
}

#[test]
fn whole_logs_are_understood_whole() {
    for (format, text) in LOGS {
        let found = imported(format, text).unwrap_or_else(|| panic!("{format}"));
        assert_eq!(found.unread, [], "{format}");
        assert!(found.trials.len() + found.checks.len() >= 4, "{format}");
        check(text, found);
    }
}

#[test]
fn cut_anywhere() {
    for (format, text) in LOGS {
        // A step that no line's length divides: the cuts fall on every part of a line.
        for at in (0..text.len()).step_by(37).filter(|at| text.is_char_boundary(*at)) {
            if let Some(found) = imported(format, &text[..at]) {
                check(&text[..at], found);
            }
        }
    }
}

#[test]
fn damaged_at_random() {
    const STRANGE: [&str; 10] =
        ["\u{0}", "0", "-", "999999999999999999999999", "\u{1F980}", ",", "\"", "#", "\r", "1e999"];
    let mut chance = Chance(1);
    for (format, text) in LOGS {
        for _ in 0..100 {
            let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
            for _ in 0..=chance.below(4) {
                let at = chance.below(lines.len());
                match chance.below(4) {
                    0 => drop(lines.remove(at)),
                    1 => lines.insert(at, lines[at].clone()),
                    2 => {
                        let other = chance.below(lines.len());
                        lines.swap(at, other);
                    }
                    _ => {
                        let line = &mut lines[at];
                        let place = (0..=line.len())
                            .filter(|place| line.is_char_boundary(*place))
                            .nth(chance.below(line.chars().count() + 1));
                        line.insert_str(place.unwrap_or(0), STRANGE[chance.below(STRANGE.len())]);
                    }
                }
            }
            let damaged = lines.join("\n");
            if let Some(found) = imported(format, &damaged) {
                check(&damaged, found);
            }
        }
    }
}
