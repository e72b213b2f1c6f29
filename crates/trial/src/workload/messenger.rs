//! `messenger`: messenger threads post to workers, one futex a worker.
//!
//! The shape of schbench (Chris Mason) with its locking, its work and its sleep off
//! (`-L -n 0 -s 0`): a worker puts itself on its messenger's list, wakes the messenger and sleeps
//! on its own futex; the messenger takes the whole list and wakes each on it. A worker's round
//! trip is a request, and is what is counted.
//!
//! The wakeup latency runs from just before a worker is woken to when it runs. (schbench reads
//! the clock once for a whole list, so its latency holds the time to wake the others before.)

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use hdrhistogram::Histogram;
use kernel_abi::futex::{self, Scope};
use kernel_abi::prefault::Apart;
use kernel_abi::{Errno, clock};

use crate::stage::Seat;
use crate::work::{Driven, Work};
use model::record::TrialRecord;
use model::workload::messenger::Messenger as Parameters;

const RUNNING: u32 = 0;
/// On its way to sleep, or asleep: whoever changes it back must wake.
const BLOCKED: u32 = 1;

/// The end of a list; otherwise a worker's number plus 1.
const NOBODY: u32 = 0;

/// The longest latency told apart; longer ones count as this. Ten minutes.
const LONGEST_NS: u64 = 600_000_000_000;

/// What a latency is within, of itself: 1 in 10^2. With three digits a thousand workers would have
/// 100 MB of counters, and more cache misses of ours than of schbench's.
const DIGITS: u8 = 2;

const QUANTILES: [(&str, f64); 4] = [
    ("wakeup_latency_p50", 0.5),
    ("wakeup_latency_p90", 0.9),
    ("wakeup_latency_p99", 0.99),
    ("wakeup_latency_p99.9", 0.999),
];

/// Where a worker sleeps. A line of its own: only it and its messenger touch it.
#[derive(Debug, Default)]
struct Desk {
    word: AtomicU32,
    /// The next on the list that it is on.
    next: AtomicU32,
    posted_ns: AtomicU64,
}

/// Where a messenger sleeps, and who waits for it.
#[derive(Debug, Default)]
struct Inbox {
    word: AtomicU32,
    first: AtomicU32,
    /// Workers that will still need it.
    served: AtomicU32,
}

/// The messengers' and the workers' places.
#[derive(Debug)]
pub struct Messenger {
    inboxes: Vec<Apart<Inbox>>,
    desks: Vec<Apart<Desk>>,
}

impl Messenger {
    /// Takes its memory.
    pub fn new(parameters: &Parameters, workers: u32) -> Messenger {
        Messenger {
            inboxes: (0..parameters.messengers.get()).map(|_| Apart::default()).collect(),
            desks: (0..workers).map(|_| Apart::default()).collect(),
        }
    }

    /// Serves until the trial is stopped and no worker is left that waits for it.
    fn serve(&self, inbox: &Inbox, seat: &Seat) -> Result<(), Errno> {
        loop {
            inbox.word.store(BLOCKED, Ordering::SeqCst);
            let mut next = inbox.first.swap(NOBODY, Ordering::Acquire);
            while let Some(Apart(desk)) = desk_of(&self.desks, next) {
                // Read before it is woken: awake it may be on the list again at once.
                next = desk.next.load(Ordering::Relaxed);
                desk.posted_ns.store(clock::monotonic_ns(), Ordering::Relaxed);
                post(&desk.word)?;
            }
            if seat.stage.stopped_in_order() && inbox.served.load(Ordering::SeqCst) == 0 {
                return Ok(());
            }
            sleep_on(&inbox.word)?;
        }
    }

