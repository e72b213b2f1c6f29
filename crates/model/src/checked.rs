//! Values that serde reads only within their bounds, for `#[serde(deserialize_with = …)]`.

use std::fmt;

use serde::de::{Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

use crate::factor::Span;

/// Reads a number above 0, at most `most`, or nothing.
fn number<'de, D: Deserializer<'de>>(
    deserializer: D,
    most: f64,
    accepted: &str,
) -> Result<Option<f64>, D::Error> {
    match Option::<f64>::deserialize(deserializer)? {
        Some(x) if !(x.is_finite() && x > 0.0 && x <= most) => {
            Err(D::Error::invalid_value(Unexpected::Float(x), &accepted))
        }
        number => Ok(number),
    }
}

/// Reads a share, or nothing.
pub(crate) fn share<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    number(from, 1.0, "a number above 0 and up to 1")
}

/// Reads a number above 0, or nothing.
pub(crate) fn above_zero<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    number(from, f64::MAX, "a number above 0")
}

/// Reads a whole number from 1.
pub(crate) fn from_1<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    optional_from_1(from).map(Option::unwrap_or_default)
}

/// Reads a whole number from 1, or nothing.
pub(crate) fn optional_from_1<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    match Option::<i64>::deserialize(from)? {
        Some(n) if n < 1 => {
            Err(D::Error::invalid_value(Unexpected::Signed(n), &"a whole number from 1"))
        }
        n => Ok(n.map(|n| n as u64)),
    }
}

/// Reads a time above 0, or nothing.
pub(crate) fn optional_time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Span>, D::Error> {
    match Option::<Span>::deserialize(from)? {
        Some(span) if span.is_zero() => {
            Err(D::Error::invalid_value(Unexpected::Str("0s"), &"a time above 0"))
        }
        span => Ok(span),
    }
}

/// Reads a time above 0.
pub(crate) fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Span, D::Error> {
    let nothing = || D::Error::invalid_value(Unexpected::Option, &"a time above 0");
    optional_time(from)?.ok_or_else(nothing)
}

/// A value or a list of values, as texts: whole numbers may stand without quotes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Texts(pub Vec<String>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextsVisitor)
    }
}

struct TextsVisitor;

impl<'de> Visitor<'de> for TextsVisitor {
    type Value = Texts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or a list of values, each a text in quotes or a whole number")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Texts, E> {
        Ok(Texts(vec![text.to_string()]))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Texts, E> {
        Ok(Texts(vec![number.to_string()]))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Texts, E> {
        Ok(Texts(vec![number.to_string()]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Texts, A::Error> {
        let mut texts = Vec::new();
        while let Some(Texts(one)) = list.next_element()? {
            texts.extend(one);
        }
        match texts.is_empty() {
            true => Err(A::Error::custom("the list is empty: at least one value is needed")),
            false => Ok(Texts(texts)),
        }
    }
}
