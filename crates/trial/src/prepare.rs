//! What a trial asks of the system before it takes memory or makes a thread: where the main
//! thread runs, the memory policy, the private hash.
//!
//! Each request is checked against what the kernel then says. One that did not take ends the trial
//! as refused: nothing is measured under a label that wasn't so.

use std::path::Path;

use kernel_abi::futex_hash::{self, HashError};
use kernel_abi::memory::{self, Policy};
use kernel_abi::topology::placement::Assignment;
use kernel_abi::topology::{SYS, Topology};
use kernel_abi::{CpuSet, affinity};

use crate::place;
use model::factor::{Hash, Memory};
use model::record::{Status, TrialRecord};
use model::spec::TrialSpec;
use model::workload::Workload;

/// A process that is as its trial asks.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// Slots before anything was asked.
    pub slots_start: Option<u32>,
    /// Slots once the hash policy was asked for.
    pub slots_set: Option<u32>,
    /// Whether the kernel has private hashes and this process gave its own up. `false` where every
    /// process is in the global hash anyway.
    pub global_was_chosen: bool,
    /// CPUs online, as the kernel's auto-scaling counts them: the machine's, not the cpuset's.
    pub online_cpus: Option<u32>,
    /// Where the threads go.
    pub assignment: Assignment,
    /// All CPUs that threads of the trial may be on.
    pub cpus: CpuSet,
}

impl Prepared {
    /// Does it, for `threads` threads in all. The error is the record of the refused trial.
    pub fn new(spec: &TrialSpec, threads: u32) -> Result<Prepared, Box<TrialRecord>> {
        let refuse = |error: String| Box::new(TrialRecord::failed(Status::Refused, error));
        let assignment = place::here(&spec.placement, threads).map_err(refuse)?;
        if let Assignment::Shared(cpus) = &assignment {
            // Threads inherit it, and memory that is touched beforehand is near them.
            affinity::set_current(cpus)
                .map_err(|errno| refuse(format!("sched_setaffinity, CPUs {cpus}: {errno}")))?;
        }
        let cpus = match assignment.cpus() {
            Some(cpus) => cpus,
            None => affinity::current()
                .map_err(|errno| refuse(format!("sched_getaffinity: {errno}")))?,
        };
        set_memory(&spec.memory).map_err(refuse)?;
        let mut prepared = Prepared {
            slots_start: futex_hash::get_slots().ok(),
            slots_set: None,
            global_was_chosen: false,
            online_cpus: online_cpus(),
            assignment,
            cpus,
        };
        if spec.workload() == Workload::Command {
            // Its hash is its own, and asked for in it.
            return Ok(prepared);
        }
        let set = set_hash(spec.hash);
        prepared.slots_set = futex_hash::get_slots().ok();
        match set {
            Ok(chosen) => prepared.global_was_chosen = spec.hash == Hash::Global && chosen,
            Err(error) => return Err(Box::new(prepared.record(Status::Refused, Some(error)))),
        }
        if let Hash::Slots { slots, .. } = spec.hash
            && prepared.slots_set != Some(slots)
        {
            let error = format!(
                "prctl(PR_FUTEX_HASH, SET_SLOTS, {slots}) was accepted, and GET_SLOTS then \
                 answers {}",
                prepared.slots_set.map_or("an error".into(), |slots| slots.to_string())
            );
            return Err(Box::new(prepared.record(Status::Refused, Some(error))));
        }
        Ok(prepared)
    }

    /// A record with what is known so far.
    pub fn record(&self, status: Status, error: Option<String>) -> TrialRecord {
        TrialRecord {
            error,
            slots_start: self.slots_start,
            slots_set: self.slots_set,
            ..TrialRecord::empty(status)
        }
    }
}

/// Whether something was asked of the kernel and granted.
fn set_hash(hash: Hash) -> Result<bool, String> {
    let (slots, immutable) = match hash {
        Hash::Auto => return Ok(false),
        Hash::Global => (0, false),
        Hash::Slots { slots, immutable } => (slots, immutable),
    };
    let call = if immutable {
        format!("prctl(PR_FUTEX_HASH, SET_SLOTS, {slots}, FH_IMMUTABLE)")
    } else {
        format!("prctl(PR_FUTEX_HASH, SET_SLOTS, {slots})")
    };
    match futex_hash::set_slots(slots, immutable) {
        Ok(()) => Ok(true),
        // No private hash: the process is in the global one, which is what was asked.
        Err(HashError::Unsupported | HashError::CompiledOut) if hash == Hash::Global => Ok(false),
        Err(HashError::Refused(errno)) if immutable => {
            Err(format!("{call}: {errno}; from Linux 6.17 on no flag is accepted"))
        }
        Err(HashError::Refused(errno)) => Err(format!("{call}: {errno}")),
        Err(error) => Err(format!("{call}: EINVAL, {error}")),
    }
}

fn set_memory(memory: &Memory) -> Result<(), String> {
    let bad = |error: kernel_abi::id_set::ListError| format!("memory \"{memory}\": {error}");
    let policy = match memory {
        // The system's own stays as whoever started the trial left it.
        Memory::Default => return Ok(()),
        Memory::Local => Policy::Local,
        Memory::Bind(list) => Policy::bind(list).map_err(bad)?,
        Memory::Interleave(list) => Policy::interleave(list).map_err(bad)?,
    };
    check_memory(&policy)?;
    policy.set().map_err(|errno| format!("set_mempolicy, memory \"{memory}\": {errno}"))
}

/// Nodes that are not there, or not this process's, are named before anything is asked.
fn check_memory(policy: &Policy) -> Result<(), String> {
    if matches!(policy, Policy::Default | Policy::Local) {
        return Ok(());
    }
    let topology = Topology::read(Path::new(SYS)).map_err(|error| error.to_string())?;
    let allowed = memory::allowed_nodes().map_err(|errno| format!("get_mempolicy: {errno}"))?;
    policy.check(&topology.nodes_with_memory(), &allowed).map_err(|error| error.to_string())
}

fn online_cpus() -> Option<u32> {
    let topology = Topology::read(Path::new(SYS)).ok()?;
    u32::try_from(topology.online.len()).ok()
}
