//! `schbench`, as printed by its versions from 2016 on.
//!
//! ```text
//! Wakeup Latencies percentiles (usec) runtime 10 (s) (40117 total samples)
//!           50.0th: 7          (9120 samples)
//!         * 99.0th: 166        (3071 samples)
//!           min=1, max=8713
//! average rps: 4010.60
//! ```
//!
//! An invocation is a trial. What it prints every interval is its timeline; the last of each kind is
//! its result. Requests a second fill `mops_per_s` in millions, percentiles go to the metrics
//! (`wakeup_latency_p99`, `request_latency_p99`, `rps_p50`). The first versions call the wakeup
//! latency only `Latency`.
//!
//! How many threads there were is in the command line (`-m`, `-t`), if the log has it. A schbench
//! that can set the slots prints `Futex HBs: 1024 immutable: 0` at its end: how many there are, not
//! whether they were set or grew.

use crate::imported::{Imported, ImportedTrial, Sample, Unread, Unusable};
use crate::lines::{self, Named, number, patterns};

patterns! {
    HEAD = r"^(?<what>Wakeup Latencies|Request Latencies|RPS|Wakeup latency|Request latency|Latency) percentiles \((?<unit>usec|requests)\)(?: runtime (?<runtime>\d+) \(s\) \((?<samples>\d+) total samples\))?$";
    PERCENTILE = r"^(?:\*\s*)?(?<p>\d+(?:\.\d+)?)th: (?<value>\d+)\s*(?:\(\d+ samples\))?$";
    RANGE = r"^(?:Over=\d+, )?min=(?<min>\d+), max=(?<max>\d+)$";
    DELAY = r"^sched delay: message (?<message>\d+) \(usec\) worker (?<worker>\d+) \(usec\)$";
    CURRENT = r"^current rps: (?<rps>[\d.]+)$";
    /// Groups of digits may be spaced, as in a mail.
    AVERAGE = r"^average rps:\s+(?<rps>\d+(?:[\s\u{a0}\u{202f}]\d{3})*(?:\.\d+)?)(?:\s+(?<rest>Futex HBs: .+))?$";
    /// Before 2023 the mean had no name; a percentile may stand behind it.
    OLD_RPS = r"^rps: (?<rps>[\d.]+)(?: p95 \(usec\) (?<p95>\d+) p99 \(usec\) (?<p99>\d+)(?: p95/cputime .+)?)?$";
    GOAL = r"^final rps (?:goal )?was (?<rps>\d+)$";
    TRANSFER = r"^avg worker transfer: (?:(?<ops>[\d.]+) ops/sec )?[\d.]+[KMGTPE]?B/s$";
    BUCKETS = r"^Futex HBs: (?<slots>-?\d+) immutable: (?<immutable>-?\d+)$";
    WORKERS = r"^setting worker threads to (?<workers>\d+)$";
    /// What says nothing that a row could hold.
    ASIDE = r"^(?:warmup done, zeroing stats|auto pinning message and worker threads|Pinning to message thread index \d+ cpu -?\d+|split mode: .+|matrix sizes: .+)$";
}

/// What a command line says.
#[derive(Debug, Clone, Default, PartialEq)]
struct Asked {
    messengers: u64,
    /// Workers of each messenger; `None` is a share of the CPUs.
    workers: Option<u64>,
    runtime: u64,
    interval: Option<u64>,
    command: String,
}

/// An invocation in the making.
#[derive(Debug, Default)]
struct Invocation {
    line: usize,
    asked: Option<Asked>,
    workers: Option<u64>,
    /// Which kind of percentiles the lines below belong to.
    kind: Option<Kind>,
    /// Kinds whose percentiles have been seen in this interval.
    seen: Vec<&'static str>,
    /// Seconds that the report which is being read is of.
    runtime: Option<u64>,
    /// Its values so far.
    report: Vec<Value>,
    /// Seconds of the last whole report, and its values.
    whole_runtime: Option<u64>,
    metrics: Vec<Value>,
    samples: Vec<Sample>,
    rps: Option<f64>,
    slots: Option<(i64, i64)>,
    ended: bool,
}

