//! `experiments stat recovery FILE.csv`.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use model::factor::Span;
use report::say::stat::recovery as say;
use report::say::stat::survival::note;
use serde::Serialize;
use serde_json::Value;
use stats::StatError;
use stats::recovery::{
    Between, Course, PartialRecovery, Phase, Recovery, RecoveryRule, Sample, recovery,
};
use stats::survival::{Group, Lifetime, SurvivalOptions, summarize};

use super::super::planning::counted;
use super::columns::{Columns, Row};
use super::survival::say_notes;
use super::{Answer, Options, paths};
use crate::failure::{Failure, Outcome};
use crate::number::{how_many, real};

/// When a stalled process recovered, from its throughput over time
///
/// FILE.csv has a row a sample: `t_s`, the seconds since the trial's start at which it was taken, and
/// `mops_per_s`, the throughput since the sample before it, in Mops/s or whatever --control is in. The
/// `timeline.csv` of a run has them; with a column `trial` each trial gets its answer. An empty throughput
/// was not observed and is passed over.
///
/// The log throughput is cut where its level changes: exact penalised segmentation, which has PELT's
/// optimum, with the noise (sigma) from the differences of neighbours and a penalty a change. The stall
/// begins with the first phase below --share of the control, of those with --least-samples in a row if any. The recovery is the first phase after it
/// from which on none is below for --hold; rises that lack one of the two are partial recoveries, and
/// later falls are relapses. A sample is a mean over its interval, so begin and end are known between two
/// samples only, in (after, by], and a stall without an end is right-censored. Where several trials
/// stalled, their lengths are estimated together, as by `stat survival`.
///
/// Assumes that without the stall the process would do what the control does, and that it falls for no
/// other reason. Correlated noise is cut finer, which changes no answer: phases on the same side of the
/// share are one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  experiments stat recovery data/runs/NAME/timeline.csv --control 36
  experiments stat recovery data/runs/NAME/timeline.csv --control 36 --trial 12
  printf 't_s,mops_per_s\\n1,3.4\\n2,3.5\\n3,24.8\\n4,34.6\\n5,34.7\\n6,34.8\\n' |
    experiments stat recovery - --control 36 --share 0.5 --hold 3s")]
pub struct RecoveryArgs {
    /// The CSV file; `-` is standard input
    #[arg(value_name = "FILE.csv")]
    file: PathBuf,
    /// The throughput of the control, which does not stall, in the unit of the file
    #[arg(long, value_name = "MOPS", allow_negative_numbers = true, value_parser = real)]
    control: f64,
    /// The share of the control that is to be reached, above 0 and up to 1
    #[arg(long, default_value = "0.5", allow_negative_numbers = true, value_parser = real)]
    share: f64,
    /// For how long it is to be kept, such as 3s or 500ms, from the end of the first sample that
    /// reached it
    #[arg(long, default_value = "3s", value_name = "SPAN", allow_hyphen_values = true)]
    hold: Span,
    /// How many samples in a row below the share make a stall; one of fewer is told only where there is
    /// no longer one, with a note, and is not estimated together with others
    #[arg(long, default_value_t = 2, value_name = "COUNT", value_parser = how_many::<usize>, allow_negative_numbers = true)]
    least_samples: usize,
    /// When the clock starts; samples that begin earlier are not looked at. By default the trial's start,
    /// and in a file with a column `threads` when the last of them existed
    #[arg(long, value_name = "SPAN", allow_hyphen_values = true)]
    start: Option<Span>,
    /// The penalty a change, in units of squared error over sigma squared; by default Schwarz', 2 log n
    #[arg(long, allow_negative_numbers = true, value_parser = real)]
    penalty: Option<f64>,
    /// Only this trial
    #[arg(long, value_name = "TRIAL")]
    trial: Option<String>,
    #[command(flatten)]
    options: Options,
}

