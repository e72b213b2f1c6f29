//! Why a trial can't be done.

use kernel_abi::Errno;
use kernel_abi::futex_hash::HashError;
use kernel_abi::thread::ThreadError;
use model::factor::{BadValue, Memory, Placement};
use thiserror::Error;

/// Why a trial can't be done, or was not done to its end.
#[derive(Debug, Error)]
pub enum TrialError {
    /// A call that the kernel refused.
    #[error("{call}: {errno}")]
    Call {
        /// The call, and what it was for.
        call: String,
        /// The kernel's answer.
        errno: Errno,
    },
    /// The kernel gave no hash of the policy.
    #[error("{call}: {}", hash_reason(error, *immutable))]
    Hash {
        /// The call.
        call: String,
        /// Whether the immutable flag was asked for.
        immutable: bool,
        /// The kernel's answer.
        error: HashError,
    },
    /// The kernel granted a hash and does not show it.
    #[error("{call} was accepted, and GET_SLOTS then answers {then}")]
    NotGranted {
        /// The call.
        call: String,
        /// What is there instead.
        then: String,
    },
    /// The system gives no more threads.
    #[error(
        "{error} for thread {} of {all}, {existed} existed; what limits them is `ulimit -u` and `-v`, the \
         cgroup's pids.max, kernel.threads-max, kernel.pid_max, vm.max_map_count and memory",
        existed + 1
    )]
    TooManyThreads {
        /// The call and its errno.
        error: ThreadError,
        /// Threads that were there.
        existed: usize,
        /// Threads that were to be there.
        all: usize,
    },
    /// A thread ended in another way than by its loop.
    #[error("thread {number}: {error}")]
    Thread {
        /// Its number, from 1.
        number: usize,
        /// How it ended.
        error: ThreadError,
    },
    /// More threads are created than memory was taken for.
    #[error("no memory was taken for thread {number}")]
    NoMemoryTaken {
        /// Its number, from 1.
        number: usize,
    },
    /// There is not enough memory.
    #[error("memory for {capacity} {what} of the trial: {reason}")]
    NoMemory {
        /// How many are needed.
        capacity: usize,
        /// What is needed.
        what: &'static str,
        /// The system's answer.
        reason: String,
    },
    /// The memory policy is not possible here.
    #[error("memory \"{memory}\": {reason}")]
    Memory {
        /// The policy.
        memory: Memory,
        /// What is missing.
        reason: String,
    },
    /// The placement needs the machine's layout, which can't be read.
    #[error("placement \"{placement}\" needs the machine's layout: {reason}")]
    Layout {
        /// The placement.
        placement: Placement,
        /// The file that can't be read, and why.
        reason: String,
    },
    /// The placement is not possible here.
    #[error("{0}")]
    Placement(String),
    /// A value that makes no sense.
    #[error(transparent)]
    Value(#[from] BadValue),
}

fn hash_reason(error: &HashError, immutable: bool) -> String {
    match error {
        HashError::Refused(errno) if immutable => {
            format!("{errno}; from Linux 6.17 on no flag is accepted")
        }
        HashError::Refused(errno) => errno.to_string(),
        error => format!("EINVAL, {error}"),
    }
}
