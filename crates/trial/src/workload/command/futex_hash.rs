//! The private hash of a program that is not ours: asked for, and read, from inside.
//!
//! A preloaded library (`crates/preload`) asks the kernel as each program of the command is
//! loaded, and in each forked child, and reads the slots as each exits. It reports to a file that
//! only this process names. Under a policy that asks for something, every process must report
//! that it was granted, and at least one that it still held in the end; otherwise the trial is
//! refused, since nothing may be measured under a label that wasn't so.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::process::Command;

use kernel_abi::Errno;
use kernel_abi::futex_hash::{self, Support};
use kernel_abi::memory_file;

use super::output::{self, OutputError};
use crate::futex_hash::{call, online_cpus};
use model::factor::Hash;
use model::record::Pivot;
use thiserror::Error;

/// Where the runner says that the library is.
pub const LIBRARY: &str = "STALLSCOPE_PRELOAD";

/// What is asked of the hash in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    request: Option<(u32, bool)>,
    private_hash: bool,
}

impl Order {
    /// From the hash policy, on this kernel.
    pub fn new(hash: Hash) -> Result<Order, HashInsideError> {
        let private_hash = match futex_hash::support() {
            Ok((support, _)) => support == Support::Private,
            Err(errno) => return Err(HashInsideError::Support(errno)),
        };
        let request = match hash {
            Hash::Auto => None,
            // Where there is no private hash, every process is in the global one.
            Hash::Global => private_hash.then_some((0, false)),
            Hash::Slots { slots, immutable } => {
                if !private_hash {
                    return Err(HashInsideError::NoPrivateHash(hash));
                }
                Some((slots, immutable))
            }
        };
        Ok(Order { request, private_hash })
    }

    /// Whether anything is asked; otherwise the slots are only read.
    pub fn asks(&self) -> bool {
        self.request.is_some()
    }

    /// Whether what was asked was granted and held.
    pub fn held(&self, seen: &Seen) -> Result<(), HashInsideError> {
        let Some((slots, immutable)) = self.request else { return Ok(()) };
        let bad = |problem| Err(HashInsideError::NotHeld { call: call(slots, immutable), problem });
        if let Some((pid, errno)) = seen.refused {
            return bad(Lost::Refused { pid, errno });
        }
        if seen.asked == 0 {
            return bad(Lost::NotMade);
        }
        match seen.ends.iter().find(|(_, end)| *end != Some(slots)) {
            Some(&(pid, end)) => bad(Lost::Changed { pid, end }),
            None if seen.ends.is_empty() => bad(Lost::NotShown),
            None => Ok(()),
        }
    }

    /// What can be said of a growth: how many threads the program makes, and when, nobody outside
    /// knows, and nobody looked while it ran. That no growth can be due is known of some all the same.
    pub fn pivot(&self, policy: Hash) -> Option<Pivot> {
        let can_grow = online_cpus().is_none_or(futex_hash::race_possible);
        match (self.private_hash, policy) {
            (false, _) => Some(Pivot::Unsupported),
            (true, Hash::Slots { .. } | Hash::Global) => Some(Pivot::None),
            (true, Hash::Auto) => (!can_grow).then_some(Pivot::None),
        }
    }
}

