//! From how many threads on does it stall?
//!
//! Trials at several thread counts, each k stalled of n. [`firth`] fits
//! logit p = intercept + slope · log₂(threads) and gives the thread counts at which 10, 50 and 90 % of
//! the trials stall; [`isotonic`] beside it assumes only that p does not fall, and so shows where the
//! curve is not logistic.
//!
//! Assumes independent trials, and for the intervals that the probability follows a logistic curve in
//! log₂(threads), rising to 1. A race that never exceeds 60 % at any thread count has no T90, and the
//! fit cannot know it. [`goodness_of_fit`] tests it, and where it rejects,
//! [`Threshold::held_by_the_data`] has the isotonic estimate instead.

pub mod firth;
pub mod goodness_of_fit;
pub mod isotonic;
pub mod notes;
mod threads_at;

pub use firth::FirthFit;
pub use isotonic::IsotonicStep;
pub use notes::Note;

use serde::Serialize;

use super::binomial::MOST_TRIALS;
use super::{Estimate, Level, StatError, TestResult};

/// The most threads that Linux can have, `PID_MAX_LIMIT`; a count above it is a mistake.
pub const MOST_THREADS: u64 = 4_194_304;

/// Trials at one thread count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct ThreadsTried {
    /// The thread count, from 1.
    pub threads: u64,
    /// How many trials.
    pub n: u64,
    /// How many of them stalled.
    pub k: u64,
}

/// The dependence on the thread count.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Threshold {
    /// The logistic curve.
    pub fit: FirthFit,
    /// Threads at which 10 % of the trials stall.
    pub t10: Estimate,
    /// Threads at which half of the trials stall.
    pub t50: Estimate,
    /// Threads at which 90 % of the trials stall.
    pub t90: Estimate,
    /// The non-decreasing estimate, a step a thread count.
    pub isotonic: Vec<IsotonicStep>,
    /// On which side of the thread counts tried an estimate lies that therefore does not exist; once
    /// [`Threshold::held_by_the_data`] has been asked for.
    pub beyond: BeyondCounts,
    /// Whether the counts fit a logistic curve; likewise.
    pub goodness_of_fit: Option<TestResult>,
    /// The trials that the curve is fitted to, ascending in threads.
    #[serde(skip)]
    pub tried: Vec<ThreadsTried>,
    /// Why something above is `None`, or of little worth.
    #[serde(skip)]
    pub notes: Vec<Note>,
}

/// A side of the thread counts tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Beyond {
    /// Below the smallest.
    Below,
    /// Above the largest.
    Above,
}

/// The thresholds that lie beyond the thread counts tried; `None` for one within them, and for one that
/// does not exist at all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct BeyondCounts {
    /// Of T10.
    pub t10: Option<Beyond>,
    /// Of T50.
    pub t50: Option<Beyond>,
    /// Of T90.
    pub t90: Option<Beyond>,
}

/// Fits the curve. Rows of one thread count are pooled; rows without trials are left out.
///
/// # Errors
/// No rows; threads 0 or above [`MOST_THREADS`]; k above n; no trial at all; only one thread count with trials.
///
/// ```
/// use stallscope_stats::{Level, threshold::{ThreadsTried, threshold}};
/// let stalled = [0, 0, 0, 1, 8, 10, 9, 10];
/// let rows: Vec<_> = [1, 2, 4, 8, 16, 32, 64, 128].into_iter().zip(stalled)
///     .map(|(threads, k)| ThreadsTried { threads, n: 10, k })
///     .collect();
/// let curve = threshold(&rows, Level::P95).unwrap();
/// let half = curve.t50.estimate.unwrap();
/// assert!(half > 8.0 && half < 16.0);
/// ```
pub fn threshold(rows: &[ThreadsTried], level: Level) -> Result<Threshold, StatError> {
    let pooled = pool(rows)?;
    let curve = firth::Curve::new(&pooled);
    let fit = curve.fit(level)?;
    let thresholds = [0.1, 0.5, 0.9].map(|p| threads_at::threads_at(&curve, &fit, p, level));
    let [t10, t50, t90] = thresholds;
    let mut notes = notes::of(&pooled, &fit, &[("T10", t10), ("T50", t50), ("T90", t90)], level);
    notes.extend(notes::left_out(rows, &pooled));
    Ok(Threshold {
        fit,
        t10,
        t50,
        t90,
        isotonic: isotonic::isotonic(&pooled),
        beyond: BeyondCounts::default(),
        goodness_of_fit: None,
        tried: pooled,
        notes,
    })
}

