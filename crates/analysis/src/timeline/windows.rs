//! The stretches of a timeline over which a throughput can be told.
//!
//! A trial is looked at on a grid and, beside it, at moments of its own: when all threads exist, when
//! a pool grows, at the end. Two such looks may be a microsecond apart. Threads publish what they
//! counted in batches, so over such a time the count stands still or leaps, and its rate says nothing
//! of the work. Looks that come too soon are therefore put together with the next: what is judged are
//! windows of at least half of the sampling interval, and long enough that the batches alone could not
//! bring a trial at its control's rate below the share.

use records::timeline::Sample;

use super::Asked;
use stats::recovery::Sample as Throughput;

/// Of the sampling interval, the least that a window has. Looks of the grid that come late shorten the
/// next window; below half of the interval it is a look beside the grid.
const LEAST_OF_INTERVAL: f64 = 0.5;

/// For a share of nearly all of the control, the difference to it that the batches are held against.
const LEAST_DIFFERENCE: f64 = 0.1;

/// The throughputs of a timeline, a sample a window, at whose end it stands; one window ends at
/// `start_s`, where a sample was taken then. What follows the last window is too short for one.
pub(crate) fn windows(samples: &[Sample], asked: &Asked, start_s: f64) -> Vec<Throughput> {
    let least_s = least_s(samples, asked) * (1.0 - 1e-9);
    let mut windows: Vec<Stretch> = Vec::new();
    let mut open: Option<Stretch> = None;
    for stretch in stretches(samples) {
        let window = open.map_or(stretch, |open: Stretch| open.with(stretch));
        open = None;
        if window.to_s - window.from_s >= least_s {
            windows.push(window);
        } else if window.to_s == start_s {
            // The clock starts here: what was before is no part of what comes. It is no window of its
            // own, unless it is the first.
            match windows.last_mut() {
                Some(last) => *last = last.with(window),
                None => windows.push(window),
            }
        } else {
            open = Some(window);
        }
    }
    windows
        .into_iter()
        .map(|window| Throughput { t_s: window.to_s, throughput: window.mops })
        .collect()
}

/// The least length of a window, in seconds.
fn least_s(samples: &[Sample], asked: &Asked) -> f64 {
    let interval_s = asked.sample_s.or_else(|| usual_interval_s(samples)).unwrap_or(0.0);
    let counted = samples.iter().any(|sample| sample.ops().is_some());
    let batches = if counted { asked.threads as f64 * asked.batch as f64 } else { 0.0 };
    let difference = (1.0 - asked.share).max(LEAST_DIFFERENCE) * asked.control_mops * 1e6;
    (LEAST_OF_INTERVAL * interval_s).max(batches / difference)
}

