//! One analysis: from run folders to all tables and the answer.

use std::path::PathBuf;

use serde::Serialize;

use crate::answer::{Answer, Tables};
use crate::cells::{self, Cell, Cells};
use crate::checks::{self, RunChecks};
use crate::contrasts::{self, CellContrast};
use crate::data::{Data, Trial};
use crate::error::{AnalysisError, Unlike};
use crate::metrics::{self, CellMetric};
use crate::outcome::Outcome;
use crate::planned::Missing;
use crate::recovery::{self, CellRecovery, stalls};
use crate::run::Run;
use crate::series::Series;
use crate::threshold::{self, SeriesThreshold};
use crate::timeline::shown::{Shown, shown};
use crate::timeline::{Account, Timelines};
use model::outcome::StallRule;
use stats::Level;
use stats::samples::Resampling;
use stats::words::counted;

/// What the user may choose.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Options {
    /// The rule, instead of the definition's.
    pub stall: Option<StallRule>,
    /// The confidence level of all intervals.
    pub level: Level,
}

/// The version of `analysis.json`.
const FORMAT: u32 = 1;

/// All tables of a data set, and the answer.
#[derive(Debug, Clone, Serialize)]
pub struct Analysis {
    format: u32,
    /// What it says, in sentences.
    pub answer: Answer,
    /// What a reader of the tables must know, in sentences.
    pub warnings: Vec<String>,
    /// The rule by which trials were judged.
    pub stall: StallRule,
    /// The control's hash policy.
    pub control: String,
    /// The confidence level of all intervals.
    pub level: Level,
    /// Where the resampling's chance starts, and how many resamples there are.
    #[serde(flatten)]
    pub resampling: SeedAndSize,
    /// The runs.
    pub runs: Vec<Run>,
    /// `cells.csv`.
    pub cells: Vec<Cell>,
    /// What was measured beyond throughput.
    pub metrics: Vec<CellMetric>,
    /// Functional checks.
    pub checks: Vec<RunChecks>,
    /// Cells over thread counts.
    pub series: Vec<Series>,
    /// `contrasts.csv`.
    pub contrasts: Vec<CellContrast>,
    /// `recovery.csv`.
    pub recovery: Vec<CellRecovery>,
    /// Beside the runs: what each `timeline.csv` held, and what it did not.
    pub timelines: Vec<Account>,
    /// `threshold.csv`.
    pub threshold: Vec<SeriesThreshold>,
    /// The trials, for figures.
    #[serde(skip)]
    pub trials: Vec<Trial>,
    /// Beside the trials; `None` for a trial that failed.
    #[serde(skip)]
    pub outcomes: Vec<Option<Outcome>>,
    /// `stalls.csv`, where a trial stalled by its throughput.
    #[serde(skip)]
    pub stalls: Option<String>,
    /// A few timelines, for figures.
    #[serde(skip)]
    pub shown: Vec<Shown>,
}

/// What makes the resampling repeatable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SeedAndSize {
    /// The first run's seed.
    pub seed: u64,
    /// How many resamples.
    pub resamples: usize,
}

/// Reads runs as one data set and makes every table.
pub fn analyze(folders: &[PathBuf], options: &Options) -> Result<Analysis, AnalysisError> {
    let data = Data::read(folders)?;
    Analysis::of(data, options)
}

