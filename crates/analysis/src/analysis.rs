//! One analysis: from run folders to all tables and findings.

use std::path::PathBuf;

use serde::{Serialize, Serializer};

use crate::case;
use crate::cells::{self, Cell, Cells};
use crate::checks::{self, RunChecks};
use crate::contrasts::{self, CellContrast};
use crate::damage::{self, Damage};
use crate::data::{Data, Trial};
use crate::error::{AnalysisError, Unlike};
use crate::finding::{self, Finding, Tables};
use crate::metrics::{self, CellMetric};
use crate::outcome::Outcome;
use crate::recovery::{self, CellRecovery, stalls};
use crate::run::Run;
use crate::series::Series;
use crate::threshold::{self, SeriesThreshold};
use crate::timeline::shown::{Shown, shown};
use crate::timeline::{Account, Timelines};
use crate::warning::{self, Warning};
use model::definition::Control;
use model::factor::POLICY;
use model::outcome::{Condition, StallRule};
use stats::Level;
use stats::samples::Resampling;

/// What the user may choose.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// The rule, instead of the definition's.
    pub stall: Option<StallRule>,
    /// The confidence level of all intervals.
    pub level: Level,
}

/// The version of `analysis.json`.
const FORMAT: u32 = 2;

/// All tables and findings of a data set.
#[derive(Debug, Clone, Serialize)]
pub struct Analysis {
    format: u32,
    /// What the tables say, the most important first.
    pub findings: Vec<Finding>,
    /// What a reader of the tables must know.
    pub warnings: Vec<Warning>,
    /// What is torn, missing or contradicts its plan: the tables lack it.
    pub damage: Vec<Damage>,
    /// The rule by which trials were judged.
    pub stall: StallRule,
    /// What texts call a hit, where the runs' definitions say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub called: Option<String>,
    /// The control, if there is one: its value is what stands here.
    #[serde(serialize_with = "value_of")]
    pub control: Option<Control>,
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
    pub fn of(mut data: Data, options: &Options) -> Result<Analysis, AnalysisError> {
        let stall = match &options.stall {
            Some(rule) => rule.clone(),
            None => the_rule(&data.runs)?,
        };
        let called = called(&data.runs, &stall);
        let control = the_control(&data.runs, &stall)?;
        let level = options.level;
        let seed = data.runs.first().map_or(0, |run| run.manifest.seed);
        let resampling = Resampling { seed, ..Resampling::default() };
        let Cells { cells, outcomes, warnings: of_cells } =
            Cells::of(&data, &stall, control.as_ref(), level, resampling)?;
        data.mark_hits(&outcomes);
        let metrics = metrics::of(&data, &cells, level, resampling);
        let checks = checks::of(&data.runs, level)?;
        let case = case::of(&cells, &stall);
        let extra = case.map_or_else(|| Ok(Default::default()), |case| case.read(&data))?;
        let series = {
            let experiment = data.runs.first().map_or("", |run| run.experiment.as_str());
            Series::of(&cells, control.as_ref(), case, experiment)
        };
        let contrasts = contrasts::contrasts(&cells, level)?;
        let timelines = Timelines::read(&data, &cells)?;
        let mut recovery = recovery::event::recoveries(&data, level)?;
        recovery.extend(recovery::throughput::recoveries(&data, &timelines, level)?);
        let threshold = threshold::thresholds(&cells, &series, case, level);
        let findings = finding::all(&Tables {
            data: &data,
            cells: &cells,
            series: &series,
            threshold: &threshold,
            metrics: &metrics,
            checks: &checks,
            recovery: &recovery,
            outcomes: &outcomes,
            case,
            extra: &extra,
            rule: &stall,
            level,
            resampling,
        });
        let torn = data.runs.iter().filter_map(|run| run.torn.clone());
        let mut damage: Vec<Damage> = torn.map(Damage::TornLine).collect();
        for (run, missing) in data.runs.iter().zip(&data.missing) {
            damage.extend(damage::of_plan(run, missing));
        }
        for (run, account) in data.runs.iter().zip(&timelines.accounts) {
            damage.extend(account.damage(run));
        }
        // Nobody asks for a recovery of throughput where the rule looks at something else.
        let by_speed = |condition: &Condition| {
            condition.is_by_throughput()
                || matches!(condition, Condition::Event { .. } | Condition::Reported)
        };
        if !stall.conditions().iter().any(by_speed) {
            damage.retain(|it| !matches!(it, Damage::NotWatched { .. }));
        }
        damage.extend(crate::torn::damage(&data)?);
        let mut warnings: Vec<Warning> = warning::mixed_durations(&data).into_iter().collect();
        warnings.extend(warning::mixed_machines(&data.runs));
        warnings.extend(of_cells);
        let shown = shown(&data, &cells, &timelines)?;
        let stalls = stalls::csv(&data.runs, &data.trials, &timelines);
        Ok(Analysis {
            format: FORMAT,
            findings,
            damage,
            warnings,
            stall,
            called,
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

    /// The factor that tells the control; without one, the one whose values stand side by side.
    pub fn control_factor(&self) -> &'static str {
        self.control.as_ref().map_or(POLICY, |control| control.factor)
    }

    /// The value of that factor; empty without a control.
    pub fn control_value(&self) -> &str {
        self.control.as_ref().map_or("", |control| &control.value)
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
            ("contrasts.csv", contrasts::csv(&self.contrasts, &self.cells, self.control.as_ref())),
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

/// Writes a control as its value.
pub(crate) fn value_of<S: Serializer>(
    control: &Option<Control>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    control.as_ref().map(|control| &control.value).serialize(serializer)
}

/// What texts call a hit by this rule: the word of the runs' definitions, if they have one for it.
pub(crate) fn called<'a>(
    runs: impl IntoIterator<Item = &'a Run>,
    rule: &StallRule,
) -> Option<String> {
    let of =
        |run: &'a Run| run.definition.called().filter(|_| run.stall_rule().as_ref() == Some(rule));
    let mut words = runs.into_iter().map(of);
    let first = words.next()??;
    words.all(|word| word == Some(first)).then(|| first.to_string())
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
            })
            .into());
        }
    }
    Ok(rule)
}

