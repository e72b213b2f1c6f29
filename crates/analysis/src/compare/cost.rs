//! Cost where nothing stalls: throughput, test over base, in the control cells and in the trials that
//! did not stall, and whether a loss beyond the margin is excluded.
//!
//! Unstalled trials are chosen by their outcome, which the patch changes: where the base stalls often,
//! its unstalled trials are the lucky ones. The control cells have no such choice in them.
//!
//! A mean over strata can hide a stratum, so that each is looked at by itself too, and what is said of
//! the mean names the strata that are not in it.

use serde::Serialize;

use super::sides::{Sides, Which};
use super::strata::Stratum;
use super::throughput_ratio::{self, MeanRatio, StratumRatio};
use crate::outcome::Outcome;
use stats::samples::Resampling;
use stats::{Estimate, Level};

/// Whether a loss is excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CostFinding {
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
    /// Those with at least five values a side together, or all where none has so many.
    pub mean: Option<MeanRatio>,
    /// By the mean's interval, and so of the strata in it; `None` without a mean.
    pub finding: Option<CostFinding>,
    /// The strata that by themselves show a loss beyond the margin, the largest first.
    pub losses: Vec<Loss>,
}

/// A stratum's own loss beyond the margin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Loss {
    /// By its place among the strata.
    pub stratum: usize,
    /// Its name.
    pub name: String,
    /// Test over base.
    pub ratio: Estimate,
    /// Where a side has too few values for an interval: the exact rank test that the loss is at most
    /// the margin.
    pub p_value: Option<f64>,
}

/// Why no throughput is quoted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum NotQuoted {
    /// The trials ran in guests, where throughput is the emulator's.
    Emulated,
    /// These sides have no throughput in a common stratum.
    NotRecorded {
        /// Base first.
        sides: Vec<Which>,
    },
    /// All trials of these sides that have a throughput stalled or could not be judged.
    NoneUnstalled {
        /// Each side with its number of trials that have a throughput.
        sides: Vec<(Which, u64)>,
    },
    /// No stratum has a throughput of unstalled trials on both sides.
    NoCommonStratum,
}

/// The cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cost {
    /// The margin: the loss that is tolerated, as a share.
    pub margin: f64,
    /// Why no throughput is quoted; `None` where it is.
    pub not_quoted: Option<NotQuoted>,
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
    let nothing = || CostOf { strata: Vec::new(), mean: None, finding: None, losses: Vec::new() };
    let mut cost = Cost { margin, not_quoted: None, control: nothing(), unstalled: nothing() };
    if sides.in_lab() {
        cost.not_quoted = Some(NotQuoted::Emulated);
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
        cost.not_quoted = Some(why_not(strata, mops, unstalled));
        return cost;
    }
    for of in [&mut cost.control, &mut cost.unstalled] {
        of.mean = throughput_ratio::mean(&mut of.strata, level, resampling);
        of.finding = of.mean.as_ref().map(|mean| finding(mean, margin));
        of.losses = of.strata.iter().filter_map(|one| loss(one, margin, level)).collect();
        let size = |loss: &Loss| loss.ratio.estimate.unwrap_or(f64::INFINITY);
        of.losses.sort_by(|a, b| size(a).total_cmp(&size(b)));
    }
    cost
}

/// What is missing for a ratio.
fn why_not(
    strata: &[Stratum],
    mops: impl Fn(usize) -> Option<f64>,
    unstalled: impl Fn(usize) -> Option<f64>,
) -> NotQuoted {
    let counts = |which: Which, take: &dyn Fn(usize) -> Option<f64>| {
        let members = strata.iter().flat_map(|stratum| &stratum.side(which).members);
        members.filter(|at| take(**at).is_some()).count() as u64
    };
    let recorded = Which::BOTH.map(|which| counts(which, &mops));
    let without: Vec<Which> =
        Which::BOTH.into_iter().filter(|which| recorded[which.at()] == 0).collect();
    if !without.is_empty() {
        return NotQuoted::NotRecorded { sides: without };
    }
    // A control is not chosen by its outcome, so that a recorded one would have been compared.
    let all_stalled: Vec<(Which, u64)> = Which::BOTH
        .into_iter()
        .filter(|which| counts(*which, &unstalled) == 0)
        .map(|which| (which, recorded[which.at()]))
        .collect();
    match all_stalled.is_empty() {
        true => NotQuoted::NoCommonStratum,
        false => NotQuoted::NoneUnstalled { sides: all_stalled },
    }
}

/// Whether a stratum by itself shows a loss beyond the margin: by its interval, or where a side has too
/// few values for one by the exact rank test of the values scaled by the margin, at the same one-sided
/// level.
fn loss(of: &StratumRatio, margin: f64, level: Level) -> Option<Loss> {
    let p_value = match of.is_relied_on() {
        true if of.ratio.high? < 1.0 - margin => None,
        true => return None,
        false => Some(of.at_least_p(1.0 - margin).filter(|p| *p <= level.alpha() / 2.0)?),
    };
    let (stratum, name, ratio) = (of.stratum, of.name.clone(), of.ratio);
    Some(Loss { stratum, name, ratio, p_value })
}

fn finding(mean: &MeanRatio, margin: f64) -> CostFinding {
    match (mean.low, mean.high) {
        (Some(low), _) if low > 1.0 - margin => CostFinding::NonInferior,
        (_, Some(high)) if high < 1.0 - margin => CostFinding::Inferior,
        _ => CostFinding::NotShown,
    }
}

impl Cost {
    /// Whether a loss beyond the margin is shown anywhere, be it of a mean or of one stratum.
    pub fn shows_a_loss(&self) -> bool {
        [&self.control, &self.unstalled]
            .iter()
            .any(|of| of.finding == Some(CostFinding::Inferior) || !of.losses.is_empty())
    }
}
