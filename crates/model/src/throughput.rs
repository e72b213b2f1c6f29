//! Where a program's throughput stands in what it prints.

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::factor::BadValue;

/// Where a program's throughput stands in its output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Throughput {
    /// A regular expression; its group `value` (or its first) is the number. Other groups with a
    /// name are further metrics.
    Regex(String),
    /// A JSON pointer into standard output.
    Pointer(String),
}

/// A [`Throughput`] whose text was understood.
#[derive(Debug)]
pub enum Form {
    /// A regular expression, and the group that is the number.
    Regex {
        /// The expression.
        regex: Regex,
        /// The group's number.
        group: usize,
    },
    /// A JSON pointer.
    Pointer(String),
}

impl Throughput {
    /// Reads the text.
    ///
    /// # Errors
    /// The expression is none or has no group, or the pointer is none.
    pub fn form(&self) -> Result<Form, BadValue> {
        Ok(match self {
            Throughput::Regex(text) => {
                let (regex, group) = regex(text)?;
                Form::Regex { regex, group }
            }
            Throughput::Pointer(text) if text.is_empty() || text.starts_with('/') => {
                Form::Pointer(text.clone())
            }
            Throughput::Pointer(text) => {
                let accepted = "a JSON pointer, which begins with `/`, as in `/summary/rate`";
                return Err(BadValue::new("command.pointer", text, accepted));
            }
        })
    }
}

/// An expression, and the group in it that is the number: the one named `value`, else the first.
///
/// # Errors
/// The expression is none, or has no group.
pub fn regex(text: &str) -> Result<(Regex, usize), BadValue> {
    let bad = |reason: String| {
        let accepted =
            "a regular expression with a group: `([0-9.]+) ops/s` or `(?<value>[0-9.]+)`";
        BadValue::new("command.regex", text, accepted).because(reason)
    };
    let regex = Regex::new(text).map_err(|error| {
        // The library's message draws the place over several lines.
        let reason = error.to_string();
        let last = reason.lines().last().unwrap_or("").trim().to_string();
        bad(format!("it is no regular expression: {last}"))
    })?;
    let named = regex.capture_names().position(|name| name == Some("value"));
    match named {
        Some(group) => Ok((regex, group)),
        None if regex.captures_len() > 1 => Ok((regex, 1)),
        None => Err(bad("it has no group around the number".to_string())),
    }
}
