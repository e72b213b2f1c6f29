//! A guest: QEMU with a kernel, whose init does trials that are asked for on a serial line.

pub mod boot_time;
pub mod initramfs;
pub mod kvm_memory;
pub mod machine;
pub mod qemu;
pub mod shape;

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use kernel_abi::process::{self, Setup};
use trial::guest_init::frame::{self, Decoder, Found};
use trial::guest_init::protocol::{self, PROTOCOL, Ready, Reply, Request};

use crate::console::{Splat, Watcher};
use crate::error::LabError;
use machine::{Accelerator, Sockets};
use qemu::Qemu;
use shape::Shape;

/// How often whoever waits looks whether it should go on waiting.
const LOOK: Duration = Duration::from_millis(100);

/// How often a damaged message is asked for again.
const AGAIN: u32 = 3;

/// How long the console may lag behind the protocol.
const CONSOLE_LAG: Duration = Duration::from_secs(5);

/// What a boot needs.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    /// QEMU.
    pub qemu: &'a Qemu,
    /// What executes the guest.
    pub accelerator: Accelerator,
    /// Its size.
    pub shape: &'a Shape,
    /// The kernel's image.
    pub image: &'a Path,
    /// The root.
    pub initramfs: &'a Path,
    /// How long it may take until it is ready.
    pub patience: Duration,
}

/// How a wait for a guest's reply ended.
#[derive(Debug)]
pub enum Waited {
    /// With this reply and what stood behind it.
    Reply(Reply, Vec<u8>),
    /// It was asked to stop waiting.
    Stopped,
    /// The time is over.
    Late,
    /// QEMU has ended, or the line is useless; the reason.
    Dead(String),
}

/// A running guest. Dropping it ends QEMU; so does the end of this process, however it ends.
#[derive(Debug)]
pub struct Guest {
    pid: u32,
    ended: Receiver<String>,
    keeper: Option<JoinHandle<()>>,
    reader: Option<JoinHandle<()>>,
    console: Arc<Mutex<Watcher>>,
    line: UnixStream,
    decoder: Decoder,
    monitor: UnixStream,
    said: File,
    ready: Ready,
    boot_s: f64,
}

