//! `locks` and `messengers`: plain counts.

use std::fmt;
use std::str::FromStr;

use super::BadValue;

/// A count from 1 to a million.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Count(u32);

impl Count {
    /// The most that is accepted: each counted thing takes at least a cache line.
    pub const MOST: u32 = 1_000_000;

    /// The number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl FromStr for Count {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        match text.parse::<u32>() {
            Ok(n) if (1..=Count::MOST).contains(&n) => Ok(Count(n)),
            _ => Err(BadValue::new("count", text, "a whole number from 1 to 1000000")),
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

super::as_text!(Count);
