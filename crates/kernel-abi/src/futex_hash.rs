//! `PR_FUTEX_HASH`: the futex hash that a process has for itself since Linux 6.17.
//!
//! Four answers that are easily mixed up are kept apart:
//! - the kernel has no such prctl (before 6.16);
//! - it has the prctl, and the hash is compiled out (6.16, where it depends on `BROKEN`, and any
//!   later kernel built without `CONFIG_FUTEX_PRIVATE_HASH`): every question answers 0 slots and
//!   every request EINVAL;
//! - it has the hash, and refuses this request, with an errno that says why;
//! - it has the hash, and this process has none of its own now: 0 slots, too.
//!
//! The second and the last give one answer to `GET_SLOTS`. [`support`] tells them apart by asking
//! for slots in a forked child: a hash belongs to the address space, so nothing is changed here.

use std::fmt;

use crate::errno::Errno;

// linux/prctl.h; older C headers, and the libc crate, don't have them.
const PR_FUTEX_HASH: libc::c_int = 78;
const SET_SLOTS: libc::c_ulong = 1;
const GET_SLOTS: libc::c_ulong = 2;
/// Only 6.16 knew it; 6.17 took the flag and the question out.
const GET_IMMUTABLE: libc::c_ulong = 3;
const FLAG_IMMUTABLE: libc::c_ulong = 1;

/// The smallest hash that auto-scaling makes.
pub const SMALLEST_AUTO_SLOTS: u32 = 16;

/// Slots that auto-scaling asks for per thread.
const SLOTS_PER_THREAD: u64 = 4;

/// Why the kernel gave no hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HashError {
    /// This kernel has no such prctl: every futex is in the global hash.
    Unsupported,
    /// The prctl is there and the private hash is not: every futex is in the global hash.
    CompiledOut,
    /// The kernel has private hashes and refused this request.
    Refused(Errno),
}

impl fmt::Display for HashError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HashError::Unsupported => {
                f.write_str("this kernel has no PR_FUTEX_HASH (it came with Linux 6.16)")
            }
            HashError::CompiledOut => f.write_str(
                "this kernel answers PR_FUTEX_HASH and has the private hash compiled out",
            ),
            HashError::Refused(errno) => write!(f, "the kernel refused PR_FUTEX_HASH: {errno}"),
        }
    }
}

impl std::error::Error for HashError {}

/// Whether processes of this kernel have a futex hash of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// They have: a child that asked for slots got them.
    Private,
    /// The prctl is known and gives none.
    CompiledOut,
    /// The prctl is not known.
    Absent,
}

/// How the answer of [`support`] was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// This process has a hash of this many slots already.
    OwnSlots(u32),
    /// A forked child asked for 16 slots, and then had this many.
    ChildSlots(u32),
    /// A forked child asked for 16 slots and was refused.
    ChildRefused(Errno),
    /// `GET_SLOTS` itself was refused.
    QuestionRefused(Errno),
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evidence::OwnSlots(slots) => {
                write!(f, "PR_FUTEX_HASH_GET_SLOTS answers {slots} in this process")
            }
            Evidence::ChildSlots(slots) => {
                write!(f, "a fresh process asked for 16 slots by PR_FUTEX_HASH and had {slots}")
            }
            Evidence::ChildRefused(errno) => write!(
                f,
                "PR_FUTEX_HASH_GET_SLOTS answers 0, and a fresh process that asked for 16 slots \
                 was refused with {errno}"
            ),
            Evidence::QuestionRefused(errno) => {
                write!(f, "PR_FUTEX_HASH_GET_SLOTS is refused with {errno}")
            }
        }
    }
}

