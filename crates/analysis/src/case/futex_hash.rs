//! Linux's private futex hash, since 6.17: a growth that is due under load may stay pending.
//!
//! The kernel asks for 4 × min(threads, CPUs online) slots, at least 16, which every threaded process
//! has from its second thread on. With 4 CPUs or fewer nothing is ever due.

use std::collections::BTreeMap;

use model::columns::PIVOTS;
use model::event::Event;
use records::table::Table;
use serde::Serialize;

use super::futex_hash_recorded::Growth;
use super::{Case, CaseFinding, Extra, Occurrence, is_one_of};
use crate::cells::Cell;
use crate::data::Data;
use crate::error::AnalysisError;
use crate::finding::Tables;
use crate::recovery::SeenBy;
use crate::run::Run;
use crate::series::Series;
use model::outcome::{Condition, StallRule};
use stats::Level;
use stats::samples::SampleMedian;

/// The slots that a process has from its second thread on, and the least that auto-scaling asks for.
pub const LEAST_SLOTS: u64 = 16;

/// The most CPUs, and the most threads, for which auto-scaling asks for no more than [`LEAST_SLOTS`].
pub const MOST_WITHOUT_GROWTH: u64 = LEAST_SLOTS / 4;

/// Workloads whose futexes are of one process's private hash.
const WORKLOADS: [&str; 4] = ["wake-storm", "mutex", "messenger", "resize"];

/// The case.
pub struct FutexHash;

/// What is true of this race only.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "of", rename_all = "kebab-case")]
#[allow(missing_docs, reason = "each variant is its type, which is documented")]
pub enum FutexHashFinding {
    NeverDue(NeverDue),
    NoPrivateHash(NoPrivateHash),
    WithoutGrowth(WithoutGrowth),
    GrowthOfStalled(GrowthOfStalled),
    PivotTimes(PivotTimes),
}

/// Why no growth of the private hash was due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "limit", content = "is")]
pub enum NotDue {
    /// The CPUs are too few.
    Cpus(u64),
    /// The threads were too few.
    Threads(u64),
    /// The trials don't show the reason.
    Unknown,
}

/// No growth can be due here, so that nothing can stall.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NeverDue {
    /// The kernel.
    pub kernel: String,
    /// Why no growth was due.
    pub why: NotDue,
    /// Whether it is guests that can't, rather than this machine.
    pub in_lab: bool,
    /// Whether it was measured elsewhere.
    pub imported: bool,
    /// Trials of auto-scaled hashes that did their work.
    pub trials: u64,
}

/// The kernel has no private hash.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NoPrivateHash {
    /// The kernel.
    pub kernel: String,
    /// Trials that did their work.
    pub trials: u64,
}

/// A series in which no growth was due.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WithoutGrowth {
    /// The series' name.
    pub series: String,
    /// The lowest and the highest ratio of its cells' throughput to their controls'.
    pub ratio: Option<(f64, f64)>,
    /// Trials that were slow by the rule, for another reason.
    pub slow: u64,
    /// Trials with an outcome.
    pub n: u64,
    /// The rule.
    pub rule: StallRule,
}

/// What became of the growth in the stalled trials of a series.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GrowthOfStalled {
    /// The series' name.
    pub series: String,
    /// Stalled trials in which growth was pending when the load ended.
    pub pending: u64,
    /// Stalled trials in which growth was installed under load.
    pub settled: u64,
    /// Stalled trials in which no growth was due.
    pub none: u64,
}

/// How long a change of the hash's size takes under load, call by call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PivotTimes {
    /// Thread counts, rising. Never empty.
    pub at: Vec<PivotTimesAt>,
    /// The confidence level.
    pub level: Level,
}

/// Such times at a thread count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PivotTimesAt {
    /// Worker threads.
    pub threads: u64,
    /// The median over the calls, in seconds, with an interval between two order statistics.
    pub seconds: SampleMedian,
}

/// Whether growth can be due in a series.
enum Due {
    Possible,
    Never(NotDue),
    NoHash,
    NotAsked,
}

