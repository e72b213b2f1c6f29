//! `recovery.csv`: how long a growth that was due stayed behind, a row a cell.
//!
//! The time runs from the moment at which growth became due to the first sample that showed the new
//! size. A growth that was still pending when the load ended is right-censored at the time it was
//! watched: it is in every estimate, as a time of at least that. A median is therefore often absent
//! where a mean of the times that were seen would look fine.

use rayon::prelude::*;
use records::columns::FACTORS;
use serde::Serialize;
use trial::record::Pivot;

use crate::cells::Cell;
use crate::csv_text::{CsvText, number};
use crate::data::Data;
use crate::error::AnalysisError;
use crate::factors::Factors;
use crate::stat::survival::summary::{CurvePoint, GroupSummary, Parameters};
use crate::stat::survival::{Group, Lifetime, SurvivalOptions, summarize};
use crate::stat::{Estimate, Interval, Level};

/// By what a recovery was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeenBy {
    /// By the slots of the private hash: its growth was installed.
    Slots,
    /// By the throughput: the source of an imported run did not look at the slots. Its label
    /// `seen-by=throughput` says so.
    Throughput,
}

impl SeenBy {
    /// What a cell's labels say.
    pub fn of(factors: &Factors) -> SeenBy {
        match factors.get("labels").split(';').any(|label| label == "seen-by=throughput") {
            true => SeenBy::Throughput,
            false => SeenBy::Slots,
        }
    }
}

/// The recovery of a cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellRecovery {
    /// The cell, by its place among the cells.
    pub cell: usize,
    /// Trials in which growth was due and its time is known, whole or from below.
    pub n: u64,
    /// Those in which it was installed under load.
    pub events: u64,
    /// By what that was seen.
    pub seen_by: SeenBy,
    /// The median time, in seconds.
    pub median: Estimate,
    /// Where the restricted mean ends.
    pub until_s: f64,
    /// The restricted mean, in seconds.
    pub rmst: Estimate,
    /// Installations a second, if they are memoryless, with the exact interval.
    pub rate: Estimate,
    /// Weibull's scale, in seconds.
    pub weibull_scale: Option<f64>,
    /// Weibull's shape: 1 is memoryless, below 1 the longer it waits the longer it will.
    pub weibull_shape: Option<f64>,
    /// The p-value of shape 1.
    pub shape_p: Option<f64>,
    /// The AIC of the exponential, the Weibull and the log-normal law.
    pub aic: [Option<f64>; 3],
    /// What could not be answered and why.
    pub notes: Vec<String>,
    /// Kaplan and Meier's curve, for figures.
    #[serde(skip)]
    pub curve: Vec<CurvePoint>,
}

/// The recovery of every cell in which growth was due in a trial.
pub fn recoveries(data: &Data, level: Level) -> Result<Vec<CellRecovery>, AnalysisError> {
    let mut times: Vec<Vec<Lifetime>> = vec![Vec::new(); data.cells.len()];
    for trial in data.trials.iter().filter(|trial| trial.is_ok()) {
        match (trial.pivot, trial.pivot_s) {
            (Some(Pivot::Settled), Some(after)) => times[trial.cell].push(Lifetime::Exact(after)),
            (Some(Pivot::Pending), Some(watched)) => {
                times[trial.cell].push(Lifetime::RightCensored(watched))
            }
            _ => {}
        }
    }
    let options = SurvivalOptions { level, ..SurvivalOptions::default() };
    times
        .into_par_iter()
        .enumerate()
        .filter(|(_, trials)| !trials.is_empty())
        .map(|(cell, trials)| {
            let mut summary = summarize(&[Group { name: None, trials }], &options)?;
            let group = summary.groups.swap_remove(0);
            let seen_by = SeenBy::of(&data.cells[cell]);
            Ok(of_group(cell, seen_by, group, summary.notes))
        })
        .collect()
}

