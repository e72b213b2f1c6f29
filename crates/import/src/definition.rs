//! The definition and the manifest of an imported run: what the source and the one who imports say of
//! how its trials are to be read.

use std::collections::BTreeMap;

use model::as_run::Import;
use model::definition::{Control, Outcome};
use model::manifest::{FORMAT, Kernel, Machine, Manifest, Origin, Source};
use model::recovery::Recovery;
use serde::Serialize;

use crate::imported::Imported;

/// The definition in the manifest of an imported run; [`model::as_run::AsRun`] reads it.
#[derive(Debug, Clone, Serialize)]
pub struct ImportedDefinition {
    /// The experiment's name.
    pub name: String,
    /// A line for the report's head.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the source held besides the trials.
    pub import: Import,
    /// The rule by which a trial is stalled; `None` leaves it to what the source reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The control, where it is not the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// When a stalled trial counts as recovered.
    #[serde(skip_serializing_if = "Recovery::is_default")]
    pub recovery: Recovery,
}

/// The manifest of an imported run. `labels` stand in every row, and `kernel` is the one that was said
/// for every row.
pub fn manifest(
    definition: &ImportedDefinition,
    source: Source,
    command_line: Vec<String>,
    imported: &Imported,
    labels: &BTreeMap<String, String>,
    kernel: Option<&str>,
) -> Manifest {
    // What all trials agree on is the machine's; what they don't, or don't say, is not known.
    let common = |column: &str| {
        let mut cells = imported.trials.iter().map(|trial| trial.cells.get(column));
        let first = cells.next().flatten()?;
        cells.all(|cell| cell == Some(first)).then(|| first.to_string())
    };
    let number = |column: &str| common(column).and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut kernels: Vec<Kernel> = Vec::new();
    // Functional checks have no rows to say on which kernel they ran.
    let of_checks = kernel.filter(|_| imported.trials.is_empty());
    let of_trials = imported.trials.iter().filter_map(|trial| trial.cells.get("kernel"));
    for name in of_trials.chain(of_checks) {
        if !kernels.iter().any(|kernel| kernel.name == name) {
            kernels.push(Kernel { name: name.to_string(), ..Kernel::default() });
        }
    }
    Manifest {
        format: FORMAT,
        name: definition.name.clone(),
        // A struct of texts and numbers: this can't fail.
        definition: serde_json::to_value(definition).unwrap_or_default(),
        source,
        command_line,
        versions: BTreeMap::from([("stallscope".into(), env!("CARGO_PKG_VERSION").into())]),
        seed: 0,
        planned: imported.trials.len() as u64,
        machine: Machine {
            cpus_online: number("cpus"),
            nodes: number("nodes"),
            kernel_release: common("kernel").unwrap_or_default(),
            ..Machine::default()
        },
        executor: Origin::Imported,
        kernels,
        labels: labels.clone(),
        started_at: String::new(),
        ended_at: None,
        resumed: Vec::new(),
        disturbances: Vec::new(),
        skipped: Vec::new(),
    }
}