/// Whether these cells are of this case: of its workloads, or with a hash that was looked at.
/// A stuck growth shows as a time or as a throughput, and of a program that is not ours nobody knows that
/// the hash is what matters unless something is asked of it.
pub(super) fn applies(cells: &[Cell], rule: &StallRule) -> bool {
    let by_event = rule.event_limit().is_some();
    let of_program = |cell: &Cell| cell.factors.get("workload") == "command";
    let asked = |cell: &Cell| !of_program(cell) || cell.factors.get("hash") != "auto";
    let may_show = by_event
        || rule.conditions().contains(&Condition::Reported)
        || (rule.is_by_throughput() && cells.iter().any(asked));
    may_show
        && cells.iter().any(|cell| {
            let seen = Growth { unknown: 0, ..cell.of_case.growth } != Growth::default();
            seen || cell.of_case.slots_expected.is_some() || is_one_of(&cell.factors, &WORKLOADS)
        })
}

fn due(cells: &[&Cell]) -> Due {
    let growth = Growth::of(cells);
    let most_slots = cells.iter().filter_map(|cell| cell.of_case.slots_expected).max();
    let most_cpus = cells.iter().filter_map(|cell| cell.cpus).max();
    let most_threads = cells.iter().map(|cell| cell.factors.threads()).max().unwrap_or(0);
    let seen = growth.none + growth.settled + growth.pending + growth.unknown;
    if growth.unsupported > 0 && seen == 0 {
        return Due::NoHash;
    }
    if cells.first().is_none_or(|cell| cell.factors.get("hash") != "auto") {
        return Due::NotAsked;
    }
    if growth.settled + growth.pending > 0 || most_slots > Some(LEAST_SLOTS) {
        return Due::Possible;
    }
    match most_cpus {
        Some(cpus) if cpus <= MOST_WITHOUT_GROWTH => Due::Never(NotDue::Cpus(cpus)),
        _ if most_threads <= MOST_WITHOUT_GROWTH => Due::Never(NotDue::Threads(most_threads)),
        // Recorded as not due, or as 16 slots, without either limit: the trials' word counts.
        _ if growth.unknown == 0 || most_slots.is_some() => Due::Never(NotDue::Unknown),
        _ => Due::Possible,
    }
}

fn wrap(finding: FutexHashFinding) -> CaseFinding {
    CaseFinding::FutexHash(finding)
}

impl Case for FutexHash {
    fn was_never_due(&self, cells: &[&Cell]) -> bool {
        let growth = Growth::of(cells);
        growth.none > 0 && Growth { none: 0, ..growth } == Growth::default()
    }

    fn occurrence(&self, cells: &[&Cell]) -> Occurrence {
        match due(cells) {
            Due::Possible => Occurrence::Possible,
            Due::Never(_) => Occurrence::Impossible,
            Due::NoHash => Occurrence::Absent,
            Due::NotAsked => Occurrence::NotAsked,
        }
    }

    fn limits(&self, tables: &Tables) -> Vec<CaseFinding> {
        let mut found: Vec<FutexHashFinding> =
            pivot_times(tables).map(FutexHashFinding::PivotTimes).into_iter().collect();
        let in_lab = tables.data.runs.iter().any(Run::in_lab);
        for series in tables.series {
            let ok = tables.worked(series);
            if ok == 0 {
                continue;
            }
            let kernel = series.kernel.clone();
            let new = match due(&tables.cells_of(series).collect::<Vec<_>>()) {
                Due::NoHash => {
                    FutexHashFinding::NoPrivateHash(NoPrivateHash { kernel, trials: ok })
                }
                Due::Never(why) => FutexHashFinding::NeverDue(NeverDue {
                    kernel,
                    why,
                    in_lab,
                    imported: tables.imported(),
                    trials: ok,
                }),
                Due::Possible | Due::NotAsked => continue,
            };
            let known = found.iter_mut().find_map(|known| match (known, &new) {
                (FutexHashFinding::NoPrivateHash(a), FutexHashFinding::NoPrivateHash(b))
                    if a.kernel == b.kernel =>
                {
                    Some(&mut a.trials)
                }
                (FutexHashFinding::NeverDue(a), FutexHashFinding::NeverDue(b))
                    if a.kernel == b.kernel && a.why == b.why =>
                {
                    Some(&mut a.trials)
                }
                _ => None,
            });
            match known {
                Some(trials) => *trials += ok,
                None => found.push(new),
            }
        }
        found.into_iter().map(wrap).collect()
    }

