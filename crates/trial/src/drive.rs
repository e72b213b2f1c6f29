//! The course of a trial: threads come to be by the ramp, work together for the duration, are
//! stopped and joined; the main thread looks on.
//!
//! Between the first creation and the last join the main thread reads a clock, sleeps on it,
//! reads counters and asks for the slots, and nothing else: no lock, no channel, no park. Memory
//! is taken and touched before. It is the only thread besides the workers, so that the number of
//! workers is what the kernel's auto-scaling counts.

use kernel_abi::clock;
use kernel_abi::steal::Steal;
use kernel_abi::thread::{Builder, JoinHandle};
use kernel_abi::topology::placement::Assignment;
use kernel_abi::usage::Usage;

use crate::counters::Counters;
use crate::error::TrialError;
use crate::futex_hash::{self, FutexHash};
use crate::prepare::Prepared;
use crate::ramp::Schedule;
use crate::stage::{Seat, Stage};
use crate::work::{Driven, MainPart, Window, Work};
use model::factor::{Span, Until};
use model::outcome::fact;
use model::record::{Moment, Sample, Status, TrialRecord};
use model::spec::TrialSpec;

/// Does the trial with a workload whose memory is taken already.
pub fn drive<W: Work>(
    spec: &TrialSpec,
    prepared: &Prepared,
    work: W,
    main_part: &mut dyn MainPart,
) -> TrialRecord {
    match Drive::new(spec, prepared, work) {
        Ok(drive) => drive.run(main_part),
        Err(error) => prepared.refused(error),
    }
}

/// One look of the main thread, as it is kept until the end. 32 bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Look {
    at_ns: u64,
    ops: u64,
    threads: u32,
    slots: Option<u32>,
}

struct Drive<'a, W: Work> {
    spec: &'a TrialSpec,
    prepared: &'a Prepared,
    work: &'static W,
    stage: &'static Stage,
    counters: Counters,
    owns: std::vec::IntoIter<W::Own>,
    helpers: usize,
    schedule: Schedule,
    hash: Option<FutexHash>,
    handles: Vec<JoinHandle<W::Own>>,
    looks: Vec<Look>,
    next_look_ns: u64,
    /// When operations were last seen to be more than before, and how many they were.
    last_progress: (u64, u64),
    longest_idle_ns: u64,
    /// What the latest look read.
    now_ops: Vec<u64>,
    begin_ops: Vec<u64>,
    end_ops: Vec<u64>,
}

impl<'a, W: Work> Drive<'a, W> {
    fn new(spec: &'a TrialSpec, prepared: &'a Prepared, work: W) -> Result<Self, TrialError> {
        let made = spec.threads_made();
        let all = made as usize;
        let threads = spec.threads as usize;
        let helpers = all.saturating_sub(threads);
        let counters = Counters::new(all)?;
        let owns: Vec<W::Own> = (0..all).map(|index| work.own(index)).collect();
        let mut schedule = Schedule::new(spec.ramp, threads, spec.seed);
        schedule.created_ns.splice(0..0, std::iter::repeat_n(0, helpers));
        schedule.first_pool = schedule.first_pool.map(|first| first + helpers);
        let planned_ns = schedule.created_ns.last().copied().unwrap_or(0)
            + schedule.gap_ns.unwrap_or(0)
            + spec.duration.ns();
        // Creation may take longer than planned. Beyond this the vector grows, which the threads
        // don't see: they never allocate.
        let looks = planned_ns / spec.sample.ns().max(1) + 1024;
        Ok(Drive {
            spec,
            prepared,
            // For the rest of the process: the threads hold references that no scope bounds.
            work: Box::leak(Box::new(work)),
            stage: Box::leak(Box::new(Stage::new(schedule.gap_ns.is_none()))),
            counters,
            owns: owns.into_iter(),
            helpers,
            schedule,
            hash: prepared.hash.clone(),
            handles: Vec::with_capacity(all),
            looks: touched(looks as usize, "samples")?,
            next_look_ns: 0,
            last_progress: (0, 0),
            longest_idle_ns: 0,
            now_ops: touched(all, "counts")?,
            begin_ops: touched(all, "counts")?,
            end_ops: touched(all, "counts")?,
        })
    }

