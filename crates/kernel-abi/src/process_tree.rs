//! What descends from a process, and its end: also that of a chain which forks and exits faster than
//! `/proc` can be listed.

use std::fs;
use std::io;
use std::time::Duration;

use crate::clock;
use crate::process::{kill, kill_group, reap_if_ended};

/// A process as `/proc` has it at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Process {
    /// Its number, which another process may have later.
    pub pid: u32,
    /// When it was started, in clock ticks since the boot: with the number, it is one process's alone.
    pub started: u64,
    parent: u32,
    group: u32,
    is_dead: bool,
    /// CPU time of its own and of its reaped children, in clock ticks.
    cpu_ticks: u64,
}

impl Process {
    /// The process of this number; `None` where there is none.
    pub fn of(pid: u32) -> Option<Process> {
        // One that has ended since is none any more.
        Process::in_stat(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Fields of `/proc/PID/stat`; the second is a name that may hold spaces and brackets.
    fn in_stat(pid: u32, stat: &str) -> Option<Process> {
        let (_, rest) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let number = |at: usize| fields.get(at).and_then(|text| text.parse::<u64>().ok());
        Some(Process {
            pid,
            started: fields.get(19)?.parse().ok()?,
            parent: fields.get(1)?.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            is_dead: matches!(fields.first(), Some(&("Z" | "X"))),
            cpu_ticks: (11..15).filter_map(number).sum(),
        })
    }

    /// Whether it had not ended; one that has may wait to be reaped.
    pub fn is_alive(&self) -> bool {
        !self.is_dead
    }

    /// Whether its environment, as it was when its program was started, has `NAME=value`. Of another
    /// user's process that can't be told: `false`.
    pub fn was_started_with(&self, variable: &str) -> bool {
        fs::read(format!("/proc/{}/environ", self.pid)).is_ok_and(|environment| {
            environment.split(|byte| *byte == 0).any(|found| found == variable.as_bytes())
        })
    }
}

/// All processes.
fn all() -> io::Result<Vec<Process>> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        found.extend(Process::of(pid));
    }
    Ok(found)
}

/// Every process that descends from `pid` at this moment; parents before their children. Ended ones
/// that nobody reaped are among them.
///
/// # Errors
/// When `/proc` can't be listed.
pub fn descendants(pid: u32) -> io::Result<Vec<Process>> {
    below(pid, &|_| false)
}

/// As [`descendants`], without those that are spared and what descends from them.
fn below(pid: u32, spared: &dyn Fn(&Process) -> bool) -> io::Result<Vec<Process>> {
    let all = all()?;
    let mut found: Vec<Process> = Vec::new();
    let mut parent = pid;
    let mut next = 0;
    loop {
        for process in &all {
            if process.parent == parent && !found.contains(process) && !spared(process) {
                found.push(*process);
            }
        }
        match found.get(next) {
            Some(process) => parent = process.pid,
            None => return Ok(found),
        }
        next += 1;
    }
}

/// Clock ticks a second, in which Linux tells CPU times to every program.
const TICKS_PER_S: f64 = 100.0;

/// The CPU seconds that all which descends from `pid` has used; 0 where `/proc` can't be listed.
pub fn cpu_s_below(pid: u32) -> f64 {
    let processes = descendants(pid).unwrap_or_default();
    processes.iter().map(|process| process.cpu_ticks).sum::<u64>() as f64 / TICKS_PER_S
}

/// What came of ending processes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ended {
    /// How many were sent SIGKILL, those that had ended before not counted.
    pub killed: usize,
    /// Those that are still there: in state D, or another user's.
    pub left: Vec<Process>,
}

/// How often the newest process of the system is looked at for each time that all are.
const LOOKS_AT_THE_NEWEST: u32 = 64;

