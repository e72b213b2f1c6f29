//! The private futex hash in a trial: what is asked of it, what is sampled, when a growth is due,
//! and what became of it.
//!
//! The kernel asks for a larger hash as a thread is created, and installs it when no reference is
//! left on the old one: the pivot. `PR_FUTEX_HASH_GET_SLOTS` takes no reference, so looking does
//! not change what is seen. A growth that is due and not installed is the stuck state, whatever the
//! throughput does.

use std::path::Path;

use kernel_abi::affinity;
use kernel_abi::clock;
use kernel_abi::futex_hash::{self, HashError, SMALLEST_AUTO_SLOTS, expected_slots};
use kernel_abi::topology::{SYS, Topology};

use crate::error::TrialError;
use model::factor::Hash;
use model::record::{Pivot, TrialRecord};

/// The private hash of a trial's own process.
#[derive(Debug, Clone)]
pub struct FutexHash {
    policy: Hash,
    /// Slots before anything was asked.
    start: Option<u32>,
    /// Slots once the policy was asked for.
    set: Option<u32>,
    /// Whether the kernel has private hashes and this process gave its own up. `false` where every
    /// process is in the global hash anyway.
    global_was_chosen: bool,
    /// CPUs online, as the kernel's auto-scaling counts them: the machine's, not the cpuset's.
    online_cpus: Option<u32>,
    threads_made: u32,
    growth: Option<Growth>,
}

impl FutexHash {
    /// What is there before anything is asked.
    pub fn before(policy: Hash, threads_made: u32) -> FutexHash {
        let online_cpus = online_cpus();
        FutexHash {
            policy,
            start: slots(),
            set: None,
            global_was_chosen: false,
            online_cpus,
            threads_made,
            growth: online_cpus.and_then(|online| Growth::due_in(policy, threads_made, online)),
        }
    }

    /// Asks for the policy, and checks it against what the kernel then says.
    ///
    /// # Errors
    /// The kernel refuses it, or does not do what it granted.
    pub fn ask(&mut self) -> Result<(), TrialError> {
        let asked = ask(self.policy);
        self.set = slots();
        self.global_was_chosen = asked? && self.policy == Hash::Global;
        match self.policy {
            Hash::Slots { slots, .. } if self.set != Some(slots) => {
                let then = self.set.map_or("an error".into(), |slots| slots.to_string());
                Err(TrialError::NotGranted { call: call(slots, false), then })
            }
            _ => Ok(()),
        }
    }

    /// Fills in what is known before the threads are created.
    pub fn begin(&self, record: &mut TrialRecord) {
        record.slots_start = self.start;
        record.slots_set = self.set;
    }

    /// Told just before the thread of this number, from 1, is created.
    pub fn before_thread(&mut self, number: usize) {
        if let Some(growth) = self.growth.as_mut().filter(|g| g.due_worker as usize == number) {
            growth.due(clock::monotonic_ns());
        }
    }

    /// Told as a barrier opens.
    pub fn load_begins(&mut self, now_ns: u64) {
        if let Some(growth) = &mut self.growth {
            growth.load_begins(now_ns);
        }
    }

    /// Told what [`slots`] showed at a moment.
    pub fn looked(&mut self, now_ns: u64, slots: Option<u32>) {
        if let (Some(growth), Some(slots)) = (&mut self.growth, slots) {
            growth.look(now_ns, slots);
        }
    }

    /// Told when the trial itself begins to set the slots: no later look counts.
    pub fn close(&mut self) {
        if let Some(growth) = &mut self.growth {
            growth.closed = true;
        }
    }

    /// When there was nothing more to wait for: the growth was seen installed, or, where none can
    /// come, `begin_ns`. `None` while it is still due. `last` is what the last look showed.
    pub fn settled_ns(&self, begin_ns: u64, last: Option<u32>) -> Option<u64> {
        match &self.growth {
            Some(growth) if last.is_some_and(|slots| slots > 0) => growth.installed_ns,
            _ => Some(begin_ns),
        }
    }

    /// Fills in what is there after the last thread was joined.
    pub fn end(&self, record: &mut TrialRecord) {
        record.slots_end = slots();
    }

    /// Fills in what became of the growth, after [`FutexHash::end`].
    pub fn judge(&self, record: &mut TrialRecord) {
        let has_private = match self.policy {
            // With a thread made, a kernel that has private hashes has given one.
            Hash::Auto => record.slots_end.is_some_and(|slots| slots > 0),
            Hash::Slots { .. } => true,
            Hash::Global => self.global_was_chosen,
        };
        if !has_private {
            record.pivot = Some(Pivot::Unsupported);
            return;
        }
        let Some(online_cpus) = self.online_cpus else { return };
        record.slots_expected = expected_slots(self.threads_made, online_cpus);
        (record.pivot, record.pivot_s) = match &self.growth {
            Some(growth) => growth.outcome(),
            None => (Some(Pivot::None), None),
        };
    }
}

