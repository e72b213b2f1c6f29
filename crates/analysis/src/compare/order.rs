//! In which order the two sides were measured: a machine drifts, and what follows is not what went
//! before.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::sides::{Sides, Which};

/// How the sides lie in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Both sides in the same blocks of the same runs.
    Interleaved,
    /// Runs of the sides in turns.
    Alternating,
    /// All of one side, then all of the other.
    OneAfterTheOther,
    /// Runs of both sides at the same time.
    AtTheSameTime,
    /// Some trials in common blocks, some not.
    PartlyInterleaved,
    /// The source does not say when.
    Unknown,
}

/// Of a comparison.
pub fn of(sides: &Sides) -> Order {
    let mut blocks: BTreeMap<(usize, u64), BTreeSet<Which>> = BTreeMap::new();
    let mut runs: BTreeMap<usize, BTreeSet<Which>> = BTreeMap::new();
    for side in Which::BOTH {
        for (_, trial) in sides.trials(side) {
            blocks.entry((trial.run, trial.block)).or_default().insert(side);
            runs.entry(trial.run).or_default().insert(side);
        }
    }
    let no_blocks = |at: &usize| {
        let run = sides.data.runs.get(*at).filter(|run| run.is_imported());
        run.is_some_and(|run| !run.definition.import.as_ref().is_some_and(|import| import.blocks))
    };
    let both = blocks.values().filter(|sides| sides.len() == 2).count();
    // The blocks of a source that says none are made up.
    if runs.keys().any(no_blocks) {
        return Order::Unknown;
    }
    // The last block of a run that was stopped may have one side only.
    if both > 0 && both + runs.len() >= blocks.len() {
        return Order::Interleaved;
    }
    if runs.values().any(|sides| sides.len() == 2) {
        return Order::PartlyInterleaved;
    }
    // UTC in one format: texts compare as times do.
    let mut spans: Vec<(&str, &str, Which)> = Vec::new();
    for (at, on) in &runs {
        let Some(run) = sides.data.runs.get(*at) else { return Order::Unknown };
        let Some(side) = on.iter().next() else { return Order::Unknown };
        let start = run.manifest.started_at.as_str();
        let end = run.manifest.ended_at.as_deref().unwrap_or(start);
        if start.is_empty() {
            return Order::Unknown;
        }
        spans.push((start, end, *side));
    }
    spans.sort();
    let overlap = spans.windows(2).any(|two| two[0].2 != two[1].2 && two[1].0 < two[0].1);
    if overlap {
        return Order::AtTheSameTime;
    }
    let turns = spans.windows(2).filter(|two| two[0].2 != two[1].2).count();
    if turns > 1 { Order::Alternating } else { Order::OneAfterTheOther }
}
