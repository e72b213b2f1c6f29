//! The machine's layout as the kernel has it: sockets, dies, clusters, last-level caches, cores,
//! SMT siblings and NUMA nodes.
//!
//! [`Topology::read`] takes the folder that is `/sys`, so that any machine's layout can be read
//! from a copy. What a kernel or a container doesn't show is an empty list, never one group of
//! everything: a figure must not say "one socket" where nobody knows.
//!
//! Which of the CPUs a process may use is not a matter of the layout: [`placement`] takes that
//! mask beside it.

pub mod placement;
mod sysfs;

#[cfg(test)]
pub(crate) mod fixture;

use std::path::Path;

use crate::affinity::CpuSet;
use crate::id_set::NodeSet;

pub use sysfs::TopologyError;

/// Where the kernel shows the layout.
pub const SYS: &str = "/sys";

/// A machine's layout. Groups hold CPUs that are online, each list in the order of the groups'
/// lowest CPUs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Topology {
    /// CPUs that could ever come online: what the kernel sizes its tables for.
    pub possible: CpuSet,
    /// CPUs that are plugged in.
    pub present: CpuSet,
    /// CPUs that run threads: what the futex hash's auto-scaling counts.
    pub online: CpuSet,
    /// CPUs that the scheduler puts nothing on by itself (`isolcpus=`, isolated partitions).
    pub isolated: CpuSet,
    /// Sockets.
    pub packages: Vec<CpuSet>,
    /// Dies. Processors that don't tell have one a socket.
    pub dies: Vec<CpuSet>,
    /// Clusters of cores below the last-level cache (a shared L2, on arm64 often a CPU group);
    /// without such a thing the kernel shows a core or a CPU each.
    pub clusters: Vec<CpuSet>,
    /// The CPUs that share a last-level cache.
    pub caches: Vec<CacheDomain>,
    /// The CPUs of a core: its SMT siblings.
    pub cores: Vec<CpuSet>,
    /// NUMA nodes that are online, by number. With sub-NUMA clustering a socket has several. A
    /// kernel without NUMA has the one node 0.
    pub nodes: Vec<NumaNode>,
    /// Whether cores run more than one thread now.
    pub smt_active: Option<bool>,
    /// The frequency governors in use, each once, sorted. Empty where the kernel sets no
    /// frequencies, as in most guests.
    pub governors: Vec<String>,
}

/// The CPUs that share a last-level cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheDomain {
    /// The cache's level, counted from 1.
    pub level: u32,
    /// The CPUs.
    pub cpus: CpuSet,
}

/// A NUMA node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumaNode {
    /// The kernel's number.
    pub id: u32,
    /// Its CPUs that are online. A node of memory only has none.
    pub cpus: CpuSet,
    /// Whether it has memory.
    pub has_memory: bool,
}

impl Topology {
    /// Reads the layout below `sys`, which is [`SYS`] or a copy of it.
    ///
    /// # Errors
    /// When the list of online CPUs is missing, or a file that is there holds something else than
    /// it should.
    pub fn read(sys: &Path) -> Result<Topology, TopologyError> {
        sysfs::read(sys, &|path| std::fs::read_to_string(path))
    }

    /// Takes CPUs that this process may run on for online, which they are: sched_getaffinity(2) tells no
    /// other. Where `/sys` does not name them, such as where a container masks it, what it names is
    /// returned, so that the contradiction can be told.
    pub fn admit(&mut self, allowed: &CpuSet) -> Option<CpuSet> {
        if allowed.difference(&self.online).is_empty() {
            return None;
        }
        let both = self.online.union(allowed);
        let named = std::mem::replace(&mut self.online, both);
        self.possible = self.possible.union(allowed);
        self.present = self.present.union(allowed);
        Some(named)
    }

    /// The node of that number.
    pub fn node(&self, id: u32) -> Option<&NumaNode> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// Nodes that have CPUs.
    pub fn nodes_with_cpus(&self) -> NodeSet {
        self.nodes.iter().filter(|node| !node.cpus.is_empty()).map(|node| node.id).collect()
    }

    /// Nodes that have memory.
    pub fn nodes_with_memory(&self) -> NodeSet {
        self.nodes.iter().filter(|node| node.has_memory).map(|node| node.id).collect()
    }

    /// Whether a socket is split into several nodes with CPUs: sub-NUMA clustering (Intel's SNC,
    /// AMD's NPS). `None` where sockets are not known.
    pub fn sub_numa(&self) -> Option<bool> {
        if self.packages.is_empty() {
            return None;
        }
        Some(self.packages.iter().any(|package| {
            self.nodes.iter().filter(|n| !n.cpus.intersection(package).is_empty()).count() > 1
        }))
    }
}
