//! Steal time: how long a hypervisor ran something else while a CPU of ours had work.
//!
//! From `/proc/stat`, a column per CPU in clock ticks. On bare metal it is there and stays 0. A
//! trial in a guest whose steal is not near 0 measured its neighbours too.

use std::collections::BTreeMap;
use std::io;

use crate::affinity::CpuSet;

/// A reading of every online CPU's steal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Steal {
    ticks: BTreeMap<u32, u64>,
}

impl Steal {
    /// Reads `/proc/stat`.
    ///
    /// # Errors
    /// When it can't be read or has no steal column.
    pub fn read() -> io::Result<Steal> {
        let text = std::fs::read_to_string("/proc/stat")?;
        Steal::parse(&text).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, "/proc/stat has no steal column")
        })
    }

    /// From the text of `/proc/stat`: `None` when no CPU line has the eighth column.
    pub fn parse(text: &str) -> Option<Steal> {
        let mut ticks = BTreeMap::new();
        for line in text.lines() {
            let mut fields = line.split_ascii_whitespace();
            // The line `cpu`, without a number, is the sum over all.
            let Some(cpu) = fields.next().and_then(|name| name.strip_prefix("cpu")) else {
                continue;
            };
            let Ok(cpu) = cpu.parse::<u32>() else { continue };
            // user nice system idle iowait irq softirq steal
            if let Some(Ok(steal)) = fields.nth(7).map(str::parse) {
                ticks.insert(cpu, steal);
            }
        }
        (!ticks.is_empty()).then_some(Steal { ticks })
    }

    /// Seconds stolen from `cpus`, in sum, since the earlier reading. `None` where one of them is
    /// missing in either: a CPU that went offline lost its count.
    pub fn seconds_since(&self, earlier: &Steal, cpus: &CpuSet) -> Option<f64> {
        Some(self.ticks_since(earlier, cpus)? as f64 / ticks_per_second()? as f64)
    }

    fn ticks_since(&self, earlier: &Steal, cpus: &CpuSet) -> Option<u64> {
        let mut sum = 0u64;
        for cpu in cpus.iter() {
            let (now, then) = (self.ticks.get(&cpu)?, earlier.ticks.get(&cpu)?);
            // The kernel's count can step back by rounding; that is not a negative theft.
            sum = sum.saturating_add(now.saturating_sub(*then));
        }
        Some(sum)
    }
}

fn ticks_per_second() -> Option<u64> {
    // SAFETY: takes a constant, touches no memory of ours.
    let ticks = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    u64::try_from(ticks).ok().filter(|&ticks| ticks > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EARLIER: &str = "cpu  34976 0 4218 64460 312 0 94 135 0 0\n\
                           cpu0 16288 0 2084 33502 110 0 40 117 0 0\n\
                           cpu1 18688 0 2134 30957 201 0 53 17 0 0\n\
                           intr 271751 0 0\nctxt 9\n";

    #[test]
    fn the_difference_is_over_the_cpus_asked_for() {
        let earlier = Steal::parse(EARLIER).expect("a reading");
        let later =
            Steal::parse(&EARLIER.replace(" 117 ", " 267 ").replace(" 17 ", " 18 ")).expect("one");
        let cpus = |text: &str| text.parse::<CpuSet>().expect("a list");
        assert_eq!(later.ticks_since(&earlier, &cpus("0")), Some(150));
        assert_eq!(later.ticks_since(&earlier, &cpus("0-1")), Some(151));
        assert_eq!(later.ticks_since(&earlier, &cpus("0-2")), None);
        assert_eq!(earlier.ticks_since(&later, &cpus("0-1")), Some(0));
        let second = 150.0 / ticks_per_second().expect("ticks") as f64;
        assert_eq!(later.seconds_since(&earlier, &cpus("0")), Some(second));
    }

    #[test]
    fn a_text_without_the_column_is_no_reading() {
        for text in ["", "cpu0 1 2 3 4\n", "cpu 1 2 3 4 5 6 7 8\n", "cpuX 1 2 3 4 5 6 7 8\n"] {
            assert_eq!(Steal::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn this_machine_has_a_reading() {
        let reading = Steal::read().expect("/proc/stat");
        let cpus = crate::affinity::current().expect("affinity");
        assert_eq!(reading.ticks_since(&reading, &cpus), Some(0));
    }
}
