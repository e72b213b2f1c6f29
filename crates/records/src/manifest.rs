//! `manifest.json`: under which circumstances a run was made.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{RecordError, json};

/// The name of the file.
pub const FILE: &str = "manifest.json";

/// The format that this build writes and reads.
pub const FORMAT: u32 = 1;

/// [`Manifest::executor`] of trials on the machine of the runner.
pub const THIS_MACHINE: &str = "this machine";

/// [`Manifest::executor`] of an imported run.
pub const IMPORTED: &str = "imported";

/// [`Manifest::executor`] of trials in guests of the lab, before the number of boots of each kernel.
const LAB: &str = "lab, boots: ";

/// [`Manifest::executor`] of trials in the lab, where each kernel is booted so many times.
pub fn lab(boots: u32) -> String {
    format!("{LAB}{boots}")
}

/// What is known of a run besides its trials.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`] when it was written.
    pub format: u32,
    /// The experiment's name.
    pub name: String,
    /// The definition as run: defaults, `--set` and all other options put in.
    pub definition: serde_json::Value,
    /// Where the definition came from, and its text then.
    pub source: Source,
    /// The command line that started the run.
    pub command_line: Vec<String>,
    /// The version of each program that took part: `stallscope`, `qemu`.
    pub versions: BTreeMap<String, String>,
    /// Draws the order of the plan and every trial's own seed.
    pub seed: u64,
    /// Trials planned.
    pub planned: u64,
    /// The machine that the runner ran on.
    pub machine: Machine,
    /// Where the trials ran: [`THIS_MACHINE`], [`lab`] or [`IMPORTED`].
    pub executor: String,
    /// Each kernel under trial; of this machine, its release.
    pub kernels: Vec<Kernel>,
    /// What a comparison is to tell apart.
    pub labels: BTreeMap<String, String>,
    /// UTC, RFC 3339.
    pub started_at: String,
    /// UTC, RFC 3339; absent while it runs, or if it was killed.
    pub ended_at: Option<String>,
    /// Every time it was gone on with.
    #[serde(default)]
    pub resumed: Vec<Resumed>,
    /// What may have disturbed the measurement, a sentence each.
    #[serde(default)]
    pub disturbances: Vec<String>,
}

/// Where a definition came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// `built in`, a path, or what was imported.
    pub from: String,
    /// SHA-256 of its text, hexadecimal.
    pub sha256: String,
    /// The text.
    pub text: String,
}

/// A kernel under trial.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Kernel {
    /// Its name in the column `kernel`.
    pub name: String,
    /// `uname -r` as it said itself; unknown until it has been seen.
    pub release: Option<String>,
    /// `uname -v`.
    pub version: Option<String>,
    /// CPUs online in it.
    pub cpus: Option<u32>,
    /// NUMA nodes in it.
    pub nodes: Option<u32>,
    /// The accelerator it ran under: `kvm`, `tcg`.
    pub accelerator: Option<String>,
    /// Patches by name, with their SHA-256.
    #[serde(default)]
    pub patches: Vec<(String, String)>,
}

/// A resumption.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Resumed {
    /// UTC, RFC 3339.
    pub at: String,
    /// What was different from the start, a sentence each; not empty only with `--force`.
    pub changes: Vec<String>,
    /// The torn line that was set aside, if there was one.
    pub torn: Option<String>,
    /// What was lost of trials that are not run again, a sentence each: torn last lines of the files
    /// beside `trials.csv`, which were taken out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<String>,
}

/// The machine. `None` is not known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The CPU by name.
    pub cpu_model: Option<String>,
    /// CPUs online in the system: what the kernel's auto-scaling counts.
    pub cpus_online: u32,
    /// CPUs that this process may use, as a list.
    pub cpus_allowed: String,
    /// NUMA nodes with CPUs.
    pub nodes: u32,
    /// Sockets.
    pub packages: Option<u32>,
    /// The CPUs of each last-level cache, a list each.
    pub cache_domains: Vec<String>,
    /// Whether cores run several threads.
    pub smt: Option<bool>,
    /// The frequency governor.
    pub governor: Option<String>,
    /// `uname -r`.
    pub kernel_release: String,
    /// `uname -v`.
    pub kernel_version: String,
    /// The preemption model: `none`, `voluntary`, `full`, `lazy`, `rt`.
    pub preemption: Option<String>,
    /// Mitigations, as the kernel lists them: vulnerability, state.
    pub mitigations: BTreeMap<String, String>,
    /// The C library's version.
    pub glibc: Option<String>,
    /// The hypervisor, in a virtual machine.
    pub hypervisor: Option<String>,
    /// The architecture.
    pub architecture: String,
}

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

impl Manifest {
    /// Of a run in the lab, how many times each kernel is booted; `None` of any other run.
    pub fn lab_boots(&self) -> Option<u32> {
        self.executor.strip_prefix(LAB)?.parse().ok()
    }

    /// Reads the manifest of a run.
    pub fn read(run: &Path) -> Result<Manifest, RecordError> {
        let file = run.join(FILE);
        if !file.exists() {
            return Err(RecordError::NotARun { folder: run.to_path_buf(), missing: FILE });
        }
        let text = std::fs::read_to_string(&file).map_err(|error| RecordError::Unreadable {
            file: file.clone(),
            reason: error.to_string(),
        })?;
        Manifest::parse(&file, &text)
    }

    /// Reads its text; `file` is for the messages.
    pub fn parse(file: &Path, text: &str) -> Result<Manifest, RecordError> {
        // The format first: another one may have other keys.
        let Head { format, versions } = json::read(file, text).map_err(with_what_next)?;
        if format != FORMAT {
            let by = versions
                .and_then(|versions| Some(versions.get("stallscope")?.as_str()?.to_string()));
            let newer =
                if format > FORMAT { "that version or a newer one" } else { "that version" };
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

    /// Writes it whole or not at all: a new file, synced, then renamed over the old one.
    pub fn write(&self, run: &Path) -> Result<(), RecordError> {
        let file = run.join(FILE);
        let next = run.join("manifest.json.next");
        let failed = |error: std::io::Error| RecordError::Unreadable {
            file: file.clone(),
            reason: format!("writing it failed: {error}"),
        };
        let mut text = serde_json::to_string_pretty(self).map_err(|error| {
            RecordError::Manifest { file: file.clone(), problem: error.to_string() }
        })?;
        text.push('\n');
        let mut out = std::fs::File::create(&next).map_err(failed)?;
        std::io::Write::write_all(&mut out, text.as_bytes()).map_err(failed)?;
        out.sync_all().map_err(failed)?;
        std::fs::rename(&next, &file).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            executor: "this machine".into(),
            kernels: vec![Kernel::default()],
            labels: BTreeMap::new(),
            started_at: String::new(),
            ended_at: None,
            resumed: Vec::new(),
            disturbances: Vec::new(),
        }
    }

    fn text() -> String {
        serde_json::to_string_pretty(&manifest()).unwrap()
    }

    fn said(text: &str) -> String {
        Manifest::parse(Path::new("R/manifest.json"), text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(Manifest::parse(Path::new("m"), &text()).unwrap(), manifest());
    }

    #[test]
    fn a_lab_is_known_by_its_boots() {
        let of = |executor: &str| Manifest { executor: executor.into(), ..manifest() }.lab_boots();
        assert_eq!(of(&lab(4)), Some(4));
        for other in [THIS_MACHINE, IMPORTED, "lab", "lab, boots: many"] {
            assert_eq!(of(other), None, "{other}");
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