/// The median time from a sample to the next: looks beside the grid are few.
fn usual_interval_s(samples: &[Sample]) -> Option<f64> {
    let mut intervals: Vec<f64> =
        samples.windows(2).map(|pair| pair[1].t_s() - pair[0].t_s()).collect();
    let middle = intervals.len() / 2;
    if intervals.is_empty() {
        return None;
    }
    Some(*intervals.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// The throughput between two samples.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    from_s: f64,
    to_s: f64,
    mops: f64,
}

impl Stretch {
    /// This and the one after it: a mean by their lengths, so that no sum of operations can overflow.
    fn with(self, next: Stretch) -> Stretch {
        let all_s = next.to_s - self.from_s;
        let share = if all_s > 0.0 { ((self.to_s - self.from_s) / all_s).min(1.0) } else { 0.0 };
        Stretch {
            from_s: self.from_s,
            to_s: next.to_s,
            mops: share * self.mops + (1.0 - share) * next.mops,
        }
    }
}

/// The stretches, each from the end of the one before. Where both its ends have counts, the throughput is
/// their difference over its length; else it is what the sample says, which is that since the last
/// sample with one. A sample with neither ends no stretch, and the next one's covers its time.
fn stretches(samples: &[Sample]) -> impl Iterator<Item = Stretch> {
    // A first sample with a throughput covers the time before it.
    let mut last: Option<(f64, Option<u64>)> = samples
        .first()
        .filter(|first| first.mops_per_s().is_some() && first.t_s() > 0.0)
        .map(|_| (0.0, None));
    let mut any = false;
    samples.iter().filter_map(move |sample| {
        let here = (sample.t_s(), sample.ops());
        let Some((from_s, counted)) = last else {
            last = Some(here);
            return None;
        };
        let mops = match (counted.zip(sample.ops()), sample.mops_per_s()) {
            (Some((before, now)), _) => {
                let millions = now.saturating_sub(before) as f64 / 1e6;
                (millions / (sample.t_s() - from_s)).min(f64::MAX)
            }
            (None, Some(mops)) => mops,
            (None, None) => {
                // Counts that begin only here.
                if !any && sample.ops().is_some() {
                    last = Some(here);
                }
                return None;
            }
        };
        (any, last) = (true, Some(here));
        Some(Stretch { from_s, to_s: sample.t_s(), mops })
    })
}

#[cfg(test)]
mod tests {
    use super::super::look::tests::{ASKED, samples};
    use super::*;

    fn of(rows: &[&str], asked: Asked, start_s: f64) -> Vec<(f64, f64)> {
        let rounded = |x: f64| if x < 1e9 { (x * 1e9).round() / 1e9 } else { x };
        windows(&samples(rows), &asked, start_s)
            .iter()
            .map(|window| (window.t_s, rounded(window.throughput)))
            .collect()
    }

    #[test]
    fn a_look_beside_the_grid_is_no_window() {
        // 40 Mops/s; the threads had published nothing within the 0.8 microseconds.
        let rows = [
            "0,0,0,,",
            "0.005952198,4,38080,6.39,",
            "0.005953034,4,38080,0,",
            "0.01,4,400000,89,",
            "0.02,4,800000,40,",
            "0.020001,4,800960,960,",
            "0.03,4,1200000,39.9,",
        ];
        let asked = Asked { sample_s: Some(0.01), ..ASKED };
        let found = of(&rows, asked, 0.0);
        assert_eq!(
            found.iter().map(|window| window.0).collect::<Vec<_>>(),
            [0.005952198, 0.02, 0.03]
        );
        assert!(found.iter().all(|(_, mops)| *mops > 6.0 && *mops < 60.0), "{found:?}");
        // By the median interval, where nothing else says one.
        assert_eq!(of(&rows[3..], ASKED, 0.0), [(0.01, 89.0), (0.02, 40.0), (0.03, 40.0)]);
    }

    #[test]
    fn a_window_begins_where_the_clock_starts() {
        let rows = ["0,0,0,,", "0.3,4,0,0,", "1,4,28000000,40,", "2,4,68000000,40,"];
        let asked = Asked { sample_s: Some(1.0), ..ASKED };
        assert_eq!(of(&rows, asked, 0.3), [(0.3, 0.0), (1.0, 40.0), (2.0, 40.0)]);
        assert_eq!(of(&rows, asked, 0.0), [(1.0, 28.0), (2.0, 40.0)]);
        // Behind a window, what is left before the clock is the window's.
        let rows = ["0,0,0,,", "1,2,20000000,,", "1.2,4,24000000,,", "2,4,56000000,,"];
        assert_eq!(of(&rows, asked, 1.2), [(1.2, 20.0), (2.0, 40.0)]);
    }

    #[test]
    fn counts_that_are_published_in_batches_need_longer_windows() {
        // Four threads that publish every 1000: 4000 operations are as much as a trial at half of
        // 0.004 Mops/s does in two seconds.
        let asked = Asked { control_mops: 0.004, batch: 1000, sample_s: Some(1.0), ..ASKED };
        let rows = ["0,4,0,,", "1,4,4000,0.004,", "2,4,4000,0,", "3,4,12000,0.008,", "4,4,16000,,"];
        assert_eq!(of(&rows, asked, 0.0), [(2.0, 0.002), (4.0, 0.006)]);
        let short = Asked { batch: 1, ..asked };
        assert_eq!(of(&rows, short, 0.0).len(), 4);
    }

    #[test]
    fn without_counts_throughputs_are_put_together_by_their_times() {
        let rows = ["1,4,,10,", "1.1,4,,120,", "2,4,,20,", "3,4,,30,"];
        let asked = Asked { sample_s: Some(1.0), ..ASKED };
        assert_eq!(of(&rows, asked, 0.0), [(1.0, 10.0), (2.0, 30.0), (3.0, 30.0)]);
        // One that was not observed is part of the next.
        let rows = ["0,4,,,", "1,4,,10,", "2,4,,,", "3,4,,20,", "4,4,,,"];
        assert_eq!(of(&rows, asked, 0.0), [(1.0, 10.0), (3.0, 20.0)]);
        // The largest number is no infinity, alone or with another.
        let rows = ["0,4,,,", "1,4,,1e308,", "1.1,4,,1.7e308,", "2,4,,1.7e308,", "3000,4,,1e308,"];
        assert!(of(&rows, asked, 0.0).iter().all(|(_, mops)| *mops > 9e307 && mops.is_finite()));
        // Counts that begin late are counted from there.
        let rows = ["0,4,,,", "1,4,5,,", "2,4,40000005,,"];
        assert_eq!(of(&rows, asked, 0.0), [(2.0, 40.0)]);
    }
}
