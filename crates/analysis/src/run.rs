//! A run as it is read: its folder, its manifest, and how much of it there is.

use std::path::{Path, PathBuf};

use model::factor::{Hash, Span};
use model::manifest::{IMPORTED, Manifest};
use records::table::Torn;
use serde::Serialize;

use crate::error::AnalysisError;
use model::outcome::StallRule;
use model::recovery_terms::Terms;

/// The control's hash policy of a definition that names none.
pub const DEFAULT_CONTROL: &str = "slots:512";

/// A run.
#[derive(Debug, Clone, Serialize)]
pub struct Run {
    /// Where it is.
    pub folder: PathBuf,
    /// Under which circumstances it was made.
    #[serde(skip)]
    pub manifest: Manifest,
    /// The experiment.
    pub experiment: String,
    /// Trials planned.
    pub planned: u64,
    /// Trials that ended, in whatever way.
    pub finished: usize,
    /// Trials planned that have no row.
    pub missing: u64,
    /// The torn last line of its `trials.csv`, in a sentence.
    pub torn: Option<String>,
}

impl Run {
    /// Reads the manifest; `finished`, `missing` and `torn` are the reader's of the trials to fill.
    pub fn read(folder: &Path) -> Result<Run, AnalysisError> {
        let manifest = records::manifest::read(folder)?;
        Ok(Run {
            folder: folder.to_path_buf(),
            experiment: manifest.name.clone(),
            planned: manifest.planned,
            finished: 0,
            missing: 0,
            torn: None,
            manifest,
        })
    }

    /// Whether its trials ran in guests of the lab.
    pub fn in_lab(&self) -> bool {
        self.manifest.lab_boots().is_some()
    }

    /// Whether it was measured elsewhere: how its trials were run, only its source can say.
    pub fn is_imported(&self) -> bool {
        self.manifest.executor == IMPORTED
    }

    /// The accelerators of its guests, such as `tcg`.
    pub fn accelerators(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .manifest
            .kernels
            .iter()
            .filter_map(|kernel| kernel.accelerator.as_deref())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The rule of its definition, if it has one. An imported run without one is judged by what its
    /// source says of stalls, which may be nothing.
    pub fn stall_rule(&self) -> Result<Option<StallRule>, AnalysisError> {
        let from = || self.manifest_name();
        match self.manifest.definition.pointer("/outcome/stall") {
            None | Some(serde_json::Value::Null) if self.is_imported() => {
                Ok(Some(StallRule::Reported))
            }
            None | Some(serde_json::Value::Null) => Ok(None),
            Some(value) => {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
                match text.parse() {
                    Ok(rule) => Ok(Some(rule)),
                    Err(problem) => Err(AnalysisError::Rule { from: from(), problem }),
                }
            }
        }
    }

    /// The hash policy of its control.
    pub fn control_hash(&self) -> Result<String, AnalysisError> {
        let Some(value) = self.manifest.definition.pointer("/control/hash") else {
            return Ok(DEFAULT_CONTROL.to_string());
        };
        value
            .as_str()
            .and_then(|text| text.parse::<Hash>().ok())
            .map(|hash| hash.to_string())
            .ok_or_else(|| AnalysisError::Control {
                from: self.manifest_name(),
                found: value.to_string(),
            })
    }

    /// When its trials count as recovered by their throughput.
    pub fn recovery_terms(&self) -> Result<Terms, AnalysisError> {
        Terms::of(&self.manifest.definition)
            .map_err(|problem| AnalysisError::Recovery { from: self.manifest_name(), problem })
    }

    /// From one sample of a timeline to the next, in seconds, if its definition says so.
    pub fn sample_s(&self) -> Option<f64> {
        let text = self.manifest.definition.pointer("/sample")?.as_str()?;
        text.parse::<Span>().ok().map(Span::seconds)
    }

    /// The sentence on a torn line of one of its files. `has_row` is whether a trial has a row in
    /// `trials.csv`.
    pub fn of_torn(&self, torn: &Torn, file: &Path, has_row: impl Fn(u64) -> bool) -> String {
        match self.is_imported() {
            true => torn.sentence(file),
            false => torn.sentence_with_what_next(file, has_row),
        }
    }

    /// Its manifest, for messages.
    pub fn manifest_name(&self) -> String {
        self.folder.join(model::manifest::FILE).display().to_string()
    }

    /// The command that made it, into the folder it was read from: what reads it stands below, and both
    /// name one place, wherever the run was first written.
    pub fn command_into_its_folder(&self) -> Vec<String> {
        let line = &self.manifest.command_line;
        if line.is_empty() {
            return Vec::new();
        }
        let mut words = Vec::new();
        let mut before = "";
        for word in line {
            if before != "--out" && word != "--out" && !word.starts_with("--out=") {
                words.push(word.clone());
            }
            before = word;
        }
        words.extend(["--out".to_string(), self.name()]);
        words
    }

    /// Its folder, for messages.
    pub fn name(&self) -> String {
        self.folder.display().to_string()
    }
}

#[cfg(test)]
mod tests {
    use crate::synthetic::Synthetic;

    #[test]
    fn the_command_that_made_a_run_ends_where_it_was_read() {
        let line = |words: &[&str]| {
            let mut made = Synthetic::new(8);
            made.trial(8, "auto");
            made.manifest.command_line = words.iter().map(|word| word.to_string()).collect();
            let (_folder, folder) = made.written();
            let run = super::Run::read(&folder).unwrap();
            let line = run.command_into_its_folder().join(" ");
            line.replace(&folder.display().to_string(), "HERE")
        };
        let run = ["experiments", "run", "patch-growth"];
        assert_eq!(line(&run), "experiments run patch-growth --out HERE");
        let out = [&run[..], &["--out", "data/runs/16", "--cpus", "16"]].concat();
        assert_eq!(line(&out), "experiments run patch-growth --cpus 16 --out HERE");
        let out = [&run[..], &["--out=data/runs/16"]].concat();
        assert_eq!(line(&out), "experiments run patch-growth --out HERE");
        assert_eq!(line(&[]), "");
    }
}
