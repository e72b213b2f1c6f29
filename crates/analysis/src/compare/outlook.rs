//! Readable probability: how probable it is that the test side's rate is below the bound, and below the
//! base's, and how many of the next trials may stall.

use super::units::{Unit, Units};
use super::verdict::Rules;
use stats::StatError;
use stats::posterior::{Posterior, posterior};

/// The trials to come that are asked about.
pub const NEXT: u64 = 20;

/// Over the strata where the base stalled, each with the same weight. Where boots or stretches are the units,
/// each counts as one trial with its share of stalls. `None` with too few units, or where the base never
/// stalled.
pub fn of(units: &Units, rules: Rules, seed: u64) -> Result<Option<Posterior>, StatError> {
    let strata = units.strata();
    let at_risk: Vec<usize> = (0..strata.len()).filter(|at| strata[*at][0][0] > 0).collect();
    if !units.are_enough() || at_risk.is_empty() {
        return Ok(None);
    }
    let side = |is_test: bool| -> Vec<[f64; 2]> {
        match units.unit {
            Unit::Trial => {
                let of = |at: &usize| strata[*at][usize::from(is_test)].map(|count| count as f64);
                at_risk.iter().map(of).collect()
            }
            Unit::Boot | Unit::Stretch => {
                let side = units.clusters.iter().filter(|cluster| cluster.is_test == is_test);
                let shares: Vec<f64> = side
                    .filter_map(|cluster| {
                        let here = at_risk.iter().filter_map(|at| cluster.strata.get(*at));
                        let here: Vec<[u64; 2]> = here.copied().filter(|[_, n]| *n > 0).collect();
                        let sum: f64 = here.iter().map(|[k, n]| *k as f64 / *n as f64).sum();
                        (!here.is_empty()).then(|| sum / here.len() as f64)
                    })
                    .collect();
                vec![[shares.iter().sum(), shares.len() as f64]]
            }
        }
    };
    posterior(&side(false), &side(true), rules.fixed_below, NEXT, rules.level, seed).map(Some)
}
