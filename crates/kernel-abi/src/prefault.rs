//! Memory that is all there before the measured part begins.
//!
//! A page fault in the loop, or a sampler that grows a vector, would be part of the measurement.
//! The pages are mapped and filled by the thread that asks, under its memory policy, and are never
//! given back: a trial's process ends with its trial.

use std::sync::atomic::{AtomicU32, AtomicU64};

use crate::errno::Errno;

/// Types for which a page of zeroes is a valid value, and which need no drop.
///
/// # Safety
/// All-zero bytes must be a value of the type.
pub unsafe trait Zeroed {}

// SAFETY: integers and floats take any bits, the atomics have their layout.
unsafe impl Zeroed for u32 {}
// SAFETY: as above.
unsafe impl Zeroed for u64 {}
// SAFETY: as above.
unsafe impl Zeroed for f64 {}
// SAFETY: as above.
unsafe impl Zeroed for AtomicU32 {}
// SAFETY: as above.
unsafe impl Zeroed for AtomicU64 {}
// SAFETY: zero in each field, by the bound; padding takes any bits.
unsafe impl<T: Zeroed> Zeroed for Line<T> {}
// SAFETY: as above.
unsafe impl<T: Zeroed> Zeroed for Apart<T> {}
// SAFETY: as above.
unsafe impl<T: Zeroed, const N: usize> Zeroed for [T; N] {}

/// On a cache line of its own, of 64 bytes.
#[derive(Debug, Default)]
#[repr(align(64))]
pub struct Line<T>(pub T);

/// Out of reach of a neighbour's line: 128 bytes, since processors fetch lines in pairs, and some
/// arm64 parts have lines that long.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Apart<T>(pub T);

/// `count` zeroed values, page-aligned, every page present, for the rest of the process.
///
/// # Errors
/// `ENOMEM` when the memory isn't there, or the size is beyond the address space.
pub fn zeroed<T: Zeroed>(count: usize) -> Result<&'static mut [T], Errno> {
    const { assert!(align_of::<T>() <= 4096, "no page is aligned to that") };
    const { assert!(!std::mem::needs_drop::<T>(), "nothing would drop it") };
    let bytes = count.checked_mul(size_of::<T>()).ok_or(Errno(libc::ENOMEM))?;
    if bytes == 0 {
        return Ok(&mut []);
    }
    // SAFETY: a new anonymous mapping, anywhere: overlaps nothing.
    let address = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_POPULATE,
            -1,
            0,
        )
    };
    if address == libc::MAP_FAILED {
        return Err(Errno::last());
    }
    // SAFETY: `count` values fit the mapping, which is aligned to a page, zeroed, which is a value
    // by the bound, never unmapped, and known to nobody else.
    Ok(unsafe { std::slice::from_raw_parts_mut(address.cast::<T>(), count) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn every_page_is_there_and_zero() {
        const PAGES: usize = 2000;
        let memory = zeroed::<Apart<AtomicU64>>(PAGES * 32).expect("memory");
        assert_eq!(memory.as_ptr().addr() % 4096, 0);
        // What other tests of the process fault in doesn't matter to mincore(2).
        let mut present = vec![0u8; PAGES];
        // SAFETY: the range is mapped, and the vector has a byte for each of its pages (of 4 KiB,
        // or fewer, larger ones).
        let returned = unsafe {
            libc::mincore(memory.as_mut_ptr().cast(), size_of_val(memory), present.as_mut_ptr())
        };
        assert_eq!(Errno::check(returned), Ok(0));
        // SAFETY: takes a constant, touches no memory of ours.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let pages = size_of_val(memory) / page;
        assert!(present[..pages].iter().all(|page| page & 1 == 1));
        assert!(memory.iter().all(|value| value.0.load(Ordering::Relaxed) == 0));
    }

    #[test]
    fn values_are_apart() {
        assert_eq!((size_of::<Line<AtomicU32>>(), size_of::<Apart<AtomicU64>>()), (64, 128));
    }

    #[test]
    fn more_than_there_can_be_is_refused() {
        assert_eq!(zeroed::<u64>(usize::MAX).err(), Some(Errno(libc::ENOMEM)));
        assert_eq!(zeroed::<u64>(usize::MAX / 16).err(), Some(Errno(libc::ENOMEM)));
        assert_eq!(zeroed::<u64>(0).map(|values| values.len()), Ok(0));
    }
}
