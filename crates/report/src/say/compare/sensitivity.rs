//! Trials without an outcome, and what the verdict would be had they had one.

use analysis::compare::sensitivity::Scenario;
use analysis::compare::{Comparison, Which};
use stats::words::{counted, list};

use super::verdict::word;
use crate::say::word::HAD;

/// A scenario, after "if".
pub fn scenario(scenario: Scenario) -> String {
    match scenario {
        Scenario::AllStalled => format!("all trials without an outcome {HAD}"),
        Scenario::NoneStalled => format!("no trial without an outcome {HAD}"),
        Scenario::AgainstTest => {
            format!("the test side's trials without an outcome {HAD}, and the base side's did not")
        }
        Scenario::ForTest => {
            format!("the base side's trials without an outcome {HAD}, and the test side's did not")
        }
        Scenario::WithoutDisturbed => {
            "trials that lost CPU time to a hypervisor were left out".to_string()
        }
    }
}

/// How many trials have no outcome, and whether the verdict hangs on them.
pub fn say(comparison: &Comparison) -> Option<String> {
    let side = |which: Which| {
        let side = comparison.side(which);
        let mut parts = Vec::new();
        if side.failed > 0 {
            parts.push(format!("{} failed", side.failed));
        }
        if side.not_observable > 0 {
            parts.push(format!("{} could not be judged", side.not_observable));
        }
        let trials = counted(side.trials, "trial", "trials");
        (!parts.is_empty()).then(|| format!("of {trials} of `{}` {}", side.name, list(&parts)))
    };
    let sides: Vec<String> = Which::BOTH.into_iter().filter_map(side).collect();
    let changed = comparison.sensitivity.iter().filter(|one| one.changes);
    let changes: Vec<String> =
        changed.map(|one| format!("{} if {}", word(one.verdict), scenario(one.scenario))).collect();
    let mut said = Vec::new();
    if !sides.is_empty() {
        said.push(format!("Trials without an outcome are not counted: {}.", sides.join("; ")));
    }
    if !changes.is_empty() {
        said.push(format!("The verdict would be {}.", changes.join("; ")));
    } else if !sides.is_empty() && !comparison.sensitivity.is_empty() {
        said.push("Whatever they would have been, the verdict is the same.".to_string());
    }
    (!said.is_empty()).then(|| said.join(" "))
}
