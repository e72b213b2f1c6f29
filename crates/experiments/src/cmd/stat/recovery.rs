//! `experiments stat recovery FILE.csv`.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use model::factor::Span;
use serde::Serialize;
use stats::StatError;
use stats::recovery::{
    Between, Course, PartialKind, PartialRecovery, Phase, Recovery, RecoveryRule, Sample, recovery,
};
use stats::survival::summary::GroupSummary;
use stats::survival::{Group, Lifetime, SurvivalOptions, summarize};

use super::super::planning::counted;
use super::Options;
use super::columns::{Columns, Row};
use super::survival::group_text;
use super::table::{Table, number};
use crate::failure::{Failure, Outcome};
use crate::number::{how_many, real};

/// When a stalled process recovered, out of its throughput over time
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
    let rule = Rule {
        control: args.control,
        share: args.share,
        hold_s: args.hold.seconds(),
        least_samples: args.least_samples,
        penalty: args.penalty,
    };
    let (together, notes) = together(&trials, args.least_samples, &args.options)?;
    let answer = Answer { rule, trials, together, notes };
    args.options.answer(out, &answer, || text(&answer, &args.options))
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
struct Answer {
    rule: Rule,
    trials: Vec<TrialAnswer>,
    /// The lengths of the stalls of all trials; `None` below two that stalled.
    together: Option<GroupSummary>,
    notes: Vec<String>,
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
        notes.push(format!(
            "the clock starts at {} s, when {} existed: before that, a throughput says how many there \
             were; --start 0s looks at all samples",
            number(from),
            if threads == 1 { "the only thread".to_owned() } else { format!("all {threads} threads") }
        ));
    }
    let rule = RecoveryRule { start_s, one_operation: timeline.one_operation, ..*rule };
    let found = match recovery(&timeline.samples, &rule) {
        Ok(found) => Some(found),
        // The samples of one trial may end early; those of the others still answer.
        Err(StatError::TooFew { .. }) => {
            notes.insert(
                0,
                format!("no sample with a throughput begins at or after {} s", number(start_s)),
            );
            None
        }
        Err(error) => return Err(error),
    };
    if timeline.unobserved > 0 {
        notes.push(format!(
            "{} without a throughput, passed over: the next one counts from the one before",
            counted(timeline.unobserved as u64, "sample")
        ));
    }
    notes.extend(gap(&timeline.samples, start_s));
    notes.extend(found.as_ref().and_then(|found| untold(&timeline.samples, found, &rule)));
    Ok(TrialAnswer::of(timeline, found, notes))
}

/// Whether a stall is as short as chance makes them, or samples lie below the share where none is told.
fn untold(samples: &[Sample], found: &Recovery, rule: &RecoveryRule) -> Option<String> {
    if (1..rule.least_samples).contains(&found.longest_below) {
        return Some(format!(
            "no more than {} in a row below the share: a look that came late, or a neighbour on the CPU, \
             makes that too",
            counted(found.longest_below as u64, "sample")
        ));
    }
    let below = samples
        .iter()
        .filter(|sample| sample.t_s > rule.start_s)
        .filter(|sample| sample.throughput < rule.share * rule.control)
        .count();
    (found.course == Course::NeverStalled && below > 0).then(|| {
        format!(
            "{} below the share, but not {} in a row at a level of their own, given a noise (sigma) of {}",
            counted(below as u64, "sample"),
            rule.least_samples,
            number(found.sigma)
        )
    })
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
    (longest > LATE * usual).then(|| {
        format!(
            "from {} to {} s there is one sample, where the usual interval is {} s: it is taken as the \
             mean of all that time",
            number(from),
            number(to),
            number(usual)
        )
    })
}

/// More stalls than this are estimated together by `analyze`, which coarsens their edges.
const MOST_TOGETHER: usize = 1_000;

