//! The CSV that `experiments stat` reads. Its reader is in a program, so its files are taken in here.
#![no_main]
#![allow(dead_code)]

#[path = "../../crates/experiments/src/cmd/stat/columns.rs"]
mod columns;
#[path = "../../crates/experiments/src/cmd/stat/csv_text.rs"]
mod csv_text;
#[path = "../../crates/experiments/src/failure.rs"]
mod failure;
#[path = "../../crates/experiments/src/words.rs"]
mod words;

use columns::Columns;
use csv_text::CsvText;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let read = CsvText::read("any.csv".to_string(), bytes)
        .and_then(|text| Columns::of(&text, &[&["time", "event"], &["threads", "n", "k"]]));
    match read {
        Ok(columns) => {
            for row in columns.rows() {
                for name in columns.names() {
                    for error in [row.count(name).err(), row.number(name).err()].into_iter().flatten() {
                        any_input::shown(&error.to_string());
                    }
                }
            }
        }
        Err(error) => any_input::shown(&error.to_string()),
    }
});
