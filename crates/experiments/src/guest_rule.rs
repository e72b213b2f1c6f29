//! By which rule trials in guests are judged.
//!
//! An emulator's throughput says nothing of a stall: a contended cache line costs nothing there,
//! and which virtual CPUs the host runs is its own matter. The state of the hash is the kernel's
//! own, so a definition's rule by throughput gives way to one by the pivot. Whoever names a rule
//! gets it.

use model::definition::Definition;
use model::factor::{Hash, Span};
use model::outcome::StallRule;
use model::workload::Workload;

/// The longest that a growth may be pending before a trial counts as stalled.
const LONGEST: Span = Span::from_ms(1000);

/// Puts a rule by the pivot in place of one by throughput, and says so; nothing where the
/// definition's rule looks at the hash already, or where no growth can be seen: a program of
/// somebody else's, a hash that main resizes, no cell whose hash grows.
pub fn judge_by_the_hash(definition: &mut Definition) -> Option<String> {
    let by = definition.outcome.stall;
    let seen = |workload: &Workload| {
        matches!(workload, Workload::WakeStorm | Workload::Mutex | Workload::Messenger)
    };
    let grows = definition.factors.hash.contains(&Hash::Auto)
        && definition.factors.workload.iter().all(seen);
    if !by.is_by_throughput() || !grows {
        return None;
    }
    // A pending growth must have been watched for as long, within the trial.
    let half = Span::from_ns(definition.duration.ns() / 2);
    let rule = StallRule::Pivot { limit: LONGEST.min(half) };
    definition.outcome.stall = rule;
    Some(format!(
        "throughput in a guest is the emulator's: a trial is judged by {rule} and not by the \
         definition's {by}; --stall {by} insists"
    ))
}

#[cfg(test)]
mod tests {
    use campaign::catalog::Catalog;

    use super::*;

    fn judged(name: &str, change: impl FnOnce(&mut Definition)) -> (String, Option<String>) {
        let entry = Catalog::find(None).unwrap().get(name).unwrap();
        let mut definition = entry.definition().unwrap();
        change(&mut definition);
        let note = judge_by_the_hash(&mut definition);
        (definition.outcome.stall.to_string(), note)
    }

    #[test]
    fn a_rule_by_throughput_gives_way_where_a_hash_grows() {
        let (rule, note) = judged("race-sweep", |d| d.duration = Span::from_ms(300));
        assert_eq!(rule, "pivot:150ms");
        assert!(note.unwrap().contains("--stall control:0.5 insists"));
        assert_eq!(judged("race-sweep", |d| d.duration = Span::from_ms(60_000)).0, "pivot:1s");
    }

    #[test]
    fn other_rules_stay() {
        assert_eq!(judged("lab-growth", |_| ()), ("pivot:4s".to_string(), None));
        // main resizes the hash: the pivot speaks of nothing that stalls.
        assert_eq!(judged("pivot-latency", |_| ()).1, None);
        let fixed = |d: &mut Definition| d.factors.hash = vec![Hash::Global];
        assert_eq!(judged("race-sweep", fixed).1, None);
    }
}