    /// Makes requests until the trial is stopped.
    fn request(
        &self,
        number: u32,
        inbox: &Inbox,
        seat: &Seat,
        latencies: &mut Histogram<u64>,
    ) -> Result<(), Errno> {
        let Some(Apart(desk)) = desk_of(&self.desks, number) else { return Ok(()) };
        let mut ops = 0;
        while !seat.stage.stopped_in_order() {
            desk.word.store(BLOCKED, Ordering::Relaxed);
            let mut first = inbox.first.load(Ordering::Relaxed);
            loop {
                desk.next.store(first, Ordering::Relaxed);
                match inbox.first.compare_exchange_weak(
                    first,
                    number,
                    Ordering::Release,
                    Ordering::Relaxed,
                ) {
                    Ok(_) => break,
                    Err(now) => first = now,
                }
            }
            post(&inbox.word)?;
            sleep_on(&desk.word)?;
            if seat.stage.in_window() {
                let posted_ns = desk.posted_ns.load(Ordering::Relaxed);
                let latency_ns = clock::monotonic_ns().saturating_sub(posted_ns);
                latencies.saturating_record(latency_ns.max(1));
            }
            ops += 1;
            seat.count(ops);
        }
        Ok(())
    }
}

fn desk_of(desks: &[Apart<Desk>], number: u32) -> Option<&Apart<Desk>> {
    desks.get((number as usize).checked_sub(1)?)
}

/// Wakes who is blocked on a word. Ordered after the stop's store and before a sleeper's look at
/// the stop: see `serve` and `release`.
fn post(word: &AtomicU32) -> Result<(), Errno> {
    if word.swap(RUNNING, Ordering::SeqCst) == BLOCKED {
        futex::wake(word, 1)?;
    }
    Ok(())
}

fn sleep_on(word: &AtomicU32) -> Result<(), Errno> {
    while word.load(Ordering::Acquire) == BLOCKED {
        futex::wait(word, BLOCKED, None, Scope::Private)?;
    }
    Ok(())
}

impl Work for Messenger {
    /// A worker's latencies; a messenger has none.
    type Own = Option<Histogram<u64>>;

    fn own(&self, index: usize) -> Self::Own {
        if index < self.inboxes.len() {
            return None;
        }
        let mut latencies = Histogram::new_with_bounds(1, LONGEST_NS, DIGITS).ok()?;
        // Writes every counter: no page of it faults while the threads work.
        latencies.reset();
        Some(latencies)
    }

    fn run(&self, seat: &Seat, own: &mut Self::Own) {
        let messengers = self.inboxes.len();
        let done = match (own, seat.index.checked_sub(messengers)) {
            (None, None) => match self.inboxes.get(seat.index) {
                Some(Apart(inbox)) => self.serve(inbox, seat),
                None => Ok(()),
            },
            (Some(latencies), Some(worker)) => {
                let Some(Apart(inbox)) = self.inboxes.get(worker % messengers.max(1)) else {
                    return;
                };
                // Told before the first look at the stop, and the messenger looks at the stop
                // before it asks whom it serves: one of the two sees the other.
                inbox.served.fetch_add(1, Ordering::SeqCst);
                let number = u32::try_from(worker + 1).unwrap_or(NOBODY);
                let done = self.request(number, inbox, seat, latencies);
                inbox.served.fetch_sub(1, Ordering::SeqCst);
                done.and(post(&inbox.word))
            }
            _ => Ok(()),
        };
        if let Err(errno) = done {
            seat.stage.fail(errno);
        }
    }

    /// A messenger without workers sleeps; the others are woken by theirs, whose last request
    /// they still serve.
    fn release(&self) {
        for Apart(inbox) in &self.inboxes {
            let _ = post(&inbox.word);
        }
    }

    fn finish(&self, _driven: &Driven, owns: Vec<Self::Own>, record: &mut TrialRecord) {
        if let (Some(ops), Some(elapsed_s)) = (record.ops, record.elapsed_s) {
            record.metric("requests_per_s", ops as f64 / elapsed_s, "1/s");
        }
        let Ok(mut all) = Histogram::<u64>::new_with_bounds(1, LONGEST_NS, DIGITS) else { return };
        for latencies in owns.iter().flatten() {
            // Same bounds: nothing is out of them.
            if all.add(latencies).is_err() {
                return;
            }
        }
        if all.is_empty() {
            return;
        }
        for (name, quantile) in QUANTILES {
            record.metric(name, all.value_at_quantile(quantile) as f64 / 1e3, "us");
        }
        record.metric("wakeup_latency_max", all.max() as f64 / 1e3, "us");
    }
}