/// Name, value and unit of a metric.
type Value = (String, f64, &'static str);

#[derive(Debug, Clone, Copy)]
struct Kind {
    name: &'static str,
    unit: &'static str,
}

impl Invocation {
    fn of(asked: &Option<Asked>) -> Invocation {
        Invocation { asked: asked.clone(), ..Invocation::default() }
    }

    fn set(&mut self, metric: String, value: f64, unit: &'static str) {
        put(&mut self.report, (metric, value, unit));
    }

    /// The report that was read is whole.
    fn end_report(&mut self) {
        for value in std::mem::take(&mut self.report) {
            put(&mut self.metrics, value);
        }
        self.whole_runtime = self.runtime;
        self.seen.clear();
    }

    /// At the end of the log: whether the last report is whole, as far as the one before it tells.
    fn report_is_whole(&self) -> bool {
        let has = |name: &String| self.report.iter().any(|(known, ..)| known == name);
        let later = self.runtime > self.whole_runtime;
        self.ended || self.metrics.is_empty() || later && self.metrics.iter().all(|v| has(&v.0))
    }

    fn is_empty(&self) -> bool {
        self.metrics.is_empty() && self.report.is_empty() && self.rps.is_none()
    }
}

fn put(values: &mut Vec<Value>, value: Value) {
    match values.iter_mut().find(|(name, ..)| *name == value.0) {
        Some(known) => *known = value,
        None => values.push(value),
    }
}

/// Reads what schbench printed, once or several times.
pub fn read(text: &str) -> Imported {
    let mut imported = Imported::default();
    let mut at = Invocation::default();
    let mut asked: Option<Asked> = None;
    for (line_number, line) in lines::plain(text) {
        imported.lines += 1;
        let named = lines::named(line, "schbench");
        if let Some(Named::Command((_, args))) = &named
            && let Some(found) = command(args)
        {
            finish(std::mem::take(&mut at), &mut imported);
            asked = Some(found.clone());
            at.asked = Some(found);
        } else if named.is_some() {
            // What another command's line said does not hold below it.
            finish(std::mem::take(&mut at), &mut imported);
            asked = None;
            imported.unread.push(Unread::new(line_number, line));
        } else if let Some(workers) =
            WORKERS.captures(line).and_then(|found| found["workers"].parse().ok())
        {
            if !at.is_empty() {
                finish(std::mem::replace(&mut at, Invocation::of(&asked)), &mut imported);
            }
            at.workers = Some(workers);
        } else if let Some(found) = HEAD.captures(line) {
            let kind = kind_of(&found["what"]);
            let runtime = found.name("runtime").and_then(|m| m.as_str().parse::<u64>().ok());
            // Of one report, there are no two percentiles of a kind: the first was cut.
            let again =
                at.seen.contains(&kind.name) && (runtime.is_none() || runtime == at.runtime);
            let earlier = matches!((runtime, at.runtime), (Some(now), Some(then)) if now < then);
            if at.ended || again || earlier {
                finish(std::mem::replace(&mut at, Invocation::of(&asked)), &mut imported);
            } else if runtime > at.runtime && !at.report.is_empty() {
                at.end_report();
            }
            at.runtime = runtime.or(at.runtime);
            at.line = line_number;
            at.kind = Some(kind);
            at.seen.push(kind.name);
        } else {
            let is_sample = CURRENT.is_match(line);
            if is_sample
                && at
                    .samples
                    .last()
                    .is_some_and(|last| Some(last.t_s) >= at.runtime.map(|s| s as f64))
            {
                // A second report of the same second that is no invocation's last is of another one.
                let report = std::mem::take(&mut at.report);
                let next = Invocation {
                    runtime: at.runtime,
                    kind: at.kind,
                    report,
                    ..Invocation::of(&asked)
                };
                at.runtime = at.whole_runtime;
                finish(std::mem::replace(&mut at, next), &mut imported);
            }
            if detail(&mut at, line_number, line) {
                continue;
            }
            imported.unread.push(Unread::new(line_number, line));
        }
    }
    finish(at, &mut imported);
    imported
}

fn kind_of(what: &str) -> Kind {
    match what {
        "Request Latencies" | "Request latency" => Kind { name: "request_latency", unit: "us" },
        "RPS" => Kind { name: "rps", unit: "1/s" },
        _ => Kind { name: "wakeup_latency", unit: "us" },
    }
}

fn detail(at: &mut Invocation, line_number: usize, line: &str) -> bool {
    let end = |at: &mut Invocation, rps: Option<f64>| {
        at.line = line_number;
        at.rps = rps.or(at.rps);
        at.ended = true;
    };
    if let (Some(found), Some(kind)) = (PERCENTILE.captures(line), at.kind) {
        let Some(value) = number(&found["value"]) else { return false };
        // 99.0, and 99.0000 of the first version, are p99.
        let p = number(&found["p"]).unwrap_or_default();
        at.set(format!("{}_p{p}", kind.name), value, kind.unit);
    } else if let (Some(found), Some(kind)) = (RANGE.captures(line), at.kind) {
        let (Some(min), Some(max)) = (number(&found["min"]), number(&found["max"])) else {
            return false;
        };
        at.set(format!("{}_min", kind.name), min, kind.unit);
        at.set(format!("{}_max", kind.name), max, kind.unit);
    } else if let Some(found) = DELAY.captures(line) {
        for who in ["message", "worker"] {
            let Some(delay) = number(&found[who]) else { return false };
            at.set(format!("sched_delay_{who}"), delay, "us");
        }
    } else if let Some(found) = CURRENT.captures(line) {
        let (Some(rps), Some(runtime)) = (number(&found["rps"]), at.runtime) else { return false };
        at.line = line_number;
        at.samples.push(Sample {
            t_s: runtime as f64,
            mops_per_s: Some(rps / 1e6),
            ..Sample::default()
        });
        at.end_report();
    } else if let Some(found) = AVERAGE.captures(line) {
        let digits: String = found["rps"].chars().filter(|c| !c.is_whitespace()).collect();
        let Some(rps) = number(&digits) else { return false };
        end(at, Some(rps));
        if let Some(rest) = found.name("rest") {
            return detail(at, line_number, rest.as_str());
        }
    } else if let Some(found) = OLD_RPS.captures(line) {
        let Some(rps) = number(&found["rps"]) else { return false };
        for (name, metric) in [("p95", "wakeup_latency_p95"), ("p99", "wakeup_latency_p99")] {
            if let Some(value) = found.name(name).and_then(|m| number(m.as_str())) {
                at.set(metric.into(), value, "us");
            }
        }
        // In the versions that print it every interval, the last one is the mean of the run.
        at.line = line_number;
        at.rps = Some(rps);
        at.end_report();
    } else if let Some(found) = GOAL.captures(line) {
        let Some(rps) = number(&found["rps"]) else { return false };
        at.set("rps_goal".into(), rps, "1/s");
        end(at, None);
    } else if let Some(found) = TRANSFER.captures(line) {
        let ops = found.name("ops").and_then(|m| number(m.as_str()));
        if let Some(ops) = ops {
            at.set("worker_transfers_per_s".into(), ops, "1/s");
        }
        end(at, None);
    } else if let Some(found) = BUCKETS.captures(line) {
        let (Ok(slots), Ok(immutable)) = (found["slots"].parse(), found["immutable"].parse())
        else {
            return false;
        };
        at.slots = Some((slots, immutable));
    } else {
        return ASIDE.is_match(line);
    }
    true
}

fn finish(mut at: Invocation, imported: &mut Imported) {
    if at.is_empty() {
        return;
    }
    let mut trial = ImportedTrial::at(at.line);
    if at.report_is_whole() {
        at.end_report();
    } else if !at.report.is_empty() {
        let note = "the log ends within a report: the values are of the one before it";
        trial.notes.insert("cut".into(), note.into());
        at.runtime = at.whole_runtime;
    }
    let mut fill = || -> Result<(), Unusable> {
        let cells = &mut trial.cells;
        cells.set("workload", "command")?;
        let workers = at.asked.as_ref().and_then(|asked| asked.workers).or(at.workers);
        match (&at.asked, workers) {
            (Some(asked), Some(workers)) => {
                let threads = workers.checked_mul(asked.messengers);
                let threads = threads.ok_or(Unusable::OutOfRange("number of threads"))?;
                cells.set("threads", &threads.to_string())?;
            }
            _ => {
                let why = "schbench prints its threads only in part: messengers (-m) times workers (-t) are meant";
                trial.open.insert("threads", why.into());
            }
        }
        if let Some(asked) = &at.asked {
            cells.set("messengers", &asked.messengers.to_string())?;
            if asked.runtime > 0 {
                cells.set("duration_s", &asked.runtime.to_string())?;
            }
            trial.notes.insert("command".into(), asked.command.clone());
        }
        if let Some(runtime) = at.runtime {
            cells.set("elapsed_s", &runtime.to_string())?;
        }
        if let Some(rps) = at.rps {
            cells.set_number("mops_per_s", rps / 1e6)?;
        }
        match at.slots {
            None => cells.set("hash", "auto")?,
            Some((slots, _)) if slots < 0 => {
                cells.set("hash", "auto")?;
                cells.set("pivot", "unsupported")?;
            }
            Some((slots, immutable)) => {
                cells.set("slots_end", &slots.to_string())?;
                match (slots, immutable) {
                    (0, _) => cells.set("hash", "global")?,
                    (n, 1) => cells.set("hash", &format!("slots:{n}+immutable"))?,
                    (n, _) => {
                        let why = format!("{n} slots at the end may have been set or have grown");
                        trial.open.insert("hash", why);
                    }
                }
            }
        }
        Ok(())
    };
    if let Err(why) = fill() {
        imported.unread.push(Unread {
            line: at.line,
            text: "a result of schbench".into(),
            why: Some(why.to_string()),
        });
        return;
    }
    for (metric, value, unit) in &at.metrics {
        trial.metric(metric, *value, unit);
    }
    if let Some(rps) = at.rps {
        trial.metric("requests_per_s", rps, "1/s");
    }
    trial.samples = at.samples;
    trial.labels.insert("bench".into(), "schbench".into());
    if let (Some(runtime), Some(asked)) = (at.runtime, &at.asked)
        && runtime < asked.runtime
    {
        let note = format!("{} s were asked for, the last result is of {runtime} s", asked.runtime);
        let cut = trial.notes.entry("cut".into()).or_default();
        *cut = [cut.as_str(), &note]
            .into_iter()
            .filter(|one| !one.is_empty())
            .collect::<Vec<_>>()
            .join("; ");
    }
    imported.trials.push(trial);
}

/// `schbench -L -m 4 -M auto -t 256 -n 0 -r 60 -s 0`, with schbench's own defaults.
fn command(args: &[String]) -> Option<Asked> {
    let mut asked = Asked {
        messengers: 1,
        runtime: 30,
        command: format!("schbench {}", args.join(" ")),
        ..Asked::default()
    };
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let (option, joined) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => match word.char_indices().nth(2) {
                Some((at, _)) if !word.starts_with("--") => {
                    (word.get(..at).unwrap_or(word), word.get(at..))
                }
                _ => (word.as_str(), None),
            },
        };
        let mut value = || joined.or_else(|| words.next().map(String::as_str))?.parse::<u64>().ok();
        match option {
            "-m" | "--message-threads" => asked.messengers = value()?.max(1),
            "-t" | "--threads" => asked.workers = Some(value()?).filter(|n| *n > 0),
            "-r" | "--runtime" => asked.runtime = value()?,
            "-i" | "--intervaltime" => asked.interval = Some(value()?),
            _ => {}
        }
    }
    Some(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: &str = "\
$ ./schbench -L -m 4 -M auto -t 256 -n 0 -r 20 -s 0
auto pinning message and worker threads
Wakeup Latencies percentiles (usec) runtime 10 (s) (40117 total samples)
\t  50.0th: 7          (9120 samples)
\t* 99.0th: 166        (3071 samples)
\t  99.9th: 777        (271 samples)
\t  min=1, max=8713
Request Latencies percentiles (usec) runtime 10 (s) (40160 total samples)
\t  50.0th: 12112      (13377 samples)
\t* 99.0th: 12624      (616 samples)
\t  min=7031, max=20110
RPS percentiles (requests) runtime 10 (s) (1 total samples)
\t* 50.0th: 4004       (0 samples)
\t  min=4001, max=4001
sched delay: message 2 (usec) worker 15 (usec)
current rps: 4001.50
Wakeup Latencies percentiles (usec) runtime 20 (s) (80222 total samples)
\t  50.0th: 8          (9120 samples)
\t* 99.0th: 180        (3071 samples)
\t  min=1, max=8713
RPS percentiles (requests) runtime 20 (s) (2 total samples)
\t* 50.0th: 4010       (0 samples)
\t  min=4001, max=3030
average rps: 4010.60
sched delay: message 3 (usec) worker 16 (usec)
";

    /// As printed in 2016 to 2019, by the first form and a later one.
    const OLD: &str = "\
Latency percentiles (usec)
\t50.0000th: 4
\t*99.0000th: 23
\t99.9000th: 51
\tOver=0, min=0, max=9911
Latency percentiles (usec)
\t50.0th: 5
\t*99.0th: 22
\tmin=0, max=9788
avg worker transfer: 30112.25 ops/sec 117.63MB/s
";

    fn get<'a>(trial: &'a ImportedTrial, column: &str) -> &'a str {
        trial.cells.get(column).unwrap_or("")
    }

    fn metric(trial: &ImportedTrial, name: &str) -> f64 {
        trial.metrics.iter().find(|m| m.metric == name).unwrap_or_else(|| panic!("{name}")).value
    }

    #[test]
    fn an_invocation_is_a_trial_and_its_intervals_a_timeline() {
        let imported = read(NEW);
        assert_eq!(imported.unread, []);
        let [trial] = &imported.trials[..] else { panic!("{:?}", imported.trials) };
        let columns = ["threads", "messengers", "duration_s", "elapsed_s", "mops_per_s", "hash"];
        assert_eq!(columns.map(|c| get(trial, c)), ["1024", "4", "20", "20", "0.0040106", "auto"]);
        assert_eq!(metric(trial, "wakeup_latency_p99"), 180.0, "of the whole run");
        assert_eq!(metric(trial, "wakeup_latency_p99.9"), 777.0);
        assert_eq!(metric(trial, "request_latency_p99"), 12624.0);
        assert_eq!(metric(trial, "rps_p50"), 4010.0);
        assert_eq!(metric(trial, "sched_delay_worker"), 16.0);
        assert_eq!(trial.samples.len(), 1);
        assert_eq!(trial.samples[0].mops_per_s, Some(0.0040015));
        assert_eq!(trial.notes["command"], "schbench -L -m 4 -M auto -t 256 -n 0 -r 20 -s 0");
    }

    #[test]
    fn several_invocations_of_one_command_are_several_trials() {
        let (command, rest) = NEW.split_once('\n').unwrap();
        let imported = read(&format!("{command}\n{rest}{rest}"));
        assert_eq!(imported.trials.len(), 2);
        assert!(imported.trials.iter().all(|trial| get(trial, "threads") == "1024"));
        let without = read(rest);
        assert_eq!(get(&without.trials[0], "threads"), "");
        assert!(without.trials[0].open["threads"].contains("-m"));
    }

    #[test]
    fn the_first_versions() {
        let imported = read(OLD);
        assert_eq!(imported.unread, []);
        let [first, second] = &imported.trials[..] else { panic!("{:?}", imported.trials) };
        assert_eq!(metric(first, "wakeup_latency_p99"), 23.0);
        assert_eq!(metric(first, "wakeup_latency_p99.9"), 51.0);
        assert_eq!(metric(second, "wakeup_latency_p50"), 5.0);
        assert_eq!(metric(second, "worker_transfers_per_s"), 30112.25);
        assert_eq!(get(second, "mops_per_s"), "");
        let old = read(
            "rps: 498.75 p95 (usec) 28100 p99 (usec) 40040 p95/cputime 93.67% p99/cputime 94.00%\n",
        );
        assert_eq!(get(&old.trials[0], "mops_per_s"), "0.00049875");
    }

    #[test]
    fn slots_at_the_end_say_what_they_can() {
        let run = |line: &str| read(&format!("average rps: 100.00\n{line}\n")).trials.remove(0);
        assert_eq!(get(&run("Futex HBs: 0 immutable: 1"), "hash"), "global");
        assert_eq!(get(&run("Futex HBs: 1024 immutable: 1"), "hash"), "slots:1024+immutable");
        let open = run("Futex HBs: 1024 immutable: 0");
        assert_eq!([get(&open, "hash"), get(&open, "slots_end")], ["", "1024"]);
        assert!(open.open["hash"].contains("set or have grown"));
        let mail = read("> | average rps: 1 701 947.02 Futex HBs: 0 immutable: 1\n");
        assert_eq!(mail.unread, []);
        assert_eq!(get(&mail.trials[0], "mops_per_s"), "1.70194702");
    }

    #[test]
    fn what_is_cut_or_foreign_is_named() {
        let cut = read(NEW.split_once("current rps").unwrap().0);
        assert_eq!(cut.trials.len(), 1);
        assert!(cut.trials[0].notes["cut"].contains("20 s were asked for"));
        let huge = "9".repeat(400);
        let bad = [
            "50.0th: 7 (1 samples)".to_string(),
            "min=1, max=2".into(),
            format!("average rps: {huge}"),
            "current rps: 5.0".into(),
            "Futex HBs: many immutable: 0".into(),
            "warm welcome".into(),
        ];
        let imported = read(&bad.join("\n"));
        assert_eq!((imported.trials.len(), imported.unread.len()), (0, bad.len()));
        let huge = read(&format!("$ schbench -m {} -t {}\naverage rps: 1.0\n", u64::MAX, u64::MAX));
        assert!(huge.trials.is_empty() && huge.unread.len() == 1, "{huge:?}");
    }

    #[test]
    fn two_that_were_killed_are_two_trials() {
        let imported = read(include_str!("../tests/cases/schbench-two-killed.log"));
        assert_eq!(imported.unread, []);
        let [first, second] = &imported.trials[..] else { panic!("{:?}", imported.trials) };
        for (trial, p99, rps) in [(first, 104.0, 1371172.86), (second, 45.0, 1558171.58)] {
            assert_eq!(metric(trial, "wakeup_latency_p99"), p99);
            assert_eq!(trial.samples.len(), 1);
            assert_eq!(
                (trial.samples[0].t_s, trial.samples[0].mops_per_s),
                (10.0, Some(rps / 1e6))
            );
            assert_eq!(get(trial, "elapsed_s"), "10");
        }
    }

    #[test]
    fn two_prompts_are_two_commands() {
        let imported = read(include_str!("../tests/cases/schbench-two-prompts.log"));
        let threads: Vec<&str> =
            imported.trials.iter().map(|trial| get(trial, "threads")).collect();
        assert_eq!((imported.unread.as_slice(), threads), (&[][..], vec!["32", "8"]));
    }

    #[test]
    fn a_log_that_ends_within_a_report_does_not_mix_two() {
        let cut = read(NEW.rsplit_once("RPS percentiles").unwrap().0);
        let [trial] = &cut.trials[..] else { panic!("{:?}", cut.trials) };
        assert_eq!(metric(trial, "wakeup_latency_p99"), 166.0, "of the last whole report");
        assert_eq!(get(trial, "elapsed_s"), "10");
        assert_eq!(
            trial.notes["cut"],
            "the log ends within a report: the values are of the one before it; 20 s were asked for, the \
             last result is of 10 s"
        );
    }

    #[test]
    fn a_log_that_is_cut_within_its_first_report_does_not_mix_with_the_next() {
        let [wakeup, rest] = ["Request Latencies", "RPS"].map(|cut| {
            let report = NEW.split_once("auto pinning message and worker threads\n").unwrap().1;
            report.split_once(cut).unwrap().0
        });
        let two = read(&format!("{rest}{}", wakeup.replace("166 ", "9 ")));
        let p99s: Vec<f64> =
            two.trials.iter().map(|trial| metric(trial, "wakeup_latency_p99")).collect();
        assert_eq!(p99s, [166.0, 9.0]);
        let has = |trial: &ImportedTrial| {
            trial.metrics.iter().any(|one| one.metric == "request_latency_p99")
        };
        assert!(has(&two.trials[0]) && !has(&two.trials[1]));
    }

    #[test]
    fn options_are_read_as_getopt_does() {
        let args = "-m4 --threads=8 -r 7 -M auto".split(' ').map(String::from);
        let asked = command(&args.collect::<Vec<_>>()).unwrap();
        assert_eq!((asked.messengers, asked.workers, asked.runtime), (4, Some(8), 7));
    }

    #[test]
    fn nothing_is_inherited_from_another_command_s_line() {
        let result = "average rps: 100.00\n";
        let threads = |log: &str| -> Vec<String> {
            read(log).trials.iter().map(|trial| get(trial, "threads").to_string()).collect()
        };
        let two = format!("❯ schbench -m 1 -t 32\n{result}❯ schbench -m 1 -t 8\n{result}");
        assert_eq!(threads(&two), ["32", "8"]);
        let prose = format!("$ schbench -t 32\n{result}then schbench again\n{result}");
        assert_eq!(threads(&prose), ["32", ""], "what the log doesn't say is asked for");
    }
}
