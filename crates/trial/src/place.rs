//! Which CPUs each thread of a trial gets, from its placement and the machine.

use kernel_abi::CpuSet;

use crate::factor::Placement;

/// The CPUs of a trial's threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Places {
    /// All threads share these, the main thread among them.
    Shared(CpuSet),
    /// Each thread has one CPU; thread i the one at i modulo the length, so that more threads than
    /// CPUs are laid over them evenly. Never empty. The main thread stays free.
    Each(Vec<u32>),
}

impl Places {
    /// The CPUs of the placement on a machine whose process may run on `allowed`. The sentence of
    /// an error says what was asked for and what there is.
    pub fn resolve(placement: &Placement, allowed: &CpuSet) -> Result<Places, String> {
        let refuse = |why: String| format!("placement \"{placement}\" is not possible here: {why}");
        match placement {
            Placement::Unpinned => Ok(Places::Shared(allowed.clone())),
            Placement::Cpus(list) => {
                let cpus: CpuSet = list.parse().map_err(|error| refuse(format!("{error}")))?;
                all_allowed(&cpus, allowed).map_err(refuse)?;
                Ok(Places::Shared(cpus))
            }
            Placement::Pin(list) => {
                let cpus = kernel_abi::id_set::parse_list(list, "CPU")
                    .map_err(|error| refuse(format!("{error}")))?;
                all_allowed(&cpus.iter().copied().collect(), allowed).map_err(refuse)?;
                Ok(Places::Each(cpus))
            }
            Placement::Node(_) | Placement::Compact | Placement::Scatter => {
                Err(refuse("the machine's nodes and caches are not read".into()))
            }
        }
    }

    /// The CPUs that thread `index` restricts itself to; `None` where it has its process's.
    pub fn of_thread(&self, index: usize) -> Option<u32> {
        match self {
            Places::Shared(_) => None,
            Places::Each(cpus) => cpus.get(index.checked_rem(cpus.len())?).copied(),
        }
    }

    /// All CPUs that threads of the trial may be on.
    pub fn all(&self) -> CpuSet {
        match self {
            Places::Shared(cpus) => cpus.clone(),
            Places::Each(cpus) => cpus.iter().copied().collect(),
        }
    }
}

fn all_allowed(cpus: &CpuSet, allowed: &CpuSet) -> Result<(), String> {
    if cpus.is_empty() {
        return Err("it names no CPU".into());
    }
    let missing = cpus.difference(allowed);
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("CPU {missing} is not online or not in this process's cpuset, which is {allowed}"))
}
