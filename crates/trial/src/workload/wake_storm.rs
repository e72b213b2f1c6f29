//! `wake-storm`: each thread wakes a private futex that nobody waits on, in a loop.
//!
//! The loop of the report's reproducer. A wake without waiters does little but take and drop a
//! reference on the process's private hash, so the rate is the cost of that reference.

use std::sync::atomic::AtomicU32;

use kernel_abi::futex;
use kernel_abi::prefault::{self, Line};

use model::workload::BATCH;

use crate::error::TrialError;
use crate::stage::Seat;
use crate::work::{Driven, Work};
use model::record::TrialRecord;

/// The words that the threads wake, as in the reproducer: 32, each on its own line of 64 bytes.
/// With more threads than words some share one; a wake reads no waiter and writes nothing, so
/// they share without cost.
const WORDS: usize = 32;

/// The words.
#[derive(Debug)]
pub struct WakeStorm {
    words: &'static [Line<AtomicU32>],
}

impl WakeStorm {
    /// Takes its memory.
    pub fn new() -> Result<WakeStorm, TrialError> {
        let words = prefault::zeroed(WORDS)
            .map_err(|errno| TrialError::Call { call: "mmap".to_string(), errno })?;
        Ok(WakeStorm { words })
    }

    /// The loop, also of `resize`. `on_batch` is called between batches; `false` ends it.
    #[inline(always)]
    pub(super) fn storm(&self, seat: &Seat, mut on_batch: impl FnMut() -> bool) {
        let Some(Line(word)) = self.words.get(seat.index % WORDS) else { return };
        let mut ops = 0;
        while !seat.stage.stopped() && on_batch() {
            for _ in 0..BATCH {
                if let Err(errno) = futex::wake(word, 1) {
                    seat.stage.fail(errno);
                    return;
                }
            }
            ops += BATCH;
            seat.count(ops);
        }
    }
}

impl Work for WakeStorm {
    type Own = ();

    fn own(&self, _index: usize) {}

    fn run(&self, seat: &Seat, (): &mut ()) {
        self.storm(seat, || true);
    }

    fn finish(&self, _driven: &Driven, _owns: Vec<()>, _record: &mut TrialRecord) {}
}
