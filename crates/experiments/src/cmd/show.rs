//! `experiments show NAME|FILE`.

use std::io::Write;

use campaign::plan::{Cell, Plan};
use clap::Args;
use model::definition::Definition;
use serde_json::json;

use super::planning::{PlanningArgs, plan};
use super::stat::table::Table;
use crate::elsewhere;
use crate::failure::Outcome;
use crate::place::LabArgs;
use crate::site::ThisSite;
use crate::words::{counted, expected_in_words};

/// Show the plan of an experiment; nothing is run
///
/// The cells, how many trials, their order, and the time they should take on this machine (or in
/// the lab, with --kernel). Where `run` would refuse the plan as this machine is now, that is said behind
/// it, and the exit status is that of `run`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  experiments show race-sweep\n  experiments show race-sweep --set threads=8,16 --set hash=auto,global --seed 7"
)]
pub struct ShowArgs {
    #[command(flatten)]
    planning: PlanningArgs,
    #[command(flatten)]
    lab: LabArgs,
    /// Print the plan as JSON
    #[arg(long)]
    json: bool,
}

/// Prints the plan.
pub fn run(args: ShowArgs, out: &mut dyn Write) -> Outcome {
    let (entry, mut definition) = args.planning.definition()?;
    let judged = args.lab.rule_in(&mut definition, args.planning.stall.is_some());
    let site = args.lab.planned_site()?;
    let mut plan = plan(&definition, &site, |_| Ok(()))?;
    plan.notes.extend(judged);
    if !args.lab.is_asked_for() && !args.lab.here {
        let elsewhere = elsewhere::look(&definition, &ThisSite::look()?);
        plan.notes.extend(elsewhere.map(|elsewhere| elsewhere.note(&definition.name)));
    }
    plan.notes.extend(args.lab.fewer_boots(definition.trials));
    // A plan can be looked at anywhere. That `run` would refuse it is said with it, and is the
    // status of both.
    let refusal = args.lab.check_now(&definition, &plan);
    if let Err(refusal) = &refusal {
        plan.notes.push(format!("`run` refuses it here: {refusal}"));
    }
    let seconds = plan.expected().seconds();
    if args.json {
        let rows: Vec<_> = plan.trials.iter().map(|planned| planned.row()).collect();
        let cells: Vec<_> = plan
            .cells
            .iter()
            .map(|cell| {
                json!({
                    "kernel": cell.kernel, "labels": cell.labels, "spec": cell.spec,
                })
            })
            .collect();
        writeln!(
            out,
            "{:#}",
            json!({
                "name": definition.name, "from": entry.from, "title": definition.title,
                "question": definition.question, "seed": definition.seed, "definition": definition,
                "notes": plan.notes, "expected_s": seconds, "boots": args.lab.boots(&plan),
                "cells": cells, "trials": rows,
            })
        )?;
        out.flush()?;
        return refusal;
    }
    writeln!(out, "{}: {}", definition.name, definition.title)?;
    for line in definition.question.lines() {
        writeln!(out, "  {line}")?;
    }
    writeln!(out)?;
    writeln!(
        out,
        "{} × {} = {}, {} of load each; {} in all{}, seed {}",
        counted(plan.cells.len() as u64, "cell"),
        counted(definition.trials, "block"),
        counted(plan.trials.len() as u64, "trial"),
        stats::words::seconds(definition.duration.seconds()),
        expected_in_words(&plan, args.lab.stretch()),
        args.lab.boots_in_words(&plan),
        definition.seed,
    )?;
    let control = definition.control().map_or_else(|| "none".to_string(), |it| it.to_string());
    writeln!(out, "stalled: {}; control: {control}", definition.outcome.stall)?;
    for note in &plan.notes {
        writeln!(out, "note: {note}")?;
    }
    writeln!(out)?;
    write!(out, "{}", cells(&definition, &plan).render())?;
    let placed = args.lab.placements(&plan).unwrap_or_default();
    if !placed.is_empty() {
        writeln!(out, "\nWhich CPUs each thread gets:")?;
        for line in placed {
            writeln!(out, "  {line}")?;
        }
    }
    writeln!(out, "\nOrder of the cells, a block a line:")?;
    for block in plan.trials.chunks(plan.cells.len().max(1)) {
        let order: Vec<String> = block.iter().map(|planned| planned.cell.to_string()).collect();
        writeln!(out, "  {}", order.join(" "))?;
    }
    out.flush()?;
    refusal
}

fn text(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// The cells, with the columns in which they differ or that everyone asks for.
fn cells(definition: &Definition, plan: &Plan) -> Table {
    type Column = (&'static str, fn(&Cell) -> String);
    let columns: [Column; 11] = [
        ("workload", |cell| cell.spec.workload().to_string()),
        ("threads", |cell| cell.spec.threads.to_string()),
        ("ramp", |cell| cell.spec.ramp.to_string()),
        ("hash", |cell| cell.spec.hash.to_string()),
        ("placement", |cell| cell.spec.placement.to_string()),
        ("memory", |cell| cell.spec.memory.to_string()),
        ("locks", |cell| text(cell.spec.task.columns().locks)),
        ("unlock", |cell| text(cell.spec.task.columns().unlock)),
        ("messengers", |cell| text(cell.spec.task.columns().messengers)),
        ("kernel", |cell| cell.kernel.clone()),
        ("labels", |cell| cell.labels.clone()),
    ];
    let asked_for = ["workload", "threads", "ramp", "hash"];
    let shown: Vec<&Column> = columns
        .iter()
        .filter(|(name, of)| {
            let first = plan.cells.first().map(of);
            asked_for.contains(name) || plan.cells.iter().any(|cell| Some(of(cell)) != first)
        })
        .collect();
    let mut header = vec!["cell"];
    header.extend(shown.iter().map(|(name, _)| *name));
    header.push("");
    let mut table = Table::new(&header).left(header.len());
    let control = definition.control();
    for (index, cell) in plan.cells.iter().enumerate() {
        let mut row = vec![(index + 1).to_string()];
        row.extend(shown.iter().map(|(_, of)| of(cell)));
        let is_control = control.as_ref().is_some_and(|of| cell.spec.text(of.factor) == of.value);
        row.push(if is_control { "control".to_string() } else { String::new() });
        table.row(row);
    }
    table
}
