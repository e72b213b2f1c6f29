//! `mutex`: threads contend for futex mutexes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::declare::{amount, canonical, span};
use super::{Around, Cell, Columns, OwnFactor, Parameters};
use crate::factor::{BadValue, Count, Span, as_text, threads_in_words};

/// The longest critical section or think time: beyond a second no thread would see the stop.
const LONGEST: Span = Span::from_ms(1000);

/// The parameters of a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutex {
    /// How many locks the threads share.
    pub locks: Count,
    /// How a lock is released.
    pub unlock: Unlock,
    /// The time in the critical section.
    pub critical: Span,
    /// The time between an unlock and the next lock.
    pub think: Span,
    /// Lock/unlock pairs over all threads after which the trial ends, if they are done within its
    /// duration; `None` where only the duration ends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<u64>,
}

/// The definition's table `[mutex]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Table {
    /// Lock/unlock pairs a thread after which a trial ends; without it, its duration ends it.
    #[serde(deserialize_with = "crate::checked::optional_from_1")]
    pub pairs_per_thread: Option<u64>,
}

impl Parameters for Mutex {
    const NAME: &'static str = "mutex";

    const FACTORS: &'static [OwnFactor] = &[
        OwnFactor {
            name: "locks",
            default: "32",
            has_column: true,
            read: |text| amount("locks", text),
        },
        OwnFactor {
            name: "unlock",
            default: "exchange",
            has_column: true,
            read: canonical::<Unlock>,
        },
        OwnFactor {
            name: "critical",
            default: "0s",
            has_column: false,
            read: |text| span("critical", text),
        },
        OwnFactor {
            name: "think",
            default: "0s",
            has_column: false,
            read: |text| span("think", text),
        },
    ];

    fn of(cell: &Cell<'_>) -> Result<Self, BadValue> {
        let threads = cell.around.threads;
        let all = |pairs: u64| {
            pairs.checked_mul(u64::from(threads)).ok_or_else(|| {
                BadValue::new("mutex.pairs_per_thread", pairs, "a smaller number")
                    .because(format!("times {} it is too many", threads_in_words(threads)))
            })
        };
        Ok(Mutex {
            locks: cell.count("locks")?,
            unlock: cell.value("unlock")?,
            critical: cell.value("critical")?,
            think: cell.value("think")?,
            pairs: cell.mutex.pairs_per_thread.map(all).transpose()?,
        })
    }

    fn check(&self, _trial: &Around<'_>) -> Result<(), BadValue> {
        for (factor, span) in [("critical", self.critical), ("think", self.think)] {
            if span > LONGEST {
                return Err(BadValue::new(factor, span, format!("at most {LONGEST}"))
                    .because("a thread looks for the end of the trial only between pairs"));
            }
        }
        match self.pairs {
            Some(0) => Err(BadValue::new("pairs", 0, "a number from 1")
                .because("there would be nothing to do")),
            _ => Ok(()),
        }
    }

    fn may_end_early(&self) -> bool {
        self.pairs.is_some()
    }

    fn columns(&self) -> Columns {
        Columns { locks: Some(self.locks), unlock: Some(self.unlock), ..Columns::default() }
    }
}

/// How a futex mutex is released.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unlock {
    /// Exchange, and wake only if a waiter was marked.
    Exchange,
    /// Store, then wake always.
    StoreWake,
}

impl FromStr for Unlock {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        match text {
            "exchange" => Ok(Unlock::Exchange),
            "store-wake" => Ok(Unlock::StoreWake),
            _ => Err(BadValue::new("unlock", text, "`exchange` or `store-wake`")),
        }
    }
}

impl fmt::Display for Unlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unlock::Exchange => "exchange",
            Unlock::StoreWake => "store-wake",
        })
    }
}

as_text!(Unlock);
