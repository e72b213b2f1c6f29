//! What a workload says of itself: its name, the factors that only it takes, its parameters in a
//! trial.

use std::fmt::Display;
use std::str::FromStr;

use crate::factor::{BadValue, Count, Hash, Memory, Placement, Ramp, Span, Threads, Until};

/// Operations between two looks of a thread at the stop flag, and between two writes of its counter.
/// Small, because at a hundredth of the speed, or in emulation with 48 virtual CPUs on 2, this many
/// system calls a thread already take a while; large enough that neither shows in the rate.
pub const BATCH: u64 = 32;

/// The parameters of a workload in one trial, and what all its trials have in common.
pub trait Parameters: Sized {
    /// The workload's name in definitions and columns.
    const NAME: &'static str;

    /// The factors that only this workload takes, in the order in which they are crossed.
    const FACTORS: &'static [OwnFactor] = &[];

    /// Operations by which a thread's counter moves: what two samples can't tell apart.
    const OPS_A_COUNT: u64 = BATCH;

    /// Whether the private hash is that of the trial's own process, which can be set and sampled.
    const HAS_PRIVATE_HASH: bool = true;

    /// The parameters of a cell's trials.
    ///
    /// # Errors
    /// A value that makes no sense for this cell.
    fn of(cell: &Cell<'_>) -> Result<Self, BadValue>;

    /// Refuses a trial that makes no sense for this workload.
    ///
    /// # Errors
    /// The factor, what was found and what is accepted.
    fn check(&self, _trial: &Around<'_>) -> Result<(), BadValue> {
        Ok(())
    }

    /// Threads that the trial makes before its workers.
    fn helpers(&self) -> u32 {
        0
    }

    /// Whether its work may be done before the trial's duration is over.
    fn may_end_early(&self) -> bool {
        false
    }

    /// Fills the columns that belong to its own factors.
    fn columns(&self) -> Columns {
        Columns::default()
    }
}

/// The columns of the factors that only one workload takes. They stand in every row, and are empty in
/// the rows of other workloads.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Columns {
    /// `mutex`: how many locks the threads share.
    pub locks: Option<Count>,
    /// `mutex`: how a lock is released.
    pub unlock: Option<super::mutex::Unlock>,
    /// `messenger`: how many messenger threads share the workers.
    pub messengers: Option<Count>,
}

/// A factor that only one workload takes.
#[derive(Debug)]
pub struct OwnFactor {
    /// Its name in definitions.
    pub name: &'static str,
    /// The value of a definition that gives none, in its canonical form.
    pub default: &'static str,
    /// Whether it has a column; otherwise it stands among the labels where it is varied, or where it
    /// is not its default.
    pub has_column: bool,
    /// Reads a value, and gives its canonical form.
    pub read: fn(&str) -> Result<String, BadValue>,
}

/// The factors of a trial that every workload has.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// Worker threads at full size.
    pub threads: u32,
    /// How the threads are created.
    pub ramp: Ramp,
    /// What is asked of the private hash.
    pub hash: Hash,
    /// On which CPUs the threads may run.
    pub placement: &'a Placement,
    /// The NUMA memory policy.
    pub memory: &'a Memory,
    /// How long all threads work together.
    pub duration: Span,
    /// What ends the trial before its duration.
    pub until: Until,
}

/// A cell, as a workload makes its parameters from it.
#[derive(Debug, Clone, Copy)]
pub struct Cell<'a> {
    /// The factors that every workload has.
    pub around: Around<'a>,
    /// CPUs online where the trial will run: what shares are of.
    pub cpus: u32,
    /// One value of each of the workload's own factors, in its canonical form.
    pub own: &'a [(&'static OwnFactor, String)],
    /// The definition's table `[mutex]`.
    pub mutex: &'a super::mutex::Table,
    /// The definition's table `[command]`.
    pub command: Option<&'a super::command::Table>,
}

impl Cell<'_> {
    /// The value of an own factor, by its name.
    ///
    /// # Errors
    /// The value is none of the factor's.
    pub fn value<T: FromStr<Err = BadValue>>(&self, name: &'static str) -> Result<T, BadValue> {
        let chosen = self.own.iter().find(|(factor, _)| factor.name == name);
        chosen.map_or("", |(_, text)| text.as_str()).parse()
    }

    /// The value of an own factor that is a count or a share of the CPUs, as a count.
    ///
    /// # Errors
    /// The value is no count, or too many.
    pub fn count(&self, name: &'static str) -> Result<Count, BadValue> {
        let amount: Threads = self.value(name)?;
        amount.on(self.cpus).to_string().parse()
    }
}

/// Reads a value and prints it back.
pub(super) fn canonical<T>(text: &str) -> Result<String, BadValue>
where
    T: FromStr<Err = BadValue> + Display,
{
    text.parse::<T>().map(|value| value.to_string())
}

/// Reads a time, for a factor of that name.
pub(super) fn span(name: &'static str, text: &str) -> Result<String, BadValue> {
    Span::parse_for(name, text).map(|span| span.to_string())
}

/// Reads a count or a share of the CPUs online, for a factor of that name.
pub(super) fn amount(name: &'static str, text: &str) -> Result<String, BadValue> {
    canonical::<Threads>(text).map_err(|_| {
        let accepted = "a count from 1 (`32`) or a share of the CPUs online (`50%`)";
        let bad = BadValue::new(name, text, accepted);
        if text == "0" { bad.because("at least one is needed") } else { bad }
    })
}
