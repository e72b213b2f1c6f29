//! Reads and writes `manifest.json`.

use std::path::Path;

use model::manifest::{FILE, FORMAT, Manifest};
use serde::Deserialize;

use crate::{RecordError, json};

/// What every format has.
#[derive(Deserialize)]
struct Head {
    format: u32,
    versions: Option<serde_json::Value>,
}

/// A manifest is written by the program, whole or not at all: who meets a broken one has edited
/// it, or lost it.
fn with_what_next(error: RecordError) -> RecordError {
    match error {
        RecordError::Row { file, line, problem } => RecordError::Row {
            file,
            line,
            problem: format!(
                "{problem}. Set it right, or put the manifest back that was written with the run; the rows of trials.csv are not touched by it"
            ),
        },
        other => other,
    }
}

/// Reads the manifest of a run.
pub fn read(run: &Path) -> Result<Manifest, RecordError> {
    let file = run.join(FILE);
    if !file.exists() {
        if crate::journal::is_half_made(run) {
            return Err(RecordError::HalfMade { folder: run.to_path_buf() });
        }
        return Err(RecordError::NotARun { folder: run.to_path_buf(), missing: FILE });
    }
    let text = crate::input::text(&file).map_err(|error| RecordError::Unreadable {
        file: file.clone(),
        reason: error.to_string(),
    })?;
    parse(&file, &text)
}

/// Reads its text; `file` is for the messages.
pub fn parse(file: &Path, text: &str) -> Result<Manifest, RecordError> {
    // The format first: another one may have other keys.
    let Head { format, versions } = json::read(file, text).map_err(with_what_next)?;
    if format != FORMAT {
        let by =
            versions.and_then(|versions| Some(versions.get("stallscope")?.as_str()?.to_string()));
        let newer = if format > FORMAT { "that version or a newer one" } else { "that version" };
        return Err(RecordError::Manifest {
            file: file.to_path_buf(),
            problem: format!(
                "its format is {format}, and this build reads format {FORMAT}: the run was \
                 written by stallscope {}; use {newer}",
                by.as_deref().unwrap_or("of an unknown version")
            ),
        });
    }
    json::read(file, text).map_err(with_what_next)
}

/// What the file holds for a manifest of the run in `run`.
pub(crate) fn text(manifest: &Manifest, run: &Path) -> Result<String, RecordError> {
    let text = serde_json::to_string_pretty(manifest).map_err(|error| RecordError::Manifest {
        file: run.join(FILE),
        problem: error.to_string(),
    })?;
    Ok(text + "\n")
}

/// Writes it whole or not at all.
pub fn write(manifest: &Manifest, run: &Path) -> Result<(), RecordError> {
    let file = run.join(FILE);
    crate::whole::write(&file, text(manifest, run)?.as_bytes())
        .map_err(|error| RecordError::Unwritten { file, reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::manifest::{Kernel, Machine, Origin, Source};
    use std::collections::BTreeMap;

    fn manifest() -> Manifest {
        Manifest {
            format: FORMAT,
            name: "x".into(),
            definition: serde_json::json!({}),
            source: Source { from: "x".into(), sha256: String::new(), text: String::new() },
            command_line: Vec::new(),
            versions: BTreeMap::from([("stallscope".into(), "9.1.0".into())]),
            seed: 1,
            planned: 8,
            machine: Machine::default(),
            executor: Origin::ThisMachine,
            kernels: vec![Kernel::default()],
            labels: BTreeMap::new(),
            started_at: String::new(),
            ended_at: None,
            resumed: Vec::new(),
            disturbances: Vec::new(),
            skipped: Vec::new(),
        }
    }

    fn text() -> String {
        serde_json::to_string_pretty(&manifest()).unwrap()
    }

    fn said(text: &str) -> String {
        parse(Path::new("R/manifest.json"), text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(parse(Path::new("m"), &text()).unwrap(), manifest());
    }

    #[test]
    fn where_a_run_was_made_is_read_as_written() {
        for text in ["this machine", "imported", "lab, boots: 4"] {
            assert_eq!(text.parse::<Origin>().unwrap().to_string(), text);
        }
        for text in ["lab", "lab, boots: many", ""] {
            assert!(text.parse::<Origin>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_wrong_value_is_named_by_line_and_key() {
        for (old, new, part) in [
            ("\"seed\": 1", "\"seed\": \"one\"", ": seed is \"one\"; accepted is a whole number"),
            ("\"cpus_online\": 0", "\"cpus_online\": true", ": machine.cpus_online is true;"),
            ("\"patches\": []", "\"patches\": 3", ": kernels[0].patches is 3; accepted is a list"),
            ("\"planned\": 8,", "", ": the key planned is missing"),
            ("\"planned\": 8,", "\"planned\": 8", ": it is not JSON at column"),
        ] {
            let good = text();
            assert!(good.contains(old), "{old}");
            let sentence = said(&good.replacen(old, new, 1));
            assert!(sentence.starts_with("R/manifest.json line "), "{sentence}");
            assert!(sentence.contains(part) && sentence.contains("Set it right"), "{sentence}");
        }
        assert!(said(&text()[..200]).contains("the file is torn"));
    }

    #[test]
    fn another_format_is_told_before_its_keys_are_looked_at() {
        let sentence = said("{\"format\": 2, \"versions\": {\"stallscope\": \"9.1.0\"}}");
        assert_eq!(
            sentence,
            "R/manifest.json: its format is 2, and this build reads format 1: the run was written by \
             stallscope 9.1.0; use that version or a newer one"
        );
        assert!(said("{\"format\": 0}").contains("of an unknown version; use that version"));
        assert!(said("{}").contains("the key format is missing"));
    }
}
