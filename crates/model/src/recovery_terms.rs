//! When a trial counts as stalled and as recovered by its throughput: `[recovery]` of a definition.

use crate::factor::Span;
use serde::Serialize;
use serde_json::Value;

/// The share of a definition that names none: that of the outcome `control:0.5`, so that a trial
/// recovers when it would no longer count as stalled.
const DEFAULT_SHARE: f64 = 0.5;

/// The hold of a definition that names none, where trials are long.
const DEFAULT_HOLD_S: f64 = 3.0;

/// Of a trial's duration, where a tenth of it is shorter: a hold as long as the trial could never be
/// seen.
const DEFAULT_HOLD_SHARE: f64 = 0.1;

/// A run's terms.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Terms {
    /// The share of the control's throughput below which a trial is stalled, and that it is to reach
    /// again.
    pub share: f64,
    /// For how long it is to be kept, in seconds; `None` is the default.
    pub hold_s: Option<f64>,
    /// The control's throughput in Mops/s, for trials whose control was not run.
    pub control_mops: Option<f64>,
}

impl Default for Terms {
    fn default() -> Self {
        Terms { share: DEFAULT_SHARE, hold_s: None, control_mops: None }
    }
}

impl Terms {
    /// Those of a definition; the sentence says which key holds what, and what is accepted.
    pub fn of(definition: &Value) -> Result<Terms, String> {
        let said = |key: &str| {
            let found = definition.pointer(&format!("/recovery/{key}"));
            found.filter(|value| !value.is_null())
        };
        let number = |key: &str, accepted: &str, good: fn(f64) -> bool| match said(key) {
            None => Ok(None),
            Some(value) => match value.as_f64().filter(|x| x.is_finite() && good(*x)) {
                Some(x) => Ok(Some(x)),
                None => Err(format!("recovery.{key} is {value}: accepted is {accepted}")),
            },
        };
        let share = number("share", "a number above 0 and up to 1", |x| x > 0.0 && x <= 1.0)?;
        let hold = match said("hold") {
            None => None,
            Some(value) => match value.as_str().and_then(|text| text.parse::<Span>().ok()) {
                Some(span) => Some(span.seconds()),
                None => {
                    let accepted = "a time with its unit, such as \"3s\"";
                    return Err(format!("recovery.hold is {value}: accepted is {accepted}"));
                }
            },
        };
        Ok(Terms {
            share: share.unwrap_or(DEFAULT_SHARE),
            hold_s: hold,
            control_mops: number("control_mops", "a number above 0", |x| x > 0.0)?,
        })
    }

    /// For how long a trial of this duration is to keep the share.
    pub fn hold_s(&self, duration_s: Option<f64>) -> f64 {
        self.hold_s.unwrap_or_else(|| match duration_s {
            Some(duration) => DEFAULT_HOLD_S.min(DEFAULT_HOLD_SHARE * duration),
            None => DEFAULT_HOLD_S,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_not_said_has_a_default_that_fits_the_trial() {
        let terms = Terms::of(&json!({})).unwrap();
        assert_eq!(terms, Terms::default());
        assert_eq!(terms.hold_s(Some(300.0)), 3.0);
        assert_eq!(terms.hold_s(Some(1.0)), 0.1);
        assert_eq!(terms.hold_s(None), 3.0);
        let said = json!({"recovery": {"share": 0.8, "hold": "1s", "control_mops": 36}});
        let terms = Terms::of(&said).unwrap();
        assert_eq!((terms.share, terms.control_mops), (0.8, Some(36.0)));
        assert_eq!(terms.hold_s(Some(0.5)), 1.0);
        // As a runner writes a definition that says nothing.
        let nulls = json!({"recovery": {"share": null, "hold": null, "control_mops": null}});
        assert_eq!(Terms::of(&nulls).unwrap(), Terms::default());
    }

    #[test]
    fn what_is_no_term_is_named() {
        for (recovery, problem) in [
            (json!({"share": 1.5}), "recovery.share is 1.5: accepted is a number above 0"),
            (json!({"share": "half"}), "recovery.share is \"half\""),
            (json!({"hold": 3}), "recovery.hold is 3: accepted is a time"),
            (json!({"control_mops": -1}), "recovery.control_mops is -1"),
        ] {
            let error = Terms::of(&json!({"recovery": recovery})).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }
}
