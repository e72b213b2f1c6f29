//! What the kernel's tracing offers this process.

use std::fs::{self, File};
use std::path::Path;

/// What is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tracing {
    /// Whether tracefs is mounted anywhere.
    pub is_mounted: bool,
    /// Whether this process may add kprobe events.
    pub kprobe_events: bool,
    /// Whether the kernel has its type information.
    pub btf: bool,
}

impl Tracing {
    /// Looks, and changes nothing.
    pub fn look() -> Tracing {
        let folders = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"].map(Path::new);
        // Opening for writing changes nothing, and is the only proof of the right to.
        let writable = |folder: &&Path| {
            File::options().append(true).open(folder.join("kprobe_events")).is_ok()
        };
        Tracing {
            is_mounted: fs::read_to_string("/proc/self/mounts").is_ok_and(|mounts| {
                mounts.lines().any(|line| line.split(' ').nth(2) == Some("tracefs"))
            }),
            kprobe_events: folders.iter().any(writable),
            btf: Path::new("/sys/kernel/btf/vmlinux").exists(),
        }
    }
}

/// Whether the kernel has a symbol of this name; `None` where its symbols can't be read. All may
/// read the names, if not the addresses.
pub fn symbol(name: &str) -> Option<bool> {
    let symbols = fs::read_to_string("/proc/kallsyms").ok()?;
    Some(symbols.lines().any(|line| line.split_ascii_whitespace().nth(2) == Some(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_matched_whole() {
        if let Some(found) = symbol("futex_ref") {
            assert!(!found);
        }
    }
}
