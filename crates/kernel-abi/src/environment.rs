//! This process's own environment.

use std::fs;

/// Sets a variable of this process, which libraries read as they start; `false` where another thread runs,
/// which might be reading the environment.
pub fn set(name: &str, value: &str) -> bool {
    let threads = fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
    if threads != 1 {
        return false;
    }
    // SAFETY: this is the only thread, so nobody reads or writes the environment meanwhile.
    unsafe { std::env::set_var(name, value) };
    true
}
