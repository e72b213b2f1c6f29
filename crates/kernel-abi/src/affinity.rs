//! Which CPUs a thread may run on: sched_setaffinity(2) and sched_getaffinity(2).
//!
//! The masks are as long as the kernel's, not glibc's 1024 bits: a machine with more CPUs is not
//! cut off.

use crate::errno::Errno;
use crate::id_set::{Cpu, IdSet};

/// Logical CPUs.
pub type CpuSet = IdSet<Cpu>;

/// The CPUs that the calling thread may run on: its affinity within its cpuset, as the kernel
/// answers. CPUs that are offline are not in it.
///
/// # Errors
/// What sched_getaffinity(2) refuses with.
pub fn current() -> Result<CpuSet, Errno> {
    of_thread(0)
}

/// [`current`] for a thread by its kernel id; 0 is the calling thread.
///
/// # Errors
/// `ESRCH` when there is no such thread.
pub fn of_thread(tid: i32) -> Result<CpuSet, Errno> {
    // The kernel refuses a mask shorter than its own with EINVAL, and says no length.
    let mut words = 16;
    loop {
        let mut mask = vec![0u64; words];
        // SAFETY: the kernel writes at most the given number of bytes, which the vector holds.
        let returned = unsafe {
            libc::syscall(
                libc::SYS_sched_getaffinity,
                tid,
                std::mem::size_of_val(mask.as_slice()),
                mask.as_mut_ptr(),
            )
        };
        match Errno::check(returned as libc::c_int) {
            Ok(_) => return Ok(CpuSet::from_words(native_to_words(mask))),
            Err(Errno(libc::EINVAL)) if words < 1024 => words *= 2,
            Err(errno) => return Err(errno),
        }
    }
}

/// Restricts the calling thread, and threads and processes it then makes, to `cpus`.
///
/// # Errors
/// `EINVAL` when none of them is online and in the cpuset.
pub fn set_current(cpus: &CpuSet) -> Result<(), Errno> {
    let mask = words_to_native(cpus.words());
    set_current_mask(&mask)
}

/// [`set_current`] with the kernel's own mask: allocates nothing, so that a thread may call it
/// first thing, and a child between fork and exec.
pub(crate) fn set_current_mask(mask: &[u64]) -> Result<(), Errno> {
    // SAFETY: the kernel reads the given number of bytes, which the slice holds.
    let returned = unsafe {
        libc::syscall(libc::SYS_sched_setaffinity, 0, std::mem::size_of_val(mask), mask.as_ptr())
    };
    Errno::check(returned as libc::c_int).map(drop)
}

/// The CPU that the calling thread is on now, which may be another by the time it is read.
pub fn cpu_now() -> Option<u32> {
    // SAFETY: takes nothing, touches no memory of ours.
    let cpu = unsafe { libc::sched_getcpu() };
    u32::try_from(cpu).ok()
}

/// The kernel's masks are arrays of `unsigned long`: on 32-bit big-endian machines the halves of a
/// word are the other way round.
fn native_to_words(mut mask: Vec<u64>) -> Vec<u64> {
    if cfg!(all(target_endian = "big", target_pointer_width = "32")) {
        for word in &mut mask {
            *word = word.rotate_left(32);
        }
    }
    mask
}

/// The reverse; at least one word, since the kernel takes an empty mask for a bad address.
pub(crate) fn words_to_native(words: &[u64]) -> Vec<u64> {
    let mut mask = native_to_words(words.to_vec());
    if mask.is_empty() {
        mask.push(0);
    }
    mask
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::Builder;

    #[test]
    fn a_mask_that_is_set_is_read_back() {
        // In a thread of its own: affinity belongs to the thread, tests share the process.
        let seen = Builder::new()
            .spawn(|| -> Result<(), Errno> {
                let allowed = current()?;
                assert!(!allowed.is_empty());
                let last: CpuSet = allowed.iter().last().into_iter().collect();
                set_current(&last)?;
                assert_eq!(current()?, last);
                assert_eq!(cpu_now(), last.first());
                Ok(())
            })
            .expect("a thread")
            .join()
            .expect("joined");
        assert_eq!(seen, Ok(()));
    }

    #[test]
    fn cpus_that_are_not_there_are_refused() {
        let nowhere: CpuSet = [8000].into_iter().collect();
        assert_eq!(set_current(&nowhere), Err(Errno(libc::EINVAL)));
        assert_eq!(set_current(&CpuSet::new()), Err(Errno(libc::EINVAL)));
        assert_eq!(of_thread(-1), Err(Errno(libc::ESRCH)));
    }
}
