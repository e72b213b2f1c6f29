//! How many threads a process may have, and which of the many limits is the one that binds.
//!
//! pthread_create answers EAGAIN for all of them alike, and after the first thousand threads have
//! been made; here they are read beforehand. Other processes come and go, so a number that is
//! just within may still fail: the reading is a forecast.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// A limit on threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadLimit {
    /// Its name: a sysctl, a resource limit, or a file of a control group.
    pub name: String,
    /// The most threads that it allows, those in use included.
    pub limit: u64,
    /// How many of them are in use by others and by this process.
    pub in_use: u64,
    /// What is counted.
    pub counts: &'static str,
}

impl ThreadLimit {
    /// Threads that it still has room for.
    pub fn room(&self) -> u64 {
        self.limit.saturating_sub(self.in_use)
    }
}

impl fmt::Display for ThreadLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} leaves room for {} more threads ({} for {}, {} in use)",
            self.name,
            self.room(),
            self.limit,
            self.counts,
            self.in_use
        )
    }
}

/// All limits that could be read and apply to this process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThreadLimits {
    /// In no order.
    pub all: Vec<ThreadLimit>,
}

impl ThreadLimits {
    /// Reads them. What can't be read is left out.
    pub fn read() -> ThreadLimits {
        let mut all = Vec::new();
        let in_system = text("/proc/loadavg").and_then(|text| tasks_in_loadavg(&text)).unwrap_or(0);
        for (name, file) in [
            ("kernel.threads-max", "/proc/sys/kernel/threads-max"),
            ("kernel.pid_max", "/proc/sys/kernel/pid_max"),
        ] {
            if let Some(limit) = number(file) {
                let counts = "all threads of the system";
                all.push(ThreadLimit { name: name.into(), limit, in_use: in_system, counts });
            }
        }
        if let Some(maps) = number("/proc/sys/vm/max_map_count") {
            // A stack and its guard page are a mapping each.
            let in_use = text("/proc/self/maps").map_or(0, |text| text.lines().count() as u64);
            all.push(ThreadLimit {
                name: "vm.max_map_count".into(),
                limit: maps / 2,
                in_use: in_use.div_ceil(2),
                counts: "this process, two mappings a thread",
            });
        }
        let status = text("/proc/self/status").unwrap_or_default();
        if !exempt_from_nproc(&status)
            && let Some(limit) = nproc()
        {
            all.push(ThreadLimit {
                name: "RLIMIT_NPROC".into(),
                limit,
                in_use: threads_of_user(&status),
                counts: "all threads of this user",
            });
        }
        all.extend(control_group_limits(
            &text("/proc/self/cgroup").unwrap_or_default(),
            &text("/proc/self/mountinfo").unwrap_or_default(),
        ));
        ThreadLimits { all }
    }

    /// The one with the least room.
    pub fn binding(&self) -> Option<&ThreadLimit> {
        self.all.iter().min_by_key(|limit| limit.room())
    }

    /// Whether there is room for so many threads more.
    ///
    /// # Errors
    /// The limit that has none.
    pub fn check(&self, threads: u32) -> Result<(), &ThreadLimit> {
        match self.binding() {
            Some(limit) if limit.room() < u64::from(threads) => Err(limit),
            _ => Ok(()),
        }
    }
}

fn text(path: impl AsRef<Path>) -> Option<String> {
    fs::read_to_string(path).ok()
}

fn number(path: impl AsRef<Path>) -> Option<u64> {
    text(path)?.trim().parse().ok()
}

/// The number behind the stroke in `0.20 0.18 0.12 1/80 11206`.
fn tasks_in_loadavg(text: &str) -> Option<u64> {
    text.split_ascii_whitespace().nth(3)?.split_once('/')?.1.parse().ok()
}

fn nproc() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is to a live rlimit that the kernel fills.
    let returned = unsafe { libc::getrlimit(libc::RLIMIT_NPROC, &mut limit) };
    (returned == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// The kernel enforces RLIMIT_NPROC neither on the root user nor on who has CAP_SYS_ADMIN (21) or
/// CAP_SYS_RESOURCE (24).
fn exempt_from_nproc(status: &str) -> bool {
    let capable = field(status, "CapEff:")
        .and_then(|bits| u64::from_str_radix(bits, 16).ok())
        .is_some_and(|bits| bits & (1 << 21 | 1 << 24) != 0);
    capable || real_user(status) == Some("0")
}

fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

fn real_user(status: &str) -> Option<&str> {
    field(status, "Uid:")?.split_ascii_whitespace().next()
}

/// Threads of all processes with the same real user; processes that `/proc` hides are not counted.
fn threads_of_user(own_status: &str) -> u64 {
    let Some(user) = real_user(own_status) else { return 0 };
    let Ok(entries) = fs::read_dir("/proc") else { return 0 };
    entries
        .flatten()
        .filter(|entry| entry.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit))
        .filter_map(|entry| text(entry.path().join("status")))
        .filter(|status| real_user(status) == Some(user))
        .filter_map(|status| field(&status, "Threads:")?.parse::<u64>().ok())
        .sum()
}

