//! `resize`: threads wake as in `wake-storm`, while the main thread sets the slots back and forth.
//!
//! `PR_FUTEX_HASH_SET_SLOTS` returns when the new hash is in use, so a call's duration is the
//! pivot's. Many a trial, on any number of CPUs: nothing here waits for the kernel to find that a
//! growth is due.

use std::sync::atomic::{AtomicU64, Ordering};

use kernel_abi::clock;
use kernel_abi::futex_hash::{self, HashError};
use kernel_abi::prefault::Apart;

use super::wake_storm::WakeStorm;
use crate::error::TrialError;
use crate::stage::Seat;
use crate::work::{Driven, MainPart, Work};
use model::record::{SlotsSet, Status, TrialRecord};

/// How long after the window's end the threads go on by themselves. The main thread may then still
/// be in a call that only returns when they let go of the hash, and could not tell them to stop.
const GRACE_NS: u64 = 250_000_000;

/// Batches between two looks at the clock for that.
const BATCHES_A_LOOK: u32 = 16;

/// The threads' part.
#[derive(Debug)]
pub struct Resize {
    storm: WakeStorm,
    until_ns: &'static Apart<AtomicU64>,
}

/// The main thread's part.
#[derive(Debug)]
pub struct Setter {
    until_ns: &'static Apart<AtomicU64>,
    /// The two sizes, once the window has begun.
    sizes: Option<(u32, u32)>,
    sets: Vec<SlotsSet>,
    refused: Option<HashError>,
    /// A call that was still not back when the load ended: how long it had waited by then.
    outlived_s: Option<f64>,
}

impl Resize {
    /// Takes its memory.
    pub fn new() -> Result<(Resize, Setter), TrialError> {
        // For the rest of the process, like all that threads share.
        let until_ns: &'static Apart<AtomicU64> =
            Box::leak(Box::new(Apart(AtomicU64::new(u64::MAX))));
        let setter = Setter {
            until_ns,
            sizes: None,
            // Beyond this it grows, on the main thread: the others never allocate.
            sets: Vec::with_capacity(16 * 1024),
            refused: None,
            outlived_s: None,
        };
        Ok((Resize { storm: WakeStorm::new()?, until_ns }, setter))
    }
}

impl Work for Resize {
    type Own = ();

    fn own(&self, _index: usize) {}

    fn run(&self, seat: &Seat, (): &mut ()) {
        let mut batches = 0u32;
        self.storm.storm(seat, || {
            batches = batches.wrapping_add(1);
            !batches.is_multiple_of(BATCHES_A_LOOK)
                || clock::monotonic_ns() < self.until_ns.0.load(Ordering::Relaxed)
        });
    }

    fn finish(&self, _driven: &Driven, _owns: Vec<()>, _record: &mut TrialRecord) {}
}

impl MainPart for Setter {
    fn sets_slots(&self) -> bool {
        true
    }

    fn turn(&mut self, end_ns: u64) -> bool {
        let until_ns = end_ns.saturating_add(GRACE_NS);
        self.until_ns.0.store(until_ns, Ordering::Relaxed);
        if self.refused.is_some() {
            return false;
        }
        let Ok(from) = futex_hash::get_slots() else {
            self.refused = Some(HashError::Unsupported);
            return false;
        };
        // Between what the trial's policy gave and twice as much: both are sizes that it works at.
        let (small, large) = *self.sizes.get_or_insert((from, from.saturating_mul(2)));
        let to = if from == large { small } else { large };
        let before_ns = clock::monotonic_ns();
        let set = futex_hash::set_slots(to, false);
        let after_ns = clock::monotonic_ns();
        if after_ns >= until_ns {
            self.outlived_s = Some(until_ns.saturating_sub(before_ns) as f64 / 1e9);
            return false;
        }
        let errno = match set {
            Ok(()) => None,
            Err(HashError::Refused(errno)) => Some(errno.name()),
            Err(_) => Some("EINVAL".into()),
        };
        self.refused = set.err();
        self.sets.push(SlotsSet {
            index: u32::try_from(self.sets.len()).unwrap_or(u32::MAX),
            from,
            to,
            seconds: after_ns.saturating_sub(before_ns) as f64 / 1e9,
            errno,
        });
        self.refused.is_none()
    }

    fn finish(&mut self, record: &mut TrialRecord) {
        let done = self.sets.iter().filter(|set| set.errno.is_none()).count();
        if let Some(error) = &self.refused {
            let last = self.sets.last().map_or(0, |set| set.to);
            let call = format!("prctl(PR_FUTEX_HASH, SET_SLOTS, {last}) under load: {error}");
            record.take_back(Status::Refused, call);
        } else if let Some(seconds) = self.outlived_s {
            record.metric("pivot_outlived_load", seconds, "s");
        }
        record.metric("pivots", done as f64, "pivots");
        record.pivots = std::mem::take(&mut self.sets);
    }
}
