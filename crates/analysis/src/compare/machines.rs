//! Whether both sides ran on the same machine, stratum by stratum: on different ones, a difference may
//! be the machine's.

use std::collections::BTreeSet;

use serde::Serialize;

use super::sides::{Sides, Which, labels};
use super::strata::{Stratum, Tally};

/// The machines of both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Machines {
    /// Those of the base side.
    pub base: Vec<String>,
    /// Those of the test side.
    pub test: Vec<String>,
    /// Strata in which the sides ran on different machines. None where machines are what is compared.
    pub confounded: Vec<String>,
    /// Strata in which a side's machine is not known.
    pub unknown: Vec<String>,
}

/// Of the strata.
pub fn of(sides: &Sides, strata: &[Stratum]) -> Machines {
    let mut all: [BTreeSet<String>; 2] = Default::default();
    let (mut confounded, mut unknown) = (Vec::new(), Vec::new());
    for stratum in strata {
        let here = [Which::Base, Which::Test].map(|side| names(sides, stratum.side(side)));
        for (all, here) in all.iter_mut().zip(&here) {
            all.extend(here.iter().flatten().cloned());
        }
        if here.iter().any(|names| names.contains(&None)) {
            unknown.push(stratum.name.clone());
        } else if here[0] != here[1] && sides.by.as_deref() != Some("machine") {
            confounded.push(stratum.name.clone());
        }
    }
    let [base, test] = all.map(|names| names.into_iter().collect());
    Machines { base, test, confounded, unknown }
}

/// The label `machine` where there is one; else what the manifest says of the CPU.
fn names(sides: &Sides, tally: &Tally) -> BTreeSet<Option<String>> {
    let name = |at: &usize| {
        let trial = sides.data.trials.get(*at)?;
        let run = sides.data.runs.get(trial.run)?;
        let labelled = sides.data.cells.get(trial.cell).and_then(|cell| {
            labels(cell).remove("machine").or_else(|| run.manifest.labels.get("machine").cloned())
        });
        let model = || {
            let machine = &run.manifest.machine;
            let model = machine.cpu_model.as_ref()?;
            Some(format!("{model}, {} CPUs", machine.cpus_online))
        };
        labelled.or_else(model)
    };
    tally.members.iter().map(name).collect()
}
