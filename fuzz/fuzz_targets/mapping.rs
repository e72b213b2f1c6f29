//! A mapping is read or refused, and with one a table is imported or refused.
#![no_main]

use import::format::{Format, read};
use import::ktap::Depth;
use import::mapping::Mapping;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (map, table) = input;
    let Ok(mapping) = Mapping::parse("x.toml", map) else { return };
    let _ = read(table, Some(Format::Csv), Some(&mapping), Depth::Leaves);
});
