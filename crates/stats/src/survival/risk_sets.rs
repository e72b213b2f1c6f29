//! Trials ordered by time: who has the event at each distinct time, and who is still at risk.
//!
//! The one place that sorts times and gathers ties. A curve takes the times of one group; a rank test and a
//! partial likelihood walk those of several groups side by side.

use std::ops::Range;

use super::{FollowUp, Step};

/// The distinct times, ascending, with the events and the censorings at each, in O(n log n). The rest of a
/// step is the estimate's to fill in.
///
/// A time is not negative and not NaN, so its bits are ordered as the times are and their first, the sign, is
/// free. With the event in its place a trial is one integer, and sorting those is several times as
/// fast as sorting pairs. One CPU sorts: groups are what is spread over CPUs.
pub(super) fn tied_times(trials: &[FollowUp]) -> Vec<Step> {
    let key = |trial: &FollowUp| trial.time().to_bits() << 1 | u64::from(trial.event());
    let mut keys: Vec<u64> = trials.iter().map(key).collect();
    keys.sort_unstable();
    let changes = keys.windows(2).filter(|pair| pair[0] >> 1 != pair[1] >> 1).count();
    let Some(first) = keys.first() else { return Vec::new() };
    let mut steps = vec![Step::EMPTY; changes + 1];
    let (mut time, mut at, mut events, mut censored) = (first >> 1, 0, 0, 0);
    for key in keys {
        // Whether a time is a new one is as good as random: no branch on it.
        let same = u64::from(key >> 1 == time);
        time = key >> 1;
        at += (1 - same) as usize;
        events = events * same + (key & 1);
        censored = censored * same + (!key & 1);
        let step = &mut steps[at];
        (step.time, step.events, step.censored) = (f64::from_bits(time), events, censored);
    }
    steps
}

/// Calls `visit` at each time in `span` at which any group has an event, ascending, with the number at risk
/// and the number of events of each group. `groups` are the steps of their curves.
pub(super) fn walk(groups: &[&[Step]], span: Range<f64>, mut visit: impl FnMut(&[f64], &[f64])) {
    let mut left: Vec<&[Step]> = groups
        .iter()
        .map(|steps| &steps[steps.partition_point(|step| step.time < span.start)..])
        .collect();
    let mut at_risk = vec![0.0; groups.len()];
    let mut events = vec![0.0; groups.len()];
    loop {
        let next = left.iter().filter_map(|steps| steps.first()).map(|step| step.time);
        let time = next.fold(f64::INFINITY, f64::min);
        if time >= span.end {
            return;
        }
        let mut any = 0;
        for ((steps, at_risk), events) in left.iter_mut().zip(&mut at_risk).zip(&mut events) {
            (*at_risk, *events) = (0.0, 0.0);
            if let Some(step) = steps.first() {
                // At risk up to its own next time, whichever group has this one.
                *at_risk = step.at_risk as f64;
                // Which group is next is as good as random: no branch on it.
                let here = u64::from(step.time == time);
                *events = (step.events * here) as f64;
                any |= step.events * here;
                *steps = &steps[here as usize..];
            }
        }
        if any > 0 {
            visit(&at_risk, &events);
        }
    }
}

/// Cuts time, from 0 on, into spans of about `size` steps of the group that has the most: what
/// [`walk`] may be spread over CPUs by. The cuts depend on the data alone.
pub(super) fn spans(groups: &[&[Step]], size: usize) -> Vec<Range<f64>> {
    let longest = groups.iter().max_by_key(|steps| steps.len()).copied().unwrap_or_default();
    let cuts: Vec<f64> = longest.iter().step_by(size).skip(1).map(|step| step.time).collect();
    let starts = std::iter::once(0.0).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain(std::iter::once(f64::INFINITY));
    starts.zip(ends).map(|(start, end)| start..end).collect()
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
        let found: Vec<f64> = tied.iter().map(|tied| tied.time).collect();
        assert_eq!(found, [0.0, 1e-310, f64::MIN_POSITIVE, 2.5, 3.0, 1e300, f64::MAX]);
        assert_eq!((tied[4].events, tied[4].censored), (2, 0));
    }

    #[test]
    fn ties_of_events_and_censorings_are_one_time() {
        let tied = tied_times(&trials(&[(1.0, true), (2.0, false), (1.0, false), (1.0, true)]));
        let found: Vec<_> = tied.iter().map(|t| (t.time, t.events, t.censored)).collect();
        assert_eq!(found, [(1.0, 2, 1), (2.0, 0, 1)]);
        assert_eq!(tied_times(&[]), []);
    }

    fn curve(times: &[(f64, bool)]) -> KaplanMeier {
        KaplanMeier::fit(&trials(times)).unwrap()
    }

    fn walked(groups: &[&[Step]], span: Range<f64>) -> Vec<(Vec<f64>, Vec<f64>)> {
        let mut seen = Vec::new();
        walk(groups, span, |at_risk, events| seen.push((at_risk.to_vec(), events.to_vec())));
        seen
    }

    #[test]
    fn groups_are_walked_side_by_side() {
        let a = curve(&[(1.0, true), (3.0, true), (3.0, false), (9.0, false)]);
        let b = curve(&[(2.0, false), (3.0, true), (4.0, true)]);
        let expected = [
            (vec![4.0, 3.0], vec![1.0, 0.0]),
            (vec![3.0, 2.0], vec![1.0, 1.0]),
            (vec![1.0, 1.0], vec![0.0, 1.0]),
        ];
        assert_eq!(walked(&[a.steps(), b.steps()], 0.0..f64::INFINITY), expected);
    }

    #[test]
    fn spans_together_are_the_whole_walk() {
        let a: Vec<(f64, bool)> = (0..23).map(|i| (f64::from(i / 2), i % 3 > 0)).collect();
        let b: Vec<(f64, bool)> = (0..9).map(|i| (f64::from(i) * 0.75, i % 2 > 0)).collect();
        let (a, b) = (curve(&a), curve(&b));
        let groups = [a.steps(), b.steps()];
        let whole = walked(&groups, 0.0..f64::INFINITY);
        for size in [1, 2, 5, 11, 12, 100] {
            let spans = spans(&groups, size);
            assert_eq!(spans.len(), a.steps().len().div_ceil(size));
            let parts: Vec<_> = spans.into_iter().flat_map(|span| walked(&groups, span)).collect();
            assert_eq!(parts, whole, "spans of {size}");
        }
        assert_eq!(spans(&[&[], &[]], 4), [0.0..f64::INFINITY]);
    }
}
