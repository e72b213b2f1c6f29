//! When a stalled process recovered, out of its throughput timeline.

use serde::Serialize;

use super::StatError;
use super::segmentation::{noise_sigma, schwarz_penalty, segment};
use super::survival::Lifetime;

/// One sample of a timeline: the throughput since the sample before, at whose end it was taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// The end of the sampling interval, seconds since the trial's start.
    pub t_s: f64,
    /// The throughput over the interval, in the control's unit.
    pub throughput: f64,
}

/// What counts as recovered.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RecoveryRule {
    /// The throughput of the control, which does not stall.
    pub control: f64,
    /// The share of the control that is to be reached. 0.5 is that of the outcome
    /// `control:0.5`: a trial recovers when it would no longer count as stalled.
    pub share: f64,
    /// For how long it must be kept, in seconds, from the end of the first sample that reached it.
    pub hold_s: f64,
    /// When the clock starts; earlier samples are not looked at.
    pub start_s: f64,
    /// The throughput of one operation in a sampling interval, if known. A sample of 0 says that
    /// less than one was finished: it is taken as half of one, since log 0 does not exist. Without
    /// it, as half of the least throughput above 0.
    pub one_operation: Option<f64>,
    /// The penalty a change; `None` is Schwarz' 2 log n.
    pub penalty: Option<f64>,
    /// How many samples in a row below the share a stall has at least. What recovers after fewer is
    /// passed over for a later stall that has them, and is the answer only where there is none.
    pub least_samples: usize,
}

impl RecoveryRule {
    /// Half of the control, kept for 3 s, from the trial's start; one sample is a stall.
    pub fn new(control: f64) -> Self {
        RecoveryRule {
            control,
            share: 0.5,
            hold_s: 3.0,
            start_s: 0.0,
            one_operation: None,
            penalty: None,
            least_samples: 1,
        }
    }
}

/// A time known to lie in (left, right].
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Between {
    /// The last moment before it, in seconds on the timeline's clock.
    pub left_s: f64,
    /// The first moment after it.
    pub right_s: f64,
}

/// A stretch of one throughput.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Phase {
    /// Where it begins, in seconds on the timeline's clock: the end of the sample before.
    pub from_s: f64,
    /// Where it ends.
    pub to_s: f64,
    /// The median throughput of its samples.
    pub throughput: f64,
    /// That over the control's.
    pub share: f64,
}

/// How a timeline went.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Course {
    /// The share of the control was reached from the start and kept.
    NeverStalled,
    /// It stalled, and recovered in this interval.
    Recovered(Between),
    /// It stalled and did not recover up to here: right-censored.
    NotRecovered {
        /// The last moment at which it had not, in seconds on the timeline's clock.
        until_s: f64,
    },
}

/// Why a rise was no recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartialKind {
    /// It stayed below the share of the control.
    BelowShare,
    /// It reached the share and fell again before it had held.
    DidNotHold,
    /// It reached the share, and the timeline ended before it could have held. The trial is
    /// right-censored where this began: whether that was the recovery is not known.
    Unconfirmed,
}

/// A rise out of the stall that was no recovery.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PartialRecovery {
    /// What it lacked.
    pub kind: PartialKind,
    /// When, and how far.
    #[serde(flatten)]
    pub phase: Phase,
}

/// A timeline's recovery.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recovery {
    /// The answer.
    #[serde(flatten)]
    pub course: Course,
    /// When the stall began; `None` without one. From the clock's start: both edges are it.
    pub onset: Option<Between>,
    /// The median throughput of the samples below the share, from the onset to the recovery.
    pub stalled_throughput: Option<f64>,
    /// How many samples those are.
    pub stalled_samples: usize,
    /// The most of them in a row.
    pub longest_below: usize,
    /// Rises that were no recovery, in order.
    pub partial: Vec<PartialRecovery>,
    /// Phases below the share after the recovery.
    pub relapses: Vec<Phase>,
    /// Every phase found.
    pub phases: Vec<Phase>,
    /// The noise of the log throughput that was used.
    pub sigma: f64,
    /// The penalty a change that was used.
    pub penalty: f64,
    /// When the clock started.
    pub start_s: f64,
    /// How many samples begin from then on: those that were looked at.
    pub samples: usize,
}

