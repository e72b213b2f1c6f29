//! Trials on the machine that the runner runs on: a fresh `race-trial` process a trial.
//!
//! What the process writes goes to files in memory, not to pipes: the runner sleeps in one poll(2) from
//! the trial's start to its end, and nothing of it runs meanwhile.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use kernel_abi::memory_file;
use kernel_abi::process::{self, AtDeath, Ending, Setup, Waited};
use kernel_abi::process_tree::{self, Process, end_descendants, end_started_with};
use kernel_abi::signal;
use model::manifest::Kernel;
use model::record::{Status, TrialRecord};

use super::{Broken, Done, Execution, Executor, Stop};
use crate::plan::Planned;

/// How long a process that was killed has to be gone.
const GONE_WITHIN: Duration = Duration::from_secs(30);

/// How much of what a dead trial said is kept in its row.
const SAID_AT_MOST: usize = 400;

/// The most that is read of what a trial's process wrote.
const READ_AT_MOST: u64 = 1 << 30;

/// The variable by which what a trial started is told from other processes, also after the runner's
/// death.
const RUN: &str = "STALLSCOPE_RUN";

/// Starts `race-trial` processes here.
#[derive(Debug)]
pub struct ThisMachine {
    program: embedded::Program,
    preload: embedded::Program,
    kernel: Kernel,
    /// The run, as the value of [`RUN`].
    run: String,
    /// What is not this runner's to end: children that it found itself with (whoever started it executed
    /// the runner in its own place), and killed ones that won't go.
    spared: BTreeSet<Process>,
    /// Whether it found itself with children. One that orphans of theirs become looks as a trial's does.
    has_foreign_children: bool,
    /// Not yet told.
    disturbances: Vec<String>,
}

impl ThisMachine {
    /// Lays out the trial's program; `kernel` is this machine's, and `run` a word that no other run of it
    /// has. What an earlier runner of this run left is ended.
    pub fn new(kernel: Kernel, run: String) -> Result<ThisMachine, Broken> {
        let lay = |name: &str, bytes: &[u8]| {
            embedded::lay(name, bytes).map_err(|error| Broken(error.to_string()))
        };
        // What a trial leaves behind, even outside its group, becomes this process's to end.
        process::become_subreaper()
            .map_err(|errno| Broken(format!("prctl(PR_SET_CHILD_SUBREAPER): {errno}")))?;
        let spared: BTreeSet<Process> = process_tree::descendants(std::process::id())
            .map_err(|error| Broken(format!("/proc can't be listed: {error}")))?
            .into_iter()
            .collect();
        let left = match run.is_empty() {
            true => Vec::new(),
            false => end_started_with(&format!("{RUN}={run}"), GONE_WITHIN).left,
        };
        let disturbances = left.iter().map(|process| {
            format!("process {} of an earlier runner of this run could not be ended", process.pid)
        });
        Ok(ThisMachine {
            program: lay("race-trial", embedded::RACE_TRIAL)?,
            preload: lay("preload.so", embedded::PRELOAD)?,
            kernel,
            run,
            has_foreign_children: !spared.is_empty(),
            spared,
            disturbances: disturbances.collect(),
        })
    }

    fn execution(&mut self, started_at: SystemTime, record: TrialRecord) -> Done {
        Done::Trial(Box::new(Execution {
            started_at,
            record,
            boot: None,
            kernel: self.kernel.clone(),
            splats: None,
            disturbances: std::mem::take(&mut self.disturbances),
        }))
    }

    /// Ends what a trial's process left running, and reaps it. What can't be ended is told, and spared
    /// from then on.
    fn end_left_behind(&mut self, pid: u32, trial: u64) {
        // Its group at once: what is in it is gone, also what is just being forked.
        let _ = process::kill_group(pid);
        let (spared, foreign) = (&self.spared, self.has_foreign_children);
        let own = format!("{RUN}={}", self.run);
        let is_spared = |process: &Process| {
            spared.contains(process)
                || (foreign && process.pid != pid && !process.was_started_with(&own))
        };
        for left in end_descendants(&is_spared, GONE_WITHIN).left {
            self.disturbances.push(format!(
                "process {} of trial {trial} was killed and is still there after {} s: later trials \
                 are not alone",
                left.pid,
                GONE_WITHIN.as_secs()
            ));
            self.spared.insert(left);
        }
    }
}

