//! The NUMA memory policy of a process: set_mempolicy(2) and get_mempolicy(2).
//!
//! The policy belongs to the thread and is inherited by threads and programs that it then starts,
//! so it is set before the first thread, or between fork and exec.

use std::fmt;

use crate::affinity::words_to_native;
use crate::errno::Errno;
use crate::id_set::{ListError, NodeSet};

/// `MPOL_F_MEMS_ALLOWED` of linux/mempolicy.h, which the libc crate doesn't have.
const MEMS_ALLOWED: libc::c_ulong = 1 << 2;

/// Where new pages come from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Policy {
    /// The system's: the node of the CPU that first touches a page, others when it is full, or
    /// what the boot set up.
    #[default]
    Default,
    /// The node of the CPU that first touches a page, others when it is full, whatever the
    /// system's default is.
    Local,
    /// These nodes only.
    Bind(NodeSet),
    /// These nodes, page by page in turn.
    Interleave(NodeSet),
}

impl Policy {
    /// [`Policy::Bind`] from a list of nodes, such as `0-2`.
    ///
    /// # Errors
    /// When it is no list.
    pub fn bind(list: &str) -> Result<Policy, ListError> {
        list.parse().map(Policy::Bind)
    }

    /// [`Policy::Interleave`] from a list of nodes, such as `0-2`.
    ///
    /// # Errors
    /// When it is no list.
    pub fn interleave(list: &str) -> Result<Policy, ListError> {
        list.parse().map(Policy::Interleave)
    }

    /// Whether every node that is named has memory, and memory that this process may use. The
    /// kernel itself would leave out the nodes that don't, and say nothing while one is left.
    ///
    /// # Errors
    /// A sentence with what there is.
    pub fn check(&self, with_memory: &NodeSet, allowed: &NodeSet) -> Result<(), MemoryError> {
        let (Policy::Bind(nodes) | Policy::Interleave(nodes)) = self else { return Ok(()) };
        let refuse = |reason| Err(MemoryError { policy: self.to_string(), reason });
        let name = |nodes: &NodeSet| match nodes.len() {
            1 => format!("node {nodes}"),
            _ => format!("nodes {nodes}"),
        };
        if nodes.is_empty() {
            return refuse("the list is empty".to_owned());
        }
        let absent = nodes.difference(with_memory);
        if !absent.is_empty() {
            return refuse(format!(
                "there is no memory on {}; there is on {}",
                name(&absent),
                name(with_memory)
            ));
        }
        let outside = nodes.difference(allowed);
        if !outside.is_empty() {
            return refuse(format!(
                "the cpuset of this process keeps it from the memory of {}; it may use {}",
                name(&outside),
                name(allowed)
            ));
        }
        Ok(())
    }

    /// Makes it the policy of the calling thread and of what it starts from now on.
    ///
    /// # Errors
    /// `ENOSYS` on a kernel without NUMA; `EINVAL` when none of the nodes can be used.
    pub fn set(&self) -> Result<(), Errno> {
        self.prepare().set()
    }

    /// As the kernel takes it, so that setting it allocates nothing.
    pub(crate) fn prepare(&self) -> Prepared {
        let (mode, nodes) = match self {
            Policy::Default => (libc::MPOL_DEFAULT, None),
            Policy::Local => (libc::MPOL_LOCAL, None),
            Policy::Bind(nodes) => (libc::MPOL_BIND, Some(nodes)),
            Policy::Interleave(nodes) => (libc::MPOL_INTERLEAVE, Some(nodes)),
        };
        Prepared { mode, mask: nodes.map(|nodes| words_to_native(nodes.words())) }
    }
}

impl fmt::Display for Policy {
    /// The text of the contract.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Policy::Default => f.write_str("default"),
            Policy::Local => f.write_str("local"),
            Policy::Bind(nodes) => write!(f, "bind:{nodes}"),
            Policy::Interleave(nodes) => write!(f, "interleave:{nodes}"),
        }
    }
}

/// A policy that this machine, or this process, has no memory for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryError {
    /// The policy as the contract writes it.
    pub policy: String,
    /// What is missing, and what there is.
    pub reason: String,
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "memory `{}`: {}", self.policy, self.reason)
    }
}

