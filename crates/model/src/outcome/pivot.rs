//! `pivot:1s`: growth was due and was not installed within this time.

use super::{Condition, Form, time};

pub(super) const FORM: Form = Form {
    name: "pivot",
    example: "`pivot:1s` (growth due and not installed within 1 s)",
    read: |value| time(value).map(|limit| Condition::Event { limit }),
};
