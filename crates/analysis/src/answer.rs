//! The answer: what the tables say, in sentences.
//!
//! Facts come first, typed, each from the tables; a sentence is how one prints. What this machine
//! or this kernel cannot show is a fact of its own, and comes before any count: "0 stalled" from a
//! machine on which no growth is ever due says nothing about the race.

mod other_counts;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};

use crate::cells::Cell;
use crate::checks::RunChecks;
use crate::data::Data;
use crate::metrics::CellMetric;
use crate::outcome::{Outcome, Reason};
use crate::recovery::throughput::{MedianBetween, Partials, Rises};
use crate::recovery::{CellRecovery, SeenBy, Sense};
use crate::run::Run;
use crate::series::Series;
use crate::threshold::SeriesThreshold;
use model::outcome::StallRule;
pub use other_counts::{RecoveryAt, StallsAt};
use stats::proportion::at_most;
use stats::said;
use stats::samples::median::median_ranks;
use stats::survival::{PointwiseMethod, notes};
use stats::two_by_two::{TwoByTwo, fisher};
use stats::words::{
    any_of, counted, list, mops, out_of, p_is, p_value, percent, seconds, sentence, significant,
};
use stats::{Alternative, Estimate, Level};

/// The slots that a process has from its second thread on, and the least that auto-scaling asks for.
const LEAST_SLOTS: u64 = 16;

/// The most CPUs, and the most threads, for which auto-scaling asks for no more than
/// [`LEAST_SLOTS`]: it asks for 4 × min(threads, CPUs).
const MOST_WITHOUT_GROWTH: u64 = LEAST_SLOTS / 4;

/// What would show the race on any machine.
const IN_THE_LAB: &str = "`experiments run race-sweep --kernel debian:7.3 --cpus 32`";

/// A thread count and what was seen at it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct At {
    /// Worker threads.
    pub threads: u64,
    /// Stalled trials.
    pub stalled: u64,
    /// Trials with an outcome.
    pub n: u64,
}

/// Trials of a control, and those that fell below the share by the rule of the trials held against it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ControlWatched {
    /// Those that fell below.
    pub n: u64,
    /// Those that were watched.
    pub watched: u64,
    /// Those that fell below for single samples only.
    pub one_sample: u64,
    /// Fisher's exact test, one-sided: how probable so many more stalls than the control's, or more,
    /// are where both stall alike.
    pub p_value: Option<f64>,
}

impl ControlWatched {
    /// `0 of 7`; with its single samples where those of its trials are told too.
    fn in_words(&self, single_samples_beside: u64) -> String {
        let single = match (self.one_sample, single_samples_beside) {
            (0, 0) => String::new(),
            (0, _) => ", for a single sample in none".to_string(),
            (own, _) => other_counts::single_samples(own),
        };
        format!("{} of {}{single}", self.n, self.watched)
    }
}

/// Why no growth of the private hash was due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "limit", content = "is")]
pub enum NotDue {
    /// There are too few CPUs for it.
    Cpus(u64),
    /// There were too few threads for it.
    Threads(u64),
    /// For a reason that the trials don't show.
    Unknown,
}

/// Something that the tables say.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "fact", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Fact {
    /// No trial ended.
    NothingFinished {
        /// Trials planned.
        planned: u64,
        /// The runs.
        runs: Vec<String>,
    },
    /// Every trial failed.
    AllFailed {
        /// How many.
        trials: u64,
    },
    /// Functional checks.
    Checks {
        /// The run, where there are several.
        run: Option<String>,
        /// Checks that passed every time.
        passed: u64,
        /// Those that failed at least once.
        failed: Vec<String>,
        /// Those that never ran.
        skipped: u64,
    },
    /// No growth can be due here, so that nothing can stall.
    NeverDue {
        /// The kernel.
        kernel: String,
        /// Why.
        why: NotDue,
        /// Whether it is guests that can't, rather than this machine.
        in_lab: bool,
        /// Whether it was measured elsewhere.
        imported: bool,
        /// Trials of auto-scaled hashes that did their work.
        trials: u64,
    },
    /// The kernel has no private hash.
    NoPrivateHash {
        /// The kernel.
        kernel: String,
        /// Trials that did their work.
        trials: u64,
    },
    /// Throughput where no growth was due.
    Baseline {
        /// The series.
        series: String,
        /// The lowest and the highest ratio of its cells to their controls.
        low: f64,
        /// The highest.
        high: f64,
    },
    /// Slow trials where no growth was due.
    SlowWithoutGrowth {
        /// The series.
        series: String,
        /// How many.
        stalled: u64,
        /// Of so many.
        n: u64,
        /// By this rule.
        rule: String,
    },
    /// A series stalled.
    Stalls {
        /// The series.
        series: String,
        /// Every thread count, rising.
        at: Vec<At>,
        /// The confidence level.
        level: f64,
        /// By this rule.
        rule: String,
    },
    /// From how many threads on a series stalls, by the fitted curve.
    Threshold {
        /// The series.
        series: String,
        /// Threads at which a tenth of the trials stall.
        t10: Estimate,
        /// Threads at which half of them do.
        t50: Estimate,
        /// Threads at which nine tenths of them do.
        t90: Estimate,
        /// What of that is not the data's, in sentences without their stop.
        notes: Vec<String>,
        /// The confidence level.
        level: f64,
    },
    /// Nothing of a series stalled.
    NoStall {
        /// The series.
        series: String,
        /// Every thread count, rising.
        at: Vec<At>,
        /// The confidence level.
        level: f64,
        /// By this rule.
        rule: String,
    },
    /// No trial of some series has an outcome, for the same reasons.
    NotObservable {
        /// The series.
        series: Vec<String>,
        /// How many trials did their work.
        trials: u64,
        /// Why they have no outcome.
        reasons: BTreeMap<Reason, u64>,
        /// By this rule.
        rule: String,
    },
    /// Some trials of a series have no outcome.
    PartlyNotObservable {
        /// The series.
        series: String,
        /// How many.
        trials: u64,
        /// Of so many that did their work.
        of: u64,
        /// Why.
        reasons: BTreeMap<Reason, u64>,
    },
    /// The state of the growth in the stalled trials.
    StuckGrowth {
        /// The series.
        series: String,
        /// Stalled trials in which growth was pending when the load ended.
        pending: u64,
        /// Stalled trials in which it was installed under load.
        settled: u64,
        /// Stalled trials in which none was due.
        none: u64,
    },
    /// What was measured in a cell against its control, where no trial has an outcome.
    AgainstControl {
        /// `throughput`, or a metric's name.
        what: String,
        /// The series.
        series: String,
        /// The thread count.
        threads: u64,
        /// Values of the cell, and of its control.
        n: [u64; 2],
        /// The ratio of the medians.
        ratio: Estimate,
        /// Mann and Whitney's test, two-sided.
        p: Option<f64>,
        /// The confidence level.
        level: f64,
    },
    /// The same for many cells together.
    RatioRange {
        /// `throughput`, or a metric's name.
        what: String,
        /// How many cells.
        cells: u64,
        /// The lowest ratio of the medians, and its series.
        low: (f64, String),
        /// The highest.
        high: (f64, String),
    },
    /// A metric of a series that has no control, where no trial has an outcome.
    MetricRange {
        /// The metric's name.
        what: String,
        /// Its unit.
        unit: String,
        /// The series.
        series: String,
        /// The lowest of its cells' medians, and at how many threads.
        low: (f64, u64),
        /// The highest.
        high: (f64, u64),
    },
    /// How long a due growth takes at the highest thread count of a series, and at the others.
    Recovery {
        /// The series.
        series: String,
        /// The thread count.
        threads: u64,
        /// Trials in which growth was due.
        n: u64,
        /// Those in which it was installed under load.
        events: u64,
        /// By what that was seen.
        seen_by: SeenBy,
        /// The median time, in seconds, with censoring.
        median: Estimate,
        /// The lower thread counts, falling.
        others: Vec<RecoveryAt>,
        /// The confidence level.
        level: f64,
    },
    /// That intervals of recovery times are of few trials.
    FewTimes {
        /// The fewest trials behind an interval that a sentence has.
        least: u64,
    },
    /// How long stalls by throughput last, at the highest thread count of a series that has any, and at
    /// the others that have some.
    StallDuration {
        /// The series.
        series: String,
        /// The thread count.
        threads: u64,
        /// Trials whose timeline was looked at.
        watched: u64,
        /// Those that fell below the share of their control for two samples in a row or more.
        n: u64,
        /// Those that fell below it for single samples only.
        one_sample: u64,
        /// The control at the same factors: how many of it were watched, and fell below by the same
        /// rule. `None` where none was watched.
        control: Option<ControlWatched>,
        /// Whether growth of the hash could be due.
        growth_possible: bool,
        /// Those that recovered.
        events: u64,
        /// The median duration, in seconds, with censoring, by its right edges; its bounds.
        median: Estimate,
        /// The interval in which it lies between two samples.
        between: Option<MedianBetween>,
        /// Trials with a rise that was no recovery.
        partial: Partials,
        /// The share of the control; `None` where the trials have several.
        share: Option<f64>,
        /// For how long it was to be kept, in seconds; likewise.
        hold_s: Option<f64>,
        /// The lower thread counts that have stalls, falling.
        others: Vec<StallsAt>,
        /// The confidence level.
        level: f64,
    },
    /// How slow stalled trials are.
    Slowdown {
        /// The series.
        series: String,
        /// The median throughput of the stalled trials.
        stalled_mops: f64,
        /// The median of their ratios to the control's median at the same cell.
        ratio: f64,
        /// Over so many trials.
        n: u64,
    },
    /// The control stalled.
    ControlStalls {
        /// The series.
        series: String,
        /// How many.
        stalled: u64,
        /// Of so many.
        n: u64,
    },
    /// Throughput in a guest is not a machine's.
    Lab {
        /// The accelerators.
        accelerators: Vec<String>,
        /// Whether the rule is by throughput.
        by_throughput: bool,
    },
    /// Trials failed.
    Failed {
        /// How many.
        failed: u64,
        /// Of so many.
        trials: u64,
        /// By how they ended.
        by_status: BTreeMap<String, u64>,
        /// The most frequent error, with its count.
        most_frequent: Option<(String, u64)>,
    },
    /// Kernel complaints fell into trials.
    Splats {
        /// Trials with one.
        trials: u64,
        /// Of so many that were watched.
        watched: u64,
    },
    /// Trials are too few for an interval that was asked for.
    FewTrials {
        /// The most trials with a throughput of any cell below the needed number.
        most: u64,
        /// What a median's interval needs at this level.
        needed: u64,
        /// Cells that have fewer.
        cells: u64,
        /// The confidence level.
        level: f64,
        /// Whether all was measured elsewhere.
        imported: bool,
    },
    /// A run was stopped before its plan was done.
    Interrupted {
        /// The run.
        run: String,
        /// Trials that ended.
        finished: u64,
        /// Trials planned.
        planned: u64,
        /// Trials planned that have no row; without a plan it is not known which.
        missing: u64,
    },
    /// Disturbances were recorded.
    Disturbed {
        /// How many.
        disturbances: u64,
    },
}

