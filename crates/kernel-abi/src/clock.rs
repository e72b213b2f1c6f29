//! The monotonic clock, read and slept on without a futex.
//!
//! `std::thread::sleep` would do as well today, but nothing promises how it sleeps, and a sampler
//! that took a private futex would be part of what it samples. An absolute deadline keeps the
//! sampling grid from drifting by the time that a sample takes.

use crate::errno::Errno;

/// CLOCK_MONOTONIC in ns. Read through the vDSO where the clock source allows: no system call.
#[inline]
pub fn monotonic_ns() -> u64 {
    // SAFETY: timespec is plain integers: all zeroes is a value.
    let mut now: libc::timespec = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live timespec. The call cannot fail for this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    (now.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(now.tv_nsec as u64)
}

/// Sleeps until CLOCK_MONOTONIC reaches `deadline_ns`; at once when it has. Signals don't cut it short.
///
/// # Errors
/// What clock_nanosleep(2) refuses with, which on a valid time is only a filter's doing.
pub fn sleep_until_ns(deadline_ns: u64) -> Result<(), Errno> {
    let deadline = crate::futex::timespec(std::time::Duration::from_nanos(deadline_ns));
    loop {
        // SAFETY: the request is a live timespec; with TIMER_ABSTIME the remainder is not written.
        let returned = unsafe {
            libc::clock_nanosleep(
                libc::CLOCK_MONOTONIC,
                libc::TIMER_ABSTIME,
                &deadline,
                std::ptr::null_mut(),
            )
        };
        match Errno::check_returned(returned) {
            Err(Errno(libc::EINTR)) => {}
            result => return result,
        }
    }
}

/// Sleeps for `ns` from now.
///
/// # Errors
/// As [`sleep_until_ns`].
pub fn sleep_ns(ns: u64) -> Result<(), Errno> {
    sleep_until_ns(monotonic_ns().saturating_add(ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_does_not_go_back_and_a_sleep_is_not_early() {
        let before = monotonic_ns();
        sleep_until_ns(before + 5_000_000).expect("a sleep");
        let after = monotonic_ns();
        assert!(after >= before + 5_000_000, "{before} {after}");
        // A deadline that has passed does not block.
        sleep_until_ns(before).expect("no sleep");
        assert!(monotonic_ns() >= after);
    }
}
