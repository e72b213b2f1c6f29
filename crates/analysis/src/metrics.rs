//! `metrics.csv`: what a workload, or the source of an imported run, measures beyond the common
//! columns, cell by cell: seconds for a fixed amount of work, latency quantiles, rates of a phase.
//!
//! As for throughput, a cell is told by its median with a distribution-free interval, and against its
//! control by the ratio of the medians with a bootstrap interval. A quantile of each trial is
//! summarised as what it is, a number a trial: the median of the trials' 99th percentiles is not the
//! 99th percentile of all latencies.

use std::collections::BTreeMap;

use model::columns::FACTORS;
use model::outcome::fact;
use serde::Serialize;

use crate::cells::Cell;
use crate::csv_text::{CsvText, number};
use crate::data::Data;
use stats::samples::{MedianRatio, Resampling, SampleMedian, mann_whitney};
use stats::{Alternative, Estimate, Level};

/// One metric of one cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellMetric {
    /// The cell, by its place among the cells.
    pub cell: usize,
    /// The metric's name.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// The median over the trials that did their work and have it.
    pub median: SampleMedian,
    /// The median over that of the cell's control; `None` for a control and where it has none. The
    /// interval is the bootstrap's percentile one.
    pub control_ratio: Option<Estimate>,
    /// Values of the control; 0 where it has none.
    pub control_n: u64,
    /// Mann and Whitney's test against the control's values, two-sided.
    pub control_p: Option<f64>,
}

type Key = (usize, String, String);

/// The metrics of all cells, by cell, then by name.
pub fn of(data: &Data, cells: &[Cell], level: Level, resampling: Resampling) -> Vec<CellMetric> {
    let samples = samples(data);
    samples
        .iter()
        .map(|((cell, metric, unit), values)| {
            let control = cells.get(*cell).and_then(|cell| cell.control).filter(|at| at != cell);
            let of_control = control.and_then(|at| {
                let key: Key = (at, metric.clone(), unit.clone());
                samples.get(&key)
            });
            CellMetric {
                cell: *cell,
                metric: metric.clone(),
                unit: unit.clone(),
                median: SampleMedian::of_sorted(values, level),
                control_n: of_control.map_or(0, |control| control.len() as u64),
                control_p: of_control.and_then(|control| {
                    mann_whitney::of_sorted(values, control, Alternative::TwoSided).0.p_value
                }),
                control_ratio: of_control.map(|control| {
                    let ratio = MedianRatio::of_sorted(values, control, level, resampling);
                    let interval = ratio.intervals.iter().find(|i| i.method == "percentile");
                    Estimate {
                        estimate: ratio.estimate,
                        low: interval.and_then(|i| i.low),
                        high: interval.and_then(|i| i.high),
                    }
                }),
            }
        })
        .collect()
}

/// The values of each metric of each cell, rising, of trials that did their work. Never empty. A fact
/// that rules look at is an outcome, counted as one.
fn samples(data: &Data) -> BTreeMap<Key, Vec<f64>> {
    let mut samples: BTreeMap<Key, Vec<f64>> = BTreeMap::new();
    for trial in data.trials.iter().filter(|trial| trial.is_ok()) {
        for (at, value) in &trial.metrics {
            let (metric, unit) = data.names.get(*at);
            if !fact::is_one(metric) {
                let key = (trial.cell, metric.to_string(), unit.to_string());
                samples.entry(key).or_default().push(*value);
            }
        }
    }
    for values in samples.values_mut() {
        values.sort_unstable_by(f64::total_cmp);
    }
    samples
}

/// The columns of the table after the factors.
const COLUMNS: [&str; 10] = [
    "metric",
    "unit",
    "n",
    "median",
    "median_low",
    "median_high",
    "control_ratio",
    "control_ratio_low",
    "control_ratio_high",
    "control_p",
];

/// The text of `analysis/metrics.csv`.
pub fn csv(metrics: &[CellMetric], cells: &[Cell]) -> String {
    let mut out = CsvText::new(FACTORS.iter().chain(&COLUMNS));
    for found in metrics {
        let Some(cell) = cells.get(found.cell) else { continue };
        let mut row: Vec<String> = cell.factors.iter().map(|(_, text)| text.to_string()).collect();
        row.extend([found.metric.clone(), found.unit.clone(), found.median.n.to_string()]);
        row.push(number(Some(found.median.median)));
        row.push(number(found.median.low));
        row.push(number(found.median.high));
        let ratio = found.control_ratio;
        row.push(number(ratio.and_then(|ratio| ratio.estimate)));
        row.push(number(ratio.and_then(|ratio| ratio.low)));
        row.push(number(ratio.and_then(|ratio| ratio.high)));
        row.push(number(found.control_p));
        out.row(row);
    }
    out.finish()
}

#[cfg(test)]
mod tests {
    use model::record::Status;

    use crate::synthetic::Synthetic;
    use crate::{Options, analyze};

    /// The report's mutex benchmark: five runs auto-scaled, five pre-sized.
    const SECONDS: [f64; 10] = [52.8, 46.1, 36.3, 51.7, 49.6, 4.2, 4.5, 4.0, 5.1, 4.6];

    #[test]
    fn a_metric_has_its_median_and_its_ratio_to_the_control() {
        let mut made = Synthetic::new(96);
        for trial in 0..10 {
            made.trial(96, if trial < 5 { "auto" } else { "slots:512" });
        }
        made.failed(96, "auto", Status::Crashed, "died");
        let (_folder, run) = made.written();
        let mut text = "trial,metric,value,unit\n".to_string();
        for (at, seconds) in SECONDS.iter().enumerate() {
            text += &format!("{},seconds,{seconds},s\n", at + 1);
        }
        // What a failed trial, or one without a row, measured is in no median.
        text += "1,stalled,1,1\n11,seconds,1,s\n12,seconds,1,s\n";
        std::fs::write(run.join("metrics.csv"), text).unwrap();
        let found = analyze(&[run], &Options::default()).unwrap();
        let [auto, control] = &found.metrics[..] else { panic!("{:?}", found.metrics) };
        assert_eq!((auto.median.n, auto.median.median), (5, 49.6));
        assert_eq!((control.median.n, control.median.median), (5, 4.5));
        let ratio = auto.control_ratio.unwrap();
        assert!((ratio.estimate.unwrap() - 49.6 / 4.5).abs() < 1e-12, "{ratio:?}");
        assert!(
            (auto.control_p.unwrap() - 2.0 / 252.0).abs() < 1e-15,
            "exact: no overlap of 5 and 5"
        );
        assert_eq!((auto.control_n, control.control_ratio), (5, None));
        let csv = super::csv(&found.metrics, &found.cells);
        assert!(csv.lines().count() == 3 && csv.contains(",seconds,s,5,49.6,"), "{csv}");
    }

    #[test]
    fn a_run_without_metrics_has_none_and_a_broken_file_is_named() {
        let mut made = Synthetic::new(96);
        made.trial(96, "slots:512");
        let (_folder, run) = made.written();
        let one = std::slice::from_ref(&run);
        assert!(analyze(one, &Options::default()).unwrap().metrics.is_empty());
        std::fs::write(run.join("metrics.csv"), "trial,metric,value,unit\n1,x,many,s\n").unwrap();
        let error = analyze(one, &Options::default()).unwrap_err().to_string();
        assert!(error.contains("metrics.csv line 2: value is \"many\""), "{error}");
    }
}
