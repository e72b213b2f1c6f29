//! Trials ordered by time: who has the event at each distinct time, and who is still at risk.
//!
//! The one place that sorts times and gathers ties. A curve takes the times of one group; a rank test and a
//! partial likelihood walk those of several groups side by side.

use rayon::slice::ParallelSliceMut;

use super::{FollowUp, Step};

/// From so many trials on, sorting on several CPUs pays for handing out the parts.
const PARALLEL: usize = 1 << 14;

/// What happens at one distinct time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tied {
    time: u64,
    /// Trials with the event.
    pub events: u64,
    /// Trials whose following ends without it.
    pub censored: u64,
}

impl Tied {
    /// The time.
    pub fn time(self) -> f64 {
        f64::from_bits(self.time)
    }
}

/// The distinct times, ascending, in O(n log n).
///
/// A time is not negative and not NaN, so its bits are ordered as the times are and their first, the sign, is
/// free. With the event in its place a trial is one integer, and sorting those is several times as
/// fast as sorting pairs.
pub(super) fn tied_times(trials: &[FollowUp]) -> Vec<Tied> {
    let mut keys: Vec<u64> =
        trials.iter().map(|trial| trial.time().to_bits() << 1 | u64::from(trial.event())).collect();
    if keys.len() < PARALLEL {
        keys.sort_unstable()
    } else {
        keys.par_sort_unstable()
    }
    keys.chunk_by(|a, b| a >> 1 == b >> 1)
        .map(|tied| {
            // Within a time, the trials without the event come first.
            let censored = tied.partition_point(|key| key & 1 == 0);
            let events = tied.len() - censored;
            Tied {
                time: tied.first().map_or(0, |key| key >> 1),
                events: events as u64,
                censored: censored as u64,
            }
        })
        .collect()
}

/// Calls `visit` at each time at which any group has an event, ascending, with the number at risk and the
/// number of events of each group. `groups` are the steps of their curves.
pub(super) fn walk(groups: &[&[Step]], mut visit: impl FnMut(&[f64], &[f64])) {
    let mut left: Vec<&[Step]> = groups.to_vec();
    let mut at_risk = vec![0.0; groups.len()];
    let mut events = vec![0.0; groups.len()];
    loop {
        let next = left.iter().filter_map(|steps| steps.first()).map(|step| step.time);
        let Some(time) = next.reduce(f64::min) else { return };
        let mut any = false;
        for (g, steps) in left.iter_mut().enumerate() {
            (at_risk[g], events[g]) = (0.0, 0.0);
            if let Some((step, later)) = steps.split_first() {
                // At risk up to its own next time, whichever group has this one.
                at_risk[g] = step.at_risk as f64;
                if step.time == time {
                    events[g] = step.events as f64;
                    any |= step.events > 0;
                    *steps = later;
                }
            }
        }
        if any {
            visit(&at_risk, &events);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::KaplanMeier;
    use super::*;

    fn trials(times: &[(f64, bool)]) -> Vec<FollowUp> {
        times.iter().map(|&(time, event)| FollowUp::new(time, event).unwrap()).collect()
    }

    #[test]
    fn the_order_of_the_keys_is_that_of_the_times() {
        let times = [3.0, 0.0, f64::MAX, 1e-310, 2.5, 3.0, f64::MIN_POSITIVE, 1e300];
        let tied = tied_times(&trials(&times.map(|time| (time, time == 3.0))));
        let found: Vec<f64> = tied.iter().map(|tied| tied.time()).collect();
        assert_eq!(found, [0.0, 1e-310, f64::MIN_POSITIVE, 2.5, 3.0, 1e300, f64::MAX]);
        assert_eq!((tied[4].events, tied[4].censored), (2, 0));
    }

    #[test]
    fn ties_of_events_and_censorings_are_one_time() {
        let tied = tied_times(&trials(&[(1.0, true), (2.0, false), (1.0, false), (1.0, true)]));
        let found: Vec<_> = tied.iter().map(|t| (t.time(), t.events, t.censored)).collect();
        assert_eq!(found, [(1.0, 2, 1), (2.0, 0, 1)]);
        assert_eq!(tied_times(&[]), []);
    }

    #[test]
    fn groups_are_walked_side_by_side() {
        let curve = |times: &[(f64, bool)]| KaplanMeier::fit(&trials(times)).unwrap();
        let a = curve(&[(1.0, true), (3.0, true), (3.0, false), (9.0, false)]);
        let b = curve(&[(2.0, false), (3.0, true), (4.0, true)]);
        let mut seen = Vec::new();
        walk(&[a.steps(), b.steps()], |at_risk, events| {
            seen.push((at_risk.to_vec(), events.to_vec()));
        });
        let expected = [
            (vec![4.0, 3.0], vec![1.0, 0.0]),
            (vec![3.0, 2.0], vec![1.0, 1.0]),
            (vec![1.0, 1.0], vec![0.0, 1.0]),
        ];
        assert_eq!(seen, expected);
    }
}
