//! Labels: what a comparison is to tell apart, in every row.

use std::collections::BTreeMap;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::factor::BadValue;
use crate::workload::AMONG_LABELS;

/// Refuses a label that can't stand in a CSV cell as `key=value;key=value`.
pub(super) fn check(key: &str, value: &str) -> Result<(), BadValue> {
    let bad = |found: &str, accepted: &'static str| Err(BadValue::new("label", found, accepted));
    if key.is_empty() || !key.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) {
        return bad(key, "a key of letters, digits, -, _ and .");
    }
    if AMONG_LABELS.contains(&key) {
        return Err(BadValue::new("label", key, "another key")
            .because("it is a factor, which stands among the labels"));
    }
    if value.is_empty() || value.chars().any(|c| c == ';' || c == '=' || c.is_control()) {
        return bad(value, "one line without ; and =");
    }
    Ok(())
}

/// Reads labels, each of which can stand in a CSV cell.
pub(super) fn read<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    let labels = BTreeMap::<String, String>::deserialize(deserializer)?;
    match labels.iter().find_map(|(key, value)| check(key, value).err()) {
        Some(error) => Err(D::Error::custom(error)),
        None => Ok(labels),
    }
}
