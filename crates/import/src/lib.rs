//! Outside measurements as the rows of a run: text in, records out. A file a format.
//!
//! What a source does not say stays empty; what can't be empty (how many threads, which hash
//! policy) must be said by who imports it. A line that is not understood is kept and counted, so
//! that nothing is left out of a result in silence. Nothing is read from or written to a disk here.

pub mod cells;
pub mod check;
pub mod definition;
pub mod files;
pub mod fill;
pub mod format;
pub mod imported;
pub mod ktap;
mod lines;
pub mod mapped_csv;
pub mod mapping;
pub mod mapping_value;
pub mod perf_bench_futex;
pub mod reproducer;
pub mod schbench;
pub mod toml_file;
