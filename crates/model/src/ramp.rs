//! What a ramp asks of a trial: how long it takes, and whether it makes sense there.

use crate::factor::{Ramp, threads_in_words};
use crate::spec::TrialSpec;

/// How long creating `threads` threads is planned to take, the gap of a barrier included; of
/// `poisson` the expectation.
pub fn planned_ns(ramp: Ramp, threads: u32) -> u64 {
    match ramp {
        Ramp::Burst => 0,
        Ramp::Barrier { gap } => gap.ns(),
        Ramp::Linear { over } => over.ns(),
        Ramp::Steps { groups, every } => {
            u64::from(groups.saturating_sub(1)).saturating_mul(every.ns())
        }
        Ramp::Poisson { rate_per_s } => {
            (f64::from(threads.saturating_sub(1)) / rate_per_s * 1e9) as u64
        }
        Ramp::Grow { after, .. } => after.ns(),
    }
}

/// Refuses a ramp that makes no sense for a trial, by its name.
pub fn check(spec: &TrialSpec) -> Result<(), String> {
    const LONGEST_S: u64 = 24 * 3600;
    if planned_ns(spec.ramp, spec.threads) > LONGEST_S * 1_000_000_000 {
        return Err(format!(
            "ramp \"{}\" is not possible with {}: it would take more than a day; accepted is one \
             that takes less",
            spec.ramp,
            threads_in_words(spec.threads)
        ));
    }
    match spec.ramp {
        Ramp::Grow { from, .. } if from >= spec.threads => Err(format!(
            "ramp \"{}\" is not possible with {}: the pool would not grow; accepted is `grow:` from \
             fewer",
            spec.ramp,
            threads_in_words(spec.threads)
        )),
        _ => Ok(()),
    }
}
