//! A log of any format is imported or refused, and what is imported is a run that the readers take.
#![no_main]

use std::path::Path;

use import::files::RunFiles;
use import::fill::{Fill, fill};
use import::format::{Format, read};
use import::ktap::Depth;
use libfuzzer_sys::fuzz_target;
use model::columns::{METRICS, PLAN, TIMELINE, TRIALS};
use records::table::Table;

fuzz_target!(|input: (u8, &str)| {
    let (kind, text) = input;
    let format = match kind % 5 {
        0 => Some(Format::Reproducer),
        1 => Some(Format::PerfBenchFutex),
        2 => Some(Format::Schbench),
        3 => Some(Format::Ktap),
        _ => None,
    };
    let Ok((_, mut found)) = read(text, format, None, Depth::Leaves) else { return };
    let lines = text.split('\n').filter(|line| !line.trim().is_empty()).count();
    assert!(found.unread.len() <= lines, "more lines are not understood than there are");
    let mut with = Fill::default();
    with.cells.set("threads", "8").expect("a count");
    if fill(&mut found, &Fill::default()).is_err() && fill(&mut found, &with).is_err() {
        return;
    }
    for (name, text) in RunFiles::of(&found, "x").iter() {
        let columns = match name {
            "trials.csv" => &TRIALS[..],
            "plan.csv" => &PLAN,
            "timeline.csv" => &TIMELINE,
            "metrics.csv" => &METRICS,
            _ => continue,
        };
        let table = Table::parse(Path::new(name), text.as_bytes().to_vec(), columns);
        assert_eq!(table.expect("a table of a run").torn, None);
    }
});
