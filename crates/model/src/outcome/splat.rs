//! `splat`, `splat:TEXT`: the kernel complained while the trial ran.

use super::{Condition, Form, Reason};

pub(super) const FORM: Form = Form {
    name: "splat",
    example: "`splat` (the kernel complained) or `splat:KASAN`",
    read: |value| match value {
        Some("") => Err(Reason("behind the colon it needs a text of the complaint".to_string())),
        text => Ok(Condition::Splat { text: text.map(str::to_string) }),
    },
};
