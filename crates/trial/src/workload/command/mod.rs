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
mod progress;
mod watch;

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
use model::factor::{BadValue, Span};
use model::outcome::fact;
use model::record::{Status, TrialRecord};
use model::spec::TrialSpec;
use model::throughput;
use model::workload::command::Command as CommandSpec;

use futex_hash::{Inside, Order};
use progress::Page;
use watch::{Stopped, Watcher};

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

/// The variable that has the trial's seed, for a program that draws.
const SEED: &str = "STALLSCOPE_SEED";

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
    let throughput =
        command.throughput.as_ref().map(output::Reader::new).transpose().map_err(refused)?;
    let metrics: Vec<_> = command
        .metrics
        .iter()
        .map(|(name, number)| Ok((name, &number.unit, throughput::regex(&number.regex)?)))
        .collect::<Result<_, BadValue>>()
        .map_err(refused)?;
    let page = Page::new().map_err(|errno| {
        refused(format!("a page in memory for the program's progress: {errno}"))
    })?;
    let mut inside = Inside::new(&order).map_err(refused)?;

    let temporary = |what: &str, error: &dyn std::fmt::Display| {
        refused(format!("a file in memory for the program's {what} can't be made: {error}"))
    };
    let mut printed = memory_file::appended().map_err(|errno| temporary("output", &errno))?;
    let mut errors = memory_file::appended().map_err(|errno| temporary("errors", &errno))?;
    let to = |file: &File| file.try_clone().map(Stdio::from);

    let mut child = Command::new(&path);
    child.args(command.argv.iter().skip(1)).envs(locale(&command.env));
    child.env(progress::VARIABLE, page.path()).env(SEED, spec.seed.to_string());
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
        .stderr(to(&errors).map_err(|error| temporary("errors", &error))?);
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
    let mut watcher = Watcher::new(spec, &page, start_ns);
    let mut stopped = None;
    // Where the runner is killed, this process gets a signal.
    let waited = loop {
        match process::wait(pid, watcher.pause(clock::monotonic_ns()), interrupt.as_ref()) {
            Ok(Waited::TimedOut) => {
                stopped = watcher.look(clock::monotonic_ns(), [&printed, &errors]);
                if stopped.is_some() {
                    break Ok(Waited::TimedOut);
                }
            }
            waited => break waited,
        }
    };
    let end_ns = clock::monotonic_ns();
    let left = descendants(std::process::id()).unwrap_or_default();
    let left_behind = left.iter().filter(|left| left.is_alive() && left.pid != pid).count();
    // Its group first: what is in it is gone at once, also what is just being forked.
    let _ = process::kill_group(pid);
    end_descendants(&|_| false, GONE_WITHIN);
    let complained = output::beginning_of(&mut errors).map_err(crashed)?;
    let text = output::beginning_of(&mut printed).map_err(crashed)?;
    watcher.finish(end_ns, [&text, &complained], record);
    if let (Some(steal), Ok(now)) = (steal, Steal::read()) {
        record.steal_s = now.seconds_since(&steal, &prepared.cpus);
    }
    let name = &command.argv[0];
    let limit_s = |limit: Option<Span>| limit.map_or(0.0, Span::seconds);
    let how = match waited {
        Ok(Waited::Ended(ending, usage)) => {
            record.user_s = Some(usage.user_s);
            record.system_s = Some(usage.system_s);
            record.voluntary_switches = Some(usage.voluntary_switches);
            record.involuntary_switches = Some(usage.involuntary_switches);
            match ending {
                Ending::Exited(status) => {
                    record.metric(fact::EXIT_STATUS, f64::from(status), "");
                    (status != 0).then(|| (Status::Crashed, format!("ended with status {status}")))
                }
                Ending::Signalled { signal, .. } => {
                    record.metric(fact::EXIT_SIGNAL, f64::from(signal), "");
                    let signal = signal::name(signal);
                    Some((Status::Crashed, format!("was killed by {signal}")))
                }
            }
        }
        Ok(Waited::TimedOut) => Some(match stopped {
            Some(Stopped::Hung) => {
                let hang = limit_s(spec.watch.hang);
                (Status::Timeout, format!("made no progress for {hang} s and was killed"))
            }
            Some(Stopped::Late) => {
                let limit = limit_s(spec.watch.limit);
                (
                    Status::Timeout,
                    format!("still ran after its time limit of {limit} s and was killed"),
                )
            }
            Some(Stopped::Flooded) | None => return Err(crashed(output::OutputError::TooMuch)),
        }),
        Ok(Waited::Interrupted(_)) => {
            return Err(crashed("the trial was ended before its program"));
        }
        Err(errno) => return Err(crashed(format!("waiting for the program: {errno}"))),
    };
    if let Some((status, how)) = how {
        return Err((status, format!("{name} {how}{}", said(&complained))));
    }

    let seen = inside.seen().map_err(refused)?;
    record.slots_start = seen.before;
    record.slots_set = seen.after;
    record.slots_end = seen.end;
    order.held(&seen).map_err(refused)?;
    record.pivot = order.pivot(spec.hash);

    if !output::is_bounded(&[&printed, &errors]) {
        return Err(crashed(output::OutputError::TooMuch));
    }
    let unread =
        |error: output::OutputError| crashed(format!("{name}: {error}{}", said(&complained)));
    let elapsed_s = end_ns.saturating_sub(start_ns) as f64 / 1e9;
    record.elapsed_s = Some(elapsed_s);
    for (metric, unit, regex) in &metrics {
        if let Some(value) = output::metric(regex, &text, &complained).map_err(unread)? {
            record.metric(metric, value, unit);
        }
    }
    if let Some(reader) = &throughput {
        let told = reader.read(&text, &complained).map_err(unread)?;
        record.metric("throughput", told.throughput, &command.unit);
        for (metric, value) in &told.more {
            record.metric(metric, *value, "");
        }
        record.mops_per_s = command.mops_per_s(told.throughput, spec.threads);
    }
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
