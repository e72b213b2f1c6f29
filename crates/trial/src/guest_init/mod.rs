//! `race-trial` as the first process of a guest: does trials that are asked for on a serial line,
//! each in a fresh process of itself, until it is told to switch off.
//!
//! Nothing of it runs while a trial does: it sleeps in one poll(2). What it says of trials on the
//! kernel's console marks, in the stream of the kernel's own messages, where each begins and ends.

pub mod frame;
pub mod protocol;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::AsFd;
use std::process::{Command, Stdio};
use std::time::Duration;

use kernel_abi::Errno;
use kernel_abi::process::{self, Ending, Setup, Waited};
use kernel_abi::process_tree::end_descendants;
use kernel_abi::{init, signal};

use frame::{Decoder, Found};
use model::spec::TrialSpec;
use protocol::{Ended, PROTOCOL, Ready, Reply, Request};

/// The argument that makes `race-trial` an init; the serial line's device follows it.
pub const ARGUMENT: &str = "guest-init";

/// On the console, behind [`SPEAKER`] and before a trial's number and ` begins` or ` ended`.
pub const MARK: &str = "trial";

/// On the console, before whatever this init says.
pub const SPEAKER: &str = "stallscope: ";

/// How long a process that was killed has to be gone.
const GONE_WITHIN: Duration = Duration::from_secs(30);

/// How much of a trial's standard error is passed on.
const SAID_AT_MOST: u64 = 4096;

/// After how many seconds the kernel reports a task that it could not schedule (where it can): no
/// trial blocks for that long.
const HUNG_TASK_S: &str = "30";

