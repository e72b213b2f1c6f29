//! Where trials will run, as a plan and a manifest need to know it.

use std::path::Path;

use campaign::plan::{Plan, Site};
use kernel_abi::affinity::{self, CpuSet};
use kernel_abi::id_set::parse_list;
use kernel_abi::limits::ThreadLimits;
use kernel_abi::topology::placement::{Assignment, Placement as Placed};
use kernel_abi::topology::{SYS, Topology};
use model::definition::Definition;
use model::factor::{Memory, Placement};
use model::manifest::{Kernel, Machine};
use model::spec::TrialSpec;
use model::workload::Task;

use crate::failure::Failure;

/// More running tasks than this, besides the runner, and trials are not alone.
const BUSY_LOAD: f64 = 0.5;

/// This machine: what its trials can count on.
pub struct ThisSite {
    /// For the manifest.
    pub machine: Machine,
    /// For the plan.
    pub site: Site,
    topology: Topology,
    allowed: CpuSet,
    /// What `/sys` names online, where this process may use others.
    masked: Option<CpuSet>,
}

impl ThisSite {
    /// Looks at the machine.
    pub fn look() -> Result<ThisSite, Failure> {
        let mut topology = Topology::read(Path::new(SYS)).map_err(|error| {
            Failure::Running(format!("this machine's CPUs can't be told: {error}"))
        })?;
        let allowed = affinity::current()
            .map_err(|errno| Failure::Running(format!("sched_getaffinity: {errno}")))?;
        let masked = topology.admit(&allowed);
        let machine = machine(&topology, &allowed);
        let site =
            Site { cpus: machine.cpus_online, kernels: vec![machine.kernel_release.clone()] };
        Ok(ThisSite { machine, site, topology, allowed, masked })
    }

    /// Its kernel, as rows and manifest name it.
    pub fn kernel(&self) -> Kernel {
        Kernel {
            name: self.machine.kernel_release.clone(),
            release: Some(self.machine.kernel_release.clone()),
            version: Some(self.machine.kernel_version.clone()),
            cpus: Some(self.machine.cpus_online),
            nodes: Some(self.machine.nodes),
            accelerator: None,
            patches: Vec::new(),
            image_sha256: None,
        }
    }

    /// Which CPU each thread gets; a sentence where a placement does not exist here.
    pub fn assign(&self, placement: &Placement, threads: u32) -> Result<Assignment, Failure> {
        let request = |error: &dyn std::fmt::Display| Failure::Request(error.to_string());
        let placed = match placement {
            Placement::Unpinned => Placed::Unpinned,
            Placement::Cpus(list) => Placed::mask(list).map_err(|error| request(&error))?,
            Placement::Pin(list) => Placed::pin(list).map_err(|error| request(&error))?,
            Placement::Node(node) => Placed::Node(*node),
            Placement::Compact => Placed::Compact,
            Placement::Scatter => Placed::Scatter,
        };
        placed.assign(&self.topology, &self.allowed, threads).map_err(|error| request(&error))
    }

    /// That every cell of a plan can run here: its placement exists, and its threads are allowed.
    pub fn check(&self, plan: &Plan) -> Result<(), Failure> {
        let limits = ThreadLimits::read();
        for cell in &plan.cells {
            let made = cell.spec.threads_made();
            if let Err(limit) = limits.check(made) {
                return Err(Failure::Request(format!(
                    "{} are more than this system allows: {limit}, so at most {}",
                    threads_in_words(&cell.spec),
                    limit.room()
                )));
            }
            self.assign(&cell.spec.placement, made)?;
            self.check_memory(&cell.spec.memory)?;
        }
        Ok(())
    }