/// The lengths of the stalls, where there are several.
fn together(
    trials: &[TrialAnswer],
    least_samples: usize,
    options: &Options,
) -> Result<(Option<GroupSummary>, Vec<String>), StatError> {
    let stalls: Vec<Lifetime> = trials
        .iter()
        .filter_map(|trial| trial.found.as_ref())
        .filter(|found| found.longest_below >= least_samples)
        .filter_map(Recovery::stall_duration)
        .collect();
    if stalls.len() < 2 {
        let note = format!(
            "{} stalled for {} or more: from two on their lengths are estimated together",
            match stalls.len() {
                0 => "no trial".to_owned(),
                _ => format!("one of {} trials", trials.len()),
            },
            counted(least_samples as u64, "sample"),
        );
        return Ok((None, if trials.len() > 1 { vec![note] } else { Vec::new() }));
    }
    if stalls.len() > MOST_TOGETHER {
        let note = format!(
            "{} stalled: above {MOST_TOGETHER} they are not estimated together here; `experiments \
             analyze` does it",
            counted(stalls.len() as u64, "trial")
        );
        return Ok((None, vec![note]));
    }
    let group = Group { name: None, trials: stalls };
    let asked = SurvivalOptions { level: options.level, ..SurvivalOptions::default() };
    let summary = summarize(&[group], &asked)?;
    let notes = summary.notes.iter().map(stats::said::survival::note).collect();
    Ok((summary.groups.into_iter().next(), notes))
}

/// More phases than this are for a figure, not for a terminal.
const PHASE_ROWS: usize = 40;

fn text(answer: &Answer, options: &Options) -> String {
    let rule = &answer.rule;
    let asked = format!(
        "at least {} ({} of the control's {}), kept for {} s; a stall has {} below it{}",
        number(rule.share * rule.control),
        number(rule.share),
        number(rule.control),
        number(rule.hold_s),
        counted(rule.least_samples as u64, "sample"),
        if rule.least_samples > 1 { " in a row" } else { "" }
    );
    let mut text = match answer.trials.as_slice() {
        [one] => one_trial(one, rule, &asked),
        several => several_trials(several, &asked),
    };
    if let Some(together) = &answer.together {
        text += "\nLength of the stalls, in s, of the trials that stalled\n";
        text += &group_text(together, options);
    }
    text += &notes(&answer.notes);
    text + "Assumes that without the stall the process would do what the control does. Times are known \
            between\ntwo samples, in (after, by]; a stall without an end is right-censored.\n"
}

/// More notes on single trials than this are for who looks at one of them.
const NOTES: usize = 10;

/// One trial, with its phases.
fn one_trial(trial: &TrialAnswer, rule: &Rule, asked: &str) -> String {
    let times = &trial.times;
    let head = trial.trial.as_ref().map_or(String::new(), |name| format!("trial {name}: "));
    let said = match (times.recovery, times.until_s) {
        (Some(at), _) => format!("recovered in ({}, {}] s", number(at.left_s), number(at.right_s)),
        (None, Some(until)) => format!("not recovered up to {} s", number(until)),
        (None, None) => "never stalled".to_owned(),
    };
    let mut text = format!("{head}{said}: {asked}\n");

    let mut table = Table::new(&["seconds", "after", "by"]);
    let mut row = |name: &str, left: f64, right: Option<f64>| {
        table.row([name.to_owned(), number(left), number(right)]);
    };
    if let Some(onset) = times.onset {
        row("onset", onset.left_s, Some(onset.right_s));
    }
    match (times.recovery, times.until_s) {
        (Some(at), _) => row("recovery", at.left_s, Some(at.right_s)),
        (None, Some(until)) => row("recovery", until, None),
        (None, None) => {}
    }
    if let Some(edges) = times.time_to_recovery {
        row("time to recovery, from the clock's start", edges.left_s, edges.right_s);
    }
    if let Some(edges) = times.stall_duration {
        row("length of the stall", edges.left_s, edges.right_s);
    }
    if times.onset.is_some() {
        text += &format!("\n{}", table.render());
    }

    let mut table =
        Table::new(&["phase", "from s", "to s", "throughput", "of control", ""]).left(1);
    for (i, phase) in trial.phases.iter().take(PHASE_ROWS).enumerate() {
        let below = if phase.share < rule.share { "below" } else { "" };
        table.row([
            (i + 1).to_string(),
            number(phase.from_s),
            number(phase.to_s),
            number(phase.throughput),
            number(phase.share),
            below.to_owned(),
        ]);
    }
    text += &format!("\n{}", table.render());
    if let Some(more) = trial.phases.len().checked_sub(PHASE_ROWS).filter(|&more| more > 0) {
        text += &format!("  {}; --json has them all\n", counted(more as u64, "more phase"));
    }
    text.push('\n');
    let stretch = |phase: &Phase| {
        format!(
            "{} to {} s, at {} ({} of the control)",
            number(phase.from_s),
            number(phase.to_s),
            number(phase.throughput),
            number(phase.share)
        )
    };
    for rise in &trial.partial {
        text += &format!("Partial recovery: {}: {}.\n", stretch(&rise.phase), lacked(rise.kind));
    }
    for phase in &trial.relapses {
        text += &format!("Relapse: {}.\n", stretch(phase));
    }
    if let (Some(samples), Some(throughput)) = (trial.stalled_samples, trial.stalled_throughput) {
        text += &format!(
            "Stalled: {}, median throughput {}.\n",
            counted(samples as u64, "sample"),
            number(throughput)
        );
    }
    text += &format!(
        "{} from {} s on; noise of the log throughput (sigma) {}; penalty a change {} ({}).\n",
        counted(trial.samples as u64, "sample"),
        number(trial.start_s),
        number(trial.sigma),
        number(trial.penalty),
        if rule.penalty.is_some() { "as asked for" } else { "Schwarz, 2 log n" },
    );
    text + &notes(&trial.notes)
}