/// The control of the definitions, which must be one, for trials judged by this rule.
pub(crate) fn the_control(
    runs: &[Run],
    rule: &StallRule,
) -> Result<Option<Control>, AnalysisError> {
    let Some(first) = runs.first() else { return Err(AnalysisError::NoRun) };
    let control = first.control(rule);
    for run in runs {
        let other = run.control(rule);
        if other != control {
            return Err(Box::new(Unlike {
                first: first.name(),
                second: run.name(),
                what: "the control",
                first_has: control.map_or_else(|| "none".to_string(), |it| it.to_string()),
                second_has: other.map_or_else(|| "none".to_string(), |it| it.to_string()),
            })
            .into());
        }
    }
    Ok(control)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Finding;
    use crate::synthetic::Synthetic;
    use serde_json::{Value, json};

    fn analysis(made: &Synthetic) -> Analysis {
        with(made, &Options::default()).unwrap()
    }

    fn with(made: &Synthetic, options: &Options) -> Result<Analysis, AnalysisError> {
        let (_folder, run) = made.written();
        analyze(&[run], options)
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
        let csv = contrasts::csv(&found.contrasts, &found.cells, found.control.as_ref());
        let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(&rows[0][11..15], ["against", "base", "test_stalled", "test_n"]);
        assert_eq!(rows.len(), 4, "{csv}");
        // In the order of tables 7.3 comes before 7.3-patched.
        assert_eq!(rows[3][9..17], ["7.3-patched", "", "kernel", "7.3", "0", "24", "4", "24"]);
        let number = |text: &str| text.parse::<f64>().unwrap();
        assert!((number(rows[3][17]) + 1.0 / 6.0).abs() < 1e-12);
        assert!((number(rows[3][18]) + 0.358531).abs() < 1e-6);
        assert!((number(rows[3][19]) - 0.003667).abs() < 1e-6);
        assert_eq!(rows[3][23], "fisher");
        assert!((number(rows[3][24]) - 0.1092199).abs() < 1e-6, "{csv}");
        // Three contrasts: 4 of 24 against two sides with none, and one of none against none.
        assert!((number(rows[3][25]) - 3.0 * number(rows[3][24])).abs() < 1e-9, "{csv}");
        assert_eq!(number(rows[2][25]), 1.0);
    }

    #[test]
    fn threads_that_equal_the_cpus_in_every_trial_are_a_finding() {
        use crate::finding::threads_are_cpus::ThreadsAreCpus;
        let mut made = Synthetic::new(48);
        for threads in [16, 32, 48] {
            for _ in 0..6 {
                made.trial(threads, "auto").cpus = Some(threads);
                made.trial(threads, "slots:512").cpus = Some(threads);
            }
        }
        let found = |made: &Synthetic| {
            analysis(made).findings.into_iter().find_map(|finding| match finding {
                Finding::ThreadsAreCpus(it) => Some(it),
                _ => None,
            })
        };
        let expected = ThreadsAreCpus { fewest: 16, most: 48, imported: false };
        assert_eq!(found(&made), Some(expected));
        made.trial(16, "auto").cpus = Some(48);
        assert_eq!(found(&made), None);
        assert_eq!(found(&small_machine()), None);
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
    fn the_split_rule_finds_the_modes_by_itself() {
        let options = Options { stall: Some(Condition::Split.into()), ..Options::default() };
        let found = with(&Synthetic::reported(), &options).unwrap();
        let stalled: Vec<u64> =
            found.cells.iter().filter(|c| !c.is_control).map(Cell::stalled).collect();
        assert_eq!(stalled[3..], [1, 8, 10, 9, 10], "{:?}", found.warnings);
        assert!(found.warnings.iter().any(|it| matches!(it, Warning::Modes { .. })));
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
        assert!(error.contains("`absolute:100`"), "{error}");
        let by_throughput = Options {
            stall: Some(Condition::Absolute { mops: 50.0 }.into()),
            ..Options::default()
        };
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
            Options { stall: Some(Condition::Control { share: 0.5 }.into()), ..Options::default() };
        let found = analyze(&runs, &one_rule).unwrap();
        assert_eq!(found.trials.len(), 220);
        assert!(found.warnings.iter().any(|it| matches!(it, Warning::MixedMachines { .. })));
    }

    #[test]
    fn mixed_durations_are_a_warning() {
        let mut made = Synthetic::reported();
        made.rows[0].duration_s = Some(3.0);
        let warnings = analysis(&made).warnings;
        assert!(matches!(warnings[..], [Warning::MixedDurations { cells: 1, .. }]), "{warnings:?}");
    }
}
