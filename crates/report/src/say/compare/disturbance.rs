//! Trials from which a hypervisor took time.

use analysis::compare::{Comparison, Which};
use stats::words::{counted, list, percent};

/// Which trials were disturbed.
pub fn say(comparison: &Comparison) -> Option<String> {
    let sides: Vec<String> = Which::BOTH
        .into_iter()
        .map(|which| comparison.side(which))
        .filter(|side| side.disturbed.trials > 0)
        .map(|side| {
            format!(
                "{} of {} of `{}` (up to {})",
                side.disturbed.trials,
                counted(side.disturbed.known, "trial", "trials"),
                side.name,
                side.disturbed.largest.map(percent).unwrap_or_default()
            )
        })
        .collect();
    (!sides.is_empty()).then(|| {
        format!("More than 1 % of the CPU time was stolen by a hypervisor in {}.", list(&sides))
    })
}
