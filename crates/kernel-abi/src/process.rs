//! What a harness does with processes: start them so that they can't be lost, wait with a limit,
//! and end them with everything they started.
//!
//! A trial's process gets a group of its own, so one kill reaches what it forked; it dies when the
//! thread that started it dies, even by SIGKILL; and what leaves its group is still found, as a
//! descendant of a runner that made itself the reaper of orphans.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use crate::affinity::{self, CpuSet};
use crate::clock;
use crate::errno::Errno;
use crate::memory::Policy;
use crate::signal::{self, Interrupt};
use crate::usage::Usage;

/// What a child gets when the thread that spawned it ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AtDeath {
    /// SIGKILL.
    #[default]
    Kill,
    /// SIGTERM, which ends it unless it catches it to end its own children first.
    Terminate,
}

/// What a child sets up between fork and exec.
#[derive(Debug, Default)]
pub struct Setup {
    /// Restrict the child to these CPUs.
    pub cpus: Option<CpuSet>,
    /// Take the child's memory from these nodes.
    pub memory: Option<Policy>,
    /// The signal that the child gets when the thread that spawns it ends.
    pub at_death: AtDeath,
    /// Descriptors that the child has under the same numbers; this process's are closed with the
    /// command.
    pub inherited: Vec<OwnedFd>,
}

impl Setup {
    /// Has `command` start its child in a process group of its own (its number is the child's
    /// pid), ended when the thread that spawns it ends, and with the rest of this setup. What fails is the error of `spawn`.
    ///
    /// The death signal is lost where the child executes a set-uid program.
    pub fn apply(self, command: &mut Command) {
        let mask = self.cpus.as_ref().map(|cpus| affinity::words_to_native(cpus.words()));
        let memory = self.memory.as_ref().map(Policy::prepare);
        let inherited = self.inherited;
        let parent = std::process::id();
        let at_death = match self.at_death {
            AtDeath::Kill => libc::SIGKILL,
            AtDeath::Terminate => libc::SIGTERM,
        };
        command.process_group(0);
        let in_child = move || {
            signal::as_usual_in_child();
            die_with_parent(parent, at_death).map_err(to_io)?;
            if let Some(mask) = &mask {
                affinity::set_current_mask(mask).map_err(to_io)?;
            }
            if let Some(memory) = &memory {
                memory.set().map_err(to_io)?;
            }
            for descriptor in &inherited {
                keep_at_exec(descriptor).map_err(to_io)?;
            }
            Ok(())
        };
        // SAFETY: the closure makes system calls only; it allocates nothing and takes no lock. An
        // `io::Error` from an errno is a plain value.
        unsafe { command.pre_exec(in_child) };
    }
}

fn to_io(errno: Errno) -> std::io::Error {
    std::io::Error::from_raw_os_error(errno.0)
}

fn keep_at_exec(descriptor: &OwnedFd) -> Result<(), Errno> {
    // SAFETY: takes numbers, touches no memory of ours.
    Errno::check(unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_SETFD, 0) }).map(drop)
}

/// Asks for a signal when the parent's thread ends. `parent` tells whether it already has.
fn die_with_parent(parent: u32, signal: libc::c_int) -> Result<(), Errno> {
    // SAFETY: takes numbers, touches no memory of ours.
    Errno::check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, signal as libc::c_ulong) })?;
    // SAFETY: takes nothing, cannot fail.
    let now = unsafe { libc::getppid() };
    if u32::try_from(now) == Ok(parent) { Ok(()) } else { Err(Errno(libc::ESRCH)) }
}

/// Makes orphans among the descendants of this process its children, so that what a trial
/// left behind is found ([`process_tree`](crate::process_tree)).
///
/// # Errors
/// What prctl(2) refuses with.
pub fn become_subreaper() -> Result<(), Errno> {
    // SAFETY: takes numbers, touches no memory of ours.
    Errno::check(unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1 as libc::c_ulong) }).map(drop)
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this status.
    Exited(i32),
    /// By a signal.
    Signalled {
        /// Its number, as in signal(7).
        signal: i32,
        /// Whether it left a core.
        core: bool,
    },
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Waited {
    /// The process has ended and is reaped. Its use is its own and that of children it waited for.
    Ended(Ending, Usage),
    /// The time ran out; the process still runs.
    TimedOut,
    /// A signal was caught; the process still runs.
    Interrupted(i32),
}

