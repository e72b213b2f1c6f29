#![no_main]

use import::format::Format;

libfuzzer_sys::fuzz_target!(|text: &str| any_input::imported(text, Some(Format::PerfBenchFutex)));