/// Why the hash of a program is not as the trial asks.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum HashInsideError {
    /// Whether the kernel has private hashes can't be found out.
    #[error("prctl(PR_FUTEX_HASH, GET_SLOTS): {0}")]
    Support(Errno),
    /// The kernel has none.
    #[error("hash \"{0}\" is not possible: this kernel has no private futex hash")]
    NoPrivateHash(Hash),
    /// What was asked was not granted to every process, or did not hold.
    #[error("{call}{problem}")]
    NotHeld {
        /// The call that was to be made inside.
        call: String,
        /// What became of it.
        problem: Lost,
    },
    /// The library's report has a line that is none.
    #[error("the report from inside the command has a line {0:?}")]
    Report(String),
    /// The library can't be preloaded.
    #[error("{0}")]
    Library(String),
    /// The report can't be read.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// What became of a request inside a program.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Lost {
    /// A process was refused.
    #[error(" in process {pid} of the command: {errno}")]
    Refused {
        /// The process.
        pid: u32,
        /// The kernel's answer.
        errno: Errno,
    },
    /// Nobody asked.
    #[error(
        " was not made: nothing was preloaded into the command. It may be statically linked or set-uid, \
         or clear its environment"
    )]
    NotMade,
    /// A process ended with other slots.
    #[error(
        " was granted{}",
        match end {
            Some(end) => format!(
                " and did not hold: process {pid} of the command ended with {end} slots"
            ),
            None => format!(
                ", and process {pid} of the command could not read the slots in the end"
            ),
        }
    )]
    Changed {
        /// The process.
        pid: u32,
        /// Its slots in the end.
        end: Option<u32>,
    },
    /// Nobody said what was there in the end.
    #[error(
        " was granted, and that it held can't be shown: no process of the command ended by exit(3), where \
         its slots are read"
    )]
    NotShown,
}

/// What was reported from inside.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seen {
    /// Processes and programs that were asked.
    pub asked: usize,
    /// The first that was refused, by its number, with the errno.
    pub refused: Option<(u32, Errno)>,
    /// Slots before anything was asked, of the first program.
    pub before: Option<u32>,
    /// Slots once it was asked, of the first program.
    pub after: Option<u32>,
    /// Slots in the end: the most of any process. A shell around a program has none of its own.
    pub end: Option<u32>,
    /// Slots in the end, of each process that told.
    pub ends: Vec<(u32, Option<u32>)>,
}

impl Seen {
    /// From the library's report; see its documentation for the lines.
    pub fn parse(report: &str) -> Result<Seen, HashInsideError> {
        let mut seen = Seen::default();
        for line in report.lines() {
            let bad = || HashInsideError::Report(line.to_string());
            let slots = |text: &str| match text {
                "-" => Ok(None),
                number => number.parse().map(Some).map_err(|_| bad()),
            };
            let fields: Vec<&str> = line.split(' ').collect();
            let pid = fields.get(1).and_then(|pid| pid.parse().ok()).ok_or_else(bad)?;
            match fields.as_slice() {
                ["begin" | "fork", _, before, after, errno] => {
                    let errno: i32 = errno.parse().map_err(|_| bad())?;
                    let (before, after) = (slots(before)?, slots(after)?);
                    if seen.asked == 0 {
                        (seen.before, seen.after) = (before, after);
                    }
                    seen.asked += 1;
                    if errno != 0 && seen.refused.is_none() {
                        seen.refused = Some((pid, Errno(errno)));
                    }
                }
                ["end", _, end] => {
                    let end = slots(end)?;
                    seen.ends.push((pid, end));
                    seen.end = seen.end.max(end);
                }
                _ => return Err(bad()),
            }
        }
        Ok(seen)
    }
}

/// The report of one command.
#[derive(Debug)]
pub struct Inside {
    /// `None` where the slots can't be read from inside, and need not be.
    library: Option<(OsString, File)>,
    order: Order,
}

impl Inside {
    /// Finds the library and makes the file for the report.
    pub fn new(order: &Order) -> Result<Inside, HashInsideError> {
        fn bad<T>(problem: String) -> Result<T, HashInsideError> {
            Err(HashInsideError::Library(problem))
        }
        let library = match (env::var_os(LIBRARY), order.asks()) {
            (Some(library), _) if !library.is_empty() => {
                // The loader takes spaces and colons for the end of a name.
                if library.to_string_lossy().contains([' ', ':']) {
                    return bad(format!(
                        "{LIBRARY} is {library:?}: a path with a space or a colon can't be \
                         preloaded"
                    ));
                }
                fs::metadata(&library)
                    .map(drop)
                    .or_else(|error| bad(format!("{LIBRARY} {library:?}: {error}")))?;
                let report = memory_file::appended()
                    .or_else(|errno| bad(format!("a file in memory for the report: {errno}")))?;
                Some((library, report))
            }
            (_, true) => {
                return bad(format!(
                    "the hash of a command is set by a preloaded library, and {LIBRARY} does not \
                     say where it is; the runner sets it"
                ));
            }
            (_, false) => None,
        };
        Ok(Inside { library, order: *order })
    }

