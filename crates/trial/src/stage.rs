//! What the threads of a trial share with its main thread.
//!
//! Nothing here can block on a private futex: plain atomics that the main thread writes once, and
//! for the barrier a shared futex, which is in the kernel's global hash.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use kernel_abi::Errno;
use kernel_abi::clock;
use kernel_abi::futex::{self, Scope};
use kernel_abi::prefault::Apart;

/// The state of a trial. Each part that is written while threads work is out of reach of the
/// lines that they read.
#[derive(Debug)]
pub struct Stage {
    stop: Apart<AtomicBool>,
    /// Whether the window has begun: what only then counts is not taken before.
    window: Apart<AtomicBool>,
    /// 0: shut, 1: open. Threads wait on it as a shared futex.
    gate: Apart<AtomicU32>,
    left: Apart<Left>,
}

/// Written by a thread as it leaves, never before.
#[derive(Debug)]
struct Left {
    first_ns: AtomicU64,
    last_ns: AtomicU64,
    threads: AtomicUsize,
    errno: AtomicI32,
}

impl Stage {
    /// With its gate open, or shut until [`Stage::open`].
    pub fn new(open: bool) -> Stage {
        Stage {
            stop: Apart(AtomicBool::new(false)),
            window: Apart(AtomicBool::new(false)),
            gate: Apart(AtomicU32::new(u32::from(open))),
            left: Apart(Left {
                first_ns: AtomicU64::new(u64::MAX),
                last_ns: AtomicU64::new(0),
                threads: AtomicUsize::new(0),
                errno: AtomicI32::new(0),
            }),
        }
    }

    /// Whether the threads are to end. On a line that is written once: a cached read.
    #[inline(always)]
    pub fn stopped(&self) -> bool {
        self.stop.0.load(Ordering::Relaxed)
    }

    /// [`Stage::stopped`] in the total order of sequentially consistent operations, for threads
    /// that decide on it whether anyone will still wake them.
    #[inline]
    pub fn stopped_in_order(&self) -> bool {
        self.stop.0.load(Ordering::SeqCst)
    }

    /// Whether all threads exist and work.
    #[inline(always)]
    pub fn in_window(&self) -> bool {
        self.window.0.load(Ordering::Relaxed)
    }

    /// The window begins.
    pub fn begin_window(&self) {
        self.window.0.store(true, Ordering::Relaxed);
    }

    /// Asks the threads to end.
    pub fn stop(&self) {
        self.stop.0.store(true, Ordering::SeqCst);
    }

    /// Waits until the gate is open.
    pub fn pass_gate(&self) {
        while self.gate.0.load(Ordering::Acquire) == 0 {
            if let Err(errno) = futex::wait(&self.gate.0, 0, None, Scope::Shared) {
                self.fail(errno);
                return;
            }
        }
    }

    /// Opens the gate and wakes all who wait.
    pub fn open(&self) -> Result<(), Errno> {
        self.gate.0.store(1, Ordering::Release);
        futex::wake_shared(&self.gate.0, i32::MAX as u32).map(drop)
    }

    /// A call of the workload failed: the thread leaves, and the trial is refused with this errno.
    #[cold]
    pub fn fail(&self, errno: Errno) {
        let _ =
            self.left.0.errno.compare_exchange(0, errno.0, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The first errno that made a thread leave.
    pub fn failed(&self) -> Option<Errno> {
        match self.left.0.errno.load(Ordering::Relaxed) {
            0 => None,
            number => Some(Errno(number)),
        }
    }

    /// A thread has left its loop, asked or not.
    pub fn leave(&self) {
        let now = clock::monotonic_ns();
        self.left.0.last_ns.fetch_max(now, Ordering::Relaxed);
        self.left.0.first_ns.fetch_min(now, Ordering::Release);
        self.left.0.threads.fetch_add(1, Ordering::Release);
    }

    /// Whether a thread has left: before the stop, one that finished its work or failed.
    pub fn anyone_left(&self) -> bool {
        self.left.0.first_ns.load(Ordering::Acquire) != u64::MAX
    }

    /// Whether nothing more will be done: all of so many threads have left, or one has failed, for
    /// which others may wait. One that found no work left says nothing of those that still do
    /// theirs.
    pub fn work_is_over(&self, threads: usize) -> bool {
        self.failed().is_some() || self.left.0.threads.load(Ordering::Acquire) >= threads
    }

    /// When the first thread left, and the last; only after all were joined.
    pub fn left_ns(&self) -> (u64, u64) {
        let left = &self.left.0;
        (left.first_ns.load(Ordering::Relaxed), left.last_ns.load(Ordering::Relaxed))
    }
}

/// A thread's place in a trial.
#[derive(Debug, Clone, Copy)]
pub struct Seat {
    /// Its number, from 0, in the order of creation.
    pub index: usize,
    /// Where it counts its operations, on a line of its own; the main thread only reads.
    pub ops: &'static Apart<AtomicU64>,
    /// What it shares with all.
    pub stage: &'static Stage,
}

impl Seat {
    /// Publishes the operations done so far.
    #[inline(always)]
    pub fn count(&self, ops: u64) {
        self.ops.0.store(ops, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_over_when_all_have_left_or_one_has_failed() {
        let stage = Stage::new(true);
        assert!(!stage.anyone_left() && !stage.work_is_over(2));
        stage.leave();
        assert!(stage.anyone_left() && !stage.work_is_over(2));
        stage.leave();
        assert!(stage.work_is_over(2));

        let stage = Stage::new(true);
        stage.fail(Errno(11));
        assert!(stage.work_is_over(2));
    }
}