/// The slots of this process's hash; 0 while it has none of its own, be it that no thread was
/// made yet, that it chose the global hash, or that the hash is compiled out.
///
/// Takes no reference on the hash, so sampling it under load doesn't change what it shows.
///
/// # Errors
/// [`HashError::Unsupported`] where the prctl is unknown; [`HashError::Refused`] where something
/// else, as a seccomp filter, refuses it.
#[inline]
pub fn get_slots() -> Result<u32, HashError> {
    match ask(GET_SLOTS, 0, 0) {
        Ok(slots) => Ok(slots),
        // An unknown prctl is EINVAL, and this question has no other reason to be.
        Err(Errno(libc::EINVAL)) => Err(HashError::Unsupported),
        Err(errno) => Err(HashError::Refused(errno)),
    }
}

/// Gives this process a hash of `slots`, a power of two from 2 on, which then no longer scales by
/// itself; 0 chooses the global hash, from which there is no way back. Returns when the hash is in
/// use: with threads at work, that is after the pivot.
///
/// `immutable` asks for the flag that 6.16 had; from 6.17 on any flag is refused with EINVAL.
///
/// # Errors
/// See [`HashError`]. Where the hash is compiled out, a request for 0 slots is an error too,
/// although the process is in the global hash as wanted: the caller decides what that is worth.
pub fn set_slots(slots: u32, immutable: bool) -> Result<(), HashError> {
    match request_slots(slots, immutable) {
        Ok(()) => Ok(()),
        // No such prctl, compiled out, or a bad request: one errno for all three.
        Err(Errno(libc::EINVAL)) => Err(match support() {
            Ok((Support::Absent, _)) => HashError::Unsupported,
            Ok((Support::CompiledOut, _)) => HashError::CompiledOut,
            Ok((Support::Private, _)) | Err(_) => HashError::Refused(Errno(libc::EINVAL)),
        }),
        Err(errno) => Err(HashError::Refused(errno)),
    }
}

/// [`set_slots`] with the kernel's bare answer: what an EINVAL means is not found out, which would
/// take a fork. For code inside a program that is not ours.
///
/// # Errors
/// What prctl(2) refuses with.
pub fn request_slots(slots: u32, immutable: bool) -> Result<(), Errno> {
    let flags = if immutable { FLAG_IMMUTABLE } else { 0 };
    ask(SET_SLOTS, libc::c_ulong::from(slots), flags).map(drop)
}

/// Whether this process's hash is immutable.
///
/// # Errors
/// From 6.17 on the question is gone, and answered [`HashError::Refused`] with EINVAL; see
/// [`HashError`] for the rest.
pub fn get_immutable() -> Result<bool, HashError> {
    match ask(GET_IMMUTABLE, 0, 0) {
        Ok(answer) => Ok(answer != 0),
        Err(Errno(libc::EINVAL)) => Err(match get_slots() {
            Err(error) => error,
            Ok(_) => HashError::Refused(Errno(libc::EINVAL)),
        }),
        Err(errno) => Err(HashError::Refused(errno)),
    }
}

/// Whether this kernel gives processes their own hash, and how that was found. Forks once, unless
/// this process's own slots answer it.
///
/// # Errors
/// The errno of fork(2) or waitpid(2), or what keeps the question from being answered: a filter's
/// EPERM is no word on the kernel.
pub fn support() -> Result<(Support, Evidence), Errno> {
    match ask(GET_SLOTS, 0, 0) {
        Err(errno @ Errno(libc::EINVAL)) => {
            return Ok((Support::Absent, Evidence::QuestionRefused(errno)));
        }
        Err(errno) => return Err(errno),
        Ok(0) => {}
        Ok(slots) => return Ok((Support::Private, Evidence::OwnSlots(slots))),
    }
    match ask_in_child()? {
        Ok(slots) if slots > 0 => Ok((Support::Private, Evidence::ChildSlots(slots))),
        Ok(slots) => Ok((Support::CompiledOut, Evidence::ChildSlots(slots))),
        Err(errno @ Errno(libc::EINVAL)) => {
            Ok((Support::CompiledOut, Evidence::ChildRefused(errno)))
        }
        Err(errno) => Err(errno),
    }
}

