//! The files of a run.

use std::path::{Path, PathBuf};

use analysis::{Analysis, AnalysisError, Options, analyze};
use import::fill::{Fill, fill};
use import::format::{Format as Of, read};
use import::ktap::Depth;
use import::mapping::Mapping;
use model::column::{Column, header};
use model::columns::{CHECKS, EVENTS, METRICS, NOTES, PIVOTS, PLAN, TIMELINE, TRIALS};
use records::table::Table;
use report::Format;

use crate::import::write;
use crate::{refused, shown};

/// The tables of a run.
const TABLES: [(&str, &[Column]); 8] = [
    ("trials.csv", &TRIALS),
    ("plan.csv", &PLAN),
    ("timeline.csv", &TIMELINE),
    ("metrics.csv", &METRICS),
    ("notes.csv", &NOTES),
    ("checks.csv", &CHECKS),
    ("events.csv", &EVENTS),
    ("pivots.csv", &PIVOTS),
];

/// A run that is whole, in which one file is replaced.
const LOG: &str = include_str!("../../import/tests/logs/reproducer.log");

/// Bytes in place of the table whose header they begin with: the run is analysed, or refused.
pub fn rows(bytes: &[u8]) {
    let of_header =
        |(_, columns): &(&str, &[Column])| bytes.starts_with(header(columns).as_bytes());
    let Some((name, columns)) = TABLES.into_iter().find(of_header) else {
        for (name, columns) in TABLES {
            Table::parse(Path::new(name), bytes.to_vec(), columns)
                .expect_err("a table without its header");
        }
        return;
    };
    if let Err(error) = Table::parse(Path::new(name), bytes.to_vec(), columns) {
        return refused(&error);
    }
    replaced(name, bytes);
}

/// A text in place of the manifest: the run is analysed, or refused.
pub fn manifest(text: &str) {
    match records::manifest::parse(Path::new("manifest.json"), text) {
        Ok(_) => replaced("manifest.json", text.as_bytes()),
        Err(error) => refused(&error),
    }
}

fn replaced(name: &str, bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    whole(folder.path());
    std::fs::write(folder.path().join(name), bytes).expect("it can be written");
    match analyze(&[folder.path().to_path_buf()], &Options::default()) {
        Ok(analysis) => told(&analysis),
        Err(error) => refused(&error),
    }
}

/// Writes the run of [`LOG`].
fn whole(folder: &Path) {
    let (format, mut found) =
        read(LOG, Some(Of::Reproducer), None, Depth::Leaves).expect("the log is understood");
    fill(&mut found, &Fill::default()).expect("the log is whole");
    write(folder, LOG, format, &found, Mapping::default());
}

/// That a run which `write` puts into a folder can be analysed. What only its reader can say, a rule or
/// a control, may be missing.
pub(crate) fn analysable(write: impl FnOnce(&Path)) {
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    write(folder.path());
    let run: PathBuf = folder.path().to_path_buf();
    match analyze(&[run], &Options::default()) {
        Ok(analysis) => told(&analysis),
        Err(
            error @ (AnalysisError::NoRule { .. }
            | AnalysisError::NoControl { .. }
            | AnalysisError::NoMetric { .. }),
        ) => refused(&error),
        Err(error) => panic!("it was imported and can't be analysed: {error}"),
    }
}

/// What is printed of an analysis, as the edge prints it.
fn told(analysis: &Analysis) {
    let plain = report::neutral::plain;
    shown(&plain(&report::summary(analysis, true)));
    shown(&plain(&report::answer(analysis)));
    shown(&plain(&analysis.json()));
    let markdown = report::text(analysis, Format::Markdown).expect("figures can be drawn");
    shown(&plain(&markdown));
    for (name, table) in analysis.files() {
        let quoted = table.matches('"').count();
        assert!(quoted % 2 == 0 || !name.ends_with(".csv"), "{name}: a quote is not closed");
        shown(&plain(&table));
    }
}
