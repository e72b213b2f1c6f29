//! `perf bench futex`: `hash`, `lock-pi`, `wake`, `wake-parallel` and `requeue`, as printed by the
//! versions from 3.14 on (tools/perf/bench/futex-*.c).
//!
//! | benchmark | a trial is | `mops_per_s` |
//! | --- | --- | --- |
//! | `hash`, `lock-pi` | an invocation | the sum over threads of their printed operations a second, or the printed mean times threads where perf was silent |
//! | `wake`, `requeue` | a run of an invocation | threads woken or requeued, over the printed time |
//! | `wake-parallel` | a run of an invocation | empty: perf prints only the mean time of a waking thread |
//!
//! Runs of one invocation share a process, so its private hash has grown before the second: their
//! `block` tells the run. A silent invocation (`-s`) is one trial with the mean. perf waits until all
//! threads exist, for a time that it doesn't print, so `ramp` stays empty; it pins thread i to the
//! i-th CPU without saying which, so `placement` does.
//!
//! Versions since 6.16 print what became of the hash: `Futex hashing: …`. Earlier ones can't ask for
//! slots, so their hash is `auto`.

use regex::Captures;

use crate::cells::BadCell;
use crate::imported::{Imported, ImportedTrial, Unread, Unusable};
use crate::lines::{self, number, patterns};

patterns! {
    RUNNING = r"^# Running '?(?<bench>[\w-]+/[\w-]+)'? benchmark(?::|\.\.\.)$";
    SUMMARY = r"^Run summary \[PID \d+\]: (?<what>.+)$";
    HASH = r"^(?<threads>\d+) threads, each operating on (?<futexes>\d+) (?:\[(?<scope>shared|private)\] )?futexes for (?<secs>\d+) secs\.$";
    LOCK_PI = r"^(?<threads>\d+) threads doing pi lock/unlock pairing for (?<secs>\d+) secs\.$";
    WAKE = r"^blocking on (?<threads>\d+) threads \(at (?:\[(?<scope>shared|private)\] )?futex (?:0x)?[0-9a-f]+\), (?:(?<wakers>\d+) threads )?waking up (?<at_once>\d+) at a time\.$";
    REQUEUE = r"^Requeuing (?<threads>\d+) threads \(from (?:\[(?<scope>shared|private)\] )?(?:0x)?[0-9a-f]+ to (?<pi>PI )?(?:0x)?[0-9a-f]+\), (?<at_once>\d+) at a time\.$";
    THREAD = r"^\[thread\s+\d+\] futex(?:es)?: .*\[ (?<rate>\d+) ops/sec \]$";
    AVERAGED = r"^Averaged (?<rate>\d+) operations/sec \(\+- (?<spread>[\d.,]+|-?nan)%\), total secs = (?<secs>\d+)$";
    TIMED = r"^(?:\[Run (?<run>\d+)\]: )?(?:Wokeup (?<woken>\d+) of|Requeued (?<requeued>\d+) of|Awoke and Requeued \((?<awoken>\d+)\+(?<moved>\d+)\) of|Avg per-thread latency \(waking (?<each>\d+)/) ?(?<threads>\d+) threads\)? in (?<ms>[\d.,]+) ms(?: \(\+-(?<spread>[\d.,]+|-?nan)%\))?$";
    /// What perf says, and ends with, where it has not got the slots that it asked for.
    NOT_GRANTED = r"^(?:Requested number of hash buckets does not currently used\.|Requested: (?<asked>\d+) in usage: (?<used>-?\d+)|perf: prctl\(PR_FUTEX_HASH\): .+)$";
    HASHING = r"^Futex hashing: (?:(?<global>global hash)|auto resized to (?<auto>\d+) buckets|(?<set>\d+) hash buckets\s*(?<immutable>\(immutable\))?)$";
}

