//! Whether a run can be resumed: the same definition, kernels and CPUs, or what changed.

use std::collections::BTreeMap;
use std::path::Path;

use model::columns::{PLAN, TRIALS};
use model::manifest::{Machine, Manifest, Origin};
use records::RecordError;
use records::journal::plan_text;
use records::table::Table;
use sha2::{Digest, Sha256};

use crate::plan::Plan;
use model::definition::Definition;

/// SHA-256 of a text, in hexadecimal.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The definition that a run was started with. It is read from the manifest's text, so that a
/// value that can't be is told with its line.
pub fn definition(run: &Path) -> Result<Definition, RecordError> {
    #[derive(serde::Deserialize)]
    struct Part {
        definition: Definition,
    }
    let file = run.join(model::manifest::FILE);
    let text = std::fs::read_to_string(&file).map_err(|error| RecordError::Unreadable {
        file: file.clone(),
        reason: error.to_string(),
    })?;
    let with_what_next = |error| match error {
        RecordError::Row { file, line, problem } => RecordError::Row {
            file,
            line,
            problem: format!(
                "{problem}. Without its definition the run can be analysed and not gone on with"
            ),
        },
        other => other,
    };
    records::json::read::<Part>(&file, &text).map(|part| part.definition).map_err(with_what_next)
}

/// What differs between then and now, a sentence each. `machine` is where the runner runs now.
pub fn changes(manifest: &Manifest, machine: &Machine) -> Vec<String> {
    let mut changes = Vec::new();
    let from = &manifest.source.from;
    // A definition that was built in can only change with the program; a file may have been edited
    // or be gone. Gone is no change: the manifest holds it.
    if let Ok(text) = std::fs::read_to_string(from)
        && sha256(&text) != manifest.source.sha256
    {
        changes.push(format!("the definition {from} is not the one that the run was started with"));
    }
    let mut compare = |what: &str, then: &str, now: &str| {
        if then != now {
            changes.push(format!("{what} was {then} and is {now}"));
        }
    };
    let then = &manifest.machine;
    // In the lab the kernel under trial is the guest's.
    if manifest.executor == Origin::ThisMachine {
        compare("the kernel", &then.kernel_release, &machine.kernel_release);
        compare("the kernel's build", &then.kernel_version, &machine.kernel_version);
        compare("CPUs online", &then.cpus_online.to_string(), &machine.cpus_online.to_string());
        compare("the CPUs that may be used", &then.cpus_allowed, &machine.cpus_allowed);
    }
    changes
}

/// That `plan.csv` is this plan's, to the letter: the order that is gone on with must be the one
/// that was begun.
pub fn same_plan(run: &Path, plan: &Plan) -> Result<(), RecordError> {
    let file = run.join("plan.csv");
    let table = Table::read(&file, &PLAN)?;
    let problem = match table.torn {
        Some(_) => {
            "its last line is torn, and a plan is written whole before the first trial: put it back as it was written, or begin a new run"
        }
        None if table.text != plan_text(&plan.rows()) => {
            "it is not the plan that the manifest's definition and seed give: put it back as it was \
             written, or begin a new run"
        }
        None => return Ok(()),
    };
    Err(RecordError::Manifest { file, problem: problem.to_string() })
}

/// For a row that was not written so.
const WHAT_NEXT: &str = ". Set the row right, or take it out: its trial is then run again";

/// That every row of `trials.csv` is of a planned trial and has its place and factors: a row that
/// is not would be counted in a cell that it does not belong to.
pub fn rows_are_planned(run: &Path, plan: &Plan) -> Result<(), RecordError> {
    let file = run.join("trials.csv");
    let done = Table::read(&file, &TRIALS)?;
    let planned = Table::parse(&run.join("plan.csv"), plan_text(&plan.rows()).into_bytes(), &PLAN)?;
    let columns = |table: &Table| -> Vec<Vec<(usize, String)>> {
        PLAN.iter().map(|column| table.column(column.name)).collect()
    };
    let (done, planned) = (columns(&done), columns(&planned));
    let row = |table: &[Vec<(usize, String)>], at: usize| -> Vec<String> {
        table.iter().filter_map(|column| column.get(at)).map(|(_, cell)| cell.clone()).collect()
    };
    let trial = PLAN.iter().position(|column| column.name == "trial").unwrap_or_default();
    let places: BTreeMap<&String, usize> =
        planned[trial].iter().enumerate().map(|(at, (_, cell))| (cell, at)).collect();
    for (at, (line, number)) in done[trial].iter().enumerate() {
        let problem = match places.get(number) {
            None => format!("trial {number} is not in plan.csv{WHAT_NEXT}"),
            Some(place) => {
                let (found, expected) = (row(&done, at), row(&planned, *place));
                let differs =
                    PLAN.iter().zip(found.iter().zip(&expected)).find(|(_, (a, b))| a != b);
                let Some((column, (found, expected))) = differs else { continue };
                let column = column.name;
                format!(
                    "trial {number}: {column} is {found:?} and was planned as {expected:?}{WHAT_NEXT}"
                )
            }
        };
        return Err(RecordError::Row { file, line: *line, problem });
    }
    Ok(())
}