/// Waits for the child `pid` at most `timeout`, and no longer than until `interrupt` has a signal.
/// A child that has ended is reaped, so its `std::process::Child` must not be waited for again.
///
/// # Errors
/// `ECHILD` when `pid` is no child of this process; what pidfd_open(2) and poll(2) refuse with.
pub fn wait(pid: u32, timeout: Duration, interrupt: Option<&Interrupt>) -> Result<Waited, Errno> {
    let pid = to_pid(pid)?;
    let timeout_ns = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
    let deadline = clock::monotonic_ns().saturating_add(timeout_ns);
    // SAFETY: takes numbers, touches no memory of ours.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    let fd = Errno::check(fd as libc::c_int).map_err(|errno| match errno {
        Errno(libc::ESRCH) => Errno(libc::ECHILD),
        other => other,
    })?;
    // SAFETY: a new descriptor that nobody else owns.
    let child = unsafe { OwnedFd::from_raw_fd(fd) };
    loop {
        if let Some(signal) = interrupt.and_then(Interrupt::received) {
            return Ok(Waited::Interrupted(signal));
        }
        let left = deadline.saturating_sub(clock::monotonic_ns());
        let entry = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        // A negative descriptor is skipped by poll(2).
        let mut fds =
            [entry(child.as_raw_fd()), entry(interrupt.map_or(-1, |i| i.fd().as_raw_fd()))];
        // Rounded up: polling must not spin through the last millisecond.
        let left_ms = libc::c_int::try_from(left.div_ceil(1_000_000)).unwrap_or(libc::c_int::MAX);
        // SAFETY: two live entries.
        match Errno::check(unsafe { libc::poll(fds.as_mut_ptr(), 2, left_ms) }) {
            Ok(_) | Err(Errno(libc::EINTR)) => {}
            Err(errno) => return Err(errno),
        }
        if fds[0].revents != 0 {
            return reap(pid);
        }
        if left == 0 {
            return Ok(Waited::TimedOut);
        }
    }
}

fn reap(pid: libc::pid_t) -> Result<Waited, Errno> {
    let mut status = 0;
    // SAFETY: rusage is plain integers: all zeroes is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: writes to two live variables.
        match Errno::check(unsafe { libc::wait4(pid, &mut status, 0, &mut usage) }) {
            Ok(_) => break,
            Err(Errno(libc::EINTR)) => {}
            Err(errno) => return Err(errno),
        }
    }
    let ending = if libc::WIFSIGNALED(status) {
        Ending::Signalled { signal: libc::WTERMSIG(status), core: libc::WCOREDUMP(status) }
    } else {
        Ending::Exited(libc::WEXITSTATUS(status))
    };
    Ok(Waited::Ended(ending, Usage::from_raw(&usage)))
}

/// Sends SIGKILL to one process.
///
/// # Errors
/// `ESRCH` if the process does not exist, `EPERM` if it is another user's.
pub fn kill(pid: u32) -> Result<(), Errno> {
    let pid = to_pid(pid)?;
    // SAFETY: takes numbers, touches no memory of ours. The pid is positive: one process.
    Errno::check(unsafe { libc::kill(pid, libc::SIGKILL) }).map(drop)
}

/// Sends SIGKILL to every process of a group.
///
/// # Errors
/// `ESRCH` when the group is empty, `EPERM` when none of it is ours.
pub fn kill_group(group: u32) -> Result<(), Errno> {
    let group = to_pid(group)?;
    // SAFETY: takes numbers, touches no memory of ours.
    Errno::check(unsafe { libc::killpg(group, libc::SIGKILL) }).map(drop)
}

/// A pid as the kernel takes it. 0, 1 and what is negative mean other things to kill(2) than one
/// process: never sent.
fn to_pid(pid: u32) -> Result<libc::pid_t, Errno> {
    match libc::pid_t::try_from(pid) {
        Ok(pid) if pid > 1 => Ok(pid),
        _ => Err(Errno(libc::ESRCH)),
    }
}