impl Threshold {
    /// Without the estimates that the data hold nothing of.
    ///
    /// Where no trial stalled at any thread count, or every one did, the curve is the penalty's alone. A
    /// bound on one side is the data's, and stays. Where the counts do not fit a rising logistic curve at
    /// its level, no threshold has an interval, and each is the smallest count tried at which the isotonic
    /// estimate reaches its share. An estimate beyond the counts tried is none: [`Threshold::beyond`] has
    /// its side.
    pub fn held_by_the_data(mut self) -> Threshold {
        let one_sided = |share: f64| self.isotonic.iter().all(|step| step.p == share);
        if one_sided(0.0) || one_sided(1.0) {
            for at in [&mut self.t10, &mut self.t50, &mut self.t90] {
                at.estimate = None;
            }
            return self;
        }
        self.goodness_of_fit = Some(goodness_of_fit::of_pooled(&self.tried));
        if self.fit.slope > 0.0 && !self.fits() {
            self.take_isotonic();
        }
        let Some((from, to)) = self.range() else { return self };
        let beyond = |at: &mut Estimate| {
            let outside = at.estimate.and_then(|t| match t {
                t if t < from as f64 => Some(Beyond::Below),
                t if t > to as f64 => Some(Beyond::Above),
                _ => None,
            });
            if outside.is_some() {
                at.estimate = None;
            }
            outside
        };
        let [t10, t50, t90] = [&mut self.t10, &mut self.t50, &mut self.t90].map(beyond);
        self.beyond = BeyondCounts { t10, t50, t90 };
        self
    }

    /// Whether the counts fit the logistic curve at its level, as far as that has been tested.
    pub fn fits(&self) -> bool {
        let p = self.goodness_of_fit.as_ref().and_then(|test| test.p_value);
        p.is_none_or(|p| p > self.fit.slope_interval.level.alpha())
    }

    /// The smallest and the largest thread count tried.
    pub fn range(&self) -> Option<(u64, u64)> {
        Some((self.tried.first()?.threads, self.tried.last()?.threads))
    }

    /// The thresholds by the isotonic estimate, and what of it to say.
    fn take_isotonic(&mut self) {
        let last = self.isotonic.last().map_or(0.0, |step| step.p);
        let steps = &self.isotonic;
        let reaches = |share: f64| match steps.iter().find(|step| step.p >= share) {
            Some(step) if Some(step) == steps.first() => 0.0,
            Some(step) => step.threads as f64,
            None => f64::INFINITY,
        };
        let at = [0.1, 0.5, 0.9].map(|share| Estimate {
            estimate: Some(reaches(share)),
            low: None,
            high: None,
        });
        // A last step of one thread count may be rising still.
        let level = steps.iter().filter(|step| step.p == last).count() > 1 && last < 1.0;
        [self.t10, self.t50, self.t90] = at;
        self.notes.retain(|note| matches!(note, Note::LeftOut { .. }));
        let p_value = self.goodness_of_fit.as_ref().and_then(|test| test.p_value);
        self.notes.insert(0, Note::NotLogistic { p_value, stays_at: level.then_some(last) });
    }
}