/// In a forked child: asks for [`SMALLEST_AUTO_SLOTS`], then for what it has.
fn ask_in_child() -> Result<Result<u32, Errno>, Errno> {
    // The answer is 16 slots, 0 slots, or an errno: told by the exit status, since the child
    // shares no memory. 255 is no errno of prctl.
    const GOT_SLOTS: libc::c_int = 0;
    const GOT_NONE: libc::c_int = 255;
    // SAFETY: the child only makes prctl calls and _exit, which are safe after a fork of a process
    // with other threads; it allocates nothing and takes no lock.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let status = match ask(SET_SLOTS, libc::c_ulong::from(SMALLEST_AUTO_SLOTS), 0) {
            Err(Errno(number)) => number.clamp(1, 254),
            Ok(_) => match ask(GET_SLOTS, 0, 0) {
                Ok(SMALLEST_AUTO_SLOTS) => GOT_SLOTS,
                _ => GOT_NONE,
            },
        };
        // SAFETY: ends the child without running anything of the parent's.
        unsafe { libc::_exit(status) };
    }
    Errno::check(pid)?;
    let mut status = 0;
    loop {
        // SAFETY: waits for our own child and writes to a live integer.
        match Errno::check(unsafe { libc::waitpid(pid, &mut status, 0) }) {
            Ok(_) => break,
            Err(Errno(libc::EINTR)) => {}
            Err(errno) => return Err(errno),
        }
    }
    if !libc::WIFEXITED(status) {
        // A filter that kills: nothing was learned.
        return Err(Errno(libc::EPERM));
    }
    Ok(match libc::WEXITSTATUS(status) {
        GOT_SLOTS => Ok(SMALLEST_AUTO_SLOTS),
        GOT_NONE => Ok(0),
        number => Err(Errno(number)),
    })
}

fn ask(what: libc::c_ulong, third: libc::c_ulong, fourth: libc::c_ulong) -> Result<u32, Errno> {
    const ZERO: libc::c_ulong = 0;
    // SAFETY: PR_FUTEX_HASH takes numbers only, and touches no memory of ours.
    let returned = unsafe { libc::prctl(PR_FUTEX_HASH, what, third, fourth, ZERO) };
    Errno::check(returned).map(|answer| answer as u32)
}

/// The slots that auto-scaling asks for when the last of `threads` is made: 4 × min(threads,
/// `online_cpus`), up to the next power of two, at least 16 (kernel/futex/core.c,
/// `futex_hash_allocate_default`, 6.17 to 7.3). `None` for no thread: nothing is asked for.
///
/// The kernel counts the threads that exist when another is made, without the new one: with a main
/// thread that makes the workers, that is the number of workers.
///
/// It also keeps the hash at most as large as the global one; see [`global_slots`] for why that
/// does not bind on any machine with fewer than 64 nodes.
pub fn expected_slots(threads: u32, online_cpus: u32) -> Option<u32> {
    let counted = threads.min(online_cpus);
    if counted == 0 {
        return None;
    }
    let slots = (SLOTS_PER_THREAD * u64::from(counted)).next_power_of_two();
    u32::try_from(slots).ok().map(|slots| slots.max(SMALLEST_AUTO_SLOTS))
}

/// The largest hash that auto-scaling can reach: one thread or more for each CPU online.
pub fn largest_auto_slots(online_cpus: u32) -> Option<u32> {
    expected_slots(online_cpus, online_cpus)
}

/// Slots of the global hash, a node's share: 256 × possible CPUs / possible nodes, at least 4, up
/// to the next power of two (`futex_init`, 6.17 to 7.3; 16 on kernels built with
/// `CONFIG_BASE_SMALL`, which no distribution does). It bounds auto-scaling, which asks for 4 a
/// CPU, only from 64 nodes on.
pub fn global_slots(possible_cpus: u32, possible_nodes: u32) -> Option<u32> {
    let share = (256 * u64::from(possible_cpus)).checked_div(u64::from(possible_nodes))?;
    u32::try_from(share.max(4).next_power_of_two()).ok()
}