    fn without_event(&self, tables: &Tables, series: &Series) -> Option<CaseFinding> {
        let ratios: Vec<f64> = tables
            .cells_of(series)
            .filter_map(|cell| cell.control_ratio.and_then(|ratio| ratio.estimate))
            .collect();
        let low = ratios.iter().copied().reduce(f64::min);
        let high = ratios.iter().copied().reduce(f64::max);
        let slow = tables.cells_of(series).map(Cell::stalled).sum();
        (slow > 0 || low.is_some()).then(|| {
            wrap(FutexHashFinding::WithoutGrowth(WithoutGrowth {
                series: series.name.clone(),
                ratio: low.zip(high),
                slow,
                n: tables.cells_of(series).map(Cell::observed).sum(),
                rule: tables.rule.clone(),
            }))
        })
    }

    fn evidence(&self, tables: &Tables, series: &Series) -> Option<CaseFinding> {
        let [mut pending, mut settled, mut none] = [0; 3];
        for at in tables.stalled_trials(series) {
            match tables.data.trials[at].event {
                Some(Event::Pending { .. }) => pending += 1,
                Some(Event::Over { .. }) => settled += 1,
                Some(Event::NotDue) => none += 1,
                _ => {}
            }
        }
        // What was seen by throughput says nothing of the growth.
        let by_slots =
            tables.cells_of(series).all(|cell| SeenBy::of(&cell.factors) == SeenBy::Event);
        let series = series.name.clone();
        (by_slots && pending + settled + none > 0).then(|| {
            wrap(FutexHashFinding::GrowthOfStalled(GrowthOfStalled {
                series,
                pending,
                settled,
                none,
            }))
        })
    }

    /// The seconds of the calls that changed the size, from `pivots.csv`.
    fn read(&self, data: &Data) -> Result<Extra, AnalysisError> {
        let mut by_cell: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for (at, run) in data.runs.iter().enumerate() {
            let file = run.folder.join("pivots.csv");
            let Some(table) = Table::read_begun(&file, &PIVOTS)? else { continue };
            let cells: BTreeMap<u64, usize> = data
                .trials
                .iter()
                .filter(|trial| trial.run == at && trial.is_ok())
                .map(|trial| (trial.trial, trial.cell))
                .collect();
            let rows = table.column("trial").into_iter().zip(table.column("seconds"));
            for (((_, trial), (_, seconds)), (_, errno)) in rows.zip(table.column("errno")) {
                let cell = trial.parse().ok().and_then(|trial: u64| cells.get(&trial));
                if let (Some(cell), Ok(seconds), true) = (cell, seconds.parse(), errno.is_empty()) {
                    by_cell.entry(*cell).or_default().push(seconds);
                }
            }
        }
        Ok(Extra { times_s: by_cell.into_iter().collect() })
    }
}

fn pivot_times(tables: &Tables) -> Option<PivotTimes> {
    let mut by_threads: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for (cell, times_s) in &tables.extra.times_s {
        by_threads.entry(tables.cells[*cell].factors.threads()).or_default().extend(times_s);
    }
    let at = by_threads.into_iter().map(|(threads, mut times_s)| {
        times_s.sort_unstable_by(f64::total_cmp);
        PivotTimesAt { threads, seconds: SampleMedian::of_sorted(&times_s, tables.level) }
    });
    let at: Vec<PivotTimesAt> = at.collect();
    (!at.is_empty()).then_some(PivotTimes { at, level: tables.level })
}
