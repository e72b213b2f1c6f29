//! `manifest.json`: under which circumstances a run was made.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::as_run::{AsRun, BadDefinition};
use crate::factor::{BadValue, as_text};

/// The name of the file.
pub const FILE: &str = "manifest.json";

/// The format that this build writes and reads.
pub const FORMAT: u32 = 1;

/// Where the trials of a run ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// On the machine of the runner.
    ThisMachine,
    /// In guests of the lab.
    Lab {
        /// How many times each kernel is booted.
        boots: u32,
    },
    /// Elsewhere: the run was imported.
    Imported,
}

impl Origin {
    /// In the lab, how many times each kernel is booted.
    pub fn lab_boots(self) -> Option<u32> {
        match self {
            Origin::Lab { boots } => Some(boots),
            Origin::ThisMachine | Origin::Imported => None,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::ThisMachine => f.write_str("this machine"),
            Origin::Lab { boots } => write!(f, "lab, boots: {boots}"),
            Origin::Imported => f.write_str("imported"),
        }
    }
}

impl FromStr for Origin {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let boots = text.strip_prefix("lab, boots: ").and_then(|boots| boots.parse().ok());
        match (text, boots) {
            (_, Some(boots)) => Ok(Origin::Lab { boots }),
            ("this machine", _) => Ok(Origin::ThisMachine),
            ("imported", _) => Ok(Origin::Imported),
            _ => Err(BadValue::new(
                "executor",
                text,
                "`this machine`, `imported` or `lab, boots: N`",
            )),
        }
    }
}

as_text!(Origin);

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
    /// Where the trials ran.
    pub executor: Origin,
    /// Each kernel under trial; of this machine, its release.
    pub kernels: Vec<Kernel>,
    /// Labels of every row, by which a comparison can tell runs apart.
    pub labels: BTreeMap<String, String>,
    /// UTC, RFC 3339.
    pub started_at: String,
    /// UTC, RFC 3339; absent while it runs, or if it was killed.
    pub ended_at: Option<String>,
    /// Each time the run was resumed.
    #[serde(default)]
    pub resumed: Vec<Resumed>,
    /// What may have disturbed the measurement, a sentence each.
    #[serde(default)]
    pub disturbances: Vec<String>,
    /// Cells that were not gone on with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Skipped>,
}

/// A cell whose trials failed one after the other, so that its others were not done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Skipped {
    /// The cell of the plan, from 1.
    pub cell: u64,
    /// Failures in a row.
    pub failures: u32,
    /// Trials of it that were not done.
    pub trials: u64,
    /// Why the last one failed.
    pub error: Option<String>,
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
    /// SHA-256 of the image that was booted, hexadecimal; in the lab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_sha256: Option<String>,
}

/// A resumption.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Resumed {
    /// UTC, RFC 3339.
    pub at: String,
    /// The machine's boot then, by the kernel's random number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot_id: Option<String>,
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
    /// The boot by the kernel's random number: which runs share a boot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot_id: Option<String>,
}

impl Manifest {
    /// What the analysis needs of the definition.
    ///
    /// # Errors
    /// [`BadDefinition`] names the key and what is wrong there.
    pub fn as_run(&self) -> Result<AsRun, BadDefinition> {
        AsRun::of(&self.definition)
    }
}
