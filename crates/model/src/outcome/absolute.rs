//! `absolute:100`: the trial's throughput is below this many Mops/s.

use super::{Condition, Form, Reason, above_zero};

pub(super) const FORM: Form = Form {
    name: "absolute",
    example: "`absolute:100` (below 100 Mops/s)",
    read: |value| match above_zero(value) {
        Some(mops) => Ok(Condition::Absolute { mops }),
        None => Err(Reason("it needs a throughput above 0".to_string())),
    },
};
