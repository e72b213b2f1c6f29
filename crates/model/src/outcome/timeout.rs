//! `timeout`: the trial's limit ended it.

use super::{Condition, Form, alone};

pub(super) const FORM: Form = Form {
    name: "timeout",
    example: "`timeout` (its limit ended it)",
    read: |value| alone(Condition::Timeout, value),
};
