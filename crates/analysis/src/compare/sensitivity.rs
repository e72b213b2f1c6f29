//! Sensitivity: what the verdict would be if the trials without an outcome had one, or if the disturbed
//! ones were left out.
//!
//! A trial without an outcome is in no count. If such trials are not like the others (a kernel that
//! crashes where it would have stalled), the counts mislead; the extremes say by how much.

use serde::Serialize;

use super::disturbance;
use super::order::Order;
use super::sides::{Sides, Which};
use super::strata::Stratum;
use super::units::{self, Units};
use super::verdict::{Kind, Rules, decide};
use crate::outcome::Outcome;
use stats::StatError;

/// One way of counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scenario {
    /// Trials without an outcome count as stalled on both sides.
    AllStalled,
    /// As not stalled on both sides.
    NoneStalled,
    /// As stalled on the test side, as not stalled on the base side.
    AgainstTest,
    /// As stalled on the base side, as not stalled on the test side.
    ForTest,
    /// Trials from which time was stolen are left out.
    WithoutDisturbed,
}

/// A verdict under a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sensitivity {
    /// How it was counted.
    pub scenario: Scenario,
    /// What the verdict would be.
    pub verdict: Kind,
    /// Whether that is another.
    pub changes: bool,
}

/// Whether the verdict is the same whatever the trials without an outcome would have been.
pub fn stands(found: &[Sensitivity]) -> bool {
    found.iter().all(|one| !one.changes || one.scenario == Scenario::WithoutDisturbed)
}

/// The verdicts under each scenario that applies.
pub fn of(
    sides: &Sides,
    strata: &[Stratum],
    order: Order,
    outcomes: &[Vec<Option<Outcome>>; 2],
    verdict: Kind,
    rules: Rules,
    seed: u64,
) -> Result<Vec<Sensitivity>, StatError> {
    let known = |side: Which, at: usize| match outcomes[side.at()].get(at).copied().flatten() {
        Some(Outcome::Stalled) => Some(true),
        Some(Outcome::NotStalled) => Some(false),
        _ => None,
    };
    let mut found = Vec::new();
    let mut add = |scenario, units: Units| -> Result<(), StatError> {
        if !units.strata().is_empty() {
            let kind = decide(&units, rules, seed)?.kind;
            found.push(Sensitivity { scenario, verdict: kind, changes: kind != verdict });
        }
        Ok(())
    };
    let compared = || strata.iter().filter(|stratum| !stratum.is_control);
    let missing = compared().any(|s| s.base.without_outcome() > 0 || s.test.without_outcome() > 0);
    if missing {
        for (scenario, of_base, of_test) in [
            (Scenario::AllStalled, true, true),
            (Scenario::NoneStalled, false, false),
            (Scenario::AgainstTest, false, true),
            (Scenario::ForTest, true, false),
        ] {
            let assumed = |side| if side == Which::Base { of_base } else { of_test };
            let stalled = |side, at| known(side, at).or(Some(assumed(side)));
            add(scenario, units::of(sides, strata, order, stalled))?;
        }
    }
    let disturbed = |at: usize| {
        let share = sides.data.trials.get(at).and_then(disturbance::share);
        share.is_some_and(|share| share > disturbance::STOLEN)
    };
    let any = compared().any(|stratum| {
        Which::BOTH.iter().any(|side| stratum.side(*side).members.iter().any(|at| disturbed(*at)))
    });
    if any {
        let stalled = |side, at| known(side, at).filter(|_| !disturbed(at));
        add(Scenario::WithoutDisturbed, units::of(sides, strata, order, stalled))?;
    }
    Ok(found)
}