/// Ascending in threads, one row each, all with trials.
fn pool(rows: &[ThreadsTried]) -> Result<Vec<ThreadsTried>, StatError> {
    for row in rows {
        let ThreadsTried { threads, n, k } = *row;
        if threads == 0 || threads > MOST_THREADS {
            return Err(StatError::domain(
                "the thread count of a row",
                threads,
                format!("1 to {MOST_THREADS}, the most that Linux can have"),
            ));
        }
        if n > MOST_TRIALS {
            let what = format!("the number of trials at {}", self::threads(threads));
            return Err(StatError::domain(what, n, format!("at most {MOST_TRIALS}")));
        }
        if k > n {
            return Err(StatError::domain(
                format!("k at {}, of n = {n}", self::threads(threads)),
                k,
                format!("0 to {n}"),
            ));
        }
    }
    let mut tried: Vec<ThreadsTried> = rows.iter().copied().filter(|row| row.n > 0).collect();
    tried.sort_by_key(|row| row.threads);
    let mut pooled: Vec<ThreadsTried> = Vec::new();
    for row in tried {
        match pooled.last_mut() {
            Some(last) if last.threads == row.threads => {
                last.n = last.n.saturating_add(row.n);
                last.k = last.k.saturating_add(row.k);
            }
            _ => pooled.push(row),
        }
    }
    match pooled.as_slice() {
        [] => Err(StatError::too_few(
            "a threshold",
            "trials at two or more thread counts",
            "no trial",
        )),
        [only] => Err(StatError::too_few(
            "a threshold",
            "trials at two or more thread counts",
            format!("one, {}", threads(only.threads)),
        )),
        _ => Ok(pooled),
    }
}

