//! Recovery by throughput: from the moment at which a trial fell below a share of its control to the
//! first sample from which on it kept that share for the stated time.
//!
//! Both moments are known between two samples, so a stall's duration is an interval; one that lasted
//! to the end of the samples is right-censored. The laws and Turnbull's median are fitted to the
//! intervals. Restricted mean and curve are Kaplan and Meier's of the time by which the recovery was
//! seen, the right edge: they are late by a sample at most. So is `median_s`; its bounds are those of
//! the left edges below and of the right edges above, so that the interval holds wherever in the
//! sample the end was.
//!
//! A stall has two samples in a row below the share at least. Single ones are counted apart: a look
//! that came late and a neighbour make them too. Durations are therefore those of stalls that long.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use super::{CellRecovery, Sense};
use crate::data::Data;
use crate::error::AnalysisError;
use crate::timeline::{Look, Stall, Timelines, Why};
use stats::recovery::PartialKind;
use stats::survival::{
    FollowUp, Group, KaplanMeier, Lifetime, Quantile, SurvivalOptions, median, summarize,
};
use stats::words::counted;
use stats::{Level, StatError};

/// More distinct edges of intervals than this are moved outward onto so many: Turnbull's estimate
/// takes a step over all of them many times, and no median needs a finer grid.
const MOST_EDGES: usize = 1000;

/// What the timelines of a cell say beyond a survival summary.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Watched {
    /// Trials of which a stall could be seen.
    pub watched: u64,
    /// Those that kept the share of their control throughout.
    pub never_stalled: u64,
    /// Trials that did their work and of which a stall could not be seen, by the reason.
    pub not_watched: BTreeMap<Why, u64>,
    /// Trials that fell below for single samples only: a look that came late, or a neighbour, can make
    /// one. They are watched, and neither stalled nor among those that never did.
    pub one_sample: u64,
    /// Trials with a rise that was no recovery, by what it lacked.
    pub partial: Partials,
    /// Trials that fell below again after they had recovered.
    pub relapsed: u64,
    /// The median over stalled trials of the throughput below the share.
    pub stalled_mops: Option<f64>,
    /// The control's throughput; `None` where the trials of the cell have several.
    pub control_mops: Option<f64>,
    /// The share of it to be reached; likewise.
    pub share: Option<f64>,
    /// The time to keep it; likewise.
    pub hold_s: Option<f64>,
    /// The interval in which Turnbull's curve passes 1/2.
    pub turnbull_median: Option<MedianBetween>,
}

/// Where a median lies: in (left, right].
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MedianBetween {
    /// Its left edge, in seconds.
    pub left_s: f64,
    /// Its right edge; `None` where the curve is at 1/2 to the end of the time followed.
    pub right_s: Option<f64>,
}

/// Trials by what their rises lacked; a trial may be in several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Partials {
    /// A rise stayed below the share.
    pub below_share: u64,
    /// A rise reached it and fell again before it had held.
    pub did_not_hold: u64,
    /// A rise reached it, and the samples ended before it could have held.
    pub unconfirmed: u64,
    /// Any of the first two.
    pub rose: u64,
    /// Of the trials that recovered later.
    pub of_recovered: Rises,
    /// Of the trials that did not.
    pub of_not_recovered: Rises,
}

/// Trials of one outcome by what their rises lacked; a trial may be in several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Rises {
    /// A rise stayed below the share.
    pub below_share: u64,
    /// A rise reached it and fell again before it had held.
    pub did_not_hold: u64,
    /// A rise reached it too late to hold; such a trial has not recovered.
    pub unconfirmed: u64,
}

/// The recovery of every cell of which a timeline says anything.
pub fn recoveries(
    data: &Data,
    timelines: &Timelines,
    level: Level,
) -> Result<Vec<CellRecovery>, AnalysisError> {
    let mut looks: Vec<Vec<&Look>> = vec![Vec::new(); data.cells.len()];
    for (trial, look) in data.trials.iter().zip(&timelines.looks) {
        if trial.is_ok() {
            looks[trial.cell].push(look);
        }
    }
    looks
        .into_par_iter()
        .enumerate()
        .filter(|(_, looks)| looks.iter().any(|look| !matches!(look, Look::NotObservable(_))))
        .map(|(cell, looks)| of_cell(cell, &looks, level))
        .collect()
}

