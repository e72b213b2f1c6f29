//! A definition is read or refused; one that was read is written to a manifest and read back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use model::definition::{Definition, parse};

fuzz_target!(|text: &str| {
    let Ok(definition) = parse("x.toml", "x", text) else { return };
    let json = serde_json::to_string(&definition).expect("a definition has a JSON form");
    let back: Definition = serde_json::from_str(&json).expect("and is read back");
    assert_eq!(back, definition);
});
