//! What a process used: CPU time and context switches, by getrusage(2).

use crate::errno::Errno;

/// The use of a whole process, all its threads together, since it began.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    /// Seconds in user mode.
    pub user_s: f64,
    /// Seconds in the kernel.
    pub system_s: f64,
    /// Switches because a thread blocked or yielded.
    pub voluntary_switches: u64,
    /// Switches because the scheduler took the CPU.
    pub involuntary_switches: u64,
    /// Page faults served without input or output.
    pub minor_faults: u64,
    /// Page faults that waited for input.
    pub major_faults: u64,
    /// The largest resident size so far, in KiB.
    pub max_resident_kib: u64,
}

impl Usage {
    /// The calling process, threads that have ended included.
    ///
    /// # Errors
    /// What getrusage(2) refuses with, which is only a filter's doing.
    pub fn of_self() -> Result<Usage, Errno> {
        // SAFETY: rusage is plain integers: all zeroes is a value.
        let mut raw: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the pointer is to a live rusage that the kernel fills.
        Errno::check(unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut raw) })?;
        Ok(Usage::from_raw(&raw))
    }

    /// What was used between two readings. The largest resident size is the later one's: a
    /// maximum has no difference.
    pub fn since(&self, earlier: &Usage) -> Usage {
        Usage {
            user_s: self.user_s - earlier.user_s,
            system_s: self.system_s - earlier.system_s,
            voluntary_switches: self.voluntary_switches.saturating_sub(earlier.voluntary_switches),
            involuntary_switches: self
                .involuntary_switches
                .saturating_sub(earlier.involuntary_switches),
            minor_faults: self.minor_faults.saturating_sub(earlier.minor_faults),
            major_faults: self.major_faults.saturating_sub(earlier.major_faults),
            max_resident_kib: self.max_resident_kib,
        }
    }

    pub(crate) fn from_raw(raw: &libc::rusage) -> Usage {
        let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
        let count = |n: libc::c_long| u64::try_from(n).unwrap_or(0);
        Usage {
            user_s: seconds(raw.ru_utime),
            system_s: seconds(raw.ru_stime),
            voluntary_switches: count(raw.ru_nvcsw),
            involuntary_switches: count(raw.ru_nivcsw),
            minor_faults: count(raw.ru_minflt),
            major_faults: count(raw.ru_majflt),
            max_resident_kib: count(raw.ru_maxrss),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    #[test]
    fn work_costs_time_and_a_sleep_costs_a_switch() {
        let before = Usage::of_self().expect("usage");
        let until = clock::monotonic_ns() + 50_000_000;
        while clock::monotonic_ns() < until {
            std::hint::black_box(0u64);
        }
        clock::sleep_ns(1_000_000).expect("a sleep");
        let used = Usage::of_self().expect("usage").since(&before);
        // Other tests run in the same process, so only the lower bound holds; a busy neighbour may
        // take some of the wall time.
        assert!(used.user_s + used.system_s > 0.005, "{used:?}");
        assert!(used.voluntary_switches >= 1, "{used:?}");
        assert!(used.max_resident_kib > 100, "{used:?}");
    }
}