/// Sends SIGKILL to all that descends from this process, but for what is spared and what descends from
/// that, until nothing of it is left or `within` is over; reaps what is this process's child. This
/// process should be the reaper of orphans, see [`become_subreaper`](crate::process::become_subreaper).
pub fn end_descendants(spared: &dyn Fn(&Process) -> bool, within: Duration) -> Ended {
    let own = std::process::id();
    end(
        &|| below(own, spared).unwrap_or_default(),
        &|process| descends_from(process, own, spared),
        within,
    )
}

/// Sends SIGKILL to every process that was started with `NAME=value` in its environment, and waits for
/// their end; this process and those that it descends from are spared.
pub fn end_started_with(variable: &str, within: Duration) -> Ended {
    let mut line = vec![std::process::id()];
    while let Some(process) = line.last().and_then(|pid| Process::of(*pid)) {
        line.push(process.parent);
    }
    let is_one = |process: &Process| {
        !process.is_dead && !line.contains(&process.pid) && process.was_started_with(variable)
    };
    let found = || {
        let mut all = all().unwrap_or_default();
        all.retain(is_one);
        all
    };
    end(&found, &is_one, within)
}

fn end(
    found: &dyn Fn() -> Vec<Process>,
    is_one: &dyn Fn(&Process) -> bool,
    within: Duration,
) -> Ended {
    let deadline = clock::monotonic_ns().saturating_add(within.as_nanos() as u64);
    let own_group = Process::of(std::process::id()).map_or(0, |own| own.group);
    let mut killed = std::collections::BTreeSet::new();
    let mut kill_one = |process: &Process| {
        if !process.is_dead {
            killed.insert((process.pid, process.started));
            // With its group at once: what it is just forking is in it. A group that it only joined is not
            // its own to end.
            if process.group == process.pid && process.group != own_group {
                let _ = kill_group(process.group);
            }
            let _ = kill(process.pid);
        }
        reap_if_ended(process.pid);
    };
    let mut pause_ns = 100_000;
    let left = loop {
        let found = found();
        if found.is_empty() {
            break found;
        }
        found.iter().for_each(&mut kill_one);
        // A chain that forks and exits is not in the listing any more when the listing is read. Its last
        // link is the newest process of the system.
        for _ in 0..LOOKS_AT_THE_NEWEST {
            if let Some(newest) = newest()
                && is_one(&newest)
            {
                kill_one(&newest);
            }
        }
        if clock::monotonic_ns() >= deadline {
            break found;
        }
        let _ = clock::sleep_ns(pause_ns);
        pause_ns = (pause_ns * 2).min(20_000_000);
    };
    Ended { killed: killed.len(), left }
}

/// The process that was made last, by the last field of `/proc/loadavg`.
fn newest() -> Option<Process> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    Process::of(text.split_ascii_whitespace().last()?.parse().ok()?)
}

/// Whether `ancestor` is above a process, with nothing spared between them.
fn descends_from(process: &Process, ancestor: u32, spared: &dyn Fn(&Process) -> bool) -> bool {
    let mut at = *process;
    // No tree is so high: a number that was given anew may close a circle.
    for _ in 0..1000 {
        if spared(&at) {
            return false;
        }
        if at.parent == ancestor {
            return true;
        }
        match Process::of(at.parent) {
            Some(parent) => at = parent,
            None => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_past_any_name() {
        let rest = " 34 30 12 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 777 9 9";
        let process = Process::in_stat(12, &format!("12 (a) b) S{rest}")).expect("one");
        assert_eq!((process.parent, process.group, process.started), (34, 30, 777));
        assert!(
            !process.is_dead && Process::in_stat(12, &format!("12 (a) Z{rest}")).unwrap().is_dead
        );
        for text in ["", "12 (a", "12 (a)", "12 (a) S", "12 (a) S x", "12 (a) S 34 30"] {
            assert_eq!(Process::in_stat(12, text), None, "{text:?}");
        }
        let own = Process::of(std::process::id()).expect("this one");
        assert!(own.started > 0 && !own.is_dead);
        assert_eq!(Process::of(u32::MAX), None);
    }
}
