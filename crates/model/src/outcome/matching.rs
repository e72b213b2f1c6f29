//! `match:REGEX`: what the trial's program printed, on standard output or standard error, has it.

use regex::Regex;

use super::{Condition, Form, Reason};

pub(super) const FORM: Form = Form {
    name: "match",
    example: "`match:lost [0-9]+ events` (its program's output has this regular expression)",
    read: |value| match value.unwrap_or_default() {
        "" => Err(Reason("it needs an expression to look for".to_string())),
        text => match Regex::new(text) {
            Ok(_) => Ok(Condition::Match { regex: text.to_string() }),
            Err(error) => {
                // The library's message draws the place over several lines.
                let reason = error.to_string();
                let last = reason.lines().last().unwrap_or_default().trim();
                Err(Reason(format!("it is no regular expression: {last}")))
            }
        },
    },
};
