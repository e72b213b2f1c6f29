//! `threads`: how many workers, as a count or a share of the CPUs online.

use std::fmt;
use std::str::FromStr;

use super::{BadValue, Count};

const ACCEPTED: &str = "a count from 1 (`96`) or a share of the CPUs online (`50%`)";

/// How many worker threads a trial has at its full size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Threads {
    /// A number of threads.
    Count(u32),
    /// So many percent of the CPUs online; above 0, to 100 000.
    Share(f64),
}

impl Threads {
    /// The count on a machine with this many CPUs online: a share is rounded to the nearest whole
    /// thread and is at least 1.
    pub fn on(self, cpus_online: u32) -> u32 {
        match self {
            Threads::Count(n) => n,
            Threads::Share(percent) => {
                ((percent / 100.0 * f64::from(cpus_online)).round() as u32).max(1)
            }
        }
    }
}

/// `96 threads`, `1 thread`.
pub fn threads_in_words(n: u32) -> String {
    if n == 1 { "1 thread".to_string() } else { format!("{n} threads") }
}

impl FromStr for Threads {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let bad = || BadValue::new("threads", text, ACCEPTED);
        if let Some(number) = text.strip_suffix('%') {
            let percent: f64 = number.parse().map_err(|_| bad())?;
            return if percent > 0.0 && percent <= 100_000.0 {
                Ok(Threads::Share(percent))
            } else {
                Err(bad().because("a share is above 0 % and at most 100000 %"))
            };
        }
        match text.parse::<u32>() {
            Ok(0) => Err(bad().because("a trial needs at least one thread")),
            Ok(n) if n <= Count::MOST => Ok(Threads::Count(n)),
            Err(_) if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) => Err(bad()),
            Ok(_) | Err(_) => Err(bad().because(format!("at most {} are possible", Count::MOST))),
        }
    }
}

impl fmt::Display for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Threads::Count(n) => write!(f, "{n}"),
            Threads::Share(percent) => write!(f, "{percent}%"),
        }
    }
}

super::as_text!(Threads);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_at_least_one_thread() {
        let eighth: Threads = "12.5%".parse().unwrap();
        assert_eq!([1, 2, 8, 96].map(|cpus| eighth.on(cpus)), [1, 1, 1, 12]);
        assert_eq!("200%".parse::<Threads>().unwrap().on(96), 192);
        assert_eq!("96".parse::<Threads>().unwrap().on(2), 96);
        assert_eq!([1, 96].map(threads_in_words), ["1 thread", "96 threads"]);
    }

    #[test]
    fn none_and_nonsense_are_refused() {
        for text in ["0", "-1", "", "0%", "-5%", "nan%", "inf%", "1.5", "ten"] {
            assert!(text.parse::<Threads>().is_err(), "{text}");
        }
    }
}
