//! `mutex`: threads contend for futex mutexes.
//!
//! A pair is: draw a lock, lock it, do the critical section, unlock, think. The lock is drawn anew
//! for each pair, uniformly, from a generator seeded by the trial and the thread. (In the report's
//! table 16 threads over 32 locks were slower with `exchange` than with `store-wake`: with a lock
//! or two of its own for each thread nobody would ever wait, and `exchange` would make no call.)

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use kernel_abi::Errno;
use kernel_abi::futex::{self, Scope};
use kernel_abi::prefault::Apart;

use super::spin::{self, Spin};
use model::workload::BATCH;

use crate::stage::Seat;
use crate::work::{Driven, Work};
use model::record::{Status, TrialRecord};
use model::workload::mutex::{Mutex as Parameters, Unlock};

const FREE: u32 = 0;
const HELD: u32 = 1;
/// Held, and someone may wait.
const WAITED_FOR: u32 = 2;

/// A mutex of three states (Ulrich Drepper, "Futexes Are Tricky", 2005, section 5, "Mutex, take
/// 2"; glibc's low-level lock), and what it protects.
#[derive(Debug, Default)]
struct Lock {
    word: AtomicU32,
    /// Pairs done under it. On the word's line: whoever holds the lock has that line already.
    /// Increased by a load and a store, as any data under a lock is: if two threads are ever
    /// inside together, increments are lost.
    pairs: AtomicU64,
}

impl Lock {
    /// How often the thread slept before it had the lock.
    #[inline]
    fn lock(&self) -> Result<u64, Errno> {
        match self.word.compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Ok(0),
            Err(_) => self.lock_slowly(),
        }
    }

    /// Whoever has waited takes the lock as waited for: it can't know that nobody else waits.
    #[cold]
    fn lock_slowly(&self) -> Result<u64, Errno> {
        let mut sleeps = 0;
        while self.word.swap(WAITED_FOR, Ordering::Acquire) != FREE {
            futex::wait(&self.word, WAITED_FOR, None, Scope::Private)?;
            sleeps += 1;
        }
        Ok(sleeps)
    }

    #[inline]
    fn unlock(&self, how: Unlock) -> Result<(), Errno> {
        match how {
            Unlock::Exchange => {
                if self.word.swap(FREE, Ordering::Release) == WAITED_FOR {
                    futex::wake(&self.word, 1)?;
                }
            }
            Unlock::StoreWake => {
                self.word.store(FREE, Ordering::Release);
                futex::wake(&self.word, 1)?;
            }
        }
        Ok(())
    }
}

/// The locks, and what is done with them.
#[derive(Debug)]
pub struct Mutex {
    locks: Vec<Apart<Lock>>,
    unlock: Unlock,
    spin: Spin,
    critical_rounds: u64,
    think_rounds: u64,
    seed: u64,
    budget: Option<Budget>,
}

/// A fixed number of pairs, taken by the threads in small shares: all work until none is left,
/// however unequal their speed, and the end is the end of all.
#[derive(Debug)]
struct Budget {
    pairs: u64,
    taken: Apart<AtomicU64>,
}

impl Budget {
    /// So many pairs for the thread that asks; 0 when none is left.
    fn take(&self) -> u64 {
        let before = self.taken.0.fetch_add(BATCH, Ordering::Relaxed);
        self.pairs.saturating_sub(before).min(BATCH)
    }
}

/// What a thread has to itself.
#[derive(Debug)]
pub struct Own {
    random: u64,
    sleeps: u64,
}

impl Own {
    /// The next draw below `bound`: xorshift64* (Sebastiano Vigna, 2016), scaled by a widening
    /// multiplication. Its bias, `bound` in 2^32, is far below what a trial could show.
    #[inline]
    fn below(&mut self, bound: usize) -> usize {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        let high = self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32;
        ((u128::from(high) * bound as u128) >> 32) as usize
    }
}

impl Mutex {
    /// Takes its memory and calibrates its loop.
    pub fn new(parameters: &Parameters, seed: u64) -> Mutex {
        let spin = Spin::calibrate();
        Mutex {
            locks: (0..parameters.locks.get()).map(|_| Apart::default()).collect(),
            unlock: parameters.unlock,
            critical_rounds: spin.rounds(parameters.critical.ns()),
            think_rounds: spin.rounds(parameters.think.ns()),
            spin,
            seed,
            budget: parameters.pairs.map(|pairs| Budget { pairs, taken: Apart::default() }),
        }
    }

