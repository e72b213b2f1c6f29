//! What `doctor` looks at. Nothing here judges.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use kernel_abi::kernel_config::KernelConfig;
use kernel_abi::kvm::{self, Kvm};
use kernel_abi::limits::ThreadLimits;
use kernel_abi::machine::Machine;
use kernel_abi::topology::{SYS, Topology};
use kernel_abi::{CpuSet, affinity, memory};
use serde::Serialize;

use crate::failure::Failure;
use crate::programs::{self, Family, Program};

/// Everything that was seen.
pub struct Facts {
    pub kernel: Kernel,
    pub config: Option<KernelConfig>,
    pub is_root: bool,
    pub cpus: Cpus,
    pub threads: Threads,
    pub emulation: Emulation,
    pub programs: Vec<Program>,
}

/// The kernel, and what it runs on.
#[derive(Debug, Default, Serialize)]
pub struct Kernel {
    pub release: String,
    pub version: String,
    pub architecture: String,
    pub preemption: Option<String>,
    pub clock_source: Option<String>,
    pub cpu_model: Option<String>,
    pub virtual_machine: Option<bool>,
    pub hypervisor: Option<String>,
    pub glibc: Option<String>,
    /// Vulnerabilities that the kernel mitigates, by name: they make system calls dearer.
    pub mitigated: Vec<String>,
}