impl Analysis {
    /// Makes every table of a data set.
    pub fn of(data: Data, options: &Options) -> Result<Analysis, AnalysisError> {
        let stall = match options.stall {
            Some(rule) => rule,
            None => the_rule(&data.runs)?,
        };
        let control = the_control(&data.runs)?;
        let level = options.level;
        let seed = data.runs.first().map_or(0, |run| run.manifest.seed);
        let resampling = Resampling { seed, ..Resampling::default() };
        let Cells { cells, outcomes, notes } =
            Cells::of(&data, stall, &control, level, resampling)?;
        let metrics = metrics::of(&data, &cells, level, resampling)?;
        let checks = checks::of(&data.runs, level)?;
        let series = Series::of(&cells);
        let contrasts = contrasts::contrasts(&cells, level)?;
        let timelines = Timelines::read(&data, &cells)?;
        let mut recovery = recovery::pivot::recoveries(&data, level)?;
        recovery.extend(recovery::throughput::recoveries(&data, &timelines, level)?);
        let threshold = threshold::thresholds(&cells, &series, level);
        let answer = Answer::of(&Tables {
            data: &data,
            cells: &cells,
            series: &series,
            threshold: &threshold,
            metrics: &metrics,
            checks: &checks,
            recovery: &recovery,
            outcomes: &outcomes,
            rule: stall,
            level,
        });
        let mut warnings: Vec<String> =
            data.runs.iter().filter_map(|run| run.torn.clone()).collect();
        for (run, missing) in data.runs.iter().zip(&data.missing) {
            warnings.extend(plan_sentences(run, missing));
        }
        for (run, account) in data.runs.iter().zip(&timelines.accounts) {
            warnings.extend(account.sentences(run));
        }
        warnings.extend(crate::torn::sentences(&data)?);
        warnings.extend(mixed_durations(&data));
        warnings.extend(mixed_machines(&data.runs));
        warnings.extend(notes);
        let shown = shown(&data, &cells, &timelines)?;
        let stalls = stalls::csv(&data.runs, &data.trials, &timelines);
        Ok(Analysis {
            format: FORMAT,
            answer,
            warnings,
            stall,
            control,
            level,
            resampling: SeedAndSize { seed, resamples: resampling.resamples },
            runs: data.runs,
            cells,
            metrics,
            checks,
            series,
            contrasts,
            recovery,
            timelines: timelines.accounts,
            threshold,
            trials: data.trials,
            outcomes,
            stalls,
            shown,
        })
    }

    /// The answer's sentences, the most important first.
    pub fn answer_lines(&self) -> Vec<String> {
        self.answer.lines()
    }

    /// `analysis.json`.
    pub fn json(&self) -> String {
        // Every type in it has text keys and finite or null numbers, so that this can't fail; an
        // empty text would be no JSON, and a test reads it back.
        serde_json::to_string_pretty(self).map_or_else(|_| String::new(), |text| text + "\n")
    }

    /// The files of `analysis/`: name and content.
    pub fn files(&self) -> Vec<(&'static str, String)> {
        let mut files = vec![
            ("cells.csv", cells::csv(&self.cells)),
            ("contrasts.csv", contrasts::csv(&self.contrasts, &self.cells)),
            ("recovery.csv", recovery::csv(&self.recovery, &self.cells)),
            ("threshold.csv", threshold::csv(&self.threshold, &self.series, &self.cells)),
        ];
        if !self.metrics.is_empty() {
            files.push(("metrics.csv", metrics::csv(&self.metrics, &self.cells)));
        }
        if !self.checks.is_empty() {
            files.push(("checks.csv", checks::csv(&self.checks, &self.runs)));
        }
        files.extend(self.stalls.clone().map(|text| ("stalls.csv", text)));
        files.push(("analysis.json", self.json()));
        files
    }
}

/// The rule of the definitions, which must be one.
pub(crate) fn the_rule(runs: &[Run]) -> Result<StallRule, AnalysisError> {
    let rule_of = |run: &Run| {
        run.stall_rule().ok_or_else(|| AnalysisError::NoRule { from: run.manifest_name() })
    };
    let Some(first) = runs.first() else { return Err(AnalysisError::NoRun) };
    let rule = rule_of(first)?;
    for run in runs {
        let other = rule_of(run)?;
        if other != rule {
            return Err(Box::new(Unlike {
                first: first.name(),
                second: run.name(),
                what: "the stall rule",
                first_has: rule.to_string(),
                second_has: other.to_string(),
                hint: "; --stall RULE judges all by one",
            })
            .into());
        }
    }
    Ok(rule)
}

/// The control of the definitions, which must be one.
pub(crate) fn the_control(runs: &[Run]) -> Result<String, AnalysisError> {
    let Some(first) = runs.first() else { return Err(AnalysisError::NoRun) };
    let control = first.definition.control_hash().to_string();
    for run in runs {
        let other = run.definition.control_hash().to_string();
        if other != control {
            return Err(Box::new(Unlike {
                first: first.name(),
                second: run.name(),
                what: "the control's hash",
                first_has: control,
                second_has: other,
                hint: ". Analyse them one by one",
            })
            .into());
        }
    }
    Ok(control)
}

