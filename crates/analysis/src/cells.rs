//! `cells.csv`: what each cell's trials say together.

use std::collections::{BTreeMap, HashMap};

use model::columns::FACTORS;
use rayon::prelude::*;
use serde::Serialize;

use crate::case::InCell;
use crate::csv_text::{CsvText, integer, number};
use crate::data::{COLUMNS_AS_METRICS, Data, Trial};
use crate::error::AnalysisError;
use crate::factors::Factors;
use crate::outcome::{Outcome, Reason, Seen, judge};
use crate::warning::Warning;
use model::definition::Control;
use model::outcome::{Condition, StallRule, fact};
use stats::proportion::{Proportion, ProportionSummary, summarize};
use stats::samples::split::{Split, split};
use stats::samples::{MedianRatio, Note, Resampling, SampleMedian, mann_whitney};
use stats::{Alternative, Estimate, Interval, Level};

/// One combination of factors, with its trials counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// What was varied.
    pub factors: Factors,
    /// Whether it is a control.
    pub is_control: bool,
    /// Trials that ended, in whatever way.
    pub trials: u64,
    /// Those that did not do their work; they have no outcome.
    pub failed: u64,
    /// Trials that were planned and have no row: not run, or lost. They are not among `trials`.
    pub missing: u64,
    /// Those that stalled, of those with an outcome; `None` where no trial has one.
    pub stall: Option<ProportionSummary>,
    /// Those that did their work and have no outcome, by the reason.
    pub not_observable: BTreeMap<Reason, u64>,
    /// The median throughput, in Mops/s.
    pub mops: Option<SampleMedian>,
    /// Its control, by its place among the cells.
    #[serde(skip)]
    pub control: Option<usize>,
    /// Its median throughput over its control's. The interval is the bootstrap's percentile one.
    pub control_ratio: Option<Estimate>,
    /// Mann and Whitney's test of its throughputs against its control's, two-sided.
    pub control_p: Option<f64>,
    /// What only a case records.
    #[serde(flatten)]
    pub of_case: InCell,
    /// CPUs online where it ran.
    pub cpus: Option<u64>,
}

impl Cell {
    /// Trials with an outcome.
    pub fn observed(&self) -> u64 {
        self.stall.as_ref().map_or(0, |stall| stall.n)
    }

    /// Of those, the stalled ones.
    pub fn stalled(&self) -> u64 {
        self.stall.as_ref().map_or(0, |stall| stall.k)
    }

    /// One of the intervals for its stall probability, by its method's name.
    pub fn stall_interval(&self, method: &str) -> Option<&Interval> {
        self.stall.as_ref()?.intervals.iter().find(|interval| interval.method == method)
    }
}

/// The cells of a data set, and each trial's outcome.
#[derive(Debug, Clone)]
pub struct Cells {
    /// In the order of tables.
    pub cells: Vec<Cell>,
    /// Beside [`Data::trials`]; `None` for a trial that failed.
    pub outcomes: Vec<Option<Outcome>>,
    /// What a reader of the cells must know.
    pub warnings: Vec<Warning>,
}

