//! A mapping, a line of `----`, and the CSV that it is of.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    let (mapping, csv) = text.split_once("\n----\n").unwrap_or((text, ""));
    any_input::mapped(mapping, csv);
});