fn of_cell(cell: usize, looks: &[&Look], level: Level) -> Result<CellRecovery, AnalysisError> {
    let (single, stalls): (Vec<&Stall>, Vec<&Stall>) = looks
        .iter()
        .filter_map(|look| match look {
            Look::Stalled(stall) => Some(&**stall),
            _ => None,
        })
        .partition(|stall| stall.is_single());
    let mut watched = count(looks, &stalls, single.len() as u64);
    let lasted: Vec<Lifetime> = stalls.iter().map(|stall| stall.lasted).collect();
    let mut recovery = match lasted.is_empty() {
        true => CellRecovery::nothing(cell, Sense::Throughput),
        false => {
            let (recovery, median) = summary(cell, lasted, level)?;
            watched.turnbull_median = median;
            recovery
        }
    };
    let several =
        "The trials were held against several controls or by several terms; each by its own.";
    if !stalls.is_empty() && (watched.control_mops.is_none() || watched.hold_s.is_none()) {
        recovery.notes.push(several.into());
    }
    if watched.one_sample > 0 {
        recovery.notes.push(format!(
            "{} fell below the share for single samples only, which a look that came late, or a \
             neighbour, can make too: not counted as stalled.",
            counted(watched.one_sample, "trial", "trials")
        ));
    }
    if watched.partial.unconfirmed > 0 {
        recovery.notes.push(format!(
            "{} reached the share too late to keep it for the stated time: censored where the rise \
             began.",
            counted(watched.partial.unconfirmed, "trial", "trials")
        ));
    }
    recovery.throughput = Some(watched);
    Ok(recovery)
}

fn count(looks: &[&Look], stalls: &[&Stall], one_sample: u64) -> Watched {
    let mut not_watched: BTreeMap<Why, u64> = BTreeMap::new();
    let mut never_stalled = 0;
    for look in looks {
        match look {
            Look::NotObservable(why) => *not_watched.entry(*why).or_default() += 1,
            Look::NeverStalled => never_stalled += 1,
            Look::Stalled(_) => {}
        }
    }
    let has = |stall: &Stall, kind| stall.partial.iter().any(|rise| rise.kind == kind);
    let number =
        |what: &dyn Fn(&Stall) -> bool| stalls.iter().filter(|stall| what(stall)).count() as u64;
    let rises = |recovered: bool| {
        let of = |kind| number(&|stall| stall.recovered.is_some() == recovered && has(stall, kind));
        Rises {
            below_share: of(PartialKind::BelowShare),
            did_not_hold: of(PartialKind::DidNotHold),
            unconfirmed: of(PartialKind::Unconfirmed),
        }
    };
    let same = |of: &dyn Fn(&Stall) -> f64| {
        let first = of(stalls.first()?);
        stalls.iter().all(|stall| of(stall) == first).then_some(first)
    };
    let mut throughputs: Vec<f64> = stalls.iter().map(|stall| stall.stalled_mops).collect();
    throughputs.sort_unstable_by(f64::total_cmp);
    let median = stats::samples::median::median_of_sorted(&throughputs);
    Watched {
        watched: never_stalled + one_sample + stalls.len() as u64,
        never_stalled,
        not_watched,
        one_sample,
        partial: Partials {
            below_share: number(&|stall| has(stall, PartialKind::BelowShare)),
            did_not_hold: number(&|stall| has(stall, PartialKind::DidNotHold)),
            unconfirmed: number(&|stall| has(stall, PartialKind::Unconfirmed)),
            rose: number(&|stall| {
                has(stall, PartialKind::BelowShare) || has(stall, PartialKind::DidNotHold)
            }),
            of_recovered: rises(true),
            of_not_recovered: rises(false),
        },
        relapsed: number(&|stall| !stall.relapses.is_empty()),
        stalled_mops: median.is_finite().then_some(median),
        control_mops: same(&|stall| stall.asked.control_mops),
        share: same(&|stall| stall.asked.share),
        hold_s: same(&|stall| stall.asked.hold_s),
        turnbull_median: None,
    }
}

