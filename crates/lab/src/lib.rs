//! The kernel lab: stock and patched kernels ([`kernels`]) in QEMU guests ([`guest`]) that do
//! trials, so that a machine with two cores shows the races of one with many.

pub mod build;
pub mod cache;
pub mod complaint;
pub mod console;
pub mod elf;
pub mod error;
pub mod executor;
pub mod guest;
pub mod kernels;
