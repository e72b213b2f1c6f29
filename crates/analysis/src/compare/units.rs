//! What is independent: boots, stretches of time, or trials.
//!
//! Trials of one boot share what that boot drew, and trials of one stretch of time share the machine's
//! state. Where such a group has trials of one side only, the groups are what can be counted. Where both
//! sides were measured in the same groups, what a group drew is the same for both, and trials are counted,
//! group by group.
//!
//! | measured | unit |
//! | --- | --- |
//! | both sides in the same blocks, each guest of one side | a boot of a guest |
//! | both sides in the same blocks, on one machine or in one guest | a trial |
//! | runs of one side each | a stretch: successive runs of one side on one machine |

use std::collections::BTreeMap;

use serde::Serialize;

use super::order::Order;
use super::sides::{Sides, Which, labels};
use super::strata::Stratum;
use crate::data::Trial;
use stats::clusters::Cluster;

/// Fewer units a side decide nothing: of four and four, a permutation test can hardly say anything at 5 %,
/// and one boot in five may be a bad one.
pub const FEWEST: u64 = 5;

/// The label that names a boot where the machine was booted by hand, or the source counts boots by itself.
pub const BOOT: &str = "boot";

/// What is independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Trials of both sides in the same blocks.
    Trial,
    /// Boots of guests, each of one side, in the same blocks.
    Boot,
    /// Stretches of time, each of one side.
    Stretch,
}

/// How many units there are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Counted {
    /// What is counted.
    pub unit: Unit,
    /// On the base side.
    pub base: u64,
    /// On the test side.
    pub test: u64,
    /// Trials a unit, in the mean over both sides.
    pub trials_each: f64,
}

/// The outcomes of the compared strata, unit by unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Units {
    /// What is independent.
    pub unit: Unit,
    /// Stalls and trials of each group, a cluster a side. Where trials are the units, clusters with the same
    /// place in `groups` are what both sides share; else each cluster is a unit.
    pub clusters: Vec<Cluster>,
    /// Beside the clusters: which group of trials each is of.
    pub groups: Vec<usize>,
}

impl Units {
    /// Independent trials, with counts of each stratum: stalls and trials of base and test.
    pub fn trials(strata: &[[[u64; 2]; 2]]) -> Units {
        let side = |is_test: bool| Cluster {
            is_test,
            strata: strata.iter().map(|sides| sides[usize::from(is_test)]).collect(),
        };
        Units { unit: Unit::Trial, clusters: vec![side(false), side(true)], groups: vec![0, 0] }
    }

    /// How many there are.
    pub fn counted(&self) -> Counted {
        let trials = |is_test: bool| -> u64 {
            let of = self.clusters.iter().filter(|of| of.is_test == is_test);
            of.flat_map(|of| &of.strata).map(|[_, n]| n).sum()
        };
        let clusters =
            |is_test: bool| self.clusters.iter().filter(|of| of.is_test == is_test).count() as u64;
        let all = trials(false) + trials(true);
        let (base, test) = match self.unit {
            Unit::Trial => (trials(false), trials(true)),
            Unit::Boot | Unit::Stretch => (clusters(false), clusters(true)),
        };
        let trials_each = all as f64 / (base + test).max(1) as f64;
        Counted { unit: self.unit, base, test, trials_each }
    }

    /// Whether they are enough to decide anything.
    pub fn are_enough(&self) -> bool {
        let counted = self.counted();
        self.unit == Unit::Trial || counted.base.min(counted.test) >= FEWEST
    }

    /// Stalls and trials of each stratum, base and test.
    pub fn strata(&self) -> Vec<[[u64; 2]; 2]> {
        let strata = self.clusters.iter().map(|of| of.strata.len()).max().unwrap_or(0);
        let mut sums = vec![[[0, 0], [0, 0]]; strata];
        for cluster in &self.clusters {
            for (sum, [k, n]) in sums.iter_mut().zip(&cluster.strata) {
                let side = &mut sum[usize::from(cluster.is_test)];
                *side = [side[0] + k, side[1] + n];
            }
        }
        sums
    }
}