    fn check_memory(&self, memory: &Memory) -> Result<(), Failure> {
        let (Memory::Bind(list) | Memory::Interleave(list)) = memory else { return Ok(()) };
        let nodes = parse_list(list, "node")
            .map_err(|error| Failure::Request(format!("memory {memory}: {error}")))?;
        let there = self.topology.nodes_with_memory();
        match nodes.iter().find(|node| !there.contains(**node)) {
            Some(node) => Err(Failure::Request(format!(
                "memory {memory}: node {node} is not in this machine, or has no memory; nodes with memory are {there}"
            ))),
            None => Ok(()),
        }
    }

    /// What may disturb trials that start now, a sentence each.
    pub fn disturbances(&self) -> Vec<String> {
        let mut found = Vec::new();
        found.extend(self.masked.as_ref().map(|named| {
            format!(
                "/sys names CPUs {named} as online, and this process may use {}: it may be masked, as in a \
                 container; where the CPUs lie is not known of all",
                self.allowed
            )
        }));
        let load = std::fs::read_to_string("/proc/loadavg")
            .ok()
            .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
        if let Some(load) = load.filter(|load| *load > BUSY_LOAD) {
            found.push(format!(
                "the machine was not idle when trials started: load average {load:.2} over the last minute"
            ));
        }
        found
    }
}

/// `threads 96`, and with messengers `threads 96 and messengers 4`.
fn threads_in_words(spec: &TrialSpec) -> String {
    let messengers = spec.task.columns().messengers;
    let messengers = messengers.map(|n| format!(" and messengers {n}")).unwrap_or_default();
    format!("threads {}{messengers}", spec.threads)
}

/// That the program of a `command` is on this machine; the sentence says how to get it.
pub fn check_program(definition: &Definition, plan: &Plan) -> Result<(), Failure> {
    let commands = plan.cells.iter().filter_map(|cell| match &cell.spec.task {
        Task::Command(command) => Some(command),
        _ => None,
    });
    for command in commands {
        if let Err(missing) = trial::workload::command::program::find(command) {
            let install = definition.command.as_ref().and_then(|command| command.install.as_ref());
            let how = install.map(|how| format!(". To get it: {how}")).unwrap_or_default();
            return Err(Failure::Request(format!("{}: {missing}{how}", definition.name)));
        }
    }
    Ok(())
}

/// Which CPUs the threads of a plan get on this machine, a line a cell that asks for any.
pub fn placements(plan: &Plan) -> Result<Vec<String>, Failure> {
    let here = ThisSite::look()?;
    let mut lines = Vec::new();
    for (index, cell) in plan.cells.iter().enumerate() {
        let line = match here.assign(&cell.spec.placement, cell.spec.threads_made())? {
            Assignment::Inherited => continue,
            Assignment::Shared(mask) => format!("all threads on {mask}"),
            Assignment::Each(cpus) => {
                let each: Vec<String> = cpus
                    .iter()
                    .enumerate()
                    .map(|(thread, cpu)| format!("{thread}→{cpu}"))
                    .collect();
                format!("thread→CPU {}", each.join(" "))
            }
        };
        lines.push(format!("cell {} ({}): {line}", index + 1, cell.spec.placement));
    }
    Ok(lines)
}

/// What the manifest keeps of this machine.
fn machine(topology: &Topology, allowed: &CpuSet) -> Machine {
    let seen = kernel_abi::machine::Machine::read();
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Machine {
        cpu_model: seen.cpu_model,
        cpus_online: number(topology.online.len()),
        cpus_allowed: allowed.to_string(),
        nodes: number(topology.nodes_with_cpus().len()),
        packages: (!topology.packages.is_empty()).then(|| number(topology.packages.len())),
        cache_domains: topology.caches.iter().map(|domain| domain.cpus.to_string()).collect(),
        smt: topology.smt_active,
        governor: (!topology.governors.is_empty()).then(|| topology.governors.join(", ")),
        kernel_release: seen.kernel_release,
        kernel_version: seen.kernel_version,
        preemption: seen.preemption,
        mitigations: seen.mitigations,
        glibc: seen.glibc,
        hypervisor: seen.hypervisor,
        architecture: seen.architecture,
        boot_id: seen.boot_id,
    }
}
