//! The private futex hash: where its growth can stay pending, and what shows that.

mod doctor;
mod state_count;

use kernel_abi::futex_hash::{self, Support};
use model::definition::Definition;
use model::factor::{Hash, Span};
use model::outcome::{Condition, StallRule};
use model::spec::TrialSpec;
use model::workload::Workload;

use super::{Case, Examination, Examined, Guest, Here};

/// The definitions that ask whether, and for how long, a growth stays pending. Where no growth is
/// ever due, their trials measure nothing but noise.
const ASKING: [&str; 5] = ["race-sweep", "pool-growth", "lab-growth", "patch-growth", "recovery"];

/// The longest that a growth may be pending before a trial in a guest counts as stalled.
const LONGEST_PENDING: Span = Span::from_ms(1000);

/// The case.
pub(super) struct FutexHash;

impl Case for FutexHash {
    fn is_asked_by(&self, definition: &Definition) -> bool {
        ASKING.contains(&definition.name.as_str()) && grows(definition)
    }

    fn here(&self, online: u32) -> Here {
        here(support(), online)
    }

    fn can_show(&self, trial: &TrialSpec, online: u32) -> bool {
        trial.hash == Hash::Auto
            && futex_hash::expected_slots(trial.threads_made(), online)
                .is_some_and(|slots| slots > futex_hash::SMALLEST_AUTO_SLOTS)
    }

    fn guest(&self) -> Guest {
        // docs/how-to/kernel.md, "A table over kernels and CPU counts": of the stock kernels that boot in seconds,
        // the one whose growth is pending for longest.
        Guest { kernel: "debian:7.0", cpus: 32 }
    }

    /// An emulator's throughput says nothing of a stall: a contended cache line costs nothing
    /// there. The state of the hash is the kernel's own.
    fn rule_in_guests(&self, definition: &Definition) -> Option<StallRule> {
        if !definition.outcome.stall.is_by_throughput() || !grows(definition) {
            return None;
        }
        // A pending growth must have been watched for as long, within the trial.
        let half = Span::from_ns(definition.duration.ns() / 2);
        Some(Condition::Event { limit: LONGEST_PENDING.min(half) }.into())
    }

    fn examine(&self, machine: &Examined<'_>) -> Examination {
        doctor::examine(self.guest(), machine)
    }
}

/// Whether a cell's hash grows by itself, in threads of a workload that shows the growth.
fn grows(definition: &Definition) -> bool {
    let shows = |workload: &Workload| {
        matches!(workload, Workload::WakeStorm | Workload::Mutex | Workload::Messenger)
    };
    definition.factors.hash.contains(&Hash::Auto) && definition.factors.workload.iter().all(shows)
}

/// `None` where the kernel could not be asked.
fn support() -> Option<Support> {
    futex_hash::support().ok().map(|(support, _)| support)
}

fn here(support: Option<Support>, online: u32) -> Here {
    let (is_possible, reason) = match support {
        None => {
            (None, "whether this kernel has private futex hashes could not be found out".into())
        }
        Some(Support::Absent) => (
            Some(false),
            "this kernel has no private futex hash: the hash came with Linux 6.16, and the race \
             with 6.17"
                .into(),
        ),
        Some(Support::CompiledOut) => (
            Some(false),
            "this kernel is built without CONFIG_FUTEX_PRIVATE_HASH: every futex is in the global \
             hash, which is never replaced"
                .into(),
        ),
        Some(Support::Private) if !futex_hash::race_possible(online) => (
            Some(false),
            format!(
                "with {} the private futex hash never grows: its first {} slots are enough for 4 \
                 CPUs",
                cpus(online),
                futex_hash::SMALLEST_AUTO_SLOTS
            ),
        ),
        Some(Support::Private) => (
            Some(true),
            format!(
                "with {} the private futex hash grows from {} to as many as {} slots while threads \
                 are made",
                cpus(online),
                futex_hash::SMALLEST_AUTO_SLOTS,
                futex_hash::largest_auto_slots(online)
                    .map_or_else(|| "?".to_string(), |slots| slots.to_string())
            ),
        ),
    };
    Here { is_possible, reason }
}

fn cpus(count: u32) -> String {
    if count == 1 { "1 CPU".into() } else { format!("{count} CPUs") }
}

#[cfg(test)]
mod tests {
    use model::definition::parse;

    use super::*;

    #[test]
    fn four_cpus_never_grow_and_five_do() {
        for online in 1..=4 {
            let seen = here(Some(Support::Private), online);
            assert_eq!(seen.is_possible, Some(false));
            assert!(seen.reason.contains("never grows"), "{}", seen.reason);
        }
        let seen = here(Some(Support::Private), 5);
        assert_eq!(seen.is_possible, Some(true));
        assert!(seen.reason.contains("from 16 to as many as 32"), "{}", seen.reason);
    }

    #[test]
    fn a_large_machine_without_the_hash_cannot_show_it() {
        for (support, word) in
            [(Support::Absent, "6.17"), (Support::CompiledOut, "CONFIG_FUTEX_PRIVATE_HASH")]
        {
            let seen = here(Some(support), 192);
            assert_eq!(seen.is_possible, Some(false));
            assert!(seen.reason.contains(word), "{}", seen.reason);
        }
        assert_eq!(here(None, 192).is_possible, None);
    }

    fn definition(name: &str, rest: &str) -> Definition {
        parse("x.toml", name, rest).expect("a definition")
    }

    const SWEEP: &str = "duration = \"300ms\"\n[factors]\nworkload = \"wake-storm\"\nthreads = 8\n";

    #[test]
    fn a_rule_by_throughput_gives_way_where_a_hash_grows() {
        let rule = |text: &str| {
            FutexHash.rule_in_guests(&definition("x", text)).map(|rule| rule.to_string())
        };
        assert_eq!(rule(SWEEP).as_deref(), Some("pivot:150ms"));
        assert_eq!(rule(&SWEEP.replace("300ms", "60s")).as_deref(), Some("pivot:1s"));
        assert_eq!(rule(&format!("{SWEEP}[outcome]\nstall = \"pivot:4s\"\n")), None);
        assert_eq!(rule(&format!("{SWEEP}hash = \"global\"\n")), None);
        // main resizes the hash: a pivot says nothing of a stall.
        assert_eq!(rule(&SWEEP.replace("wake-storm", "resize")), None);
    }

    #[test]
    fn only_a_definition_that_asks_for_the_race_is_taken_elsewhere() {
        assert!(FutexHash.is_asked_by(&definition("race-sweep", SWEEP)));
        assert!(!FutexHash.is_asked_by(&definition("mine", SWEEP)));
        let fixed = format!("{SWEEP}hash = \"slots:512\"\n");
        assert!(!FutexHash.is_asked_by(&definition("race-sweep", &fixed)));
    }
}
