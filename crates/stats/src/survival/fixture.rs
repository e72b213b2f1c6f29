//! Trials for the tests, from times and whether the event was seen at them.

use super::{FollowUp, KaplanMeier};

/// The recoveries of the report, in seconds; the last process was still stalled when it ended.
pub const REPORTED: [(f64, bool); 7] = [
    (14.0, true),
    (33.0, true),
    (165.0, true),
    (169.0, true),
    (280.0, true),
    (300.0, true),
    (300.0, false),
];

pub fn trials(times: &[(f64, bool)]) -> Vec<FollowUp> {
    times.iter().map(|&(time, event)| FollowUp::new(time, event).unwrap()).collect()
}

pub fn curve(times: &[(f64, bool)]) -> KaplanMeier {
    KaplanMeier::fit(&trials(times)).unwrap()
}
