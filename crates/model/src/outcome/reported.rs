//! `reported`: the run's source says itself which trials stalled.

use super::{Condition, Form, alone};

/// The metric by which a run's source says whether a trial stalled: 1 or 0.
pub const METRIC: &str = "stalled";

pub(super) const FORM: Form = Form {
    name: "reported",
    example: "`reported` (an imported run's metric `stalled`)",
    read: |value| alone(Condition::Reported, value),
};