/// Whether auto-scaling can ever replace a hash, which is what the race needs: the first hash, of
/// 16 slots, is put in place before there are two threads, and it serves up to 4 CPUs for good.
pub fn race_possible(online_cpus: u32) -> bool {
    largest_auto_slots(online_cpus).is_some_and(|slots| slots > SMALLEST_AUTO_SLOTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::Builder;

    #[test]
    fn the_rule_gives_what_was_measured() {
        // background/: 8, 32, 64 and 96 threads on 192 CPUs; 192 CPUs with 512 at 96 threads.
        for (threads, cpus, slots) in [
            (8, 192, 32),
            (32, 192, 128),
            (64, 192, 256),
            (96, 192, 512),
            (96, 96, 512),
            (192, 192, 1024),
            (1000, 192, 1024),
            // QEMU guests.
            (16, 16, 64),
            (32, 32, 128),
            (48, 48, 256),
            // The floor.
            (1, 192, 16),
            (4, 192, 16),
            (5, 192, 32),
            (96, 2, 16),
        ] {
            assert_eq!(expected_slots(threads, cpus), Some(slots), "{threads} on {cpus}");
        }
        assert_eq!(expected_slots(0, 8), None);
        assert_eq!(expected_slots(8, 0), None);
        assert_eq!(expected_slots(u32::MAX, u32::MAX), None);
    }

    #[test]
    fn the_race_needs_a_fifth_cpu() {
        assert!(!race_possible(0));
        assert!(!race_possible(2));
        assert!(!race_possible(4));
        assert!(race_possible(5));
        assert_eq!(largest_auto_slots(4), Some(16));
        assert_eq!(largest_auto_slots(5), Some(32));
    }

    #[test]
    fn the_global_hash_bounds_only_machines_with_many_nodes() {
        assert_eq!(global_slots(192, 6), Some(8192));
        assert_eq!(global_slots(1, 1024), Some(4));
        assert_eq!(global_slots(8, 0), None);
        for nodes in 1..=63 {
            let cpus = nodes * 4;
            assert!(global_slots(cpus, nodes) >= largest_auto_slots(cpus));
        }
    }

    /// What this kernel answers decides what must hold; each branch is checked where it applies.
    #[test]
    fn this_kernel_answers_consistently() {
        let (support, evidence) = support().expect("an answer");
        match support {
            Support::Private => {
                assert!(matches!(evidence, Evidence::OwnSlots(_) | Evidence::ChildSlots(16)));
                // The test process has threads: the harness makes them.
                let seen = Builder::new().spawn(get_slots).expect("thread").join().expect("joined");
                assert!(seen.expect("slots") >= SMALLEST_AUTO_SLOTS);
                // Refused without an effect: three is no power of two, and the flag is gone.
                assert_eq!(set_slots(3, false), Err(HashError::Refused(Errno(libc::EINVAL))));
                assert_eq!(set_slots(16, true), Err(HashError::Refused(Errno(libc::EINVAL))));
                assert_eq!(get_immutable(), Err(HashError::Refused(Errno(libc::EINVAL))));
                assert_eq!(ask_in_child(), Ok(Ok(16)));
            }
            Support::CompiledOut => {
                assert_eq!(get_slots(), Ok(0));
                assert_eq!(set_slots(16, false), Err(HashError::CompiledOut));
                assert_eq!(ask_in_child(), Ok(Err(Errno(libc::EINVAL))));
            }
            Support::Absent => {
                assert_eq!(get_slots(), Err(HashError::Unsupported));
                assert_eq!(set_slots(16, false), Err(HashError::Unsupported));
                assert_eq!(get_immutable(), Err(HashError::Unsupported));
            }
        }
    }
}
