//! `metric:NAME>5ms`: a metric of the trial is beyond a value.

use std::fmt;

use super::{Condition, Form, Reason};

pub(super) const FORM: Form = Form {
    name: "metric",
    example: "`metric:wakeup_latency_p99>5ms` (a metric is above, `<` below, or `=` at a value)",
    read: |value| read(value.unwrap_or_default()).map(Condition::Metric),
};

/// A bound of a metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// The metric's name, or that of a column of numbers of `trials.csv`.
    pub name: String,
    /// On which side of the value a trial is hit.
    pub than: Than,
    /// The value, in the unit.
    pub value: f64,
    /// The unit as written; empty for a plain number.
    pub unit: String,
}

/// On which side of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Than {
    /// `>`
    Above,
    /// `<`
    Below,
    /// `=`
    At,
}

/// Units of time in seconds: a limit in one is held against a metric in another.
const TIMES: [(&str, f64); 7] = [
    ("ns", 1e-9),
    ("us", 1e-6),
    ("µs", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("min", 60.0),
    ("h", 3600.0),
];

fn seconds(unit: &str) -> Option<f64> {
    TIMES.iter().find(|(name, _)| *name == unit).map(|(_, seconds)| *seconds)
}

impl Limit {
    /// Whether a value in this unit is beyond the limit; `None` where the units don't measure the same.
    pub fn is_met(&self, value: f64, unit: &str) -> Option<bool> {
        let limit = match (seconds(&self.unit), seconds(unit)) {
            _ if self.unit == unit => self.value,
            (Some(own), Some(of_value)) => self.value * own / of_value,
            _ => return None,
        };
        Some(match self.than {
            Than::Above => value > limit,
            Than::Below => value < limit,
            Than::At => value == limit,
        })
    }
}

fn read(text: &str) -> Result<Limit, Reason> {
    let Some(at) = text.find(['>', '<', '=']) else {
        return Err(Reason("it needs `>`, `<` or `=` between a metric's name and a value".into()));
    };
    let (name, rest) = text.split_at(at);
    let than = match &rest[..1] {
        ">" => Than::Above,
        "<" => Than::Below,
        _ => Than::At,
    };
    let name = name.trim().to_string();
    if name.is_empty() {
        return Err(Reason("it needs a metric's name before the sign".into()));
    }
    let rest = rest[1..].trim();
    // The longest number that it begins with: a unit may begin with a letter that a number can have.
    let ends = (0..=rest.len()).rev().filter(|at| rest.is_char_boundary(*at));
    let number = ends.map(|at| rest.split_at(at)).find_map(|(number, unit)| {
        let starts = number.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        let value: f64 = number.parse().ok().filter(|value: &f64| starts && value.is_finite())?;
        Some((value, unit.trim().to_string()))
    });
    let Some((value, unit)) = number else {
        return Err(Reason(format!(
            "{rest:?} is no value: a number, with its unit if it has one, is"
        )));
    };
    Ok(Limit { name, than, value, unit })
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.than {
            Than::Above => '>',
            Than::Below => '<',
            Than::At => '=',
        };
        write!(f, "{}{sign}{}{}", self.name, self.value, self.unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(text: &str) -> Limit {
        read(text).unwrap_or_else(|Reason(reason)| panic!("{reason}"))
    }

    #[test]
    fn a_time_is_held_against_any_unit_of_time_and_nothing_else() {
        let above = limit("p99>5ms");
        assert_eq!(above.is_met(5001.0, "us"), Some(true));
        assert_eq!(above.is_met(4.9, "ms"), Some(false));
        assert_eq!(above.is_met(0.006, "s"), Some(true));
        assert_eq!(above.is_met(6.0, ""), None);
        assert_eq!(limit("n=0").is_met(0.0, ""), Some(true));
        assert_eq!(limit("rate<2 Mops/s").is_met(1.5, "Mops/s"), Some(true));
        assert_eq!(limit("rate<2Mops/s").is_met(1.5, "ops/s"), None);
    }

    #[test]
    fn a_number_ends_where_its_unit_begins() {
        for (text, value, unit) in [
            ("x>1e3", 1e3, ""),
            ("x>1e3us", 1e3, "us"),
            ("x>-2.5", -2.5, ""),
            ("x>3 events", 3.0, "events"),
        ] {
            let limit = limit(text);
            assert_eq!((limit.value, limit.unit.as_str()), (value, unit), "{text}");
        }
        for text in ["x>nan", "x>inf", "x>", "x>ms"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
