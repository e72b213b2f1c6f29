//! Confidence levels and intervals.

use serde::{Serialize, Serializer};

use super::StatError;

/// A two-sided confidence level in (0, 1), such as 0.95.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Level(f64);

impl Level {
    /// 95 %.
    pub const P95: Level = Level(0.95);

    /// Takes a level; anything outside (0, 1), NaN included, is a [`StatError::Domain`].
    pub fn new(level: f64) -> Result<Self, StatError> {
        if level > 0.0 && level < 1.0 {
            Ok(Level(level))
        } else {
            Err(StatError::domain(
                "the confidence level",
                level,
                "a number above 0 and below 1, such as 0.95",
            ))
        }
    }

    /// The level as a number, 0.95.
    pub fn get(self) -> f64 {
        self.0
    }

    /// The level in percent with all its digits, `95`, `99.99999`: never rounded to 100 or to 0.
    pub fn percent(self) -> String {
        exact_percent(self.0)
    }

    /// The error rate, 1 − level.
    pub fn alpha(self) -> f64 {
        1.0 - self.0
    }
}

/// A share in percent, without the sign, with all its digits: `95`, `99.99999`.
pub fn exact_percent(share: f64) -> String {
    // The shortest decimal that reads back as this number is the one that was written; two places on,
    // it is the percentage, which a product with 100 would round.
    let text = format!("{share:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent = exponent.parse::<i32>().unwrap_or(0) + 2;
    let digits = mantissa.replace('.', "");
    match exponent {
        ..=-6 => format!("{mantissa}e{exponent}"),
        -5..=-1 => {
            format!("0.{:0>width$}", digits, width = digits.len() + (-exponent - 1) as usize)
        }
        _ => match digits.split_at_checked(exponent as usize + 1) {
            Some((whole, "")) => whole.to_owned(),
            Some((whole, rest)) => format!("{whole}.{rest}"),
            None => format!("{digits:0<width$}", width = exponent as usize + 1),
        },
    }
}

impl Default for Level {
    fn default() -> Self {
        Level::P95
    }
}

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

/// An interval by a named method. A bound that does not exist is `None`, `null` in JSON: never an
/// infinity, so that nothing can average it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Interval {
    /// The method by its name in docs/reference/commands.md: `wilson`, `clopper-pearson`, …
    pub method: &'static str,
    /// The nominal two-sided level.
    pub level: Level,
    /// The lower bound, in the estimate's unit.
    pub low: Option<f64>,
    /// The upper bound, in the estimate's unit.
    pub high: Option<f64>,
}

impl Interval {
    /// An interval of two bounds; a bound that is not finite becomes `None`.
    pub fn new(method: &'static str, level: Level, low: f64, high: f64) -> Self {
        let exists = |x: f64| x.is_finite().then_some(x);
        Interval { method, level, low: exists(low), high: exists(high) }
    }
}

impl Interval {
    /// The interval for an effect, made to agree with the test of no effect that the verdict goes by: it
    /// holds `no_effect` exactly where the test's p is above α.
    ///
    /// A confidence interval holds the values that a test does not reject, and each value may have a test of
    /// its own: here no effect has the exact one, all others the score test of the interval. Where the test
    /// rejects, what lies beyond `no_effect` from the estimate is left out.
    pub fn agreeing(self, no_effect: f64, estimate: Option<f64>, p_value: Option<f64>) -> Self {
        let (mut low, mut high) = (self.low, self.high);
        match (p_value, estimate) {
            (Some(p), Some(estimate)) if p <= self.level.alpha() => {
                if estimate < no_effect {
                    high = high.map(|high| high.min(no_effect));
                } else {
                    low = low.map(|low| low.max(no_effect));
                }
            }
            (Some(p), None) if p <= self.level.alpha() => {}
            _ => {
                low = low.map(|low| low.min(no_effect));
                high = high.map(|high| high.max(no_effect));
            }
        }
        Interval { low, high, ..self }
    }
}

/// A point with one interval, `{estimate, low, high}` in JSON. What does not exist is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// The point estimate.
    pub estimate: Option<f64>,
    /// The lower bound.
    pub low: Option<f64>,
    /// The upper bound.
    pub high: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_between_zero_and_one() {
        assert_eq!(Level::new(0.95).unwrap(), Level::P95);
        for bad in [0.0, 1.0, -0.5, 95.0, f64::NAN, f64::INFINITY] {
            assert!(Level::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_level_in_percent_has_all_its_digits() {
        for (level, text) in [
            (0.95, "95"),
            (0.9, "90"),
            (0.5, "50"),
            (0.999, "99.9"),
            (0.9999999, "99.99999"),
            (0.05, "5"),
            (0.005, "0.5"),
            (0.123, "12.3"),
        ] {
            assert_eq!(Level::new(level).unwrap().percent(), text);
        }
        assert_eq!(Level::new(1e-300).unwrap().percent(), "1e-298");
        assert_eq!(Level::new(2.5e-5).unwrap().percent(), "0.0025");
        let nearly = Level::new(1.0 - f64::EPSILON).unwrap().percent();
        assert!(nearly.starts_with("99.9999"), "{nearly}");
    }

    #[test]
    fn an_interval_agrees_with_its_test() {
        let of = |low, high| Interval::new("x", Level::P95, low, high);
        let bounds = |interval: Interval| (interval.low, interval.high);
        // 4 of 24 against 0 of 24: the score interval leaves out 1, Fisher's test does not reject it.
        let found = of(0.0, 0.93).agreeing(1.0, Some(0.0), Some(0.109));
        assert_eq!(bounds(found), (Some(0.0), Some(1.0)));
        assert_eq!(
            bounds(of(0.2, 1.1).agreeing(1.0, Some(0.5), Some(0.04))),
            (Some(0.2), Some(1.0))
        );
        assert_eq!(
            bounds(of(-0.1, 0.4).agreeing(0.0, Some(0.2), Some(0.04))),
            (Some(0.0), Some(0.4))
        );
        assert_eq!(
            bounds(of(0.2, 0.9).agreeing(1.0, Some(0.5), Some(0.01))),
            (Some(0.2), Some(0.9))
        );
        assert_eq!(bounds(of(0.2, 0.9).agreeing(1.0, Some(0.5), None)), (Some(0.2), Some(1.0)));
        let open = of(1.2, f64::INFINITY);
        assert_eq!(bounds(open.agreeing(1.0, None, Some(0.3))), (Some(1.0), None));
    }

    #[test]
    fn a_bound_that_does_not_exist_is_null() {
        let interval = Interval::new("exact", Level::P95, 0.5, f64::INFINITY);
        let json = serde_json::to_string(&interval).unwrap();
        assert_eq!(json, r#"{"method":"exact","level":0.95,"low":0.5,"high":null}"#);
    }
}
