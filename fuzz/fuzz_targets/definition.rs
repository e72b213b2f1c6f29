#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| any_input::definition(text));