/// Kaplan and Meier's curve of the right edges, with the median's lower bound by the left ones; the laws
/// and Turnbull's median of the intervals.
fn summary(
    cell: usize,
    lasted: Vec<Lifetime>,
    level: Level,
) -> Result<(CellRecovery, Option<MedianBetween>), StatError> {
    // The tables have no quantile but the median.
    let options = SurvivalOptions { level, quantiles: Vec::new(), ..SurvivalOptions::default() };
    let of = |trials: Vec<Lifetime>| -> Result<_, StatError> {
        let mut summary = summarize(&[Group { name: None, trials }], &options)?;
        Ok(summary.groups.swap_remove(0))
    };
    let seen_by = |time: &Lifetime| match *time {
        Lifetime::Between { right, .. } => Lifetime::Exact(right),
        other => other,
    };
    let curve = of(lasted.iter().map(seen_by).collect())?;
    let low = lower_bound(&lasted, &options)?;
    let (lasted, coarse) = coarsened(lasted);
    let intervals = of(lasted)?;
    let mut recovery = CellRecovery::of_group(cell, Sense::Throughput, curve, &[]);
    recovery.median.low = low;
    recovery.take_laws(&intervals);
    if coarse {
        recovery.notes.push(format!(
            "The intervals have more than {MOST_EDGES} distinct edges: for the laws and Turnbull's \
             median they are moved outward onto so many."
        ));
    }
    let median = intervals
        .turnbull_median
        .map(|Quantile { left, right, .. }| MedianBetween { left_s: left, right_s: right });
    Ok((recovery, median))
}

/// The lower bound of the median of the shortest times that the samples allow.
fn lower_bound(lasted: &[Lifetime], options: &SurvivalOptions) -> Result<Option<f64>, StatError> {
    let shortest: Vec<FollowUp> = lasted
        .iter()
        .map(|time| match *time {
            Lifetime::Between { left, .. } => FollowUp::seen(left),
            Lifetime::Exact(time) => FollowUp::seen(time),
            Lifetime::RightCensored(time) => FollowUp::censored(time),
        })
        .collect::<Result<_, _>>()?;
    Ok(median(&KaplanMeier::fit(&shortest)?, options.pointwise, options.level).low)
}

