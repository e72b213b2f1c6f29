//! One table of a definition: hands out its keys by type, and refuses those that nobody asked for.

use toml_edit::{Item, TableLike};

use super::{DefinitionError, did_you_mean};

/// The text of a definition, to tell lines.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub file: &'a str,
    pub text: &'a str,
}

impl Text<'_> {
    /// The error at a byte of the text.
    pub fn error_at(&self, at: Option<usize>, problem: impl Into<String>) -> DefinitionError {
        match at {
            Some(at) => DefinitionError::At {
                file: self.file.to_string(),
                line: 1 + self.text.bytes().take(at).filter(|byte| *byte == b'\n').count(),
                problem: problem.into(),
            },
            None => DefinitionError::Whole { file: self.file.to_string(), problem: problem.into() },
        }
    }
}

/// A table by its path (`quick.factors`; empty at the top).
pub(super) struct TomlTable<'a> {
    text: Text<'a>,
    path: String,
    table: &'a dyn TableLike,
}

impl<'a> TomlTable<'a> {
    /// Over a table whose keys must be among `accepted`.
    pub fn new(
        text: Text<'a>,
        path: &str,
        table: &'a dyn TableLike,
        accepted: &[&str],
    ) -> Result<Self, DefinitionError> {
        for (key, item) in table.iter() {
            if !accepted.contains(&key) {
                let at = table.key(key).and_then(|key| key.span()).or_else(|| item.span());
                let of = if path.is_empty() { String::new() } else { format!(" in [{path}]") };
                return Err(text.error_at(
                    at.map(|span| span.start),
                    format!(
                        "unknown key {key:?}{of}{}; accepted is {}",
                        did_you_mean(key, accepted.iter().copied()),
                        accepted.join(", ")
                    ),
                ));
            }
        }
        Ok(TomlTable { text, path: path.to_string(), table })
    }

    /// Whether it has the key.
    pub fn has(&self, key: &str) -> bool {
        self.table.get(key).is_some()
    }

    fn name(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_string() } else { format!("{}.{key}", self.path) }
    }

    /// An error at a key's value.
    pub fn error(&self, key: &str, problem: impl std::fmt::Display) -> DefinitionError {
        let at = self.table.get(key).and_then(Item::span).map(|span| span.start);
        self.text.error_at(at, format!("{}: {problem}", self.name(key)))
    }

    fn wrong(&self, key: &str, item: &Item, accepted: &str) -> DefinitionError {
        let found = item.to_string();
        let mut found: String = found.trim().chars().take(40).collect();
        if found.is_empty() {
            found = item.type_name().to_string();
        }
        self.error(key, format!("found {found}; accepted is {accepted}"))
    }

    /// A text.
    pub fn text(&self, key: &str) -> Result<Option<String>, DefinitionError> {
        match self.table.get(key) {
            None => Ok(None),
            Some(item) => match item.as_str() {
                Some(text) => Ok(Some(text.to_string())),
                None => Err(self.wrong(key, item, "a text in quotes")),
            },
        }
    }

    /// A text that is parsed; errors say the key and the line.
    pub fn parsed<T: std::str::FromStr>(&self, key: &str) -> Result<Option<T>, DefinitionError>
    where
        T::Err: std::fmt::Display,
    {
        match self.text(key)? {
            None => Ok(None),
            Some(text) => text.parse().map(Some).map_err(|error| self.error(key, error)),
        }
    }

    /// A whole number from `least`.
    pub fn whole(&self, key: &str, least: u64) -> Result<Option<u64>, DefinitionError> {
        match self.table.get(key) {
            None => Ok(None),
            Some(item) => match item.as_integer().and_then(|n| u64::try_from(n).ok()) {
                Some(n) if n >= least => Ok(Some(n)),
                _ => Err(self.wrong(key, item, &format!("a whole number from {least}"))),
            },
        }
    }

    /// A truth value.
    pub fn flag(&self, key: &str) -> Result<Option<bool>, DefinitionError> {
        match self.table.get(key) {
            None => Ok(None),
            Some(item) => match item.as_bool() {
                Some(value) => Ok(Some(value)),
                None => Err(self.wrong(key, item, "`true` or `false`")),
            },
        }
    }

    /// A number above 0.
    pub fn positive(&self, key: &str) -> Result<Option<f64>, DefinitionError> {
        match self.table.get(key) {
            None => Ok(None),
            Some(item) => {
                let number = item.as_float().or_else(|| item.as_integer().map(|n| n as f64));
                match number {
                    Some(n) if n.is_finite() && n > 0.0 => Ok(Some(n)),
                    _ => Err(self.wrong(key, item, "a number above 0")),
                }
            }
        }
    }

    /// A value or a list of values, as texts: numbers may stand without quotes.
    pub fn texts(&self, key: &str) -> Result<Option<Vec<String>>, DefinitionError> {
        let accepted = "a value or a list of values, each a text in quotes or a whole number";
        let one = |value: &toml_edit::Value| {
            value.as_str().map(str::to_string).or_else(|| value.as_integer().map(|n| n.to_string()))
        };
        let Some(item) = self.table.get(key) else { return Ok(None) };
        let Some(value) = item.as_value() else { return Err(self.wrong(key, item, accepted)) };
        let texts = match value.as_array() {
            Some(array) => array.iter().map(one).collect::<Option<Vec<_>>>(),
            None => one(value).map(|text| vec![text]),
        };
        match texts {
            Some(texts) if texts.is_empty() => {
                Err(self.error(key, "the list is empty: at least one value is needed"))
            }
            Some(texts) => Ok(Some(texts)),
            None => Err(self.wrong(key, item, accepted)),
        }
    }

    /// A table below, whose keys must be among `accepted`.
    pub fn table(
        &self,
        key: &str,
        accepted: &[&str],
    ) -> Result<Option<TomlTable<'a>>, DefinitionError> {
        match self.table.get(key) {
            None => Ok(None),
            Some(item) => match item.as_table_like() {
                Some(table) => {
                    TomlTable::new(self.text, &self.name(key), table, accepted).map(Some)
                }
                None => Err(self.wrong(key, item, &format!("a table: [{}]", self.name(key)))),
            },
        }
    }

    /// A table below with free keys and texts as values.
    pub fn free_table(&self, key: &str) -> Result<Vec<(String, String)>, DefinitionError> {
        let Some(item) = self.table.get(key) else { return Ok(Vec::new()) };
        let Some(table) = item.as_table_like() else {
            return Err(self.wrong(key, item, &format!("a table: [{}]", self.name(key))));
        };
        let path = self.name(key);
        table
            .iter()
            .map(|(name, item)| match item.as_str() {
                Some(text) => Ok((name.to_string(), text.to_string())),
                None => Err(self.text.error_at(
                    item.span().map(|span| span.start),
                    format!("{path}.{name}: accepted is a text in quotes"),
                )),
            })
            .collect()
    }
}
