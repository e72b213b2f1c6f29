//! A manifest is read or refused.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = records::manifest::parse(Path::new("manifest.json"), text);
});
