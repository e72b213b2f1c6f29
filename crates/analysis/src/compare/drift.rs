//! Drift: the control cells of both sides against each other. A control's growth is never due, so
//! nothing that the comparison is about can move it; if it moved, something else did.
//!
//! A patch may cost throughput in the control too. Where both sides were measured side by side in the
//! same blocks, a machine can't have drifted between them, and a moved control is the patch's cost.
//! Where one side followed the other, the two can't be told apart.

use serde::Serialize;

use super::cost::Cost;
use super::order::Order;
use super::strata::Stratum;
use super::throughput_ratio::MeanRatio;
use crate::error::AnalysisError;
use stats::Level;
use stats::multiplicity::holm;
use stats::strata::{self as stat, exact_strata};

/// Whether the control moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moved {
    /// The interval lies within the margin.
    Held,
    /// A change beyond the margin is shown, or the controls stalled unequally.
    Moved,
    /// Neither is shown.
    NotShown,
    /// There is nothing to look at.
    NotChecked,
}

/// The drift.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drift {
    /// In a word.
    pub moved: Moved,
    /// The control's throughput, test over base.
    pub ratio: Option<MeanRatio>,
    /// Control cells that moved by themselves: Mann and Whitney's test, adjusted by Holm, and a ratio
    /// beyond the margin.
    pub cells: Vec<String>,
    /// Controls that stalled, and that were counted, base then test.
    pub stalled: [[u64; 2]; 2],
    /// The exact test that both sides' controls stall alike.
    pub stalled_p: Option<f64>,
    /// Whether a moved control is the machine's doing, or may be: not if the sides were interleaved.
    pub may_be_the_machine: bool,
}

/// Looks at the controls. The margin is the cost's; its inverse bounds a gain.
pub fn of(
    strata: &[Stratum],
    cost: &Cost,
    order: Order,
    level: Level,
) -> Result<Drift, AnalysisError> {
    let alpha = level.alpha();
    let (low, high) = (1.0 - cost.margin, 1.0 / (1.0 - cost.margin));
    let mut stalled = [[0, 0]; 2];
    let mut tables = Vec::new();
    for stratum in strata.iter().filter(|stratum| stratum.is_control) {
        let (base, test) = (&stratum.base, &stratum.test);
        tables.push(stat::Stratum::new(
            stratum.name.clone(),
            base.stalled,
            base.observed,
            test.stalled,
            test.observed,
        )?);
        for (sum, side) in stalled.iter_mut().zip([base, test]) {
            sum[0] += side.stalled;
            sum[1] += side.observed;
        }
    }
    let stalled_p = exact_strata::test(&tables).p_value;
    let ratios = &cost.control.strata;
    let p_values: Vec<f64> = ratios.iter().filter_map(|one| one.p_value).collect();
    let adjusted = holm(&p_values)?;
    let cells: Vec<String> = ratios
        .iter()
        .filter(|one| one.p_value.is_some())
        .zip(adjusted)
        .filter(|(one, p)| {
            let beyond = one.ratio.estimate.is_some_and(|ratio| ratio < low || ratio > high);
            *p <= alpha && beyond
        })
        .map(|(one, _)| one.name.clone())
        .collect();
    let ratio = cost.control.mean;
    let bounds = ratio.filter(MeanRatio::is_relied_on).and_then(|r| Some((r.low?, r.high?)));
    let beyond = bounds.is_some_and(|(l, h)| h < low || l > high);
    let unequal = stalled_p.is_some_and(|p| p <= alpha);
    let counted = stalled.iter().all(|[_, n]| *n > 0);
    let moved = match bounds {
        _ if beyond || unequal || !cells.is_empty() => Moved::Moved,
        Some((l, h)) if l >= low && h <= high => Moved::Held,
        Some(_) => Moved::NotShown,
        None if ratio.is_some() || counted => Moved::NotShown,
        None => Moved::NotChecked,
    };
    let may_be_the_machine = moved == Moved::Moved && order != Order::Interleaved;
    Ok(Drift { moved, ratio, cells, stalled, stalled_p, may_be_the_machine })
}
