//! Throughput and metrics against the control, for trials of which nothing says whether they stalled.

use serde::Serialize;

use super::metric_range;
use super::{Finding, Tables};
use stats::{Estimate, Level};

/// The most findings on what was measured besides stalls; the tables have it all.
const MOST_MEASURED: usize = 4;

/// What was measured in a cell, against its control.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgainstControl {
    /// `throughput`, or a metric's name.
    pub what: String,
    /// The series' name.
    pub series: String,
    /// Worker threads.
    pub threads: u64,
    /// Values of the cell, and of its control.
    pub n: [u64; 2],
    /// The ratio of the medians.
    pub ratio: Estimate,
    /// Mann and Whitney's test, two-sided.
    pub p: Option<f64>,
    /// The confidence level.
    pub level: Level,
}

/// The same for many cells together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RatioRange {
    /// `throughput`, or a metric's name.
    pub what: String,
    /// Cells that have a ratio.
    pub cells: u64,
    /// The lowest ratio of the medians, and its series.
    pub low: (f64, String),
    /// The highest ratio of the medians, and its series.
    pub high: (f64, String),
}

pub(super) fn measured(tables: &Tables) -> Vec<Finding> {
    let cells = against_control(tables);
    let mut found: Vec<Finding> = match cells.len() {
        0 => metric_range::ranges(tables).into_iter().map(Finding::MetricRange).collect(),
        1..=MOST_MEASURED => cells.into_iter().map(Finding::AgainstControl).collect(),
        _ => ratio_ranges(&cells).into_iter().map(Finding::RatioRange).collect(),
    };
    found.truncate(MOST_MEASURED);
    found
}

fn against_control(tables: &Tables) -> Vec<AgainstControl> {
    let mut found = Vec::new();
    for (at, cell) in tables.cells.iter().enumerate() {
        let Some(series) = tables.series.iter().find(|one| one.cells.contains(&at)) else {
            continue;
        };
        let mut add = |what: &str, n: [u64; 2], ratio: Estimate, p: Option<f64>| {
            found.push(AgainstControl {
                what: what.to_string(),
                series: series.name.clone(),
                threads: cell.factors.threads(),
                n,
                ratio,
                p,
                level: tables.level,
            })
        };
        let control = cell.control.filter(|control| *control != at);
        if let (Some(ratio), Some(mops)) = (cell.control_ratio, cell.mops) {
            let of_control = control.and_then(|control| tables.cells[control].mops);
            let n = [mops.n as u64, of_control.map_or(0, |mops| mops.n as u64)];
            add("throughput", n, ratio, cell.control_p);
            continue;
        }
        for metric in tables.metrics.iter().filter(|metric| metric.cell == at) {
            if let Some(ratio) = metric.control_ratio.filter(|ratio| ratio.estimate.is_some()) {
                let n = [metric.median.n as u64, metric.control_n];
                // A program's own number may be a time, of which less is better: its unit says so.
                let name = match metric.metric.as_str() {
                    "throughput" => format!("throughput ({})", metric.unit),
                    name => name.to_string(),
                };
                add(&name, n, ratio, metric.control_p);
            }
        }
    }
    found
}

/// The lowest and the highest ratio of each thing that was measured.
fn ratio_ranges(found: &[AgainstControl]) -> Vec<RatioRange> {
    let mut names: Vec<&str> = found.iter().map(|one| one.what.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let range = |name: &&str| {
        let of_name = found.iter().filter(|one| one.what == *name);
        let ratios = of_name.filter_map(|one| Some((one.ratio.estimate?, one.series.clone())));
        let mut ratios: Vec<(f64, String)> = ratios.collect();
        ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
        Some(RatioRange {
            what: name.to_string(),
            cells: ratios.len() as u64,
            low: ratios.first()?.clone(),
            high: ratios.last()?.clone(),
        })
    };
    names.iter().filter_map(range).collect()
}