impl Recovery {
    /// The time from the clock's start to the recovery, for a survival estimate; `None` if the
    /// trial never stalled.
    pub fn time_to_recovery(&self) -> Option<Lifetime> {
        let since = |t: f64| (t - self.start_s).max(0.0);
        match self.course {
            Course::NeverStalled => None,
            Course::Recovered(at) => {
                Lifetime::between(since(at.left_s), Some(since(at.right_s))).ok()
            }
            Course::NotRecovered { until_s } => Lifetime::between(since(until_s), None).ok(),
        }
    }

    /// How long the stall lasted, from its onset to the recovery, for a survival estimate; `None` if
    /// the trial never stalled. Both ends are known between two samples, so it is the shortest and
    /// the longest time that they allow; a stall that begins with the clock begins exactly then.
    pub fn stall_duration(&self) -> Option<Lifetime> {
        let onset = self.onset?;
        let from = |start: f64, end: f64| (end - start).max(0.0);
        match self.course {
            Course::NeverStalled => None,
            Course::Recovered(at) => Lifetime::between(
                from(onset.right_s, at.left_s),
                Some(from(onset.left_s, at.right_s)),
            )
            .ok(),
            Course::NotRecovered { until_s } => {
                Lifetime::between(from(onset.right_s, until_s), None).ok()
            }
        }
    }
}

/// The log throughput's noise is taken as at least this: a hundredth. Timelines are printed to
/// two or three digits, and a change of a percent is no phase.
const LEAST_SIGMA: f64 = 0.01;

/// A rise is worth naming from this many times the stalled throughput on.
const PARTIAL_FACTOR: f64 = 1.5;

/// Finds the recovery.
///
/// The log throughputs are cut where their mean changes (see [`segment`]): Gaussian noise, its
/// deviation from the median absolute difference of neighbours and at least 0.01, the penalty
/// stated in the result. A phase's throughput is its median, so that no single sample decides.
/// The stall begins with the first phase below `share` × `control`; the recovery is the first
/// later phase from which on no phase is below it for `hold_s`.
///
/// A sample is a mean over its interval, so the recovery is known only to lie within the first
/// sample that reached the share. If the phase before it is a single sample, the timeline's first
/// included, that may be the mixture of before and after, and the interval begins with it, unless
/// not one operation was finished in it. A rise so late in a sample that it is within the noise is
/// told a sample late.
///
/// Correlated noise cuts phases too finely, which changes no answer: phases on the same side of
/// the share are one.
///
/// # Errors
///
/// [`StatError::TooFew`] without a sample after the start; [`StatError::Domain`] for times that
/// do not ascend, a throughput that is negative or not finite, or a rule outside its domain.
pub fn recovery(samples: &[Sample], rule: &RecoveryRule) -> Result<Recovery, StatError> {
    check_rule(rule)?;
    check_samples(samples)?;
    // A sample counts if its interval starts at or after the clock.
    let begin = |i: usize| i.checked_sub(1).map_or(0.0, |before| samples[before].t_s);
    let first = (0..samples.len()).find(|&i| begin(i) >= rule.start_s).unwrap_or(samples.len());
    let looked = &samples[first..];
    let Some(end) = looked.last() else {
        return Err(StatError::too_few(
            "a recovery",
            format!("at least one sample after {} s", rule.start_s),
            "none",
        ));
    };
    let starts: Vec<f64> = (first..samples.len()).map(begin).collect();

    let logs = log_throughputs(looked, rule);
    let sigma = noise_sigma(&logs).max(LEAST_SIGMA);
    let penalty = rule.penalty.unwrap_or(schwarz_penalty(logs.len()));
    let ranges: Vec<std::ops::Range<usize>> =
        segment(&logs, sigma, penalty)?.ranges(looked.len()).collect();
    let phases: Vec<Phase> = ranges
        .iter()
        .map(|range| {
            let throughput = median(looked[range.clone()].iter().map(|sample| sample.throughput));
            Phase {
                from_s: starts[range.start],
                to_s: looked[range.end - 1].t_s,
                throughput,
                share: throughput / rule.control,
            }
        })
        .collect();
    let cut = Cut { looked, starts: &starts, ranges: &ranges, phases: &phases, rule };

    let mut result = Recovery {
        course: Course::NeverStalled,
        onset: None,
        stalled_throughput: None,
        stalled_samples: 0,
        longest_below: 0,
        partial: Vec::new(),
        relapses: Vec::new(),
        phases: phases.clone(),
        sigma,
        penalty,
        start_s: rule.start_s,
        samples: looked.len(),
    };
    let Some(stall) = cut.stall() else { return Ok(result) };
    result.onset = Some(if stall.onset == 0 {
        Between { left_s: starts[0], right_s: starts[0] }
    } else {
        cut.change(stall.onset)
    });
    result.stalled_throughput = Some(stall.throughput);
    result.stalled_samples = stall.samples;
    result.longest_below = stall.longest;
    result.course = match stall.recovered_at {
        Some(i) => {
            result.relapses =
                phases[i..].iter().filter(|phase| !cut.reached(phase)).copied().collect();
            Course::Recovered(cut.change(i))
        }
        None => {
            let unconfirmed = stall.rises.iter().find(|rise| rise.kind == PartialKind::Unconfirmed);
            let at = unconfirmed
                .and_then(|rise| phases.iter().position(|phase| phase.from_s == rise.phase.from_s));
            Course::NotRecovered { until_s: at.map_or(end.t_s, |i| cut.change(i).left_s) }
        }
    };
    result.partial = stall.rises;
    Ok(result)
}

