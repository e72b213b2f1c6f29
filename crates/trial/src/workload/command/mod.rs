//! `command`: another program is the workload.
//!
//! The trial's process starts it, waits for it, reads its throughput from what it printed, and
//! ends whatever it left running. What the program does is its own matter; what it runs under is
//! not: placement, memory policy and time limit are those of any trial, and the hash policy is set
//! inside of it by a preloaded library (see [`futex_hash`]), because the hash belongs to the address
//! space and exec makes a new one.

pub mod futex_hash;
pub mod output;
pub mod program;

use std::fs::File;
use std::process::{Command, Stdio};
use std::time::Duration;

use kernel_abi::clock;
use kernel_abi::memory_file;
use kernel_abi::process::{self, Ending, Setup, Waited};
use kernel_abi::process_tree::{descendants, end_descendants};
use kernel_abi::signal::{self, Interrupt};
use kernel_abi::steal::Steal;
use kernel_abi::topology::placement::Assignment;

use crate::prepare::Prepared;
use model::record::{Status, TrialRecord};
use model::spec::TrialSpec;
use model::workload::command::Command as CommandSpec;

use futex_hash::{Inside, Order};

/// How much of a failed program's last words is kept.
const SAID_AT_MOST: usize = 300;

/// Runs the program.
pub fn run(spec: &TrialSpec, command: &CommandSpec, prepared: &Prepared) -> TrialRecord {
    let mut record = prepared.record(Status::Ok);
    if let Err((status, error)) = run_into(spec, command, prepared, &mut record) {
        record.take_back(status, error);
    }
    record
}

/// How long a process that was killed has to be gone.
const GONE_WITHIN: Duration = Duration::from_secs(10);

/// How often it is looked at how much a program has printed: one that floods must not fill the memory.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

type Failure = (Status, String);

fn refused(error: impl ToString) -> Failure {
    (Status::Refused, error.to_string())
}

fn crashed(error: impl ToString) -> Failure {
    (Status::Crashed, error.to_string())
}

