//! Strata: the cells that both sides have, but for what tells the sides apart.
//!
//! All factors must be the same, and the number of CPUs and nodes too, which are no factors because
//! a machine has what it has. A cell that only one side has is listed and used for nothing.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::error::CompareError;
use super::sides::{Sides, Which, labels};
use super::units::BOOT;
use crate::data::Trial;
use crate::factors::{Factors, telling};
use crate::outcome::{Outcome, Reason};
use model::definition::Control;
use model::factor::POLICY;
use stats::words::list;

/// A side's trials of one stratum, counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Tally {
    /// Trials that ended, in whatever way.
    pub trials: u64,
    /// Those that did not do their work.
    pub failed: u64,
    /// Those that stalled.
    pub stalled: u64,
    /// Those with an outcome: what `stalled` is counted of.
    pub observed: u64,
    /// Those that did their work and have no outcome, by the reason.
    pub not_observable: BTreeMap<Reason, u64>,
    /// How long they were to measure, in seconds, every value once.
    pub durations_s: Vec<f64>,
    #[serde(skip)]
    pub(super) members: Vec<usize>,
}

impl Tally {
    /// Trials without an outcome, failed or not observable.
    pub fn without_outcome(&self) -> u64 {
        self.trials - self.observed
    }

    fn count(&mut self, at: usize, trial: &Trial, outcome: Option<Outcome>) {
        self.members.push(at);
        self.trials += 1;
        match outcome {
            None => self.failed += 1,
            Some(Outcome::NotObservable(reason)) => {
                *self.not_observable.entry(reason).or_default() += 1;
            }
            Some(outcome) => {
                self.observed += 1;
                self.stalled += u64::from(outcome == Outcome::Stalled);
            }
        }
        if let Some(duration) = trial.duration_s.filter(|s| !self.durations_s.contains(s)) {
            self.durations_s.push(duration);
            self.durations_s.sort_by(f64::total_cmp);
        }
    }
}

/// A cell that both sides have.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stratum {
    /// What tells it from the other strata: `192 threads, linear:3s, machine=Graviton4`.
    pub name: String,
    /// What is the same on both sides. What tells the sides apart is empty.
    pub factors: Factors,
    /// CPUs online.
    pub cpus: Option<u64>,
    /// NUMA nodes.
    pub nodes: Option<u64>,
    /// Whether it is a control: it is no stratum of the efficacy, but of drift and
    /// cost.
    pub is_control: bool,
    /// The base side.
    pub base: Tally,
    /// The test side.
    pub test: Tally,
}

impl Stratum {
    /// A side's tally.
    pub fn side(&self, side: Which) -> &Tally {
        match side {
            Which::Base => &self.base,
            Which::Test => &self.test,
        }
    }

    /// Whether it says anything about stalls: no control, and outcomes on both sides.
    pub fn is_compared(&self) -> bool {
        !self.is_control && self.base.observed > 0 && self.test.observed > 0
    }
}

/// A cell that one side has alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OneSided {
    /// The side.
    pub side: Which,
    /// What tells it from the others.
    pub name: String,
    /// Its factors, without what tells the sides apart.
    pub factors: Factors,
    /// CPUs online.
    pub cpus: Option<u64>,
    /// NUMA nodes.
    pub nodes: Option<u64>,
    /// Its trials.
    pub trials: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that stalled.
    pub stalled: u64,
}

