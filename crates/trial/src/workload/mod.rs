//! What the threads of a trial do: one file a workload, all behind [`Work`].
//!
//! A workload has its threads' loop and knows what it measures beside the common columns. It does
//! not know how its threads come to be, when the window begins, or what is sampled: that is the
//! driver's. While threads work, nothing but the workload may touch a private futex, take a lock
//! or allocate.

use crate::drive::Driven;
use crate::stage::Seat;
use model::record::TrialRecord;

pub mod command;
pub mod messenger;
pub mod mutex;
pub mod resize;
mod spin;
pub mod wake_storm;

/// A workload, as its threads see it.
pub trait Work: Sync + 'static {
    /// What one thread has to itself: made before it is created, looked at after it was joined.
    type Own: Send + 'static;

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