/// What the plan says of a run's rows that a reader of the tables must know.
fn plan_sentences(run: &Run, missing: &Missing) -> Vec<String> {
    let file = run.folder.join("plan.csv").display().to_string();
    let mut sentences = missing.torn.clone().map_or_else(Vec::new, |torn| vec![torn]);
    match missing.planned {
        None => sentences.push(format!(
            "{file} is missing: the rows of trials.csv are not held against it, and what was planned \
             and not run is not known"
        )),
        Some(planned) if planned != run.planned => sentences.push(format!(
            "{file} plans {}, and the manifest says {}: one of them is not this run's",
            counted(planned, "trial", "trials"),
            run.planned
        )),
        Some(_) => {}
    }
    if missing.trials > 0 && missing.empty_cells > 0 {
        sentences.push(format!(
            "{}: {} of the plan have no trial at all, and no row in the tables",
            run.name(),
            counted(missing.empty_cells, "cell", "cells")
        ));
    }
    sentences
}

/// Trials of different lengths in one cell: the longer one has more time to recover in.
fn mixed_durations(data: &Data) -> Option<String> {
    let mut first: Vec<Option<f64>> = vec![None; data.cells.len()];
    let mut mixed: Vec<usize> = Vec::new();
    for trial in &data.trials {
        match first[trial.cell] {
            None => first[trial.cell] = trial.duration_s,
            Some(duration) if trial.duration_s.is_some_and(|d| d != duration) => {
                mixed.push(trial.cell)
            }
            _ => {}
        }
    }
    mixed.sort_unstable();
    mixed.dedup();
    let example = data.cells.get(*mixed.first()?)?;
    Some(format!(
        "{} trials of different durations, such as {example}: a longer trial has more time to recover in",
        match mixed.len() {
            1 => "1 cell mixes".to_string(),
            n => format!("{n} cells mix"),
        }
    ))
}

