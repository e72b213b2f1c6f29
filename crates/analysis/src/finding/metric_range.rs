//! A metric of a series over its thread counts, where nothing else can be said.

use serde::Serialize;

use super::Tables;

/// The range of the cells' medians of a metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricRange {
    /// The metric's name.
    pub metric: String,
    /// The metric's unit.
    pub unit: String,
    /// The series' name.
    pub series: String,
    /// The lowest median, and its thread count.
    pub low: (f64, u64),
    /// The highest median, and its thread count.
    pub high: (f64, u64),
}

pub(super) fn ranges(tables: &Tables) -> Vec<MetricRange> {
    let named = tables.metrics.iter().map(|one| (one.metric.as_str(), one.unit.as_str()));
    let mut names: Vec<(&str, &str)> = named.collect();
    names.sort_unstable();
    names.dedup();
    let mut found = Vec::new();
    for (metric, unit) in names {
        for series in tables.series {
            let fits = tables.metrics.iter().filter(|one| {
                one.metric == metric && one.unit == unit && series.cells.contains(&one.cell)
            });
            let mut medians: Vec<(f64, u64)> = fits
                .map(|one| (one.median.median, tables.cells[one.cell].factors.threads()))
                .collect();
            medians.sort_by(|a, b| a.0.total_cmp(&b.0));
            if let [low, .., high] = medians.as_slice() {
                found.push(MetricRange {
                    metric: metric.to_string(),
                    unit: unit.to_string(),
                    series: series.name.clone(),
                    low: *low,
                    high: *high,
                });
            }
        }
    }
    found
}
