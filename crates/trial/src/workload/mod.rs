//! What the threads of a trial do: one file a workload, all behind [`Work`](crate::work::Work).
//!
//! A workload has its threads' loop and knows what it measures beside the common columns. It does
//! not know how its threads come to be, when the window begins, or what is sampled: that is the
//! driver's. While threads work, nothing but the workload may touch a private futex, take a lock
//! or allocate.

pub mod command;
pub mod epoll;
pub mod messenger;
pub mod mutex;
pub mod resize;
mod spin;
pub mod wake_storm;