/// Runs the command.
pub fn run(args: RecoveryArgs, out: &mut dyn Write) -> Outcome {
    let rule = RecoveryRule {
        share: args.share,
        hold_s: args.hold.seconds(),
        least_samples: args.least_samples,
        penalty: args.penalty,
        ..RecoveryRule::new(args.control)
    };
    let columns = Columns::read(&args.file, &["t_s", "mops_per_s"])?;
    let mut timelines = timelines(&columns)?;
    if let Some(asked) = &args.trial {
        timelines = vec![only(timelines, asked, &columns)?];
    }
    let start = args.start.map(Span::seconds);
    let trials = timelines
        .iter()
        .map(|timeline| answer(timeline, &rule, start))
        .collect::<Result<Vec<_>, _>>()?;
    if trials.iter().all(|trial| trial.found.is_none()) {
        let why = trials.first().and_then(|trial| trial.notes.first()).map_or("", String::as_str);
        let others = if trials.len() > 1 { " (the first trial; so are the others)" } else { "" };
        return Err(columns.wrong(format!("{why}{others}")));
    }
    let (together, notes) = together(&trials, args.least_samples, &args.options)?;
    let headline = match trials.as_slice() {
        [TrialAnswer { trial, found: Some(found), .. }] => {
            say::one_trial(trial.as_deref(), found.course, &rule)
        }
        several => {
            let courses: Vec<_> = several
                .iter()
                .map(|trial| trial.found.as_ref().map(|found| found.course))
                .collect();
            say::several_trials(&courses, &rule)
        }
    };
    let mut shown = paths(&["together.median", "together.rmst"]);
    let each = match trials.len() {
        1 => &["time_to_recovery", "stall_duration", "partial", "relapses", "phases"][..],
        _ => &["trial", "outcome", "onset", "recovery", "until_s", "stalled_throughput", "partial"],
    };
    shown.extend(each.iter().map(|key| format!("trials.*.{key}")));
    let rule = Rule {
        control: args.control,
        share: args.share,
        hold_s: args.hold.seconds(),
        least_samples: args.least_samples,
        penalty: args.penalty,
    };
    args.options
        .answer(out, Answer { result: &Found { rule, trials, together }, headline, notes, shown })
}

/// The samples of one trial.
#[derive(Debug)]
struct Timeline {
    /// `None` in a file without a column `trial`.
    trial: Option<String>,
    /// Those that have a throughput.
    samples: Vec<Sample>,
    /// Rows without a throughput, that at 0 aside: nothing can have been counted by then.
    unobserved: usize,
    /// When the last of the threads existed, and how many those are, if the file says so.
    all_threads: Option<(f64, u64)>,
    /// The throughput of one operation between two samples, where operations were counted.
    one_operation: Option<f64>,
}

