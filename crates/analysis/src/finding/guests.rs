//! That the trials ran in guests, whose throughput is not a machine's.

use serde::Serialize;

use super::Tables;
use crate::run::Run;

/// Trials ran in guests.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Guests {
    /// The accelerators, sorted.
    pub accelerators: Vec<String>,
    /// Whether the rule judges by throughput.
    pub by_throughput: bool,
}

pub(super) fn guests(tables: &Tables) -> Option<Guests> {
    let runs: Vec<&Run> = tables.data.runs.iter().filter(|run| run.in_lab()).collect();
    let mut accelerators: Vec<String> =
        runs.iter().flat_map(|run| run.accelerators()).map(str::to_string).collect();
    accelerators.sort();
    accelerators.dedup();
    let by_throughput = tables.rule.is_by_throughput();
    (!runs.is_empty()).then_some(Guests { accelerators, by_throughput })
}
