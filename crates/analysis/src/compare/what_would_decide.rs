//! What would decide an open verdict: how many trials, of which cell.
//!
//! The numbers are exact powers of Fisher's test at one cell, which is what the primary test is there,
//! at the rates seen. Those are estimates themselves: the true power may be well below the one stated. Where boots
//! or stretches are the units, they are counted.
//! Adding trials to those that were looked at and testing again errs more often than the level says
//! (docs/appendix/verdict-error-rates.md has by how much); a fresh run of the whole number keeps it.

use serde::Serialize;

use super::efficacy::Counts;
use super::strata::Stratum;
use super::units::{Unit, Units};
use super::verdict::{Because, Kind, Rules, Verdict};
use stats::clusters::design_effect::variance_factor;
use stats::power::none_of_n;
use stats::power::two_proportions::{Design, PowerTest, trials};
use stats::{Alternative, StatError};

/// The power that is planned for.
pub const POWER: f64 = 0.8;

/// The largest number of trials a side of which the power is computed exactly; above it the textbook's number
/// serves.
const MOST_EXACT: f64 = 1_000.0;

/// The largest number of trials a side that anyone would run.
const MOST: f64 = 1e6;

/// The boots or stretches a side that are advised: half of them show a large effect, and all of them leave one
/// bad one in five unseen in 7 % of data sets.
const ADVISED: u64 = 12;

/// What would decide.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "by", rename_all = "kebab-case")]
pub enum Deciding {
    /// More trials where the sides differ most.
    MoreTrials {
        /// The stratum, by its place.
        stratum: usize,
        /// Its name.
        name: String,
        /// How many more the side with fewer needs.
        more_per_side: u64,
        /// Trials a side in all.
        n_per_side: u64,
        /// The power then, if the rates stay as they were seen.
        power: f64,
        /// Whether the number is the textbook's, and not an exact one.
        is_approximate: bool,
        /// The rates seen, base then test.
        rates: [f64; 2],
    },
    /// More boots or stretches, each with trials of what it has now.
    MoreUnits {
        /// What is counted.
        unit: Unit,
        /// How many a side in all.
        per_side: u64,
        /// Trials of each of them, in the cell that needs them most.
        trials_each: u64,
        /// How many of the test side would show the bound, if none stalls.
        for_the_bound: u64,
    },
    /// More boots or stretches of the test side, none of which stalls.
    MoreUnitsWithoutStall {
        /// What is counted.
        unit: Unit,
        /// How many in all.
        in_all: u64,
        /// The bound that they show.
        below: f64,
    },
    /// Too many to be worth it: the rates seen are too near each other.
    TooMany {
        /// The stratum's name.
        name: String,
        /// The rates seen, base then test.
        rates: [f64; 2],
        /// Trials a side that would show a halving of the base's rate, if that is within reach.
        for_a_halving: Option<u64>,
    },
    /// The base must stall first.
    AnotherCell {
        /// Trials of the base side that did not stall.
        trials: u64,
    },
    /// More trials of the test side, none of which stalls.
    MoreWithoutStall {
        /// How many in all.
        more: u64,
        /// Where: the bound goes by the stratum with the fewest.
        at: Vec<MoreAt>,
        /// The bound that they show.
        below: f64,
    },
    /// More trials can't: in one stratum it stalls more often than the bound.
    StratumStalls {
        /// The stratum's name.
        name: String,
        /// Stalled and counted on the test side there.
        test: [u64; 2],
    },
    /// More trials can't: it still stalls.
    StillStalls {
        /// Stalled and counted on the test side, where the base stalled.
        test: [u64; 2],
    },
    /// More trials can't: a lower bound must be asked for.
    LowerBound {
        /// The base side's share.
        base: f64,
    },
}

/// More trials of the test side at one stratum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MoreAt {
    /// Its name.
    pub name: String,
    /// How many more.
    pub more: u64,
}

/// What would decide, if anything is open.
pub fn of(
    strata: &[Stratum],
    units: &Units,
    verdict: &Verdict,
    rules: Rules,
) -> Result<Option<Deciding>, StatError> {
    let at_risk = verdict.at_risk;
    match (verdict.kind, verdict.because) {
        (Kind::Fixed | Kind::Worse | Kind::LargeEffectExcluded, _) => Ok(None),
        (Kind::Reduced, Because::BaseBelowBound) => {
            Ok(Some(Deciding::LowerBound { base: at_risk.base_mean.unwrap_or(0.0) }))
        }
        (Kind::Reduced, Because::StratumAboveBound { stratum }) => {
            let stratum = strata.iter().filter(|stratum| stratum.is_compared()).nth(stratum);
            Ok(stratum.map(|stratum| Deciding::StratumStalls {
                name: stratum.name.clone(),
                test: Counts::of(stratum).test,
            }))
        }
        (Kind::Reduced, _) => {
            if at_risk.test[0] > 0 {
                return Ok(Some(Deciding::StillStalls { test: at_risk.test }));
            }
            match units.unit {
                Unit::Trial => more_without_stall(strata, rules),
                unit => Ok(Some(Deciding::MoreUnitsWithoutStall {
                    unit,
                    in_all: none_of_n::trials(rules.fixed_below, rules.level)?.n,
                    below: rules.fixed_below,
                })),
            }
        }
        (Kind::Undecided, Because::NothingStalled | Because::BaseDidNotStall) => {
            let compared = strata.iter().filter(|stratum| stratum.is_compared());
            let trials = compared.map(|stratum| stratum.base.observed).sum();
            Ok(Some(Deciding::AnotherCell { trials }))
        }
        (Kind::Undecided, Because::TooFewUnits { .. }) => {
            Ok(Some(more_units(units, ADVISED, rules)?))
        }
        (Kind::Undecided, _) => undecided(strata, units, rules),
    }
}

