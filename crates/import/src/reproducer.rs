//! `futex_hash_repro`, the reproducer of the report: a line a run.
//!
//! `threads=96 slots(start=0 set=512 end=512) 5.00s 1049.0 Mops/s`
//!
//! | printed | column |
//! | --- | --- |
//! | `start`, `set`, `end` | `slots_start`, `slots_set`, `slots_end`; -1 is a kernel without the private hash |
//! | seconds | `elapsed_s`: from the last thread's creation to the last join |
//! | Mops/s | `mops_per_s`: it counts what the threads did before the last one existed, too |
//!
//! Its threads work from the moment each exists: ramp `burst`. It does not look at the slots while
//! they work, so `slots_loaded` and `pivot` stay empty. A command line above the results says the
//! planned seconds, the placement and whether slots were asked for.

use model::factor::Hash;

use crate::imported::{Imported, ImportedTrial, Unread, Unusable};
use crate::lines::{self, Named, patterns};

patterns! {
    RESULT = r"^threads=(?<threads>\d+)\s+slots\(start=(?<start>-?\d+)\s+set=(?<set>-?\d+)\s+end=(?<end>-?\d+)\)\s+(?<seconds>\d+(?:\.\d+)?)s\s+(?<mops>\d+(?:\.\d+)?)\s+Mops/s$";
    REFUSED = r"^prctl\(SET_SLOTS, (?<slots>\d+)\): (?<error>.+)$";
}

/// What a command line says of the results below it.
#[derive(Debug, Clone, Default, PartialEq)]
struct Asked {
    threads: u32,
    seconds: u32,
    /// Below 0: the global hash; 0: nothing was asked.
    slots: i64,
    placement: String,
    memory: String,
}

/// Reads a log of the reproducer.
pub fn read(text: &str) -> Imported {
    let mut imported = Imported::default();
    let mut asked = None;
    let mut refused: Option<(usize, String, u32, String)> = None;
    for (number, line) in lines::plain(text) {
        imported.lines += 1;
        if let Some(found) = RESULT.captures(line) {
            match result(number, &found, asked.as_ref(), refused.take()) {
                Ok(trial) => imported.trials.push(trial),
                Err(why) => imported.unread.push(Unread::because(number, line, &why)),
            }
        } else if let Some((slots, error)) = REFUSED.captures(line).and_then(|found| {
            Some((found["slots"].parse::<u32>().ok()?, found["error"].to_string()))
        }) {
            if let Some((number, line, ..)) = refused.replace((number, line.into(), slots, error)) {
                imported.unread.push(Unread::because(number, &line, &Unusable::NoResult));
            }
        } else {
            // What another command's line said does not hold below this one.
            let named = lines::named(line, "futex_hash_repro");
            let found = match &named {
                Some(Named::Command(words)) => command(words),
                _ => None,
            };
            if found.is_none() {
                imported.unread.push(Unread::new(number, line));
            }
            if named.is_some() {
                asked = found;
            }
        }
    }
    if let Some((number, line, ..)) = refused {
        imported.unread.push(Unread::because(number, &line, &Unusable::NoResult));
    }
    imported
}

