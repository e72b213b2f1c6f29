//! The control: what a trial is held against.

use std::fmt;

use serde::de::{Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{DEFAULT_CONTROL, Factors};
use crate::columns::concatenated;
use crate::factor::Hash;
use crate::outcome::StallRule;
use crate::workload::WITH_COLUMN;

/// The factors that may tell a control: those with a column, but for what a trial is about.
const FACTORS: [&str; 4 + WITH_COLUMN.len()] =
    concatenated(&[&["ramp", "hash", "placement", "memory"], &WITH_COLUMN]);

/// What a trial is held against: the cell with the same factors but this value of this one. In a
/// definition a table of one key: `[control] hash = "slots:512"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// The factor, by its column.
    pub factor: &'static str,
    /// Its value, as in the column.
    pub value: String,
}

impl Control {
    /// The control of trials that are judged by this rule, where a definition has `given`: one that
    /// names none has none, but for a rule that needs one.
    pub fn of(given: Option<&Control>, rule: Option<&StallRule>) -> Option<Control> {
        let needed = rule.is_some_and(StallRule::needs_control);
        given.cloned().or_else(|| needed.then(Control::default))
    }
}

impl Default for Control {
    fn default() -> Control {
        DEFAULT_CONTROL.into()
    }
}

impl From<Hash> for Control {
    fn from(hash: Hash) -> Control {
        Control { factor: "hash", value: hash.to_string() }
    }
}

impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.factor, self.value)
    }
}

impl Serialize for Control {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.factor, &self.value)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for Control {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OneFactor)
    }
}

struct OneFactor;

impl<'de> Visitor<'de> for OneFactor {
    type Value = Control;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Control, A::Error> {
        let mut found: Option<Control> = None;
        while let Some(name) = map.next_key::<String>()? {
            let Some(factor) = FACTORS.into_iter().find(|factor| *factor == name) else {
                return Err(A::Error::unknown_field(&name, &FACTORS));
            };
            if let Some(before) = found {
                return Err(A::Error::custom(format!(
                    "found {} and {factor}; accepted is one factor with one value",
                    before.factor
                )));
            }
            let text: String = map.next_value_seed(ValueOf(factor))?;
            found = Some(Control { factor, value: text });
        }
        Ok(found.unwrap_or_default())
    }
}

/// Reads a value of this factor, in its canonical form.
struct ValueOf(&'static str);

impl<'de> serde::de::DeserializeSeed<'de> for ValueOf {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let mut factors = Factors::default();
        factors.set(self.0, &[String::deserialize(deserializer)?]).map_err(D::Error::custom)?;
        Ok(factors.texts(self.0).pop().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Condition;
    use serde_json::json;

    #[test]
    fn a_control_is_one_value_of_one_factor() {
        for (given, factor, value) in [
            (json!({"hash": "slots:512"}), "hash", "slots:512"),
            (json!({"unlock": "exchange"}), "unlock", "exchange"),
            (json!({"ramp": "burst"}), "ramp", "burst"),
        ] {
            let control: Control = serde_json::from_value(given.clone()).unwrap();
            assert_eq!((control.factor, control.value.as_str()), (factor, value));
            assert_eq!(serde_json::to_value(&control).unwrap(), given);
        }
        for (given, part) in [
            (json!({"threads": "8"}), "unknown field `threads`"),
            (json!({"hash": "auto", "ramp": "burst"}), "accepted is one factor"),
            (json!({"hash": "none"}), "hash \"none\""),
            (json!({"hash": 5}), "invalid type"),
        ] {
            let error = serde_json::from_value::<Control>(given).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_definition_that_names_none_has_none_unless_its_rule_needs_it() {
        assert_eq!(Control::of(None, Some(&Condition::Split.into())), None);
        let by_rule = Control::of(None, Some(&StallRule::default()));
        assert_eq!(by_rule.map(|control| control.to_string()), Some("hash slots:512".into()));
    }
}
