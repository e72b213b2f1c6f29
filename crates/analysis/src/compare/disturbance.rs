//! Trials that something else disturbed, as far as the rows show it: time that the hypervisor took.

use serde::Serialize;

use super::sides::{Sides, Which};
use crate::data::Trial;

/// Above this share of a trial's CPU time, stolen time is said to have disturbed it.
pub const STOLEN: f64 = 0.01;

/// Disturbed trials of a side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Disturbed {
    /// Those from which more than a hundredth of their CPU time was stolen.
    pub trials: u64,
    /// Of so many whose stolen time is known.
    pub known: u64,
    /// The largest share stolen.
    pub largest: Option<f64>,
    /// Disturbances that the runs' manifests name.
    pub named: u64,
}

/// Of both sides, base first.
pub fn of(sides: &Sides) -> [Disturbed; 2] {
    Which::BOTH.map(|side| {
        let mut found = Disturbed {
            named: sides.runs(side).iter().map(|run| run.manifest.disturbances.len() as u64).sum(),
            ..Disturbed::default()
        };
        for share in sides.trials(side).filter_map(|(_, trial)| share(trial)) {
            found.known += 1;
            found.trials += u64::from(share > STOLEN);
            found.largest = Some(found.largest.map_or(share, |largest: f64| largest.max(share)));
        }
        found
    })
}

/// The share of a trial's CPU time that was stolen: of all CPUs, over the time in which all threads
/// worked, or what was planned where that is not known.
pub fn share(trial: &Trial) -> Option<f64> {
    let time = trial.elapsed_s.or(trial.duration_s)? * trial.cpus? as f64;
    let share = trial.steal_s? / time;
    (share.is_finite() && share >= 0.0).then_some(share)
}
