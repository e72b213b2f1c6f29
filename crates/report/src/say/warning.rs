//! What a reader of the tables must know of how trials were pooled and intervals made.

use analysis::warning::{OnMachine, Warning};
use stats::words::counted;

/// Each in a sentence.
pub fn all(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(say).collect()
}

fn say(warning: &Warning) -> String {
    match warning {
        Warning::MixedDurations { cells, example } => format!(
            "{} trials of different durations, such as {example}: a longer trial has more time to recover in",
            match cells {
                1 => "1 cell mixes".to_string(),
                n => format!("{n} cells mix"),
            }
        ),
        Warning::MixedMachines { runs: [a, b] } => format!(
            "{} and {} are pooled though their machines differ: give each run --label machine=NAME to \
             tell them apart",
            on_machine(a),
            on_machine(b)
        ),
        Warning::Modes { cells, bimodal } => format!(
            "split: {bimodal} of {} {} two modes, the control pooled with it; in the others no trial counts \
             as stalled, and where there is no control none has an outcome",
            counted(*cells, "cell", "cells"),
            if *cells == 1 { "has" } else { "have" }
        ),
        Warning::NeverMatched { expression, trials } => format!(
            "`{expression}` matches the output of none of {}: if that is not what you expect, look for a \
             slip in the expression",
            counted(*trials, "trial", "trials")
        ),
        Warning::ControlRatio { cells, note } => format!(
            "control_ratio of {}: {}",
            counted(*cells, "cell", "cells"),
            stats::said::samples::note(note)
        ),
    }
}

fn on_machine(it: &OnMachine) -> String {
    format!(
        "{} ({}, {})",
        it.run.display(),
        it.cpu_model.as_deref().unwrap_or("an unknown CPU"),
        counted(it.cpus.into(), "CPU", "CPUs")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_that_differ_are_named_with_what_tells_them_apart() {
        let on = |run: &str, cpu_model: Option<&str>, cpus| OnMachine {
            run: run.into(),
            cpu_model: cpu_model.map(str::to_string),
            cpus,
        };
        let said =
            say(&Warning::MixedMachines { runs: [on("a", Some("Xeon"), 1), on("b", None, 2)] });
        assert_eq!(
            said,
            "a (Xeon, 1 CPU) and b (an unknown CPU, 2 CPUs) are pooled though their machines differ: give \
             each run --label machine=NAME to tell them apart"
        );
    }
}
