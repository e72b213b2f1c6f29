//! `experiments run NAME|FILE`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use campaign::catalog::Entry;
use campaign::executor::{Executor, Stop};
use campaign::plan::Plan;
use campaign::resume::sha256;
use campaign::runner::{self, Ended};
use campaign::utc;
use clap::Args;
use kernel_abi::signal::{self, Interrupt};
use model::definition::Definition;
use model::manifest::{FORMAT, Kernel, Machine, Manifest, Origin, Source};
use records::journal::{self, Journal};
use report::neutral::Neutral;

use super::analyze::{analysis_failure, tell_files, write_tables};
use super::planning::{PlanningArgs, plan};
use super::report::report_failure;
use crate::elsewhere;
use crate::failure::{Failure, Outcome};
use crate::place::{LabArgs, Place};
use crate::progress::Progress;
use crate::site::ThisSite;
use crate::words::{counted, expected_in_words};

/// Run an experiment: plan, run, analyse, report
///
/// Every trial is a fresh process, and its row is on the disk before the next one starts. Ctrl-C
/// ends the trial in work and keeps all finished ones; `experiments resume` goes on.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  experiments run race-sweep --quick\n  experiments run race-sweep --trials 24 --label patch=v2 --out data/runs/v2\n  experiments run race-sweep --kernel debian:7.3 --cpus 32"
)]
pub struct RunArgs {
    #[command(flatten)]
    planning: PlanningArgs,
    #[command(flatten)]
    lab: LabArgs,
    /// The folder of the run; by default data/runs/NAME-YYYYMMDD-HHMMSS (UTC)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Leave out figures and report
    #[arg(long)]
    no_report: bool,
    /// Print the analysis as JSON
    #[arg(long)]
    json: bool,
}