/// The trials, in the order in which they first appear.
fn timelines(columns: &Columns) -> Result<Vec<Timeline>, Failure> {
    let by_trial = columns.has("trial");
    let mut at: HashMap<&str, usize> = HashMap::new();
    let mut rows: Vec<(Option<String>, Vec<Row<'_>>)> = Vec::new();
    for row in columns.rows() {
        let trial = if by_trial { row.text("trial") } else { "" };
        if by_trial && trial.is_empty() {
            return Err(row.wrong("trial", "the cell is empty; the trial's name is needed"));
        }
        let known = rows.len();
        let found = *at.entry(trial).or_insert(known);
        if found == known {
            rows.push((by_trial.then(|| trial.to_owned()), Vec::new()));
        }
        rows[found].1.push(row);
    }
    rows.into_iter().map(|(trial, rows)| timeline(trial, &rows, columns.has("threads"))).collect()
}

fn timeline(
    trial: Option<String>,
    rows: &[Row<'_>],
    has_threads: bool,
) -> Result<Timeline, Failure> {
    let mut timeline = Timeline {
        trial,
        samples: Vec::with_capacity(rows.len()),
        unobserved: 0,
        all_threads: None,
        one_operation: None,
    };
    let mut times: Vec<f64> = Vec::with_capacity(rows.len());
    for row in rows {
        let t_s = row.number("t_s")?;
        if t_s < 0.0 {
            let why = format!("{t_s} is negative; it is the seconds since the trial's start");
            return Err(row.wrong("t_s", why));
        }
        if let Some(before) = times.last().filter(|before| **before >= t_s) {
            let of =
                timeline.trial.as_ref().map_or(String::new(), |trial| format!(" of trial {trial}"));
            return Err(row.wrong(
                "t_s",
                format!(
                    "{t_s} comes after {before}: the samples{of} are to stand in the order of time, \
                     each later than the one before"
                ),
            ));
        }
        let throughput = match row.text("mops_per_s") {
            "" => None,
            _ => Some(row.number("mops_per_s")?),
        };
        match throughput {
            Some(negative) if negative < 0.0 => {
                let why = format!("{negative} is negative; a throughput is 0 or above");
                return Err(row.wrong("mops_per_s", why));
            }
            // What was counted by the trial's start was counted in no time.
            _ if t_s == 0.0 => {}
            Some(throughput) => timeline.samples.push(Sample { t_s, throughput }),
            None => timeline.unobserved += 1,
        }
        if has_threads && !row.text("threads").is_empty() {
            let threads = row.count("threads")?;
            if timeline.all_threads.is_none_or(|(_, most)| threads > most) {
                // A first sample that has a throughput covers the time before it.
                let from = if times.is_empty() && throughput.is_some() { 0.0 } else { t_s };
                timeline.all_threads = Some((from, threads));
            }
        }
        times.push(t_s);
    }
    if let (Some(first), Some(last)) = (times.first(), times.last())
        && rows.last().is_some_and(|row| !row.text("ops").is_empty())
    {
        let interval = (last - first) / (times.len() as f64 - 1.0);
        timeline.one_operation = (interval.is_finite() && interval > 0.0).then(|| 1e-6 / interval);
    }
    Ok(timeline)
}

/// The trial that `--trial` asks for.
fn only(timelines: Vec<Timeline>, asked: &str, columns: &Columns) -> Result<Timeline, Failure> {
    const SHOWN: usize = 10;
    if !columns.has("trial") {
        return Err(columns.wrong("--trial needs a column `trial`, and there is none"));
    }
    let names: Vec<&str> = timelines.iter().filter_map(|of| of.trial.as_deref()).collect();
    let mut known = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        known += &format!(", … ({})", counted(names.len() as u64, "trial"));
    }
    let missing =
        columns.wrong(format!("--trial {asked}: there is no such trial; there are {known}"));
    timelines.into_iter().find(|of| of.trial.as_deref() == Some(asked)).ok_or(missing)
}

#[derive(Debug, Serialize)]
struct Found {
    rule: Rule,
    trials: Vec<TrialAnswer>,
    /// The survival summary of the lengths of the stalls; `None` below two trials that stalled.
    together: Option<Value>,
}

/// What was asked.
#[derive(Debug, Serialize)]
struct Rule {
    control: f64,
    share: f64,
    hold_s: f64,
    /// How many samples in a row below the share make a stall.
    least_samples: usize,
    /// As asked for; each trial has the one used.
    penalty: Option<f64>,
}

#[derive(Debug, Serialize)]
struct TrialAnswer {
    trial: Option<String>,
    /// Samples that were looked at; without an answer, those with a throughput.
    samples: usize,
    /// `recovered`, `not-recovered`, `never-stalled`, or `not-observable`.
    outcome: &'static str,
    #[serde(flatten)]
    times: Times,
    stalled_throughput: Option<f64>,
    stalled_samples: Option<usize>,
    partial: Vec<PartialRecovery>,
    relapses: Vec<Phase>,
    phases: Vec<Phase>,
    sigma: Option<f64>,
    penalty: Option<f64>,
    start_s: Option<f64>,
    notes: Vec<String>,
    #[serde(skip)]
    found: Option<Recovery>,
}

/// When things happened. What did not, or is not known, is `None`.
#[derive(Debug, Default, Serialize)]
struct Times {
    /// When the stall began, on the timeline's clock.
    onset: Option<Between>,
    /// When it was over, on the timeline's clock.
    recovery: Option<Between>,
    /// Up to when it was not, if it never was.
    until_s: Option<f64>,
    /// From the start of the clock to the recovery.
    time_to_recovery: Option<Edges>,
    /// From the onset to the recovery.
    stall_duration: Option<Edges>,
}

/// A time in (left, right]; without a right edge it is right-censored. As `left` and `right` of
/// `stat survival`.
#[derive(Debug, Clone, Copy, Serialize)]
struct Edges {
    left_s: f64,
    right_s: Option<f64>,
}

impl From<Lifetime> for Edges {
    fn from(time: Lifetime) -> Self {
        let (left_s, right_s) = match time {
            Lifetime::Exact(time) => (time, Some(time)),
            Lifetime::Between { left, right } => (left, Some(right)),
            Lifetime::RightCensored(time) => (time, None),
        };
        Edges { left_s, right_s }
    }
}

impl TrialAnswer {
    fn of(timeline: &Timeline, found: Option<Recovery>, notes: Vec<String>) -> TrialAnswer {
        let mut answer = TrialAnswer {
            trial: timeline.trial.clone(),
            samples: timeline.samples.len(),
            outcome: "not-observable",
            times: Times::default(),
            stalled_throughput: None,
            stalled_samples: None,
            partial: Vec::new(),
            relapses: Vec::new(),
            phases: Vec::new(),
            sigma: None,
            penalty: None,
            start_s: None,
            notes,
            found: None,
        };
        let Some(found) = found else { return answer };
        answer.times = Times {
            onset: found.onset,
            recovery: None,
            until_s: None,
            time_to_recovery: found.time_to_recovery().map(Edges::from),
            stall_duration: found.stall_duration().map(Edges::from),
        };
        answer.outcome = match found.course {
            Course::NeverStalled => "never-stalled",
            Course::Recovered(at) => {
                answer.times.recovery = Some(at);
                "recovered"
            }
            Course::NotRecovered { until_s } => {
                answer.times.until_s = Some(until_s);
                "not-recovered"
            }
        };
        answer.stalled_throughput = found.stalled_throughput;
        answer.stalled_samples = Some(found.stalled_samples);
        answer.partial = found.partial.clone();
        answer.relapses = found.relapses.clone();
        answer.phases = found.phases.clone();
        (answer.sigma, answer.penalty) = (Some(found.sigma), Some(found.penalty));
        answer.start_s = Some(found.start_s);
        answer.samples = found.samples;
        answer.found = Some(found);
        answer
    }
}

fn answer(
    timeline: &Timeline,
    rule: &RecoveryRule,
    start: Option<f64>,
) -> Result<TrialAnswer, StatError> {
    let mut notes = Vec::new();
    let start_s = start.unwrap_or(timeline.all_threads.map_or(0.0, |(from, _)| from));
    if let (None, Some((from, threads))) = (start, timeline.all_threads)
        && from > 0.0
    {
        notes.push(say::clock(from, threads));
    }
    let rule = RecoveryRule { start_s, one_operation: timeline.one_operation, ..*rule };
    let found = match recovery(&timeline.samples, &rule) {
        Ok(found) => Some(found),
        // The samples of one trial may end early; those of the others still answer.
        Err(StatError::TooFew { .. }) => {
            notes.insert(0, say::no_sample(start_s));
            None
        }
        Err(error) => return Err(error),
    };
    if timeline.unobserved > 0 {
        notes.push(say::unobserved(timeline.unobserved));
    }
    notes.extend(gap(&timeline.samples, start_s));
    notes.extend(found.as_ref().and_then(|found| untold(&timeline.samples, found, &rule)));
    Ok(TrialAnswer::of(timeline, found, notes))
}

/// Whether a stall is as short as chance makes them, or samples lie below the share where none is told.
fn untold(samples: &[Sample], found: &Recovery, rule: &RecoveryRule) -> Option<String> {
    if (1..rule.least_samples).contains(&found.longest_below) {
        return Some(say::short(found.longest_below));
    }
    let below = samples
        .iter()
        .filter(|sample| sample.t_s > rule.start_s)
        .filter(|sample| sample.throughput < rule.share * rule.control)
        .count();
    (found.course == Course::NeverStalled && below > 0)
        .then(|| say::scattered(below, rule.least_samples, found.sigma))
}

/// Whether samples are missing: an interval far longer than the others, of which there is only one
/// mean.
fn gap(samples: &[Sample], start_s: f64) -> Option<String> {
    /// Samplers are late at times; beyond this many usual intervals some are missing.
    const LATE: f64 = 3.0;
    let mut before = 0.0;
    let mut intervals = Vec::with_capacity(samples.len());
    for sample in samples {
        if before >= start_s {
            intervals.push((sample.t_s - before, before, sample.t_s));
        }
        before = sample.t_s;
    }
    intervals.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let usual = intervals.get(intervals.len() / 2)?.0;
    let &(longest, from, to) = intervals.last()?;
    (longest > LATE * usual).then(|| say::gap(from, to, usual))
}

/// More stalls than this are estimated together by `analyze`, which coarsens their edges.
const MOST_TOGETHER: usize = 1_000;

/// The lengths of the stalls, where there are several.
fn together(
    trials: &[TrialAnswer],
    least_samples: usize,
    options: &Options,
) -> Result<(Option<Value>, Vec<String>), Failure> {
    let stalls: Vec<Lifetime> = trials
        .iter()
        .filter_map(|trial| trial.found.as_ref())
        .filter(|found| found.longest_below >= least_samples)
        .filter_map(Recovery::stall_duration)
        .collect();
    if stalls.len() < 2 {
        let note = say::few_stalls(stalls.len(), trials.len(), least_samples);
        return Ok((None, if trials.len() > 1 { vec![note] } else { Vec::new() }));
    }
    if stalls.len() > MOST_TOGETHER {
        return Ok((None, vec![say::many_stalls(stalls.len(), MOST_TOGETHER)]));
    }
    let group = Group { name: None, trials: stalls };
    let asked = SurvivalOptions { level: options.level, ..SurvivalOptions::default() };
    let summary = summarize(&[group], &asked)?;
    let mut found = serde_json::to_value(summary.groups.first()).unwrap_or_default();
    if let Some(group) = summary.groups.first() {
        say_notes(&mut found, &group.notes);
    }
    Ok((Some(found), summary.notes.iter().map(note).collect()))
}