    fn run(mut self, main_part: &mut dyn MainPart) -> TrialRecord {
        let mut record = self.prepared.record(Status::Ok);
        let usage = Usage::of_self().ok();
        let steal = Steal::read().ok();
        let start_ns = clock::monotonic_ns();
        self.next_look_ns = start_ns;
        self.last_progress = (start_ns, 0);

        let (begun_ns, window, error) = match self.create(start_ns, &mut record) {
            Ok(()) => {
                let begin_ns = self.begin();
                let begun_ns = if self.schedule.gap_ns.is_some() { begin_ns } else { start_ns };
                let end_ns = self.watch_window(begin_ns, main_part);
                (begun_ns, Some(Window { begin_ns, end_ns }), None)
            }
            Err(error) => (start_ns, None, Some(error)),
        };
        if window.is_some() && self.hangs() {
            return self.hung(record, usage, start_ns);
        }
        let left_early = self.stage.anyone_left();
        self.stage.stop();
        let opened = self.stage.open();
        self.work.release();
        let mut owns = Vec::with_capacity(self.handles.len());
        let mut joined = Ok(());
        for (index, handle) in self.handles.drain(..).enumerate() {
            match handle.join() {
                Ok(own) => owns.push(own),
                Err(error) => {
                    joined = joined.and(Err(TrialError::Thread { number: index + 1, error }))
                }
            }
        }

        if let Some(hash) = &self.hash {
            hash.end(&mut record);
        }
        use_since(usage, &mut record);
        if let (Some(steal), Ok(now)) = (steal, Steal::read()) {
            record.steal_s = now.seconds_since(&steal, &self.prepared.cpus);
        }
        record.timeline = self.looks.iter().map(|look| sample(look, start_ns)).collect();
        self.tell_progress(start_ns, &mut record);

        let call = |call: &str, errno| TrialError::Call { call: call.to_string(), errno };
        let failed = self.stage.failed().map(|errno| call(W::CALL, errno));
        let opened = opened.err().map(|errno| call("futex wake of the barrier", errno));
        let error = error.or(joined.err()).or(failed).or(opened);
        if let Some(error) = error {
            record.status = Status::Refused;
            record.error = Some(error.to_string());
            return record;
        }

        let Some(window) = window else { return record };
        let driven = self.measure(start_ns, begun_ns, window, left_early, &mut record);
        if let Some(hash) = &self.hash {
            hash.judge(&mut record);
        }
        self.work.finish(&driven, owns, &mut record);
        main_part.finish(&mut record);
        record
    }

    /// For how long nothing was done, up to the latest look.
    fn idle_ns(&self) -> u64 {
        let last = self.looks.last().map_or(0, |look| look.at_ns);
        last.saturating_sub(self.last_progress.0)
    }

    fn hangs(&self) -> bool {
        self.spec.watch.hang.is_some_and(|hang| self.idle_ns() >= hang.ns())
    }

    /// The record of a trial whose threads may never end: none is waited for, and the process ends with
    /// them.
    fn hung(&self, mut record: TrialRecord, usage: Option<Usage>, start_ns: u64) -> TrialRecord {
        use_since(usage, &mut record);
        record.timeline = self.looks.iter().map(|look| sample(look, start_ns)).collect();
        self.tell_progress(start_ns, &mut record);
        record.status = Status::Timeout;
        let hang = self.spec.watch.hang.map_or(0.0, Span::seconds);
        record.error = Some(format!("its threads made no progress for {hang} s; it was ended"));
        record
    }

    /// Writes how its progress went, if the rule asks for it.
    fn tell_progress(&self, start_ns: u64, record: &mut TrialRecord) {
        if self.spec.watch.hang.is_none() {
            return;
        }
        let since_start_s = |at_ns: u64| at_ns.saturating_sub(start_ns) as f64 / 1e9;
        let idle_ns = self.longest_idle_ns.max(self.idle_ns());
        record.metric(fact::IDLE_S, idle_ns as f64 / 1e9, "s");
        let (at_ns, ops) = self.last_progress;
        let moment = |fact: &str, t_s, ops| Moment { fact: fact.to_string(), t_s, ops: Some(ops) };
        record.moments.push(moment(fact::IDLE_S, since_start_s(at_ns), ops));
        if let Some(last) = self.looks.last() {
            record.moments.push(moment(fact::END, since_start_s(last.at_ns), last.ops));
        }
    }

