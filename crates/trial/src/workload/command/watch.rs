//! Looks on while a program runs: how far it is, whether it hangs, whether its limit is over.
//!
//! A program that adds to its [progress page](super::progress) is looked at as often as a workload of
//! ours. Of another, progress is that it prints, or that it uses a hundredth of a CPU.

use std::fs::File;
use std::time::Duration;

use kernel_abi::process_tree;
use model::outcome::fact;
use model::record::{Moment, Sample, TrialRecord};
use model::spec::TrialSpec;
use regex::Regex;

use super::output;
use super::progress::Page;

/// How often a program is looked at that tells nothing of itself: one that floods must not fill the
/// memory.
const BETWEEN_LOOKS_NS: u64 = 100_000_000;

/// How much of a CPU a program uses that makes progress, and the least CPU time that can be told.
const OF_A_CPU: f64 = 0.01;
const LEAST_CPU_S: f64 = 0.02;

/// Why a program was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// It made no progress for as long as counts as a hang.
    Hung,
    /// Its limit was over.
    Late,
    /// It printed more than is read.
    Flooded,
}

/// How far it was at a moment.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Progress {
    at_ns: u64,
    /// Operations by its page.
    ops: Option<u64>,
    /// Bytes that it had printed.
    printed: u64,
    /// CPU seconds that it had used.
    cpu_s: f64,
}

/// Looks on.
#[derive(Debug)]
pub struct Watcher<'a> {
    spec: &'a TrialSpec,
    page: &'a Page,
    start_ns: u64,
    last: Progress,
    longest_idle_ns: u64,
    counters: Vec<u64>,
    timeline: Vec<Sample>,
    /// Bytes on standard output and standard error, by when they were there.
    printed: Vec<(u64, [u64; 2])>,
}

