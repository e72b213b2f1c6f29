//! Where trials run. The journal, the order, the progress and resume know nothing of it.

mod stop;
mod this_machine;

pub use stop::Stop;
pub use this_machine::ThisMachine;

use std::time::{Duration, SystemTime};

use model::manifest::Kernel;
use model::record::TrialRecord;

use crate::plan::Planned;

/// Does one trial at a time.
pub trait Executor {
    /// Does a trial and returns when nothing of it runs any more.
    ///
    /// A trial that failed is a [`Done::Trial`] with its status and reason: it is data. After
    /// `limit` it is killed and recorded as a timeout. When `stop` is set meanwhile it is ended at
    /// once and is [`Done::Interrupted`]. An error is for what makes every further trial
    /// impossible.
    fn run(&mut self, planned: &Planned, limit: Duration, stop: &Stop) -> Result<Done, Broken>;

    /// Called once when no trial will follow; ends whatever stands ready for the next.
    fn finish(&mut self) {}
}

/// What came of asking for a trial.
#[derive(Debug)]
pub enum Done {
    /// It ended, well or not: a row.
    Trial(Box<Execution>),
    /// It was ended on request: no row.
    Interrupted,
}

/// A trial that ended, and where.
#[derive(Debug)]
pub struct Execution {
    /// When its process was started.
    pub started_at: SystemTime,
    /// What it wrote, or what the executor found out of one that couldn't.
    pub record: TrialRecord,
    /// Which boot of the kernel it fell into, from 1; `None` on this machine.
    pub boot: Option<u32>,
    /// The kernel that it ran on.
    pub kernel: Kernel,
    /// Kernel complaints that fell into it; `None` where nobody watches the console.
    pub splats: Option<Vec<String>>,
    /// What may have disturbed it, a sentence each; goes to the manifest.
    pub disturbances: Vec<String>,
}

/// Why no further trial is possible; a sentence for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Broken(pub String);