/// Reaps a child that has ended; whether it did.
pub(crate) fn reap_if_ended(pid: u32) -> bool {
    let Ok(pid) = to_pid(pid) else { return false };
    let mut status = 0;
    // SAFETY: writes to one live variable; the usage is not asked for.
    let reaped = unsafe { libc::waitpid(pid, &mut status, libc::WNOHANG) };
    reaped == pid
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;

    use super::*;
    use crate::process_tree::{Process, descendants};

    fn shell(script: &str) -> u32 {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        Setup::default().apply(&mut command);
        command.spawn().expect("sh").id()
    }

    const LONG: Duration = Duration::from_secs(30);

    #[test]
    fn an_end_is_told_with_its_status_and_its_use() {
        match wait(shell("exit 7"), LONG, None) {
            Ok(Waited::Ended(Ending::Exited(7), usage)) => assert!(usage.max_resident_kib > 0),
            other => panic!("{other:?}"),
        }
        match wait(shell("kill -SEGV $$"), LONG, None) {
            Ok(Waited::Ended(Ending::Signalled { signal: libc::SIGSEGV, .. }, _)) => {}
            other => panic!("{other:?}"),
        }
        assert_eq!(wait(std::process::id(), Duration::ZERO, None), Ok(Waited::TimedOut));
    }

    #[test]
    fn a_wait_has_an_end_and_a_group_is_killed_with_what_it_forked() {
        let pid = shell("sleep 600 & sleep 600");
        // Until both are there.
        let until = clock::monotonic_ns() + 20_000_000_000;
        while descendants(pid).expect("/proc").len() < 2 {
            assert!(clock::monotonic_ns() < until, "the shell forked nothing");
            clock::sleep_ns(1_000_000).expect("a sleep");
        }
        let children = descendants(pid).expect("/proc");
        let before = clock::monotonic_ns();
        assert_eq!(wait(pid, Duration::from_millis(20), None), Ok(Waited::TimedOut));
        assert!(clock::monotonic_ns() - before >= 20_000_000);
        kill_group(pid).expect("killed");
        match wait(pid, LONG, None) {
            Ok(Waited::Ended(Ending::Signalled { signal: libc::SIGKILL, core: false }, _)) => {}
            other => panic!("{other:?}"),
        }
        for Process { pid: child, .. } in children {
            // Gone, or dead and not yet reaped by whoever inherited it.
            let state = |pid| {
                let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
                stat.rsplit_once(')').map(|(_, rest)| rest.trim_start().starts_with('Z'))
            };
            let until = clock::monotonic_ns() + 20_000_000_000;
            while state(child) == Some(false) {
                assert!(clock::monotonic_ns() < until, "{child} outlived its group");
                clock::sleep_ns(1_000_000).expect("a sleep");
            }
        }
    }

    #[test]
    fn a_child_starts_on_its_cpus() {
        let cpu = affinity::current().expect("affinity").iter().last().expect("a CPU");
        let mut command = Command::new("/bin/sh");
        command.args([
            "-c",
            &format!("grep -q '^Cpus_allowed_list:[[:space:]]{cpu}$' /proc/self/status"),
        ]);
        Setup { cpus: Some([cpu].into_iter().collect()), ..Setup::default() }.apply(&mut command);
        let child = command.spawn().expect("sh").id();
        assert!(matches!(wait(child, LONG, None), Ok(Waited::Ended(Ending::Exited(0), _))));
        let mut command = Command::new("/bin/sh");
        Setup { cpus: Some([8000].into_iter().collect()), ..Setup::default() }.apply(&mut command);
        let error = command.spawn().expect_err("no such CPU");
        assert_eq!(Errno::of(&error), Some(Errno(libc::EINVAL)));
    }

    #[test]
    fn a_child_inherits_what_it_is_given_and_nothing_else() {
        let (mut ours, childs) = std::io::pipe().expect("a pipe");
        let (_, other) = std::io::pipe().expect("a pipe");
        let (given, not_given) = (childs.as_raw_fd(), other.as_raw_fd());
        let mut command = Command::new("/bin/sh");
        let script = format!(
            "test -e /proc/self/fd/{not_given} && said=both; printf ${{said:-one}} >/proc/self/fd/{given}"
        );
        command.args(["-c", &script]);
        Setup { inherited: vec![childs.into()], ..Setup::default() }.apply(&mut command);
        let child = command.spawn().expect("sh").id();
        drop(command);
        let mut said = String::new();
        ours.read_to_string(&mut said).expect("closed by the child's end");
        assert_eq!(said, "one");
        assert!(matches!(wait(child, LONG, None), Ok(Waited::Ended(Ending::Exited(0), _))));
    }

    #[test]
    fn what_is_no_child_is_refused() {
        assert_eq!(wait(0, LONG, None), Err(Errno(libc::ESRCH)));
        assert_eq!(wait(u32::MAX, LONG, None), Err(Errno(libc::ESRCH)));
        for pid in [0, 1, u32::MAX, 1 << 31] {
            assert_eq!(kill(pid), Err(Errno(libc::ESRCH)));
            assert_eq!(kill_group(pid), Err(Errno(libc::ESRCH)));
        }
    }
}
