//! What a reader of a threshold must know: what the data do not hold, and what is the penalty's alone.

use serde::Serialize;

use super::{FirthFit, ThreadsTried};
use crate::{Estimate, Level};

/// A fact about a fitted threshold.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "note", rename_all = "kebab-case")]
pub enum Note {
    /// No trial stalled at any thread count: there are lower bounds only.
    NoneStalled,
    /// Every trial stalled at every thread count: there are upper bounds only.
    AllStalled,
    /// Separated: no trial stalls up to one thread count, every trial from the next on.
    Divided {
        /// The largest thread count without a stall.
        none_to: u64,
        /// The smallest thread count from which every trial stalls.
        all_from: u64,
    },
    /// Separated but for one thread count: no trial stalls below it, every trial above it.
    MixedAt(ThreadsTried),
    /// Stalls at the largest thread count only, and not in every trial there.
    StalledAtTheMost(ThreadsTried),
    /// Trials without a stall at the smallest thread count only, and not every trial there.
    SparedAtTheFewest(ThreadsTried),
    /// Separated the other way: stalls are at the smaller thread counts.
    Reversed,
    /// The penalised likelihood has several maxima, of which the highest is taken.
    SeveralMaxima,
    /// The slope is 0: there is no threshold.
    FlatCurve,
    /// The slope is negative: there is no threshold.
    FallingCurve,
    /// The slope's interval holds 0: there may be no threshold.
    SlopeMayBeZero {
        /// The interval's level.
        level: Level,
    },
    /// A curve that stays on one side of these shares is not excluded.
    NoBound {
        /// `T10`, `T50` or `T90`.
        thresholds: Vec<&'static str>,
        /// The interval's level.
        level: Level,
    },
    /// Estimates that lie outside the thread counts tried.
    Extrapolated {
        /// The smallest thread count tried.
        from: u64,
        /// The largest thread count tried.
        to: u64,
        /// `T10`, `T50` or `T90`.
        thresholds: Vec<&'static str>,
    },
    /// The counts do not fit a logistic curve: the thresholds are the isotonic estimate's.
    NotLogistic {
        /// Of the goodness-of-fit test.
        p_value: Option<f64>,
        /// The probability at which the last thread counts stay, if there are several of one estimate
        /// below 1.
        stays_at: Option<f64>,
    },
    /// Thread counts that no trial was made at.
    LeftOut {
        /// The thread counts, ascending.
        threads: Vec<u64>,
    },
}

/// The notes on a fit to rows that are ascending in threads.
pub(super) fn of(
    pooled: &[ThreadsTried],
    fit: &FirthFit,
    thresholds: &[(&'static str, Estimate)],
    level: Level,
) -> Vec<Note> {
    let (Some(first), Some(last)) = (pooled.first(), pooled.last()) else { return Vec::new() };
    let (from, to) = (first.threads, last.threads);
    let separation = separation(pooled);
    let is_one_sided = matches!(separation, Some(Note::NoneStalled | Note::AllStalled));
    let mut notes: Vec<Note> = separation.into_iter().collect();
    if fit.several_maxima {
        notes.push(Note::SeveralMaxima);
    }
    if is_one_sided {
        return notes;
    }
    let named = |is: &dyn Fn(&Estimate) -> bool| -> Vec<&'static str> {
        thresholds.iter().filter(|(_, t)| is(t)).map(|(name, _)| *name).collect()
    };
    let open = named(&|t| t.low.is_none() || t.high.is_none());
    if fit.slope == 0.0 {
        notes.push(Note::FlatCurve);
    } else if fit.slope < 0.0 {
        notes.push(Note::FallingCurve);
    } else if fit.slope_interval.low.is_some_and(|low| low <= 0.0) {
        notes.push(Note::SlopeMayBeZero { level });
    } else if !open.is_empty() {
        notes.push(Note::NoBound { thresholds: open, level });
    }
    let outside = named(&|t| t.estimate.is_some_and(|t| t < from as f64 || t > to as f64));
    if !outside.is_empty() {
        notes.push(Note::Extrapolated { from, to, thresholds: outside });
    }
    notes
}

/// The thread counts that no curve sees: their rows have no trial.
pub(super) fn left_out(rows: &[ThreadsTried], pooled: &[ThreadsTried]) -> Option<Note> {
    let mut threads: Vec<u64> = rows.iter().map(|row| row.threads).collect();
    threads.retain(|threads| pooled.iter().all(|row| row.threads != *threads));
    threads.sort_unstable();
    threads.dedup();
    (!threads.is_empty()).then_some(Note::LeftOut { threads })
}

/// Whether the counts themselves bound the slope: `None` if they do. Where they do not, maximum likelihood
/// has no finite slope, and what is finite is so by the penalty. Rows are ascending in threads.
pub(super) fn separation(pooled: &[ThreadsTried]) -> Option<Note> {
    let seen = pooled.iter().position(|row| row.k > 0);
    let spared = pooled.iter().rposition(|row| row.k < row.n);
    let (Some(seen), Some(spared)) = (seen, spared) else {
        return Some(if seen.is_none() { Note::NoneStalled } else { Note::AllStalled });
    };
    let last_seen = pooled.iter().rposition(|row| row.k > 0);
    let first_spared = pooled.iter().position(|row| row.k < row.n);
    if spared < seen {
        let (none_to, all_from) = (pooled[spared].threads, pooled[seen].threads);
        Some(Note::Divided { none_to, all_from })
    } else if spared > seen {
        (last_seen <= first_spared).then_some(Note::Reversed)
    } else if seen + 1 == pooled.len() {
        Some(Note::StalledAtTheMost(pooled[seen]))
    } else if seen == 0 {
        Some(Note::SparedAtTheFewest(pooled[seen]))
    } else {
        Some(Note::MixedAt(pooled[seen]))
    }
}
