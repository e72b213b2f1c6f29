//! futex(2): wait and wake, private to the address space or shared between processes.
//!
//! The private forms are what the process's own hash serves, and so what the suite measures; the
//! shared forms go through the global hash, so a harness may use them beside a workload.
//!
//! The system call is made inline on x86_64 and aarch64: glibc's `syscall()` is a call, a shuffle
//! of six registers and a store to thread-local errno, and a wake without waiters is short enough
//! for that to show. Elsewhere `syscall()` is used.

use std::sync::atomic::AtomicU32;
use std::time::Duration;

use crate::errno::Errno;

const WAIT: u32 = libc::FUTEX_WAIT as u32;
const WAKE: u32 = libc::FUTEX_WAKE as u32;
const PRIVATE: u32 = libc::FUTEX_PRIVATE_FLAG as u32;

/// Who may wait on a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Threads of this address space only: the kernel keeps it in the private hash, if there is one.
    Private,
    /// Any process that maps the page: always the global hash.
    Shared,
}

impl Scope {
    #[inline(always)]
    const fn flag(self) -> u32 {
        match self {
            Scope::Private => PRIVATE,
            Scope::Shared => 0,
        }
    }
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// A wake was received. The kernel may also report one that was meant for an earlier use of
    /// the word: the caller looks at the word again, as with any futex.
    Woken,
    /// The word did not hold the expected value when the kernel looked.
    ValueDiffers,
    /// The time ran out.
    TimedOut,
    /// A signal handler ran.
    Interrupted,
}

/// Wakes up to `count` threads that wait on `word` in this address space: how many were woken.
///
/// # Errors
/// Whatever futex(2) refuses with; on a word of this process that is only a filter's doing
/// (`ENOSYS`, `EPERM`) or, since 6.17, `ENOMEM` for the hash.
#[inline(always)]
pub fn wake(word: &AtomicU32, count: u32) -> Result<u32, Errno> {
    answer(wake_raw(word, WAKE | PRIVATE, count))
}

/// [`wake`] for a word that other processes may wait on.
///
/// # Errors
/// As [`wake`].
#[inline]
pub fn wake_shared(word: &AtomicU32, count: u32) -> Result<u32, Errno> {
    answer(wake_raw(word, WAKE, count))
}

/// Sleeps while `word` holds `expected`, at most `timeout` of CLOCK_MONOTONIC.
///
/// # Errors
/// Whatever futex(2) refuses with, other than the four ways a wait ends by itself.
#[inline]
pub fn wait(
    word: &AtomicU32,
    expected: u32,
    timeout: Option<Duration>,
    scope: Scope,
) -> Result<Wait, Errno> {
    let relative = timeout.map(timespec);
    let timeout = relative.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    let returned = wait_raw(word, WAIT | scope.flag(), expected, timeout);
    match answer(returned) {
        Ok(_) => Ok(Wait::Woken),
        Err(Errno(libc::EAGAIN)) => Ok(Wait::ValueDiffers),
        Err(Errno(libc::ETIMEDOUT)) => Ok(Wait::TimedOut),
        Err(Errno(libc::EINTR)) => Ok(Wait::Interrupted),
        Err(errno) => Err(errno),
    }
}

/// A duration as the kernel takes it; what is longer than its seconds can hold is 68 years.
pub(crate) fn timespec(duration: Duration) -> libc::timespec {
    // SAFETY: timespec is plain integers (with padding on some targets): all zeroes is a value.
    let mut time: libc::timespec = unsafe { std::mem::zeroed() };
    time.tv_sec = duration.as_secs().try_into().unwrap_or(i32::MAX.into());
    // Below 10^9, which every c_long holds.
    time.tv_nsec = duration.subsec_nanos() as _;
    time
}

#[inline(always)]
fn answer(returned: isize) -> Result<u32, Errno> {
    if returned < 0 { Err(Errno((-returned) as i32)) } else { Ok(returned as u32) }
}

/// FUTEX_WAKE reads three arguments; the other three registers are left as they are.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn wake_raw(word: &AtomicU32, operation: u32, count: u32) -> isize {
    let returned: isize;
    // SAFETY: futex(2) with FUTEX_WAKE takes the address of a live aligned u32, does not write to
    // it, and ignores arguments four to six. `syscall` clobbers rcx and r11 and touches no stack.
    // Memory is left as possibly read and written, so that no store moves across the wake.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") libc::SYS_futex as isize => returned,
            in("rdi") word.as_ptr(),
            in("esi") operation,
            in("edx") count,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack)
        );
    }
    returned
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn wait_raw(
    word: &AtomicU32,
    operation: u32,
    expected: u32,
    timeout: *const libc::timespec,
) -> isize {
    let returned: isize;
    // SAFETY: futex(2) with FUTEX_WAIT reads a live aligned u32 and, unless it is null, a live
    // timespec, and writes neither. Registers as in `wake_raw`.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") libc::SYS_futex as isize => returned,
            in("rdi") word.as_ptr(),
            in("esi") operation,
            in("edx") expected,
            in("r10") timeout,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack)
        );
    }
    returned
}

