//! Cost where nothing stalls: throughput, test over base, in the control cells and in the trials that
//! did not stall, and whether a loss beyond the margin is excluded.
//!
//! Unstalled trials are chosen by their outcome, which the patch changes: where the base stalls often,
//! its unstalled trials are the lucky ones. The control cells have no such choice in them.
//!
//! A mean over strata can hide a stratum, so that each is looked at by itself too, and what is said of
//! the mean names the strata that are not in it.

use serde::Serialize;

use super::sentences::listed;
use super::sides::{Sides, Which};
use super::strata::Stratum;
use super::throughput_ratio::{self, MeanRatio, StratumRatio};
use crate::outcome::Outcome;
use stats::samples::Resampling;
use stats::words::{counted, list, p_is, percent, times};
use stats::{Estimate, Level};

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
    /// Those with at least five values a side together, or all where none has so many.
    pub mean: Option<MeanRatio>,
    /// By the mean's interval, and so of the strata in it; `None` without a mean.
    pub finding: Option<Finding>,
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
    let nothing = || CostOf { strata: Vec::new(), mean: None, finding: None, losses: Vec::new() };
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
        cost.not_quoted = Some(why_not(sides, strata, mops, unstalled));
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
    sides: &Sides,
    strata: &[Stratum],
    mops: impl Fn(usize) -> Option<f64>,
    unstalled: impl Fn(usize) -> Option<f64>,
) -> String {
    let counts = |which: Which, take: &dyn Fn(usize) -> Option<f64>| {
        let members = strata.iter().flat_map(|stratum| &stratum.side(which).members);
        members.filter(|at| take(**at).is_some()).count() as u64
    };
    let recorded = Which::BOTH.map(|which| counts(which, &mops));
    let name = |which: Which| format!("`{}`", sides.name(which));
    let without: Vec<String> =
        Which::BOTH.into_iter().filter(|which| recorded[which.at()] == 0).map(name).collect();
    if !without.is_empty() {
        return format!("no throughput of {} was recorded in a common stratum", list(&without));
    }
    // A control is not chosen by its outcome, so that a recorded one would have been compared.
    let all_stalled: Vec<String> = Which::BOTH
        .into_iter()
        .filter(|which| counts(*which, &unstalled) == 0)
        .map(|which| match recorded[which.at()] {
            1 => format!("the one trial of {} that has a throughput", name(which)),
            n => format!("each of the {n} trials of {} that have a throughput", name(which)),
        })
        .collect();
    if !all_stalled.is_empty() {
        return format!(
            "{} stalled or could not be judged, and a cost is told where nothing stalls",
            list(&all_stalled)
        );
    }
    "no stratum has a throughput of unstalled trials on both sides".to_string()
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

fn finding(mean: &MeanRatio, margin: f64) -> Finding {
    match (mean.low, mean.high) {
        (Some(low), _) if low > 1.0 - margin => Finding::NonInferior,
        (_, Some(high)) if high < 1.0 - margin => Finding::Inferior,
        _ => Finding::NotShown,
    }
}

/// `0.604 (0.588 to 0.618)`.
fn ratio(of: Estimate) -> Option<String> {
    let estimate = times(of.estimate?);
    Some(match (of.low, of.high) {
        (Some(low), Some(high)) => format!("{estimate} ({} to {})", times(low), times(high)),
        _ => estimate,
    })
}

impl CostOf {
    /// What is said of them: the strata that lose, the mean, and what is not in it.
    fn sentences(&self, margin: f64, what: &str) -> Vec<String> {
        let mut said = Vec::new();
        let tolerated = percent(margin);
        if !self.losses.is_empty() {
            let names = self.losses.iter().filter_map(|loss| {
                let by = match loss.p_value {
                    Some(p) => format!(
                        " (too few values for an interval; Mann and Whitney's exact test of a loss of \
                         at most {tolerated}, {})",
                        p_is(p)
                    ),
                    None => String::new(),
                };
                Some(format!("{} of the base's at {}{by}", ratio(loss.ratio)?, loss.name))
            });
            said.push(format!(
                "A loss of more than {tolerated} is shown {what}: the throughput is {}.",
                listed(&names.collect::<Vec<String>>())
            ));
        }
        let all = self.strata.len() as u64;
        if all == 1 && !self.losses.is_empty() {
            // The mean of one stratum is that stratum.
            return said;
        }
        if let Some((mean, shown)) = self.mean.and_then(|mean| {
            let of = Estimate { estimate: mean.estimate, low: mean.low, high: mean.high };
            Some((mean, ratio(of)?))
        }) {
            let over = match (mean.strata, all) {
                (1, 1) => String::new(),
                (1, _) => {
                    let one = self.strata.iter().find(|one| one.in_mean);
                    format!(" at {}", one.map_or("one stratum", |one| one.name.as_str()))
                }
                (some, all) if some == all => format!(", the mean of {some} strata"),
                (some, all) => format!(", the mean of {some} of {all} strata"),
            };
            let finding = match self.finding {
                Some(Finding::NonInferior) if mean.strata == 1 && all == 1 => {
                    format!("a loss of more than {tolerated} is excluded")
                }
                Some(Finding::NonInferior) if mean.strata == 1 => {
                    format!("there, a loss of more than {tolerated} is excluded")
                }
                Some(Finding::NonInferior) => {
                    format!("that this mean loses more than {tolerated} is excluded")
                }
                Some(Finding::Inferior) => format!("it loses more than {tolerated}"),
                _ if !mean.is_relied_on() => format!(
                    "with {} on a side, no interval is to be relied on",
                    counted(mean.fewest, "value", "values")
                ),
                _ => format!("a loss of more than {tolerated} is not excluded"),
            };
            said.push(format!("{shown} of the base's throughput {what}{over}: {finding}."));
        }
        let left_out: Vec<String> = self
            .strata
            .iter()
            .filter(|one| !one.in_mean)
            .map(|one| {
                let ratio = one.ratio.estimate.map_or_else(|| "no ratio".to_string(), times);
                format!("{} ({ratio} of {} and {} values)", one.name, one.base.n, one.test.n)
            })
            .collect();
        if !left_out.is_empty() && self.mean.is_some() {
            said.push(format!(
                "Not in it, with fewer than 5 values on a side or no throughput, so that no loss is \
                 excluded there: {}.",
                listed(&left_out)
            ));
        }
        said
    }
}

impl Cost {
    /// Whether a loss beyond the margin is shown anywhere, be it of a mean or of one stratum.
    pub fn shows_a_loss(&self) -> bool {
        [&self.control, &self.unstalled]
            .iter()
            .any(|of| of.finding == Some(Finding::Inferior) || !of.losses.is_empty())
    }

    /// What is said of it, the worst first.
    pub fn sentence(&self) -> String {
        if let Some(why) = &self.not_quoted {
            return format!("Cost: not quoted, as {why}.");
        }
        let mut said = self.control.sentences(self.margin, "in the control cells");
        said.extend(self.unstalled.sentences(self.margin, "in trials that did not stall"));
        // What is lost is said before what is not.
        said.sort_by_key(|sentence| !sentence.starts_with("A loss"));
        if said.is_empty() {
            return "Cost: no throughput could be compared.".to_string();
        }
        if self.shows_a_loss() {
            said.push(
                "The verdict is of stalls alone; `--gate` does not pass with such a loss."
                    .to_string(),
            );
        }
        let text = said.join(" ");
        let text = match text.strip_prefix("A loss") {
            Some(rest) => format!("a loss{rest}"),
            None => text,
        };
        format!("Cost: {text}")
    }
}