impl<'a> Watcher<'a> {
    /// From the program's start on.
    pub fn new(spec: &'a TrialSpec, page: &'a Page, start_ns: u64) -> Watcher<'a> {
        Watcher {
            spec,
            page,
            start_ns,
            last: Progress { at_ns: start_ns, ..Progress::default() },
            longest_idle_ns: 0,
            counters: Vec::new(),
            timeline: Vec::new(),
            printed: Vec::new(),
        }
    }

    /// How long to wait until the next look.
    pub fn pause(&self, now_ns: u64) -> Duration {
        let pause = match (self.counters.is_empty(), self.spec.watch.hang) {
            (false, _) => self.spec.sample.ns().max(1_000_000),
            // A look goes through all processes.
            (true, Some(hang)) => {
                (hang.ns() / 10).clamp(BETWEEN_LOOKS_NS / 10, 10 * BETWEEN_LOOKS_NS)
            }
            (true, None) => BETWEEN_LOOKS_NS,
        };
        let left = self
            .spec
            .watch
            .limit
            .map_or(u64::MAX, |limit| (self.start_ns + limit.ns()).saturating_sub(now_ns));
        Duration::from_nanos(pause.min(left))
    }

    /// Looks. `files` are what it prints to: standard output and standard error.
    pub fn look(&mut self, now_ns: u64, files: [&File; 2]) -> Option<Stopped> {
        let sizes = files.map(|file| file.metadata().map_or(0, |meta| meta.len()));
        if self.printed.last().is_none_or(|(_, before)| *before != sizes) {
            self.printed.push((now_ns, sizes));
        }
        self.counters = self.page.counters();
        let hang = self.spec.watch.hang;
        let mut now = Progress { at_ns: now_ns, printed: sizes.iter().sum(), ..self.last };
        let went_on = match self.counters.is_empty() {
            false => {
                let ops = self.counters.iter().sum();
                now.ops = Some(ops);
                if self.timeline.is_empty() {
                    self.timeline.push(Sample { t_s: 0.0, threads: 0, ops: 0, slots: None });
                }
                self.timeline.push(Sample {
                    t_s: self.since_start_s(now_ns),
                    threads: self.counters.len() as u32,
                    ops,
                    slots: None,
                });
                now.ops != self.last.ops
            }
            true if hang.is_some() => {
                now.cpu_s = process_tree::cpu_s_below(std::process::id());
                let elapsed_s = now_ns.saturating_sub(self.last.at_ns) as f64 / 1e9;
                now.printed != self.last.printed
                    || now.cpu_s - self.last.cpu_s >= LEAST_CPU_S.max(OF_A_CPU * elapsed_s)
            }
            true => false,
        };
        let idle_ns = now_ns.saturating_sub(self.last.at_ns);
        if went_on {
            self.longest_idle_ns = self.longest_idle_ns.max(idle_ns);
            self.last = now;
        }
        let late = self.spec.watch.limit.is_some_and(|it| now_ns >= self.start_ns + it.ns());
        match () {
            () if !output::is_bounded(&files) => Some(Stopped::Flooded),
            () if !went_on && hang.is_some_and(|hang| idle_ns >= hang.ns()) => Some(Stopped::Hung),
            () if late => Some(Stopped::Late),
            () => None,
        }
    }

    fn since_start_s(&self, at_ns: u64) -> f64 {
        at_ns.saturating_sub(self.start_ns) as f64 / 1e9
    }

    /// Writes what was seen, once the program has ended: `texts` are what it printed.
    pub fn finish(mut self, end_ns: u64, texts: [&str; 2], record: &mut TrialRecord) {
        let counters = self.page.counters();
        let end = Progress { at_ns: end_ns, ..self.last };
        let total = counters.iter().sum();
        let ops = (!counters.is_empty()).then_some(total);
        if let Some(ops) = ops {
            // Its last operations may be later than the last look.
            if self.last.ops != Some(ops) {
                self.longest_idle_ns =
                    self.longest_idle_ns.max(end_ns.saturating_sub(self.last.at_ns));
                self.last = Progress { ops: Some(ops), ..end };
            }
            self.timeline.push(Sample {
                t_s: self.since_start_s(end_ns),
                threads: counters.len() as u32,
                ops,
                slots: None,
            });
            self.of_threads(counters, record);
        }
        if self.spec.watch.hang.is_some() {
            let idle_ns = self.longest_idle_ns.max(end_ns.saturating_sub(self.last.at_ns));
            record.metric(fact::IDLE_S, idle_ns as f64 / 1e9, "s");
            let t_s = self.since_start_s(self.last.at_ns);
            record.moments.push(Moment { fact: fact::IDLE_S.into(), t_s, ops: self.last.ops });
        }
        for expression in &self.spec.watch.expressions {
            let found = self.first_match(expression, texts);
            record.metric(&fact::matches(expression), f64::from(u8::from(found.is_some())), "");
            if let Some(at_ns) = found {
                let t_s = self.since_start_s(at_ns.unwrap_or(end_ns));
                // How far it was then: at the last look before.
                let looks = self.timeline.iter().rev();
                let ops = looks.clone().find(|look| look.t_s <= t_s).map(|look| look.ops);
                record.moments.push(Moment { fact: fact::matches(expression), t_s, ops });
            }
        }
        let t_s = self.since_start_s(end_ns);
        record.moments.push(Moment { fact: fact::END.into(), t_s, ops });
        record.timeline = self.timeline;
    }

    fn of_threads(&self, mut counters: Vec<u64>, record: &mut TrialRecord) {
        counters.sort_unstable();
        record.ops = Some(counters.iter().sum());
        record.thread_ops_min = counters.first().copied();
        record.thread_ops_median = counters.get((counters.len() - 1) / 2).copied();
        record.thread_ops_max = counters.last().copied();
    }

    /// Whether the texts have the expression, and when that was seen first; no time where it came after
    /// the last look.
    fn first_match(&self, expression: &str, texts: [&str; 2]) -> Option<Option<u64>> {
        // It was read as an expression where the rule was.
        let regex = Regex::new(expression).ok()?;
        let ends = texts.map(|text| regex.find(text).map(|found| found.end() as u64));
        let seen = |of: usize, end: u64| {
            self.printed.iter().find(|(_, sizes)| sizes[of] >= end).map(|(at_ns, _)| *at_ns)
        };
        let times: Vec<Option<u64>> =
            (0..2).filter_map(|of| ends[of].map(|end| seen(of, end))).collect();
        let first = times.iter().flatten().min().copied();
        (!times.is_empty()).then_some(first)
    }
}