/// Serves `device` until the lab says to switch off. Ends the machine however it ends: the lab
/// reads the reason on the console.
pub fn run(device: &str) -> ! {
    for (file_system, folder) in [
        ("devtmpfs", "/dev"),
        ("proc", "/proc"),
        ("sysfs", "/sys"),
        ("tmpfs", "/tmp"),
        ("tracefs", "/sys/kernel/tracing"),
    ] {
        let _ = fs::create_dir_all(folder);
        // What a kernel was built without is missed by who needs it, with a better sentence.
        if let Err(errno) = init::mount(file_system, folder)
            && errno.name() != "EBUSY"
        {
            say(&format!("mounting {file_system} on {folder}: {errno}"));
        }
    }
    // Booting was quiet for speed; from now on all of a kernel's complaint is wanted.
    let _ = fs::write("/proc/sys/kernel/printk", "8");
    let _ = fs::write("/proc/sys/kernel/hung_task_timeout_secs", HUNG_TASK_S);
    if let Err(error) = serve(device) {
        say(&format!("the lab can't be served on {device}: {error}"));
    }
    loop {
        say(&format!("switching off: {}", init::power_off()));
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// A line into the kernel's log, and so on the console.
fn say(line: &str) {
    if let Ok(mut log) = OpenOptions::new().write(true).open("/dev/kmsg") {
        // Priority 4, warning: shown also while the console is quiet.
        let _ = log.write_all(format!("<4>{SPEAKER}{line}\n").as_bytes());
    }
}

fn serve(device: &str) -> io::Result<()> {
    let mut line = OpenOptions::new().read(true).write(true).open(device)?;
    init::make_raw(line.as_fd()).map_err(|errno| io::Error::from_raw_os_error(errno.0))?;
    let mut last = frame_of(&Reply::Ready(ready()), b"");
    line.write_all(&last)?;
    let mut decoder = Decoder::default();
    let mut bytes = [0u8; 4096];
    loop {
        let count = line.read(&mut bytes)?;
        if count == 0 {
            return Err(io::Error::other("it was hung up"));
        }
        decoder.push(bytes.get(..count).unwrap_or_default());
        while let Some(found) = decoder.next_found() {
            let request = match &found {
                Found::Damaged => {
                    line.write_all(&frame_of(&Reply::Damaged, b""))?;
                    continue;
                }
                Found::Payload(payload) => protocol::decode::<Request>(payload),
            };
            match request {
                Ok((Request::PowerOff, _)) => return Ok(()),
                Ok((Request::Again, _)) => {}
                Ok((Request::Trial { spec, limit_s }, _)) => {
                    let (reply, record) = trial(&spec, limit_s);
                    last = frame_of(&reply, &record);
                }
                Err(error) => {
                    let sentence = format!("the guest does not understand the request: {error}");
                    last = frame_of(&Reply::Refused(sentence), b"");
                }
            }
            line.write_all(&last)?;
        }
    }
}

fn frame_of(reply: &Reply, behind: &[u8]) -> Vec<u8> {
    // A reply is of types that all have a JSON form; an empty frame would be told as no message.
    frame::encode(&protocol::encode(reply, behind).unwrap_or_default())
}

/// Does one trial in a process of its own, and gives what it wrote.
fn trial(spec: &TrialSpec, limit_s: f64) -> (Reply, Vec<u8>) {
    say(&format!("{MARK} {} begins", spec.trial));
    let ended = attempt(spec, limit_s);
    say(&format!("{MARK} {} ended", spec.trial));
    let reply = |how, said| Reply::Ended { trial: spec.trial, how, said };
    match ended {
        Ok((how, record, said)) => (reply(how, said), record),
        Err(error) => (
            reply(Ended::NotStarted(format!("the trial can't be started: {error}")), String::new()),
            Vec::new(),
        ),
    }
}

fn attempt(spec: &TrialSpec, limit_s: f64) -> io::Result<(Ended, Vec<u8>, String)> {
    let file = |name: &str| {
        OpenOptions::new().read(true).write(true).create(true).truncate(true).open(name)
    };
    let (mut input, output, errors) =
        (file("/tmp/spec")?, file("/tmp/record")?, file("/tmp/errors")?);
    serde_json::to_writer(&mut input, spec)?;
    input.write_all(b"\n")?;
    input.seek(SeekFrom::Start(0))?;
    let mut command = Command::new("/proc/self/exe");
    command
        .stdin(Stdio::from(input))
        .stdout(Stdio::from(output.try_clone()?))
        .stderr(Stdio::from(errors.try_clone()?));
    Setup::default().apply(&mut command);
    let pid = command.spawn()?.id();
    let to_io = |errno: Errno| io::Error::from_raw_os_error(errno.0);
    let limit = Duration::try_from_secs_f64(limit_s).unwrap_or(Duration::MAX);
    let how = match process::wait(pid, limit, None).map_err(to_io)? {
        Waited::Ended(Ending::Exited(status), _) => Ended::Exited(status),
        Waited::Ended(Ending::Signalled { signal, .. }, _) => {
            Ended::Signalled(signal::name(signal))
        }
        Waited::TimedOut | Waited::Interrupted(_) => {
            let _ = process::kill_group(pid);
            match process::wait(pid, GONE_WITHIN, None).map_err(to_io)? {
                Waited::Ended(..) => Ended::Limit,
                // The lab's own limit ends this guest: the next trial would not be alone in it.
                _ => return Err(io::Error::other("a killed trial does not go away")),
            }
        }
    };
    let _ = process::kill_group(pid);
    end_descendants(&|_| false, GONE_WITHIN);
    let record = text(output, u64::MAX)?;
    let said = String::from_utf8_lossy(&text(errors, SAID_AT_MOST)?).into_owned();
    Ok((how, record, said))
}

fn text(mut file: File, at_most: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(at_most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn ready() -> Ready {
    let line = |path: &str| fs::read_to_string(path).ok().map(|text| text.trim().to_string());
    let count = |path: &str| {
        let list = line(path)?;
        u32::try_from(kernel_abi::id_set::parse_list(&list, "CPU").ok()?.len()).ok()
    };
    let uptime = line("/proc/uptime");
    let uptime = uptime.as_deref().and_then(|text| text.split_whitespace().next()?.parse().ok());
    Ready {
        protocol: PROTOCOL,
        release: line("/proc/sys/kernel/osrelease").unwrap_or_default(),
        version: line("/proc/sys/kernel/version").unwrap_or_default(),
        cpus: count("/sys/devices/system/cpu/online").unwrap_or(1),
        nodes: count("/sys/devices/system/node/has_cpu").unwrap_or(1),
        clocksource: line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        uptime_s: uptime.unwrap_or(0.0),
    }
}
