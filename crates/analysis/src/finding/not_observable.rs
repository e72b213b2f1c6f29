//! Trials that did their work and have no outcome.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Finding, Tables};
use crate::outcome::Reason;
use crate::series::Series;
use model::outcome::StallRule;

/// No trial of some series has an outcome, for the same reasons.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NotObservable {
    /// The names of the series.
    pub series: Vec<String>,
    /// Trials that did their work.
    pub trials: u64,
    /// Trials by why they have no outcome.
    pub reasons: BTreeMap<Reason, u64>,
    /// The rule by which trials were judged.
    pub rule: StallRule,
}

/// Some trials of a series have no outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartlyNotObservable {
    /// The series' name.
    pub series: String,
    /// Trials without an outcome.
    pub trials: u64,
    /// Trials that did their work.
    pub of: u64,
    /// Trials by why they have no outcome.
    pub reasons: BTreeMap<Reason, u64>,
}

fn reasons(tables: &Tables, series: &Series) -> BTreeMap<Reason, u64> {
    let mut reasons = BTreeMap::new();
    for (reason, count) in tables.cells_of(series).flat_map(|cell| &cell.not_observable) {
        *reasons.entry(*reason).or_default() += count;
    }
    reasons
}

pub(super) fn all(tables: &Tables, series: &Series) -> NotObservable {
    NotObservable {
        series: vec![series.name.clone()],
        trials: tables.worked(series),
        reasons: reasons(tables, series),
        rule: tables.rule.clone(),
    }
}

pub(super) fn partly(tables: &Tables, series: &Series) -> Option<PartlyNotObservable> {
    let reasons = reasons(tables, series);
    let trials = reasons.values().sum();
    (trials > 0).then(|| PartlyNotObservable {
        series: series.name.clone(),
        trials,
        of: tables.worked(series),
        reasons,
    })
}

/// Series without an outcome for the same reasons are one finding.
pub(super) fn together(found: Vec<Finding>) -> Vec<Finding> {
    let mut kept: Vec<Finding> = Vec::new();
    for finding in found {
        if let Finding::NotObservable(new) = &finding {
            let same = kept.iter_mut().find_map(|known| match known {
                Finding::NotObservable(known) if known.reasons.keys().eq(new.reasons.keys()) => {
                    Some(known)
                }
                _ => None,
            });
            if let Some(known) = same {
                known.series.extend(new.series.iter().cloned());
                known.trials += new.trials;
                for (reason, n) in &new.reasons {
                    *known.reasons.entry(*reason).or_default() += n;
                }
                continue;
            }
        }
        kept.push(finding);
    }
    kept
}