/// The strata, and what is left.
#[derive(Debug, Clone)]
pub struct Strata {
    /// Cells of both sides, in the order of tables.
    pub common: Vec<Stratum>,
    /// Cells of one side.
    pub one_sided: Vec<OneSided>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Shape {
    factors: Factors,
    cpus: Option<u64>,
    nodes: Option<u64>,
}

/// Matches the cells of both sides.
pub fn of(
    sides: &Sides,
    outcomes: &[Vec<Option<Outcome>>; 2],
    controls: [Option<&Control>; 2],
) -> Result<Strata, CompareError> {
    let mut at: HashMap<Shape, usize> = HashMap::new();
    let mut found: Vec<(Shape, [Tally; 2])> = Vec::new();
    for side in Which::BOTH {
        for (place, trial) in sides.trials(side) {
            let Some(shape) = shape(sides, trial) else { continue };
            let known = found.len();
            let here = *at.entry(shape.clone()).or_insert(known);
            if here == known {
                found.push((shape, Default::default()));
            }
            let outcome = outcomes[side.at()].get(place).copied().flatten();
            found[here].1[side.at()].count(place, trial, outcome);
        }
    }
    found.sort_by(|(a, _), (b, _)| {
        let size = |shape: &Shape| (shape.cpus, shape.nodes);
        a.factors.in_table_order(&b.factors).then_with(|| size(a).cmp(&size(b)))
    });
    if !found.iter().any(|(_, sides)| sides.iter().all(|side| side.trials > 0)) {
        return Err(no_common(&found));
    }
    let shapes: Vec<&Shape> = found.iter().map(|(shape, _)| shape).collect();
    let is_control = |shape: &Shape| controls.iter().any(|of| shape.factors.has(*of));
    let naming = Naming::of(&shapes, is_control);
    let mut strata = Strata { common: Vec::new(), one_sided: Vec::new() };
    for (shape, [base, test]) in &found {
        let name = naming.name(shape);
        let (factors, cpus, nodes) = (shape.factors.clone(), shape.cpus, shape.nodes);
        match (base.trials, test.trials) {
            (0, _) | (_, 0) => {
                let side = if test.trials == 0 { Which::Base } else { Which::Test };
                let tally = if side == Which::Base { base } else { test };
                let (trials, failed, stalled) = (tally.trials, tally.failed, tally.stalled);
                // In one list with the other cells, it has to be told from them.
                let name = match is_control(shape) {
                    true => format!("{name} (control)"),
                    false => name,
                };
                strata.one_sided.push(OneSided {
                    side,
                    name,
                    factors,
                    cpus,
                    nodes,
                    trials,
                    failed,
                    stalled,
                });
            }
            _ => strata.common.push(Stratum {
                name,
                is_control: is_control(shape),
                factors,
                cpus,
                nodes,
                base: base.clone(),
                test: test.clone(),
            }),
        }
    }
    if strata.common.iter().all(|stratum| stratum.is_control) {
        return Err(CompareError::OnlyControls {
            control: controls[0].map_or_else(String::new, |it| it.value.clone()),
        });
    }
    Ok(strata)
}

/// A trial's cell without what tells the sides apart, with its size.
fn shape(sides: &Sides, trial: &Trial) -> Option<Shape> {
    let mut factors = sides.data.cells.get(trial.cell)?.clone();
    let mut left = labels(&factors);
    for told in &sides.told_by {
        match told.key.as_str() {
            "kernel" => factors = factors.with("kernel", ""),
            key => {
                left.remove(key);
            }
        }
    }
    // A boot is a unit, and no factor.
    left.remove(BOOT);
    // Where sizes tell cells of the data set apart they are labels too; here they stand for
    // themselves.
    for (key, size) in [("cpus", trial.cpus), ("nodes", trial.nodes)] {
        let text = size.map_or_else(|| "unknown".to_string(), |n| n.to_string());
        if left.get(key) == Some(&text) {
            left.remove(key);
        }
    }
    let label = |(key, value): (&String, &String)| match value.as_str() {
        "" => key.clone(),
        value => format!("{key}={value}"),
    };
    let text: Vec<String> = left.iter().map(label).collect();
    let factors = factors.with("labels", &text.join(";"));
    Some(Shape { factors, cpus: trial.cpus, nodes: trial.nodes })
}

/// The factors of a trial's stratum: its cell's without what tells the sides apart.
pub(super) fn without_sides(sides: &Sides, trial: &Trial) -> Option<Factors> {
    let Shape { factors, cpus, nodes } = shape(sides, trial)?;
    // Guests of several sizes are several strata.
    let size = |n: Option<u64>| n.map_or_else(|| "unknown".to_string(), |n| n.to_string());
    let labels = format!("{};cpus={};nodes={}", factors.get("labels"), size(cpus), size(nodes));
    Some(factors.with("labels", &labels))
}

/// How strata are named: by what differs among them.
struct Naming {
    factors: Vec<&'static str>,
    labels: Vec<String>,
    cpus: bool,
    nodes: bool,
    policy: bool,
}

impl Naming {
    fn of(shapes: &[&Shape], is_control: impl Fn(&Shape) -> bool) -> Naming {
        let mut factors = telling(shapes.iter().map(|shape| &shape.factors));
        factors.retain(|factor| !["threads", POLICY, "labels"].contains(factor));
        let differ = |of: fn(&Shape) -> Option<u64>| {
            shapes.iter().any(|shape| Some(of(shape)) != shapes.first().map(|first| of(first)))
        };
        let all: Vec<BTreeMap<String, String>> =
            shapes.iter().map(|shape| labels(&shape.factors)).collect();
        let mut keys: Vec<String> = all.iter().flat_map(|labels| labels.keys().cloned()).collect();
        keys.sort();
        keys.dedup();
        keys.retain(|key| all.iter().any(|labels| labels.get(key) != all[0].get(key)));
        let compared = shapes.iter().filter(|shape| !is_control(shape));
        let mut policies: Vec<&str> = compared.map(|shape| shape.factors.get(POLICY)).collect();
        policies.sort_unstable();
        policies.dedup();
        Naming {
            factors,
            labels: keys,
            cpus: differ(|shape| shape.cpus),
            nodes: differ(|shape| shape.nodes),
            policy: policies.len() > 1,
        }
    }