/// As many trials in each stratum where the base stalled as put the bound of 0 of all where it is
/// asked for.
fn more_without_stall(strata: &[Stratum], rules: Rules) -> Result<Option<Deciding>, StatError> {
    let at_risk: Vec<&Stratum> = strata
        .iter()
        .filter(|stratum| stratum.is_compared() && Counts::of(stratum).base[0] > 0)
        .collect();
    let needed = none_of_n::trials(rules.fixed_below, rules.level)?.n;
    let each = needed.div_ceil(at_risk.len().max(1) as u64);
    let at: Vec<MoreAt> = at_risk
        .into_iter()
        .map(|stratum| MoreAt {
            name: stratum.name.clone(),
            more: each.saturating_sub(Counts::of(stratum).test[1]),
        })
        .filter(|at| at.more > 0)
        .collect();
    let more = at.iter().map(|at| at.more).sum();
    Ok((more > 0).then_some(Deciding::MoreWithoutStall { more, at, below: rules.fixed_below }))
}

/// So many boots or stretches a side, with as many trials in all as the cell with most has now.
fn more_units(units: &Units, per_side: u64, rules: Rules) -> Result<Deciding, StatError> {
    let trials = units.strata().iter().flatten().map(|[_, n]| *n).max().unwrap_or(0);
    Ok(Deciding::MoreUnits {
        unit: units.unit,
        per_side,
        trials_each: trials.div_ceil(per_side.max(1)).max(1),
        for_the_bound: none_of_n::trials(rules.fixed_below, rules.level)?.n,
    })
}

fn undecided(
    strata: &[Stratum],
    units: &Units,
    rules: Rules,
) -> Result<Option<Deciding>, StatError> {
    let rates = |counts: &Counts| {
        [counts.base, counts.test].map(|[k, n]| if n == 0 { 0.0 } else { k as f64 / n as f64 })
    };
    // The most telling cell is the one where the standardised difference a trial is largest.
    let telling = |[base, test]: [f64; 2]| {
        let mean = 0.5 * (base + test);
        let spread = mean * (1.0 - mean);
        if spread > 0.0 { (base - test) * (base - test) / spread } else { 0.0 }
    };
    let compared = strata.iter().enumerate().filter(|(_, stratum)| stratum.is_compared());
    let best = compared
        .map(|(at, stratum)| (at, stratum, Counts::of(stratum)))
        .max_by(|(_, _, a), (_, _, b)| telling(rates(a)).total_cmp(&telling(rates(b))));
    let Some((at, stratum, counts)) = best else { return Ok(None) };
    let [base, test] = rates(&counts);
    // Half of it in z² a trial, at 5 % and 80 %: 15.7 / telling, the textbook number.
    let about = 2.0 * 7.85 / telling([base, test]);
    let needed = match about {
        _ if base == test || about > MOST => None,
        _ if about > MOST_EXACT => Some((about.ceil() as u64, POWER)),
        _ => planned(base, test, rules)?,
    };
    if let (Some((n, _)), true) = (needed, units.unit != Unit::Trial) {
        // As many more as the units' own differences widen the comparison.
        let factor = variance_factor(&units.clusters, None, rules.level);
        let each = counts.base[1].min(counts.test[1]).max(1) as f64
            / units.counted().base.min(units.counted().test).max(1) as f64;
        let per_side = (n as f64 * factor.min(each.max(1.0)) / each).ceil().max(ADVISED as f64);
        return Ok(Some(more_units(units, per_side as u64, rules)?));
    }
    Ok(Some(match needed {
        Some((n_per_side, power)) => Deciding::MoreTrials {
            stratum: at,
            name: stratum.name.clone(),
            more_per_side: n_per_side.saturating_sub(counts.base[1].min(counts.test[1])).max(1),
            n_per_side,
            power,
            is_approximate: about > MOST_EXACT,
            rates: [base, test],
        },
        None => {
            // The base's rate where it stalls most often.
            let highest = strata
                .iter()
                .filter(|stratum| stratum.is_compared())
                .map(|stratum| rates(&Counts::of(stratum))[0])
                .fold(0.0, f64::max);
            let halved = highest * rules.relevant_ratio;
            let within = highest > 0.0 && telling([highest, halved]) * MOST_EXACT > 2.0 * 7.85;
            Deciding::TooMany {
                name: stratum.name.clone(),
                rates: [base, test],
                for_a_halving: match within {
                    true => planned(highest, halved, rules)?.map(|(n, _)| n),
                    false => None,
                },
            }
        }
    }))
}

/// Trials a side for Fisher's test to tell two rates apart, with the exact power; `None` beyond reach.
fn planned(base: f64, test: f64, rules: Rules) -> Result<Option<(u64, f64)>, StatError> {
    let design = Design::new(base, test, PowerTest::Fisher, rules.level, Alternative::TwoSided)?;
    match trials(&design, POWER) {
        Ok(found) => Ok(Some((found.n_per_side, found.power))),
        Err(StatError::Domain { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_of_24_against_none_needs_22_more() {
        let (n, power) = planned(4.0 / 24.0, 0.0, Rules::default()).unwrap().unwrap();
        assert_eq!(n, 46);
        assert!((0.8..0.82).contains(&power), "{power}");
    }

    #[test]
    fn rates_that_nothing_tells_apart_are_beyond_reach() {
        assert_eq!(planned(0.5, 0.499, Rules::default()).unwrap(), None);
    }
}
