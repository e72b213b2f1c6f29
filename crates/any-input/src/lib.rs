//! What must be true of every reader, whatever it is given: it does not panic, what it accepts is
//! accepted by all that comes after it, and what is printed of it moves no terminal's cursor.
//!
//! A function a reader, which panics where that is not so. The fuzz targets in `fuzz/` and the property
//! tests beside this crate both call it.

mod definition;
mod import;
mod run;
mod watcher;

pub use crate::definition::definition;
pub use crate::import::{imported, mapped};
pub use crate::run::{manifest, rows};
pub use crate::watcher::console;

/// Fails where a terminal would act on a text.
pub fn shown(text: &str) {
    let acts = |c: &char| {
        let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        turns || (c.is_control() && *c != '\n' && *c != '\t')
    };
    let found = text.chars().find(acts);
    assert!(found.is_none(), "a terminal acts on {found:?} in {text:?}");
}

/// An error is a sentence, and neutral where the edge prints it.
fn refused(error: &impl std::fmt::Display) {
    let sentence = error.to_string();
    assert!(!sentence.trim().is_empty(), "an error without words");
    shown(&report::neutral::plain(&sentence));
}
