//! `experiments resume RUN`.

use std::io::Write;
use std::path::PathBuf;
use std::time::SystemTime;

use campaign::executor::Stop;
use campaign::{resume, utc};
use clap::Args;
use kernel_abi::signal::Interrupt;
use model::manifest::{Origin, Resumed};
use records::journal::{Look, RunLock};

use super::planning::plan;
use super::run::{Going, go, say};
use crate::failure::{Failure, Outcome};
use crate::place::Place;
use crate::site::ThisSite;
use crate::words::counted;

/// Go on where a run stopped
///
/// Does the trials that are missing, in the planned order. A torn last row of `trials.csv` is
/// taken out and its trial run again; what is torn off the samples or metrics of a finished trial is
/// taken out, and recorded in the manifest. A run whose definition, kernel or CPUs changed since it was
/// started is refused; --force goes on and records the change in the manifest.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  experiments resume data/runs/race-sweep-20260824-180337")]
pub struct ResumeArgs {
    /// The folder of the run
    run: PathBuf,
    /// Go on though something changed, and record it
    #[arg(long)]
    force: bool,
    /// Leave out figures and report
    #[arg(long)]
    no_report: bool,
    /// Print the analysis as JSON
    #[arg(long)]
    json: bool,
}

/// Goes on.
pub fn run(args: ResumeArgs, verbose: u8, out: &mut dyn Write) -> Outcome {
    let request = |error: &dyn std::fmt::Display| Failure::Request(error.to_string());
    let manifest = records::manifest::read(&args.run)?;
    if manifest.executor == Origin::Imported {
        return Err(Failure::Request(format!(
            "{run} was imported from {}: its trials were done elsewhere, and there is nothing to go on with here. `experiments report {run}` reads it",
            manifest.source.from,
            run = args.run.display()
        )));
    }
    // And again under the lock: until then another runner may have been changing it.
    let lock = RunLock::of_run(&args.run)?;
    let mut manifest = lock.manifest()?;
    let here = ThisSite::look()?;
    let place = Place::of_run(&manifest, &here)?;
    let mut changes = resume::changes(&manifest, &here.machine);
    changes.extend(place.changes(&manifest));
    if !changes.is_empty() && !args.force {
        return Err(Failure::Request(format!(
            "{} can't be gone on with as the same run: {}. Start a new run, or go on with --force: the change is then recorded",
            args.run.display(),
            changes.join("; ")
        )));
    }
    let definition = resume::definition(&args.run).map_err(|error| request(&error))?;
    // The plan is the one that was begun, also where the machine has changed since.
    let site = campaign::plan::Site {
        cpus: manifest.kernels.first().and_then(|kernel| kernel.cpus).unwrap_or(here.site.cpus),
        kernels: manifest.kernels.iter().map(|kernel| kernel.name.clone()).collect(),
    };
    let mut plan = plan(&definition, &site, |plan| place.check(plan))?;
    if let Err(error) = resume::same_plan(&args.run, &plan) {
        // It may have begun where fewer guests fitted.
        plan.by_kernel(&site.kernels);
        resume::same_plan(&args.run, &plan).map_err(|_| request(&error))?;
    }
    resume::rows_are_planned(&args.run, &plan).map_err(|error| request(&error))?;
    let look = Look::at(lock)?;
    let stop = Stop::by_signals(
        Interrupt::install()
            .map_err(|errno| Failure::Running(format!("Ctrl-C can't be caught: {errno}")))?,
    );
    let first_boot = crate::place::next_boot(&args.run);
    let identity = look.journal().identity()?;
    let mut executor = place.executor(&args.run, identity, definition.trials, first_boot)?;
    // All is checked: from here on the run is changed.
    let mut resumed = Resumed {
        at: utc::rfc3339_ms(SystemTime::now()),
        boot_id: kernel_abi::machine::Machine::read().boot_id,
        changes,
        torn: look.torn.as_ref().map(|torn| torn.text.clone()),
        cut: look.cut.iter().map(report::say::torn::cut).collect(),
    };
    let resumed_before = manifest.resumed.len();
    if !resumed.cut.is_empty() {
        // Before the lines are gone.
        manifest.resumed.push(resumed.clone());
        look.journal().write_manifest(&manifest)?;
    }
    if resumed.changes.iter().any(|change| change.starts_with("the definition")) {
        say("note: the run goes on with the definition that it was started with");
    }
    if let Some(torn) = &look.torn {
        let file = args.run.join("trials.csv");
        say(&format!("note: {}", report::say::torn::trial_runs_again(torn, &file)));
    }
    for cut in &resumed.cut {
        say(&format!("note: {cut}; the manifest keeps this note"));
    }
    let finished = look.finished.clone();
    let mut journal = look.reopen()?;
    let left = plan.trials.len().saturating_sub(finished.len());
    say(&format!(
        "{}: {} done, {left} to do; {}",
        definition.name,
        counted(finished.len() as u64, "trial"),
        args.run.display()
    ));
    if left > 0 {
        manifest.ended_at = None;
        manifest.resumed.truncate(resumed_before);
        resumed.at = utc::rfc3339_ms(SystemTime::now());
        manifest.resumed.push(resumed);
        manifest.disturbances.extend(here.disturbances());
        journal.write_manifest(&manifest)?;
    }
    go(
        Going {
            definition: &definition,
            plan: &plan,
            finished: &finished,
            executor: executor.as_mut(),
            journal: &mut journal,
            manifest: &mut manifest,
            stop: &stop,
            verbose,
            report: !args.no_report,
            json: args.json,
        },
        out,
    )
}
