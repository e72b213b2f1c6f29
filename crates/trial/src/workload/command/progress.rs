//! How far a program is, by a page of counters that it may map and add to. The layout is in
//! docs/reference/progress-page.md.
//!
//! The page has no name: the variable leads to it while the trial lives. Its size is sealed, so that no
//! program can take it from under another that has it mapped.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;

use kernel_abi::Errno;
use kernel_abi::memory_file;

/// Where a program finds the path of its page.
pub const VARIABLE: &str = "STALLSCOPE_PROGRESS";

/// Bytes of the page.
const SIZE: usize = 4096;

/// Bytes from one counter to the next: no two share a cache line.
const APART: usize = 64;

/// What the page begins with, and behind it the layout's version.
const MAGIC: &[u8; 8] = b"STALLSCP";
const VERSION: u32 = 1;

/// The page of one program.
#[derive(Debug)]
pub struct Page(File);

impl Page {
    /// Makes it, with all counters at 0.
    ///
    /// # Errors
    /// What the system refuses the file in memory with.
    pub fn new() -> Result<Page, Errno> {
        let mut bytes = [0; SIZE];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_ne_bytes());
        let counters = (SIZE / APART - 1) as u32;
        bytes[12..16].copy_from_slice(&counters.to_ne_bytes());
        memory_file::of_fixed_size(&bytes).map(Page)
    }

    /// The path by which a program opens it.
    pub fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.0.as_raw_fd())
    }

    /// The counters that were added to; empty until the program does.
    pub fn counters(&self) -> Vec<u64> {
        let mut bytes = [0; SIZE];
        if self.0.read_exact_at(&mut bytes, 0).is_err() {
            return Vec::new();
        }
        let counters = bytes.chunks_exact(APART).skip(1).filter_map(|line| line.first_chunk());
        counters.map(|first| u64::from_ne_bytes(*first)).filter(|count| *count > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use super::*;

    #[test]
    fn what_is_added_to_a_counter_is_seen_and_the_size_stays() {
        let page = Page::new().expect("a page");
        assert!(page.counters().is_empty());
        let theirs = OpenOptions::new().read(true).write(true).open(page.path()).expect("opened");
        theirs.write_at(&7u64.to_ne_bytes(), 64).expect("written");
        theirs.write_at(&9u64.to_ne_bytes(), 63 * 64).expect("written");
        assert_eq!(page.counters(), [7, 9]);
        assert!(theirs.set_len(100).is_err(), "the size is sealed");
        let mut begin = [0; 16];
        theirs.read_exact_at(&mut begin, 0).expect("read");
        assert_eq!((&begin[..8], begin[12]), (&b"STALLSCP"[..], 63));
    }
}
