//! The threads' counts of operations, and a reading of all of them at a moment.

use std::sync::atomic::{AtomicU64, Ordering};

use kernel_abi::clock;
use kernel_abi::prefault::{self, Apart};

use crate::error::TrialError;

/// A counter a thread, each on lines of its own. The threads write; the main thread only reads.
#[derive(Debug, Clone, Copy)]
pub struct Counters {
    ops: &'static [Apart<AtomicU64>],
}

impl Counters {
    /// Zeroes for so many threads.
    pub fn new(threads: usize) -> Result<Counters, TrialError> {
        let call = || format!("mmap of the counters of {threads} threads");
        let ops = prefault::zeroed(threads);
        Ok(Counters { ops: ops.map_err(|errno| TrialError::Call { call: call(), errno })? })
    }

    /// A thread's own.
    pub fn of_thread(&self, index: usize) -> Option<&'static Apart<AtomicU64>> {
        self.ops.get(index)
    }

    /// Reads all into `into`, and answers when: the middle of the reading.
    ///
    /// The main thread can lose its CPU between the clock and the counters, and with the threads
    /// at work counts and time would then not belong together. A reading that took too long is
    /// done again, a few times: the scheduler owes a thread that sleeps most of the time the CPU.
    pub fn read(&self, into: &mut Vec<u64>) -> u64 {
        const TRIES: usize = 8;
        // Cache misses of all lines from the farthest socket, and a clock that is a system call.
        let quick_ns = 50_000 + 300 * self.ops.len() as u64;
        let mut at_ns = 0;
        for _ in 0..TRIES {
            let before_ns = clock::monotonic_ns();
            into.clear();
            into.extend(self.ops.iter().map(|ops| ops.0.load(Ordering::Relaxed)));
            let took_ns = clock::monotonic_ns().saturating_sub(before_ns);
            at_ns = before_ns.saturating_add(took_ns / 2);
            if took_ns <= quick_ns {
                break;
            }
        }
        at_ns
    }

    /// The sum; exact once the threads were joined.
    pub fn sum(&self) -> u64 {
        self.ops.iter().map(|ops| ops.0.load(Ordering::Relaxed)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_holds_all_and_lies_between_its_clocks() {
        let counters = Counters::new(3).expect("memory");
        for (index, ops) in [5, 7, 11].into_iter().enumerate() {
            counters.of_thread(index).expect("a counter").0.store(ops, Ordering::Relaxed);
        }
        assert!(counters.of_thread(3).is_none());
        let mut read = vec![99];
        let before_ns = clock::monotonic_ns();
        let at_ns = counters.read(&mut read);
        assert!(before_ns <= at_ns && at_ns <= clock::monotonic_ns());
        assert_eq!((read, counters.sum()), (vec![5, 7, 11], 23));
    }
}
