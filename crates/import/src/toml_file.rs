//! Reads a TOML file by serde; what is wrong with it is told with the line, the key, what was found and
//! what is accepted.

use model::serde_words::found_and_accepted;
use serde::de::DeserializeOwned;
use thiserror::Error;
use toml::de::{DeTable, DeValue};
use toml::{Deserializer, Spanned};

/// A TOML file that can't be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}{}: {problem}", line.map_or(String::new(), |line| format!(", line {line}")))]
pub struct BadToml {
    file: String,
    line: Option<usize>,
    problem: String,
}

/// A file that is TOML.
pub struct TomlFile<'a> {
    file: &'a str,
    text: &'a str,
    document: Spanned<DeTable<'a>>,
}

impl<'a> TomlFile<'a> {
    /// Parses the text; `file` is for messages.
    pub fn parse(file: &'a str, text: &'a str) -> Result<TomlFile<'a>, BadToml> {
        let document = DeTable::parse(text).map_err(|error| {
            let mut problem = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
            let at = error.span().map(|span| span.start);
            // The parser takes a bare word for a boolean that went wrong.
            if let Some((key, word)) = at.and_then(|at| bare_word(line_at(text, at))) {
                problem += &format!(". A text stands in quotes: {key} = \"{word}\"");
            }
            bad(file, text, at, problem)
        })?;
        Ok(TomlFile { file, text, document })
    }

    /// Reads a value of it.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, BadToml> {
        let from = Deserializer::from(self.document.clone());
        serde_path_to_error::deserialize(from).map_err(|error| {
            let path = error.path().to_string().trim_start_matches('.').to_string();
            let error = error.into_inner();
            let span = error.span();
            let found = span.clone().and_then(|span| self.text.get(span)).unwrap_or_default();
            let (path, mut problem) = problem(&path, error.message(), found);
            let at = self.place(&path).or(span.map(|span| span.start));
            if let Some(key) = at.and_then(|at| dotted_key(line_at(self.text, at))) {
                problem += &format!("; a key with a dot stands in quotes: \"{key}\"");
            }
            bad(self.file, self.text, at, problem)
        })
    }

    /// An error at a key, by its path.
    pub fn error(&self, path: &str, problem: &str) -> BadToml {
        bad(self.file, self.text, self.place(path), format!("{path}: {problem}"))
    }

    /// Where a key stands, by its path.
    fn place(&self, path: &str) -> Option<usize> {
        let mut table = self.document.get_ref();
        let mut at = None;
        for part in path.split('.') {
            let found = table.iter().find(|(key, _)| key.get_ref() == part);
            let Some((key, value)) = found else { break };
            at = Some(key.span().start);
            match value.get_ref() {
                DeValue::Table(below) => table = below,
                _ => break,
            }
        }
        at
    }
}

/// The path of the key that is wrong, and the sentence. `found` is the text of the value.
fn problem(path: &str, message: &str, found: &str) -> (String, String) {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    if let (Some((key, known)), true) = (quoted.split_first(), message.starts_with("unknown field"))
    {
        let table = path.strip_suffix(key).map_or(path, |table| table.trim_end_matches('.'));
        let of = if table.is_empty() { String::new() } else { format!(" in [{table}]") };
        let full = if table.is_empty() { key.to_string() } else { format!("{table}.{key}") };
        return (full, format!("unknown key {key:?}{of}; accepted is {}", known.join(", ")));
    }
    let short: String = found.trim().chars().take(40).collect();
    let problem = match (found_and_accepted(message), quoted.split_first()) {
        (Some((_, accepted)), _) => format!("found {short}; accepted is {accepted}"),
        (None, Some((_, known))) if message.starts_with("unknown variant") => {
            format!("found {short}; accepted is {}", known.join(", "))
        }
        (None, Some((key, _))) if message.starts_with("missing field") => {
            format!("{key} is missing")
        }
        _ => message.to_string(),
    };
    (path.to_string(), format!("{path}: {problem}"))
}

fn bad(file: &str, text: &str, at: Option<usize>, problem: String) -> BadToml {
    let line = at.map(|at| 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count());
    BadToml { file: file.to_string(), line, problem }
}

/// The line that a place is in.
fn line_at(text: &str, at: usize) -> &str {
    let from = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    text.get(from..).and_then(|rest| rest.lines().next()).unwrap_or("")
}

/// The key and the value of a line whose value is a word without quotes.
fn bare_word(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once('=')?;
    let word = value.split('#').next()?.trim();
    let is_word =
        word.starts_with(|c: char| c.is_alphabetic()) && !["true", "false"].contains(&word);
    (is_word && !word.contains('"')).then_some((key.trim(), word))
}

/// The key of a line that has a dot outside of quotes, and so is a key in a table of its own.
fn dotted_key(line: &str) -> Option<&str> {
    let key = line.split_once('=')?.0.trim();
    (key.contains('.') && !key.contains(['"', '\''])).then_some(key)
}
