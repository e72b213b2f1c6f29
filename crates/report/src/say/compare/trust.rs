//! Whether the comparison can be trusted, and what limits that.

use analysis::compare::Comparison;
use analysis::compare::order::Order;
use analysis::compare::trust::{Distrust, Limit};
use stats::words::{counted, list, out_of, significant};

use super::listed;
use crate::say::word::HAD;

/// In a line.
pub fn line(comparison: &Comparison) -> String {
    let trust = &comparison.trust;
    if !trust.can_be_trusted {
        return format!("Trust: no. {}", because(comparison).swap_remove(1));
    }
    let limits: Vec<String> = trust.limits.iter().map(|limit| short(limit).to_string()).collect();
    match limits.is_empty() {
        true => "Trust: nothing speaks against it.".to_string(),
        false => format!("Trust: limited: {}.", limits.join("; ")),
    }
}

fn short(limit: &Limit) -> &'static str {
    match limit {
        Limit::ControlMovedInBlocks => "the control moved with the patch",
        Limit::ControlNotShown => "it is not shown that the control held",
        Limit::NoControl => "no control on both sides",
        Limit::Order { order } => match order {
            Order::Interleaved => "measured in the same blocks",
            Order::Alternating => "the sides were measured in turns, run by run",
            Order::OneAfterTheOther => "one side was measured after the other",
            Order::AtTheSameTime => "runs of both sides overlapped in time",
            Order::PartlyInterleaved => "only part of the trials share blocks",
            Order::Unknown => "the order of the measurements is not recorded",
        },
        Limit::MachineUnknown => "the machine is not recorded everywhere",
        Limit::NothingTellsApart => "nothing recorded tells the sides apart",
        Limit::EmulatedThroughput => "the rule judges the emulator's throughput",
        Limit::DurationUnknown { .. } => "the trials' duration is known of one side only",
    }
}

/// What takes the trust away, with a head; nothing where it can be trusted.
pub fn because(comparison: &Comparison) -> Vec<String> {
    let mut said: Vec<String> =
        comparison.trust.because.iter().map(|reason| distrust(comparison, reason)).collect();
    if !said.is_empty() {
        said.insert(0, "This comparison can't be trusted as it stands.".to_string());
    }
    said
}

fn distrust(comparison: &Comparison, reason: &Distrust) -> String {
    match reason {
        Distrust::Machines => {
            let machines = &comparison.machines;
            let shown = |names: &[String]| match names {
                [] => "an unknown machine".to_string(),
                names => list(names),
            };
            format!(
                "Confounded with the machine: the base side ran on {}, the test side on {} ({}). A \
                 difference may be the machine's.",
                shown(&machines.base),
                shown(&machines.test),
                counted(machines.confounded.len() as u64, "stratum", "strata"),
            )
        }
        Distrust::SeveralLabels { labels } => {
            let labels: Vec<String> = labels.iter().map(|label| format!("`{label}`")).collect();
            format!(
                "The labels {} all tell the sides apart: a difference may be due to any of them. \
                 Compare runs in which only one of them differs.",
                list(&labels)
            )
        }
        Distrust::ControlMoved => format!(
            "The control moved between the sides: {}. Either the machine changed, or the patch {}. The two \
             can't be told apart, as {}.",
            moved(comparison),
            match comparison.drift.ratio.and_then(|ratio| ratio.estimate) {
                Some(ratio) if ratio > 1.0 => "makes everything that much faster",
                Some(ratio) if ratio < 1.0 => "costs that everywhere",
                _ => "changes that",
            },
            match comparison.order {
                Order::Unknown => "it is not known when the sides were measured",
                Order::AtTheSameTime => "the sides were measured apart, at the same time",
                Order::Alternating => "the sides took turns and share no blocks",
                Order::PartlyInterleaved => "only part of the trials share blocks",
                Order::Interleaved | Order::OneAfterTheOther =>
                    "one side was measured after the other",
            }
        ),
    }
}

/// What the control did.
fn moved(comparison: &Comparison) -> String {
    let drift = &comparison.drift;
    let mut what = Vec::new();
    if let Some(ratio) = drift.ratio.and_then(|ratio| ratio.estimate) {
        what.push(format!("its throughput is {} times the base's", significant(ratio, 3)));
    }
    if !drift.cells.is_empty() {
        what.push(format!("it moved at {}", listed(&drift.cells)));
    }
    if let [[base, base_n], [test, test_n]] = drift.stalled
        && base + test > 0
    {
        what.push(format!(
            "it {HAD} in {} of the base side and {test} of {test_n} of the test side",
            out_of(base, base_n, "trial", "trials")
        ));
    }
    list(&what)
}

/// What limits the trust, a sentence or two each.
pub fn limits(comparison: &Comparison) -> Vec<String> {
    comparison.trust.limits.iter().filter_map(|limit| in_full(comparison, limit)).collect()
}

fn in_full(comparison: &Comparison, limit: &Limit) -> Option<String> {
    Some(match limit {
        Limit::ControlMovedInBlocks => format!(
            "The control moved with the sides: {}. Both were measured in the same blocks, so this is \
             part of the patch's cost and no drift of the machine.",
            moved(comparison)
        ),
        Limit::ControlNotShown => "It is not shown that the control held: the interval of its \
                                   throughput reaches beyond the margin, or can't be read."
            .to_string(),
        Limit::NoControl => {
            "No control is on both sides: a drift of the machine between them can't be seen."
                .to_string()
        }
        Limit::Order { order } => match order {
            Order::Interleaved => return None,
            Order::Alternating => "The sides were measured in turns, run by run, and not in common \
                                   blocks: a drift within a run would look like the patch.",
            Order::OneAfterTheOther => {
                "One side was measured after the other: whatever changed in between (temperature, \
                 neighbours, a reboot) would look like the patch. To measure both kernels in the same \
                 blocks, name them in one run: `--kernel A --kernel B`."
            }
            Order::AtTheSameTime => {
                "Runs of both sides overlapped in time: on one machine they disturb each other."
            }
            Order::PartlyInterleaved => "Only part of the trials were measured in common blocks: the \
                                         others may carry a drift.",
            Order::Unknown => "When the sides were measured is not recorded.",
        }
        .to_string(),
        Limit::MachineUnknown => {
            "The machine of some trials is not recorded.".to_string()
        }
        Limit::NothingTellsApart => "Nothing that was recorded tells the sides apart, neither the \
                                     kernel nor a label: this compares like with like."
            .to_string(),
        Limit::EmulatedThroughput => "The trials ran in guests, and the rule judges them by the \
                                      emulator's throughput: `--stall pivot:1s` judges by the hash."
            .to_string(),
        Limit::DurationUnknown { strata } => format!(
            "How long a trial lasted is known of one side only at {}: a longer one has more time to \
             stall in, and to recover.",
            listed(strata)
        ),
    })
}
