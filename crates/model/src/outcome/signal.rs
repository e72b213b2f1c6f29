//! `signal`: a signal ended the trial's program.

use super::{Condition, Form, alone};

pub(super) const FORM: Form = Form {
    name: "signal",
    example: "`signal` (a signal ended its program)",
    read: |value| alone(Condition::Signal, value),
};
