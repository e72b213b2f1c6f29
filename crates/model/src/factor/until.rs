//! `until`: what ends a trial, besides its duration.

use std::fmt;
use std::str::FromStr;

use super::{BadValue, Span};

const ACCEPTED: &str = "`duration` or `settled:200ms`";

/// What ends a trial.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Until {
    /// Its duration.
    #[default]
    Duration,
    /// Some time after the growth of the hash was seen installed, or at once that time where no
    /// growth can come; its duration at the latest. For the question when it comes, which more
    /// load afterwards doesn't answer better.
    Settled {
        /// How much longer.
        tail: Span,
    },
}

impl FromStr for Until {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let bad = || BadValue::new("until", text, ACCEPTED);
        match text.split_once(':') {
            None if text == "duration" => Ok(Until::Duration),
            Some(("settled", tail)) => {
                let tail = Span::parse_for("until", tail).map_err(|_| bad())?;
                if tail.is_zero() {
                    return Err(bad().because("the time after it must be above 0"));
                }
                Ok(Until::Settled { tail })
            }
            _ => Err(bad()),
        }
    }
}

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Until::Duration => f.write_str("duration"),
            Until::Settled { tail } => write!(f, "settled:{tail}"),
        }
    }
}

super::as_text!(Until);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_print_back_and_nothing_else_is_taken() {
        for text in ["duration", "settled:200ms"] {
            assert_eq!(text.parse::<Until>().unwrap().to_string(), text);
        }
        for text in ["", "settled", "settled:", "settled:0s", "settled:2", "forever"] {
            assert!(text.parse::<Until>().is_err(), "{text}");
        }
    }
}
