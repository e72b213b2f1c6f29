//! The values of a mapping: a column of the CSV by its name alone or with how it is read, a text that
//! is the same in every row, a metric.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_untagged::UntaggedEnumVisitor;

/// One of the CSV's columns, and how its cells are to be read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Column {
    /// Its name in the CSV.
    pub column: String,
    /// What a number is multiplied with, above 0.
    pub scale: Option<f64>,
    /// What each text stands for.
    pub values: Option<BTreeMap<String, Plain>>,
}

/// A text of every row, or a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Text {
    /// The same in every row.
    Constant(String),
    /// A cell.
    Column(Column),
}

/// A metric's column and unit.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(from = "MetricTable")]
pub struct Metric {
    /// The column that holds the metric's values.
    pub column: Column,
    /// The unit of the values.
    pub unit: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "{ column = \"…\", unit = \"…\" }: a metric has a unit")]
struct MetricTable {
    column: String,
    scale: Option<Scale>,
    values: Option<BTreeMap<String, Plain>>,
    unit: String,
}

impl From<MetricTable> for Metric {
    fn from(table: MetricTable) -> Metric {
        let MetricTable { column, scale, values, unit } = table;
        Metric { column: ColumnTable { column, scale, values }.into(), unit }
    }
}

/// A text, a number or a truth value, as the text of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plain(pub String);

/// A finite factor above 0.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
struct Scale(f64);

impl TryFrom<f64> for Scale {
    type Error = &'static str;

    fn try_from(scale: f64) -> Result<Scale, Self::Error> {
        let good = scale.is_finite() && scale > 0.0;
        good.then_some(Scale(scale)).ok_or("accepted is a number above 0")
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ColumnTable {
    column: String,
    scale: Option<Scale>,
    values: Option<BTreeMap<String, Plain>>,
}

impl From<ColumnTable> for Column {
    fn from(table: ColumnTable) -> Column {
        let ColumnTable { column, scale, values } = table;
        Column { column, scale: scale.map(|Scale(scale)| scale), values }
    }
}

impl Column {
    /// A column whose cells are taken as they are.
    pub fn named(column: &str) -> Column {
        Column { column: column.to_string(), ..Column::default() }
    }
}

/// What a value of the mapping may be besides a text.
fn value<'de, T: 'static>(
    expecting: &'static str,
    text: fn(&str) -> T,
) -> UntaggedEnumVisitor<'static, 'de, T> {
    UntaggedEnumVisitor::new().expecting(expecting).string(move |found| Ok(text(found)))
}

impl<'de> Deserialize<'de> for Column {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Column, D::Error> {
        value("a column's name, or { column = \"…\" } with scale or values", Column::named)
            .map(|map| map.deserialize::<ColumnTable>().map(Column::from))
            .deserialize(from)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
        value("a text or { column = \"…\" }", |text| Text::Constant(text.to_string()))
            .i64(|number| Ok(Text::Constant(number.to_string())))
            .f64(|number| Ok(Text::Constant(number.to_string())))
            .bool(|truth| Ok(Text::Constant(truth.to_string())))
            .map(|map| map.deserialize::<ColumnTable>().map(|table| Text::Column(table.into())))
            .deserialize(from)
    }
}

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Plain, D::Error> {
        value("a text, a number, true or false", |text| Plain(text.to_string()))
            .i64(|number| Ok(Plain(number.to_string())))
            .f64(|number| Ok(Plain(number.to_string())))
            .bool(|truth| Ok(Plain(truth.to_string())))
            .deserialize(from)
    }
}
