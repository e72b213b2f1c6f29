//! `pivot:1s`: growth was due and was not installed within this time.

use super::{Form, Reason, StallRule};
use crate::factor::Span;

pub(super) const FORM: Form = Form {
    name: "pivot",
    example: "`pivot:1s` (growth due and not installed within 1 s)",
    read: |value| match value.unwrap_or_default().parse::<Span>() {
        Ok(limit) if !limit.is_zero() => Ok(StallRule::Event { limit }),
        Ok(_) => Err(Reason("its time must be above 0".to_string())),
        Err(error) => Err(Reason(error.to_string())),
    },
};
