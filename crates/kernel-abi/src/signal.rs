//! Ctrl-C and its kin as something to ask for and to poll, instead of sudden death.
//!
//! The handler stores the signal's number and writes to an eventfd; nothing else is safe there.
//! A second one of the same kind has its default action again, so a user who insists is obeyed.

use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use crate::errno::Errno;

static RECEIVED: AtomicI32 = AtomicI32::new(0);
static WAKE_FD: AtomicI32 = AtomicI32::new(-1);
static EVENT: OnceLock<OwnedFd> = OnceLock::new();

/// The signals that ask a program to end: SIGINT, SIGTERM, SIGHUP.
pub const ENDING: [i32; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// Proof that the handlers are in place; copies are equal.
#[derive(Debug, Clone, Copy)]
pub struct Interrupt {
    fd: RawFd,
}

impl Interrupt {
    /// Catches [`ENDING`] from now on, those that were ignored at the start (nohup) excepted.
    ///
    /// # Errors
    /// What eventfd(2) or sigaction(2) refuse with.
    pub fn install() -> Result<Interrupt, Errno> {
        let event = match EVENT.get() {
            Some(event) => event,
            None => {
                // SAFETY: takes numbers, touches no memory of ours.
                let fd = Errno::check(unsafe {
                    libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK)
                })?;
                // SAFETY: a new descriptor that nobody else owns.
                EVENT.get_or_init(|| unsafe { OwnedFd::from_raw_fd(fd) })
            }
        };
        WAKE_FD.store(event.as_raw_fd(), Ordering::Release);
        for signal in ENDING {
            // SAFETY: sigaction is plain data for which all zeroes is a value.
            let mut old: libc::sigaction = unsafe { std::mem::zeroed() };
            // SAFETY: the action is not changed, the old one is written to live memory.
            Errno::check(unsafe { libc::sigaction(signal, std::ptr::null(), &mut old) })?;
            if old.sa_sigaction == libc::SIG_IGN {
                continue;
            }
            // SAFETY: as above.
            let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
            action.sa_sigaction = on_signal as *const () as libc::sighandler_t;
            action.sa_flags = libc::SA_RESETHAND;
            // SAFETY: the handler only does what is allowed in one, see `on_signal`.
            Errno::check(unsafe { libc::sigaction(signal, &action, std::ptr::null_mut()) })?;
        }
        Ok(Interrupt { fd: event.as_raw_fd() })
    }

    /// Has [`ENDING`] end this process at once again; one that was ignored at the start still is.
    pub fn release(self) {
        for signal in ENDING {
            // SAFETY: sigaction is plain data for which all zeroes is a value.
            let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
            // SAFETY: the action is not changed, the one in place is written to live memory.
            let read = unsafe { libc::sigaction(signal, std::ptr::null(), &mut now) };
            if read == 0 && now.sa_sigaction == on_signal as *const () as libc::sighandler_t {
                // SAFETY: takes numbers; no handler of ours is involved.
                unsafe { libc::signal(signal, libc::SIG_DFL) };
            }
        }
    }

    /// The last signal that was caught.
    pub fn received(&self) -> Option<i32> {
        match RECEIVED.load(Ordering::Acquire) {
            0 => None,
            signal => Some(signal),
        }
    }

    /// Readable once a signal was caught, and from then on.
    pub fn fd(&self) -> BorrowedFd<'_> {
        // SAFETY: `EVENT` owns the descriptor and is never dropped.
        unsafe { BorrowedFd::borrow_raw(self.fd) }
    }
}

extern "C" fn on_signal(signal: libc::c_int) {
    RECEIVED.store(signal, Ordering::Release);
    let one = 1u64;
    // SAFETY: write(2) is safe in a handler, and reads eight live bytes. errno is put back, since
    // the interrupted code may be about to read it.
    unsafe {
        let errno = *libc::__errno_location();
        libc::write(WAKE_FD.load(Ordering::Acquire), std::ptr::from_ref(&one).cast(), 8);
        *libc::__errno_location() = errno;
    }
}