/// Runs of different machines that nothing in the tables tells apart.
fn mixed_machines(runs: &[Run]) -> Option<String> {
    let machine = |run: &Run| {
        let machine = &run.manifest.machine;
        let model = machine.cpu_model.clone().unwrap_or_else(|| "an unknown CPU".into());
        format!("{model}, {}", stats::words::counted(machine.cpus_online.into(), "CPU", "CPUs"))
    };
    for (at, run) in runs.iter().enumerate() {
        for other in &runs[..at] {
            if run.manifest.labels == other.manifest.labels && machine(run) != machine(other) {
                return Some(format!(
                    "{} ({}) and {} ({}) are pooled though their machines differ: give each run \
                     --label machine=NAME to tell them apart",
                    other.name(),
                    machine(other),
                    run.name(),
                    machine(run)
                ));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::Synthetic;
    use model::factor::Span;
    use model::record::{Pivot, Status};
    use serde_json::{Value, json};

    fn analysis(made: &Synthetic) -> Analysis {
        with(made, &Options::default()).unwrap()
    }

    fn with(made: &Synthetic, options: &Options) -> Result<Analysis, AnalysisError> {
        let (_folder, run) = made.written();
        analyze(&[run], options)
    }

    fn answer(made: &Synthetic) -> String {
        analysis(made).answer_lines().join("\n")
    }

    fn small_machine() -> Synthetic {
        let mut made = Synthetic::new(2);
        for threads in [1, 2, 4] {
            for trial in 0..10 {
                made.trial(threads, "auto").mops_per_s = Some(4.0 + f64::from(trial) / 10.0);
                made.trial(threads, "slots:512").mops_per_s = Some(4.05 + f64::from(trial) / 10.0);
            }
        }
        made
    }

    #[test]
    fn a_machine_that_cannot_show_the_race_says_so_first() {
        let lines = analysis(&small_machine()).answer_lines();
        assert_eq!(
            lines,
            [
                "This machine can't show the race: on 2 CPUs the kernel never asks for more than 16 \
                 slots, which every threaded process has from its start. No growth of the private \
                 hash was due in any of 30 trials, so none can have been late, at any thread count. \
                 A machine with more than 4 CPUs can, or the lab on this one: `experiments run \
                 race-sweep --kernel debian:7.3 --cpus 32`.",
                "Throughput of `auto` against its control, where no growth is due: 0.989 times."
            ]
        );
    }

    #[test]
    fn slow_trials_where_nothing_is_due_are_not_called_the_race() {
        let mut made = small_machine();
        made.rows[0].mops_per_s = Some(0.5);
        let answer = answer(&made);
        assert!(answer.starts_with("This machine can't show the race"), "{answer}");
        assert!(answer.contains("1 of 30 trials of `auto` was slow by the rule `control:0.5`"));
        assert!(!answer.contains("stalled from"), "{answer}");
    }

    #[test]
    fn too_few_threads_on_a_large_machine_are_the_threads_fault() {
        let mut made = Synthetic::new(96);
        for _ in 0..10 {
            made.trial(4, "auto");
            made.trial(4, "slots:512");
        }
        let answer = answer(&made);
        assert!(answer.starts_with("These thread counts can't show the race: up to 4 threads"));
    }

    #[test]
    fn the_reported_machine_stalls_from_48_threads_on() {
        let lines = analysis(&Synthetic::reported()).answer_lines();
        assert_eq!(
            lines,
            [
                "`auto` stalled from 48 threads on: 1 of 10 at 48, 8 of 10 at 56, 10 of 10 at 64, 9 of \
                 10 at 72 and 10 of 10 at 96 (rule `absolute:100`). 0 of 10 at each of 24, 32 and 40 \
                 threads (at most 25.9 %), with 95 % confidence for each.",
                "By a logistic curve over log2(threads), half of the trials of `auto` stall at 53.2 \
                 threads (49.5 to 56.8, 95 % interval), a tenth at 45.1 and nine tenths at 62.7.",
                "In all 38 stalled trials of `auto` the growth of the private hash was pending to the \
                 end of the load.",
                "Stalled trials of `auto` ran at 1.1 % of their control's median throughput (the middle \
                 one of 38; 9.4 Mops/s).",
                "At 96 threads the growth of `auto` was installed under load in 0 of 10 trials: it takes \
                 longer than the load lasted. At fewer threads: at 72 in 1 of 10; at 64 in 0 of 10; at 56 \
                 in 2 of 10; at 48 in 9 of 10, median 20 ms (20 ms to 20 ms); at 40 in 10 of 10, median \
                 20 ms; at 32 in 10 of 10, median 20 ms; at 24 in 10 of 10, median 20 ms.",
                "By its timeline, throughput of `auto` at 96 threads was below 50 % of the control's in 10 \
                 of 10 trials (the control's own in 0 of 10), and in none of them back there for 100 ms before its samples end. \
                 At fewer threads: at 72 in 10 of 10 (control: 0 of 10, p < 0.0001), none back; at 64 in 10 of \
                 10 (control: 0 of 10, p < 0.0001), none back; at 56 in 8 of 10 (control: 0 of 10, p = \
                 0.0004), none back; at 48 in 3 of 10 (control: 0 of 10, p = 0.105), none back.",
                "With fewer than 25 trials, intervals by Greenwood's variance are rough, and the restricted \
                 mean's covers too little; for curve and median, the beta product keeps its level at any \
                 size."
            ]
        );
    }

    #[test]
    fn cells_have_the_contract_s_columns_and_the_known_intervals() {
        let found = analysis(&Synthetic::reported());
        let csv = cells::csv(&found.cells);
        let mut lines = csv.lines();
        assert_eq!(
            lines.next(),
            Some(
                "workload,threads,ramp,hash,placement,memory,locks,unlock,messengers,kernel,labels,\
                 trials,failed,stalled,stall_p,wilson_low,wilson_high,exact_low,exact_high,\
                 jeffreys_low,jeffreys_high,mops_median,mops_low,mops_high,control_ratio,\
                 control_ratio_low,control_ratio_high"
            )
        );
        let at_56 =
            found.cells.iter().find(|c| c.factors.threads() == 56 && !c.is_control).unwrap();
        let interval = |method| {
            let interval = at_56.stall_interval(method).unwrap();
            (interval.low.unwrap(), interval.high.unwrap())
        };
        for (method, low, high) in [
            ("wilson", 0.490162, 0.943318),
            ("clopper-pearson", 0.443905, 0.974789),
            ("jeffreys", 0.497226, 0.955941),
        ] {
            let (l, h) = interval(method);
            assert!((l - low).abs() < 1e-6 && (h - high).abs() < 1e-6, "{method} {l} {h}");
        }
        let row = csv.lines().find(|line| line.starts_with("wake-storm,56,burst,auto")).unwrap();
        let cells: Vec<&str> = row.split(',').collect();
        assert_eq!(cells.len(), 27);
        assert_eq!(&cells[11..15], ["10", "0", "8", "0.8"]);
        // The median of ten is between 7.0 and 7.0; its interval, ranks 2 and 9.
        assert_eq!(&cells[21..24], ["7", "6.2", "526.9"]);
        let control = csv.lines().find(|l| l.starts_with("wake-storm,56,burst,slots:512")).unwrap();
        assert!(control.ends_with(",,,"), "a control has no ratio to itself: {control}");
    }

    #[test]
    fn each_cell_is_held_against_its_control_and_kernels_against_each_other() {
        let mut made = Synthetic::new(192);
        for (kernel, stalled) in [("7.3-patched", 0), ("7.3", 4)] {
            for trial in 0..24 {
                let row = made.trial(192, "auto");
                row.kernel = kernel.into();
                row.mops_per_s = Some(if trial < stalled { 1.0 } else { 99.0 });
                made.trial(192, "slots:512").kernel = kernel.into();
            }
        }
        let found = analysis(&made);
        let csv = contrasts::csv(&found.contrasts, &found.cells);
        let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(&rows[0][11..15], ["against", "base", "test_stalled", "test_n"]);
        assert_eq!(rows.len(), 4, "{csv}");
        // In the order of tables 7.3 comes before 7.3-patched.
        assert_eq!(rows[3][9..17], ["7.3-patched", "", "kernel", "7.3", "0", "24", "4", "24"]);
        let number = |text: &str| text.parse::<f64>().unwrap();
        assert!((number(rows[3][17]) + 1.0 / 6.0).abs() < 1e-12);
        assert!((number(rows[3][18]) + 0.358531).abs() < 1e-6);
        assert!((number(rows[3][19]) - 0.003667).abs() < 1e-6);
        assert_eq!(rows[3][23], "boschloo");
        assert!((number(rows[3][24]) - 0.0595).abs() < 5e-5, "{csv}");
        assert!((number(rows[3][27]) - 0.1092199).abs() < 1e-6, "{csv}");
        // Three contrasts: 4 of 24 against two sides with none, and one of none against none.
        assert!((number(rows[3][25]) - 3.0 * number(rows[3][24])).abs() < 1e-9, "{csv}");
        assert_eq!(number(rows[2][25]), 1.0);
    }

    #[test]
    fn the_threshold_is_a_row_a_series() {
        let found = analysis(&Synthetic::reported());
        let csv = threshold::csv(&found.threshold, &found.series, &found.cells);
        let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(rows.len(), 2, "the control has none: {csv}");
        assert_eq!(rows[1][..4], ["wake-storm", "", "burst", "auto"]);
        assert_eq!(rows[1][11..13], ["38", "80"]);
        let half: f64 = rows[1][18].parse().unwrap();
        assert!(half > 48.0 && half < 56.0, "{csv}");
        assert!(analysis(&small_machine()).threshold.is_empty(), "no growth was due");
    }

    #[test]
    fn the_same_runs_give_the_same_analysis() {
        let (_folder, run) = Synthetic::reported().written();
        let once = analyze(std::slice::from_ref(&run), &Options::default()).unwrap().json();
        let again = analyze(&[run], &Options::default()).unwrap().json();
        assert_eq!(once, again);
        let json: Value = serde_json::from_str(&once).unwrap();
        assert_eq!(json["stall"], "absolute:100");
        assert_eq!(json["level"], 0.95);
        assert_eq!(json["answer"][0]["fact"], "stalls");
        assert_eq!(json["answer"][0]["at"][4], json!({"threads": 56, "stalled": 8, "n": 10}));
        assert_eq!(json["cells"][8]["stall"]["intervals"][0]["method"], "wilson");
    }

    #[test]
    fn nothing_stalled_says_how_often_it_may_still() {
        let mut made = Synthetic::new(96);
        for threads in [48, 96] {
            for _ in 0..24 {
                made.trial(threads, "auto");
                made.trial(threads, "slots:512");
            }
        }
        made.trial(96, "auto");
        let answer = answer(&made);
        assert_eq!(
            answer,
            "`auto` did not stall in 49 trials (rule `control:0.5`). 0 of 25 at 96 threads (at most \
             11.3 %); 0 of 24 at 48 threads (at most 11.7 %), with 95 % confidence for each. That it \
             never stalls does not follow.\nAt 96 threads the growth of `auto` was installed under \
             load in 25 of 25 trials; the median time is 10 ms. At fewer threads: at 48 in 24 of 24, \
             median 10 ms."
        );
    }

    #[test]
    fn a_kernel_without_the_private_hash_is_a_baseline() {
        let mut made = Synthetic::new(96);
        for _ in 0..10 {
            let row = made.trial(96, "auto");
            row.kernel = "debian:6.12".into();
            row.pivot = Some(Pivot::Unsupported);
            row.pivot_s = None;
            row.slots_expected = None;
            made.failed(96, "slots:512", Status::Refused, "PR_FUTEX_HASH_SET_SLOTS: EINVAL");
        }
        let lines = analysis(&made).answer_lines();
        assert!(
            lines[0].starts_with("The kernel debian:6.12 has no private futex hash"),
            "{lines:?}"
        );
        assert!(lines[1].starts_with("10 of 20 trials failed (10 refused)"), "{lines:?}");
        assert_eq!(lines.len(), 2, "{lines:?}");
        let cell = &analysis(&made).cells[0];
        assert_eq!(cell.stall, None, "not observable is not 0");
    }

    #[test]
    fn failed_trials_are_in_no_denominator() {
        let mut made = Synthetic::new(96);
        for trial in 0..10 {
            made.trial(96, "slots:512");
            if trial < 4 {
                made.failed(96, "auto", Status::Timeout, "killed after 21 s");
            } else {
                made.trial(96, "auto").mops_per_s = Some(if trial < 7 { 1.0 } else { 99.0 });
            }
        }
        let found = analysis(&made);
        let auto = &found.cells[0];
        assert_eq!((auto.trials, auto.failed, auto.stalled(), auto.observed()), (10, 4, 3, 6));
        let answer = found.answer_lines().join("\n");
        assert!(answer.contains("`auto` stalled in 3 of 6 trials at 96 threads"), "{answer}");
        assert!(
            answer.contains("4 of 20 trials failed (4 timeout) and are in no count"),
            "{answer}"
        );
        assert!(answer.contains("Most frequent (4 of 4): killed after 21 s."), "{answer}");
    }

    #[test]
    fn all_failed_and_nothing_finished_conclude_nothing() {
        let mut made = Synthetic::new(96);
        for _ in 0..5 {
            made.failed(96, "auto", Status::Crashed, "signal 9");
        }
        let all_failed = answer(&made);
        assert!(
            all_failed.starts_with("All 5 trials failed: nothing was measured"),
            "{all_failed}"
        );
        assert!(!all_failed.contains("0 of"), "{all_failed}");
        let mut made = Synthetic::new(96);
        made.manifest.planned = 40;
        let nothing = answer(&made);
        assert!(nothing.starts_with("No trial has ended yet, of 40 planned"), "{nothing}");
        assert!(nothing.contains("experiments resume "), "{nothing}");
    }

    #[test]
    fn one_trial_a_cell_has_no_interval_for_its_median_and_says_so() {
        let mut made = Synthetic::new(96);
        made.trial(96, "auto");
        made.trial(96, "slots:512");
        let found = analysis(&made);
        let mops = found.cells[0].mops.unwrap();
        assert_eq!((mops.low, mops.high), (None, None));
        let ratio = found.cells[0].control_ratio.unwrap();
        assert_eq!((ratio.estimate, ratio.low), (Some(1.0), None));
        let answer = found.answer_lines().join("\n");
        assert!(
            answer.contains("2 cells have at most 1 trial each: a median's 95 % interval needs 6")
        );
    }

    #[test]
    fn an_interrupted_run_is_used_and_named() {
        let mut made = small_machine();
        made.manifest.planned = 160;
        let answer = answer(&made);
        assert!(answer.contains("60 of 160 planned trials are done in "), "{answer}");
    }

    #[test]
    fn in_the_lab_throughput_is_no_slowdown() {
        let mut made = Synthetic::reported();
        made.manifest.executor = model::manifest::Origin::Lab { boots: 1 };
        made.manifest.kernels[0].accelerator = Some("tcg".into());
        let answer = answer(&made);
        assert!(answer.contains("The trials ran in guests (tcg): throughput there is"), "{answer}");
        assert!(answer.contains("`--stall pivot:1s` judges by the hash"), "{answer}");
        assert!(!answer.contains("control's median throughput"), "{answer}");
    }

    #[test]
    fn the_pivot_rule_keeps_what_was_watched_too_short_apart() {
        let mut made = Synthetic::new(96);
        for trial in 0..8 {
            let row = made.trial(96, "auto");
            row.pivot = Some(Pivot::Pending);
            row.pivot_s = Some(if trial < 5 { 0.98 } else { 1.2 });
        }
        made.trial(96, "auto");
        let options = Options {
            stall: Some(StallRule::Pivot { limit: Span::from_ms(1000) }),
            ..Options::default()
        };
        let found = with(&made, &options).unwrap();
        let cell = &found.cells[0];
        assert_eq!((cell.stalled(), cell.observed(), cell.trials), (3, 4, 9));
        let answer = found.answer_lines().join("\n");
        assert!(answer.contains("5 of 9 trials of `auto` have no outcome"), "{answer}");
        assert!(answer.contains("still pending when the load ended, before the rule's limit"));
    }

    #[test]
    fn the_control_that_stalls_is_told() {
        let mut made = Synthetic::reported();
        made.rows[1].mops_per_s = Some(3.0);
        let answer = answer(&made);
        assert!(
            answer.contains("The control `slots:512` stalled too, in 1 of 80 trials"),
            "{answer}"
        );
    }

    #[test]
    fn the_split_rule_finds_the_modes_by_itself() {
        let options = Options { stall: Some(StallRule::Split), ..Options::default() };
        let found = with(&Synthetic::reported(), &options).unwrap();
        let stalled: Vec<u64> =
            found.cells.iter().filter(|c| !c.is_control).map(Cell::stalled).collect();
        assert_eq!(stalled[3..], [1, 8, 10, 9, 10], "{:?}", found.warnings);
        assert!(found.warnings.iter().any(|warning| warning.starts_with("split: ")));
    }

    #[test]
    fn one_mode_without_a_control_may_be_either() {
        let mut made = Synthetic::new(96);
        for trial in 0..8 {
            made.trial(96, "auto").mops_per_s = Some(9.0 + f64::from(trial) / 10.0);
        }
        let options = Options { stall: Some(StallRule::Split), ..Options::default() };
        let found = with(&made, &options).unwrap();
        assert_eq!(found.cells[0].stall, None, "all or none of them may have stalled");
        let answer = found.answer_lines().join("\n");
        assert!(answer.contains("one mode and no control beside it"), "{answer}");
    }

    #[test]
    fn a_rule_without_throughputs_says_nothing_of_modes() {
        let mut made = Synthetic::new(96);
        made.trial(96, "auto").mops_per_s = None;
        let options = Options { stall: Some(StallRule::Split), ..Options::default() };
        let found = with(&made, &options).unwrap();
        assert_eq!(
            found.answer_lines()[0],
            "By the rule `split`, the only trial of `auto` has no outcome: no throughput was recorded."
        );
        let of_modes = found.warnings.iter().any(|warning| warning.contains("mode"));
        assert!(!of_modes, "{:?}", found.warnings);
    }

    fn imported(mut made: Synthetic) -> Synthetic {
        made.manifest.executor = model::manifest::Origin::Imported;
        made.manifest.definition = json!({"import": {}});
        made
    }

    #[test]
    fn an_imported_run_without_a_rule_is_judged_by_its_source() {
        let mut made = Synthetic::new(96);
        for labels in ["machine=a", "machine=b"] {
            for threads in [8, 96] {
                made.trial(threads, "auto").labels = labels.into();
            }
        }
        // None of them is missing: what the source has is all that there is.
        made.manifest.planned = 9;
        let found = analysis(&imported(made));
        let lines = found.answer_lines();
        assert_eq!(
            lines[0],
            "The source does not say whether these trials stalled: nothing follows about stalls."
        );
        let answer = lines.join("\n");
        assert!(!answer.contains("resume") && !answer.contains("--trials"), "{answer}");
        assert!(answer.contains("4 cells have at most 1 throughput each"), "{answer}");
    }

    #[test]
    fn trials_without_an_outcome_are_told_by_what_was_measured() {
        let mut made = Synthetic::new(96);
        for trial in 0..6 {
            made.trial(96, "auto").mops_per_s = Some(10.0 + f64::from(trial));
            made.trial(96, "slots:512").mops_per_s = Some(100.0 + f64::from(trial));
        }
        let answer = analysis(&imported(made)).answer_lines().join("\n");
        // Exact: none of 6 and 6 overlap, 2 of C(12, 6).
        assert!(
            answer
                .contains("The throughput of `auto` at 96 threads is 0.122 times its control's (")
                && answer.contains("6 trials each; Mann-Whitney p = 0.0022)."),
            "{answer}"
        );
    }

    #[test]
    fn a_recovery_seen_by_throughput_is_not_called_an_installed_growth() {
        let mut made = Synthetic::new(192);
        for after in [14.0, 33.0, 165.0] {
            let row = made.trial(192, "auto");
            row.labels = "seen-by=throughput".into();
            row.pivot_s = Some(after);
        }
        let answer = analysis(&imported(made)).answer_lines().join("\n");
        assert!(
            answer
                .contains("At 192 threads the throughput of `auto` recovered under load in 3 of 3"),
            "{answer}"
        );
        assert!(!answer.contains("growth") && !answer.contains("hash"), "{answer}");
    }

    #[test]
    fn one_trial_is_not_one_trials() {
        let mut made = Synthetic::new(96);
        made.trial(96, "auto").mops_per_s = Some(1.0);
        made.trial(96, "slots:512");
        made.trial(96, "slots:64");
        let answer = answer(&made);
        assert!(answer.contains("`auto` stalled in the only trial at 96 threads"), "{answer}");
        assert!(answer.contains("`slots:64` did not stall in its only trial"), "{answer}");
        assert!(answer.contains("0 of 1 at 96 threads (at most 95 %), with 95 % confidence. "));
        for wrong in ["1 trials", "1 threads", "for each", "all 1"] {
            assert!(!answer.contains(wrong), "{wrong}: {answer}");
        }
    }

    #[test]
    fn a_rule_without_its_control_is_an_error_that_says_what_helps() {
        let mut made = Synthetic::new(96);
        made.trial(96, "auto");
        made.trial(96, "global");
        let error = with(&made, &Options::default()).unwrap_err();
        assert!(error.is_request());
        let error = error.to_string();
        assert!(error.contains("slots:512") && error.contains("auto, global"), "{error}");
        assert!(error.contains("--stall"), "{error}");
        let by_throughput =
            Options { stall: Some(StallRule::Absolute { mops: 50.0 }), ..Options::default() };
        assert!(with(&made, &by_throughput).is_ok());
    }

    #[test]
    fn a_definition_without_a_rule_or_with_a_bad_one_is_named() {
        let mut made = Synthetic::reported();
        made.manifest.definition["outcome"] = Value::Null;
        let error = with(&made, &Options::default()).unwrap_err().to_string();
        assert!(
            error.contains("manifest.json: the definition has no `[outcome] stall`"),
            "{error}"
        );
        made.manifest.definition["outcome"] = json!({"stall": "slow"});
        let error = with(&made, &Options::default()).unwrap_err().to_string();
        assert!(
            error.contains("manifest.json: the definition's outcome.stall: stall rule \"slow\""),
            "{error}"
        );
        made.manifest.definition =
            json!({"outcome": {"stall": "absolute:1"}, "control": {"hash": 5}});
        let error = with(&made, &Options::default()).unwrap_err().to_string();
        assert!(error.contains("control.hash is 5"), "{error}");
    }

    #[test]
    fn runs_of_different_rules_are_refused_unless_one_is_given() {
        let (_one, first) = Synthetic::reported().written();
        let (_two, second) = small_machine().written();
        let runs = [first, second];
        let error = analyze(&runs, &Options::default()).unwrap_err().to_string();
        assert!(error.contains("absolute:100") && error.contains("control:0.5"), "{error}");
        let one_rule =
            Options { stall: Some(StallRule::Control { share: 0.5 }), ..Options::default() };
        let found = analyze(&runs, &one_rule).unwrap();
        assert_eq!(found.trials.len(), 220);
        assert!(found.warnings.iter().any(|w| w.contains("pooled though their machines differ")));
    }

    #[test]
    fn mixed_durations_are_a_warning() {
        let mut made = Synthetic::reported();
        made.rows[0].duration_s = Some(3.0);
        let warnings = analysis(&made).warnings.join("\n");
        assert!(warnings.contains("1 cell mixes trials of different durations"), "{warnings}");
    }

    #[test]
    fn a_higher_level_is_wider_and_is_said() {
        let options = Options { level: Level::new(0.99).unwrap(), ..Options::default() };
        let found = with(&Synthetic::reported(), &options).unwrap();
        let interval = found.cells[8].stall_interval("wilson").unwrap();
        assert!(interval.low.unwrap() < 0.490162);
        assert!(found.answer_lines()[0].contains("with 99 % confidence"));
    }
}