/// What the tables say, the most important first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// The facts.
    pub facts: Vec<Fact>,
}

/// Each fact with its sentence.
impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct WithText<'a> {
            text: String,
            #[serde(flatten)]
            fact: &'a Fact,
        }
        serializer
            .collect_seq(self.facts.iter().map(|fact| WithText { text: fact.to_string(), fact }))
    }
}

impl Answer {
    /// The sentences.
    pub fn lines(&self) -> Vec<String> {
        self.facts.iter().map(Fact::to_string).collect()
    }

    /// Draws the facts from the tables.
    pub fn of(seen: &Tables) -> Answer {
        let mut facts = Vec::new();
        let ok: u64 = seen.cells.iter().map(|cell| cell.trials - cell.failed).sum();
        let trials: u64 = seen.cells.iter().map(|cell| cell.trials).sum();
        if trials == 0 {
            // A run of checks alone is whole without a trial.
            if seen.checks.is_empty() || !seen.data.runs.iter().all(Run::is_imported) {
                facts.push(Fact::NothingFinished {
                    planned: seen.data.runs.iter().map(|run| run.planned).sum(),
                    runs: seen.data.runs.iter().map(Run::name).collect(),
                });
            }
            facts.extend(seen.checks());
            return Answer { facts };
        }
        if ok == 0 {
            facts.push(Fact::AllFailed { trials });
        }
        if ok > 0 {
            facts.extend(seen.what_cannot_be_shown());
            for series in seen.series.iter().filter(|series| !series.is_control) {
                facts.extend(seen.of_series(series));
            }
            for series in seen.series.iter().filter(|series| series.is_control) {
                facts.extend(seen.of_control(series));
            }
            facts = together(facts);
            facts.extend(few_times(&facts));
            if seen.cells.iter().all(|cell| cell.observed() == 0) {
                facts.extend(seen.measured());
            }
            facts.extend(seen.lab());
        }
        facts.extend(seen.checks());
        facts.extend(seen.failed());
        facts.extend(seen.splats());
        facts.extend(seen.few_trials());
        facts.extend(seen.interrupted());
        let disturbances =
            seen.data.runs.iter().map(|r| r.manifest.disturbances.len() as u64).sum();
        if disturbances > 0 {
            facts.push(Fact::Disturbed { disturbances });
        }
        Answer { facts }
    }
}

/// What facts are drawn from.
pub struct Tables<'a> {
    /// The trials.
    pub data: &'a Data,
    /// The cells.
    pub cells: &'a [Cell],
    /// The series.
    pub series: &'a [Series],
    /// How long due growths took, a cell each.
    pub recovery: &'a [CellRecovery],
    /// The curves over threads.
    pub threshold: &'a [SeriesThreshold],
    /// What was measured beyond throughput.
    pub metrics: &'a [CellMetric],
    /// Functional checks.
    pub checks: &'a [RunChecks],
    /// Beside the trials.
    pub outcomes: &'a [Option<Outcome>],
    /// The rule.
    pub rule: StallRule,
    /// The level.
    pub level: Level,
}

/// Whether growth can be due in a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Due {
    /// It was, in a trial, or nothing says that it can't be.
    Possible,
    /// It can't.
    Never(NotDue),
    /// There is no private hash.
    NoHash,
    /// The hash is not auto-scaled: none was asked for.
    NotAsked,
}

