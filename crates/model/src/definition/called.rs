//! `[outcome] called`: the word for what a rule finds.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// Longer ones fit in no table.
const MOST_CHARACTERS: usize = 40;

/// Reads the word, or nothing.
pub(super) fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let Some(text) = Option::<String>::deserialize(from)? else { return Ok(None) };
    let word = text.trim();
    let good = word.chars().next().is_some_and(char::is_alphanumeric)
        && word.chars().count() <= MOST_CHARACTERS
        && !word.chars().any(char::is_control);
    match good {
        true => Ok(Some(word.to_string())),
        false => Err(D::Error::custom(format!(
            "found {text:?}; accepted is a word or two in the singular, at most {MOST_CHARACTERS} \
             characters, such as \"lost event\""
        ))),
    }
}