/// A timeline that is cut into phases.
struct Cut<'a> {
    looked: &'a [Sample],
    /// Where each sample's interval begins.
    starts: &'a [f64],
    ranges: &'a [std::ops::Range<usize>],
    phases: &'a [Phase],
    rule: &'a RecoveryRule,
}

/// A stall, by its phases.
struct Stalled {
    onset: usize,
    recovered_at: Option<usize>,
    throughput: f64,
    samples: usize,
    longest: usize,
    rises: Vec<PartialRecovery>,
}

impl Cut<'_> {
    fn reached(&self, phase: &Phase) -> bool {
        phase.share >= self.rule.share
    }

    /// The edges of the change at the start of a phase.
    fn change(&self, i: usize) -> Between {
        // A sample without an operation has nothing of a recovery in it.
        let mixed = i > 0 && self.ranges[i - 1].len() == 1 && self.phases[i - 1].throughput > 0.0;
        let from = if mixed { self.ranges[i - 1].start } else { self.ranges[i].start };
        Between { left_s: self.starts[from], right_s: self.looked[self.ranges[i].start].t_s }
    }

    /// The first stall with enough samples in a row; without one, the first of all.
    fn stall(&self) -> Option<Stalled> {
        let mut first = None;
        let mut from = 0;
        while let Some(after) = self.phases[from..].iter().position(|phase| !self.reached(phase)) {
            let stall = self.stall_from(from + after);
            let next = stall.recovered_at;
            if stall.longest >= self.rule.least_samples {
                return Some(stall);
            }
            first.get_or_insert(stall);
            let Some(next) = next else { break };
            from = next;
        }
        first
    }

    fn stall_from(&self, onset: usize) -> Stalled {
        let Cut { looked, ranges, phases, rule, .. } = *self;
        // Runs of phases that all reach the share, after the onset.
        let mut recovered_at = None;
        let mut rises: Vec<PartialRecovery> = Vec::new();
        let mut i = onset;
        while i < phases.len() {
            if !self.reached(&phases[i]) {
                i += 1;
                continue;
            }
            let after =
                (i..phases.len()).find(|&j| !self.reached(&phases[j])).unwrap_or(phases.len());
            let held = phases[after - 1].to_s - self.change(i).right_s;
            // Sample times are sums of intervals: a hold of 3 s may be 2.9999999.
            if held >= rule.hold_s - 1e-9 * (1.0 + rule.hold_s) {
                recovered_at = Some(i);
                break;
            }
            let kind = if after == phases.len() {
                PartialKind::Unconfirmed
            } else {
                PartialKind::DidNotHold
            };
            rises.push(PartialRecovery {
                kind,
                phase: joined(phases, ranges, looked, i..after, rule),
            });
            i = after;
        }
        let stall_end = recovered_at.unwrap_or(phases.len());
        let below: Vec<usize> = (onset..stall_end).filter(|&i| !self.reached(&phases[i])).collect();
        let stalled = median(
            below.iter().flat_map(|&i| &looked[ranges[i].clone()]).map(|sample| sample.throughput),
        );
        let in_a_row = |run: &[usize]| run.iter().map(|&i| ranges[i].len()).sum::<usize>();
        let longest = below.chunk_by(|a, b| a + 1 == *b).map(in_a_row).max().unwrap_or(0);

        // What rose out of the stall without reaching the share. Before the first phase at the stalled
        // throughput, it is the fall into the stall and no rise; a single sample before a rise to the
        // share is its mixture.
        let risen =
            |i: usize| !self.reached(&phases[i]) && phases[i].throughput > PARTIAL_FACTOR * stalled;
        let fallen = (onset..stall_end)
            .find(|&i| phases[i].throughput <= PARTIAL_FACTOR * stalled)
            .unwrap_or(stall_end);
        let mut i = fallen;
        while i < stall_end {
            if !risen(i) {
                i += 1;
                continue;
            }
            let after = (i..stall_end).find(|&j| !risen(j)).unwrap_or(stall_end);
            let mixture = after == i + 1
                && ranges[i].len() == 1
                && phases.get(after).is_some_and(|phase| self.reached(phase));
            if !mixture {
                rises.push(PartialRecovery {
                    kind: PartialKind::BelowShare,
                    phase: joined(phases, ranges, looked, i..after, rule),
                });
            }
            i = after;
        }
        rises.sort_by(|a, b| a.phase.from_s.total_cmp(&b.phase.from_s));
        Stalled {
            onset,
            recovered_at,
            throughput: stalled,
            samples: in_a_row(&below),
            longest,
            rises,
        }
    }
}

