//! `manifest.json`: under which circumstances a run was made.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::RecordError;

/// The name of the file.
pub const FILE: &str = "manifest.json";

/// The format that this build writes and reads.
pub const FORMAT: u32 = 1;

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
    /// Where the trials ran: `this machine` or `lab`.
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

impl Manifest {
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
        let manifest: Manifest = serde_json::from_str(&text).map_err(|error| {
            RecordError::Manifest { file: file.clone(), problem: error.to_string() }
        })?;
        if manifest.format != FORMAT {
            return Err(RecordError::Manifest {
                file,
                problem: format!(
                    "format {}: this build reads {FORMAT}. Use the version of stallscope that wrote it ({})",
                    manifest.format,
                    manifest.versions.get("stallscope").map_or("unknown", String::as_str)
                ),
            });
        }
        Ok(manifest)
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