impl Executor for ThisMachine {
    fn run(&mut self, planned: &Planned, limit: Duration, stop: &Stop) -> Result<Done, Broken> {
        if stop.is_set() {
            return Ok(Done::Interrupted);
        }
        let broken = |what: &str, error: &dyn std::fmt::Display| Broken(format!("{what}: {error}"));
        let spec = serde_json::to_string(&planned.spec)
            .map_err(|error| broken("writing a trial's spec", &error))?;
        let in_memory = || {
            memory_file::appended()
                .map_err(|errno| broken("a file in memory for a trial can't be made", &errno))
        };
        let mut input = in_memory()?;
        let (mut output, mut errors) = (in_memory()?, in_memory()?);
        writeln!(input, "{spec}")
            .and_then(|()| input.seek(SeekFrom::Start(0)))
            .map_err(|error| broken("writing a trial's spec", &error))?;
        let clone = |file: &File| {
            file.try_clone().map(Stdio::from).map_err(|error| broken("a file for a trial", &error))
        };

        let mut command = Command::new(self.program.path());
        command
            .arg0("race-trial")
            .env("STALLSCOPE_PRELOAD", self.preload.path())
            .env(RUN, &self.run)
            .stdin(Stdio::from(input))
            .stdout(clone(&output)?)
            .stderr(clone(&errors)?);
        // Asked to end, it ends what it started itself.
        Setup { at_death: AtDeath::Terminate, ..Setup::default() }.apply(&mut command);
        let started_at = SystemTime::now();
        let child =
            command.spawn().map_err(|error| broken("race-trial can't be started", &error))?;
        let pid = child.id();

        let waited = process::wait(pid, limit, stop.interrupt())
            .map_err(|errno| broken("waiting for a trial", &errno))?;
        self.end_left_behind(pid, planned.spec.trial);
        let ending = match waited {
            Waited::Interrupted(_) => return Ok(Done::Interrupted),
            Waited::Ended(ending, _) => Some(ending),
            Waited::TimedOut => None,
        };

        let record = match ending {
            None => TrialRecord::failed(
                Status::Timeout,
                format!(
                    "it still ran after its time limit of {} s and was killed{}",
                    limit.as_secs_f64(),
                    said(&mut errors)
                ),
            ),
            Some(Ending::Exited(0)) => read_record(&mut output, &mut errors),
            // What it measured is lost, by no fault of the trial: no row.
            Some(Ending::Exited(1)) => {
                return Err(Broken(format!(
                    "a trial's record was not written{}",
                    said(&mut errors)
                )));
            }
            Some(ending) => {
                // A spec that the trial refuses is told in a record too, with another status.
                match parse_record(&mut output) {
                    Some(record) if record.status != Status::Ok => record,
                    _ => TrialRecord::failed(
                        Status::Crashed,
                        format!("race-trial {}{}", how_it_ended(ending), said(&mut errors)),
                    ),
                }
            }
        };
        Ok(self.execution(started_at, record))
    }
}

fn how_it_ended(ending: Ending) -> String {
    match ending {
        Ending::Exited(status) => format!("ended with status {status}"),
        Ending::Signalled { signal, .. } => format!("was killed by {}", signal::name(signal)),
    }
}

fn text_of(file: &mut File) -> String {
    let mut bytes = Vec::new();
    let read =
        file.seek(SeekFrom::Start(0)).and_then(|_| file.take(READ_AT_MOST).read_to_end(&mut bytes));
    if read.is_err() {
        bytes.clear();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn said(errors: &mut File) -> String {
    let text = model::rows::one_line(&text_of(errors));
    if text.is_empty() {
        return String::new();
    }
    let short: String = text.chars().take(SAID_AT_MOST).collect();
    format!("; it said: {short}")
}

fn parse_record(output: &mut File) -> Option<TrialRecord> {
    serde_json::from_str(text_of(output).trim()).ok()
}

fn read_record(output: &mut File, errors: &mut File) -> TrialRecord {
    parse_record(output).unwrap_or_else(|| {
        TrialRecord::failed(
            Status::Crashed,
            format!("race-trial ended without a whole record{}", said(errors)),
        )
    })
}