/// FUTEX_WAKE reads three arguments; the other three registers are left as they are.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn wake_raw(word: &AtomicU32, operation: u32, count: u32) -> isize {
    let returned: isize;
    // SAFETY: futex(2) with FUTEX_WAKE takes the address of a live aligned u32, does not write to
    // it, and ignores arguments four to six. `svc` preserves every register but x0. Memory is left
    // as possibly read and written, so that no store moves across the wake.
    unsafe {
        std::arch::asm!(
            "svc 0",
            in("x8") libc::SYS_futex,
            inlateout("x0") word.as_ptr() as isize => returned,
            in("x1") u64::from(operation),
            in("x2") u64::from(count),
            options(nostack)
        );
    }
    returned
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn wait_raw(
    word: &AtomicU32,
    operation: u32,
    expected: u32,
    timeout: *const libc::timespec,
) -> isize {
    let returned: isize;
    // SAFETY: futex(2) with FUTEX_WAIT reads a live aligned u32 and, unless it is null, a live
    // timespec, and writes neither. Registers as in `wake_raw`.
    unsafe {
        std::arch::asm!(
            "svc 0",
            in("x8") libc::SYS_futex,
            inlateout("x0") word.as_ptr() as isize => returned,
            in("x1") u64::from(operation),
            in("x2") u64::from(expected),
            in("x3") timeout,
            options(nostack)
        );
    }
    returned
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn wake_raw(word: &AtomicU32, operation: u32, count: u32) -> isize {
    wait_raw(word, operation, count, std::ptr::null())
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn wait_raw(
    word: &AtomicU32,
    operation: u32,
    expected: u32,
    timeout: *const libc::timespec,
) -> isize {
    // SAFETY: a live aligned u32 and null or a live timespec; the kernel writes to neither.
    let returned =
        unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, expected, timeout) };
    if returned == -1 { -(Errno::last().0 as isize) } else { returned as isize }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;
    use crate::thread::Builder;
    use std::sync::Arc;
    use std::sync::atomic::Ordering;

    #[test]
    fn a_wake_without_waiters_wakes_nobody() {
        let word = AtomicU32::new(0);
        assert_eq!(wake(&word, 1), Ok(0));
        assert_eq!(wake_shared(&word, u32::MAX >> 1), Ok(0));
    }

    #[test]
    fn a_wait_on_another_value_returns_at_once() {
        let word = AtomicU32::new(u32::MAX);
        for scope in [Scope::Private, Scope::Shared] {
            assert_eq!(wait(&word, 0, None, scope), Ok(Wait::ValueDiffers));
            // All 32 bits are compared.
            assert_eq!(
                wait(&word, u32::MAX, Some(Duration::from_millis(1)), scope),
                Ok(Wait::TimedOut)
            );
        }
    }

    #[test]
    fn a_timeout_is_not_early() {
        let word = AtomicU32::new(7);
        let before = clock::monotonic_ns();
        assert_eq!(
            wait(&word, 7, Some(Duration::from_millis(20)), Scope::Private),
            Ok(Wait::TimedOut)
        );
        assert!(clock::monotonic_ns() - before >= 20_000_000);
    }

    #[test]
    fn a_waiter_is_woken_in_both_scopes_and_not_across_them() {
        for scope in [Scope::Private, Scope::Shared] {
            let word = Arc::new(AtomicU32::new(0));
            let theirs = Arc::clone(&word);
            let waiter = Builder::new()
                .spawn(move || {
                    while theirs.load(Ordering::Acquire) == 0 {
                        wait(&theirs, 0, Some(Duration::from_secs(20)), scope)?;
                    }
                    Ok::<u32, Errno>(theirs.load(Ordering::Acquire))
                })
                .expect("a thread");
            // Until it sleeps, a wake finds nobody; the other scope never finds it.
            loop {
                let woken = match scope {
                    Scope::Private => {
                        assert_eq!(wake_shared(&word, 1), Ok(0));
                        wake(&word, 1)
                    }
                    Scope::Shared => {
                        assert_eq!(wake(&word, 1), Ok(0));
                        wake_shared(&word, 1)
                    }
                };
                if woken == Ok(1) {
                    break;
                }
                clock::sleep_ns(100_000).expect("a sleep");
            }
            word.store(3, Ordering::Release);
            let _ = wake(&word, 1);
            let _ = wake_shared(&word, 1);
            assert_eq!(waiter.join().expect("joined"), Ok(3));
        }
    }

    #[test]
    fn a_duration_that_the_kernel_cannot_hold_is_a_long_one() {
        assert_eq!(timespec(Duration::MAX).tv_sec, i32::MAX.into());
        assert_eq!(timespec(Duration::from_millis(1500)).tv_nsec, 500_000_000);
    }
}