/// The intervals with their edges moved outward onto a grid of [`MOST_EDGES`] of them, each as often
/// passed by edges as the next; and whether that was needed. An interval only grows by it, so what
/// is known of a trial stays true.
fn coarsened(mut lasted: Vec<Lifetime>) -> (Vec<Lifetime>, bool) {
    let mut edges: Vec<f64> = lasted
        .iter()
        .flat_map(|time| match *time {
            Lifetime::Exact(time) => [Some(time), None],
            Lifetime::RightCensored(time) => [Some(time), None],
            Lifetime::Between { left, right } => [Some(left), Some(right)],
        })
        .flatten()
        .collect();
    edges.sort_unstable_by(f64::total_cmp);
    edges.dedup();
    if edges.len() <= MOST_EDGES {
        return (lasted, false);
    }
    let step = edges.len().div_ceil(MOST_EDGES - 1);
    let last = edges.last().copied();
    let grid: Vec<f64> = edges.into_iter().step_by(step).chain(last).collect();
    let down = |time: f64| grid[grid.partition_point(|edge| *edge <= time).saturating_sub(1)];
    let up = |time: f64| {
        let at = grid.partition_point(|edge| *edge < time);
        grid.get(at).copied().unwrap_or(time)
    };
    for time in &mut lasted {
        *time = match *time {
            Lifetime::Exact(time) if down(time) == up(time) => Lifetime::Exact(time),
            Lifetime::Exact(time) => Lifetime::Between { left: down(time), right: up(time) },
            Lifetime::RightCensored(time) => Lifetime::RightCensored(down(time)),
            Lifetime::Between { left, right } => {
                Lifetime::Between { left: down(left), right: up(right) }
            }
        };
    }
    (lasted, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::Synthetic;
    use crate::{Analysis, Options, analyze};
    use serde_json::{Value, json};

    fn analysed(made: &Synthetic) -> Analysis {
        let (_folder, run) = made.written();
        analyze(&[run], &Options::default()).unwrap()
    }

    fn by_throughput(found: &Analysis) -> Vec<&CellRecovery> {
        found.recovery.iter().filter(|one| one.sense == Sense::Throughput).collect()
    }

    /// Seven trials of 300 s at a sample a second, against a control at 40.
    fn seven() -> Synthetic {
        let mut made = Synthetic::new(192);
        made.manifest.definition["recovery"] = json!({"share": 0.5, "hold": "3s"});
        for (at, stalled) in [14, 33, 165, 169, 280, 295, 300].into_iter().enumerate() {
            let aside = (at as f64 - 3.0) / 10.0;
            let row = made.trial(192, "auto");
            (row.duration_s, row.elapsed_s, row.mops_per_s) =
                (Some(300.0), Some(300.0), Some(9.0 + aside));
            (row.pivot, row.pivot_s) = (None, None);
            let trial = row.trial;
            made.timeline(trial, 1.0, &[(3.4, stalled), (34.0, 300 - stalled)]);
            let control = made.trial(192, "slots:512");
            (control.duration_s, control.mops_per_s) = (Some(300.0), Some(40.0 + aside));
        }
        made
    }

    #[test]
    fn stalls_are_timed_from_their_timelines() {
        let found = analysed(&seven());
        let cells = by_throughput(&found);
        assert_eq!(cells.len(), 2);
        let (auto, control) = (cells[0], cells[1]);
        assert_eq!((auto.n, auto.events), (7, 6));
        // Seen at the end of the first second that was back.
        assert_eq!(auto.median.estimate, Some(170.0));
        let watched = auto.throughput.as_ref().unwrap();
        let between = MedianBetween { left_s: 169.0, right_s: Some(170.0) };
        assert_eq!(watched.turnbull_median, Some(between));
        // From the earliest end that the samples allow to the latest.
        assert_eq!((auto.median.low, auto.median.high), (Some(14.0), Some(296.0)));
        assert_eq!((watched.watched, watched.never_stalled, watched.one_sample), (7, 0, 0));
        assert_eq!((watched.control_mops, watched.hold_s), (Some(40.0), Some(3.0)));
        assert_eq!(watched.stalled_mops, Some(3.4));
        // Fitted to the intervals; the times themselves give 213.5 and 1.163.
        let exact: Vec<Lifetime> = [14.0, 33.0, 165.0, 169.0, 280.0, 295.0]
            .into_iter()
            .map(|left| Lifetime::Between { left, right: left + 1.0 })
            .chain([Lifetime::RightCensored(300.0)])
            .collect();
        let weibull = stats::survival::fit_weibull(&exact).unwrap();
        assert_eq!(auto.weibull_scale, Some(weibull.scale));
        let of_control = control.throughput.as_ref().unwrap();
        assert_eq!((control.n, of_control.never_stalled, of_control.watched), (0, 7, 7));
        assert_eq!((control.median.estimate, control.until_s), (None, None));
        assert!(found.damage.is_empty(), "{:?}", found.warnings);
    }

    #[test]
    fn the_tables_say_which_sense_a_row_has() {
        let mut made = seven();
        (made.rows[0].pivot, made.rows[0].pivot_s) =
            (Some(model::record::Pivot::Settled), Some(15.0));
        let found = analysed(&made);
        let csv = super::super::csv(&found.recovery, &found.cells);
        let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
        let at = |name: &str| rows[0].iter().position(|column| *column == name).unwrap();
        let column = |name: &str| rows[1..].iter().map(|row| row[at(name)]).collect::<Vec<_>>();
        assert_eq!(column("sense"), ["pivot", "throughput", "throughput"]);
        assert_eq!(column("n"), ["1", "7", "0"]);
        assert_eq!(column("watched"), ["", "7", "7"]);
        assert_eq!(column("turnbull_median_left_s"), ["", "169", ""]);
        assert_eq!(column("median_s"), ["15", "170", ""]);
        let json: Value = serde_json::from_str(&found.json()).unwrap();
        assert_eq!(json["recovery"][1]["sense"], "throughput");
        assert_eq!(json["recovery"][1]["throughput"]["partial"]["rose"], 0);
        assert_eq!(json["timelines"][0]["watched"], 14);
        let stalls = found.stalls.unwrap();
        let rows: Vec<Vec<&str>> = stalls.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(rows.len(), 8);
        assert_eq!(rows[1][1..6], ["1", "40", "0.5", "3", "0"]);
        assert_eq!(rows[1][8..15], ["3.4", "14", "recovered", "14", "15", "14", "15"]);
        assert_eq!(rows[7][10..15], ["not-recovered", "300", "", "300", ""]);
    }

    #[test]
    fn a_rise_that_is_no_recovery_is_named() {
        let mut made = seven();
        made.samples.retain(|sample| sample.trial != 13);
        made.timeline(13, 1.0, &[(3.4, 100), (9.0, 30), (3.4, 100), (35.0, 2), (3.4, 68)]);
        let found = analysed(&made);
        let auto = by_throughput(&found)[0];
        let partial = auto.throughput.as_ref().unwrap().partial;
        assert_eq!((partial.below_share, partial.did_not_hold, partial.rose), (1, 1, 1));
        let rises = Rises { below_share: 1, did_not_hold: 1, unconfirmed: 0 };
        assert_eq!((partial.of_recovered, partial.of_not_recovered), (Rises::default(), rises));
        assert_eq!((auto.n, auto.events), (7, 6), "it is censored");
        let stalls = found.stalls.clone().unwrap();
        assert!(
            stalls.contains(
                "below-share 100 to 130 s at 9 Mops/s (0.225); did-not-hold 230 to 232 s at 35 Mops/s \
                 (0.875)"
            ),
            "{stalls}"
        );
    }

    #[test]
    fn a_rise_before_the_recovery_is_told_from_one_without() {
        let mut made = seven();
        made.samples.retain(|sample| sample.trial != 13 && sample.trial != 3);
        // Part of the way, and then back; the other rises so late that nothing is known of it.
        made.timeline(3, 1.0, &[(3.4, 50), (12.0, 30), (34.0, 220)]);
        made.timeline(13, 1.0, &[(3.4, 298), (34.0, 2)]);
        let found = analysed(&made);
        let partial = by_throughput(&found)[0].throughput.as_ref().unwrap().partial;
        assert_eq!(partial.of_recovered.below_share, 1);
        assert_eq!(partial.of_not_recovered, Rises { unconfirmed: 1, ..Rises::default() });
    }

    #[test]
    fn single_samples_are_counted_apart() {
        let mut made = seven();
        for trial in [3, 5, 4] {
            made.samples.retain(|sample| sample.trial != trial);
            made.timeline(trial, 1.0, &[(38.0, 100), (3.4, 1), (38.0, 199)]);
        }
        let found = analysed(&made);
        let cells = by_throughput(&found);
        let watched = cells[0].throughput.as_ref().unwrap();
        assert_eq!((cells[0].n, cells[0].events), (5, 4));
        assert_eq!((watched.watched, watched.one_sample, watched.never_stalled), (7, 2, 0));
        let of_control = cells[1].throughput.as_ref().unwrap();
        assert_eq!((cells[1].n, of_control.one_sample, of_control.never_stalled), (0, 1, 6));
        let stalls = found.stalls.unwrap();
        let of = |trial: &str| {
            let row = stalls.lines().find(|line| line.split(',').nth(1) == Some(trial)).unwrap();
            row.split(',').nth(9).unwrap().to_string()
        };
        assert_eq!((of("3"), of("1")), ("1".into(), "14".into()));
    }

    #[test]
    fn every_thread_count_with_stalls_is_told() {
        /// Levels of a trial's throughput, each with its seconds.
        type Levels<'a> = &'a [(f64, usize)];
        let mut made = seven();
        let lower: [(u32, [Levels<'_>; 3]); 3] = [
            (96, [&[(3.4, 20), (38.0, 280)], &[(3.4, 30), (38.0, 270)], &[(3.4, 40), (38.0, 260)]]),
            (48, [&[(38.0, 300)], &[(38.0, 300)], &[(38.0, 9), (3.4, 1), (38.0, 290)]]),
            (24, [&[(38.0, 300)], &[(38.0, 300)], &[(3.4, 300)]]),
        ];
        for (threads, trials) in lower {
            for (at, levels) in trials.into_iter().enumerate() {
                let aside = at as f64 / 10.0;
                for (hash, levels) in [("auto", levels), ("slots:512", &[(38.0, 300)][..])] {
                    let row = made.trial(threads, hash);
                    (row.duration_s, row.elapsed_s) = (Some(300.0), Some(300.0));
                    (row.pivot, row.pivot_s) = (None, None);
                    row.mops_per_s = Some(40.0 + aside);
                    let trial = row.trial;
                    made.samples.retain(|sample| sample.trial != trial);
                    made.timeline(trial, 1.0, levels);
                }
            }
        }
        let found = analysed(&made);
        let json: Value = serde_json::from_str(&found.json()).unwrap();
        let findings = json["findings"].as_array().unwrap();
        let of = |name: &str| findings.iter().find(|one| one["finding"] == name).unwrap();
        let at = of("stall-duration")["at"].as_array().unwrap();
        assert_eq!(at.len(), 3, "48 threads have single samples only: {at:?}");
        let others = &at[1..];
        assert_eq!((&others[0]["threads"], &others[0]["n"]), (&json!(96), &json!(3)));
        assert_eq!(others[0]["control"]["one_sample"], 0);
        assert_eq!(of("few-times")["least"], 7);
    }

    #[test]
    fn the_control_s_own_stalls_stand_beside() {
        let mut made = seven();
        for trial in (1..=7).map(|at| 2 * at) {
            made.samples.retain(|sample| sample.trial != trial);
            made.timeline(trial, 1.0, &[(38.0, 100), (3.4, 20), (38.0, 180)]);
        }
        let control = |made: &Synthetic| {
            let found = analysed(made);
            let of = found.findings.iter().find_map(|finding| match finding {
                crate::finding::Finding::StallDuration(it) => it.at[0].control,
                _ => None,
            });
            of.unwrap()
        };
        assert_eq!((control(&made).n, control(&made).watched), (7, 7));
        for trial in [2, 4] {
            made.samples.retain(|sample| sample.trial != trial);
            made.timeline(trial, 1.0, &[(38.0, 300)]);
        }
        let fewer = control(&made);
        assert_eq!(fewer.n, 5);
        assert!((fewer.p_value.unwrap() - 3.0 / 13.0).abs() < 1e-9, "{fewer:?}");
    }

    #[test]
    fn a_hold_longer_than_what_is_left_is_not_confirmed() {
        let mut made = seven();
        made.manifest.definition["recovery"]["hold"] = json!("200s");
        let found = analysed(&made);
        let auto = by_throughput(&found)[0];
        assert_eq!((auto.n, auto.events), (7, 2));
        assert!(
            auto.notes.iter().any(|note| note.starts_with("4 trials reached the share too late"))
        );
    }

    #[test]
    fn what_can_not_be_held_against_a_control_is_not_seen() {
        let mut made = seven();
        made.rows.retain(|row| row.hash.to_string() == "auto");
        made.manifest.definition["outcome"]["stall"] = json!("absolute:20");
        let found = analysed(&made);
        assert!(by_throughput(&found).is_empty());
        assert!(
            matches!(
                found.damage[..],
                [crate::damage::Damage::NotWatched { trials: 7, why: Why::NoControl, .. }]
            ),
            "{:?}",
            found.damage
        );
        assert_eq!(found.timelines[0].not_watched[&Why::NoControl], 7);
        // The definition may say what a control does.
        made.manifest.definition["recovery"]["control_mops"] = json!(40);
        assert_eq!(by_throughput(&analysed(&made))[0].n, 7);
        // In a guest throughput is the emulator's.
        made.manifest.executor = model::manifest::Origin::Lab { boots: 1 };
        let found = analysed(&made);
        assert!(by_throughput(&found).is_empty() && found.stalls.is_none());
        assert_eq!(found.timelines[0].not_watched[&Why::InLab], 7);
    }

    #[test]
    fn many_edges_are_moved_outward_and_keep_the_median() {
        let exact: Vec<Lifetime> = (0..20_000)
            .map(|i| {
                let left = -(1.0 - (f64::from(i) + 0.5) / 20_000.0).ln();
                match i % 10 {
                    0 => Lifetime::RightCensored(left),
                    _ => Lifetime::Between { left, right: left + 0.01 },
                }
            })
            .collect();
        let (coarse, moved) = coarsened(exact.clone());
        assert!(moved);
        let mut edges: Vec<f64> = Vec::new();
        for (before, after) in exact.iter().zip(&coarse) {
            match (*before, *after) {
                (Lifetime::Between { left, right }, Lifetime::Between { left: l, right: r }) => {
                    assert!(l <= left && right <= r, "{left} {right}: {l} {r}");
                    edges.extend([l, r]);
                }
                (Lifetime::RightCensored(left), Lifetime::RightCensored(l)) => assert!(l <= left),
                pair => panic!("{pair:?}"),
            }
        }
        edges.sort_unstable_by(f64::total_cmp);
        edges.dedup();
        assert!(edges.len() <= MOST_EDGES, "{}", edges.len());
        let (recovery, median) = summary(0, exact, Level::P95).unwrap();
        let median = median.unwrap();
        // A tenth is censored just before its event, so the hazard seen is nine tenths of the true one.
        let expected = 2f64.ln() / 0.9;
        assert!(median.left_s < expected + 0.012 && median.right_s > Some(expected), "{median:?}");
        assert!(recovery.notes.iter().any(|note| note.contains("moved outward")));
        assert!((recovery.weibull_shape.unwrap() - 1.0).abs() < 0.05, "{recovery:?}");
        let few = [Lifetime::Exact(1.0), Lifetime::RightCensored(2.0)];
        assert_eq!(coarsened(few.to_vec()), (few.to_vec(), false));
    }
}