impl Cells {
    /// Judges every trial and counts every cell.
    pub fn of(
        data: &Data,
        rule: &StallRule,
        control: Option<&Control>,
        level: Level,
        resampling: Resampling,
    ) -> Result<Cells, AnalysisError> {
        let controls = controls(&data.cells, control);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); data.cells.len()];
        for (at, trial) in data.trials.iter().enumerate() {
            members[trial.cell].push(at);
        }
        let throughputs: Vec<Vec<f64>> = members
            .par_iter()
            .map(|members| {
                let ok = members.iter().map(|at| &data.trials[*at]).filter(|trial| trial.is_ok());
                let mut sorted: Vec<f64> = ok.filter_map(|trial| trial.mops_per_s).collect();
                sorted.sort_unstable_by(f64::total_cmp);
                sorted
            })
            .collect();
        let medians: Vec<Option<SampleMedian>> = throughputs
            .par_iter()
            .map(|sorted| (!sorted.is_empty()).then(|| SampleMedian::of_sorted(sorted, level)))
            .collect();

        let control_median =
            |cell: usize| controls[cell].and_then(|at| medians[at]).map(|found| found.median);
        check_control(data, rule, control, &controls)?;
        check_metrics(data, rule)?;
        let (cuts, modes) = match rule.is_by_modes() {
            true => cuts(data, &controls, &throughputs, resampling)?,
            false => (vec![None; data.cells.len()], None),
        };
        let outcomes: Vec<Option<Outcome>> = data
            .trials
            .par_iter()
            .map(|trial| {
                judge(
                    rule,
                    &Seen {
                        status: trial.status,
                        mops_per_s: trial.mops_per_s,
                        control_median: control_median(trial.cell),
                        cut: cuts[trial.cell],
                        event: trial.event,
                        splats: trial.splats.as_deref(),
                        metric: &|name| data.number(trial, name),
                    },
                )
            })
            .collect();

        let counted: Vec<(Cell, Vec<Note>)> = (0..data.cells.len())
            .into_par_iter()
            .map(|at| {
                let trials: Vec<(&Trial, Option<Outcome>)> =
                    members[at].iter().map(|i| (&data.trials[*i], outcomes[*i])).collect();
                let mut cell = count(&data.cells[at], &trials, level)?;
                cell.is_control = data.cells[at].has(control);
                cell.control = controls[at];
                cell.missing =
                    data.missing.iter().filter_map(|missing| missing.by_cell.get(&at)).sum();
                cell.mops = medians[at];
                let mut notes = Vec::new();
                if let Some(control) = controls[at].filter(|control| *control != at)
                    && !throughputs[at].is_empty()
                    && !throughputs[control].is_empty()
                {
                    let (a, b) = (&throughputs[at], &throughputs[control]);
                    let ratio = MedianRatio::of_sorted(a, b, level, resampling);
                    let interval = ratio.intervals.iter().find(|i| i.method == "percentile");
                    cell.control_ratio = Some(Estimate {
                        estimate: ratio.estimate,
                        low: interval.and_then(|i| i.low),
                        high: interval.and_then(|i| i.high),
                    });
                    notes = ratio.notes;
                    let (test, _) = mann_whitney::of_sorted(a, b, Alternative::TwoSided);
                    cell.control_p = test.p_value;
                }
                Ok((cell, notes))
            })
            .collect::<Result<_, AnalysisError>>()?;

        let mut noted: Vec<(&Note, u64)> = Vec::new();
        for note in counted.iter().flat_map(|(_, notes)| notes) {
            match noted.iter_mut().find(|(known, _)| *known == note) {
                Some((_, cells)) => *cells += 1,
                None => noted.push((note, 1)),
            }
        }
        let of_ratios = noted.into_iter().map(|(note, cells)| (note.clone(), cells));
        let of_ratios = of_ratios.map(|(note, cells)| Warning::ControlRatio { cells, note });
        let warnings =
            modes.into_iter().chain(of_ratios).chain(never_matched(data, rule)).collect();
        let cells = counted.into_iter().map(|(cell, _)| cell).collect();
        Ok(Cells { cells, outcomes, warnings })
    }
}

/// Each cell's control: the same factors with the control's value of its own. A control's is itself.
fn controls(cells: &[Factors], control: Option<&Control>) -> Vec<Option<usize>> {
    let place: HashMap<&Factors, usize> =
        cells.iter().enumerate().map(|(at, factors)| (factors, at)).collect();
    let control_of = |cell: &Factors| {
        let control = control?;
        place.get(&cell.with(control.factor, &control.value)).copied()
    };
    cells.iter().map(control_of).collect()
}

/// The cut between two modes for each cell, and how many have one.
///
/// A cell is pooled with its control: if all of its trials stall, it has one mode by itself. Cells of
/// several thread counts are not pooled, as throughput rises with the thread count and would make
/// modes of its own.
fn cuts(
    data: &Data,
    controls: &[Option<usize>],
    throughputs: &[Vec<f64>],
    resampling: Resampling,
) -> Result<(Vec<Option<f64>>, Option<Warning>), AnalysisError> {
    let found: Vec<Option<Split>> = (0..data.cells.len())
        .into_par_iter()
        .map(|at| {
            let mut pooled = throughputs[at].clone();
            if let Some(control) = controls[at].filter(|control| *control != at) {
                pooled.extend(&throughputs[control]);
            }
            if pooled.is_empty() { Ok(None) } else { split(&pooled, resampling).map(Some) }
        })
        .collect::<Result<_, _>>()?;
    let bimodal = found.iter().flatten().filter(|split| split.is_bimodal()).count() as u64;
    let cells = found.iter().flatten().count() as u64;
    // Of no throughput at all the answer speaks.
    let modes = (cells > 0).then_some(Warning::Modes { cells, bimodal });
    Ok((found.into_iter().map(|split| split.and_then(|split| split.cut)).collect(), modes))
}

/// A rule that needs the control needs one trial of it, failed or not, somewhere.
fn check_control(
    data: &Data,
    rule: &StallRule,
    control: Option<&Control>,
    controls: &[Option<usize>],
) -> Result<(), AnalysisError> {
    let needed = rule.needs_control();
    let something_to_judge = data.trials.iter().any(Trial::is_ok);
    if !needed || !something_to_judge || controls.iter().any(Option::is_some) {
        return Ok(());
    }
    // A rule that needs a control has one.
    let Some(control) = control else { return Ok(()) };
    let mut values: Vec<&str> = data.cells.iter().map(|cell| cell.get(control.factor)).collect();
    values.sort_unstable();
    values.dedup();
    Err(AnalysisError::NoControl {
        rule: rule.to_string(),
        found: values.join(", "),
        control: control.clone(),
    })
}

