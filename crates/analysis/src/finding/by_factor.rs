//! Throughput by the factor that the trials vary beside threads, all else the same.

use serde::Serialize;

use super::Tables;
use super::few_trials::enough;
use crate::cells::Cell;
use crate::factors::telling;
use crate::run::Run;
use model::factor::POLICY;
use stats::multiplicity::holm;
use stats::samples::{MedianRatio, SampleMedian, mann_whitney};
use stats::{Alternative, Estimate, Level};

/// Throughput under each value of a factor, against one of its values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ByFactor {
    /// The factor.
    pub factor: String,
    /// The value that the others are held against.
    pub base: String,
    /// The pairs of cells, by rising thread count. Never empty.
    pub pairs: Vec<Pair>,
    /// The confidence level of each interval by itself.
    pub level: Level,
}

/// Two cells that differ in the factor alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// The value of the factor that is held against the base.
    pub value: String,
    /// The other factors that tell pairs apart, such as `auto`; empty where none does.
    pub beside: String,
    /// Worker threads.
    pub threads: u64,
    /// Trials with a throughput, of the value and of the base.
    pub n: [u64; 2],
    /// The median throughput, in Mops/s, of the value and of the base.
    pub mops: [f64; 2],
    /// The ratio of the median throughputs, with the percentile bootstrap interval.
    pub ratio: Estimate,
    /// Mann and Whitney's test, two-sided.
    pub p: Option<f64>,
    /// The same by Holm over all pairs, as the one that differs most is told first.
    pub p_holm: Option<f64>,
}

/// Not in guests, whose throughput is the emulator's.
pub(super) fn by_factor(tables: &Tables) -> Option<ByFactor> {
    if tables.imported() || tables.data.runs.iter().any(Run::in_lab) {
        return None;
    }
    let varied: Vec<&str> = telling(tables.cells.iter().map(|cell| &cell.factors))
        .into_iter()
        .filter(|factor| !["threads", "kernel", "labels", "workload"].contains(factor))
        .collect();
    let factor = varied.iter().find(|factor| **factor != POLICY).or_else(|| {
        // Two policies are a case and its control: whether it stalls is the question then.
        let policies = values(tables.cells, POLICY).len();
        varied.iter().find(|_| policies > 2 || tables.case.is_none())
    })?;
    let values = values(tables.cells, factor);
    let first =
        tables.data.runs.first()?.manifest.definition.pointer(&format!("/factors/{factor}/0"));
    let base = match *factor {
        POLICY => tables.cells.iter().find(|cell| cell.is_control)?.factors.get(POLICY),
        _ => first
            .and_then(|it| it.as_str())
            .filter(|it| values.contains(it))
            .or(values.first().copied())?,
    };
    let samples = throughputs(tables);
    let beside_names: Vec<&'static str> = telling(tables.cells.iter().map(|cell| &cell.factors))
        .into_iter()
        .filter(|one| one != factor && *one != "threads")
        .collect();
    let mut pairs = Vec::new();
    for (at, cell) in tables.cells.iter().enumerate() {
        let value = cell.factors.get(factor);
        let of_base = cell.factors.with(factor, base);
        let Some(other) = tables.cells.iter().position(|other| other.factors == of_base) else {
            continue;
        };
        let (a, b) = (&samples[at], &samples[other]);
        if value == base || a.is_empty() || b.is_empty() {
            continue;
        }
        let ratio = MedianRatio::of_sorted(a, b, tables.level, tables.resampling);
        // Of fewer values the bootstrap says less than it seems to.
        let enough = enough(a.len().min(b.len()) as u64, tables.level);
        let percentile = ratio.intervals.iter().find(|one| one.method == "percentile");
        let interval = percentile.filter(|_| enough);
        let median = |sample: &[f64]| SampleMedian::of_sorted(sample, tables.level).median;
        pairs.push(Pair {
            value: value.to_string(),
            beside: match beside_names.is_empty() {
                true => String::new(),
                false => cell.factors.named_by(&beside_names),
            },
            threads: cell.factors.threads(),
            n: [a.len() as u64, b.len() as u64],
            mops: [median(a), median(b)],
            ratio: Estimate {
                estimate: ratio.estimate,
                low: interval.and_then(|one| one.low),
                high: interval.and_then(|one| one.high),
            },
            p: mann_whitney::of_sorted(a, b, Alternative::TwoSided).0.p_value,
            p_holm: None,
        });
    }
    pairs.sort_by_key(|pair| pair.threads);
    let p_values: Vec<f64> = pairs.iter().map(|pair| pair.p.unwrap_or(1.0)).collect();
    if let Ok(adjusted) = holm(&p_values) {
        for (pair, p_holm) in pairs.iter_mut().zip(adjusted) {
            pair.p_holm = pair.p.map(|_| p_holm);
        }
    }
    (!pairs.is_empty()).then(|| ByFactor {
        factor: factor.to_string(),
        base: base.to_string(),
        pairs,
        level: tables.level,
    })
}

/// The values of a factor, in the order of tables.
fn values<'a>(cells: &'a [Cell], factor: &str) -> Vec<&'a str> {
    let mut values: Vec<&str> = Vec::new();
    for cell in cells {
        let value = cell.factors.get(factor);
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

/// The throughputs of each cell's trials that did their work, rising.
fn throughputs(tables: &Tables) -> Vec<Vec<f64>> {
    let mut samples = vec![Vec::new(); tables.cells.len()];
    for trial in tables.data.trials.iter().filter(|trial| trial.is_ok()) {
        samples[trial.cell].extend(trial.mops_per_s);
    }
    for sample in &mut samples {
        sample.sort_unstable_by(f64::total_cmp);
    }
    samples
}