    /// Creates all threads at their moments, looking on meanwhile.
    fn create(&mut self, start_ns: u64, record: &mut TrialRecord) -> Result<(), TrialError> {
        let all = self.schedule.created_ns.len();
        // `grow`: the first pool's time, and its operations at its begin.
        let mut first_phase = None;
        for index in 0..all {
            let at_ns = start_ns.saturating_add(self.schedule.created_ns[index]);
            self.look_until(at_ns);
            if self.schedule.first_pool == Some(index)
                && let Some((since_ns, since_ops)) = first_phase
            {
                let look = self.look();
                let seconds = look.at_ns.saturating_sub(since_ns) as f64 / 1e9;
                if seconds > 0.0 {
                    let ops = look.ops.saturating_sub(since_ops);
                    record.metric("first_pool_rate", ops as f64 / seconds / 1e6, "Mops/s");
                }
                if let Some(slots) = look.slots {
                    record.metric("first_pool_slots", f64::from(slots), "slots");
                }
            }
            if let Some(hash) = &mut self.hash {
                hash.before_thread(index + 1);
            }
            self.spawn(index, all)?;
            if self.schedule.first_pool == Some(index + 1) {
                first_phase = Some((clock::monotonic_ns(), self.counters.sum()));
            }
        }
        Ok(())
    }

    fn spawn(&mut self, index: usize, all: usize) -> Result<(), TrialError> {
        let mut builder = Builder::new();
        // A shared mask is the main thread's own already, and inherited.
        if let Assignment::Each(_) = self.prepared.assignment
            && let Some(cpus) = self.prepared.assignment.of_thread(index)
        {
            builder = builder.cpus(cpus);
        }
        let (Some(ops), Some(mut own)) = (self.counters.of_thread(index), self.owns.next()) else {
            return Err(TrialError::NoMemoryTaken { number: index + 1 });
        };
        let (work, stage) = (self.work, self.stage);
        let handle = builder.spawn(move || {
            stage.pass_gate();
            work.run(&Seat { index, ops, stage }, &mut own);
            stage.leave();
            own
        });
        let handle =
            handle.map_err(|error| TrialError::TooManyThreads { error, existed: index, all });
        self.handles.push(handle?);
        Ok(())
    }

    /// The window begins: at once, or as the barrier opens.
    fn begin(&mut self) -> u64 {
        if let Some(gap_ns) = self.schedule.gap_ns {
            self.look_until(clock::monotonic_ns().saturating_add(gap_ns));
        }
        // Once all exist, and so that what ends the window does not go by a look before the first.
        self.look();
        let begin_ns = self.counters.read(&mut self.begin_ops);
        self.stage.begin_window();
        if self.schedule.gap_ns.is_some() {
            if let Some(hash) = &mut self.hash {
                hash.load_begins(begin_ns);
            }
            // A failure is found again, and told, when the threads are stopped.
            let _ = self.stage.open();
        }
        begin_ns
    }

    /// Looks on until the duration is over, or the threads' work.
    fn watch_window(&mut self, begin_ns: u64, main_part: &mut dyn MainPart) -> u64 {
        let latest_ns = begin_ns.saturating_add(self.spec.duration.ns());
        if main_part.sets_slots()
            && let Some(hash) = &mut self.hash
        {
            hash.close();
        }
        loop {
            let now_ns = clock::monotonic_ns();
            let end_ns = self.end_ns(begin_ns, latest_ns);
            if now_ns >= end_ns || self.stage.work_is_over(self.handles.len()) || self.hangs() {
                break;
            }
            self.look_if_due(now_ns);
            if !main_part.turn(end_ns) {
                let _ = clock::sleep_until_ns(end_ns.min(self.next_look_ns));
            }
        }
        let last = self.look();
        self.end_ops.clone_from(&self.now_ops);
        last.at_ns
    }

    /// When the window ends as far as is known now.
    fn end_ns(&self, begin_ns: u64, latest_ns: u64) -> u64 {
        let Until::Settled { tail } = self.spec.until else { return latest_ns };
        let last = self.looks.last().and_then(|look| look.slots);
        // Where nothing can grow there is nothing to wait for.
        let settled_ns =
            self.hash.as_ref().map_or(Some(begin_ns), |hash| hash.settled_ns(begin_ns, last));
        settled_ns.map_or(latest_ns, |ns| ns.max(begin_ns).saturating_add(tail.ns()).min(latest_ns))
    }

    /// Sleeps until `until_ns`, with a look at each due moment.
    fn look_until(&mut self, until_ns: u64) {
        loop {
            let now_ns = clock::monotonic_ns();
            self.look_if_due(now_ns);
            if now_ns >= until_ns {
                return;
            }
            let _ = clock::sleep_until_ns(until_ns.min(self.next_look_ns));
        }
    }