fn check_rule(rule: &RecoveryRule) -> Result<(), StatError> {
    let positive = |what: &str, value: f64| {
        if value.is_finite() && value > 0.0 {
            return Ok(());
        }
        Err(StatError::domain(what, value, "a finite number above 0"))
    };
    positive("the control's throughput", rule.control)?;
    if let Some(one) = rule.one_operation {
        positive("the throughput of one operation", one)?;
    }
    if !(rule.share > 0.0 && rule.share <= 1.0) {
        return Err(StatError::domain(
            "the share of the control to reach",
            rule.share,
            "a number above 0 and up to 1",
        ));
    }
    for (what, value) in
        [("the time to hold", rule.hold_s), ("the start of the clock", rule.start_s)]
    {
        if !(value.is_finite() && value >= 0.0) {
            return Err(StatError::domain(what, value, "a finite number of seconds, 0 or above"));
        }
    }
    Ok(())
}

fn check_samples(samples: &[Sample]) -> Result<(), StatError> {
    let mut before = 0.0;
    for (i, sample) in samples.iter().enumerate() {
        if !(sample.t_s.is_finite() && sample.t_s > before) {
            return Err(StatError::domain(
                format!("the time of sample {}", i + 1),
                format!("{} s", sample.t_s),
                format!("a time above {before} s, where the sample before it ends"),
            ));
        }
        if !(sample.throughput.is_finite() && sample.throughput >= 0.0) {
            return Err(StatError::domain(
                format!("the throughput of sample {}", i + 1),
                sample.throughput,
                "a finite number, 0 or above",
            ));
        }
        before = sample.t_s;
    }
    Ok(())
}

fn log_throughputs(samples: &[Sample], rule: &RecoveryRule) -> Vec<f64> {
    let least = samples
        .iter()
        .map(|sample| sample.throughput)
        .filter(|&throughput| throughput > 0.0)
        .fold(f64::INFINITY, f64::min);
    // Without a single operation in the whole timeline, any one number does.
    let one = rule.one_operation.unwrap_or(if least.is_finite() { least } else { rule.control });
    samples.iter().map(|sample| sample.throughput.max(one / 2.0).ln()).collect()
}