/// CPUs and nodes. A list of lists is empty where the kernel doesn't show it.
#[derive(Debug, Serialize)]
pub struct Cpus {
    pub online: String,
    pub online_count: u32,
    /// What this process may use: its cpuset and affinity.
    pub allowed: String,
    pub allowed_count: u32,
    pub possible_count: u32,
    pub offline: String,
    pub isolated: String,
    pub packages: Vec<String>,
    pub caches: Vec<String>,
    pub cores: Option<u32>,
    pub smt: Option<bool>,
    pub nodes: Vec<Node>,
    pub sub_numa: Option<bool>,
    /// Nodes whose memory this process may use.
    pub memory_allowed: Option<String>,
    pub governors: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct Node {
    pub id: u32,
    pub cpus: String,
    pub has_memory: bool,
}

/// How many threads more this process may make.
#[derive(Debug, Serialize)]
pub struct Threads {
    pub room: Option<u64>,
    /// The limit that binds.
    pub limit: Option<String>,
    pub in_words: Option<String>,
}

/// How fast the lab's guests can be.
#[derive(Debug, Serialize)]
pub struct Emulation {
    /// Whether a guest of one instruction ran under KVM: not whether a kernel boots. Absent: not
    /// tried on this architecture, or nothing learned.
    pub kvm_ran_one_instruction: Option<bool>,
    /// In words.
    pub kvm_in_words: String,
}

impl Facts {
    /// Looks.
    pub fn look() -> Result<Facts, Failure> {
        let machine = Machine::read();
        let config = KernelConfig::read(&machine.kernel_release);
        let mut topology =
            Topology::read(Path::new(SYS)).map_err(|error| Failure::Running(error.to_string()))?;
        let allowed = affinity::current().map_err(|errno| {
            Failure::Running(format!(
                "the CPUs that this process may use can't be read: sched_getaffinity: {errno}"
            ))
        })?;
        topology.admit(&allowed);
        let (is_root, family) = (programs::is_root(), Family::here());
        Ok(Facts {
            config,
            is_root,
            cpus: cpus(&topology, &allowed),
            threads: threads(),
            emulation: emulation(),
            programs: programs::wanted(&machine.architecture)
                .iter()
                .map(|wanted| program(wanted, family, is_root))
                .collect(),
            kernel: kernel(machine),
        })
    }
}

fn text(path: impl AsRef<Path>) -> Option<String> {
    fs::read_to_string(path).ok()
}

fn kernel(machine: Machine) -> Kernel {
    let mitigated = machine
        .mitigations
        .iter()
        .filter(|(_, state)| state.starts_with("Mitigation"))
        .map(|(name, _)| name.clone())
        .collect();
    Kernel {
        release: machine.kernel_release,
        version: machine.kernel_version,
        architecture: machine.architecture,
        preemption: machine.preemption,
        clock_source: text("/sys/devices/system/clocksource/clocksource0/current_clocksource")
            .map(|name| name.trim().to_owned()),
        cpu_model: machine.cpu_model,
        virtual_machine: machine.virtual_machine,
        hypervisor: machine.hypervisor,
        glibc: machine.glibc,
        mitigated,
    }
}

fn cpus(topology: &Topology, allowed: &CpuSet) -> Cpus {
    let lists = |groups: &[CpuSet]| groups.iter().map(CpuSet::to_string).collect();
    // Sets hold at most 65536 numbers.
    let count = |n: usize| n as u32;
    Cpus {
        online: topology.online.to_string(),
        online_count: count(topology.online.len()),
        allowed: allowed.to_string(),
        allowed_count: count(allowed.len()),
        possible_count: count(topology.possible.len()),
        offline: topology.present.difference(&topology.online).to_string(),
        isolated: topology.isolated.to_string(),
        packages: lists(&topology.packages),
        caches: topology.caches.iter().map(|domain| domain.cpus.to_string()).collect(),
        cores: (!topology.cores.is_empty()).then(|| count(topology.cores.len())),
        smt: topology.smt_active,
        nodes: topology
            .nodes
            .iter()
            .map(|node| Node {
                id: node.id,
                cpus: node.cpus.to_string(),
                has_memory: node.has_memory,
            })
            .collect(),
        sub_numa: topology.sub_numa(),
        memory_allowed: memory::allowed_nodes().ok().map(|nodes| nodes.to_string()),
        governors: topology.governors.clone(),
    }
}

fn threads() -> Threads {
    let limits = ThreadLimits::read();
    let binding = limits.binding();
    Threads {
        room: binding.map(|limit| limit.room()),
        limit: binding.map(|limit| limit.name.clone()),
        in_words: binding.map(ToString::to_string),
    }
}

fn emulation() -> Emulation {
    match kvm::probe() {
        Ok(found) => Emulation {
            kvm_ran_one_instruction: match found {
                Kvm::Runs => Some(true),
                Kvm::Makes => None,
                Kvm::Absent | Kvm::Fails { .. } | Kvm::Hangs => Some(false),
            },
            kvm_in_words: found.to_string(),
        },
        Err(errno) => Emulation {
            kvm_ran_one_instruction: None,
            kvm_in_words: format!("could not be tried: {errno}"),
        },
    }
}

fn program(wanted: &programs::Wanted, family: Option<Family>, root: bool) -> Program {
    let on_path = programs::is_on_path(wanted.name);
    // A file is not a program that works: Ubuntu's perf is a script that looks for another one.
    let version = match wanted.version_argument {
        Some(argument) if on_path => ask_version(wanted.name, argument).ok(),
        _ => None,
    };
    let found = on_path && (wanted.version_argument.is_none() || version.is_some());
    Program {
        name: wanted.name.to_owned(),
        needed_for: wanted.needed_for,
        found,
        version,
        get: (!found).then(|| programs::get(wanted, family, root)),
    }
}

/// The first line that it prints.
fn ask_version(name: &str, argument: &str) -> io::Result<String> {
    let output =
        Command::new(name).arg(argument).stdin(Stdio::null()).stderr(Stdio::null()).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) if output.status.success() => Ok(line.to_owned()),
        _ => Err(io::Error::other(format!("{name} {argument}: {}", output.status))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_fails_is_not_found() {
        assert!(ask_version("true", "--version").is_ok());
        assert!(ask_version("false", "x").is_err());
        assert!(ask_version("no-such-program-anywhere", "x").is_err());
    }
}