    fn name(&self, shape: &Shape) -> String {
        let threads = shape.factors.threads();
        let mut parts = vec![stats::words::counted(threads, "thread", "threads")];
        if self.cpus {
            parts.push(match shape.cpus {
                Some(n) => format!("{n} CPUs"),
                None => "CPUs unknown".to_string(),
            });
        }
        if self.nodes {
            parts.push(match shape.nodes {
                Some(n) => stats::words::counted(n, "node", "nodes"),
                None => "nodes unknown".to_string(),
            });
        }
        let texts = self.factors.iter().map(|factor| shape.factors.get(factor).to_string());
        parts.extend(texts.filter(|text| !text.is_empty()));
        let mut own = labels(&shape.factors);
        for key in &self.labels {
            parts.extend(own.remove(key).map(|value| format!("{key}={value}")));
        }
        if self.policy {
            parts.push(shape.factors.get(POLICY).to_string());
        }
        parts.join(", ")
    }
}

/// In what the nearest cells of both sides differ.
fn no_common(found: &[(Shape, [Tally; 2])]) -> CompareError {
    let of = |side: Which| {
        found
            .iter()
            .filter(move |(_, tallies)| tallies[side.at()].trials > 0)
            .map(|(shape, _)| shape)
    };
    let differ = |a: &Shape, b: &Shape| -> Vec<String> {
        let mut differ: Vec<String> = a
            .factors
            .iter()
            .zip(b.factors.iter())
            .filter(|((_, x), (_, y))| x != y)
            .map(|((factor, x), (_, y))| {
                let shown = |text: &str| match text {
                    "" => "none".to_string(),
                    text => text.to_string(),
                };
                format!("{factor} ({} and {})", shown(x), shown(y))
            })
            .collect();
        let size = |n: Option<u64>| n.map_or_else(|| "unknown".to_string(), |n| n.to_string());
        for (name, x, y) in [("CPUs", a.cpus, b.cpus), ("nodes", a.nodes, b.nodes)] {
            if x != y {
                differ.push(format!("{name} ({} and {})", size(x), size(y)));
            }
        }
        differ
    };
    let pairs = of(Which::Base).flat_map(|a| of(Which::Test).map(move |b| (a, b)));
    match pairs.min_by_key(|(a, b)| differ(a, b).len()) {
        Some((a, b)) => CompareError::NoCommonStratum {
            base: format!("({})", a.factors),
            test: format!("({})", b.factors),
            differ: list(&differ(a, b)),
        },
        None => CompareError::NoSide { side: Which::Base },
    }
}
