//! What became of the growth of the private hash.
//!
//! The kernel asks for a larger hash as a thread is created, and installs it when no reference is
//! left on the old one: the pivot. `PR_FUTEX_HASH_GET_SLOTS` takes no reference, so looking does
//! not change what is seen. A growth that is due and not installed is the state that the suite is
//! about, whatever the throughput does.

use kernel_abi::futex_hash::{SMALLEST_AUTO_SLOTS, expected_slots};

use model::factor::Hash;
use model::record::Pivot;

/// Watches for the last growth that a trial's threads ask for.
#[derive(Debug, Clone, PartialEq)]
pub struct PivotWatch {
    expected: u32,
    due_worker: u32,
    due_ns: Option<u64>,
    installed_ns: Option<u64>,
    last_look_ns: Option<u64>,
    closed: bool,
}

impl PivotWatch {
    /// For a process whose main thread creates `threads` threads. `None` where no growth is due:
    /// a hash that was chosen does not grow, and the first hash, of 16 slots, is installed before
    /// there are two threads and serves up to 4 of them, or 4 CPUs, for good.
    pub fn new(hash: Hash, threads: u32, online_cpus: u32) -> Option<PivotWatch> {
        if hash != Hash::Auto {
            return None;
        }
        let expected = expected_slots(threads, online_cpus)?;
        if expected <= SMALLEST_AUTO_SLOTS {
            return None;
        }
        // The rule doubles as the count passes a power of two: the first thread that asks for the
        // final size is the first with more than half of it.
        let due_worker = (1..=threads)
            .find(|&worker| expected_slots(worker, online_cpus) == Some(expected))
            .unwrap_or(threads);
        Some(PivotWatch {
            expected,
            due_worker,
            due_ns: None,
            installed_ns: None,
            last_look_ns: None,
            closed: false,
        })
    }

    /// The thread, counted from 1, whose creation first asks for the final size.
    pub fn due_worker(&self) -> u32 {
        self.due_worker
    }

    /// Told just before that thread is created.
    pub fn due(&mut self, now_ns: u64) {
        self.due_ns.get_or_insert(now_ns);
    }

    /// Told as a barrier opens. A growth that is due is installed by a futex call, and threads
    /// behind a barrier make none: the time that it takes runs from when they begin.
    pub fn load_begins(&mut self, now_ns: u64) {
        if self.installed_ns.is_none() && self.due_ns.is_some() {
            self.due_ns = Some(now_ns);
        }
    }

    /// Told what a look showed.
    pub fn look(&mut self, now_ns: u64, slots: u32) {
        if self.closed || self.due_ns.is_none() || self.installed_ns.is_some() {
            return;
        }
        self.last_look_ns = Some(now_ns);
        if slots >= self.expected {
            self.installed_ns = Some(now_ns);
        }
    }

    /// When it was seen installed, if it was.
    pub fn installed_ns(&self) -> Option<u64> {
        self.installed_ns
    }

    /// No look after this one counts: the trial itself sets the slots from here on.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// What became of it, and the seconds that belong to it.
    pub fn outcome(&self) -> (Option<Pivot>, Option<f64>) {
        let since_due = |ns: u64| self.due_ns.map(|due| ns.saturating_sub(due) as f64 / 1e9);
        match (self.installed_ns, self.last_look_ns) {
            (Some(installed), _) => (Some(Pivot::Settled), since_due(installed)),
            // Closed under the trial's own hand, or never looked at: not observable.
            (None, _) if self.closed => (None, None),
            (None, Some(last)) => (Some(Pivot::Pending), since_due(last)),
            (None, None) => (None, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(threads: u32, cpus: u32) -> PivotWatch {
        PivotWatch::new(Hash::Auto, threads, cpus).expect("a growth is due")
    }

    #[test]
    fn the_last_growth_is_due_with_the_first_thread_beyond_half() {
        // 4 × 64 = 256 is served by 256 slots; the 65th thread asks for 512.
        assert_eq!(watch(96, 96).due_worker(), 65);
        assert_eq!(watch(96, 192).due_worker(), 65);
        assert_eq!(watch(65, 96).due_worker(), 65);
        assert_eq!(watch(64, 96).due_worker(), 33);
        assert_eq!(watch(5, 8).due_worker(), 5);
        // Beyond the CPUs no more is asked for.
        assert_eq!(watch(1000, 8).due_worker(), 5);
    }

    #[test]
    fn no_growth_is_due_on_four_cpus_with_four_threads_or_a_chosen_hash() {
        assert_eq!(PivotWatch::new(Hash::Auto, 96, 4), None);
        assert_eq!(PivotWatch::new(Hash::Auto, 4, 96), None);
        assert_eq!(PivotWatch::new(Hash::Global, 96, 96), None);
        let chosen = Hash::Slots { slots: 512, immutable: false };
        assert_eq!(PivotWatch::new(chosen, 96, 96), None);
    }

    #[test]
    fn a_growth_seen_installed_is_settled_from_when_it_was_due() {
        let mut watch = watch(96, 96);
        // A look before it is due says nothing, whatever it shows.
        watch.look(1_000_000_000, 512);
        assert_eq!(watch.outcome(), (None, None));
        watch.due(2_000_000_000);
        watch.due(9_000_000_000);
        watch.look(2_500_000_000, 256);
        assert_eq!(watch.outcome(), (Some(Pivot::Pending), Some(0.5)));
        watch.look(3_500_000_000, 512);
        watch.look(4_500_000_000, 512);
        assert_eq!(watch.outcome(), (Some(Pivot::Settled), Some(1.5)));
    }

    #[test]
    fn a_growth_never_seen_is_pending_for_the_time_watched() {
        let mut watch = watch(96, 96);
        watch.due(1_000_000_000);
        watch.look(2_000_000_000, 16);
        watch.look(6_000_000_000, 256);
        assert_eq!(watch.outcome(), (Some(Pivot::Pending), Some(5.0)));
    }

    #[test]
    fn behind_a_barrier_the_time_runs_from_its_opening() {
        let mut early = watch(96, 96);
        early.due(1_000_000_000);
        early.look(1_100_000_000, 512);
        early.load_begins(3_000_000_000);
        assert_eq!(early.outcome().0, Some(Pivot::Settled));
        let mut late = watch(96, 96);
        late.due(1_000_000_000);
        late.look(2_000_000_000, 16);
        late.load_begins(3_000_000_000);
        late.look(3_250_000_000, 512);
        assert_eq!(late.outcome(), (Some(Pivot::Settled), Some(0.25)));
    }

    #[test]
    fn what_the_trial_itself_sets_is_no_growth() {
        let mut watch = watch(96, 96);
        watch.due(1_000_000_000);
        watch.look(2_000_000_000, 16);
        watch.close();
        watch.look(3_000_000_000, 1024);
        assert_eq!(watch.outcome(), (None, None));
    }
}