impl Tables<'_> {
    /// Whether all was measured elsewhere.
    fn imported(&self) -> bool {
        self.data.runs.iter().all(Run::is_imported)
    }

    fn checks(&self) -> Vec<Fact> {
        let several = self.data.runs.len() > 1;
        self.checks
            .iter()
            .map(|found| {
                let [passed, _, skipped] = found.counts();
                let failed = found.checks.iter().filter(|check| check.failed > 0);
                Fact::Checks {
                    run: self.data.runs.get(found.run).filter(|_| several).map(Run::name),
                    passed,
                    failed: failed.map(|check| check.name.clone()).collect(),
                    skipped,
                }
            })
            .collect()
    }

    /// Throughput and metrics by themselves, for trials of which nothing says whether they stalled.
    fn measured(&self) -> Vec<Fact> {
        let level = self.level.get();
        let series_of = |cell: usize| self.series.iter().find(|one| one.cells.contains(&cell));
        let mut facts = Vec::new();
        for (at, cell) in self.cells.iter().enumerate() {
            let Some(series) = series_of(at) else { continue };
            let against =
                |what: &str, n: [u64; 2], ratio: Estimate, p: Option<f64>| Fact::AgainstControl {
                    what: what.to_string(),
                    series: series.name.clone(),
                    threads: cell.factors.threads(),
                    n,
                    ratio,
                    p,
                    level,
                };
            let control = cell.control.filter(|control| *control != at);
            if let (Some(ratio), Some(mops)) = (cell.control_ratio, cell.mops) {
                let of_control = control.and_then(|control| self.cells[control].mops);
                let n = [mops.n as u64, of_control.map_or(0, |mops| mops.n as u64)];
                facts.push(against("throughput", n, ratio, cell.control_p));
                continue;
            }
            for metric in self.metrics.iter().filter(|metric| metric.cell == at) {
                if let Some(ratio) = metric.control_ratio.filter(|ratio| ratio.estimate.is_some()) {
                    let n = [metric.median.n as u64, metric.control_n];
                    // A program's own number may be a time, of which less is better: its unit says so.
                    let name = match metric.metric.as_str() {
                        "throughput" => format!("throughput ({})", metric.unit),
                        name => name.to_string(),
                    };
                    facts.push(against(&name, n, ratio, metric.control_p));
                }
            }
        }
        if facts.is_empty() {
            facts = self.metric_ranges();
        }
        if facts.len() > MOST_MEASURED {
            facts = ranges_of_ratios(&facts);
        }
        facts.truncate(MOST_MEASURED);
        facts
    }

    /// Each metric of each series over its thread counts.
    fn metric_ranges(&self) -> Vec<Fact> {
        let mut names: Vec<(&str, &str)> =
            self.metrics.iter().map(|one| (one.metric.as_str(), one.unit.as_str())).collect();
        names.sort_unstable();
        names.dedup();
        let mut facts = Vec::new();
        for (what, unit) in names {
            for series in self.series {
                let of_series = self.metrics.iter().filter(|one| {
                    one.metric == what && one.unit == unit && series.cells.contains(&one.cell)
                });
                let mut medians: Vec<(f64, u64)> = of_series
                    .map(|one| (one.median.median, self.cells[one.cell].factors.threads()))
                    .collect();
                medians.sort_by(|a, b| a.0.total_cmp(&b.0));
                if let (true, Some(low), Some(high)) =
                    (medians.len() > 1, medians.first(), medians.last())
                {
                    facts.push(Fact::MetricRange {
                        what: what.to_string(),
                        unit: unit.to_string(),
                        series: series.name.clone(),
                        low: *low,
                        high: *high,
                    });
                }
            }
        }
        facts
    }

    fn cells_of<'a>(&'a self, series: &'a Series) -> impl Iterator<Item = &'a Cell> + 'a {
        series.cells.iter().filter_map(|at| self.cells.get(*at))
    }

    fn due(&self, series: &Series) -> Due {
        let mut growth = crate::cells::Growth::default();
        let (mut most_slots, mut most_cpus, mut most_threads) = (None, None, 0);
        for cell in self.cells_of(series) {
            growth.none += cell.growth.none;
            growth.settled += cell.growth.settled;
            growth.pending += cell.growth.pending;
            growth.unsupported += cell.growth.unsupported;
            growth.unknown += cell.growth.unknown;
            most_slots = most_slots.max(cell.slots_expected);
            most_cpus = most_cpus.max(cell.cpus);
            most_threads = most_threads.max(cell.factors.threads());
        }
        let seen = growth.none + growth.settled + growth.pending + growth.unknown;
        if growth.unsupported > 0 && seen == 0 {
            return Due::NoHash;
        }
        if series.hash != "auto" {
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

    fn what_cannot_be_shown(&self) -> Vec<Fact> {
        let mut facts: Vec<Fact> = Vec::new();
        let in_lab = self.data.runs.iter().any(Run::in_lab);
        for series in self.series {
            let ok: u64 = self.cells_of(series).map(|cell| cell.trials - cell.failed).sum();
            if ok == 0 {
                continue;
            }
            let kernel = series.kernel.clone();
            match self.due(series) {
                Due::NoHash => {
                    let known = facts.iter_mut().find_map(|fact| match fact {
                        Fact::NoPrivateHash { kernel: k, trials } if *k == kernel => Some(trials),
                        _ => None,
                    });
                    match known {
                        Some(trials) => *trials += ok,
                        None => facts.push(Fact::NoPrivateHash { kernel, trials: ok }),
                    }
                }
                Due::Never(why) => {
                    let known = facts.iter_mut().find_map(|fact| match fact {
                        Fact::NeverDue { kernel: k, why: w, trials, .. }
                            if *k == kernel && *w == why =>
                        {
                            Some(trials)
                        }
                        _ => None,
                    });
                    match known {
                        Some(trials) => *trials += ok,
                        None => facts.push(Fact::NeverDue {
                            kernel,
                            why,
                            in_lab,
                            imported: self.imported(),
                            trials: ok,
                        }),
                    }
                }
                Due::Possible | Due::NotAsked => {}
            }
        }
        facts
    }

    fn of_series(&self, series: &Series) -> Vec<Fact> {
        let mut facts = Vec::new();
        let name = || series.name.clone();
        let rule = || self.rule.to_string();
        let ok: u64 = self.cells_of(series).map(|cell| cell.trials - cell.failed).sum();
        if ok == 0 {
            return facts;
        }
        let due = self.due(series);
        let mut reasons: BTreeMap<Reason, u64> = BTreeMap::new();
        for cell in self.cells_of(series) {
            for (reason, count) in &cell.not_observable {
                *reasons.entry(*reason).or_default() += count;
            }
        }
        let hidden: u64 = reasons.values().sum();
        let at: Vec<At> = self
            .cells_of(series)
            .filter(|cell| cell.observed() > 0)
            .map(|cell| At {
                threads: cell.factors.threads(),
                stalled: cell.stalled(),
                n: cell.observed(),
            })
            .collect();
        let stalled: u64 = at.iter().map(|at| at.stalled).sum();
        let n: u64 = at.iter().map(|at| at.n).sum();
        let level = self.level.get();
        match due {
            // Said of the kernel already.
            Due::NoHash => {}
            Due::Never(_) => {
                let ratios = self
                    .cells_of(series)
                    .filter_map(|cell| cell.control_ratio.and_then(|ratio| ratio.estimate));
                let (low, high) = ratios
                    .fold((f64::INFINITY, 0.0_f64), |(low, high), x| (low.min(x), high.max(x)));
                if low.is_finite() {
                    facts.push(Fact::Baseline { series: name(), low, high });
                }
                if stalled > 0 {
                    facts.push(Fact::SlowWithoutGrowth {
                        series: name(),
                        stalled,
                        n,
                        rule: rule(),
                    });
                }
            }
            Due::Possible | Due::NotAsked if n == 0 => {
                facts.push(Fact::NotObservable {
                    series: vec![name()],
                    trials: ok,
                    reasons,
                    rule: rule(),
                });
                if due == Due::Possible {
                    facts.extend(self.recovery_of(series));
                }
                facts.extend(self.stall_duration_of(series));
                return facts;
            }
            Due::Possible | Due::NotAsked if stalled == 0 => {
                facts.push(Fact::NoStall { series: name(), at, level, rule: rule() });
            }
            Due::Possible | Due::NotAsked => {
                facts.push(Fact::Stalls { series: name(), at, level, rule: rule() });
                facts.extend(self.threshold_of(series));
                facts.extend(self.of_stalled_trials(series));
            }
        }
        if due == Due::Possible {
            facts.extend(self.recovery_of(series));
        }
        if due != Due::NoHash {
            facts.extend(self.stall_duration_of(series));
        }
        if hidden > 0 && due != Due::NoHash {
            facts.push(Fact::PartlyNotObservable {
                series: name(),
                trials: hidden,
                of: ok,
                reasons,
            });
        }
        facts
    }

    /// The recovery at the thread counts at which growth was due.
    fn recovery_of(&self, series: &Series) -> Option<Fact> {
        let (found, others) = self.recoveries(series, Sense::Pivot)?;
        let others = others.into_iter().map(|one| RecoveryAt {
            threads: self.cells[one.cell].factors.threads(),
            n: one.n,
            events: one.events,
            median: one.median,
        });
        Some(Fact::Recovery {
            series: series.name.clone(),
            threads: self.cells[found.cell].factors.threads(),
            n: found.n,
            events: found.events,
            seen_by: found.seen_by,
            median: found.median,
            others: others.collect(),
            level: self.level.get(),
        })
    }

    /// The recovery in one sense at the highest thread count that has any, and at the others, falling.
    fn recoveries(
        &self,
        series: &Series,
        sense: Sense,
    ) -> Option<(&CellRecovery, Vec<&CellRecovery>)> {
        let of_cell = |cell: &usize| {
            let fits = |one: &&CellRecovery| one.cell == *cell && one.sense == sense && one.n > 0;
            self.recovery.iter().find(fits)
        };
        let mut falling = series.cells.iter().rev().filter_map(of_cell);
        Some((falling.next()?, falling.collect()))
    }

    fn stall_duration_of(&self, series: &Series) -> Option<Fact> {
        let (found, others) = self.recoveries(series, Sense::Throughput)?;
        let others = others.into_iter().filter_map(|one| {
            let watched = one.throughput.as_ref()?;
            Some(StallsAt {
                threads: self.cells[one.cell].factors.threads(),
                watched: watched.watched,
                n: one.n,
                one_sample: watched.one_sample,
                control: self.control_watched(one, watched.watched),
                events: one.events,
                median: one.median,
                between: watched.turnbull_median,
            })
        });
        let watched = found.throughput.as_ref()?;
        Some(Fact::StallDuration {
            series: series.name.clone(),
            threads: self.cells[found.cell].factors.threads(),
            watched: watched.watched,
            n: found.n,
            one_sample: watched.one_sample,
            control: self.control_watched(found, watched.watched),
            growth_possible: !matches!(self.due(series), Due::Never(_)),
            events: found.events,
            median: found.median,
            between: watched.turnbull_median,
            partial: watched.partial,
            share: watched.share,
            hold_s: watched.hold_s,
            others: others.collect(),
            level: self.level.get(),
        })
    }

    /// What the timelines of a cell's control say by the same rule.
    fn control_watched(&self, found: &CellRecovery, watched: u64) -> Option<ControlWatched> {
        let control = self.cells[found.cell].control.filter(|control| *control != found.cell)?;
        let of_control = self
            .recovery
            .iter()
            .find(|one| one.cell == control && one.sense == Sense::Throughput)?;
        let of_timelines = of_control.throughput.as_ref()?;
        let control_watched = of_timelines.watched;
        let table = TwoByTwo::new(of_control.n, control_watched, found.n, watched).ok()?;
        Some(ControlWatched {
            n: of_control.n,
            watched: control_watched,
            one_sample: of_timelines.one_sample,
            p_value: fisher::test(table, Alternative::Greater).p_value,
        })
    }

    /// The thresholds, where half of the trials stall within the thread counts that were tried.
    fn threshold_of(&self, series: &Series) -> Option<Fact> {
        let found =
            self.threshold.iter().find(|found| self.series.get(found.series) == Some(series));
        let curve = found?.curve.as_ref()?;
        let half = curve.t50.estimate?;
        let tried = || self.cells_of(series).map(|cell| cell.factors.threads() as f64);
        let inside =
            tried().any(|threads| threads <= half) && tried().any(|threads| threads >= half);
        (inside && curve.fit.slope > 0.0).then(|| Fact::Threshold {
            series: series.name.clone(),
            t10: curve.t10,
            t50: curve.t50,
            t90: curve.t90,
            notes: curve.notes.iter().map(said::threshold::note).collect(),
            level: self.level.get(),
        })
    }

    fn of_stalled_trials(&self, series: &Series) -> Vec<Fact> {
        let mut facts = Vec::new();
        let (mut pending, mut settled, mut none) = (0, 0, 0);
        let mut throughputs = Vec::new();
        let mut ratios = Vec::new();
        for (trial, outcome) in self.data.trials.iter().zip(self.outcomes) {
            if *outcome != Some(Outcome::Stalled) || !series.cells.contains(&trial.cell) {
                continue;
            }
            match trial.pivot {
                Some(model::record::Pivot::Pending) => pending += 1,
                Some(model::record::Pivot::Settled) => settled += 1,
                Some(model::record::Pivot::None) => none += 1,
                _ => {}
            }
            let control = self.cells[trial.cell].control.and_then(|at| self.cells[at].mops);
            if let Some(mops) = trial.mops_per_s {
                throughputs.push(mops);
                if let Some(control) = control.filter(|control| control.median > 0.0) {
                    ratios.push(mops / control.median);
                }
            }
        }
        // What was seen by throughput says nothing of the growth.
        let by_slots =
            series.cells.iter().all(|at| SeenBy::of(&self.cells[*at].factors) == SeenBy::Slots);
        if pending + settled + none > 0 && by_slots {
            facts.push(Fact::StuckGrowth { series: series.name.clone(), pending, settled, none });
        }
        let in_lab = self.data.runs.iter().any(Run::in_lab);
        if let (Some(stalled_mops), Some(ratio), false) =
            (median(&mut throughputs), median(&mut ratios), in_lab)
        {
            let n = ratios.len() as u64;
            facts.push(Fact::Slowdown { series: series.name.clone(), stalled_mops, ratio, n });
        }
        facts
    }

    fn of_control(&self, series: &Series) -> Option<Fact> {
        let stalled: u64 = self.cells_of(series).map(Cell::stalled).sum();
        let n: u64 = self.cells_of(series).map(Cell::observed).sum();
        (stalled > 0).then(|| Fact::ControlStalls { series: series.name.clone(), stalled, n })
    }

    fn lab(&self) -> Option<Fact> {
        let runs: Vec<&Run> = self.data.runs.iter().filter(|run| run.in_lab()).collect();
        if runs.is_empty() {
            return None;
        }
        let mut accelerators: Vec<String> =
            runs.iter().flat_map(|run| run.accelerators()).map(str::to_string).collect();
        accelerators.sort();
        accelerators.dedup();
        Some(Fact::Lab { accelerators, by_throughput: self.rule.is_by_throughput() })
    }

    fn failed(&self) -> Option<Fact> {
        let mut by_status: BTreeMap<String, u64> = BTreeMap::new();
        let mut errors: BTreeMap<&str, u64> = BTreeMap::new();
        for trial in self.data.trials.iter().filter(|trial| !trial.is_ok()) {
            *by_status.entry(trial.status.to_string()).or_default() += 1;
            if let Some(error) = &trial.error {
                *errors.entry(error).or_default() += 1;
            }
        }
        let failed: u64 = by_status.values().sum();
        let most_frequent = errors
            .into_iter()
            .max_by_key(|(_, count)| *count)
            .map(|(error, count)| (error.to_string(), count));
        let trials = self.data.trials.len() as u64;
        (failed > 0).then_some(Fact::Failed { failed, trials, by_status, most_frequent })
    }

    fn splats(&self) -> Option<Fact> {
        let watched = self.data.trials.iter().filter_map(|trial| trial.splats.as_deref());
        let (mut trials, mut all) = (0, 0);
        for splats in watched {
            all += 1;
            trials += u64::from(splats != "none");
        }
        (trials > 0).then_some(Fact::Splats { trials, watched: all })
    }

    fn few_trials(&self) -> Option<Fact> {
        // [min, max] of n values misses the median with probability 2^(1-n).
        let needed = (1.0 - self.level.alpha().log2()).ceil().max(2.0) as u64;
        let few = self
            .cells
            .iter()
            .filter_map(|cell| cell.mops.map(|mops| mops.n as u64))
            .filter(|n| *n < needed);
        let (mut most, mut cells) = (0, 0);
        for n in few {
            most = most.max(n);
            cells += 1;
        }
        let level = self.level.get();
        let imported = self.imported();
        (cells > 0).then_some(Fact::FewTrials { most, needed, cells, level, imported })
    }

    fn interrupted(&self) -> Vec<Fact> {
        self.data
            .runs
            .iter()
            .filter(|run| !run.is_imported())
            .filter(|run| (run.finished as u64) < run.planned || run.missing > 0)
            .map(|run| Fact::Interrupted {
                run: run.name(),
                finished: run.finished as u64,
                planned: run.planned,
                missing: run.missing.max(run.planned.saturating_sub(run.finished as u64)),
            })
            .collect()
    }
}

/// The lowest and the highest ratio of each thing that was measured, where each by itself would be
/// too many.
fn ranges_of_ratios(facts: &[Fact]) -> Vec<Fact> {
    let mut names: Vec<&str> = facts
        .iter()
        .filter_map(|fact| match fact {
            Fact::AgainstControl { what, .. } => Some(what.as_str()),
            _ => None,
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    let range = |name: &str| {
        let mut ratios: Vec<(f64, &str)> = facts
            .iter()
            .filter_map(|fact| match fact {
                Fact::AgainstControl { what, series, ratio, .. } if what == name => {
                    Some((ratio.estimate?, series.as_str()))
                }
                _ => None,
            })
            .collect();
        ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (low, high) = (*ratios.first()?, *ratios.last()?);
        Some(Fact::RatioRange {
            what: name.to_string(),
            cells: ratios.len() as u64,
            low: (low.0, low.1.to_string()),
            high: (high.0, high.1.to_string()),
        })
    };
    match names.is_empty() {
        true => facts.to_vec(),
        false => names.into_iter().filter_map(range).collect(),
    }
}

/// Series without an outcome for the same reasons are one fact.
fn together(facts: Vec<Fact>) -> Vec<Fact> {
    let mut kept: Vec<Fact> = Vec::new();
    for fact in facts {
        if let Fact::NotObservable { series, trials, reasons, rule } = &fact {
            let mut reasons_of: Vec<&Reason> = reasons.keys().collect();
            reasons_of.sort_unstable();
            let known = kept.iter_mut().find_map(|known| match known {
                Fact::NotObservable { series, trials, reasons, rule: r }
                    if r == rule && reasons.keys().collect::<Vec<_>>() == reasons_of =>
                {
                    Some((series, trials, reasons))
                }
                _ => None,
            });
            if let Some((known_series, known_trials, known_reasons)) = known {
                known_series.extend(series.iter().cloned());
                *known_trials += trials;
                for (reason, n) in reasons {
                    *known_reasons.entry(*reason).or_default() += n;
                }
                continue;
            }
        }
        kept.push(fact);
    }
    kept
}

/// That an interval of recovery times that a sentence has is of few trials.
fn few_times(facts: &[Fact]) -> Option<Fact> {
    let mut least: Option<u64> = None;
    let mut see = |n: u64, median: &Estimate, level: f64| {
        if n > 0 && other_counts::has_interval(median, n, level) {
            least = Some(least.map_or(n, |least| least.min(n)));
        }
    };
    for fact in facts {
        match fact {
            Fact::Recovery { n, median, others, level, .. } => {
                see(*n, median, *level);
                others.iter().for_each(|at| see(at.n, &at.median, *level));
            }
            Fact::StallDuration { n, median, others, level, .. } => {
                see(*n, median, *level);
                others.iter().for_each(|at| see(at.n, &at.median, *level));
            }
            _ => {}
        }
    }
    let least = least?;
    notes::few_trials(least, PointwiseMethod::default()).map(|_| Fact::FewTimes { least })
}

fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let median = stats::samples::median::median_of_sorted(values);
    median.is_finite().then_some(median)
}

/// Whether a stall by throughput can be the hash's, by what the control does and whether growth was due.
fn write_against_control(
    f: &mut fmt::Formatter<'_>,
    n: u64,
    watched: u64,
    control: Option<ControlWatched>,
    growth_possible: bool,
    level: f64,
) -> fmt::Result {
    let else_slows = "something else slows this machine for so long";
    let none_due = if growth_possible { "" } else { ", and no growth was due" };
    match control {
        // n / watched is at most the control's.
        Some(control) if control.n * watched >= n * control.watched => write!(
            f,
            " The control does so as often{none_due}: this is no stall of the hash, {else_slows}."
        ),
        _ if !growth_possible => {
            write!(f, " No growth was due: this is no stall of the hash, {else_slows}.")
        }
        Some(ControlWatched { p_value: Some(p), .. }) if p > 1.0 - level => write!(
            f,
            " That is no more often than chance may make of the control's ({}, Fisher's exact test, \
             one-sided).",
            p_is(p)
        ),
        _ => Ok(()),
    }
}

/// The rises that were no recovery, of trials that were back later and of those that were not.
fn write_rises(f: &mut fmt::Formatter<'_>, partial: &Partials, hold: &str) -> fmt::Result {
    let in_part = |n: u64, first: &str| (n > 0).then(|| format!("{n} {first} part of the way"));
    let of = |rises: &Rises, tense: &str, verb: &str, fell: &str| -> Vec<String> {
        let fallen = (rises.did_not_hold > 0).then(|| {
            format!(
                "{} {tense}reached that share and {fell} again within {hold}",
                rises.did_not_hold
            )
        });
        let late = (rises.unconfirmed > 0).then(|| {
            format!("{} reached that share too late to keep it for {hold}", rises.unconfirmed)
        });
        [in_part(rises.below_share, verb), fallen, late].into_iter().flatten().collect()
    };
    let back = of(&partial.of_recovered, "had first ", "had first risen", "fallen");
    let not_back = of(&partial.of_not_recovered, "", "rose", "fell");
    let mut sentences = Vec::new();
    if !back.is_empty() {
        sentences.push(format!("Of those that were back, {}", list(&back)));
    }
    if !not_back.is_empty() {
        sentences.push(format!("Of those that were not back, {}", list(&not_back)));
    }
    if sentences.is_empty() {
        return Ok(());
    }
    write!(f, " {}: `stalls.csv` says when and how far.", sentences.join(". "))
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::NothingFinished { planned, runs } => {
                write!(f, "No trial has ended yet, of {planned} planned: nothing can be said. ")?;
                match runs.as_slice() {
                    [run] => write!(f, "`experiments resume {run}` goes on."),
                    _ => write!(f, "`experiments resume RUN` goes on with each."),
                }
            }
            Fact::AllFailed { trials } => write!(
                f,
                "{} failed: nothing was measured, so nothing can be said of stalls.",
                match trials {
                    1 => "The only trial".to_string(),
                    n => format!("All {n} trials"),
                }
            ),
            Fact::Checks { run, passed, failed, skipped } => {
                if let Some(run) = run {
                    write!(f, "{run}: ")?;
                }
                let ran = passed + failed.len() as u64;
                match (ran, failed.len()) {
                    (0, _) => write!(f, "No check ran.")?,
                    (1, 0) => write!(f, "The only check passed.")?,
                    (_, 0) => write!(f, "All {ran} checks passed.")?,
                    (_, n) => {
                        let mut names: Vec<String> = failed
                            .iter()
                            .take(MOST_LISTED)
                            .map(|name| format!("`{name}`"))
                            .collect();
                        if n > MOST_LISTED {
                            names.push(format!("{} more", n - MOST_LISTED));
                        }
                        let checks = counted(ran, "check", "checks");
                        write!(f, "{n} of {checks} failed: {}.", list(&names))?;
                    }
                }
                match skipped {
                    0 => Ok(()),
                    1 => write!(f, " 1 was skipped and says nothing."),
                    n => write!(f, " {n} were skipped and say nothing."),
                }
            }
            Fact::NeverDue { why, in_lab, imported, trials, .. } => {
                let here = match (in_lab, imported) {
                    (true, _) => "These guests",
                    (_, true) => "The machine that was measured",
                    _ => "This machine",
                };
                match why {
                    NotDue::Cpus(cpus) => {
                        write!(
                            f,
                            "{here} can't show the race: on {} the kernel never asks for more than \
                             {LEAST_SLOTS} slots, which every threaded process has from its start. No \
                             growth of the private hash was due in {}, so none can have been \
                             late, at any thread count. ",
                            counted(*cpus, "CPU", "CPUs"),
                            any_of(*trials, "trial", "trials"),
                        )?;
                        if *in_lab {
                            write!(
                                f,
                                "Guests with more than {MOST_WITHOUT_GROWTH} CPUs can: {IN_THE_LAB}."
                            )
                        } else if *imported {
                            write!(f, "A machine with more than {MOST_WITHOUT_GROWTH} CPUs can.")
                        } else {
                            write!(
                                f,
                                "A machine with more than {MOST_WITHOUT_GROWTH} CPUs can, or the lab on \
                                 this one: {IN_THE_LAB}."
                            )
                        }
                    }
                    NotDue::Threads(threads) => write!(
                        f,
                        "These thread counts can't show the race: up to {} the kernel asks for no more \
                         than {LEAST_SLOTS} slots, which every threaded process has from its start. \
                         Thread counts above {MOST_WITHOUT_GROWTH} can: \
                         `experiments run race-sweep --set threads=50%,100%`.",
                        counted(*threads, "thread", "threads"),
                    ),
                    NotDue::Unknown => write!(
                        f,
                        "No growth of the private hash was due in {}, so none can have been late: {} \
                         can't show the race. The lab can: {IN_THE_LAB}.",
                        any_of(*trials, "trial", "trials"),
                        if *trials == 1 { "it" } else { "these trials" },
                    ),
                }
            }
            Fact::NoPrivateHash { kernel, trials } => write!(
                f,
                "The kernel {kernel} has no private futex hash, so this race does not exist on it: its \
                 {} are a baseline for throughput and no evidence about stalls. Kernels from 6.17 on \
                 have it.",
                counted(*trials, "trial", "trials"),
            ),
            Fact::Baseline { series, low, high } => {
                write!(
                    f,
                    "Throughput of `{series}` against its control, where no growth is due: "
                )?;
                let (low, high) = (significant(*low, 3), significant(*high, 3));
                if low == high {
                    write!(f, "{low} times.")
                } else {
                    write!(f, "{low} to {high} times over the thread counts.")
                }
            }
            Fact::SlowWithoutGrowth { series, stalled, n, rule } => write!(
                f,
                "{stalled} of {} of `{series}` {} slow by the rule `{rule}`. As no growth was due, that \
                 is not this race: something else took the CPUs.",
                counted(*n, "trial", "trials"),
                if *stalled == 1 { "was" } else { "were" },
            ),
            Fact::Stalls { series, at, level, rule } => {
                write!(f, "{} (rule `{rule}`).", stalls_in_words(series, at))?;
                let none: Vec<At> = at.iter().copied().filter(|at| at.stalled == 0).collect();
                if !none.is_empty() {
                    write!(f, " {}.", none_in_words(&none, *level))?;
                }
                Ok(())
            }
            Fact::Threshold { series, t10, t50, t90, notes, level } => {
                let threads = |t: &Estimate| t.estimate.map(|t| significant(t, 3));
                let half = match (t50.low, t50.high) {
                    (Some(low), Some(high)) => {
                        format!("{} to {}", significant(low, 3), significant(high, 3))
                    }
                    (Some(low), None) => format!("above {}", significant(low, 3)),
                    (None, Some(high)) => format!("below {}", significant(high, 3)),
                    (None, None) => "without a bound".to_string(),
                };
                write!(
                    f,
                    "By a logistic curve over log2(threads), half of the trials of `{series}` stall at {} \
                     threads ({half}, {} interval)",
                    threads(t50).unwrap_or_default(),
                    percent(*level)
                )?;
                if let (Some(tenth), Some(nine)) = (threads(t10), threads(t90)) {
                    write!(f, ", a tenth at {tenth} and nine tenths at {nine}")?;
                }
                write!(f, ".")?;
                notes.iter().try_for_each(|note| write!(f, " {}", sentence(note)))
            }
            Fact::NoStall { series, at, level, rule } => {
                let n: u64 = at.iter().map(|at| at.n).sum();
                match n {
                    1 => write!(f, "`{series}` did not stall in its only trial")?,
                    n => write!(f, "`{series}` did not stall in {n} trials")?,
                }
                write!(
                    f,
                    " (rule `{rule}`). {}. That it never stalls does not follow.",
                    none_in_words(at, *level)
                )
            }
            Fact::NotObservable { trials, reasons, .. }
                if reasons.keys().all(|reason| *reason == Reason::NotReported) =>
            {
                write!(
                    f,
                    "The source does not say whether {} stalled: nothing follows about stalls.",
                    if *trials == 1 { "the trial" } else { "these trials" }
                )
            }
            Fact::NotObservable { series, trials, reasons, rule } => {
                let names: Vec<String> = series.iter().map(|name| format!("`{name}`")).collect();
                let names = list(&names);
                match trials {
                    1 => {
                        write!(f, "By the rule `{rule}`, the only trial of {names} has no outcome")?
                    }
                    n => write!(
                        f,
                        "By the rule `{rule}`, none of the {n} trials of {names} has an outcome"
                    )?,
                }
                write!(f, ": {}.", reasons_in_words(reasons))
            }
            Fact::PartlyNotObservable { series, trials, of, reasons } => write!(
                f,
                "{trials} of {of} trials of `{series}` {} no outcome and {} not in its counts: {}.",
                if *trials == 1 { "has" } else { "have" },
                if *trials == 1 { "is" } else { "are" },
                reasons_in_words(reasons)
            ),
            Fact::AgainstControl { what, series, threads, n, ratio, p, level } => {
                let what = match what.as_str() {
                    "throughput" => "The throughput".to_string(),
                    metric => format!("`{metric}`"),
                };
                let times = ratio.estimate.map_or_else(|| "no".to_string(), |r| significant(r, 3));
                write!(
                    f,
                    "{what} of `{series}` at {} is {times} times its control's",
                    counted(*threads, "thread", "threads")
                )?;
                let trials = match n {
                    [1, 1] => "1 trial each".to_string(),
                    [a, b] if a == b => format!("{a} trials each"),
                    [a, b] => format!("{a} and {b} trials"),
                };
                match (ratio.low, ratio.high) {
                    (Some(low), Some(high)) => write!(
                        f,
                        " ({} to {}, {} interval; {trials}",
                        significant(low, 3),
                        significant(high, 3),
                        percent(*level)
                    )?,
                    _ => write!(f, " ({trials}, so without an interval")?,
                }
                match p.filter(|_| n.iter().all(|n| *n > 1)) {
                    Some(p) => {
                        let p = p_value(p);
                        let equals = if p.starts_with('<') { " " } else { " = " };
                        write!(f, "; Mann-Whitney p{equals}{p}).")
                    }
                    None => write!(f, ")."),
                }
            }
            Fact::RatioRange { what, cells, low, high } => {
                let what = match what.as_str() {
                    "throughput" => "The throughput".to_string(),
                    metric => format!("`{metric}`"),
                };
                write!(
                    f,
                    "{what} of {} is from {} (`{}`) to {} (`{}`) times that of the control: the table has \
                     each.",
                    counted(*cells, "cell", "cells"),
                    significant(low.0, 3),
                    low.1,
                    significant(high.0, 3),
                    high.1
                )
            }
            Fact::MetricRange { what, unit, series, low, high } => {
                let value = |x: f64| match unit.as_str() {
                    "1" => significant(x, 3),
                    unit => format!("{} {unit}", significant(x, 3)),
                };
                match low.0 == high.0 {
                    true => write!(f, "`{what}` of `{series}` is {} throughout.", value(low.0)),
                    false => write!(
                        f,
                        "`{what}` of `{series}` is from {} at {} to {} at {}.",
                        value(low.0),
                        counted(low.1, "thread", "threads"),
                        value(high.0),
                        counted(high.1, "thread", "threads")
                    ),
                }
            }
            Fact::StuckGrowth { series, pending, settled, none } => {
                let all = pending + settled + none;
                let states = [
                    (*pending, "pending to the end of the load"),
                    (*settled, "installed under load"),
                    (*none, "not due"),
                ];
                let seen: Vec<_> = states.into_iter().filter(|(count, _)| *count > 0).collect();
                match seen.as_slice() {
                    [(_, state)] => write!(
                        f,
                        "In {} of `{series}` the growth of the private hash was {state}.",
                        if all == 1 {
                            "the stalled trial".to_string()
                        } else {
                            format!("all {all} stalled trials")
                        }
                    ),
                    seen => {
                        let parts: Vec<String> = seen
                            .iter()
                            .map(|(count, state)| format!("{state} in {count}"))
                            .collect();
                        write!(
                            f,
                            "In the {all} stalled trials of `{series}` the growth of the private hash \
                             was {}.",
                            list(&parts)
                        )
                    }
                }
            }
            Fact::FewTimes { least } => {
                let said = notes::few_trials(*least, PointwiseMethod::default());
                f.write_str(&said.as_ref().map_or_else(String::new, said::survival::note))
            }
            Fact::Recovery { series, threads, n, events, seen_by, median, others, level } => {
                let (what, rest) = match seen_by {
                    SeenBy::Slots => ("growth of `{}` was installed", "the pending ones"),
                    SeenBy::Throughput => {
                        ("throughput of `{}` recovered", "those that had not when the load ended")
                    }
                };
                write!(
                    f,
                    "At {} the {} under load in {}",
                    counted(*threads, "thread", "threads"),
                    what.replace("{}", series),
                    match (n, events) {
                        (1, 1) => "the only trial".to_string(),
                        (n, events) => out_of(*events, *n, "trial", "trials"),
                    }
                )?;
                // From fewer trials no interval of a median has its level, whatever happens.
                let enough = Level::new(*level)
                    .is_ok_and(|level| median_ranks(*n as usize, level).is_some());
                let bound = |s: Option<f64>| s.filter(|_| enough).map(seconds);
                let among = match n > events {
                    true => format!(", with {rest} as censored,"),
                    false => String::new(),
                };
                match (median.estimate, bound(median.low), bound(median.high)) {
                    (Some(median), Some(low), Some(high)) => write!(
                        f,
                        "; the median time{among} is {} ({low} to {high}, {} interval).",
                        seconds(median),
                        percent(*level)
                    ),
                    (Some(median), Some(low), None) => write!(
                        f,
                        "; the median time{among} is {} (above {low} at {}; there is no upper bound).",
                        seconds(median),
                        percent(*level)
                    ),
                    (Some(median), _, _) if !enough => write!(
                        f,
                        "; the median time{among} is {} ({} {} too few for an interval at {}).",
                        seconds(median),
                        counted(*n, "trial", "trials"),
                        if *n == 1 { "is" } else { "are" },
                        percent(*level)
                    ),
                    (Some(median), _, _) => {
                        write!(f, "; the median time{among} is {}.", seconds(median))
                    }
                    (None, Some(low), _) => write!(
                        f,
                        ": too few for a median time, which is above {low} at {}.",
                        percent(*level)
                    ),
                    (None, None, _) if *events == 0 => {
                        write!(f, ": it takes longer than the load lasted.")
                    }
                    (None, None, _) => write!(f, ": too few for a median time."),
                }?;
                other_counts::write_recoveries(f, others, *level)
            }
            Fact::StallDuration {
                series,
                threads,
                watched,
                n,
                one_sample,
                control,
                growth_possible,
                events,
                median,
                between,
                partial,
                share,
                hold_s,
                others,
                level,
            } => {
                let share = share.map_or_else(|| "its share".to_string(), percent);
                write!(
                    f,
                    "By its timeline, throughput of `{series}` at {} was below {share} of the control's \
                     in {n} of {}",
                    counted(*threads, "thread", "threads"),
                    counted(*watched, "trial", "trials"),
                )?;
                f.write_str(&other_counts::single_samples(*one_sample))?;
                if let Some(control) = control {
                    write!(f, " (the control's own in {})", control.in_words(*one_sample))?;
                }
                let hold = hold_s.map_or_else(|| "the stated time".to_string(), seconds);
                match events {
                    0 => write!(
                        f,
                        ", and in none of them back there for {hold} before its samples end"
                    )?,
                    events => write!(f, ", and back there for {hold} in {events} of them")?,
                }
                match (median.estimate, between) {
                    _ if *events == 0 => {}
                    (None, None) => write!(f, ", too few for a median duration")?,
                    (_, between) => {
                        let censored =
                            if n > events { ", with the others as censored," } else { "" };
                        let lasts = other_counts::lasting(median, between.as_ref());
                        let lasts = lasts.unwrap_or_default();
                        write!(f, "; the median stall{censored} lasts {lasts}")?;
                        // From fewer trials no interval of a median has its level.
                        let enough = Level::new(*level)
                            .is_ok_and(|level| median_ranks(*n as usize, level).is_some());
                        let level = percent(*level);
                        match (median.low.map(seconds), median.high.map(seconds)) {
                            _ if !enough => write!(
                                f,
                                " ({} {} too few for an interval at {level})",
                                counted(*n, "trial", "trials"),
                                if *n == 1 { "is" } else { "are" },
                            )?,
                            (Some(low), Some(high)) => {
                                write!(f, " ({low} to {high}, {level} interval)")?
                            }
                            (Some(low), None) => {
                                write!(f, " (above {low} at {level}; there is no upper bound)")?
                            }
                            _ => {}
                        }
                    }
                }
                write!(f, ".")?;
                write_against_control(f, *n, *watched, *control, *growth_possible, *level)?;
                write_rises(f, partial, &hold)?;
                other_counts::write_stalls(f, others, *level)
            }
            Fact::Slowdown { series, stalled_mops, ratio, n: 1 } => write!(
                f,
                "The stalled trial of `{series}` ran at {} of its control's median throughput ({}).",
                percent(*ratio),
                mops(*stalled_mops),
            ),
            Fact::Slowdown { series, stalled_mops, ratio, n } => write!(
                f,
                "Stalled trials of `{series}` ran at {} of their control's median throughput (the middle \
                 one of {n}; {}).",
                percent(*ratio),
                mops(*stalled_mops),
            ),
            Fact::ControlStalls { series, stalled, n } => write!(
                f,
                "The control `{series}` stalled too, in {stalled} of {}. It has no growth to \
                 wait for: something else slows this machine, and the stalls above may be that too.",
                counted(*n, "trial", "trials"),
            ),
            Fact::Lab { accelerators, by_throughput } => {
                let how = match accelerators.as_slice() {
                    [] => String::new(),
                    names => format!(" ({})", names.join(", ")),
                };
                write!(
                    f,
                    "The trials ran in guests{how}: throughput there is the emulator's, and its ratios \
                     are not slowdowns. The state of the hash is the kernel's own."
                )?;
                if *by_throughput {
                    write!(
                        f,
                        " The rule here is by throughput: `--stall pivot:1s` judges by the hash."
                    )?;
                }
                Ok(())
            }
            Fact::Failed { failed, trials, by_status, most_frequent } => {
                let by: Vec<String> =
                    by_status.iter().map(|(status, count)| format!("{count} {status}")).collect();
                write!(
                    f,
                    "{failed} of {} failed ({}) and {} in no count of stalls.",
                    counted(*trials, "trial", "trials"),
                    by.join(", "),
                    if *failed == 1 { "is" } else { "are" },
                )?;
                if let Some((error, count)) = most_frequent {
                    write!(f, " Most frequent ({count} of {failed}): {error}.")?;
                }
                Ok(())
            }
            Fact::Splats { trials, watched } => write!(
                f,
                "The kernel complained in {trials} of the {} whose console was watched: see the column \
                 `splats`.",
                counted(*watched, "trial", "trials"),
            ),
            Fact::FewTrials { most, needed, cells, level, imported } => {
                let values = match imported {
                    true => counted(*most, "throughput", "throughputs"),
                    false => counted(*most, "trial", "trials"),
                };
                match cells {
                    1 => write!(f, "1 cell has {values}")?,
                    n => write!(f, "{n} cells have at most {values} each")?,
                }
                write!(
                    f,
                    ": a median's {} interval needs {needed}, so it is left empty there.",
                    percent(*level)
                )?;
                match imported {
                    true => Ok(()),
                    false => {
                        write!(f, " `--trials {needed}` gives one.")
                    }
                }
            }
            Fact::Interrupted { run, finished, planned, missing } => write!(
                f,
                "{finished} of {planned} planned trials are done in {run}, {missing} {} missing: \
                 `experiments resume {run}` does the others.",
                if *missing == 1 { "is" } else { "are" }
            ),
            Fact::Disturbed { disturbances: 1 } => {
                write!(f, "1 disturbance was recorded during the measurement: the report names it.")
            }
            Fact::Disturbed { disturbances } => write!(
                f,
                "{disturbances} disturbances were recorded during the measurement: the report lists them."
            ),
        }
    }
}

