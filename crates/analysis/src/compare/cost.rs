//! Cost where nothing stalls: throughput, test over base, in the control cells and in the trials that
//! did not stall, and whether a loss beyond the margin is excluded.
//!
//! Unstalled trials are chosen by their outcome, which the patch changes: where the base stalls often,
//! its unstalled trials are the lucky ones. The control cells have no such choice in them.

use serde::Serialize;

use super::sides::{Sides, Which};
use super::strata::Stratum;
use super::throughput_ratio::{self, MeanRatio, StratumRatio};
use crate::outcome::Outcome;
use crate::stat::Level;
use crate::stat::samples::Resampling;

/// Whether a loss is excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// The lower bound is above 1 − margin: a loss beyond the margin is excluded.
    NonInferior,
    /// The upper bound is below 1 − margin: a loss beyond the margin is shown.
    Inferior,
    /// Neither.
    NotShown,
}

/// One kind of trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CostOf {
    /// Each stratum.
    pub strata: Vec<StratumRatio>,
    /// All of them together.
    pub mean: Option<MeanRatio>,
    /// By the mean's interval; `None` without a mean.
    pub finding: Option<Finding>,
}

/// The cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cost {
    /// The margin: the loss that is tolerated, as a share.
    pub margin: f64,
    /// Why no throughput is quoted, in a sentence; `None` where it is.
    pub not_quoted: Option<String>,
    /// Control cells.
    pub control: CostOf,
    /// Trials of other cells that did not stall.
    pub unstalled: CostOf,
}

/// Compares throughputs.
pub fn of(
    sides: &Sides,
    strata: &[Stratum],
    outcomes: &[Vec<Option<Outcome>>; 2],
    margin: f64,
    level: Level,
    resampling: Resampling,
) -> Cost {
    let nothing = || CostOf { strata: Vec::new(), mean: None, finding: None };
    let in_lab = Which::BOTH.iter().any(|side| sides.runs(*side).iter().any(|run| run.in_lab()));
    let mut cost = Cost { margin, not_quoted: None, control: nothing(), unstalled: nothing() };
    if in_lab {
        cost.not_quoted = Some(
            "the trials ran in guests, where throughput is the emulator's: what a patch costs there \
             says nothing of what it costs on a machine"
                .into(),
        );
        return cost;
    }
    let mops = |at: usize| {
        sides.data.trials.get(at).filter(|trial| trial.is_ok()).and_then(|trial| trial.mops_per_s)
    };
    let unstalled = |at: usize| {
        let outcome = outcomes.iter().find_map(|side| side.get(at).copied().flatten());
        (outcome == Some(Outcome::NotStalled)).then(|| mops(at)).flatten()
    };
    for (at, stratum) in strata.iter().enumerate() {
        if stratum.is_control {
            let ratio = throughput_ratio::of(at, stratum, mops, level, resampling);
            cost.control.strata.extend(ratio);
        } else {
            let ratio = throughput_ratio::of(at, stratum, unstalled, level, resampling);
            cost.unstalled.strata.extend(ratio);
        }
    }
    if cost.control.strata.is_empty() && cost.unstalled.strata.is_empty() {
        cost.not_quoted =
            Some("no throughput was recorded on both sides of a common stratum".into());
        return cost;
    }
    for of in [&mut cost.control, &mut cost.unstalled] {
        of.mean = throughput_ratio::mean(&of.strata, level, resampling);
        of.finding = of.mean.as_ref().map(|mean| finding(mean, margin));
    }
    cost
}

fn finding(mean: &MeanRatio, margin: f64) -> Finding {
    if !mean.is_relied_on() {
        return Finding::NotShown;
    }
    match (mean.low, mean.high) {
        (Some(low), _) if low > 1.0 - margin => Finding::NonInferior,
        (_, Some(high)) if high < 1.0 - margin => Finding::Inferior,
        _ => Finding::NotShown,
    }
}