impl std::error::Error for MemoryError {}

#[derive(Debug, Clone)]
pub(crate) struct Prepared {
    mode: libc::c_int,
    mask: Option<Vec<u64>>,
}

impl Prepared {
    /// Allocates nothing and takes no lock: may run between fork and exec.
    pub(crate) fn set(&self) -> Result<(), Errno> {
        // The kernel looks at one bit less than it is told.
        let (mask, bits) = match &self.mask {
            Some(mask) => (mask.as_ptr(), mask.len() * 64 + 1),
            None => (std::ptr::null(), 0),
        };
        // SAFETY: the kernel reads at most as many bits as the mask has.
        let returned = unsafe { libc::syscall(libc::SYS_set_mempolicy, self.mode, mask, bits) };
        Errno::check(returned as libc::c_int).map(drop)
    }
}

/// The nodes whose memory this process may use (its cpuset's). A kernel without NUMA has node 0.
///
/// # Errors
/// What get_mempolicy(2) refuses with.
pub fn allowed_nodes() -> Result<NodeSet, Errno> {
    // More than any kernel's nodes, which are at most 1024: a shorter mask would be refused.
    let mut mask = [0u64; 32];
    // SAFETY: the kernel writes at most the given number of bits, which the array has; mode and
    // address are not asked for.
    let returned = unsafe {
        libc::syscall(
            libc::SYS_get_mempolicy,
            std::ptr::null_mut::<libc::c_int>(),
            mask.as_mut_ptr(),
            mask.len() * 64,
            std::ptr::null_mut::<libc::c_void>(),
            MEMS_ALLOWED,
        )
    };
    match Errno::check(returned as libc::c_int) {
        Ok(_) => Ok(NodeSet::from_words(words_to_native(&mask))),
        Err(Errno(libc::ENOSYS)) => Ok([0].into_iter().collect()),
        Err(errno) => Err(errno),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::Builder;

    fn nodes(list: &str) -> NodeSet {
        list.parse().expect("a list")
    }

    #[test]
    fn every_policy_is_taken_by_a_thread_and_none_by_its_neighbours() {
        let allowed = allowed_nodes().expect("nodes");
        assert!(!allowed.is_empty());
        for policy in [
            Policy::Local,
            Policy::Bind(allowed.clone()),
            Policy::Interleave(allowed),
            Policy::Default,
        ] {
            let set = Builder::new()
                .spawn(move || policy.set())
                .expect("a thread")
                .join()
                .expect("joined");
            assert!(matches!(set, Ok(()) | Err(Errno(libc::ENOSYS))), "{set:?}");
        }
    }

    #[test]
    fn a_node_that_is_not_there_is_refused_by_the_kernel_too() {
        let set = Builder::new()
            .spawn(|| Policy::Bind([1000].into_iter().collect()).set())
            .expect("a thread")
            .join()
            .expect("joined");
        assert!(matches!(set, Err(Errno(libc::EINVAL | libc::ENOSYS))), "{set:?}");
    }

    #[test]
    fn what_is_not_there_is_refused_with_what_there_is() {
        let check = |policy: Result<Policy, ListError>| {
            policy.expect("a list").check(&nodes("0-2"), &nodes("0-1")).map_err(|e| e.to_string())
        };
        assert_eq!(check(Ok(Policy::Local)), Ok(()));
        assert_eq!(check(Policy::bind("0-1")), Ok(()));
        assert_eq!(
            check(Policy::bind("1,3-4")),
            Err("memory `bind:1,3-4`: there is no memory on nodes 3-4; there is on nodes 0-2"
                .into())
        );
        assert_eq!(
            check(Policy::interleave("0-2")),
            Err("memory `interleave:0-2`: the cpuset of this process keeps it from the memory of \
                 node 2; it may use nodes 0-1"
                .into())
        );
        assert_eq!(check(Policy::bind("")), Err("memory `bind:`: the list is empty".into()));
        assert!(Policy::bind("a").is_err());
    }
}
