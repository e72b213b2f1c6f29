//! Whether a line on standard error can be drawn again.

use std::io::{self, IsTerminal};

/// Whether standard error is a terminal that takes escape sequences: a dumb one, as in an editor or a
/// build log, prints them.
pub fn redraws() -> bool {
    io::stderr().is_terminal() && takes_sequences(std::env::var_os("TERM").as_deref())
}

fn takes_sequences(term: Option<&std::ffi::OsStr>) -> bool {
    term.is_some_and(|term| term != "dumb" && !term.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dumb_terminal_takes_no_sequence() {
        assert!(takes_sequences(Some("xterm-256color".as_ref())));
        for term in [Some("dumb".as_ref()), Some("".as_ref()), None] {
            assert!(!takes_sequences(term), "{term:?}");
        }
    }
}
