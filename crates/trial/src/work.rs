//! What a workload gives the driver, and what the driver tells it in the end.

use crate::stage::Seat;
use model::record::TrialRecord;

/// How a trial went, for the workload to judge what it saw.
#[derive(Debug, Clone)]
pub struct Driven {
    /// The trial's start, from which its times are told.
    pub start_ns: u64,
    /// When the first thread could begin: just before its creation, or as the barrier opened.
    pub begun_ns: u64,
    /// The time in which all threads worked together, if there was one.
    pub window: Option<Window>,
    /// When the last thread left its loop.
    pub last_left_ns: u64,
    /// Operations of all threads, the ramp's included.
    pub ops: u64,
}

/// The time in which all threads worked together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// From here,
    pub begin_ns: u64,
    /// to here.
    pub end_ns: u64,
}

/// A workload, as its threads see it.
pub trait Work: Sync + 'static {
    /// What one thread has to itself: made before it is created, looked at after it was joined.
    type Own: Send + 'static;

    /// The system call whose failure makes a thread leave.
    const CALL: &'static str = "futex";

    /// Makes it, for the thread of that number.
    fn own(&self, index: usize) -> Self::Own;

    /// The loop of one thread: until the stage is stopped, or its work is done.
    fn run(&self, seat: &Seat, own: &mut Self::Own);

    /// Called once after the stop: wakes those who wait for a thread that has ended.
    fn release(&self) {}

    /// Called after the last join, with what the threads had, in their order: writes what only the
    /// workload knows, and checks that its own count is right.
    fn finish(&self, driven: &Driven, owns: Vec<Self::Own>, record: &mut TrialRecord);
}

/// What the main thread does within the window besides looking on.
pub trait MainPart {
    /// Whether it sets the slots, after which a growth of the kernel's can't be told from its own.
    fn sets_slots(&self) -> bool {
        false
    }

    /// Does a piece of it; `false` when there is nothing to do until the next look. The window is
    /// to end at `end_ns`.
    fn turn(&mut self, end_ns: u64) -> bool;

    /// Called after the last join.
    fn finish(&mut self, record: &mut TrialRecord);
}

/// The main thread only looks on.
#[derive(Debug, Clone, Copy)]
pub struct OnlyLooks;

impl MainPart for OnlyLooks {
    fn turn(&mut self, _end_ns: u64) -> bool {
        false
    }

    fn finish(&mut self, _record: &mut TrialRecord) {}
}