    /// Puts the library and its order into the command's environment.
    pub fn preload(&self, command: &mut Command) {
        let Some((library, report)) = &self.library else { return };
        let own = command.get_envs().find(|(key, _)| *key == "LD_PRELOAD");
        let others = match own {
            Some((_, value)) => value.map(OsString::from),
            None => env::var_os("LD_PRELOAD"),
        };
        let mut preload = library.clone();
        if let Some(others) = others.filter(|others| !others.is_empty()) {
            preload.push(":");
            preload.push(others);
        }
        command.env("LD_PRELOAD", preload);
        // The file has no name any more; this one leads to it while this process lives.
        let path = format!("/proc/{}/fd/{}", std::process::id(), report.as_raw_fd());
        command.env("STALLSCOPE_SLOTS_REPORT", path);
        match self.order.request {
            Some((slots, true)) => command.env("STALLSCOPE_SLOTS", format!("{slots}+immutable")),
            Some((slots, false)) => command.env("STALLSCOPE_SLOTS", slots.to_string()),
            None => command.env_remove("STALLSCOPE_SLOTS"),
        };
    }

    /// What was reported, once all processes of the command have ended.
    pub fn seen(&mut self) -> Result<Seen, HashInsideError> {
        match &mut self.library {
            Some((_, report)) => Seen::parse(&output::text_of(report)?),
            None => Ok(Seen::default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EINVAL: Errno = Errno(22);

    fn order(slots: u32) -> Order {
        Order { request: Some((slots, false)), private_hash: true }
    }

    #[test]
    fn a_report_is_read_line_by_line() {
        let report = "begin 7 0 512 0\nfork 8 0 512 0\nend 8 512\nend 7 512\n";
        let seen = Seen::parse(report).expect("a report");
        assert_eq!((seen.asked, seen.refused), (2, None));
        assert_eq!((seen.before, seen.after, seen.end), (Some(0), Some(512), Some(512)));
        assert_eq!(order(512).held(&seen), Ok(()));
        let none = Seen::parse("begin 7 - - 0\nend 7 -\n").expect("a report");
        assert_eq!((none.before, none.after, none.end), (None, None, None));
        for line in ["start 7", "begin 7 0 512", "end x 5", "end 7 5 6", "begin 7 a 0 0", " "] {
            assert!(Seen::parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_setting_that_was_refused_lost_or_never_asked_is_told() {
        let held = |report: &str| {
            let held = order(512).held(&Seen::parse(report).expect("a report"));
            held.map_err(|error| error.to_string())
        };
        let refused = format!("begin 7 0 0 {}\nend 7 16\n", EINVAL.0);
        assert!(held(&refused).expect_err("").contains("process 7 of the command: EINVAL"));
        assert!(held("").expect_err("").contains("nothing was preloaded"));
        let lost = held("begin 7 0 512 0\nend 7 16\n").expect_err("");
        assert!(lost.contains("did not hold") && lost.contains("16 slots"), "{lost}");
        assert!(held("begin 7 0 512 0\n").expect_err("").contains("can't be shown"));
        // Under a policy that asks nothing, nothing has to be shown.
        let auto = Order { request: None, private_hash: true };
        assert_eq!(auto.held(&Seen::default()), Ok(()));
    }

    #[test]
    fn a_shell_around_a_program_does_not_hide_its_slots() {
        let report = "begin 7 0 0 0\nbegin 8 0 0 0\nend 8 64\nend 7 0\n";
        assert_eq!(Seen::parse(report).expect("a report").end, Some(64));
    }
}
