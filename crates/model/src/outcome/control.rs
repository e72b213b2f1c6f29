//! `control:0.5`: the trial's throughput is below this share of its control's median.

use super::{Condition, Form, Reason, above_zero};

pub(super) const FORM: Form = Form {
    name: "control",
    example: "`control:0.5` (below half of the control's median)",
    read: |value| match above_zero(value) {
        Some(share) if share <= 1.0 => Ok(Condition::Control { share }),
        _ => Err(Reason("it needs a share above 0 and at most 1".to_string())),
    },
};
