//! Whether the race can occur on this machine at all.
//!
//! It needs a private hash that is replaced by a larger one while threads hold references. Where
//! that can't be, "0 % stalled" would be true and worthless, so the reason is given instead.

use kernel_abi::futex_hash::{SMALLEST_AUTO_SLOTS, largest_auto_slots, race_possible};
use serde::Serialize;

use super::facts::{FutexHash, HashSupport};

/// What shows the race where this machine doesn't: a lab guest of a kernel that has it.
const IN_THE_LAB: &str = "experiments run race-sweep --kernel debian:7.3 --cpus 32";
const HERE: &str = "experiments run race-sweep";
/// Works on two CPUs: the pivot is asked for by prctl.
const PIVOTS: &str = "experiments run pivot-latency";

/// Can it, why, and what to run.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Absent: the question could not be answered.
    pub possible: Option<bool>,
    /// One or two sentences.
    pub reason: String,
    /// The command that shows the race here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub here: Option<&'static str>,
    /// The command that shows it where this machine can't.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead: Option<&'static str>,
    /// What of it this machine can show all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partly: Option<&'static str>,
}

/// From the hash that the kernel gives, the CPUs online and those that this process may use.
pub fn judge(hash: &FutexHash, online: u32, allowed: u32) -> Verdict {
    let not_here = |reason: String, partly| Verdict {
        possible: Some(false),
        reason,
        here: None,
        instead: Some(IN_THE_LAB),
        partly,
    };
    match hash.support {
        HashSupport::Absent => not_here(
            "This kernel gives no process a futex hash of its own, so none can be replaced. It came \
             with Linux 6.16, and the race with 6.17."
                .into(),
            None,
        ),
        HashSupport::CompiledOut => not_here(
            "This kernel is built without CONFIG_FUTEX_PRIVATE_HASH: every futex is in the global \
             hash, which is never replaced."
                .into(),
            None,
        ),
        HashSupport::Unknown => Verdict {
            possible: None,
            reason: "Whether this kernel has private futex hashes could not be found out, so \
                     nothing is claimed."
                .into(),
            here: None,
            instead: Some(IN_THE_LAB),
            partly: None,
        },
        HashSupport::Private if !race_possible(online) => not_here(
            format!(
                "With {} the hash never grows by itself: auto-scaling asks for 4 slots a CPU or \
                 thread, whichever are fewer, and the first hash has {SMALLEST_AUTO_SLOTS}, enough \
                 for 4. No growth is ever due, so no trial can stall here, and that none did would \
                 say nothing of the kernel.",
                cpus(online)
            ),
            Some(PIVOTS),
        ),
        HashSupport::Private => {
            let largest =
                largest_auto_slots(online).map_or_else(|| "?".to_owned(), |n| n.to_string());
            let mut reason = format!(
                "With {} the hash grows from {SMALLEST_AUTO_SLOTS} to as many as {largest} slots \
                 while threads are made. Whether a growth stays pending is a matter of chance, load \
                 and layout, and of whether this kernel has the bug or a fix: run it.",
                cpus(online)
            );
            if allowed < online {
                reason += &format!(
                    " All threads share the {} that this process may use; fewer of them hold a \
                     reference at any moment than on the whole machine.",
                    cpus(allowed)
                );
            }
            Verdict {
                possible: Some(true),
                reason,
                here: Some(HERE),
                instead: None,
                partly: Some(PIVOTS),
            }
        }
    }
}

fn cpus(count: u32) -> String {
    if count == 1 { "1 CPU".into() } else { format!("{count} CPUs") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(support: HashSupport, online: u32, allowed: u32) -> Verdict {
        judge(&FutexHash { support, evidence: String::new() }, online, allowed)
    }

    #[test]
    fn four_cpus_never_grow_and_five_do() {
        for online in 1..=4 {
            let verdict = on(HashSupport::Private, online, online);
            assert_eq!((verdict.possible, verdict.instead), (Some(false), Some(IN_THE_LAB)));
            assert_eq!(verdict.partly, Some(PIVOTS));
            assert!(verdict.reason.contains("never grows by itself"), "{}", verdict.reason);
        }
        let verdict = on(HashSupport::Private, 5, 5);
        assert_eq!((verdict.possible, verdict.here), (Some(true), Some(HERE)));
        assert!(verdict.reason.contains("from 16 to as many as 32"), "{}", verdict.reason);
    }

    #[test]
    fn a_large_machine_without_the_hash_cannot_show_it() {
        for (support, word) in
            [(HashSupport::Absent, "6.17"), (HashSupport::CompiledOut, "CONFIG_FUTEX_PRIVATE_HASH")]
        {
            let verdict = on(support, 192, 192);
            assert_eq!((verdict.possible, verdict.partly), (Some(false), None));
            assert!(verdict.reason.contains(word), "{}", verdict.reason);
        }
    }

    #[test]
    fn what_is_advised_can_be_run() {
        use clap::Parser;
        let catalog = campaign::catalog::Catalog::find(None).expect("definitions");
        for command in [IN_THE_LAB, HERE, PIVOTS] {
            crate::Cli::try_parse_from(command.split(' ')).expect(command);
            let name = command.split(' ').nth(2).expect("a name");
            assert!(catalog.get(name).is_ok_and(|entry| entry.definition().is_ok()), "{name}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_claimed() {
        let verdict = on(HashSupport::Unknown, 192, 192);
        assert_eq!((verdict.possible, verdict.here), (None, None));
    }

    #[test]
    fn a_cpuset_is_named_where_growth_goes_by_the_whole_machine() {
        let verdict = on(HashSupport::Private, 96, 1);
        assert_eq!(verdict.possible, Some(true));
        assert!(verdict.reason.contains("share the 1 CPU that"), "{}", verdict.reason);
    }
}
