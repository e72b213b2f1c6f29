//! `workload`: what the threads do.

use std::fmt;
use std::str::FromStr;

use super::BadValue;

const ACCEPTED: &str = "`wake-storm`, `mutex`, `resize`, `messenger` or `command`";

/// What the threads of a trial do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Workload {
    /// Each thread wakes a private futex without waiters, in a loop.
    WakeStorm,
    /// Threads contend for futex mutexes.
    Mutex,
    /// Threads wake while the main thread sets the slots back and forth.
    Resize,
    /// Messenger threads post to workers, one futex a worker.
    Messenger,
    /// Another program.
    Command,
}

/// Rounds between two looks at the stop flag and two writes of the counter. Small, because at a
/// hundredth of the speed, or in emulation with 48 virtual CPUs on 2, this many futex calls a
/// thread already take a while; large enough that neither shows in the rate.
pub const BATCH: u64 = 32;

impl Workload {
    /// Operations by which a thread's counter moves: what two samples can't tell apart.
    pub fn ops_a_count(self) -> u64 {
        match self {
            Workload::WakeStorm | Workload::Mutex | Workload::Resize => BATCH,
            Workload::Messenger | Workload::Command => 1,
        }
    }

    /// All, in the order of the contract.
    pub const ALL: [Workload; 5] = [
        Workload::WakeStorm,
        Workload::Mutex,
        Workload::Resize,
        Workload::Messenger,
        Workload::Command,
    ];
}

impl FromStr for Workload {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        Workload::ALL
            .into_iter()
            .find(|workload| workload.to_string() == text)
            .ok_or_else(|| BadValue::new("workload", text, ACCEPTED))
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Workload::WakeStorm => "wake-storm",
            Workload::Mutex => "mutex",
            Workload::Resize => "resize",
            Workload::Messenger => "messenger",
            Workload::Command => "command",
        })
    }
}

super::as_text!(Workload);