    #[inline]
    fn pair(&self, own: &mut Own) -> Result<(), Errno> {
        let Some(Apart(lock)) = self.locks.get(own.below(self.locks.len())) else { return Ok(()) };
        own.sleeps += lock.lock()?;
        lock.pairs.store(lock.pairs.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        spin::turn(self.critical_rounds);
        lock.unlock(self.unlock)?;
        spin::turn(self.think_rounds);
        Ok(())
    }
}

impl Work for Mutex {
    type Own = Own;

    fn own(&self, index: usize) -> Own {
        // SplitMix64's step keeps neighbours' streams apart; xorshift must not start from 0.
        let mut mixed =
            self.seed.wrapping_add((index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Own { random: (mixed ^ (mixed >> 31)).max(1), sleeps: 0 }
    }

    fn run(&self, seat: &Seat, own: &mut Own) {
        let mut ops = 0;
        while !seat.stage.stopped() {
            let share = self.budget.as_ref().map_or(BATCH, Budget::take);
            if share == 0 {
                return;
            }
            for _ in 0..share {
                if seat.stage.stopped() {
                    return;
                }
                if let Err(errno) = self.pair(own) {
                    seat.stage.fail(errno);
                    return;
                }
                ops += 1;
                seat.count(ops);
            }
        }
    }

    /// Nobody needs it unless a wake was refused: then who waited is let look again.
    fn release(&self) {
        for Apart(lock) in &self.locks {
            let _ = futex::wake(&lock.word, i32::MAX as u32);
        }
    }

    fn finish(&self, driven: &Driven, owns: Vec<Own>, record: &mut TrialRecord) {
        let under_locks: u64 =
            self.locks.iter().map(|lock| lock.0.pairs.load(Ordering::Relaxed)).sum();
        if under_locks != driven.ops {
            record.take_back(
                Status::Crashed,
                format!(
                    "mutual exclusion was broken: the threads did {} pairs, and what the locks \
                     protect was increased {under_locks} times",
                    driven.ops
                ),
            );
            return;
        }
        if let Some(budget) = &self.budget {
            let seconds = driven.last_left_ns.saturating_sub(driven.begun_ns) as f64 / 1e9;
            let done = driven.ops >= budget.pairs;
            record.metric("pairs", driven.ops as f64, "pairs");
            record.metric(if done { "seconds" } else { "seconds_at_least" }, seconds, "s");
        }
        let sleeps: u64 = owns.iter().map(|own| own.sleeps).sum();
        record.metric("sleeps", sleeps as f64, "waits");
        record.metric("spin_round", self.spin.ns_per_round(), "ns");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel_abi::thread::Builder;
    use std::sync::Arc;

    #[test]
    fn nobody_is_inside_with_another() {
        for how in [Unlock::Exchange, Unlock::StoreWake] {
            let lock = Arc::new(Lock::default());
            let threads: Vec<_> = (0..6)
                .map(|_| {
                    let lock = Arc::clone(&lock);
                    Builder::new().spawn(move || {
                        for _ in 0..3000 {
                            lock.lock()?;
                            let before = lock.pairs.load(Ordering::Relaxed);
                            spin::turn(20);
                            lock.pairs.store(before + 1, Ordering::Relaxed);
                            lock.unlock(how)?;
                        }
                        Ok::<(), Errno>(())
                    })
                })
                .collect();
            for thread in threads {
                assert_eq!(thread.expect("a thread").join().expect("joined"), Ok(()));
            }
            assert_eq!(lock.pairs.load(Ordering::Relaxed), 18_000);
            assert_eq!(lock.word.load(Ordering::Relaxed), FREE);
        }
    }

    #[test]
    fn an_exchange_without_waiters_marks_none() {
        let lock = Lock::default();
        assert_eq!(lock.lock(), Ok(0));
        assert_eq!(lock.word.load(Ordering::Relaxed), HELD);
        assert_eq!(lock.unlock(Unlock::Exchange), Ok(()));
        assert_eq!(lock.word.load(Ordering::Relaxed), FREE);
    }

    #[test]
    fn a_budget_is_shared_out_to_the_last_pair() {
        let budget = Budget { pairs: 2 * BATCH + 5, taken: Apart::default() };
        assert_eq!([budget.take(), budget.take(), budget.take()], [BATCH, BATCH, 5]);
        assert_eq!([budget.take(), budget.take()], [0, 0]);
    }

    #[test]
    fn draws_are_uniform_and_differ_between_threads_and_seeds() {
        let mut own = Own { random: 12345, sleeps: 0 };
        let mut seen = [0u32; 32];
        for _ in 0..320_000 {
            seen[own.below(32)] += 1;
        }
        // Chi-squared with 31 degrees of freedom is below 61.1 in 99.9 % of cases.
        let chi: f64 = seen.iter().map(|&n| (f64::from(n) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi < 61.1, "{chi}");
        assert_eq!(own.below(1), 0);
    }
}
