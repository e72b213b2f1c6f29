#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| any_input::rows(bytes));
