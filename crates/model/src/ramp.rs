//! What a ramp asks of a trial: how long it takes, and whether it makes sense there.

use crate::factor::{BadValue, Ramp, threads_in_words};

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

/// Refuses a ramp that makes no sense for this many threads.
///
/// # Errors
/// The ramp, why it is not possible and what is accepted.
pub fn check(ramp: Ramp, threads: u32) -> Result<(), BadValue> {
    const LONGEST_S: u64 = 24 * 3600;
    let bad = |accepted: &'static str, reason: &str| {
        let reason = format!("with {} {reason}", threads_in_words(threads));
        Err(BadValue::new("ramp", ramp, accepted).because(reason))
    };
    match ramp {
        Ramp::Grow { from, .. } if from >= threads => {
            bad("`grow:` from fewer threads", "the pool would not grow")
        }
        _ if planned_ns(ramp, threads) > LONGEST_S * 1_000_000_000 => {
            bad("one that takes less", "it would take more than a day")
        }
        _ => Ok(()),
    }
}
