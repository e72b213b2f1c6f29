//! Imports: what is accepted is a run that can be analysed, and every line is accounted for.

use std::collections::BTreeMap;
use std::path::Path;

use import::definition::{ImportedDefinition, manifest};
use import::files::RunFiles;
use import::fill::{Fill, fill};
use import::format::{Format, read};
use import::imported::Imported;
use import::ktap::Depth;
use import::mapping::Mapping;
use model::manifest::Source;

use crate::refused;
use crate::run::analysable;

/// A text in a format, or in the one that is recognised.
pub fn imported(text: &str, format: Option<Format>) {
    for depth in [Depth::Leaves, Depth::Programs] {
        match read(text, format, None, depth) {
            Ok((format, found)) => accepted(text, format, found, Mapping::default()),
            Err(error) => refused(&error),
        }
        if format.is_some_and(|format| format != Format::Ktap) {
            return;
        }
    }
}

/// A mapping, and a CSV that is read by it.
pub fn mapped(mapping: &str, csv: &str) {
    match Mapping::parse("any.toml", mapping) {
        Ok(mapping) => match read(csv, None, Some(&mapping), Depth::Leaves) {
            Ok((format, found)) => accepted(csv, format, found, mapping),
            Err(error) => refused(&error),
        },
        Err(error) => refused(&error),
    }
}

fn accepted(text: &str, format: Format, mut found: Imported, mapping: Mapping) {
    let lines = text.split(['\n', '\r']).count();
    assert!(found.unread.len() <= lines, "more lines are not understood than there are");
    // What a source leaves open is said by who imports it; a contradiction is no run.
    let mut said = Fill::default();
    let cells = [("threads", "8"), ("hash", "auto"), ("workload", "wake-storm")];
    for (column, value) in cells {
        if found.trials.iter().all(|trial| trial.cells.get(column).is_none())
            && let Err(error) = said.cells.set(column, value)
        {
            return refused(&error);
        }
    }
    if let Err(error) = fill(&mut found, &said) {
        return refused(&error);
    }
    analysable(|folder| write(folder, text, format, &found, mapping));
}

/// Writes the run that an import makes.
pub(crate) fn write(folder: &Path, text: &str, of: Format, found: &Imported, mapping: Mapping) {
    let definition = ImportedDefinition {
        name: "any".to_string(),
        title: mapping.title,
        import: found.account(&of.to_string()),
        outcome: mapping.outcome,
        control: mapping.control,
        recovery: mapping.recovery,
    };
    let source = Source { from: "any".to_string(), sha256: String::new(), text: text.to_string() };
    let manifest = manifest(&definition, source, Vec::new(), found, &BTreeMap::new(), None);
    for (name, text) in RunFiles::of(found, "any").iter() {
        std::fs::write(folder.join(name), text).expect("the temporary folder can be written");
    }
    records::manifest::write(&manifest, folder).expect("a manifest is written");
}
