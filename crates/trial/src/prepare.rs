//! What a trial asks of the system before it takes memory or makes a thread: where the main
//! thread runs, the memory policy, the private hash.
//!
//! Each request is checked against what the kernel then says. One that did not take ends the trial
//! as refused: nothing is measured under a label that wasn't so.

use std::path::Path;

use kernel_abi::memory::{self, Policy};
use kernel_abi::topology::placement::Assignment;
use kernel_abi::topology::{SYS, Topology};
use kernel_abi::{CpuSet, affinity};

use crate::error::TrialError;
use crate::futex_hash::FutexHash;
use crate::place;
use model::factor::Memory;
use model::record::{Status, TrialRecord};
use model::spec::TrialSpec;

/// A process that is as its trial asks.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The process's private hash; `None` where the workload has none here.
    pub hash: Option<FutexHash>,
    /// Where the threads go.
    pub assignment: Assignment,
    /// All CPUs that threads of the trial may be on.
    pub cpus: CpuSet,
}

impl Prepared {
    /// Does it, for the threads that the trial makes. The error is the record of the refused trial.
    pub fn new(spec: &TrialSpec) -> Result<Prepared, Box<TrialRecord>> {
        let refuse =
            |error: TrialError| Box::new(TrialRecord::failed(Status::Refused, error.to_string()));
        let call = |call: String| |errno| refuse(TrialError::Call { call, errno });
        let threads = spec.threads_made();
        let assignment = place::here(&spec.placement, threads).map_err(refuse)?;
        if let Assignment::Shared(cpus) = &assignment {
            // Threads inherit it, and memory that is touched beforehand is near them.
            affinity::set_current(cpus).map_err(call(format!("sched_setaffinity, CPUs {cpus}")))?;
        }
        let cpus = match assignment.cpus() {
            Some(cpus) => cpus,
            None => affinity::current().map_err(call("sched_getaffinity".to_string()))?,
        };
        set_memory(&spec.memory).map_err(refuse)?;
        let hash =
            spec.workload().has_private_hash().then(|| FutexHash::before(spec.hash, threads));
        let mut prepared = Prepared { hash, assignment, cpus };
        match prepared.hash.as_mut().map_or(Ok(()), FutexHash::ask) {
            Ok(()) => Ok(prepared),
            Err(error) => Err(Box::new(prepared.refused(error))),
        }
    }

    /// A record with what is known so far.
    pub fn record(&self, status: Status) -> TrialRecord {
        let mut record = TrialRecord::empty(status);
        if let Some(hash) = &self.hash {
            hash.begin(&mut record);
        }
        record
    }

    /// The record of a trial that can't be done.
    pub fn refused(&self, error: TrialError) -> TrialRecord {
        TrialRecord { error: Some(error.to_string()), ..self.record(Status::Refused) }
    }
}

fn set_memory(memory: &Memory) -> Result<(), TrialError> {
    let bad = |error: kernel_abi::id_set::ListError| TrialError::Memory {
        memory: memory.clone(),
        reason: error.to_string(),
    };
    let policy = match memory {
        // The system's own stays as whoever started the trial left it.
        Memory::Default => return Ok(()),
        Memory::Local => Policy::Local,
        Memory::Bind(list) => Policy::bind(list).map_err(bad)?,
        Memory::Interleave(list) => Policy::interleave(list).map_err(bad)?,
    };
    check_memory(memory, &policy)?;
    let call = format!("set_mempolicy, memory \"{memory}\"");
    policy.set().map_err(|errno| TrialError::Call { call, errno })
}

/// Nodes that are not there, or not this process's, are named before anything is asked.
fn check_memory(memory: &Memory, policy: &Policy) -> Result<(), TrialError> {
    if matches!(policy, Policy::Default | Policy::Local) {
        return Ok(());
    }
    let bad = |reason: String| TrialError::Memory { memory: memory.clone(), reason };
    let topology = Topology::read(Path::new(SYS)).map_err(|error| bad(error.to_string()))?;
    let allowed = memory::allowed_nodes()
        .map_err(|errno| TrialError::Call { call: "get_mempolicy".to_string(), errno })?;
    policy.check(&topology.nodes_with_memory(), &allowed).map_err(|error| bad(error.to_string()))
}
