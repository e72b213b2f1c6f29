//! `reported`: the run's source says itself which trials stalled.

use super::{Form, StallRule, alone};

pub(super) const FORM: Form = Form {
    name: "reported",
    example: "`reported` (an imported run's metric `stalled`)",
    read: |value| alone(StallRule::Reported, value),
};
