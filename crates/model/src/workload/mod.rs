//! `workload`: what the threads of a trial do. A workload is a file of its name, which says what
//! factors it takes and what is told to its trials; [`workloads!`] below is the list of them.

pub mod command;
mod declare;
pub mod epoll;
pub mod messenger;
pub mod mutex;
pub mod resize;
pub mod wake_storm;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use declare::{Around, BATCH, Cell, Columns, OwnFactor, Parameters};

use crate::factor::{BadValue, as_text};

macro_rules! workloads {
    ($($(#[$doc:meta])* $name:ident = $parameters:ty;)*) => {
        /// What the threads of a trial do, by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Workload {
            $($(#[$doc])* $name,)*
        }

        /// What the threads of one trial do: the workload with its parameters.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Task {
            $($(#[$doc])* $name($parameters),)*
        }

        impl Workload {
            /// All, in the order of the reference.
            pub const ALL: [Workload; [$(stringify!($name)),*].len()] = [$(Workload::$name),*];

            /// Its name in definitions and columns.
            pub fn name(self) -> &'static str {
                match self {
                    $(Workload::$name => <$parameters>::NAME,)*
                }
            }

            /// The factors that only this workload takes.
            pub fn factors(self) -> &'static [OwnFactor] {
                match self {
                    $(Workload::$name => <$parameters>::FACTORS,)*
                }
            }

            /// Operations by which a thread's counter moves: what two samples can't tell apart.
            pub fn ops_a_count(self) -> u64 {
                match self {
                    $(Workload::$name => <$parameters>::OPS_A_COUNT,)*
                }
            }

            /// Whether the private hash is that of the trial's own process.
            pub fn has_private_hash(self) -> bool {
                match self {
                    $(Workload::$name => <$parameters>::HAS_PRIVATE_HASH,)*
                }
            }

            /// What the threads of a cell's trials do.
            ///
            /// # Errors
            /// A value that makes no sense for this cell.
            pub fn task(self, cell: &Cell<'_>) -> Result<Task, BadValue> {
                match self {
                    $(Workload::$name => <$parameters>::of(cell).map(Task::$name),)*
                }
            }
        }

        impl Task {
            /// The workload without its parameters.
            pub fn workload(&self) -> Workload {
                match self {
                    $(Task::$name(_) => Workload::$name,)*
                }
            }

            /// Refuses a trial that makes no sense for this workload.
            ///
            /// # Errors
            /// The factor, what was found and what is accepted.
            pub fn check(&self, trial: &Around<'_>) -> Result<(), BadValue> {
                match self {
                    $(Task::$name(parameters) => parameters.check(trial),)*
                }
            }

            /// Threads that the trial makes before its workers.
            pub fn helpers(&self) -> u32 {
                match self {
                    $(Task::$name(parameters) => parameters.helpers(),)*
                }
            }

            /// Whether its work may be done before the trial's duration is over.
            pub fn may_end_early(&self) -> bool {
                match self {
                    $(Task::$name(parameters) => parameters.may_end_early(),)*
                }
            }

            /// The columns that belong to the workload's own factors.
            pub fn columns(&self) -> Columns {
                match self {
                    $(Task::$name(parameters) => parameters.columns(),)*
                }
            }
        }

        const FACTORS: &[&[OwnFactor]] = &[$(<$parameters>::FACTORS),*];
    };
}

workloads! {
    /// Each thread wakes a private futex without waiters, in a loop.
    WakeStorm = wake_storm::WakeStorm;
    /// Threads contend for futex mutexes.
    Mutex = mutex::Mutex;
    /// Threads wake while the main thread sets the slots back and forth.
    Resize = resize::Resize;
    /// Messenger threads post to workers, one futex a worker.
    Messenger = messenger::Messenger;
    /// Threads ask one epoll instance for a file that is always readable.
    Epoll = epoll::Epoll;
    /// Another program.
    Command = command::Command;
}

/// The names of the workloads' own factors that have a column, in the order of the columns.
pub const WITH_COLUMN: [&str; count(true)] = names(true);

/// The names of the workloads' own factors that have none: in a row they stand among the labels.
pub const AMONG_LABELS: [&str; count(false)] = names(false);

const fn count(has_column: bool) -> usize {
    let (mut found, mut list) = (0, 0);
    while list < FACTORS.len() {
        let mut at = 0;
        while at < FACTORS[list].len() {
            found += (FACTORS[list][at].has_column == has_column) as usize;
            at += 1;
        }
        list += 1;
    }
    found
}

const fn names<const N: usize>(has_column: bool) -> [&'static str; N] {
    let mut names = [""; N];
    let (mut found, mut list) = (0, 0);
    while list < FACTORS.len() {
        let mut at = 0;
        while at < FACTORS[list].len() {
            if FACTORS[list][at].has_column == has_column {
                names[found] = FACTORS[list][at].name;
                found += 1;
            }
            at += 1;
        }
        list += 1;
    }
    names
}

/// The workload that takes a factor which not all take, and the factor.
pub fn own_factor(name: &str) -> Option<(Workload, &'static OwnFactor)> {
    Workload::ALL.into_iter().find_map(|workload| {
        let factor = workload.factors().iter().find(|factor| factor.name == name)?;
        Some((workload, factor))
    })
}

impl FromStr for Workload {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let found = Workload::ALL.into_iter().find(|workload| workload.name() == text);
        found.ok_or_else(|| {
            let names: Vec<String> =
                Workload::ALL.iter().map(|workload| format!("`{workload}`")).collect();
            BadValue::new("workload", text, names.join(", "))
        })
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

as_text!(Workload);
