//! Reads a JSON file of a run; what is wrong with it is a sentence with the line and the key.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::RecordError;

/// The value in `text`; `file` is for the messages.
pub fn read<T: DeserializeOwned>(file: &Path, text: &str) -> Result<T, RecordError> {
    let wrong = |line: usize, problem: String| RecordError::Row {
        file: file.to_path_buf(),
        line: line.max(1),
        problem,
    };
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let key = error.path().to_string();
        let error = error.into_inner();
        wrong(line(text, &key, &error), sentence(&key, &error))
    })?;
    reader.end().map_err(|error| wrong(error.line(), sentence(".", &error)))?;
    Ok(value)
}

/// The line of the value that is wrong. What a type of ours refuses is placed by the parser where
/// the object around it ends: its key is above that.
fn line(text: &str, key: &str, error: &serde_json::Error) -> usize {
    let by_the_parser = ["invalid ", "missing ", "duplicate ", "unknown "];
    let message = error.to_string();
    if error.classify() != Category::Data
        || by_the_parser.iter().any(|kind| message.starts_with(kind))
    {
        return error.line();
    }
    let name = key.rsplit('.').next().and_then(|name| name.split('[').next()).unwrap_or_default();
    let quoted = format!("\"{name}\"");
    let above: Vec<&str> = text.lines().take(error.line()).collect();
    above.iter().rposition(|line| line.contains(&quoted)).map_or(error.line(), |at| at + 1)
}

/// What is wrong, without its place in the file. `key` is a path such as `machine.nodes`, and `.`
/// at the top.
fn sentence(key: &str, error: &serde_json::Error) -> String {
    // The parser says the place at the end, in words of its own.
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(said, _)| said);
    match error.classify() {
        Category::Eof => "the text ends in the middle of a value, so the file is torn".to_string(),
        Category::Syntax | Category::Io => {
            format!("it is not JSON at column {}: {message}", error.column())
        }
        Category::Data => model::serde_words::problem(key, message),
    }
}

#[cfg(test)]
mod tests {
    use model::factor::Hash;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Outer {
        #[allow(dead_code)]
        inner: Inner,
        #[allow(dead_code)]
        patches: Vec<(String, String)>,
    }

    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Inner {
        nodes: u32,
        hash: Option<Hash>,
        on: Option<bool>,
        share: Option<f64>,
        names: Option<Vec<String>>,
    }

    fn said(text: &str) -> String {
        read::<Outer>(Path::new("R/x.json"), text).unwrap_err().to_string()
    }

    #[test]
    fn the_line_the_key_what_was_found_and_what_is_accepted() {
        let with =
            |inner: &str| said(&format!("{{\n\"inner\": {{\n{inner}\n}}, \"patches\": []\n}}"));
        for (inner, sentence) in [
            (
                "\"nodes\": \"two\"",
                "line 3: inner.nodes is \"two\"; accepted is a whole number from 0",
            ),
            ("\"nodes\": -1", "line 3: inner.nodes is -1; accepted is a whole number from 0"),
            ("\"nodes\": 1.5", "line 3: inner.nodes is 1.5; accepted is a whole number from 0"),
            ("\"nodes\": null", "line 3: inner.nodes is null; accepted is a whole number from 0"),
            (
                "\"nodes\": {}",
                "line 3: inner.nodes is an object; accepted is a whole number from 0",
            ),
            (
                "\"nodes\": 5000000000",
                "line 3: inner.nodes is 5000000000; accepted is a whole number from 0",
            ),
            ("\"nodes\": 1,\n\"on\": 3", "line 4: inner.on is 3; accepted is true or false"),
            (
                "\"nodes\": 1, \"share\": \"x\"",
                "line 3: inner.share is \"x\"; accepted is a number",
            ),
            (
                "\"nodes\": 1, \"names\": \"x\"",
                "line 3: inner.names is \"x\"; accepted is a list: [ … ]",
            ),
            (
                "\"nodes\": 1, \"names\": [\n4]",
                "line 4: inner.names[0] is 4; accepted is a text in quotes",
            ),
            ("\"nodes\": 1, \"nodes\": 1", "line 3: the key inner.nodes stands there twice"),
            ("\"on\": true", "line 4: the key inner.nodes is missing"),
        ] {
            assert_eq!(with(inner), format!("R/x.json {sentence}"));
        }
        let hash = with("\"nodes\": 1, \"hash\": \"slots:500\"");
        assert!(hash.starts_with("R/x.json line 3: inner.hash: hash \"slots:500\" "), "{hash}");
        assert!(hash.contains("accepted is") && !hash.contains("column"), "{hash}");
        assert_eq!(
            said("[]"),
            "R/x.json line 1: the whole text is a list of 0; accepted is an object: { … }"
        );
        assert_eq!(said("3"), "R/x.json line 1: the whole text is 3; accepted is an object: { … }");
        let patches = "{\"inner\": {\"nodes\": 1}, \"patches\": [[\"a\"]]}";
        assert_eq!(
            said(patches),
            "R/x.json line 1: patches[0] is a list of 1; accepted is a list of two"
        );
    }

    #[test]
    fn what_is_no_json_is_told_from_what_is_torn() {
        for text in ["", "{", "{\"inner\": {\"nodes\": 1", "{\"inner\": \"abc"] {
            assert!(said(text).contains("the file is torn"), "{text}: {}", said(text));
        }
        let colon = said("{\n\"inner\" 3}");
        assert!(colon.starts_with("R/x.json line 2: it is not JSON at column "), "{colon}");
        assert!(colon.ends_with(": expected `:`"), "{colon}");
        let whole = "{\"inner\": {\"nodes\": 1}, \"patches\": []}";
        assert!(read::<Outer>(Path::new("x"), whole).is_ok());
        assert!(
            said(&format!("{whole}\n}}")).contains("line 2: it is not JSON at column 1: trailing")
        );
    }
}
