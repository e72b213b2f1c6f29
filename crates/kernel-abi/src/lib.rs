//! The kernel's interface as safe functions: futex(2), the private futex hash, threads, clocks,
//! affinity, memory policy, processes, and what `/proc` and `/sys` say of the machine.
//!
//! This is the only crate of the workspace with `unsafe`; every block states why it is sound.
//! Nothing here decides what is measured: workloads, plans and statistics live elsewhere.
//! Errors carry the kernel's errno by name, because "EINVAL" and "EBUSY" are different findings.

#![cfg(target_os = "linux")]
#![deny(clippy::undocumented_unsafe_blocks)]

pub mod affinity;
pub mod clock;
pub mod environment;
pub mod epoll;
pub mod errno;
pub mod futex;
pub mod futex_hash;
pub mod id_set;
pub mod init;
pub mod kernel_config;
pub mod kvm;
pub mod library;
pub mod limits;
pub mod machine;
pub mod memory;
pub mod memory_file;
pub mod prefault;
pub mod process;
pub mod process_tree;
pub mod signal;
pub mod steal;
pub mod thread;
pub mod topology;
pub mod tracing;
pub mod usage;

pub use affinity::CpuSet;
pub use errno::Errno;
