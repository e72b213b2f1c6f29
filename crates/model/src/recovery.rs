//! `[recovery]`: when a stalled trial counts as recovered by its throughput.

use serde::{Deserialize, Serialize};

use crate::checked::{above_zero, share};
use crate::factor::Span;

/// The share of a definition that names none: that of the rule `control:0.5`, so that a trial
/// recovers when it would no longer count as stalled.
const DEFAULT_SHARE: f64 = 0.5;

/// The hold of a definition that names none, where trials are long.
const DEFAULT_HOLD_S: f64 = 3.0;

/// The default hold of short trials, as a share of the duration: a hold as long as the trial could
/// never be seen.
const DEFAULT_HOLD_SHARE: f64 = 0.1;

/// When a stalled trial counts as recovered by its throughput, in a definition, in the mapping of an
/// import and in a manifest. `None` stands for the default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recovery {
    /// The share of the control's throughput below which a trial is stalled, and which it must reach
    /// again. Above 0, at most 1.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "share")]
    pub share: Option<f64>,
    /// For how long the trial must keep that share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<Span>,
    /// The control's throughput in Mops/s, for trials whose control was not run. Above 0.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "above_zero")]
    pub control_mops: Option<f64>,
}

impl Recovery {
    /// The share of the control's throughput that a trial must reach again.
    pub fn share(&self) -> f64 {
        self.share.unwrap_or(DEFAULT_SHARE)
    }

    /// For how many seconds a trial of this duration must keep the share.
    pub fn hold_s(&self, duration_s: Option<f64>) -> f64 {
        self.hold.map(Span::seconds).unwrap_or_else(|| match duration_s {
            Some(duration) => DEFAULT_HOLD_S.min(DEFAULT_HOLD_SHARE * duration),
            None => DEFAULT_HOLD_S,
        })
    }

    /// Whether the definition leaves all of it to the defaults.
    pub fn is_default(&self) -> bool {
        *self == Recovery::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: serde_json::Value) -> Result<Recovery, serde_json::Error> {
        serde_json::from_value(value)
    }

    #[test]
    fn what_is_not_said_has_a_default_that_fits_the_trial() {
        let terms = read(json!({})).unwrap();
        assert!(terms.is_default() && terms.share() == 0.5);
        assert_eq!(terms.hold_s(Some(300.0)), 3.0);
        assert_eq!(terms.hold_s(Some(1.0)), 0.1);
        assert_eq!(terms.hold_s(None), 3.0);
        let terms = read(json!({"share": 0.8, "hold": "1s", "control_mops": 36})).unwrap();
        assert_eq!((terms.share(), terms.control_mops), (0.8, Some(36.0)));
        assert_eq!(terms.hold_s(Some(0.5)), 1.0);
        // As earlier versions wrote a definition that says nothing.
        let nulls = read(json!({"share": null, "hold": null, "control_mops": null}));
        assert_eq!(nulls.unwrap(), Recovery::default());
    }

    #[test]
    fn what_is_no_term_is_refused() {
        for recovery in [
            json!({"share": 1.5}),
            json!({"share": "half"}),
            json!({"hold": 3}),
            json!({"control_mops": -1}),
            json!({"held": 1}),
        ] {
            assert!(read(recovery.clone()).is_err(), "{recovery}");
        }
    }
}