fn lacked(kind: PartialKind) -> &'static str {
    match kind {
        PartialKind::BelowShare => "it stayed below the share",
        PartialKind::DidNotHold => "it reached the share and did not hold it",
        PartialKind::Unconfirmed => {
            "it reached the share, and the samples end before it could have held"
        }
    }
}

/// Several trials, a row each.
fn several_trials(trials: &[TrialAnswer], asked: &str) -> String {
    let of = |outcome: &str| trials.iter().filter(|trial| trial.outcome == outcome).count();
    let mut text = format!(
        "{}: {} recovered, {} not, {} never stalled",
        counted(trials.len() as u64, "trial"),
        of("recovered"),
        of("not-recovered"),
        of("never-stalled")
    );
    match of("not-observable") {
        0 => {}
        n => text += &format!(", {n} not observable"),
    }
    text += &format!("; {asked}\n\n");
    let mut table = Table::new(&[
        "trial",
        "outcome",
        "onset after",
        "by",
        "over after",
        "by",
        "stalled at",
        "partial",
        "relapses",
        "sigma",
        "penalty",
    ])
    .left(2);
    for trial in trials {
        let Times { onset, recovery, until_s, .. } = &trial.times;
        table.row([
            trial.trial.clone().unwrap_or_default(),
            trial.outcome.to_owned(),
            number(onset.map(|onset| onset.left_s)),
            number(onset.map(|onset| onset.right_s)),
            number(recovery.map(|at| at.left_s).or(*until_s)),
            number(recovery.map(|at| at.right_s)),
            number(trial.stalled_throughput),
            trial.partial.len().to_string(),
            trial.relapses.len().to_string(),
            number(trial.sigma),
            number(trial.penalty),
        ]);
    }
    text += &table.render();
    text += "\nTimes are seconds on the trial's clock; --trial NAME shows one with its phases.\n";
    // What is true of several trials is said once.
    let mut said: Vec<(&str, Vec<&str>)> = Vec::new();
    for trial in trials {
        let name = trial.trial.as_deref().unwrap_or_default();
        for note in &trial.notes {
            match said.iter_mut().find(|(known, _)| known == note) {
                Some((_, names)) => names.push(name),
                None => said.push((note, vec![name])),
            }
        }
    }
    let said: Vec<String> = said
        .iter()
        .map(|(note, names)| match names.as_slice() {
            [name] => format!("trial {name}: {note}"),
            [first, ..] => format!("{} trials, the first {first}: {note}", names.len()),
            [] => (*note).to_owned(),
        })
        .collect();
    text += &notes(&said[..said.len().min(NOTES)]);
    if let Some(more) = said.len().checked_sub(NOTES).filter(|&more| more > 0) {
        text += &format!("{}; --json has them all\n", counted(more as u64, "more note"));
    }
    text
}

fn notes(notes: &[String]) -> String {
    notes.iter().map(|note| format!("Note: {note}.\n")).collect()
}
