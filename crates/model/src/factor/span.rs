//! A span of time as people write it: `200ms`, `3s`, `1.5s`, `2m`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::BadValue;

const ACCEPTED: &str = "a number with its unit: `50us`, `200ms`, `3s`, `2m`, `1h`";

/// The longest span: a week. Longer ones are typing errors, and would overflow sums of them.
const LONGEST_S: f64 = 7.0 * 24.0 * 3600.0;

/// A span of time, kept in whole nanoseconds; prints in the largest unit that holds it exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    ns: u64,
}

impl Span {
    /// From whole nanoseconds.
    pub const fn from_ns(ns: u64) -> Self {
        Span { ns }
    }

    /// From whole milliseconds.
    pub const fn from_ms(ms: u64) -> Self {
        Span { ns: ms * 1_000_000 }
    }

    /// In nanoseconds.
    pub const fn ns(self) -> u64 {
        self.ns
    }

    /// In seconds.
    pub fn seconds(self) -> f64 {
        self.ns as f64 / 1e9
    }

    /// As the standard library's type.
    pub const fn duration(self) -> Duration {
        Duration::from_nanos(self.ns)
    }

    /// Whether it is zero.
    pub const fn is_zero(self) -> bool {
        self.ns == 0
    }

    pub(crate) fn parse_for(factor: &'static str, text: &str) -> Result<Self, BadValue> {
        let bad = || BadValue::new(factor, text, ACCEPTED);
        let number_ends = text.find(|c: char| !(c.is_ascii_digit() || c == '.'));
        let (number, unit) = text.split_at(number_ends.unwrap_or(text.len()));
        let value: f64 = match number.parse() {
            Ok(value) => value,
            Err(_) if text.starts_with('-') => return Err(bad().because("it is below 0")),
            Err(_) => return Err(bad()),
        };
        let unit_ns = match unit {
            "ns" => 1.0,
            "us" | "µs" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            "m" | "min" => 60e9,
            "h" => 3600e9,
            "" => return Err(bad().because("it has no unit")),
            _ => return Err(bad().because(format!("{unit:?} is no unit of time"))),
        };
        let ns = (value * unit_ns).round();
        if !ns.is_finite() || ns > LONGEST_S * 1e9 {
            return Err(bad().because("it is longer than a week"));
        }
        Ok(Span { ns: ns as u64 })
    }
}

impl FromStr for Span {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        Span::parse_for("time", text)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.ns {
            0 => (1_000_000_000, "s"),
            ns if ns % 1_000_000_000 == 0 => (1_000_000_000, "s"),
            ns if ns % 1_000_000 == 0 => (1_000_000, "ms"),
            ns if ns % 1_000 == 0 => (1_000, "us"),
            _ => (1, "ns"),
        };
        write!(f, "{}{name}", self.ns / unit)
    }
}

super::as_text!(Span);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_the_canonical_form() {
        for (text, canonical) in [
            ("200ms", "200ms"),
            ("3s", "3s"),
            ("1.5s", "1500ms"),
            ("2m", "120s"),
            ("0s", "0s"),
            ("50us", "50us"),
        ] {
            assert_eq!(text.parse::<Span>().unwrap().to_string(), canonical);
        }
    }

    #[test]
    fn why_a_text_is_no_span_is_said() {
        for (text, reason) in [
            ("1", "it has no unit"),
            ("3parsecs", "\"parsecs\" is no unit of time"),
            ("-1s", "it is below 0"),
            ("1000h", "it is longer than a week"),
        ] {
            let error = text.parse::<Span>().unwrap_err();
            assert_eq!(error.reason.as_deref(), Some(reason), "{error}");
        }
    }

    #[test]
    fn a_number_alone_is_refused() {
        for text in ["3", "", "s", "3 s", "-1s", "1e9s", "9999h", "..s", "3parsecs"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }
}