/// The units of the compared strata, with the outcomes that `stalled` gives: `None` is a trial that does
/// not count. Units without a trial that counts are left out, and so are strata without any on one side.
pub fn of(
    sides: &Sides,
    strata: &[Stratum],
    order: Order,
    stalled: impl Fn(Which, usize) -> Option<bool>,
) -> Units {
    let compared: Vec<&Stratum> = strata.iter().filter(|stratum| !stratum.is_control).collect();
    let places = Places::of(sides, strata, order);
    let unit = places.unit;
    let mut counts: BTreeMap<(Key, bool), Vec<[u64; 2]>> = BTreeMap::new();
    for side in Which::BOTH {
        for (place, stratum) in compared.iter().enumerate() {
            for &at in &stratum.side(side).members {
                let Some(trial) = sides.data.trials.get(at) else { continue };
                let Some(stalled) = stalled(side, at) else { continue };
                let key = places.group(sides, trial);
                let of = counts.entry((key, side == Which::Test));
                let of = of.or_insert_with(|| vec![[0, 0]; compared.len()]);
                of[place] = [of[place][0] + u64::from(stalled), of[place][1] + 1];
            }
        }
    }
    let mut keys: Vec<Key> = counts.keys().map(|(key, _)| key.clone()).collect();
    keys.dedup();
    let mut units = Units { unit, clusters: Vec::new(), groups: Vec::new() };
    for ((key, is_test), strata) in counts {
        units.groups.push(keys.iter().position(|one| *one == key).unwrap_or(0));
        units.clusters.push(Cluster { is_test, strata });
    }
    // A stratum that one side has no outcome in is not compared.
    let keep: Vec<bool> =
        units.strata().iter().map(|[base, test]| base[1] > 0 && test[1] > 0).collect();
    for cluster in &mut units.clusters {
        let mut kept = keep.iter();
        cluster.strata.retain(|_| kept.next().copied().unwrap_or(false));
    }
    let has_trials: Vec<bool> =
        units.clusters.iter().map(|cluster| cluster.strata.iter().any(|[_, n]| *n > 0)).collect();
    let mut kept = has_trials.iter();
    units.clusters.retain(|_| kept.next().copied().unwrap_or(false));
    let mut kept = has_trials.iter();
    units.groups.retain(|_| kept.next().copied().unwrap_or(false));
    units
}

/// A group of trials that may share what it drew: a boot of a run, or a stretch.
pub type Key = (usize, Option<String>);

/// Where each trial belongs.
#[derive(Debug)]
pub struct Places {
    /// What is independent.
    pub unit: Unit,
    stretches: Vec<usize>,
}

impl Places {
    /// For the trials of these strata.
    pub fn of(sides: &Sides, strata: &[Stratum], order: Order) -> Places {
        let compared: Vec<&Stratum> = strata.iter().filter(|stratum| !stratum.is_control).collect();
        let unit = unit(sides, &compared, order);
        let stretches = match unit {
            Unit::Stretch => stretches(sides),
            Unit::Trial | Unit::Boot => Vec::new(),
        };
        Places { unit, stretches }
    }

    /// The group of a trial.
    pub fn group(&self, sides: &Sides, trial: &Trial) -> Key {
        match self.unit {
            Unit::Trial | Unit::Boot => (trial.run, boot(sides, trial)),
            Unit::Stretch => (self.stretches.get(trial.run).copied().unwrap_or(0), None),
        }
    }
}

/// The boot of a trial: of its guest, or by its label.
fn boot(sides: &Sides, trial: &Trial) -> Option<String> {
    let label = || sides.data.cells.get(trial.cell).and_then(|cell| labels(cell).remove(BOOT));
    trial.boot.map(|boot| boot.to_string()).or_else(label)
}

fn unit(sides: &Sides, compared: &[&Stratum], order: Order) -> Unit {
    if order != Order::Interleaved {
        return Unit::Stretch;
    }
    let mut boots: BTreeMap<(usize, Option<String>), [bool; 2]> = BTreeMap::new();
    for side in Which::BOTH {
        for stratum in compared {
            for trial in
                stratum.side(side).members.iter().filter_map(|at| sides.data.trials.get(*at))
            {
                boots.entry((trial.run, boot(sides, trial))).or_default()[side.at()] = true;
            }
        }
    }
    match boots.values().all(|sides| *sides == [true, true]) {
        true => Unit::Trial,
        false => Unit::Boot,
    }
}

/// Beside the runs: the stretch of each. Successive runs of one side on one machine are one stretch, since
/// nothing but the machine's drift lies between them; a run with trials of both sides is on its own.
fn stretches(sides: &Sides) -> Vec<usize> {
    let mut which: Vec<[bool; 2]> = vec![[false, false]; sides.data.runs.len()];
    for side in Which::BOTH {
        for (_, trial) in sides.trials(side) {
            which[trial.run][side.at()] = true;
        }
    }
    let mut by_machine: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, run) in sides.data.runs.iter().enumerate() {
        let cell = sides.data.trials.iter().find(|trial| trial.run == at).map(|trial| trial.cell);
        let label = cell.and_then(|cell| sides.data.cells.get(cell));
        let label = label.and_then(|cell| labels(cell).remove("machine"));
        let machine = label
            .or_else(|| run.manifest.labels.get("machine").cloned())
            .or_else(|| run.manifest.machine.cpu_model.clone());
        by_machine.entry(machine.unwrap_or_default()).or_default().push(at);
    }
    let mut found = vec![0; sides.data.runs.len()];
    let mut next = 0;
    for mut runs in by_machine.into_values() {
        // UTC in one format: texts compare as times do. Without a time, one side follows the other.
        runs.sort_by(|a, b| {
            let key = |at: &usize| (&sides.data.runs[*at].manifest.started_at, which[*at]);
            key(a).cmp(&key(b))
        });
        for (place, run) in runs.iter().enumerate() {
            let goes_on = place > 0 && which[runs[place - 1]] == which[*run];
            next += usize::from(!goes_on || which[*run] == [true, true]);
            found[*run] = next;
        }
    }
    found
}
