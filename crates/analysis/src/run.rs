//! A run as it is read: its folder, its manifest, and how much of it there is.

use std::path::{Path, PathBuf};

use model::as_run::AsRun;
use model::definition::Control;
use model::manifest::{Manifest, Origin};
use serde::Serialize;

use crate::damage::TornLine;
use crate::error::AnalysisError;
use model::outcome::{Condition, StallRule};

/// A run.
#[derive(Debug, Clone, Serialize)]
pub struct Run {
    /// Where it is.
    pub folder: PathBuf,
    /// Under which circumstances it was made.
    #[serde(skip)]
    pub manifest: Manifest,
    /// What its definition says of how its trials are to be read.
    #[serde(skip)]
    pub definition: AsRun,
    /// The experiment.
    pub experiment: String,
    /// Trials planned.
    pub planned: u64,
    /// Trials that ended, in whatever way.
    pub finished: usize,
    /// Trials planned that have no row.
    pub missing: u64,
    /// The torn last line of its `trials.csv`.
    pub torn: Option<TornLine>,
}

impl Run {
    /// Reads the manifest; `finished`, `missing` and `torn` are the reader's of the trials to fill.
    pub fn read(folder: &Path) -> Result<Run, AnalysisError> {
        let manifest = records::manifest::read(folder)?;
        let definition = manifest.as_run().map_err(|problem| AnalysisError::Definition {
            from: folder.join(model::manifest::FILE).display().to_string(),
            problem,
        })?;
        Ok(Run {
            folder: folder.to_path_buf(),
            experiment: manifest.name.clone(),
            planned: manifest.planned,
            finished: 0,
            missing: 0,
            torn: None,
            manifest,
            definition,
        })
    }

    /// Whether its trials ran in guests of the lab.
    pub fn in_lab(&self) -> bool {
        self.manifest.executor.lab_boots().is_some()
    }

    /// Whether it was measured elsewhere: how its trials were run, only its source can say.
    pub fn is_imported(&self) -> bool {
        self.manifest.executor == Origin::Imported
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
    pub fn stall_rule(&self) -> Option<StallRule> {
        self.definition.stall().or(self.is_imported().then(|| Condition::Reported.into()))
    }

    /// What its trials are held against, if anything, when they are judged by this rule. An import that
    /// names none has the one that is usual.
    pub fn control(&self, rule: &StallRule) -> Option<Control> {
        let usual = || self.is_imported().then(Control::default);
        self.definition.control(rule).or_else(usual)
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