/// An invocation.
#[derive(Debug, Default)]
struct Invocation {
    /// The line of its `Run summary`.
    line: usize,
    bench: &'static str,
    threads: String,
    labels: Vec<(&'static str, String)>,
    secs: Option<String>,
    /// Operations a second of each thread.
    rates: Vec<u64>,
    /// The runs; empty where perf is silent.
    runs: Vec<ImportedTrial>,
    mean: Option<ImportedTrial>,
    hashing: Option<(String, Option<String>)>,
    /// Slots that were asked for and not had, and those there were.
    not_granted: Option<(String, String)>,
}

/// Reads what `perf bench futex` printed, once or several times.
pub fn read(text: &str) -> Imported {
    let mut imported = Imported::default();
    let mut current: Option<Invocation> = None;
    for (line_number, line) in lines::plain(text) {
        imported.lines += 1;
        let read = if let Some(found) = RUNNING.captures(line) {
            finish(current.take(), &mut imported);
            match found["bench"].starts_with("futex/") {
                true => Ok(true),
                false => Err(Unusable::OtherBenchmark),
            }
        } else if let Some(found) = SUMMARY.captures(line) {
            finish(current.take(), &mut imported);
            current = begin(line_number, &found["what"]);
            current.as_ref().map(|_| true).ok_or(Unusable::OtherBenchmark)
        } else if let Some(at) = &mut current {
            detail(at, line_number, line)
        } else if [&THREAD, &AVERAGED, &TIMED, &HASHING, &NOT_GRANTED]
            .iter()
            .any(|form| form.is_match(line))
        {
            Err(Unusable::NoHead("Run summary"))
        } else {
            Ok(false)
        };
        match read {
            Ok(true) => {}
            Ok(false) => imported.unread.push(Unread::new(line_number, line)),
            Err(why) => imported.unread.push(Unread::because(line_number, line, &why)),
        }
    }
    finish(current, &mut imported);
    imported
}

fn begin(line: usize, what: &str) -> Option<Invocation> {
    let text = |found: &Captures<'_>, name: &str| found.name(name).map(|m| m.as_str().to_string());
    let mut at = Invocation { line, ..Invocation::default() };
    let found = if let Some(found) = HASH.captures(what) {
        at.bench = "futex/hash";
        at.labels.push(("futexes", found["futexes"].to_string()));
        found
    } else if let Some(found) = LOCK_PI.captures(what) {
        at.bench = "futex/lock-pi";
        found
    } else if let Some(found) = WAKE.captures(what) {
        at.bench = "futex/wake";
        if let Some(wakers) = text(&found, "wakers") {
            at.bench = "futex/wake-parallel";
            at.labels.push(("wakers", wakers));
        }
        at.labels.push(("at_once", found["at_once"].to_string()));
        found
    } else {
        let found = REQUEUE.captures(what)?;
        at.bench = if found.name("pi").is_some() { "futex/requeue-pi" } else { "futex/requeue" };
        at.labels.push(("at_once", found["at_once"].to_string()));
        found
    };
    at.threads = found["threads"].to_string();
    if HASH.is_match(what) || LOCK_PI.is_match(what) {
        at.secs = text(&found, "secs");
    }
    if let Some(scope) = found.name("scope") {
        at.labels.push(("futex_scope", scope.as_str().to_string()));
    }
    at.labels.push(("bench", at.bench.to_string()));
    Some(at)
}

/// A line within an invocation; whether it is one of its lines at all.
fn detail(at: &mut Invocation, line_number: usize, line: &str) -> Result<bool, Unusable> {
    if let Some(found) = THREAD.captures(line) {
        at.rates.push(found["rate"].parse().map_err(|_| Unusable::OutOfRange("rate"))?);
    } else if let Some(found) = AVERAGED.captures(line) {
        let mean = averaged(at, line_number, &found)?;
        at.mean = Some(mean);
    } else if let Some(found) = TIMED.captures(line) {
        if found["threads"] != at.threads {
            return Err(Unusable::OtherThreads(at.threads.clone()));
        }
        let trial = timed(at, line_number, &found)?;
        match found.name("run") {
            Some(_) => at.runs.push(trial),
            None => at.mean = Some(trial),
        }
    } else if let Some(found) = HASHING.captures(line) {
        at.hashing = Some(if found.name("global").is_some() {
            ("global".into(), Some("0".into()))
        } else if let Some(slots) = found.name("auto") {
            ("auto".into(), Some(slots.as_str().to_string()))
        } else {
            let immutable = if found.name("immutable").is_some() { "+immutable" } else { "" };
            (format!("slots:{}{immutable}", &found["set"]), Some(found["set"].to_string()))
        });
    } else if let Some(found) = NOT_GRANTED.captures(line) {
        if let (Some(asked), Some(used)) = (found.name("asked"), found.name("used")) {
            at.not_granted = Some((asked.as_str().to_string(), used.as_str().to_string()));
        }
    } else {
        return Ok(false);
    }
    Ok(true)
}

fn averaged(at: &Invocation, line: usize, found: &Captures<'_>) -> Result<ImportedTrial, Unusable> {
    let mut trial = ImportedTrial::at(line);
    let mean = number(&found["rate"]).ok_or(Unusable::OutOfRange("rate"))?;
    let threads = number(&at.threads).ok_or(Unusable::OutOfRange("number of threads"))?;
    let sum = if at.rates.len() as f64 == threads {
        at.rates.iter().map(|rate| *rate as f64).sum()
    } else {
        mean * threads
    };
    trial.cells.set_number("mops_per_s", sum / 1e6)?;
    trial.cells.set("elapsed_s", &found["secs"])?;
    trial.metric("ops_per_s_thread_mean", mean, "1/s");
    if let Some(spread) = decimal(&found["spread"]) {
        trial.metric("ops_per_s_thread_mean_error", spread, "%");
    }
    Ok(trial)
}

fn timed(at: &Invocation, line: usize, found: &Captures<'_>) -> Result<ImportedTrial, Unusable> {
    let mut trial = ImportedTrial::at(line);
    let ms = decimal(&found["ms"]).ok_or(Unusable::OutOfRange("time"))?;
    let count = |name: &str| found.name(name).map(|m| m.as_str().parse::<u64>());
    let done = match (count("woken"), count("requeued"), count("awoken"), count("moved")) {
        (Some(n), ..) | (_, Some(n), ..) => Some(n),
        (_, _, Some(awoken), Some(moved)) => {
            Some(awoken.and_then(|a| moved.map(|m| a.saturating_add(m))))
        }
        _ => None,
    };
    let done = done.transpose().map_err(|_| Unusable::OutOfRange("count"))?;
    let metric = match at.bench {
        "futex/wake" => "wake_time",
        "futex/wake-parallel" => "wake_time_thread_mean",
        _ => "requeue_time",
    };
    trial.metric(metric, ms, "ms");
    if let Some(spread) = found.name("spread").and_then(|m| decimal(m.as_str())) {
        trial.metric(&format!("{metric}_error"), spread, "%");
    }
    if let Some(done) = done {
        trial.cells.set("ops", &done.to_string())?;
        trial.cells.set_number("elapsed_s", ms / 1e3)?;
        // 0.0000 ms is below the clock's step: no rate.
        if ms > 0.0 {
            trial.cells.set_number("mops_per_s", done as f64 / ms / 1e3)?;
        }
    }
    if let Some(run) = found.name("run") {
        trial.cells.set("block", run.as_str())?;
    }
    Ok(trial)
}

/// A number whose decimal sign is that of perf's locale; one that may be grouped digits is none.
fn decimal(text: &str) -> Option<f64> {
    match text.split_once(',') {
        None => number(text),
        Some((whole, part)) if part.len() != 3 || whole == "0" => {
            number(&format!("{whole}.{part}"))
        }
        Some(_) => None,
    }
}

/// Gives the trials of an invocation what they share. perf prints the mean last: without it, the
/// log ends early, and what there is of the runs is still whole.
fn finish(invocation: Option<Invocation>, imported: &mut Imported) {
    let Some(at) = invocation else { return };
    let (mut hash, mut slots) = at.hashing.unwrap_or(("auto".into(), None));
    let refused = at.not_granted.map(|(asked, used)| {
        hash = if asked == "0" { "global".into() } else { format!("slots:{asked}") };
        slots = Some(used.clone()).filter(|used| !used.starts_with('-'));
        format!("{asked} slots were asked for, {used} were set")
    });
    let trials = if at.runs.is_empty() {
        at.mean.into_iter().collect()
    } else {
        if at.mean.is_none() {
            imported.notes.push(format!(
                "the invocation of line {} has no mean at its end: the log may have been cut",
                at.line
            ));
        }
        at.runs
    };
    if trials.is_empty() {
        imported.unread.push(Unread {
            line: at.line,
            text: format!("Run summary of {}", at.bench),
            why: Some(Unusable::NoResult.to_string()),
        });
    }
    for mut trial in trials {
        let mut fill = || -> Result<(), BadCell> {
            trial.cells.set("workload", "command")?;
            trial.cells.set("threads", &at.threads)?;
            trial.cells.set("hash", &hash)?;
            trial.cells.set("slots_end", slots.as_deref().unwrap_or(""))?;
            if let Some(refused) = &refused {
                trial.cells.set("status", "refused")?;
                trial.cells.set("error", refused)?;
            }
            trial.cells.set("duration_s", at.secs.as_deref().unwrap_or(""))
        };
        match fill() {
            Ok(()) => {
                trial.labels.extend(at.labels.iter().map(|(k, v)| (k.to_string(), v.clone())));
                imported.trials.push(trial);
            }
            Err(why) => imported.unread.push(Unread {
                line: trial.line,
                text: format!("a result of {}", at.bench),
                why: Some(why.to_string()),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Printed by perf 6.1 (addresses and counts as they were).
    const HASH_6_1: &str = "\
# Running 'futex/hash' benchmark:
Run summary [PID 12465]: 4 threads, each operating on 1024 [private] futexes for 1 secs.

[thread  0] futexes: 0x560aa4d03400 ... 0x560aa4d043fc [ 206848 ops/sec ]
[thread  1] futexes: 0x560aa4d046a0 ... 0x560aa4d0569c [ 221184 ops/sec ]
[thread  2] futexes: 0x560aa4d06390 ... 0x560aa4d0738c [ 209920 ops/sec ]
[thread  3] futexes: 0x560aa4d073a0 ... 0x560aa4d0839c [ 233472 ops/sec ]

Averaged 217856 operations/sec (+- 2.78%), total secs = 1
";
    const WAKE_6_1: &str = "\
# Running 'futex/wake' benchmark:
Run summary [PID 12594]: blocking on 4 threads (at [private] futex 0x55c707790b58), waking up 1 at a time.

[Run 1]: Wokeup 4 of 4 threads in 0.1860 ms
[Run 2]: Wokeup 4 of 4 threads in 0.0980 ms
[Run 3]: Wokeup 4 of 4 threads in 0.0000 ms
Wokeup 4 of 4 threads in 0.0968 ms (+-11.06%)
";
    const PARALLEL_6_1: &str = "\
Run summary [PID 12655]: blocking on 4 threads (at [private] futex 0x558f1aec6cf8), 4 threads waking up 1 at a time.

[Run 1]: Avg per-thread latency (waking 1/4 threads) in 0.0120 ms (+-75.08%)
Avg per-thread latency (waking 1/4 threads) in 0.0163 ms (+-28.15%)
";
    const REQUEUE_PI_6_1: &str = "\
Run summary [PID 13051]: Requeuing 4 threads (from [private] 0x55690a1bae5c to PI 0x55690a1bae58), 1 at a time.

[Run 1]: Awoke and Requeued (1+3) of 4 threads in 0.0250 ms
Requeued 4 of 4 threads in 0.0183 ms (+-23.34%)
";
    const LOCK_PI_6_1: &str = "\
# Running 'futex/lock-pi' benchmark:
Run summary [PID 12903]: 3 threads doing pi lock/unlock pairing for 1 secs.

[thread   0] futex: 0x564240d4df58 [ 4419 ops/sec ]
[thread   1] futex: 0x564240d4df58 [ 4419 ops/sec ]
[thread   2] futex: 0x564240d4df58 [ 4418 ops/sec ]

Averaged 4418 operations/sec (+- 0.01%), total secs = 1
";

    fn get<'a>(trial: &'a ImportedTrial, column: &str) -> &'a str {
        trial.cells.get(column).unwrap_or("")
    }

    #[test]
    fn an_invocation_of_hash_is_a_trial_with_the_sum_of_its_threads() {
        let imported = read(HASH_6_1);
        assert_eq!(imported.unread, []);
        let [trial] = &imported.trials[..] else { panic!("{:?}", imported.trials) };
        let columns =
            ["workload", "threads", "hash", "mops_per_s", "elapsed_s", "duration_s", "ramp"];
        assert_eq!(
            columns.map(|c| get(trial, c)),
            ["command", "4", "auto", "0.871424", "1", "1", ""]
        );
        assert_eq!(trial.labels["bench"], "futex/hash");
        assert_eq!(trial.labels["futexes"], "1024");
        assert_eq!(trial.metrics[0].value, 217856.0);
    }

    #[test]
    fn a_silent_one_is_the_mean_times_threads() {
        let silent: String = HASH_6_1
            .lines()
            .filter(|l| !l.starts_with("[thread"))
            .map(|l| format!("{l}\r\n"))
            .collect();
        let imported = read(&silent);
        assert_eq!(get(&imported.trials[0], "mops_per_s"), "0.871424");
    }

    #[test]
    fn later_versions_say_what_the_hash_was() {
        for (line, hash, slots) in [
            ("Futex hashing: auto resized to 256 buckets", "auto", "256"),
            ("Futex hashing: 512 hash buckets ", "slots:512", "512"),
            ("Futex hashing: 512 hash buckets (immutable)", "slots:512+immutable", "512"),
            ("Futex hashing: global hash", "global", "0"),
        ] {
            let imported = read(&format!("{HASH_6_1}{line}\n"));
            assert_eq!(imported.unread, []);
            let trial = &imported.trials[0];
            assert_eq!([get(trial, "hash"), get(trial, "slots_end")], [hash, slots]);
        }
        let odd = read(&format!("{HASH_6_1}Futex hashing: 500 hash buckets\n"));
        assert!(odd.trials.is_empty() && odd.unread[0].to_string().contains("power of two"));
    }

    #[test]
    fn a_run_of_wake_is_a_trial() {
        let imported = read(WAKE_6_1);
        assert_eq!(imported.unread, []);
        let rates: Vec<&str> = imported.trials.iter().map(|t| get(t, "mops_per_s")).collect();
        assert_eq!(rates, ["0.021505376", "0.040816327", ""], "no rate over no time");
        let blocks: Vec<&str> = imported.trials.iter().map(|t| get(t, "block")).collect();
        assert_eq!(blocks, ["1", "2", "3"]);
        assert_eq!(imported.trials[0].labels["bench"], "futex/wake");
        assert_eq!(get(&imported.trials[0], "ops"), "4");
    }

    #[test]
    fn the_other_benchmarks() {
        let imported = read(&[PARALLEL_6_1, REQUEUE_PI_6_1, LOCK_PI_6_1].concat());
        assert_eq!(imported.unread, []);
        let [parallel, requeue, lock] = &imported.trials[..] else {
            panic!("{:?}", imported.trials)
        };
        assert_eq!(parallel.labels["wakers"], "4");
        assert_eq!(get(parallel, "mops_per_s"), "");
        assert_eq!(parallel.metrics[0].metric, "wake_time_thread_mean");
        assert_eq!(requeue.labels["bench"], "futex/requeue-pi");
        assert_eq!([get(requeue, "ops"), get(requeue, "mops_per_s")], ["4", "0.16"]);
        assert_eq!([get(lock, "threads"), get(lock, "mops_per_s")], ["3", "0.013256"]);
        assert_eq!(lock.labels["bench"], "futex/lock-pi");
    }

    #[test]
    fn the_decimal_sign_may_be_a_comma() {
        let comma = read(&WAKE_6_1.replace("0.1860", "0,1860").replace("11.06", "11,06"));
        assert_eq!((comma.unread.as_slice(), get(&comma.trials[0], "ops")), (&[][..], "4"));
        assert_eq!(get(&comma.trials[0], "mops_per_s"), "0.021505376");
        let spread = read(&HASH_6_1.replace("2.78%", "2,78%"));
        assert_eq!(spread.trials[0].metrics[1].value, 2.78);
        let grouped = read(&WAKE_6_1.replace("0.1860", "1,860"));
        assert_eq!(grouped.trials.len(), 2, "1,860 may be 1860 or 1.86");
    }

    #[test]
    fn the_first_version_prints_no_scope() {
        let imported = read(
            "# Running futex/hash benchmark...\nRun summary [PID 1]: 2 threads, each operating on 1024 futexes for 10 secs.\n\nAveraged 5 operations/sec (+- -nan%), total secs = 10\n",
        );
        assert_eq!(imported.unread, []);
        assert!(!imported.trials[0].labels.contains_key("futex_scope"));
        assert_eq!(imported.trials[0].metrics.len(), 1, "a spread that is no number is none");
    }

    #[test]
    fn slots_that_were_not_granted_are_a_refused_trial() {
        let imported = read(include_str!("../tests/cases/perf-buckets-not-granted.log"));
        assert_eq!(imported.unread, []);
        let columns = ["hash", "slots_end", "status", "error"];
        assert_eq!(
            columns.map(|column| get(&imported.trials[0], column)),
            ["slots:512", "16", "refused", "512 slots were asked for, 16 were set"]
        );
    }

    #[test]
    fn a_decimal_comma_of_a_whole_log() {
        let imported = read(include_str!("../tests/cases/perf-decimal-comma.log"));
        assert_eq!(imported.unread, []);
        let [trial] = &imported.trials[..] else { panic!("{:?}", imported.trials) };
        assert_eq!([get(trial, "mops_per_s"), get(trial, "threads")], ["70.15696", "32"]);
        assert_eq!(trial.metrics[1].value, 0.07);
    }

    #[test]
    fn what_is_cut_or_foreign_is_named() {
        let cut = read(HASH_6_1.split_once("[thread  3]").unwrap().0);
        assert!(cut.trials.is_empty());
        assert!(cut.unread[0].to_string().contains("no result follows"), "{:?}", cut.unread);
        let cut = read(WAKE_6_1.split_once("[Run 2]").unwrap().0);
        assert_eq!((cut.trials.len(), cut.notes.len()), (1, 1));
        let huge = "9".repeat(400);
        let bad = [
            "[Run 1]: Wokeup 4 of 4 threads in 0.1860 ms".to_string(),
            "Run summary [PID 1]: something else".into(),
            "# Running 'sched/pipe' benchmark:".into(),
            format!("Averaged {huge} operations/sec (+- 1%), total secs = 1"),
            "hello".into(),
        ];
        let imported = read(&bad.join("\n"));
        assert_eq!((imported.trials.len(), imported.unread.len()), (0, bad.len()));
        let imported = read(&format!(
            "{}\nAveraged {huge} operations/sec (+- 1%), total secs = 1\n",
            HASH_6_1.lines().nth(1).unwrap()
        ));
        assert!(imported.trials.is_empty() && imported.unread.len() == 2, "{:?}", imported.unread);
        let imported = read(&format!(
            "Run summary [PID 1]: {huge} threads doing pi lock/unlock pairing for 1 secs.\nAveraged 5 operations/sec (+- 1%), total secs = 1\n"
        ));
        assert!(imported.trials.is_empty() && !imported.unread.is_empty());
    }
}