/// Several neighbouring phases as one.
fn joined(
    phases: &[Phase],
    ranges: &[std::ops::Range<usize>],
    samples: &[Sample],
    run: std::ops::Range<usize>,
    rule: &RecoveryRule,
) -> Phase {
    let inside = &samples[ranges[run.start].start..ranges[run.end - 1].end];
    let throughput = median(inside.iter().map(|sample| sample.throughput));
    Phase {
        from_s: phases[run.start].from_s,
        to_s: phases[run.end - 1].to_s,
        throughput,
        share: throughput / rule.control,
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => sorted[n / 2 - 1] / 2.0 + sorted[n / 2] / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;
    use rand::RngExt;

    /// A sample a second.
    fn every_second(values: &[f64]) -> Vec<Sample> {
        values
            .iter()
            .enumerate()
            .map(|(i, &throughput)| Sample { t_s: (i + 1) as f64, throughput })
            .collect()
    }

    fn of(values: &[f64], control: f64) -> Recovery {
        recovery(&every_second(values), &RecoveryRule::new(control)).unwrap()
    }

    /// Log-normal noise of about 3 %.
    fn noisy(seed: u64, levels: &[(f64, usize)]) -> Vec<f64> {
        let mut rng = stream(seed, 2);
        levels
            .iter()
            .flat_map(|&(level, count)| std::iter::repeat_n(level, count))
            .map(|level| {
                let z: f64 = (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
                level * (0.03 * z).exp()
            })
            .collect()
    }

    /// The timeline of the report: 9.0, about 3.4 for 169 s, then 24.8 34.6 34.7 34.8, against a
    /// control that is flat at about 36.
    #[test]
    fn the_reported_timeline() {
        let mut values = vec![9.0];
        values.extend([3.4, 3.4, 3.2, 3.4].iter().cycle().take(168));
        values.extend([3.5, 24.8, 34.6, 34.7, 34.8]);
        let found = of(&values, 36.0);
        assert_eq!(found.course, Course::Recovered(Between { left_s: 170.0, right_s: 171.0 }));
        assert_eq!(found.stalled_throughput, Some(3.4));
        // The fall from 9.0 is no rise, and 24.8 is the second in which it recovered.
        assert!(found.partial.is_empty(), "{:?}", found.partial);
        assert_eq!(found.time_to_recovery(), Some(Lifetime::Between { left: 170.0, right: 171.0 }));
        // With the clock at the onset, it is the report's 169 s.
        let rule = RecoveryRule { start_s: 1.0, ..RecoveryRule::new(36.0) };
        let found = recovery(&every_second(&values), &rule).unwrap();
        assert_eq!(found.time_to_recovery(), Some(Lifetime::Between { left: 169.0, right: 170.0 }));
    }

    #[test]
    fn a_mixed_sample_below_the_share_widens_the_interval() {
        // The recovery came in the sixth second, late: its mean is 12.
        let mut values = vec![3.4; 5];
        values.push(12.0);
        values.extend([34.0; 6]);
        let found = of(&values, 36.0);
        assert_eq!(found.course, Course::Recovered(Between { left_s: 5.0, right_s: 7.0 }));
        assert!(found.partial.is_empty(), "{:?}", found.partial);
    }

    #[test]
    fn a_run_that_does_not_recover_names_how_far_it_got() {
        let values = noisy(1, &[(3.4, 120), (6.9, 20), (3.4, 160)]);
        let found = of(&values, 40.0);
        assert_eq!(found.course, Course::NotRecovered { until_s: 300.0 });
        assert_eq!(found.time_to_recovery(), Some(Lifetime::RightCensored(300.0)));
        assert_eq!(found.partial.len(), 1, "{:?}", found.partial);
        let partial = found.partial[0];
        assert_eq!(partial.kind, PartialKind::BelowShare);
        assert!((partial.phase.throughput / 6.9 - 1.0).abs() < 0.05);
        assert!((partial.phase.from_s - 120.0).abs() <= 1.0, "{partial:?}");
        assert!((partial.phase.to_s - 140.0).abs() <= 1.0, "{partial:?}");
    }

    #[test]
    fn known_changes_are_found() {
        let mut widened = 0;
        for seed in 0..200 {
            let stalled = 5 + (seed as usize * 37) % 250;
            let values = noisy(seed, &[(35.0, 4), (3.4, stalled), (35.0, 30)]);
            let found = of(&values, 36.0);
            let Course::Recovered(recovered) = found.course else {
                panic!("seed {seed} {found:?}")
            };
            for (at, between) in [(4.0, found.onset.unwrap()), ((4 + stalled) as f64, recovered)] {
                assert_eq!(between.right_s, at + 1.0, "seed {seed}");
                // A stray last sample before the change looks like a mixture.
                assert!(between.left_s == at || between.left_s == at - 1.0, "seed {seed}");
                widened += u32::from(between.left_s < at);
            }
            assert!(found.partial.is_empty() && found.relapses.is_empty(), "seed {seed}");
        }
        assert!(widened <= 8, "{widened} of 400 intervals are wider than a sample");
    }

    #[test]
    fn a_stall_lasts_as_long_as_its_ends_allow() {
        let found = of(&noisy(9, &[(35.0, 10), (3.4, 20), (35.0, 10)]), 36.0);
        let Course::Recovered(at) = found.course else { panic!("{found:?}") };
        let onset = found.onset.unwrap();
        assert_eq!((onset.right_s, at.right_s), (11.0, 31.0));
        let shortest = at.left_s - onset.right_s;
        let longest = at.right_s - onset.left_s;
        let lasted = Lifetime::Between { left: shortest, right: longest };
        assert_eq!(found.stall_duration(), Some(lasted));
        assert!(shortest <= 20.0 && longest >= 20.0, "{shortest} {longest}");
        assert_eq!(found.stalled_samples, 20);
        // To the end of the timeline, and from its start.
        let found = of(&noisy(9, &[(35.0, 10), (3.4, 20)]), 36.0);
        assert_eq!(found.stall_duration(), Some(Lifetime::RightCensored(19.0)));
        let found = of(&noisy(9, &[(3.4, 20), (35.0, 10)]), 36.0);
        assert_eq!(found.stall_duration(), found.time_to_recovery());
        assert_eq!(of(&noisy(9, &[(35.0, 10)]), 36.0).stall_duration(), None);
    }

    #[test]
    fn a_rise_must_hold() {
        let values = noisy(2, &[(3.4, 20), (35.0, 2), (3.4, 20), (35.0, 20), (3.4, 10)]);
        let found = of(&values, 36.0);
        assert_eq!(found.course, Course::Recovered(Between { left_s: 42.0, right_s: 43.0 }));
        assert_eq!(found.partial.len(), 1);
        assert_eq!(found.partial[0].kind, PartialKind::DidNotHold);
        assert_eq!((found.partial[0].phase.from_s, found.partial[0].phase.to_s), (20.0, 22.0));
        assert_eq!(found.relapses.len(), 1);
        assert_eq!(found.relapses[0].from_s, 62.0);
    }

    #[test]
    fn a_rise_at_the_very_end_is_censored_where_it_began() {
        let values = noisy(3, &[(3.4, 50), (35.0, 2)]);
        let found = of(&values, 36.0);
        assert_eq!(found.course, Course::NotRecovered { until_s: 50.0 });
        assert_eq!(found.partial[0].kind, PartialKind::Unconfirmed);
    }

    #[test]
    fn a_single_sample_gives_way_to_a_stall_of_several() {
        let values = noisy(8, &[(35.0, 10), (3.4, 1), (35.0, 10), (3.4, 20), (35.0, 10)]);
        let of = |least_samples, values: &[f64]| {
            let rule = RecoveryRule { least_samples, ..RecoveryRule::new(36.0) };
            recovery(&every_second(values), &rule).unwrap()
        };
        let any = of(1, &values);
        assert_eq!((any.onset.unwrap().right_s, any.longest_below), (11.0, 1));
        assert_eq!(any.relapses.len(), 1);
        let found = of(2, &values);
        assert_eq!((found.onset.unwrap().right_s, found.longest_below), (22.0, 20));
        assert_eq!(found.stalled_samples, 20);
        assert!(matches!(found.course, Course::Recovered(at) if at.right_s == 42.0), "{found:?}");
        assert!(found.relapses.is_empty() && found.partial.is_empty());
        // Where there is no other, it is still said; so is one at the end.
        assert_eq!(of(2, &values[..18]), of(1, &values[..18]));
        let end = of(2, &noisy(8, &[(35.0, 10), (3.4, 1)]));
        assert_eq!((end.longest_below, end.stalled_samples), (1, 1));
        // Single samples with rises between that did not hold are no two in a row.
        let apart = of(2, &noisy(8, &[(35.0, 10), (3.4, 1), (35.0, 2), (3.4, 1), (35.0, 10)]));
        assert_eq!((apart.longest_below, apart.stalled_samples), (1, 2));
    }

    #[test]
    fn a_run_at_the_control_never_stalled() {
        let found = of(&noisy(4, &[(34.0, 60)]), 36.0);
        assert_eq!(found.course, Course::NeverStalled);
        assert_eq!((found.onset, found.time_to_recovery()), (None, None));
    }

    #[test]
    fn zeros_are_samples_without_an_operation() {
        let mut values = vec![0.0; 30];
        values.extend([34.0; 10]);
        let found = of(&values, 36.0);
        assert_eq!(found.course, Course::Recovered(Between { left_s: 30.0, right_s: 31.0 }));
        assert_eq!(found.stalled_throughput, Some(0.0));
        let nothing = of(&[0.0; 20], 36.0);
        assert_eq!(nothing.course, Course::NotRecovered { until_s: 20.0 });
        // One second without an operation, long after the recovery, is a relapse and no more.
        let mut values = noisy(6, &[(3.4, 20), (35.0, 40)]);
        values[45] = 0.0;
        let found = of(&values, 36.0);
        assert_eq!(found.course, Course::Recovered(Between { left_s: 20.0, right_s: 21.0 }));
        assert_eq!(found.relapses.len(), 1);
    }

    #[test]
    fn one_sample_and_bad_ones() {
        assert_eq!(of(&[1.0], 36.0).course, Course::NotRecovered { until_s: 1.0 });
        assert_eq!(of(&[40.0], 36.0).course, Course::NeverStalled);
        let rule = RecoveryRule::new(36.0);
        let sample = |t_s, throughput| Sample { t_s, throughput };
        for bad in [
            vec![],
            vec![sample(1.0, -1.0)],
            vec![sample(1.0, f64::NAN)],
            vec![sample(2.0, 1.0), sample(2.0, 1.0)],
            vec![sample(f64::INFINITY, 1.0)],
        ] {
            assert!(recovery(&bad, &rule).is_err(), "{bad:?}");
        }
        let one = [sample(1.0, 1.0)];
        for rule in [
            RecoveryRule::new(0.0),
            RecoveryRule { share: 0.0, ..rule },
            RecoveryRule { hold_s: -1.0, ..rule },
            RecoveryRule { start_s: 5.0, ..rule },
            RecoveryRule { penalty: Some(0.0), ..rule },
            RecoveryRule { one_operation: Some(0.0), ..rule },
        ] {
            assert!(recovery(&one, &rule).is_err(), "{rule:?}");
        }
    }

    #[test]
    fn any_sampling_interval() {
        let values = noisy(7, &[(3.4, 400), (35.0, 100)]);
        let samples: Vec<Sample> = values
            .iter()
            .enumerate()
            .map(|(i, &throughput)| Sample { t_s: 0.05 * (i + 1) as f64, throughput })
            .collect();
        let found = recovery(&samples, &RecoveryRule::new(36.0)).unwrap();
        let Course::Recovered(at) = found.course else { panic!("{found:?}") };
        assert!((at.left_s - 20.0).abs() < 1e-9 && (at.right_s - 20.05).abs() < 1e-9);
    }
}