fn run_into(
    spec: &TrialSpec,
    command: &CommandSpec,
    prepared: &Prepared,
    record: &mut TrialRecord,
) -> Result<(), Failure> {
    let order = Order::new(spec.hash).map_err(refused)?;
    let path = program::find(command).map_err(refused)?;
    if order.asks() {
        program::can_be_preloaded(&path).map_err(refused)?;
    }
    let reader = output::Reader::new(&command.throughput).map_err(refused)?;
    let mut inside = Inside::new(&order).map_err(refused)?;

    let temporary = |what: &str, error: &dyn std::fmt::Display| {
        refused(format!("a file in memory for the program's {what} can't be made: {error}"))
    };
    let mut printed = memory_file::appended().map_err(|errno| temporary("output", &errno))?;
    let mut complained = memory_file::appended().map_err(|errno| temporary("errors", &errno))?;
    let to = |file: &File| file.try_clone().map(Stdio::from);

    let mut child = Command::new(&path);
    child.args(command.argv.iter().skip(1)).envs(locale(&command.env));
    child.envs(command.env.iter().map(|(k, v)| (k, v)));
    // A program may look at the name that it was called by.
    std::os::unix::process::CommandExt::arg0(&mut child, &command.argv[0]);
    if let Some(folder) = &command.folder {
        child.current_dir(folder);
    }
    inside.preload(&mut child);
    child
        .stdin(Stdio::null())
        .stdout(to(&printed).map_err(|error| temporary("output", &error))?)
        .stderr(to(&complained).map_err(|error| temporary("errors", &error))?);
    let cpus = match &prepared.assignment {
        Assignment::Shared(cpus) => Some(cpus.clone()),
        Assignment::Inherited | Assignment::Each(_) => None,
    };
    // The memory policy is this process's already, and inherited.
    Setup { cpus, ..Setup::default() }.apply(&mut child);
    // What the program leaves behind becomes this process's to end.
    process::become_subreaper()
        .map_err(|errno| refused(format!("prctl(PR_SET_CHILD_SUBREAPER): {errno}")))?;

    let interrupt = Interrupt::install().ok();
    let steal = Steal::read().ok();
    let start_ns = clock::monotonic_ns();
    let pid = child
        .spawn()
        .map_err(|error| {
            let folder = command.folder.as_deref().unwrap_or(".");
            refused(format!("{} can't be started in {folder}: {error}", path.display()))
        })?
        .id();
    // Its time limit is the runner's, who then ends this process and all below it. Where the runner is
    // killed, this process gets a signal.
    let waited = loop {
        match process::wait(pid, BETWEEN_LOOKS, interrupt.as_ref()) {
            Ok(Waited::TimedOut) if output::is_bounded(&[&printed, &complained]) => {}
            waited => break waited,
        }
    };
    let end_ns = clock::monotonic_ns();
    let left = descendants(std::process::id()).unwrap_or_default();
    let left_behind = left.iter().filter(|left| left.is_alive() && left.pid != pid).count();
    // Its group first: what is in it is gone at once, also what is just being forked.
    let _ = process::kill_group(pid);
    end_descendants(&|_| false, GONE_WITHIN);
    let ending = match waited {
        Ok(Waited::Ended(ending, usage)) => {
            record.user_s = Some(usage.user_s);
            record.system_s = Some(usage.system_s);
            record.voluntary_switches = Some(usage.voluntary_switches);
            record.involuntary_switches = Some(usage.involuntary_switches);
            ending
        }
        Ok(Waited::TimedOut) => return Err(crashed(output::OutputError::TooMuch)),
        Ok(Waited::Interrupted(_)) => {
            return Err((Status::Crashed, "the trial was ended before its program".into()));
        }
        Err(errno) => {
            return Err((Status::Crashed, format!("waiting for the program: {errno}")));
        }
    };
    if let (Some(steal), Ok(now)) = (steal, Steal::read()) {
        record.steal_s = now.seconds_since(&steal, &prepared.cpus);
    }

    let complained = output::text_of(&mut complained).map_err(crashed)?;
    if ending != Ending::Exited(0) {
        let how = match ending {
            Ending::Exited(status) => format!("ended with status {status}"),
            Ending::Signalled { signal, .. } => format!("was killed by {}", signal::name(signal)),
        };
        return Err((Status::Crashed, format!("{} {how}{}", command.argv[0], said(&complained))));
    }
    let printed = output::text_of(&mut printed).map_err(crashed)?;

    let seen = inside.seen().map_err(refused)?;
    record.slots_start = seen.before;
    record.slots_set = seen.after;
    record.slots_end = seen.end;
    order.held(&seen).map_err(refused)?;
    record.pivot = order.pivot(spec.hash);

    let told = reader.read(&printed, &complained).map_err(|error| {
        (Status::Crashed, format!("{}: {error}{}", command.argv[0], said(&complained)))
    })?;
    record.elapsed_s = Some(end_ns.saturating_sub(start_ns) as f64 / 1e9);
    record.metric("throughput", told.throughput, &command.unit);
    for (name, value) in &told.more {
        record.metric(name, *value, "");
    }
    record.mops_per_s = command.mops_per_s(told.throughput, spec.threads);
    if left_behind > 0 {
        record.metric("left_behind", left_behind as f64, "processes");
    }
    Ok(())
}

/// A program prints numbers as its locale does; where its definition chooses none, that is the plain one
/// on every machine.
fn locale(own: &[(String, String)]) -> Option<(&'static str, &'static str)> {
    let chosen = own.iter().any(|(name, _)| name == "LANG" || name.starts_with("LC_"));
    (!chosen).then_some(("LC_ALL", "C"))
}

fn said(complained: &str) -> String {
    let words: String = complained.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() {
        return String::new();
    }
    let skip = words.chars().count().saturating_sub(SAID_AT_MOST);
    let end: String = words.chars().skip(skip).collect();
    format!("; it said: {}{end}", if skip > 0 { "…" } else { "" })
}
