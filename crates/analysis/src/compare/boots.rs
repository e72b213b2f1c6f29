//! The boots that the trials of guests come from: trials of one boot share what that boot drew.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::sides::{Sides, Which};
use super::strata::Stratum;
use crate::outcome::Outcome;
use stats::multiplicity::holm;
use stats::{Level, StatError, clusters};

/// A side's boots.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SideBoots {
    /// How many; 0 where no trial ran in a guest, or its boot is not recorded.
    pub boots: u64,
    /// Whether the boots' stall probabilities differ within strata: the permutation test, adjusted by
    /// Holm over the sides. `None` where the counts can't tell.
    pub p_differ: Option<f64>,
}

/// The boots of both sides.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Boots {
    /// Of the base side.
    pub base: SideBoots,
    /// Of the test side.
    pub test: SideBoots,
}

/// Of the strata that are compared.
pub fn of(
    sides: &Sides,
    strata: &[Stratum],
    outcomes: &[Vec<Option<Outcome>>; 2],
    seed: u64,
) -> Result<Boots, StatError> {
    let mut found = [SideBoots::default(), SideBoots::default()];
    for side in Which::BOTH {
        let mut boots = BTreeSet::new();
        let mut counts: Vec<Vec<[u64; 2]>> = Vec::new();
        for stratum in strata.iter().filter(|stratum| stratum.is_compared()) {
            let mut here: BTreeMap<(usize, u64), [u64; 2]> = BTreeMap::new();
            for &at in &stratum.side(side).members {
                let Some(trial) = sides.data.trials.get(at) else { continue };
                let Some(boot) = trial.boot else { continue };
                boots.insert((trial.run, boot));
                let outcome = outcomes[side.at()].get(at).copied().flatten();
                let stalled = match outcome {
                    Some(Outcome::Stalled) => 1,
                    Some(Outcome::NotStalled) => 0,
                    _ => continue,
                };
                let count = here.entry((trial.run, boot)).or_default();
                *count = [count[0] + stalled, count[1] + 1];
            }
            counts.push(here.into_values().collect());
        }
        found[side.at()] = SideBoots {
            boots: boots.len() as u64,
            p_differ: clusters::test(&counts, seed)?.p_value,
        };
    }
    let known: Vec<f64> = found.iter().filter_map(|side| side.p_differ).collect();
    let mut adjusted = holm(&known)?.into_iter();
    for side in found.iter_mut().filter(|side| side.p_differ.is_some()) {
        side.p_differ = adjusted.next();
    }
    let [base, test] = found;
    Ok(Boots { base, test })
}

impl Boots {
    /// The sides whose boots are shown to differ, with the p-value.
    pub fn differing(&self, level: Level) -> impl Iterator<Item = (Which, f64)> {
        let both = Which::BOTH.into_iter().zip([&self.base, &self.test]);
        both.filter_map(|(side, of)| Some((side, of.p_differ?)))
            .filter(move |(_, p)| *p <= level.alpha())
    }
}