fn of_group(
    cell: usize,
    seen_by: SeenBy,
    group: GroupSummary,
    mut notes: Vec<String>,
) -> CellRecovery {
    notes.extend(group.notes);
    let law = |name: &str| group.fits.iter().find(|fit| fit.law == name);
    let aic =
        ["exponential", "weibull", "log-normal"].map(|name| law(name).and_then(|fit| fit.aic));
    let bounds =
        |interval: Option<&Interval>| (interval.and_then(|i| i.low), interval.and_then(|i| i.high));
    let exponential = law("exponential");
    let (low, high) = bounds(exponential.and_then(|fit| fit.rate_interval.as_ref()));
    let rate = match exponential.map(|fit| fit.parameters) {
        Some(Parameters::Exponential { rate }) => rate,
        _ => None,
    };
    let (weibull_scale, weibull_shape) = match law("weibull").map(|fit| fit.parameters) {
        Some(Parameters::Weibull { scale, shape }) => (scale, shape),
        _ => (None, None),
    };
    CellRecovery {
        cell,
        n: group.n,
        events: group.events,
        seen_by,
        median: group.median,
        until_s: group.rmst.until,
        rmst: Estimate {
            estimate: group.rmst.estimate,
            low: group.rmst.low,
            high: group.rmst.high,
        },
        rate: Estimate { estimate: rate, low, high },
        weibull_scale,
        weibull_shape,
        shape_p: group.shape_test.p_value,
        aic,
        notes,
        curve: group.curve,
    }
}

const COLUMNS: [&str; 19] = [
    "n",
    "events",
    "median_s",
    "median_low_s",
    "median_high_s",
    "rmst_until_s",
    "rmst_s",
    "rmst_low_s",
    "rmst_high_s",
    "rate_per_s",
    "rate_low_per_s",
    "rate_high_per_s",
    "weibull_scale_s",
    "weibull_shape",
    "shape_p",
    "aic_exponential",
    "aic_weibull",
    "aic_log_normal",
    "note",
];

/// The text of `recovery.csv`.
pub fn csv(recoveries: &[CellRecovery], cells: &[Cell]) -> String {
    let mut out = CsvText::new(FACTORS.iter().chain(&COLUMNS));
    for recovery in recoveries {
        let mut row: Vec<String> =
            cells[recovery.cell].factors.iter().map(|(_, text)| text.to_string()).collect();
        row.push(recovery.n.to_string());
        row.push(recovery.events.to_string());
        let of = |estimate: Estimate| {
            [number(estimate.estimate), number(estimate.low), number(estimate.high)]
        };
        row.extend(of(recovery.median));
        row.push(number(Some(recovery.until_s)));
        row.extend(of(recovery.rmst));
        row.extend(of(recovery.rate));
        row.push(number(recovery.weibull_scale));
        row.push(number(recovery.weibull_shape));
        row.push(number(recovery.shape_p));
        row.extend(recovery.aic.map(number));
        row.push(recovery.notes.join("; "));
        out.row(row);
    }
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::Synthetic;

    #[test]
    fn the_reported_recovery_times_have_their_known_estimates() {
        let mut made = Synthetic::new(192);
        for after in [14.0, 33.0, 165.0, 169.0, 280.0, 300.0] {
            made.trial(192, "auto").pivot_s = Some(after);
        }
        let row = made.trial(192, "auto");
        (row.pivot, row.pivot_s) = (Some(Pivot::Pending), Some(300.0));
        made.trial(192, "slots:512");
        let (_folder, run) = made.written();
        let data = Data::read(&[run]).unwrap();
        let found = recoveries(&data, Level::P95).unwrap();
        assert_eq!(found.len(), 1, "the control has no growth to wait for");
        let cell = &found[0];
        assert_eq!((cell.n, cell.events), (7, 6));
        assert_eq!(cell.median.estimate, Some(169.0));
        assert!((cell.weibull_scale.unwrap() - 213.517).abs() < 1e-3);
        assert!((cell.weibull_shape.unwrap() - 1.1633).abs() < 1e-4);
        let last = cell.curve.last().unwrap();
        assert!((last.survival - 1.0 / 7.0).abs() < 1e-12);
        let analysis = crate::Analysis::of(data, &crate::Options::default()).unwrap();
        let csv = csv(&analysis.recovery, &analysis.cells);
        assert!(csv.lines().nth(1).unwrap().contains(",7,6,169,"), "{csv}");
    }

    #[test]
    fn a_cell_of_which_nothing_recovered_has_no_median() {
        let mut made = Synthetic::new(192);
        for _ in 0..5 {
            let row = made.trial(192, "auto");
            (row.pivot, row.pivot_s) = (Some(Pivot::Pending), Some(3.0));
        }
        let (_folder, run) = made.written();
        let found = recoveries(&Data::read(&[run]).unwrap(), Level::P95).unwrap();
        assert_eq!((found[0].n, found[0].events), (5, 0));
        assert_eq!(found[0].median.estimate, None);
    }
}