fn result(
    number: usize,
    found: &regex::Captures<'_>,
    asked: Option<&Asked>,
    refused: Option<(usize, String, u32, String)>,
) -> Result<ImportedTrial, Unusable> {
    let mut trial = ImportedTrial::at(number);
    let cells = &mut trial.cells;
    cells.set("workload", "wake-storm")?;
    cells.set("ramp", "burst")?;
    cells.set("threads", &found["threads"])?;
    cells.set("elapsed_s", &found["seconds"])?;
    cells.set("mops_per_s", &found["mops"])?;
    let slots = |name: &str| {
        found[name].parse::<i64>().map_err(|_| Unusable::OutOfRange("number of slots"))
    };
    let (start, set, end) = (slots("start")?, slots("set")?, slots("end")?);
    for (column, slots) in [("slots_start", start), ("slots_set", set), ("slots_end", end)] {
        if slots >= 0 {
            cells.set(column, &slots.to_string())?;
        }
    }
    if start < 0 {
        cells.set("pivot", "unsupported")?;
    }
    let asked = asked.filter(|asked| {
        let same = cells.get("threads") == Some(asked.threads.to_string().as_str());
        // A log may be joined from several: a command that this can't be the result of says nothing.
        same && (set <= 0 || asked.slots == set)
    });
    if let Some(asked) = asked {
        cells.set("duration_s", &asked.seconds.to_string())?;
        cells.set("placement", &asked.placement)?;
        cells.set("memory", &asked.memory)?;
    }
    if let Some((_, line, slots, _)) = refused {
        cells.set("hash", &hash(i64::from(slots)))?;
        cells.set("status", "refused")?;
        cells.set("error", &line)?;
        return Ok(trial);
    }
    match asked {
        Some(asked) if asked.slots > 0 && set != asked.slots => {
            cells.set("hash", &hash(asked.slots))?;
            cells.set("status", "refused")?;
            cells.set("error", &format!("{} slots were asked for, {set} were set", asked.slots))?;
        }
        Some(asked) => cells.set("hash", &hash(asked.slots))?,
        None if set > 0 => cells.set("hash", &hash(set))?,
        None if end > 0 || start < 0 => cells.set("hash", &Hash::Auto.to_string())?,
        None => {
            let why = "slots(set=0 end=0) is the global hash asked for, or a kernel without the private one";
            trial.open.insert("hash", why.into());
        }
    }
    Ok(trial)
}

/// The policy of an argument or a count of slots; what is no policy stays as a text that is refused.
fn hash(slots: i64) -> String {
    match slots {
        0 => Hash::Auto.to_string(),
        n if n < 0 => Hash::Global.to_string(),
        n => format!("slots:{n}"),
    }
}

