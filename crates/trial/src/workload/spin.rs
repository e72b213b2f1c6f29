//! Time spent in user mode: a loop of a known length.
//!
//! Calibrated once, by the main thread before any other exists, and then the same number of rounds
//! for all. Reading a clock in the loop would be simpler and would measure something else: a
//! section that is preempted, or shares its core, would end at the same moment with less done,
//! while the work of a real one is still to do; and where the clock is a system call (some guests)
//! the section would be mostly that call. What the calibration found is reported with the trial.

use std::hint::black_box;

use kernel_abi::clock;

/// A loop that takes a given time on a core that is not disturbed.
#[derive(Debug, Clone, Copy)]
pub struct Spin {
    ns_per_round: f64,
}

impl Spin {
    /// Measures how long a round takes: the least of several, since disturbance only adds.
    pub fn calibrate() -> Spin {
        const ROUNDS: u64 = 200_000;
        const TRIES: usize = 9;
        let least_ns = (0..TRIES)
            .map(|_| {
                let before = clock::monotonic_ns();
                turn(ROUNDS);
                clock::monotonic_ns().saturating_sub(before)
            })
            .min()
            .unwrap_or(0);
        // A clock too coarse to see the loop gives 0: rounds are then taken for a nanosecond.
        let ns_per_round = if least_ns == 0 { 1.0 } else { least_ns as f64 / ROUNDS as f64 };
        Spin { ns_per_round }
    }

    /// What a round takes.
    pub fn ns_per_round(&self) -> f64 {
        self.ns_per_round
    }

    /// Rounds that take `ns`: at least one, unless it is 0.
    pub fn rounds(&self, ns: u64) -> u64 {
        if ns == 0 { 0 } else { ((ns as f64 / self.ns_per_round).round() as u64).max(1) }
    }
}

/// Does so many rounds: a chain of multiplications, each waiting for the one before, so that a
/// wider core is not faster at it and none is left out.
#[inline]
pub fn turn(rounds: u64) {
    let mut value = black_box(1u64);
    for _ in 0..rounds {
        value = black_box(value.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    }
    black_box(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_is_no_round_and_any_time_is_one() {
        let spin = Spin { ns_per_round: 2.0 };
        assert_eq!([0, 1, 2, 100].map(|ns| spin.rounds(ns)), [0, 1, 1, 50]);
        assert!(Spin::calibrate().ns_per_round() > 0.0);
    }

    #[test]
    fn a_spin_is_not_shorter_than_asked_by_much() {
        // Only from below: a busy machine makes it longer. The calibration takes the least of
        // nine, so a third is far outside of its error.
        let spin = Spin::calibrate();
        let rounds = spin.rounds(5_000_000);
        let least = (0..3)
            .map(|_| {
                let before = clock::monotonic_ns();
                turn(rounds);
                clock::monotonic_ns() - before
            })
            .max();
        assert!(least > Some(5_000_000 / 3), "{least:?}");
    }
}
