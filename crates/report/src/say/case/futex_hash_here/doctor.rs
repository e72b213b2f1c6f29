//! What `doctor` says of the private futex hash.

use kernel_abi::futex_hash::{self, SMALLEST_AUTO_SLOTS, Support};
use serde_json::{Map, json};

use super::super::{Examination, Examined, Guest, Line, Section};
use super::{cpus, here, state_count};

/// Shows whether the race occurs on a machine where it can.
const RACE: &str = "experiments run race-sweep";
/// Works on two CPUs: the pivot is asked for by prctl.
const PIVOTS: &str = "experiments run pivot-latency";

pub(super) fn examine(guest: Guest, machine: &Examined<'_>) -> Examination {
    let (support, evidence) = match futex_hash::support() {
        Ok((support, evidence)) => (Some(support), evidence.to_string()),
        Err(errno) => {
            (None, format!("PR_FUTEX_HASH could not be asked: {errno}; a seccomp filter?"))
        }
    };
    let seen = here(support, machine.online);
    let mut reason = sentence(&seen.reason);
    if seen.is_possible == Some(true) {
        reason += " Whether a growth stays pending depends on chance, on load and layout, and on \
                   whether this kernel has the bug or a fix.";
        if machine.allowed < machine.online {
            reason += &format!(
                " All threads share the {} that this process may use, so fewer threads hold a \
                 reference at any moment than on the whole machine.",
                cpus(machine.allowed)
            );
        }
    }
    let in_the_lab = format!("{RACE} --kernel {} --cpus {}", guest.kernel, guest.cpus);
    let runs_here = (seen.is_possible == Some(true)).then_some(RACE);
    let runs_instead = runs_here.is_none().then_some(in_the_lab);
    let partly = (support == Some(Support::Private)).then_some(PIVOTS);
    let state_count = state_count::look(machine);
    let largest = futex_hash::largest_auto_slots(machine.online);
    let from_threads = (1..=machine.online)
        .find(|&threads| futex_hash::expected_slots(threads, machine.online) == largest);

    let (word, in_words) = match support {
        Some(Support::Private) => ("private", "yes"),
        Some(Support::CompiledOut) => {
            ("compiled-out", "no: the kernel knows the prctl and is built without the hash")
        }
        Some(Support::Absent) => ("absent", "no: the kernel is older than the hash"),
        None => ("unknown", "not known"),
    };
    let mut race = Map::new();
    race.insert("possible".into(), json!(seen.is_possible));
    race.insert("reason".into(), json!(reason));
    let mut verdict = vec![Line::Text(reason)];
    for (key, lead, command) in [
        ("here", "To see whether it does:", runs_here.map(str::to_string)),
        ("instead", "To see it in the lab:", runs_instead),
        ("partly", "To measure here how long a pivot takes:", partly.map(str::to_string)),
    ] {
        let Some(command) = command else { continue };
        verdict.push(Line::Text(format!("{lead} {command}")));
        race.insert(key.into(), json!(command));
    }

    let mut hash = vec![Line::Pair("private hash", in_words.into())];
    if support == Some(Support::Private) {
        let scaling = match (largest, from_threads) {
            (Some(largest), Some(threads)) if largest > SMALLEST_AUTO_SLOTS => {
                format!(
                    "{SMALLEST_AUTO_SLOTS} to {largest} slots, {largest} from {threads} threads on"
                )
            }
            (Some(largest), _) => format!("{largest} slots at any number of threads"),
            (None, _) => "not known".to_string(),
        };
        hash.push(Line::Pair("auto-scaling", scaling));
    }
    hash.insert(1, Line::Pair("told by", evidence.clone()));

    let mut counting: Vec<Line> = state_count.iter().cloned().map(Line::Item).collect();
    counting.push(Line::Text(
        "Without it, the sampled slots show a growth that is due and not done.".into(),
    ));
    let facts = json!({
        "futex_hash": {"support": word, "evidence": evidence},
        "auto_slots": {
            "smallest": SMALLEST_AUTO_SLOTS,
            "largest": largest,
            "largest_from_threads": from_threads,
        },
        "race": race,
        "state_count": {"possible": state_count.is_empty(), "missing": state_count},
    });
    Examination {
        facts: facts.as_object().cloned().unwrap_or_default(),
        verdict: Section {
            heading: match seen.is_possible {
                Some(true) => "The race here: it can occur",
                Some(false) => "The race here: it cannot occur",
                None => "The race here: not known",
            }
            .into(),
            lines: verdict,
        },
        details: vec![
            Section { heading: "Futex hash".into(), lines: hash },
            Section {
                heading: format!(
                    "Counting the hash's state by a kprobe: {}",
                    if state_count.is_empty() { "possible" } else { "not possible here" }
                ),
                lines: counting,
            },
        ],
    }
}

/// A clause as a sentence.
fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_facts_say_whether_and_why_and_what_to_run() {
        let machine =
            Examined { release: "7.3", config: None, online: 2, allowed: 1, is_root: false };
        let seen = examine(Guest { kernel: "debian:7.0", cpus: 32 }, &machine);
        let race = &seen.facts["race"];
        assert_ne!(race["possible"], json!(true), "two CPUs never grow");
        assert!(race["instead"].as_str().is_some_and(|run| run.contains("--kernel debian:7.0")));
        assert!(race["reason"].as_str().is_some_and(|why| why.ends_with('.')));
        assert!(seen.details.iter().any(|section| section.heading == "Futex hash"));
    }

    #[test]
    fn a_clause_becomes_a_sentence() {
        assert_eq!(sentence("with 2 CPUs"), "With 2 CPUs.");
    }
}