impl Guest {
    /// Boots a guest. `log` gets its console, each line behind `mark`; `stop` ends the wait.
    pub fn boot(
        plan: &Plan<'_>,
        log: Box<dyn Write + Send>,
        mark: &str,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Guest>, LabError> {
        let started = Instant::now();
        // Sockets without names: no end of this process leaves one behind.
        let pair = || {
            UnixStream::pair().map_err(|error| {
                LabError::Boot(format!("a pair of sockets can't be made: {error}"))
            })
        };
        let [(console, qemus_console), (line, qemus_line), (monitor, qemus_monitor)] =
            [pair()?, pair()?, pair()?];
        let sockets = Sockets {
            console: qemus_console.into(),
            trials: qemus_line.into(),
            monitor: qemus_monitor.into(),
        };
        let said = tempfile::tempfile()
            .map_err(|error| LabError::file("making a file in", std::env::temp_dir(), &error))?;
        let for_qemu = said
            .try_clone()
            .map_err(|error| LabError::file("making a file in", std::env::temp_dir(), &error))?;

        let mut command = Command::new(&plan.qemu.program);
        command
            .args(machine::arguments(
                plan.qemu,
                plan.accelerator,
                plan.shape,
                plan.image,
                plan.initramfs,
                &sockets,
            ))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(for_qemu);
        let (pid, ended, keeper) = keep(command, sockets, &plan.qemu.program)?;
        // From here on QEMU runs: whatever fails must end it.
        let running = Running { pid, keeper: Some(keeper) };
        let deadline = started + plan.patience;
        let on_socket =
            |error: io::Error| LabError::Boot(format!("a socket to QEMU can't be used: {error}"));
        line.set_read_timeout(Some(LOOK)).map_err(on_socket)?;
        monitor.set_nonblocking(true).map_err(on_socket)?;
        let watcher = Arc::new(Mutex::new(Watcher::default()));
        let reader = read_console(console, Arc::clone(&watcher), log, mark.to_string());
        let (pid, keeper) = running.hand_over();
        let mut guest = Guest {
            pid,
            ended,
            keeper,
            reader: Some(reader),
            console: watcher,
            line,
            decoder: Decoder::default(),
            monitor,
            said,
            ready: Ready {
                protocol: 0,
                release: String::new(),
                version: String::new(),
                cpus: 0,
                nodes: 0,
                clocksource: None,
                uptime_s: 0.0,
            },
            boot_s: 0.0,
        };
        guest.tell_monitor("qmp_capabilities");
        let failed = |what: String| Err(LabError::Boot(what));
        match guest.wait(deadline, stop) {
            Waited::Reply(Reply::Ready(ready), _) if ready.protocol == PROTOCOL => {
                guest.ready = ready;
                guest.boot_s = started.elapsed().as_secs_f64();
                Ok(Some(guest))
            }
            Waited::Reply(reply, _) => {
                failed(format!("the guest's init is another one: {reply:?}"))
            }
            Waited::Stopped => Ok(None),
            Waited::Late => failed(format!(
                "the guest was not ready after {} s; its console's last line is {:?}{}",
                plan.patience.as_secs(),
                guest.watcher().last_line(),
                guest.said()
            )),
            Waited::Dead(reason) if guest.watcher().last_line().is_empty() => {
                failed(format!("QEMU did not start: {reason}"))
            }
            Waited::Dead(reason) => failed(format!("the guest died while booting: {reason}")),
        }
    }

    /// What it said of itself when it was ready.
    pub fn ready(&self) -> &Ready {
        &self.ready
    }

    /// Seconds from starting QEMU to the guest's readiness.
    pub fn boot_s(&self) -> f64 {
        self.boot_s
    }

    /// QEMU's process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Asks something.
    pub fn ask(&mut self, request: &Request) -> io::Result<()> {
        let payload = protocol::encode(request, b"")?;
        self.line.write_all(&frame::encode(&payload))
    }

    /// Waits for the answer to `request`, which is said again when it was not understood.
    pub fn answer(
        &mut self,
        request: &Request,
        deadline: Instant,
        stop: &dyn Fn() -> bool,
    ) -> Waited {
        for _ in 0..AGAIN {
            match self.wait(deadline, stop) {
                Waited::Reply(Reply::Damaged, _) => {
                    if let Err(error) = self.ask(request) {
                        return Waited::Dead(self.why_dead(&error.to_string()));
                    }
                }
                other => return other,
            }
        }
        Waited::Dead("the serial line to the guest damages what it carries".to_string())
    }

    fn wait(&mut self, deadline: Instant, stop: &dyn Fn() -> bool) -> Waited {
        let mut bytes = vec![0u8; 1 << 16];
        let mut damaged = 0;
        loop {
            while let Some(found) = self.decoder.next_found() {
                let damage = match &found {
                    Found::Payload(payload) => match protocol::decode::<Reply>(payload) {
                        Ok((reply, behind)) => return Waited::Reply(reply, behind.to_vec()),
                        Err(error) => error.to_string(),
                    },
                    Found::Damaged => "a checksum is wrong".to_string(),
                };
                damaged += 1;
                if damaged > AGAIN {
                    return Waited::Dead(format!(
                        "the serial line from the guest damages what it carries: {damage}"
                    ));
                }
                if let Err(error) = self.ask(&Request::Again) {
                    return Waited::Dead(self.why_dead(&error.to_string()));
                }
            }
            if stop() {
                return Waited::Stopped;
            }
            // An emulator that can't go on stays, with the guest halted in it.
            if let Some(error) = self.emulator_error() {
                return Waited::Dead(format!("QEMU said {error:?}"));
            }
            if Instant::now() >= deadline {
                return Waited::Late;
            }
            match self.line.read(&mut bytes) {
                Ok(0) => return Waited::Dead(self.why_dead("the serial line was closed")),
                Ok(count) => self.decoder.push(bytes.get(..count).unwrap_or_default()),
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock
                            | io::ErrorKind::TimedOut
                            | io::ErrorKind::Interrupted
                    ) => {}
                Err(error) => return Waited::Dead(self.why_dead(&error.to_string())),
            }
        }
    }

    /// What the kernel complained of since the last time, once the console has caught up with the
    /// end of `trial`.
    pub fn splats(&self, trial: Option<u64>) -> Vec<Splat> {
        let deadline = Instant::now() + CONSOLE_LAG;
        while trial.is_some() && self.watcher().ended() != trial && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
        self.watcher().take()
    }

    /// Halts the guest and its clock, so that it takes nothing from another.
    pub fn halt(&mut self) {
        self.tell_monitor("stop");
    }

    /// Lets it go on.
    pub fn go_on(&mut self) {
        self.tell_monitor("cont");
    }

    fn tell_monitor(&mut self, command: &str) {
        // Its answers and events are read so that they can't fill the socket; none is needed.
        let mut bytes = [0u8; 4096];
        while matches!(self.monitor.read(&mut bytes), Ok(count) if count > 0) {}
        let line = format!("{{\"execute\":\"{command}\"}}\n");
        // A monitor that is gone goes with QEMU, which whoever waits for the guest finds out.
        let _ = self.monitor.write_all(line.as_bytes());
    }

    fn watcher(&self) -> MutexGuard<'_, Watcher> {
        // The reader only appends: what a panic in it left is still right.
        self.console.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What QEMU says when it can't go on with a guest.
    fn emulator_error(&self) -> Option<String> {
        let text = text_of(&self.said);
        text.lines().find(|line| line.starts_with("KVM internal error")).map(str::to_string)
    }