    fn look_if_due(&mut self, now_ns: u64) {
        if now_ns >= self.next_look_ns {
            self.look();
            // The grid stays where it is; moments that were missed are left out, not made up.
            let interval_ns = self.spec.sample.ns().max(1);
            let missed = now_ns.saturating_sub(self.next_look_ns) / interval_ns;
            self.next_look_ns =
                self.next_look_ns.saturating_add(interval_ns.saturating_mul(missed + 1));
        }
    }

    fn look(&mut self) -> Look {
        // The slots first: what they show had happened by the time that the clock then reads.
        let slots = self.hash.as_ref().and_then(|_| futex_hash::slots());
        let at_ns = self.counters.read(&mut self.now_ops);
        let ops = self.now_ops.iter().sum();
        let look = Look { at_ns, ops, threads: self.handles.len() as u32, slots };
        if let Some(hash) = &mut self.hash {
            hash.looked(at_ns, slots);
        }
        if ops != self.last_progress.1 {
            let idle_ns = at_ns.saturating_sub(self.last_progress.0);
            self.longest_idle_ns = self.longest_idle_ns.max(idle_ns);
            self.last_progress = (at_ns, ops);
        }
        self.looks.push(look);
        look
    }

    /// The window's columns.
    fn measure(
        &mut self,
        start_ns: u64,
        begun_ns: u64,
        mut window: Window,
        left_early: bool,
        record: &mut TrialRecord,
    ) -> Driven {
        let (first_left_ns, last_left_ns) = self.stage.left_ns();
        let mut loaded = self.looks.last().copied();
        if left_early {
            // The work ran out between two looks: the threads' own clocks say when.
            window.end_ns = last_left_ns;
            self.counters.read(&mut self.end_ops);
            // Behind a barrier all exist before any works.
            let from_ns = if self.schedule.gap_ns.is_some() { window.begin_ns } else { 0 };
            let made = self.spec.threads_made();
            let all_worked = |look: &&Look| {
                look.threads == made && (from_ns..=first_left_ns).contains(&look.at_ns)
            };
            loaded = self.looks.iter().rev().find(all_worked).copied();
        }
        record.slots_loaded = loaded.and_then(|look| look.slots);
        let window = (window.end_ns > window.begin_ns).then_some(window);
        if let Some(window) = window {
            record.elapsed_s = Some((window.end_ns - window.begin_ns) as f64 / 1e9);
            let mut each: Vec<u64> = self
                .end_ops
                .iter()
                .zip(&self.begin_ops)
                .skip(self.helpers)
                .map(|(end, begin)| end.saturating_sub(*begin))
                .collect();
            each.sort_unstable();
            record.ops = Some(each.iter().sum());
            record.thread_ops_min = each.first().copied();
            record.thread_ops_median = each.get(each.len().saturating_sub(1) / 2).copied();
            record.thread_ops_max = each.last().copied();
        }
        Driven { start_ns, begun_ns, window, last_left_ns, ops: self.counters.sum() }
    }
}

fn use_since(before: Option<Usage>, record: &mut TrialRecord) {
    if let (Some(before), Ok(now)) = (before, Usage::of_self()) {
        let used = now.since(&before);
        record.user_s = Some(used.user_s);
        record.system_s = Some(used.system_s);
        record.voluntary_switches = Some(used.voluntary_switches);
        record.involuntary_switches = Some(used.involuntary_switches);
    }
}

/// An empty vector whose memory is there: no page of it faults while threads work.
fn touched<T: Default>(capacity: usize, what: &'static str) -> Result<Vec<T>, TrialError> {
    let mut values = Vec::new();
    values.try_reserve_exact(capacity).map_err(|error| TrialError::NoMemory {
        capacity,
        what,
        reason: error.to_string(),
    })?;
    // One by one: a vector of zeroes may be memory that was only promised.
    values.extend(std::iter::repeat_with(|| std::hint::black_box(T::default())).take(capacity));
    values.clear();
    Ok(values)
}

fn sample(look: &Look, start_ns: u64) -> Sample {
    Sample {
        t_s: look.at_ns.saturating_sub(start_ns) as f64 / 1e9,
        threads: look.threads,
        ops: look.ops,
        slots: look.slots,
    }
}