/// A metric that a condition looks at must be one of some trial, in a unit that the limit's can be held
/// against.
fn check_metrics(data: &Data, rule: &StallRule) -> Result<(), AnalysisError> {
    let done: Vec<&Trial> = data.trials.iter().filter(|trial| trial.is_ok()).collect();
    for condition in rule.conditions() {
        let Condition::Metric(limit) = condition else { continue };
        let found: Vec<_> =
            done.iter().filter_map(|trial| data.number(trial, &limit.name)).collect();
        let fits = found.iter().any(|(value, unit)| limit.is_met(*value, unit).is_some());
        if done.is_empty() || fits {
            continue;
        }
        let mut measured: Vec<(String, String)> =
            data.names.results().into_iter().cloned().collect();
        let columns = COLUMNS_AS_METRICS
            .iter()
            .filter(|(column, _)| done.iter().any(|trial| data.number(trial, column).is_some()));
        measured.extend(columns.map(|(name, unit)| (name.to_string(), unit.to_string())));
        return Err(AnalysisError::NoMetric {
            condition: condition.to_string(),
            found: found.first().map(|(_, unit)| unit.to_string()),
            measured,
        });
    }
    Ok(())
}

/// Expressions that no trial's output has: there may be a slip in them.
fn never_matched<'a>(data: &'a Data, rule: &'a StallRule) -> impl Iterator<Item = Warning> + 'a {
    rule.expressions().filter_map(|expression| {
        let name = fact::matches(expression);
        let found: Vec<f64> = data
            .trials
            .iter()
            .filter_map(|trial| data.number(trial, &name))
            .map(|it| it.0)
            .collect();
        let never = !found.is_empty() && found.iter().all(|found| *found == 0.0);
        never.then(|| Warning::NeverMatched {
            expression: expression.to_string(),
            trials: found.len() as u64,
        })
    })
}

fn count(
    factors: &Factors,
    trials: &[(&Trial, Option<Outcome>)],
    level: Level,
) -> Result<Cell, AnalysisError> {
    let (mut failed, mut stalled, mut observed) = (0, 0, 0);
    let mut not_observable: BTreeMap<Reason, u64> = BTreeMap::new();
    let mut of_case = InCell::default();
    let mut cpus = None;
    for (trial, outcome) in trials {
        of_case.count(trial.of_case, outcome.map(|_| trial.event));
        cpus = cpus.max(trial.cpus);
        match outcome {
            None => failed += 1,
            Some(Outcome::Stalled) => (stalled, observed) = (stalled + 1, observed + 1),
            Some(Outcome::NotStalled) => observed += 1,
            Some(Outcome::NotObservable(reason)) => {
                *not_observable.entry(*reason).or_default() += 1
            }
        }
    }
    let stall = match observed {
        0 => None,
        n => Some(summarize(Proportion::new(stalled, n)?, level)),
    };
    Ok(Cell {
        factors: factors.clone(),
        is_control: false,
        trials: trials.len() as u64,
        failed,
        missing: 0,
        stall,
        not_observable,
        mops: None,
        control: None,
        control_ratio: None,
        control_p: None,
        of_case,
        cpus,
    })
}

/// The columns of `cells.csv` after the factors.
const COLUMNS: [&str; 16] = [
    "trials",
    "failed",
    "stalled",
    "stall_p",
    "wilson_low",
    "wilson_high",
    "exact_low",
    "exact_high",
    "jeffreys_low",
    "jeffreys_high",
    "mops_median",
    "mops_low",
    "mops_high",
    "control_ratio",
    "control_ratio_low",
    "control_ratio_high",
];

/// The text of `cells.csv`. Empty is what could not be observed, or does not exist.
pub fn csv(cells: &[Cell]) -> String {
    let mut out = CsvText::new(FACTORS.iter().chain(&COLUMNS));
    for cell in cells {
        let mut row: Vec<String> = cell.factors.iter().map(|(_, text)| text.to_string()).collect();
        row.push(cell.trials.to_string());
        row.push(cell.failed.to_string());
        row.push(integer(cell.stall.as_ref().map(|stall| stall.k)));
        row.push(number(cell.stall.as_ref().map(|stall| stall.estimate)));
        for method in ["wilson", "clopper-pearson", "jeffreys"] {
            let interval = cell.stall_interval(method);
            row.push(number(interval.and_then(|i| i.low)));
            row.push(number(interval.and_then(|i| i.high)));
        }
        row.push(number(cell.mops.map(|mops| mops.median)));
        row.push(number(cell.mops.and_then(|mops| mops.low)));
        row.push(number(cell.mops.and_then(|mops| mops.high)));
        let ratio = cell.control_ratio;
        row.push(number(ratio.and_then(|ratio| ratio.estimate)));
        row.push(number(ratio.and_then(|ratio| ratio.low)));
        row.push(number(ratio.and_then(|ratio| ratio.high)));
        out.row(row);
    }
    out.finish()
}