    fn said(&self) -> String {
        said_by(&self.said)
    }

    /// Why the guest is gone, by whoever knows it best: its kernel, QEMU, or `otherwise`.
    fn why_dead(&mut self, otherwise: &str) -> String {
        // QEMU closes its sockets a moment before it is gone, and its console is read to the end.
        let ended = self.ended.recv_timeout(Duration::from_secs(5)).ok();
        if ended.is_some()
            && let Some(reader) = self.reader.take()
        {
            let _ = reader.join();
        }
        let watcher = self.watcher();
        if let Some(died) = watcher.died() {
            return format!("its kernel said {died:?}");
        }
        let last = watcher.last_line();
        let how = ended.map_or(otherwise.to_string(), |ended| format!("QEMU ended by {ended}"));
        let last = match last.is_empty() {
            true => String::new(),
            false => format!("; its console's last line is {last:?}"),
        };
        format!("{how}{last}{}", self.said())
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let _ = process::kill(self.pid);
        for thread in [self.keeper.take(), self.reader.take()].into_iter().flatten() {
            let _ = thread.join();
        }
    }
}

/// QEMU before it is a [`Guest`].
struct Running {
    pid: u32,
    keeper: Option<JoinHandle<()>>,
}

impl Running {
    fn hand_over(mut self) -> (u32, Option<JoinHandle<()>>) {
        let keeper = self.keeper.take();
        (self.pid, keeper)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(keeper) = self.keeper.take() {
            let _ = process::kill(self.pid);
            let _ = keeper.join();
        }
    }
}

/// Starts QEMU on a thread that lives as long as QEMU does: the death signal is sent when the
/// thread that started it ends.
fn keep(
    mut command: Command,
    sockets: Sockets,
    program: &Path,
) -> Result<(u32, Receiver<String>, JoinHandle<()>), LabError> {
    let (tell_pid, pid) = mpsc::channel();
    let (tell_end, ended) = mpsc::channel();
    let keeper = thread::Builder::new()
        .name("qemu-keeper".to_string())
        .spawn(move || {
            Setup { inherited: sockets.into(), ..Setup::default() }.apply(&mut command);
            let spawned = command.spawn();
            // QEMU alone holds its ends from here on, so that its end closes them.
            drop(command);
            match spawned {
                Ok(mut child) => {
                    let _ = tell_pid.send(Ok(child.id()));
                    let status = child.wait();
                    let how = status.map_or_else(|e| e.to_string(), |status| status.to_string());
                    let _ = tell_end.send(how);
                }
                Err(error) => {
                    let _ = tell_pid.send(Err(error));
                }
            }
        })
        .map_err(|error| LabError::file("starting a thread for", program, &error))?;
    match pid.recv() {
        Ok(Ok(pid)) => Ok((pid, ended, keeper)),
        Ok(Err(error)) => Err(LabError::file("starting", program, &error)),
        Err(_) => Err(LabError::Boot("the thread that starts QEMU ended".to_string())),
    }
}

/// What a file holds, without moving the place where QEMU writes to it: the two share it.
fn text_of(file: &File) -> String {
    let mut bytes = vec![0u8; 1 << 16];
    let count = file.read_at(&mut bytes, 0).unwrap_or(0);
    String::from_utf8_lossy(bytes.get(..count).unwrap_or_default()).into_owned()
}

fn said_by(file: &File) -> String {
    let text = text_of(file);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match lines.as_slice() {
        [] => String::new(),
        lines => {
            format!("; QEMU said: {}", lines.get(..lines.len().min(3)).unwrap_or(lines).join(" | "))
        }
    }
}

/// Reads a console until it is closed: to the watcher, and line by line to the log.
fn read_console(
    mut console: UnixStream,
    watcher: Arc<Mutex<Watcher>>,
    mut log: Box<dyn Write + Send>,
    mark: String,
) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut bytes = [0u8; 4096];
        let mut line: Vec<u8> = Vec::new();
        let watch = |f: &mut dyn FnMut(&mut Watcher)| {
            f(&mut watcher.lock().unwrap_or_else(PoisonError::into_inner));
        };
        let mut write = |line: &mut Vec<u8>| {
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            let mut text = mark.as_bytes().to_vec();
            text.append(line);
            text.push(b'\n');
            // A log on a full disk must not end the trials: their rows tell of the disk.
            let _ = log.write_all(&text);
        };
        loop {
            let count = match console.read(&mut bytes) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            let piece = bytes.get(..count).unwrap_or_default();
            watch(&mut |watcher| watcher.push(piece));
            for &byte in piece {
                match byte {
                    b'\n' => write(&mut line),
                    _ => line.push(byte),
                }
            }
        }
        if !line.is_empty() {
            write(&mut line);
        }
        watch(&mut |watcher| watcher.close());
    })
}
