//! `ramp`: how the threads come to be.

use std::fmt;
use std::str::FromStr;

use super::{BadValue, Span};

const ACCEPTED: &str =
    "`burst`, `barrier:200ms`, `linear:3s`, `steps:4x500ms`, `poisson:50/s` or `grow:8@1s`";

/// How the threads of a trial come to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ramp {
    /// All at once; each works from the moment it exists.
    Burst,
    /// All are created and wait, and start together after a quiet gap.
    Barrier {
        /// From the last creation to the start.
        gap: Span,
    },
    /// Created evenly over a time; each works from the moment it exists.
    Linear {
        /// From the first creation to the last.
        over: Span,
    },
    /// Created in equal groups, one group an interval.
    Steps {
        /// How many groups; at least 1.
        groups: u32,
        /// From one group to the next.
        every: Span,
    },
    /// Created at the events of a Poisson process, drawn from the trial's seed.
    Poisson {
        /// Threads a second, finite and above 0.
        rate_per_s: f64,
    },
    /// A first pool works for a time, then grows to the full count without a pause.
    Grow {
        /// The size of the first pool; at least 1.
        from: u32,
        /// How long the first pool works alone.
        after: Span,
    },
}

impl FromStr for Ramp {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let bad = || BadValue::new("ramp", text, ACCEPTED);
        let span = |part: &str| {
            Span::parse_for("ramp", part).map_err(|error| match error.reason {
                Some(reason) => bad().because(format!("the time {part:?}: {reason}")),
                None => bad().because(format!("{part:?} is no time such as 500ms or 3s")),
            })
        };
        let count = |part: &str| match part.parse::<u32>() {
            Ok(0) => Err(bad().because("a count of 0")),
            Ok(n) => Ok(n),
            Err(_) => Err(bad().because(format!("{part:?} is no count of threads or groups"))),
        };
        if text == "burst" {
            return Ok(Ramp::Burst);
        }
        let (kind, rest) = text.split_once(':').ok_or_else(bad)?;
        match kind {
            "barrier" => Ok(Ramp::Barrier { gap: span(rest)? }),
            "linear" => Ok(Ramp::Linear { over: span(rest)? }),
            "steps" => {
                let (groups, every) = rest.split_once('x').ok_or_else(bad)?;
                Ok(Ramp::Steps { groups: count(groups)?, every: span(every)? })
            }
            "poisson" => {
                let rate = rest.strip_suffix("/s").and_then(|rate| rate.parse::<f64>().ok());
                let rate = rate.ok_or_else(|| {
                    bad().because(format!("{rest:?} is no rate of threads a second such as 50/s"))
                })?;
                if rate.is_finite() && rate > 0.0 {
                    Ok(Ramp::Poisson { rate_per_s: rate })
                } else {
                    Err(bad().because("a rate must be above 0"))
                }
            }
            "grow" => {
                let (from, after) = rest.split_once('@').ok_or_else(bad)?;
                Ok(Ramp::Grow { from: count(from)?, after: span(after)? })
            }
            _ => Err(bad()),
        }
    }
}

impl fmt::Display for Ramp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ramp::Burst => write!(f, "burst"),
            Ramp::Barrier { gap } => write!(f, "barrier:{gap}"),
            Ramp::Linear { over } => write!(f, "linear:{over}"),
            Ramp::Steps { groups, every } => write!(f, "steps:{groups}x{every}"),
            Ramp::Poisson { rate_per_s } => write!(f, "poisson:{rate_per_s}/s"),
            Ramp::Grow { from, after } => write!(f, "grow:{from}@{after}"),
        }
    }
}

super::as_text!(Ramp);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_the_contract_prints_back() {
        for text in
            ["burst", "barrier:200ms", "linear:3s", "steps:4x500ms", "poisson:50/s", "grow:8@1s"]
        {
            assert_eq!(text.parse::<Ramp>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_wrong_within_a_ramp_is_named() {
        for (text, reason) in [
            ("linear:1000h", "the time \"1000h\": it is longer than a week"),
            ("barrier:200", "the time \"200\": it has no unit"),
            ("linear:-1s", "the time \"-1s\": it is below 0"),
            ("steps:4x", "\"\" is no time"),
            ("steps:fourx1s", "\"four\" is no count"),
            ("grow:8@1", "the time \"1\": it has no unit"),
            ("poisson:50", "\"50\" is no rate of threads a second"),
        ] {
            let error = text.parse::<Ramp>().unwrap_err().to_string();
            assert!(error.contains(reason) && error.contains("accepted is `burst`"), "{error}");
        }
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in [
            "",
            "bursts",
            "barrier",
            "barrier:",
            "barrier:200",
            "linear:-1s",
            "steps:0x1s",
            "steps:4",
            "poisson:0/s",
            "poisson:nan/s",
            "poisson:inf/s",
            "poisson:50",
            "grow:0@1s",
            "grow:8",
            "grow:8@",
        ] {
            assert!(text.parse::<Ramp>().is_err(), "{text}");
        }
    }
}
