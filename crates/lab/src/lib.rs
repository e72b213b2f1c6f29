//! The kernel lab: stock and patched kernels ([`kernels`]) in QEMU guests that do trials, so that
//! a machine with two cores shows the races of one with many.

pub mod build;
pub mod cache;
pub mod elf;
pub mod error;
pub mod kernels;
