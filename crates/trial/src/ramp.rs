//! When each thread of a trial is created, from the ramp.
//!
//! A schedule is made before the trial begins; the driver only waits for its moments. A creation
//! that comes late (the machine is slow) is made at once, and the later ones keep their times.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use model::factor::Ramp;

/// The moments of a trial's threads.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    /// When each thread is created, in nanoseconds from the first one; ascending.
    pub created_ns: Vec<u64>,
    /// `barrier`: the threads wait, and are let go this long after the last creation.
    pub gap_ns: Option<u64>,
    /// `grow`: how many threads the first pool has.
    pub first_pool: Option<usize>,
}

impl Schedule {
    /// The schedule of `threads` threads. Only `poisson` draws from the seed.
    pub fn new(ramp: Ramp, threads: usize, seed: u64) -> Schedule {
        let mut gap_ns = None;
        let mut first_pool = None;
        let created_ns = match ramp {
            Ramp::Burst => vec![0; threads],
            Ramp::Barrier { gap } => {
                gap_ns = Some(gap.ns());
                vec![0; threads]
            }
            Ramp::Linear { over } => {
                (0..threads).map(|i| share(over.ns(), i, threads.saturating_sub(1))).collect()
            }
            // Thread i is in group floor(i G / N): the groups differ by one thread at most.
            Ramp::Steps { groups, every } => (0..threads)
                .map(|i| share(u64::from(groups), i, threads).saturating_mul(every.ns()))
                .collect(),
            Ramp::Poisson { rate_per_s } => poisson(rate_per_s, threads, seed),
            Ramp::Grow { from, after } => {
                let from = (from as usize).min(threads);
                first_pool = Some(from);
                (0..threads).map(|i| if i < from { 0 } else { after.ns() }).collect()
            }
        };
        Schedule { created_ns, gap_ns, first_pool }
    }
}

/// `whole * part / parts`, and 0 of no parts.
fn share(whole: u64, part: usize, parts: usize) -> u64 {
    let product = u128::from(whole) * part as u128;
    product.checked_div(parts as u128).and_then(|ns| u64::try_from(ns).ok()).unwrap_or(0)
}

/// The first thread at 0, then gaps drawn from the exponential distribution by inversion: a
/// Poisson process seen from one of its events.
fn poisson(rate_per_s: f64, threads: usize, seed: u64) -> Vec<u64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut at_s = 0.0f64;
    (0..threads)
        .map(|i| {
            if i > 0 {
                // In [0, 1), so that the logarithm's argument is in (0, 1].
                let uniform: f64 = random.random();
                at_s += -(1.0 - uniform).ln() / rate_per_s;
            }
            // Saturates: a rate near 0 gives times that no trial lives to see.
            (at_s * 1e9) as u64
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ramp::planned_ns;

    fn created_ms(ramp: &str, threads: usize) -> Vec<u64> {
        let ramp = ramp.parse().expect("a ramp");
        let schedule = Schedule::new(ramp, threads, 7);
        schedule.created_ns.iter().map(|ns| ns / 1_000_000).collect()
    }

    #[test]
    fn a_burst_and_a_barrier_create_at_once() {
        assert_eq!(created_ms("burst", 3), [0, 0, 0]);
        assert_eq!(created_ms("barrier:200ms", 2), [0, 0]);
        let barrier = Schedule::new("barrier:200ms".parse().expect("a ramp"), 2, 0);
        assert_eq!(barrier.gap_ns, Some(200_000_000));
        assert_eq!(Schedule::new(Ramp::Burst, 2, 0).gap_ns, None);
    }

    #[test]
    fn a_linear_ramp_ends_with_its_last_thread() {
        assert_eq!(created_ms("linear:3s", 4), [0, 1000, 2000, 3000]);
        assert_eq!(created_ms("linear:3s", 1), [0]);
    }

    #[test]
    fn steps_differ_by_one_thread_at_most() {
        assert_eq!(
            created_ms("steps:4x500ms", 10),
            [0, 0, 0, 500, 500, 1000, 1000, 1000, 1500, 1500]
        );
        // Fewer threads than groups: spread over them.
        assert_eq!(created_ms("steps:4x500ms", 2), [0, 1000]);
    }

    #[test]
    fn a_pool_grows_at_once() {
        assert_eq!(created_ms("grow:2@1s", 5), [0, 0, 1000, 1000, 1000]);
        let grow = Schedule::new("grow:2@1s".parse().expect("a ramp"), 5, 0);
        assert_eq!(grow.first_pool, Some(2));
    }

    #[test]
    fn a_poisson_ramp_has_its_rate_and_follows_its_seed() {
        let ramp: Ramp = "poisson:50/s".parse().expect("a ramp");
        let one = Schedule::new(ramp, 20_001, 1);
        assert_eq!(one, Schedule::new(ramp, 20_001, 1));
        assert_ne!(one, Schedule::new(ramp, 20_001, 2));
        assert!(one.created_ns.is_sorted());
        // 20 000 gaps of mean 20 ms; the mean's standard error is 20 ms / sqrt(20 000).
        let mean_ms = *one.created_ns.last().expect("threads") as f64 / 1e6 / 20_000.0;
        assert!((mean_ms - 20.0).abs() < 5.0 * 20.0 / 20_000f64.sqrt(), "{mean_ms}");
        // The standard deviation of an exponential is its mean.
        let gaps: Vec<f64> =
            one.created_ns.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e6).collect();
        let variance = gaps.iter().map(|gap| (gap - mean_ms).powi(2)).sum::<f64>() / 20_000.0;
        assert!((variance.sqrt() - 20.0).abs() < 1.0, "{}", variance.sqrt());
    }

    #[test]
    fn times_beyond_the_clock_do_not_overflow() {
        assert_eq!(created_ms("steps:4000000000x9000m", 3).len(), 3);
        let slow: Ramp = "poisson:0.000000000000001/s".parse().expect("a ramp");
        assert!(Schedule::new(slow, 5, 3).created_ns.is_sorted());
        assert_eq!(planned_ns(slow, 5), u64::MAX);
    }
}