fn threads(count: u64) -> String {
    format!("{count} threads")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(threads: &[u64], n: u64, k: &[u64]) -> Vec<ThreadsTried> {
        threads.iter().zip(k).map(|(&threads, &k)| ThreadsTried { threads, n, k }).collect()
    }

    #[test]
    fn a_bound_that_is_missing_has_its_reason() {
        let tried = [(2, 5, 4), (4, 1, 1), (8, 9, 0), (16, 9, 9)]
            .map(|(threads, n, k)| ThreadsTried { threads, n, k });
        let found = threshold(&tried, Level::new(0.3).unwrap()).unwrap();
        assert!(found.fit.slope_interval.low.is_some_and(|low| low > 0.0), "{found:?}");
        assert!(found.t10.low.is_none() && found.t90.high.is_none(), "{found:?}");
        assert!(
            matches!(&found.notes[0], Note::NoBound { thresholds, .. } if thresholds == &["T10", "T90"]),
            "{found:?}"
        );
    }

    #[test]
    fn where_nothing_or_everything_stalls_there_are_bounds_and_no_estimate() {
        for (k, [low, high]) in [([0, 0, 0], [true, false]), ([10, 10, 10], [false, true])] {
            let curve = threshold(&rows(&[4, 8, 16], 10, &k), Level::P95).unwrap();
            assert!(matches!(curve.notes[0], Note::NoneStalled | Note::AllStalled), "{curve:?}");
            let held = curve.held_by_the_data();
            for at in [held.t10, held.t50, held.t90] {
                assert_eq!(at.estimate, None);
            }
            assert_eq!((held.t50.low.is_some(), held.t50.high.is_some()), (low, high));
        }
        let some = threshold(&rows(&[4, 8, 16], 10, &[0, 1, 8]), Level::P95).unwrap();
        let held = some.clone().held_by_the_data();
        assert_eq!((held.t10, held.t50, held.beyond.t50), (some.t10, some.t50, None));
    }

    #[test]
    fn an_estimate_beyond_the_counts_is_none_and_has_its_side() {
        let tried = threshold(&rows(&[16, 32, 64, 128], 24, &[4, 8, 12, 14]), Level::P95).unwrap();
        assert!(tried.t10.estimate.is_some_and(|t| t < 16.0), "{tried:?}");
        let held = tried.held_by_the_data();
        assert_eq!((held.t10.estimate, held.t90.estimate), (None, None));
        let (below, above) = (Some(Beyond::Below), Some(Beyond::Above));
        assert_eq!(held.beyond, BeyondCounts { t10: below, t50: None, t90: above });
        assert!(held.t50.estimate.is_some() && held.fits());
    }

    #[test]
    fn where_the_curve_does_not_fit_the_steps_stand_without_an_interval() {
        let tried = rows(&[16, 32, 64, 128], 10, &[0, 6, 6, 6]);
        let held = threshold(&tried, Level::P95).unwrap().held_by_the_data();
        assert!(!held.fits());
        let alone = |estimate| Estimate { estimate, low: None, high: None };
        assert_eq!([held.t10, held.t50, held.t90], [Some(32.0), Some(32.0), None].map(alone));
        assert_eq!(held.beyond.t90, Some(Beyond::Above));
        let stays =
            |note: &Note| matches!(note, Note::NotLogistic { stays_at: Some(p), .. } if *p == 0.6);
        assert!(matches!(held.notes.as_slice(), [note] if stays(note)), "{:?}", held.notes);
        // From the first count on: it may begin below it.
        let begun = rows(&[16, 32, 64, 128], 40, &[24, 24, 24, 40]);
        let held = threshold(&begun, Level::P95).unwrap().held_by_the_data();
        assert!(!held.fits());
        assert_eq!((held.t50.estimate, held.beyond.t50), (None, Some(Beyond::Below)));
    }

    const POWERS: [u64; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

    fn curve(n: u64, k: &[u64]) -> Threshold {
        threshold(&rows(&POWERS[..k.len()], n, k), Level::P95).unwrap()
    }

    fn finite(t: Estimate) -> (f64, f64, f64) {
        (t.low.unwrap(), t.estimate.unwrap(), t.high.unwrap())
    }

    #[test]
    fn the_nearly_separated_case_is_finite() {
        let found = curve(10, &[0, 0, 0, 1, 8, 10, 9, 10]);
        for t in [found.t10, found.t50, found.t90] {
            let (low, estimate, high) = finite(t);
            assert!(low < estimate && estimate < high, "{t:?}");
        }
        let (low, half, high) = finite(found.t50);
        assert!(low > 6.0 && half > 8.0 && half < 16.0 && high < 24.0, "{:?}", found.t50);
        assert!(found.notes.is_empty(), "{:?}", found.notes);
    }

    #[test]
    fn the_separated_case_is_finite_and_says_so() {
        let found = curve(10, &[0, 0, 0, 0, 10, 10, 10, 10]);
        let (low, half, high) = finite(found.t50);
        assert!(low > 6.0 && high < 20.0 && (half - 128f64.sqrt()).abs() < 1e-6, "{half}");
        assert!(found.fit.slope.is_finite() && found.fit.slope_interval.high.is_some());
        assert_eq!(found.notes[0], Note::Divided { none_to: 8, all_from: 16 });
    }

    #[test]
    fn none_and_all_have_one_bound() {
        let none = curve(24, &[0, 0, 0, 0, 0]);
        assert!(none.t50.low.is_some_and(|low| low > 4.0), "{:?}", none.t50);
        assert_eq!(none.t50.high, None);
        assert_eq!(none.notes, [Note::NoneStalled]);
        let all = curve(24, &[24, 24, 24, 24, 24]);
        assert_eq!(all.t50.low, None);
        assert!(all.t50.high.is_some_and(|high| high < 4.0), "{:?}", all.t50);
        assert_eq!(all.notes, [Note::AllStalled]);
        // The counts are the same at each thread count, and these lie evenly: no slope, not 1e-16.
        assert_eq!((none.fit.slope, all.fit.slope), (0.0, 0.0));
        assert!((none.fit.intercept + all.fit.intercept).abs() < 1e-12);
        let half = curve(24, &[12, 12, 12, 12]);
        assert_eq!(half.fit.slope, 0.0);
        assert_eq!(half.notes[0], Note::FlatCurve);
    }

    #[test]
    fn separation_is_named_for_what_it_is() {
        let shape = |k: &[u64]| notes::separation(&rows(&[16, 32, 48, 64], 20, k));
        let says =
            |k: &[u64]| shape(k).as_ref().map_or_else(String::new, crate::said::threshold::note);
        assert!(says(&[0, 0, 20, 20]).contains("up to 32 threads, and every one does from 48 on"));
        assert!(
            says(&[0, 0, 7, 20]).contains("below 48 threads, every one does above, and at it 7")
        );
        assert!(says(&[0, 0, 0, 1]).contains("largest thread count only, 1 of 20 at 64 threads"));
        assert!(!says(&[0, 0, 0, 1]).contains("separated"));
        assert!(says(&[19, 20, 20, 20]).contains("smallest thread count only, 1 of 20 at 16"));
        for reversed in [[20, 20, 0, 0], [20, 3, 0, 0], [1, 0, 0, 0], [20, 20, 20, 19]] {
            assert_eq!(shape(&reversed), Some(Note::Reversed), "{reversed:?}");
        }
        for overlapping in
            [[0, 1, 1, 20], [1, 0, 0, 1], [0, 20, 0, 20], [5, 5, 5, 5], [20, 3, 1, 0]]
        {
            assert_eq!(shape(&overlapping), None, "{overlapping:?}");
        }
        assert_eq!(
            (shape(&[0; 4]), shape(&[20; 4])),
            (Some(Note::NoneStalled), Some(Note::AllStalled))
        );
    }

    #[test]
    fn an_overlap_has_a_finite_slope_without_a_penalty_and_separation_has_not() {
        // The likelihood alone along ever steeper curves through every place: it rises to its
        // supremum, 0 less what the one mixed count costs, exactly where the shape says separated.
        let likelihood = |rows: &[ThreadsTried], middle: f64, b: f64| -> f64 {
            rows.iter()
                .map(|row| {
                    let eta = b * ((row.threads as f64).log2() - middle);
                    let tail = (-eta.abs()).exp().ln_1p();
                    let (ln_p, ln_q) = (eta.min(0.0) - tail, (-eta).min(0.0) - tail);
                    let zero =
                        |count: u64, ln: f64| if count == 0 { 0.0 } else { count as f64 * ln };
                    zero(row.k, ln_p) + zero(row.n - row.k, ln_q)
                })
                .sum()
        };
        for k0 in 0..=2 {
            for k1 in 0..=2 {
                for k2 in 0..=2 {
                    let rows = rows(&[1, 2, 4], 2, &[k0, k1, k2]);
                    let ends = |b: f64| {
                        // A mixed count keeps the log-odds that suit it: the curve passes them there.
                        let best = (-40..=140).map(|i| f64::from(i) / 50.0).map(|t| {
                            let own = rows.iter().map(|row| {
                                let odds = row.k as f64 / (row.n - row.k) as f64;
                                (row.threads as f64).log2() - odds.ln() / b
                            });
                            own.filter(|t| t.is_finite())
                                .chain([t])
                                .map(|t| likelihood(&rows, t, b))
                                .fold(f64::NEG_INFINITY, f64::max)
                        });
                        best.fold(f64::NEG_INFINITY, f64::max)
                    };
                    let mixed: f64 =
                        rows.iter().filter(|row| row.k == 1).map(|_| 2.0 * 0.5f64.ln()).sum();
                    let reached = ends(60.0).max(ends(-60.0)) > mixed - 1e-9;
                    assert_eq!(reached, notes::separation(&rows).is_some(), "{rows:?}");
                }
            }
        }
    }

    #[test]
    fn a_falling_curve_has_no_threshold() {
        let found = curve(10, &[10, 9, 5, 1, 0]);
        assert_eq!(found.t50, Estimate { estimate: None, low: None, high: None });
        assert!(found.fit.slope < 0.0);
        assert!(found.notes.contains(&Note::FallingCurve));
    }

    #[test]
    fn a_flat_curve_bounds_nothing() {
        let found = curve(10, &[5, 5, 5, 5, 6]);
        assert_eq!((found.t10.high.is_some(), found.t90.low.is_some()), (true, true));
        assert_eq!((found.t10.low, found.t90.high), (None, None));
        assert!(found.notes.contains(&Note::SlopeMayBeZero { level: Level::P95 }));
    }

    #[test]
    fn more_trials_narrow_the_interval() {
        let width = |n: u64| {
            let (low, _, high) = finite(curve(n, &[0, n / 10, n / 2, n - n / 10, n]).t50);
            high / low
        };
        assert!(width(1_000) < width(100) && width(100) < width(10));
        assert!(width(1_000_000) < 1.01);
    }

    #[test]
    fn one_trial_a_count_is_defined() {
        let found = curve(1, &[0, 1]);
        assert!(found.fit.slope > 0.0);
        assert!(found.t50.estimate.is_some_and(|t| (t - 2f64.sqrt()).abs() < 1e-9));
    }

    #[test]
    fn neighbouring_thread_counts_and_huge_trials_are_defined() {
        let close = [(MOST_THREADS - 1, 10, 0), (MOST_THREADS, 10, 10)]
            .map(|(threads, n, k)| ThreadsTried { threads, n, k });
        let found = threshold(&close, Level::P95).unwrap();
        assert!(found.t50.estimate.is_some_and(|t| (t - 4_194_303.5).abs() < 0.01), "{found:?}");
        let huge = [(1, MOST_TRIALS, 1), (64, MOST_TRIALS, MOST_TRIALS - 1)]
            .map(|(threads, n, k)| ThreadsTried { threads, n, k });
        let found = threshold(&huge, Level::P95).unwrap();
        assert!((found.t50.estimate.unwrap() - 8.0).abs() < 1e-6, "{found:?}");
        assert!(found.t50.low.is_some() && found.t50.high.is_some());
    }

    #[test]
    fn equal_thread_counts_are_pooled_and_empty_rows_left_out() {
        let split = [(4, 5, 0), (8, 3, 1), (8, 7, 4), (16, 10, 9), (64, 0, 0)]
            .map(|(threads, n, k)| ThreadsTried { threads, n, k });
        let pooled = [(4, 5, 0), (8, 10, 5), (16, 10, 9)].map(|(threads, n, k)| ThreadsTried {
            threads,
            n,
            k,
        });
        let (split, pooled) = (threshold(&split, Level::P95), threshold(&pooled, Level::P95));
        let (mut split, pooled) = (split.unwrap(), pooled.unwrap());
        let last = split.notes.pop();
        assert_eq!(last, Some(Note::LeftOut { threads: vec![64] }));
        assert_eq!(split, pooled);
    }

    #[test]
    fn what_cannot_be_answered_is_refused() {
        let says = |rows: &[(u64, u64, u64)]| {
            let rows: Vec<_> =
                rows.iter().map(|&(threads, n, k)| ThreadsTried { threads, n, k }).collect();
            threshold(&rows, Level::P95).unwrap_err().to_string()
        };
        assert!(says(&[]).contains("no trial"));
        assert!(says(&[(4, 0, 0), (8, 0, 0)]).contains("no trial"));
        assert!(says(&[(4, 5, 1), (4, 5, 2)]).contains("there is one, 4 threads"));
        assert!(says(&[(4, 5, 6), (8, 5, 2)]).contains("k at 4 threads"));
        assert!(says(&[(0, 5, 1), (8, 5, 2)]).contains("thread count"));
        assert!(says(&[(u64::MAX, 5, 1), (8, 5, 2)]).contains("4194304"));
    }
}
