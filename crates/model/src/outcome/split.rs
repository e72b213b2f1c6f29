//! `split`: the trial falls in the lower of two modes of the pooled throughputs.

use super::{Condition, Form, alone};

pub(super) const FORM: Form = Form {
    name: "split",
    example: "`split` (in the lower of two modes)",
    read: |value| alone(Condition::Split, value),
};
