//! How long stalls last by the timelines, at each thread count of a series, held against the control.

use serde::Serialize;

use super::{Tables, recovery};
use crate::recovery::throughput::{MedianBetween, Partials};
use crate::recovery::{CellRecovery, Sense};
use crate::series::Series;
use stats::two_by_two::{TwoByTwo, fisher};
use stats::{Alternative, Estimate, Level};

/// Stalls of a series by throughput over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StallDuration {
    /// The series' name.
    pub series: String,
    /// The thread counts that have such stalls, falling. Never empty.
    pub at: Vec<LastedAt>,
    /// Trials of the highest thread count with a rise that was no recovery.
    pub partial: Partials,
    /// The share of the control; `None` where the trials have several.
    pub share: Option<f64>,
    /// For how long it was to be kept, in seconds; `None` where the trials have several.
    pub hold_s: Option<f64>,
    /// The confidence level.
    pub level: Level,
}

/// Stalls by throughput at a thread count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LastedAt {
    /// Worker threads.
    pub threads: u64,
    /// Trials whose timeline was looked at.
    pub watched: u64,
    /// Trials that fell below the share of their control for two samples in a row or more.
    pub n: u64,
    /// Trials that fell below it for single samples only.
    pub one_sample: u64,
    /// The control at the same factors by the same rule; `None` where it was not watched.
    pub control: Option<ControlWatched>,
    /// Trials that recovered.
    pub events: u64,
    /// The median duration, in seconds, with censoring, by its right edges.
    pub median: Estimate,
    /// The interval in which the median lies between two samples.
    pub between: Option<MedianBetween>,
}

/// Trials of a control that fell below the share, by the rule of the trials held against it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ControlWatched {
    /// Trials that fell below it for two samples in a row or more.
    pub n: u64,
    /// Trials whose timeline was looked at.
    pub watched: u64,
    /// Trials that fell below it for single samples only.
    pub one_sample: u64,
    /// Fisher's exact test, one-sided: how probable so many more stalls than the control's, or more,
    /// are where both stall alike.
    pub p_value: Option<f64>,
}

pub(super) fn stall_duration(tables: &Tables, series: &Series) -> Option<StallDuration> {
    let found = recovery::falling(tables, series, Sense::Throughput);
    let highest = found.first()?.throughput.as_ref()?;
    let at = found.iter().filter_map(|one| {
        let watched = one.throughput.as_ref()?;
        Some(LastedAt {
            threads: tables.cells[one.cell].factors.threads(),
            watched: watched.watched,
            n: one.n,
            one_sample: watched.one_sample,
            control: control_watched(tables, one, watched.watched),
            events: one.events,
            median: one.median,
            between: watched.turnbull_median,
        })
    });
    Some(StallDuration {
        series: series.name.clone(),
        at: at.collect(),
        partial: highest.partial,
        share: highest.share,
        hold_s: highest.hold_s,
        level: tables.level,
    })
}

/// What the timelines of a cell's control say by the same rule.
fn control_watched(tables: &Tables, found: &CellRecovery, watched: u64) -> Option<ControlWatched> {
    let control = tables.cells[found.cell].control.filter(|control| *control != found.cell)?;
    let is_control = |one: &&CellRecovery| one.cell == control && one.sense == Sense::Throughput;
    let of_control = tables.recovery.iter().find(is_control)?;
    let timelines = of_control.throughput.as_ref()?;
    let table = TwoByTwo::new(of_control.n, timelines.watched, found.n, watched).ok()?;
    Some(ControlWatched {
        n: of_control.n,
        watched: timelines.watched,
        one_sample: timelines.one_sample,
        p_value: fisher::test(table, Alternative::Greater).p_value,
    })
}