/// The longest list in a sentence; the table has them all.
const MOST_LISTED: usize = 8;

/// The most sentences on what was measured besides stalls; the tables have it all.
const MOST_MEASURED: usize = 4;

fn stalls_in_words(series: &str, at: &[At]) -> String {
    let stalled: Vec<&At> = at.iter().filter(|at| at.stalled > 0).collect();
    let first = at.iter().position(|at| at.stalled > 0).unwrap_or(0);
    let throughout = at[first..].iter().all(|at| at.stalled > 0);
    let mut counts: Vec<String> = stalled
        .iter()
        .take(MOST_LISTED)
        .map(|at| format!("{} of {} at {}", at.stalled, at.n, at.threads))
        .collect();
    if stalled.len() > MOST_LISTED {
        counts.push(format!("more at {} higher counts", stalled.len() - MOST_LISTED));
    }
    let counts = list(&counts);
    let start = at[first].threads;
    match (throughout, first, at.len()) {
        (_, _, 1) => {
            let At { threads, stalled, n } = at[0];
            let threads = counted(threads, "thread", "threads");
            match (stalled, n) {
                (1, 1) => format!("`{series}` stalled in the only trial at {threads}"),
                _ => {
                    let trials = out_of(stalled, n, "trial", "trials");
                    format!("`{series}` stalled in {trials} at {threads}")
                }
            }
        }
        (true, 0, _) => {
            format!(
                "`{series}` stalled at every thread count, from the lowest ({start}) on: {counts}"
            )
        }
        (true, _, _) => format!("`{series}` stalled from {start} threads on: {counts}"),
        (false, _, _) => format!("`{series}` stalled at some thread counts: {counts}"),
    }
}