/// Plans, runs, analyses and reports.
pub fn run(args: RunArgs, verbose: u8, out: &mut dyn Write) -> Outcome {
    let (entry, mut definition) = args.planning.definition()?;
    let here = ThisSite::look()?;
    // Before anything is said, installed or fetched.
    if let Some(folder) = &args.out {
        journal::free(folder)?;
    }
    let lab = elsewhere::choose(args.lab, &args.planning, &mut definition, &here)?;
    let judged = lab.rule_in(&mut definition, args.planning.stall.is_some());
    let place = lab.place(&here)?;
    let mut plan = plan(&definition, &place.site(), |plan| {
        place.check(plan)?;
        match place {
            Place::Here(_) => crate::site::check_program(&definition, plan),
            Place::Lab(_) => Ok(()),
        }
    })?;
    plan.notes.extend(judged);
    if !lab.is_asked_for() && !lab.here {
        let elsewhere = elsewhere::look(&definition, &here);
        plan.notes.extend(elsewhere.map(|elsewhere| elsewhere.note(&definition.name)));
    }
    plan.notes.extend(lab.fewer_boots(definition.trials));
    if place.in_turn() {
        plan.by_kernel(&place.site().kernels);
    }
    let started = SystemTime::now();
    let folder = match args.out {
        Some(folder) => folder,
        None => default_folder(&definition.name, started)?,
    };
    journal::free(&folder)?;

    let stop = Stop::by_signals(
        Interrupt::install()
            .map_err(|errno| Failure::Running(format!("Ctrl-C can't be caught: {errno}")))?,
    );
    let mut manifest =
        manifest(&entry, &definition, &plan, &here.machine, place.kernels(), started);
    manifest.executor = place.origin(definition.trials);
    manifest.disturbances.extend(here.disturbances());
    let mut journal = Journal::create(&folder, &manifest, &plan.rows())?;
    let mut executor = place.executor(&folder, journal.identity()?, definition.trials, 1)?;

    say(&format!(
        "{}: {}, {}{}; {}",
        definition.name,
        counted(plan.trials.len() as u64, "trial"),
        expected_in_words(&plan, lab.stretch()),
        lab.boots_in_words(&plan),
        folder.display()
    ));
    for note in &plan.notes {
        say(&format!("note: {note}"));
    }
    go(
        Going {
            definition: &definition,
            plan: &plan,
            finished: &BTreeSet::new(),
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

/// All that the trials of a run need, whether it begins or goes on.
pub struct Going<'a> {
    pub definition: &'a Definition,
    pub plan: &'a Plan,
    pub finished: &'a BTreeSet<u64>,
    pub executor: &'a mut dyn Executor,
    pub journal: &'a mut Journal,
    pub manifest: &'a mut Manifest,
    pub stop: &'a Stop,
    pub verbose: u8,
    pub report: bool,
    pub json: bool,
}

/// Does the trials that are missing, closes the manifest, and tells the result.
pub fn go(going: Going<'_>, out: &mut dyn Write) -> Outcome {
    let mut progress = Progress::new(
        going.definition,
        going.plan.trials.len() as u64,
        going.finished.len() as u64,
        going.verbose,
    );
    let (ended, result) = runner::run(
        going.definition,
        going.plan,
        going.finished,
        going.executor,
        going.journal,
        going.stop,
        &mut progress,
    );
    progress.clear();
    close(going.manifest, &ended);
    // Where it is now: somebody may have moved it.
    let folder = going.journal.place()?;
    let closed = going.journal.write_manifest(going.manifest);
    let planned = going.plan.trials.len() as u64;
    let kept = || {
        format!(
            "{} of {} are kept in {folder}; go on with: experiments resume {folder}",
            planned - ended.left,
            counted(planned, "trial"),
            folder = folder.display()
        )
    };
    if let Err(error) = result {
        return Err(Failure::Running(format!("{error}. {}", kept())));
    }
    closed?;
    for skipped in &ended.skipped {
        let tries = format!("`experiments resume {}` tries it again", folder.display());
        say(&format!("note: {} {tries}", report::say::unfinished::skipped(skipped)));
    }
    // What is written from here on is written whole: a signal may end it.
    going.stop.release();
    if going.stop.is_set() {
        let by = going.stop.signal().map_or_else(|| "a request".to_string(), signal::name);
        return Err(Failure::Running(format!("ended by {by}: {}", kept())));
    }
    tell(&folder, going.report, going.json, out)
}

/// Analyses a run and writes its tables and, if asked for, its report; tells the answer and where
/// each result is.
fn tell(folder: &Path, with_report: bool, json: bool, out: &mut dyn Write) -> Outcome {
    let runs = [folder.to_path_buf()];
    crate::threads::make_do()?;
    let analysis =
        analysis::analyze(&runs, &analysis::Options::default()).map_err(analysis_failure)?;
    let mut written = vec![folder.join("trials.csv")];
    written.extend(write_tables(&analysis, &folder.join("analysis"))?);
    if with_report {
        written.extend(report::write(&analysis, &folder.join("report")).map_err(report_failure)?);
    }
    if json {
        out.write_all(analysis.json().as_bytes())?;
    } else {
        write!(out, "{}", report::summary(&analysis, false))?;
        tell_files(&written, out)?;
    }
    out.flush()?;
    // All is written and told; a script must still see that nothing was measured.
    let failed = analysis.trials.iter().filter(|trial| !trial.is_ok()).count();
    if failed > 0 && failed == analysis.trials.len() {
        return Err(Failure::Running(format!(
            "{}: the column error of {} says why",
            match failed {
                1 => "the only trial failed".to_string(),
                failed => format!("all {failed} trials failed"),
            },
            folder.join("trials.csv").display()
        )));
    }
    Ok(())
}

fn close(manifest: &mut Manifest, ended: &Ended) {
    for disturbance in &ended.disturbances {
        if !manifest.disturbances.contains(disturbance) {
            manifest.disturbances.push(disturbance.clone());
        }
    }
    for seen in &ended.kernels {
        if let Some(kernel) = manifest.kernels.iter_mut().find(|kernel| kernel.name == seen.name) {
            *kernel = seen.clone();
        }
    }
    manifest.skipped = ended.skipped.clone();
    let skipped: u64 = ended.skipped.iter().map(|skipped| skipped.trials).sum();
    if ended.left == skipped {
        manifest.ended_at = Some(utc::rfc3339_ms(SystemTime::now()));
    }
}

fn manifest(
    entry: &Entry,
    definition: &Definition,
    plan: &Plan,
    machine: &Machine,
    kernels: Vec<Kernel>,
    started: SystemTime,
) -> Manifest {
    // What reads the run is to find its control there.
    let as_run = Definition { control: definition.control(), ..definition.clone() };
    Manifest {
        format: FORMAT,
        name: definition.name.clone(),
        // Of types that all have a JSON form.
        definition: serde_json::to_value(as_run).unwrap_or_default(),
        source: Source {
            from: entry.from.clone(),
            sha256: sha256(&entry.text),
            text: entry.text.clone(),
        },
        command_line: std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect(),
        versions: BTreeMap::from([(
            "stallscope".to_string(),
            env!("CARGO_PKG_VERSION").to_string(),
        )]),
        seed: definition.seed,
        planned: plan.trials.len() as u64,
        machine: machine.clone(),
        executor: Origin::ThisMachine,
        kernels,
        labels: definition.labels.clone(),
        started_at: utc::rfc3339_ms(started),
        ended_at: None,
        resumed: Vec::new(),
        disturbances: Vec::new(),
        skipped: Vec::new(),
    }
}

/// `data/runs/NAME-YYYYMMDD-HHMMSS`, with a number where two fall into one second. It is made, so
/// that the other one gets another.
pub fn default_folder(name: &str, started: SystemTime) -> Result<PathBuf, Failure> {
    let runs = Path::new("data/runs");
    let failed = |folder: &Path, error: io::Error| {
        Failure::Request(format!(
            "the run's folder {} can't be made: {error}. --out DIR says another",
            folder.display()
        ))
    };
    std::fs::create_dir_all(runs).map_err(|error| failed(runs, error))?;
    let base = format!("{name}-{}", utc::folder_stamp(started));
    let mut folder = runs.join(&base);
    let mut n = 2;
    loop {
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                folder = runs.join(format!("{base}-{n}"));
                n += 1;
            }
            Err(error) => return Err(failed(&folder, error)),
        }
    }
}

/// A line on standard error, for whoever watches.
pub fn say(line: &str) {
    let _ = writeln!(Neutral(io::stderr()), "{line}");
}