/// The slots of this process's hash; `None` where the kernel does not say.
pub fn slots() -> Option<u32> {
    futex_hash::get_slots().ok()
}

/// CPUs online, as the kernel's auto-scaling counts them.
pub fn online_cpus() -> Option<u32> {
    let mut topology = Topology::read(Path::new(SYS)).ok()?;
    topology.admit(&affinity::current().ok()?);
    u32::try_from(topology.online.len()).ok()
}

/// The call that sets the slots, for messages.
pub fn call(slots: u32, immutable: bool) -> String {
    let flag = if immutable { ", FH_IMMUTABLE" } else { "" };
    format!("prctl(PR_FUTEX_HASH, SET_SLOTS, {slots}{flag})")
}

/// Asks the kernel for a policy: whether something was asked and granted.
fn ask(policy: Hash) -> Result<bool, TrialError> {
    let (slots, immutable) = match policy {
        Hash::Auto => return Ok(false),
        Hash::Global => (0, false),
        Hash::Slots { slots, immutable } => (slots, immutable),
    };
    match futex_hash::set_slots(slots, immutable) {
        Ok(()) => Ok(true),
        // No private hash: the process is in the global one, which is what was asked.
        Err(HashError::Unsupported | HashError::CompiledOut) if policy == Hash::Global => Ok(false),
        Err(error) => Err(TrialError::Hash { call: call(slots, immutable), immutable, error }),
    }
}

/// The last growth that a trial's threads ask for.
#[derive(Debug, Clone, PartialEq)]
struct Growth {
    expected: u32,
    /// The thread, counted from 1, whose creation first asks for the final size.
    due_worker: u32,
    due_ns: Option<u64>,
    installed_ns: Option<u64>,
    last_look_ns: Option<u64>,
    closed: bool,
}

impl Growth {
    /// For a process whose main thread creates `threads` threads. `None` where no growth is due:
    /// a hash that was chosen does not grow, and the first hash is installed before there are two
    /// threads and serves a few of them, or of the CPUs, for good.
    fn due_in(policy: Hash, threads: u32, online_cpus: u32) -> Option<Growth> {
        let expected = expected_slots(threads, online_cpus)?;
        if policy != Hash::Auto || expected <= SMALLEST_AUTO_SLOTS {
            return None;
        }
        // The rule doubles as the count passes a power of two: the first thread that asks for the
        // final size is the first with more than half of it.
        let due_worker = (1..=threads)
            .find(|&worker| expected_slots(worker, online_cpus) == Some(expected))
            .unwrap_or(threads);
        Some(Growth {
            expected,
            due_worker,
            due_ns: None,
            installed_ns: None,
            last_look_ns: None,
            closed: false,
        })
    }

    /// Told just before the thread that asks for it is created.
    fn due(&mut self, now_ns: u64) {
        self.due_ns.get_or_insert(now_ns);
    }

    /// A growth that is due is installed by a futex call, and threads behind a barrier make none: the
    /// time that it takes runs from when they begin.
    fn load_begins(&mut self, now_ns: u64) {
        if self.installed_ns.is_none() && self.due_ns.is_some() {
            self.due_ns = Some(now_ns);
        }
    }

    fn look(&mut self, now_ns: u64, slots: u32) {
        if self.closed || self.due_ns.is_none() || self.installed_ns.is_some() {
            return;
        }
        self.last_look_ns = Some(now_ns);
        if slots >= self.expected {
            self.installed_ns = Some(now_ns);
        }
    }

    /// What became of it, and the seconds that belong to it.
    fn outcome(&self) -> (Option<Pivot>, Option<f64>) {
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

    fn watch(threads: u32, cpus: u32) -> Growth {
        Growth::due_in(Hash::Auto, threads, cpus).expect("a growth is due")
    }

    #[test]
    fn the_last_growth_is_due_with_the_first_thread_beyond_half() {
        // 4 × 64 = 256 is served by 256 slots; the 65th thread asks for 512.
        assert_eq!(watch(96, 96).due_worker, 65);
        assert_eq!(watch(96, 192).due_worker, 65);
        assert_eq!(watch(65, 96).due_worker, 65);
        assert_eq!(watch(64, 96).due_worker, 33);
        assert_eq!(watch(5, 8).due_worker, 5);
        // Beyond the CPUs no more is asked for.
        assert_eq!(watch(1000, 8).due_worker, 5);
    }

    #[test]
    fn no_growth_is_due_on_four_cpus_with_four_threads_or_a_chosen_hash() {
        assert_eq!(Growth::due_in(Hash::Auto, 96, 4), None);
        assert_eq!(Growth::due_in(Hash::Auto, 4, 96), None);
        assert_eq!(Growth::due_in(Hash::Global, 96, 96), None);
        let chosen = Hash::Slots { slots: 512, immutable: false };
        assert_eq!(Growth::due_in(chosen, 96, 96), None);
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
        watch.closed = true;
        watch.look(3_000_000_000, 1024);
        assert_eq!(watch.outcome(), (None, None));
    }
}