static FILE_LIMIT_IS_OUTLIVED: AtomicBool = AtomicBool::new(false);

/// Has a write beyond the limit of a file's size (`ulimit -f`) be refused with `EFBIG`, which can be told,
/// instead of ending this process without a word. Children get the default back.
pub fn outlive_file_limit() {
    // SAFETY: takes numbers; no handler of ours is involved.
    let before = unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    FILE_LIMIT_IS_OUTLIVED.store(before == libc::SIG_DFL, Ordering::Release);
}

/// Between fork and exec: gives back what this process changed for itself, and has SIGTERM end the child
/// also where this process was started with it ignored.
pub(crate) fn as_usual_in_child() {
    // SAFETY: signal(2) with numbers is safe between fork and exec.
    unsafe {
        if FILE_LIMIT_IS_OUTLIVED.load(Ordering::Acquire) {
            libc::signal(libc::SIGXFSZ, libc::SIG_DFL);
        }
        libc::signal(libc::SIGTERM, libc::SIG_DFL);
    }
}

/// `SIGINT` and so on; `signal 71` for what has no name.
pub fn name(signal: i32) -> String {
    let name = match signal {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL",
        libc::SIGUSR1 => "SIGUSR1",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGUSR2 => "SIGUSR2",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGALRM => "SIGALRM",
        libc::SIGTERM => "SIGTERM",
        libc::SIGXCPU => "SIGXCPU",
        libc::SIGXFSZ => "SIGXFSZ",
        libc::SIGSYS => "SIGSYS",
        number => return format!("signal {number}"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{self, Setup, Waited};
    use std::process::Command;
    use std::time::Duration;

    /// One test for all of it: a disposition belongs to the process, which the tests share.
    #[test]
    fn a_caught_signal_ends_a_wait_and_the_second_would_end_the_process() {
        // SAFETY: puts the default in place, in case the tests were started with it ignored.
        unsafe { libc::signal(libc::SIGHUP, libc::SIG_DFL) };
        let interrupt = Interrupt::install().expect("handlers");
        assert_eq!(interrupt.received(), None);
        let mut command = Command::new("/bin/sleep");
        command.arg("600");
        Setup::default().apply(&mut command);
        let child = command.spawn().expect("sleep").id();
        // SAFETY: takes a number; the handler is in place.
        unsafe { libc::raise(libc::SIGHUP) };
        let long = Duration::from_secs(60);
        assert_eq!(process::wait(child, long, Some(&interrupt)), Ok(Waited::Interrupted(1)));
        assert_eq!(interrupt.received(), Some(libc::SIGHUP));
        // SAFETY: sigaction is plain data for which all zeroes is a value.
        let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: the action is not changed, the one in place is written to live memory.
        assert_eq!(unsafe { libc::sigaction(libc::SIGHUP, std::ptr::null(), &mut now) }, 0);
        assert_eq!(now.sa_sigaction, libc::SIG_DFL);
        // Given back, the others end the process at once too.
        let of = |signal| {
            // SAFETY: sigaction is plain data for which all zeroes is a value.
            let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
            // SAFETY: the action is not changed, the one in place is written to live memory.
            assert_eq!(unsafe { libc::sigaction(signal, std::ptr::null(), &mut now) }, 0);
            now.sa_sigaction
        };
        let ours = on_signal as *const () as libc::sighandler_t;
        let caught = of(libc::SIGTERM) == ours;
        interrupt.release();
        assert!(ENDING.iter().all(|signal| of(*signal) != ours));
        assert!(!caught || of(libc::SIGTERM) == libc::SIG_DFL);
        process::kill(child).expect("killed");
        assert!(matches!(process::wait(child, long, None), Ok(Waited::Ended(..))));
    }

    #[test]
    fn signals_are_named() {
        assert_eq!((name(libc::SIGINT), name(71)), ("SIGINT".into(), "signal 71".into()));
    }
}