/// `numactl --membind=0-2 taskset -c 0-95 ./futex_hash_repro 96 5 512`
fn command((before, args): &lines::Command) -> Option<Asked> {
    let number = |at: usize, default: i64| match args.get(at) {
        Some(word) => word.parse::<i64>().ok(),
        None => Some(default),
    };
    let mut asked = Asked {
        threads: number(0, 96)?.try_into().ok()?,
        seconds: number(1, 5)?.try_into().ok()?,
        slots: number(2, 0)?,
        placement: "unpinned".into(),
        memory: "default".into(),
    };
    let mut words = before.iter().map(String::as_str).peekable();
    let mut tool = "";
    while let Some(word) = words.next() {
        if word == "numactl" || word == "taskset" {
            tool = word;
            continue;
        }
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word, words.peek().copied()),
        };
        let Some(value) = value else { continue };
        match (tool, option) {
            ("taskset", "-c" | "--cpu-list") | ("numactl", "-C" | "--physcpubind") => {
                asked.placement = format!("cpus:{value}");
            }
            ("numactl", "-N" | "--cpunodebind") => asked.placement = format!("node:{value}"),
            ("numactl", "-m" | "--membind") => asked.memory = format!("bind:{value}"),
            ("numactl", "-i" | "--interleave") => asked.memory = format!("interleave:{value}"),
            ("numactl", "-l" | "--localalloc") => asked.memory = "local".into(),
            _ => {}
        }
    }
    Some(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells<const N: usize>(trial: &ImportedTrial, columns: [&str; N]) -> [String; N] {
        columns.map(|column| trial.cells.get(column).unwrap_or("").to_string())
    }

    const REPORT: &str = "\
  # let the hash auto-scale (default)
  $ numactl --membind=0,1,2 taskset -c 0-95 ./futex_hash_repro 96 5 0
  threads=96 slots(start=0 set=0 end=512) 5.01s   13.0 Mops/s
  threads=96 slots(start=0 set=0   end=512) 5.01s    9.4 Mops/s

  $ numactl --membind=0,1,2 taskset -c 0-95 ./futex_hash_repro 96 5 512
  threads=96 slots(start=0 set=512 end=512) 5.00s 1049.0 Mops/s
";

    #[test]
    fn the_reports_own_lines() {
        let imported = read(REPORT);
        assert_eq!((imported.trials.len(), imported.lines), (3, 6));
        let named: Vec<usize> = imported.unread.iter().map(|unread| unread.line).collect();
        assert_eq!(named, [1], "a comment is no result, and is said");
        let columns = [
            "workload",
            "threads",
            "ramp",
            "hash",
            "placement",
            "memory",
            "duration_s",
            "mops_per_s",
        ];
        assert_eq!(
            cells(&imported.trials[0], columns),
            ["wake-storm", "96", "burst", "auto", "cpus:0-95", "bind:0,1,2", "5", "13"]
        );
        assert_eq!(imported.trials[1].line, 4);
        assert_eq!(
            cells(
                &imported.trials[2],
                ["hash", "slots_start", "slots_set", "slots_end", "elapsed_s"]
            ),
            ["slots:512", "0", "512", "512", "5"]
        );
        assert_eq!(imported.trials[2].cells.get("slots_loaded"), None);
        assert_eq!(imported.trials[2].cells.get("pivot"), None);
    }

    #[test]
    fn results_alone_say_less() {
        let imported = read(
            "threads=8 slots(start=0 set=64 end=64) 1.00s 80.1 Mops/s\r\n> threads=8 slots(start=-1 set=-1 end=-1) 1.00s 79.0 Mops/s\nthreads=8 slots(start=0 set=0 end=0) 1.00s 79.0 Mops/s\n",
        );
        let hashes: Vec<_> = imported.trials.iter().map(|t| t.cells.get("hash")).collect();
        assert_eq!(hashes, [Some("slots:64"), Some("auto"), None]);
        assert!(imported.trials[2].open["hash"].contains("global hash"));
        assert_eq!(
            cells(&imported.trials[1], ["pivot", "slots_start", "placement", "duration_s"]),
            ["unsupported", "", "", ""]
        );
    }

    #[test]
    fn arguments_choose_the_hash() {
        let run = |args: &str, set: i64, end: i64| {
            read(&format!(
                "$ ./futex_hash_repro {args}\nthreads=8 slots(start=0 set={set} end={end}) 1.00s 9.0 Mops/s\n"
            ))
            .trials
            .remove(0)
        };
        assert_eq!(cells(&run("8 1 -1", 0, 0), ["hash", "placement"]), ["global", "unpinned"]);
        assert_eq!(cells(&run("8 1", 0, 32), ["hash", "memory"]), ["auto", "default"]);
        assert_eq!(
            cells(&run("8 1 64", 0, 32), ["hash", "status"]),
            ["slots:64", "refused"],
            "asked for and not had is not a result under that name"
        );
        // The command of another run: 16 threads, or other slots.
        assert_eq!(cells(&run("16 1 64", 0, 32), ["hash", "duration_s"]), ["auto", ""]);
        assert_eq!(cells(&run("8 1 64", 128, 128), ["hash", "duration_s"]), ["slots:128", ""]);
    }

    #[test]
    fn a_refused_request_is_a_refused_trial() {
        let imported = read(
            "prctl(SET_SLOTS, 512): Invalid argument\nthreads=8 slots(start=0 set=0 end=32) 1.00s 9.0 Mops/s\nprctl(SET_SLOTS, 64): Operation not permitted\n",
        );
        assert_eq!(
            cells(&imported.trials[0], ["hash", "status", "error"]),
            ["slots:512", "refused", "prctl(SET_SLOTS, 512): Invalid argument"]
        );
        assert_eq!(imported.unread[0].line, 3);
    }

    #[test]
    fn nothing_panics_and_nothing_is_swallowed() {
        let huge = "9".repeat(400);
        let bad = [
            "threads=96 slots(start=0 set=0 end=512) 5.01s   13.0 Mops".to_string(),
            "threads=96 slots(start=0 set=0 e".into(),
            "threads=0 slots(start=0 set=0 end=16) 5.01s 13.0 Mops/s".into(),
            format!("threads={huge} slots(start=0 set=0 end=16) 5.01s 13.0 Mops/s"),
            format!("threads=2 slots(start=0 set=0 end={huge}) 5.01s 13.0 Mops/s"),
            format!("threads=2 slots(start=0 set=0 end=16) 5.01s {huge} Mops/s"),
            "threads=2 slots(start=0 set=500 end=500) 5.01s 13.0 Mops/s".into(),
            "threads=2 slots(start=0 set=0 end=16) 5.01s nan Mops/s".into(),
            format!("$ ./futex_hash_repro {huge}"),
            "\u{1F980} \0 garbage".into(),
        ];
        let imported = read(&bad.join("\n"));
        assert_eq!(imported.trials.len(), 0, "{:?}", imported.trials);
        assert_eq!((imported.unread.len(), imported.lines), (bad.len(), bad.len()));
    }
}
