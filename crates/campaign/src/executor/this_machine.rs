//! Trials on the machine that the runner runs on: a fresh `race-trial` process a trial.
//!
//! What the process writes goes to files without a name, not to pipes: the runner sleeps in one
//! poll(2) from the trial's start to its end, and nothing of it runs meanwhile.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use kernel_abi::process::{self, Ending, Setup, Waited};
use kernel_abi::signal;
use model::manifest::Kernel;
use model::record::{Status, TrialRecord};

use super::{Broken, Done, Execution, Executor, Stop};
use crate::plan::Planned;

/// How long a process that was killed has to be gone.
const GONE_WITHIN: Duration = Duration::from_secs(30);

/// How much of what a dead trial said is kept in its row.
const SAID_AT_MOST: usize = 400;

/// Starts `race-trial` processes here.
#[derive(Debug)]
pub struct ThisMachine {
    program: embedded::Program,
    preload: embedded::Program,
    kernel: Kernel,
}

impl ThisMachine {
    /// Lays out the trial's program; `kernel` is this machine's.
    pub fn new(kernel: Kernel) -> Result<ThisMachine, Broken> {
        let lay = |name: &str, bytes: &[u8]| {
            embedded::install(name, bytes).map_err(|error| {
                Broken(format!(
                    "the trial program {name} can't be laid out: {error}. Set XDG_CACHE_HOME to a folder that can be written"
                ))
            })
        };
        // What a trial leaves behind, even outside its group, becomes this process's to end.
        process::become_subreaper()
            .map_err(|errno| Broken(format!("prctl(PR_SET_CHILD_SUBREAPER): {errno}")))?;
        Ok(ThisMachine {
            program: lay("race-trial", embedded::RACE_TRIAL)?,
            preload: lay("preload.so", embedded::PRELOAD)?,
            kernel,
        })
    }

    fn execution(&self, started_at: SystemTime, record: TrialRecord) -> Done {
        Done::Trial(Box::new(Execution {
            started_at,
            record,
            boot: None,
            kernel: self.kernel.clone(),
            splats: None,
            disturbances: Vec::new(),
        }))
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
        let unnamed = || {
            tempfile::tempfile().map_err(|error| {
                broken(
                    "a temporary file for a trial's output can't be made (is TMPDIR full?)",
                    &error,
                )
            })
        };
        let mut input = unnamed()?;
        let (mut output, mut errors) = (unnamed()?, unnamed()?);
        writeln!(input, "{spec}")
            .and_then(|()| input.seek(SeekFrom::Start(0)))
            .map_err(|error| broken("writing a trial's spec", &error))?;
        let clone = |file: &File| {
            file.try_clone().map(Stdio::from).map_err(|error| broken("a file for a trial", &error))
        };

        let mut command = Command::new(self.program.path());
        command
            .env("STALLSCOPE_PRELOAD", self.preload.path())
            .stdin(Stdio::from(input))
            .stdout(clone(&output)?)
            .stderr(clone(&errors)?);
        Setup::default().apply(&mut command);
        let started_at = SystemTime::now();
        let child = command.spawn().map_err(|error| {
            Broken(format!("{} can't be started: {error}", self.program.path().display()))
        })?;
        let pid = child.id();

        let waited = process::wait(pid, limit, stop.interrupt())
            .map_err(|errno| broken("waiting for a trial", &errno))?;
        let ending = match waited {
            Waited::Ended(ending, _) => Some(ending),
            Waited::TimedOut | Waited::Interrupted(_) => None,
        };
        if ending.is_none() {
            end_all(pid)?;
        } else {
            end_left_behind(pid);
        }
        if matches!(waited, Waited::Interrupted(_)) {
            return Ok(Done::Interrupted);
        }

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

/// Ends a trial's process, its group and all that descends from it, and reaps it.
fn end_all(pid: u32) -> Result<(), Broken> {
    let below = process::descendants(pid).unwrap_or_default();
    let _ = process::kill_group(pid);
    for child in below {
        let _ = process::kill(child);
    }
    match process::wait(pid, GONE_WITHIN, None) {
        Ok(Waited::Ended(..)) => {
            end_left_behind(pid);
            Ok(())
        }
        _ => Err(Broken(format!(
            "process {pid} was killed and is still there after {} s: the next trial would not be alone",
            GONE_WITHIN.as_secs()
        ))),
    }
}

/// Ends what a trial's process left running when it ended itself, and reaps it.
fn end_left_behind(pid: u32) {
    let _ = process::kill_group(pid);
    for orphan in process::descendants(std::process::id()).unwrap_or_default() {
        let _ = process::kill(orphan);
        let _ = process::wait(orphan, GONE_WITHIN, None);
    }
}

fn text_of(file: &mut File) -> String {
    let mut bytes = Vec::new();
    let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes));
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
