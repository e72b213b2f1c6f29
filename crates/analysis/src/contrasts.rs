//! `contrasts.csv`: stall probabilities against each other, with their tests.
//!
//! Each cell is held against its control; and against the cells that are the same but for the kernel,
//! or but for the labels. Of several kernels each is held against every earlier one in the order of
//! tables, so that any two are compared once. The p-values are adjusted over all contrasts of the
//! table, because a reader sees them all.

use model::columns::FACTORS;
use rayon::prelude::*;
use serde::Serialize;

use crate::cells::Cell;
use crate::csv_text::{CsvText, number};
use crate::error::AnalysisError;
use model::definition::Control;
use stats::multiplicity::{benjamini_hochberg, holm};
use stats::two_by_two::{TwoByTwo, fisher, koopman, newcombe};
use stats::{Alternative, Interval, Level};

/// What the two cells of a contrast differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Against {
    /// The control's factor: the base is the control.
    Control,
    /// The kernel.
    Kernel,
    /// The labels.
    Labels,
}

impl Against {
    fn name(self) -> &'static str {
        match self {
            Against::Control => "control",
            Against::Kernel => "kernel",
            Against::Labels => "labels",
        }
    }

    /// The factor that differs, of trials with this control.
    pub fn factor(self, control: Option<&Control>) -> &'static str {
        match self {
            Against::Control => control.map_or("", |control| control.factor),
            Against::Kernel => "kernel",
            Against::Labels => "labels",
        }
    }
}

/// A cell against another. Differences and ratios are test against base.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellContrast {
    /// What the two differ in.
    pub against: Against,
    /// The cell compared, by its place among the cells.
    pub test: usize,
    /// The cell compared with.
    pub base: usize,
    /// Stalled, of trials with an outcome: test, then base.
    pub counts: [(u64, u64); 2],
    /// Difference of the stall probabilities.
    pub difference: f64,
    /// Newcombe's interval for it, made to agree with the test.
    pub difference_interval: Interval,
    /// Their ratio; `None` where nothing of the base stalled.
    pub ratio: Option<f64>,
    /// Koopman's interval for it, made to agree with the test.
    pub ratio_interval: Interval,
    /// The test that `p` is of: `fisher`, that of the verdict.
    pub method: &'static str,
    /// Two-sided.
    pub p: Option<f64>,
    /// `p` adjusted by Holm's method over all contrasts.
    pub p_holm: Option<f64>,
    /// `p` adjusted by Benjamini and Hochberg's method over all contrasts.
    pub p_bh: Option<f64>,
}

/// All contrasts between cells, in the order of the cells.
pub fn contrasts(cells: &[Cell], level: Level) -> Result<Vec<CellContrast>, AnalysisError> {
    let pairs = pairs(cells);
    let mut found: Vec<CellContrast> = pairs
        .into_par_iter()
        .map(|(against, test, base)| one(cells, against, test, base, level))
        .collect::<Result<_, _>>()?;
    let with_p: Vec<usize> = (0..found.len()).filter(|at| found[*at].p.is_some()).collect();
    let p_values: Vec<f64> = with_p.iter().filter_map(|at| found[*at].p).collect();
    let by_holm = holm(&p_values)?;
    let by_bh = benjamini_hochberg(&p_values)?;
    for ((at, holm), bh) in with_p.into_iter().zip(by_holm).zip(by_bh) {
        found[at].p_holm = Some(holm);
        found[at].p_bh = Some(bh);
    }
    Ok(found)
}

/// The pairs, test and base, of which both have an outcome.
fn pairs(cells: &[Cell]) -> Vec<(Against, usize, usize)> {
    let observed = |at: usize| cells[at].observed() > 0;
    let mut pairs = Vec::new();
    for (test, cell) in cells.iter().enumerate().filter(|(at, _)| observed(*at)) {
        if let Some(base) = cell.control.filter(|base| *base != test && observed(*base)) {
            pairs.push((Against::Control, test, base));
        }
    }
    // Cells that are the same but for one factor share the rest as a key.
    for against in [Against::Kernel, Against::Labels] {
        let mut groups: std::collections::BTreeMap<String, Vec<usize>> = Default::default();
        for (at, cell) in cells.iter().enumerate().filter(|(at, _)| observed(*at)) {
            if !cell.is_control {
                let key = cell.factors.with(against.factor(None), "").key();
                groups.entry(key).or_default().push(at);
            }
        }
        let mut of_kind: Vec<(Against, usize, usize)> = groups
            .values()
            .flat_map(|group| {
                group.iter().enumerate().flat_map(move |(later, test)| {
                    group[..later].iter().map(move |base| (against, *test, *base))
                })
            })
            .collect();
        of_kind.sort_by_key(|(_, test, base)| (*test, *base));
        pairs.extend(of_kind);
    }
    pairs
}

fn one(
    cells: &[Cell],
    against: Against,
    test: usize,
    base: usize,
    level: Level,
) -> Result<CellContrast, AnalysisError> {
    let count = |at: usize| (cells[at].stalled(), cells[at].observed());
    let (test_count, base_count) = (count(test), count(base));
    let table = TwoByTwo::new(base_count.0, base_count.1, test_count.0, test_count.1)?;
    let test_result = fisher::test(table, Alternative::TwoSided);
    let p = test_result.p_value;
    let (difference, ratio) = (table.difference(), table.ratio());
    Ok(CellContrast {
        against,
        test,
        base,
        counts: [test_count, base_count],
        difference,
        difference_interval: newcombe::interval(table, level).agreeing(0.0, Some(difference), p),
        ratio,
        ratio_interval: koopman::interval(table, level).agreeing(1.0, ratio, p),
        method: test_result.method,
        p,
        p_holm: None,
        p_bh: None,
    })
}

const COLUMNS: [&str; 16] = [
    "against",
    "base",
    "test_stalled",
    "test_n",
    "base_stalled",
    "base_n",
    "difference",
    "difference_low",
    "difference_high",
    "ratio",
    "ratio_low",
    "ratio_high",
    "method",
    "p",
    "p_holm",
    "p_bh",
];

/// The text of `contrasts.csv`: the factors are those of the test cell, `base` is what the other one
/// has instead.
pub fn csv(contrasts: &[CellContrast], cells: &[Cell], control: Option<&Control>) -> String {
    let mut out = CsvText::new(FACTORS.iter().chain(&COLUMNS));
    for contrast in contrasts {
        let (test, base) = (&cells[contrast.test].factors, &cells[contrast.base].factors);
        let mut row: Vec<String> = test.iter().map(|(_, text)| text.to_string()).collect();
        row.push(contrast.against.name().to_string());
        row.push(base.get(contrast.against.factor(control)).to_string());
        for (k, n) in contrast.counts {
            row.push(k.to_string());
            row.push(n.to_string());
        }
        row.push(number(Some(contrast.difference)));
        row.push(number(contrast.difference_interval.low));
        row.push(number(contrast.difference_interval.high));
        row.push(number(contrast.ratio));
        row.push(number(contrast.ratio_interval.low));
        row.push(number(contrast.ratio_interval.high));
        row.push(contrast.method.to_string());
        for p in [contrast.p, contrast.p_holm, contrast.p_bh] {
            row.push(number(p));
        }
        out.row(row);
    }
    out.finish()
}
