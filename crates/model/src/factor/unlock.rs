//! `unlock`: how the workload `mutex` releases a lock.

use std::fmt;
use std::str::FromStr;

use super::BadValue;

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

super::as_text!(Unlock);
