//! What serde says of a value that it can't read, in plain words: the key, what was found, what is
//! accepted.

/// The sentence. `key` is a path such as `machine.nodes`, and `.` or empty at the top; `message` is
/// serde's.
pub fn problem(key: &str, message: &str) -> String {
    let at_top = key.is_empty() || key == ".";
    let below = |name: &str| if at_top { name.to_string() } else { format!("{key}.{name}") };
    let quoted = |prefix: &str| message.strip_prefix(prefix)?.split('`').nth(1);
    if let Some(name) = quoted("missing field ") {
        return format!("the key {} is missing", below(name));
    }
    if let Some(name) = quoted("duplicate field ") {
        return format!("the key {} stands there twice", below(name));
    }
    if let Some(name) = quoted("unknown field ") {
        return format!("the key {} is not known", below(name));
    }
    let key = if at_top { "the whole text" } else { key };
    match found_and_accepted(message) {
        Some((found, accepted)) => format!("{key} is {found}; accepted is {accepted}"),
        // From our own types: already a sentence with what is accepted.
        None => format!("{key}: {message}"),
    }
}

/// What was found and what is accepted, where serde says both.
pub fn found_and_accepted(message: &str) -> Option<(String, String)> {
    let (what, expected) = ["invalid type: ", "invalid value: ", "invalid length "]
        .iter()
        .find_map(|kind| message.strip_prefix(kind)?.rsplit_once(", expected "))?;
    Some((found(what), accepted(expected)))
}

/// `string "x"`, `` integer `5` ``, `map` in the words of JSON and TOML.
fn found(what: &str) -> String {
    match what {
        "map" => "an object".to_string(),
        "sequence" => "a list".to_string(),
        "null" | "unit" | "Option value" => "null".to_string(),
        _ => match what.split_once(' ') {
            Some(("string", text)) => text.to_string(),
            Some(("integer" | "boolean", number)) => {
                number.split('`').nth(1).unwrap_or(number).to_string()
            }
            Some(("floating", rest)) => rest.split('`').nth(1).unwrap_or(rest).to_string(),
            _ if what.parse::<usize>().is_ok() => format!("a list of {what}"),
            _ => what.to_string(),
        },
    }
}

/// A type of Rust in the words of JSON and TOML.
fn accepted(expected: &str) -> String {
    let what = match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0",
        "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a string" | "a borrowed string" | "str" => "a text in quotes",
        "a boolean" => "true or false",
        "a sequence" => "a list: [ … ]",
        "a map" => "an object: { … }",
        _ if expected.starts_with("struct ") => "an object: { … }",
        _ if expected.starts_with("a tuple of size 2") || expected == "tuple of 2 elements" => {
            "a list of two"
        }
        other => other,
    };
    what.to_string()
}
