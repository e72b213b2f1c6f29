//! A file of rows is read or refused; what is kept of a torn one is read again, whole.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use model::columns::{CHECKS, EVENTS, METRICS, NOTES, PIVOTS, PLAN, TIMELINE, TRIALS};
use records::table::Table;

fuzz_target!(|input: (u8, &[u8])| {
    let columns = match input.0 % 8 {
        0 => &TRIALS[..],
        1 => &PLAN,
        2 => &TIMELINE,
        3 => &METRICS,
        4 => &PIVOTS,
        5 => &EVENTS,
        6 => &CHECKS,
        _ => &NOTES,
    };
    let file = Path::new("x.csv");
    // With the right header, so that what follows is reached.
    let bytes = [model::column::header(columns).as_bytes(), b"\n", input.1].concat();
    for bytes in [bytes, input.1.to_vec()] {
        let Ok(table) = Table::parse(file, bytes, columns) else { continue };
        let again = Table::parse(file, table.text.clone().into_bytes(), columns).expect("whole rows");
        assert_eq!((again.rows, again.torn), (table.rows, None));
    }
});
