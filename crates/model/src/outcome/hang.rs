//! `hang:2s`: the trial made no progress for that long.

use super::{Condition, Form, time};

pub(super) const FORM: Form = Form {
    name: "hang",
    example: "`hang:2s` (no progress for 2 s)",
    read: |value| time(value).map(|without| Condition::Hang { without }),
};