/// `pids.max` of the process's control group and of each above it, as far as they are mounted.
fn control_group_limits(cgroup: &str, mountinfo: &str) -> Vec<ThreadLimit> {
    let mut limits = Vec::new();
    for (root, folder) in pids_folders(cgroup, mountinfo) {
        for folder in folder.ancestors().take_while(|folder| folder.starts_with(&root)) {
            // The root group has no such file; a group without a limit says `max`.
            if let Some(limit) = number(folder.join("pids.max")) {
                limits.push(ThreadLimit {
                    name: folder.join("pids.max").display().to_string(),
                    limit,
                    in_use: number(folder.join("pids.current")).unwrap_or(0),
                    counts: "this control group",
                });
            }
        }
    }
    limits
}

/// Where the process's groups of the pids controller are: a mount, and a folder in it.
fn pids_folders(cgroup: &str, mountinfo: &str) -> Vec<(PathBuf, PathBuf)> {
    let mut folders = Vec::new();
    for line in cgroup.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let unified = controllers.is_empty();
        if !unified && controllers.split(',').all(|controller| controller != "pids") {
            continue;
        }
        for mount in mountinfo.lines() {
            // 30 23 0:26 /root /mount/point options [optional…] - type source super-options
            let Some((left, right)) = mount.split_once(" - ") else { continue };
            let mut right = right.split(' ');
            let (kind, options) = (right.next(), right.nth(1));
            let served = match kind {
                Some("cgroup2") => unified,
                Some("cgroup") => {
                    !unified && options.is_some_and(|o| o.split(',').any(|o| o == "pids"))
                }
                _ => false,
            };
            let mut left = left.split(' ');
            let (Some(root), Some(point)) = (left.nth(3), left.next()) else { continue };
            // The mount may show only a part of the hierarchy, as in a container.
            if served && let Ok(below) = Path::new(path).strip_prefix(root) {
                folders.push((PathBuf::from(point), Path::new(point).join(below)));
            }
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str = "Name:\tcat\nUid:\t1000\t1000\t1000\t1000\nThreads:\t3\n\
                          CapEff:\t0000000000000000\n";

    #[test]
    fn the_least_room_binds() {
        let limit = |name: &str, limit, in_use| ThreadLimit {
            name: name.into(),
            limit,
            in_use,
            counts: "a test",
        };
        let limits = ThreadLimits {
            all: vec![limit("a", 1000, 10), limit("b", 500, 20), limit("c", 10, 50)],
        };
        assert_eq!(limits.binding().map(|l| l.name.as_str()), Some("c"));
        assert_eq!(limits.check(0), Ok(()));
        let two = ThreadLimits { all: limits.all[..2].to_vec() };
        assert_eq!(two.check(480), Ok(()));
        assert_eq!(
            two.check(481).expect_err("too many").to_string(),
            "b leaves room for 480 more threads (500 for a test, 20 in use)"
        );
        assert_eq!(ThreadLimits::default().check(u32::MAX), Ok(()));
    }

    #[test]
    fn who_is_exempt() {
        assert!(!exempt_from_nproc(STATUS));
        assert!(exempt_from_nproc(&STATUS.replace("Uid:\t1000", "Uid:\t0")));
        for capability in [21, 24] {
            let bits = format!("CapEff:\t{:016x}", 1u64 << capability);
            assert!(exempt_from_nproc(&STATUS.replace("CapEff:\t0000000000000000", &bits)));
        }
        assert!(!exempt_from_nproc(""));
    }

    #[test]
    fn tasks_are_behind_the_stroke() {
        assert_eq!(tasks_in_loadavg("0.20 0.18 0.12 1/80 11206\n"), Some(80));
        for text in ["", "0.20 0.18 0.12", "0.20 0.18 0.12 1 11206", "0 0 0 1/x 1"] {
            assert_eq!(tasks_in_loadavg(text), None, "{text:?}");
        }
    }

    #[test]
    fn groups_are_found_in_both_hierarchies() {
        // A desktop with the unified hierarchy.
        let folders = pids_folders(
            "0::/user.slice/user-1000.slice/session-3.scope\n",
            "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n",
        );
        let (root, folder) = &folders[0];
        assert_eq!(root, Path::new("/sys/fs/cgroup"));
        assert_eq!(folder, Path::new("/sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope"));
        // Version 1, and a container that sees its own part only.
        let mounts = "40 35 0:35 /docker/ab /sys/fs/cgroup/pids ro - cgroup cgroup rw,pids\n\
                      41 35 0:36 / /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct\n";
        let folders = pids_folders("8:pids:/docker/ab/child\n4:memory:/docker/ab\n", mounts);
        let point = PathBuf::from("/sys/fs/cgroup/pids");
        assert_eq!(folders, [(point.clone(), point.join("child"))]);
        // A group outside of what is mounted.
        assert_eq!(pids_folders("8:pids:/elsewhere\n", mounts), []);
        assert_eq!(pids_folders("8:pids\n\n:::\n", "x - cgroup\n"), []);
    }

    #[test]
    fn this_machine_has_limits_that_this_test_is_within() {
        let limits = ThreadLimits::read();
        assert!(limits.all.iter().any(|limit| limit.name == "kernel.threads-max"));
        assert!(limits.binding().expect("one").room() > 0);
        assert_eq!(limits.check(1), Ok(()));
    }
}
