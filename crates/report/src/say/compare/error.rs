//! Why runs can't be compared, with what to do about it.

use analysis::compare::{CompareError, Unlike};

use super::harm;

/// The error's facts, then the advice.
pub fn with_advice(error: &CompareError) -> String {
    let advice = match error {
        CompareError::NoSide { .. } => {
            ": give --base and --test one or more run folders each, or choose the sides out of given \
             runs, as in `experiments compare RUN… --by patch --base stock --test fix`"
        }
        CompareError::NoTrial { has_checks: true, .. } => {
            ". Functional checks alone tell harm and no effect: name them beside a run with trials"
        }
        CompareError::NoTrial { .. } => ". `experiments resume RUN` resumes a run",
        CompareError::NoSuchRun { by_value: true, .. } => {
            ". With --by, the runs stand first, and --base and --test name values: `experiments compare \
             RUN… --by kernel --base NAME --test NAME`"
        }
        CompareError::NoSuchRun { .. } => {
            ": a run is a folder such as data/runs/race-sweep-…, which `experiments run` names when it \
             ends"
        }
        CompareError::SameRun { .. } => {
            ". To compare trials within one run, choose the sides by what tells them apart: \
             `experiments compare RUN --by kernel --base NAME --test NAME`"
        }
        CompareError::CopiedRun { .. } => {
            ". If they are two measurements that happen to be equal, import each from its own file, with \
             a comment line (# and the date) that tells the texts apart"
        }
        CompareError::OnlyControls { control } => {
            return format!(
                "{error}. Run other hash policies on both sides, such as `--set hash=auto,{control}`"
            );
        }
        CompareError::OnlyFailed { harm, level, .. } => {
            return format!(
                "{error}. {} `experiments analyze RUN` lists the failed trials",
                harm::say(harm, *level)
            );
        }
        CompareError::NothingObserved { .. } => ". Give another rule with --stall",
        CompareError::Unlike(Unlike::Kernels { .. }) => {
            ". Pooling them would hide which one stalls: name one with `RUN… --by kernel --base NAME \
             --test NAME`. --force compares them all the same, and the result says so"
        }
        CompareError::Unlike(Unlike::StallRule { .. }) => {
            ". --stall RULE judges both by one rule. --force compares them all the same, and the result \
             says so"
        }
        CompareError::Unlike(_) => ". --force compares them all the same, and the result says so",
        CompareError::Analysis(_)
        | CompareError::UnknownKey { .. }
        | CompareError::SizeAsKey { .. }
        | CompareError::UnknownValue { .. }
        | CompareError::ValueOnBothSides { .. }
        | CompareError::NoCommonStratum { .. } => "",
    };
    format!("{error}{advice}")
}