/// What "none of n" shows, for cells that have the same n together: `0 of 10 at each of 24, 32 and
/// 40 threads: at most 25.9 % there, with 95 % confidence for each`.
fn none_in_words(at: &[At], level: f64) -> String {
    let mut by_n: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for at in at {
        by_n.entry(at.n).or_default().push(at.threads);
    }
    let bound = |n: u64| {
        Level::new(level)
            .and_then(|level| at_most(n, level))
            .map_or_else(|_| "an unknown share".to_string(), percent)
    };
    let parts: Vec<String> = by_n
        .iter()
        .rev()
        .map(|(n, threads)| {
            let mut counts: Vec<String> =
                threads.iter().take(MOST_LISTED).map(u64::to_string).collect();
            if threads.len() > MOST_LISTED {
                counts.push(format!("{} more counts", threads.len() - MOST_LISTED));
            }
            let each = if threads.len() > 1 { "each of " } else { "" };
            let of = if threads == &[1] { "thread" } else { "threads" };
            format!("0 of {n} at {each}{} {of} (at most {})", list(&counts), bound(*n))
        })
        .collect();
    let each = if at.len() > 1 { " for each" } else { "" };
    format!("{}, with {} confidence{each}", parts.join("; "), percent(level))
}

fn reasons_in_words(reasons: &BTreeMap<Reason, u64>) -> String {
    match reasons.len() {
        1 => reasons.keys().map(Reason::to_string).collect(),
        _ => list(&reasons.iter().map(|(reason, n)| format!("{reason} ({n})")).collect::<Vec<_>>()),
    }
}
