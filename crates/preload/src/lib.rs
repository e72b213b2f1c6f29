//! A library for `LD_PRELOAD` that sets the private futex hash of a program that is not ours.
//!
//! The hash belongs to the address space and exec makes a new one, so whoever starts a program
//! can't set it; a function that the loader calls can, before the program has threads. As the
//! program exits the slots are read once more, so that the setting is shown to have held.
//!
//! | variable | holds |
//! | --- | --- |
//! | `STALLSCOPE_SLOTS_REPORT` | the file to report to, appended to; without it nothing is done |
//! | `STALLSCOPE_SLOTS` | what to ask for: `512`, `0` for the global hash, `512+immutable`; without it nothing is asked, and the slots are only read |
//!
//! Each line of the report is one of
//!
//! ```text
//! begin PID BEFORE AFTER ERRNO    a program was loaded; ERRNO 0: granted, or nothing was asked
//! fork PID BEFORE AFTER ERRNO     a forked child, whose new address space was asked again
//! end PID SLOTS                   a process exited
//! ```
//!
//! with `-` for slots that the kernel doesn't tell. A child of fork(2) has a new hash like a new
//! program, so it is asked again before it goes on.

use std::fmt::Arguments;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::OnceLock;

use kernel_abi::futex_hash;
use kernel_abi::library;

kernel_abi::at_load!(begin);
kernel_abi::at_exit!(end);

/// What the environment asked for.
struct Order {
    report: String,
    /// Slots, and whether immutable.
    request: Option<(u32, bool)>,
}

static ORDER: OnceLock<Order> = OnceLock::new();

fn begin() {
    let Ok(report) = std::env::var("STALLSCOPE_SLOTS_REPORT") else { return };
    let request = match std::env::var("STALLSCOPE_SLOTS") {
        Ok(text) => match parse(&text) {
            Some(request) => Some(request),
            // Without a `begin` the trial is refused, which is what a bad order deserves.
            None => return,
        },
        Err(_) => None,
    };
    let order = ORDER.get_or_init(|| Order { report, request });
    ask(order, "begin");
    // Refused for want of memory, a forked child would report nothing but its end.
    let _ = library::after_fork_in_child(forked);
}

extern "C" fn forked() {
    if let Some(order) = ORDER.get() {
        ask(order, "fork");
    }
}

fn end() {
    if let Some(order) = ORDER.get() {
        say(order, format_args!("end {} {}\n", std::process::id(), Slots::now()));
    }
}

fn ask(order: &Order, event: &str) {
    let before = Slots::now();
    let errno = match order.request {
        Some((slots, immutable)) => {
            futex_hash::request_slots(slots, immutable).err().map_or(0, |errno| errno.0)
        }
        None => 0,
    };
    let pid = std::process::id();
    say(order, format_args!("{event} {pid} {before} {} {errno}\n", Slots::now()));
}

/// One write to a file opened for appending: lines of several processes don't mix. Made on the
/// stack, since a forked child must not wait for the allocator's locks.
fn say(order: &Order, line: Arguments<'_>) {
    let mut buffer = [0u8; 96];
    let mut rest = &mut buffer[..];
    if rest.write_fmt(line).is_err() {
        return;
    }
    let left = rest.len();
    let length = buffer.len() - left;
    if let Ok(mut file) = OpenOptions::new().append(true).open(&order.report) {
        let _ = file.write_all(buffer.get(..length).unwrap_or(&[]));
    }
}

/// The slots of this process, as the report writes them.
struct Slots(Option<u32>);

impl Slots {
    fn now() -> Slots {
        Slots(futex_hash::get_slots().ok())
    }
}

impl std::fmt::Display for Slots {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(slots) => write!(f, "{slots}"),
            None => f.write_str("-"),
        }
    }
}

fn parse(text: &str) -> Option<(u32, bool)> {
    match text.strip_suffix("+immutable") {
        Some(number) => Some((number.parse().ok()?, true)),
        None => Some((text.parse().ok()?, false)),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn an_order_is_a_number_with_or_without_its_flag() {
        assert_eq!(parse("512"), Some((512, false)));
        assert_eq!(parse("0"), Some((0, false)));
        assert_eq!(parse("64+immutable"), Some((64, true)));
        for text in ["", "auto", "+immutable", "-1", "64+", "99999999999"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
