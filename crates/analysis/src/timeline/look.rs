//! What the samples of one trial say of its stall.

use std::fmt;

use records::timeline::Sample;
use serde::Serialize;

use super::windows::windows;
use stats::StatError;
use stats::recovery::{Between, Course, PartialRecovery, Phase, Recovery, RecoveryRule, recovery};
use stats::survival::Lifetime;

/// What is asked of a trial's timeline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asked {
    /// The control's throughput.
    pub control_mops: f64,
    /// The share of it that is to be reached.
    pub share: f64,
    /// For how long it is to be kept.
    pub hold_s: f64,
    /// Worker threads of the trial.
    pub threads: u64,
    /// Whether they wait until all exist.
    pub behind_barrier: bool,
    /// How long all worked together, as its row says.
    pub elapsed_s: Option<f64>,
    /// From one sample to the next, as the definition says; of a timeline without one it is the
    /// usual time.
    pub sample_s: Option<f64>,
    /// After how many operations a thread publishes its count.
    pub batch: u64,
}

/// What a trial's timeline says.
#[derive(Debug, Clone, PartialEq)]
pub enum Look {
    /// Nothing, and why.
    NotObservable(Why),
    /// It kept the share of its control throughout.
    NeverStalled,
    /// It fell below.
    Stalled(Box<Stall>),
}

/// Why a timeline says nothing of a stall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// It has no sample.
    NoSample,
    /// No sample has a throughput while all threads worked.
    NoThroughput,
    /// Nothing says what its control does.
    NoControl,
    /// It ran in a guest, whose throughput is the emulator's.
    InLab,
    /// The trial failed.
    Failed,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::NoSample => "it has no sample",
            Why::NoThroughput => "no sample has a throughput while all threads worked",
            Why::NoControl => {
                "no control was run, and `[recovery] control_mops` says nothing of one"
            }
            Why::InLab => "throughput in a guest is the emulator's",
            Why::Failed => "the trial failed",
        })
    }
}

/// A stall, by throughput.
#[derive(Debug, Clone, PartialEq)]
pub struct Stall {
    /// What was asked.
    pub asked: Asked,
    /// When all threads worked, in seconds on the timeline's clock.
    pub start_s: f64,
    /// When it began; both edges are equal where it began with the work.
    pub onset: Between,
    /// When it was over; `None` where it was not.
    pub recovered: Option<Between>,
    /// The last moment at which it was not over.
    pub until_s: f64,
    /// How long it lasted.
    pub lasted: Lifetime,
    /// The median throughput below the share.
    pub stalled_mops: f64,
    /// The samples below the share.
    pub samples: usize,
    /// The most of them in a row.
    pub in_a_row: usize,
    /// Rises that were no recovery.
    pub partial: Box<[PartialRecovery]>,
    /// Phases below the share after the recovery.
    pub relapses: Box<[Phase]>,
    /// Whether the samples end before the work did.
    pub cut: bool,
}

/// How many samples in a row are below the share in what is counted as a stall.
///
/// A look that came late, or a neighbour on the CPU, makes a single one; so a stall that lasts for less
/// than two samples is not told from those, and is counted apart.
pub const LEAST_SAMPLES: usize = 2;

impl Stall {
    /// Whether no two samples in a row were below the share.
    pub fn is_single(&self) -> bool {
        self.in_a_row < LEAST_SAMPLES
    }
}

/// What a trial's samples say.
///
/// # Errors
///
/// As [`recovery`], for what is no timeline.
pub fn look(samples: &[Sample], asked: &Asked) -> Result<Look, StatError> {
    let Some((found, cut)) = found(samples, asked)? else {
        return Ok(Look::NotObservable(Why::NoThroughput));
    };
    let (Some(onset), Some(lasted)) = (found.onset, found.stall_duration()) else {
        return Ok(Look::NeverStalled);
    };
    let (recovered, until_s) = match found.course {
        Course::Recovered(at) => (Some(at), at.left_s),
        Course::NotRecovered { until_s } => (None, until_s),
        Course::NeverStalled => return Ok(Look::NeverStalled),
    };
    Ok(Look::Stalled(Box::new(Stall {
        asked: *asked,
        start_s: found.start_s,
        onset,
        recovered,
        until_s,
        lasted,
        stalled_mops: found.stalled_throughput.unwrap_or(0.0),
        samples: found.stalled_samples,
        in_a_row: found.longest_below,
        partial: found.partial.into_boxed_slice(),
        relapses: found.relapses.into_boxed_slice(),
        cut,
    })))
}

/// The recovery, and whether the samples end before the work did; `None` where no sample has a
/// throughput while all threads worked.
pub(crate) fn found(
    samples: &[Sample],
    asked: &Asked,
) -> Result<Option<(Recovery, bool)>, StatError> {
    let Some(start_s) = all_at_work(samples, asked) else { return Ok(None) };
    let throughputs = windows(samples, asked, start_s);
    if !throughputs.iter().any(|sample| sample.t_s > start_s) {
        return Ok(None);
    }
    let rule = RecoveryRule {
        share: asked.share,
        hold_s: asked.hold_s,
        start_s,
        one_operation: one_operation(samples),
        least_samples: LEAST_SAMPLES,
        ..RecoveryRule::new(asked.control_mops)
    };
    match recovery(&throughputs, &rule) {
        Ok(found) => Ok(Some((found, is_cut(samples, start_s, asked.elapsed_s)))),
        Err(StatError::TooFew { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// When all threads worked: before it, a throughput says how many there were. `None` where the
/// samples end before that.
pub(super) fn all_at_work(samples: &[Sample], asked: &Asked) -> Option<f64> {
    let most = samples.iter().map(Sample::threads).max()?;
    if u64::from(most) < asked.threads {
        return None;
    }
    let mut at = samples.iter().position(|sample| sample.threads() == most)?;
    if asked.behind_barrier {
        // They exist and wait; the last sample before an operation is when they were let go.
        while let (Some(here), Some(next)) = (samples.get(at), samples.get(at + 1))
            && here.ops().is_some()
            && here.ops() == next.ops()
        {
            at += 1;
        }
    }
    // A first sample that has a throughput covers the time before it.
    match at {
        0 if samples[0].mops_per_s().is_some() => Some(0.0),
        at => samples.get(at).map(Sample::t_s),
    }
}

/// The throughput of one operation between two samples, where operations were counted.
fn one_operation(samples: &[Sample]) -> Option<f64> {
    let (first, last) = (samples.first()?, samples.last()?);
    last.ops()?;
    let interval = (last.t_s() - first.t_s()) / (samples.len() as f64 - 1.0);
    (interval.is_finite() && interval > 0.0).then(|| 1e-6 / interval)
}

/// Whether the samples end before the work did. The last look is taken as the work ends, and threads
/// that leave by themselves are told to stop at a look; two intervals are room enough.
fn is_cut(samples: &[Sample], start_s: f64, elapsed_s: Option<f64>) -> bool {
    let (Some(elapsed), Some(last)) = (elapsed_s, samples.last()) else { return false };
    let longest = samples.windows(2).map(|pair| pair[1].t_s() - pair[0].t_s()).fold(0.0, f64::max);
    last.t_s() + 2.0 * longest + 0.02 * elapsed < start_s + elapsed
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use records::timeline::{FILE, TimelineReader};

    pub(in crate::timeline) const ASKED: Asked = Asked {
        control_mops: 40.0,
        share: 0.5,
        hold_s: 1.0,
        threads: 4,
        behind_barrier: false,
        elapsed_s: None,
        sample_s: None,
        batch: 1,
    };

    /// Rows without their trial.
    pub(in crate::timeline) fn samples(rows: &[&str]) -> Vec<Sample> {
        let run = tempfile::tempdir().unwrap();
        let rows: String = rows.iter().map(|row| format!("1,{row}\n")).collect();
        let text = format!("trial,t_s,threads,ops,mops_per_s,slots\n{rows}");
        std::fs::write(run.path().join(FILE), text).unwrap();
        let mut samples = Vec::new();
        TimelineReader::open(run.path()).unwrap().unwrap().next(&mut samples).unwrap();
        samples
    }

    fn stall(rows: &[&str], asked: Asked) -> Stall {
        match look(&samples(rows), &asked).unwrap() {
            Look::Stalled(stall) => *stall,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_clock_starts_when_all_threads_work() {
        // A ramp with few threads is no stall.
        let ramp = [
            "0,0,0,,",
            "1,2,5000000,5,",
            "2,4,15000000,10,",
            "3,4,50000000,35,",
            "4,4,86000000,36,",
        ];
        assert_eq!(look(&samples(&ramp), &ASKED).unwrap(), Look::NeverStalled);
        // Nor is a wait behind a barrier.
        let mut wait = vec!["0,0,0,,", "1,4,0,0,", "2,4,0,0,", "3,4,35000000,35,"];
        wait.extend(["4,4,70000000,35,", "5,4,105000000,35,", "6,4,140000000,35,"]);
        let behind = Asked { behind_barrier: true, ..ASKED };
        assert_eq!(look(&samples(&wait), &behind).unwrap(), Look::NeverStalled);
        let found = stall(&wait, ASKED);
        assert_eq!(
            (found.start_s, found.lasted),
            (1.0, Lifetime::Between { left: 1.0, right: 2.0 })
        );
        // A first sample that has a throughput covers what was before it.
        let rows = ["1,4,,3.4,", "2,4,,3.4,", "3,4,,34,", "4,4,,34,", "5,4,,34,"];
        let found = stall(&rows, ASKED);
        assert_eq!(
            (found.start_s, found.lasted),
            (0.0, Lifetime::Between { left: 2.0, right: 3.0 })
        );
        assert_eq!(found.samples, 2);
    }

    #[test]
    fn without_a_throughput_of_all_threads_nothing_is_seen() {
        let nothing = Look::NotObservable(Why::NoThroughput);
        for rows in
            [&["0,0,0,,", "1,3,5000000,5,"][..], &["0,4,0,,"], &["0,4,0,,", "1,4,,,"], &["0,4,,5,"]]
        {
            assert_eq!(look(&samples(rows), &ASKED).unwrap(), nothing, "{rows:?}");
        }
        assert_eq!(look(&[], &ASKED).unwrap(), nothing);
    }

    #[test]
    fn samples_that_end_before_the_work_are_told() {
        let rows = ["0,4,0,,", "1,4,3000000,3,", "2,4,6000000,3,", "3,4,9000000,3,"];
        let of = |elapsed_s| stall(&rows, Asked { elapsed_s, ..ASKED });
        assert!(!of(None).cut && !of(Some(3.0)).cut && !of(Some(4.5)).cut);
        assert!(of(Some(6.0)).cut);
        assert_eq!(of(Some(6.0)).lasted, Lifetime::RightCensored(3.0));
    }

    #[test]
    fn a_sample_without_an_operation_is_a_stall_and_no_error() {
        let mut rows = vec!["0,4,0,,", "1,4,0,0,", "2,4,40000000,40,", "3,4,80000000,40,"];
        rows.push("4,4,120000000,40,");
        let found = stall(&rows, ASKED);
        assert_eq!((found.stalled_mops, found.samples), (0.0, 1));
        assert_eq!(found.lasted, Lifetime::Between { left: 1.0, right: 2.0 });
        assert!(found.is_single());
    }

    #[test]
    fn looks_beside_the_grid_make_no_stall() {
        // Grid and special moments, a microsecond apart, as a burst has them.
        let mut rows = vec!["0,0,0,,".to_string(), "0.00595,4,238000,40,".to_string()];
        for at in 1..40u32 {
            let ops = 400_000 * u64::from(at);
            rows.push(format!("{},4,{ops},40,", f64::from(at) * 0.01));
            rows.push(format!("{},4,{ops},0,", f64::from(at) * 0.01 + 1e-6));
        }
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let asked = Asked { sample_s: Some(0.01), hold_s: 0.03, ..ASKED };
        assert_eq!(look(&samples(&rows), &asked).unwrap(), Look::NeverStalled);
    }

    #[test]
    fn a_stall_of_several_samples_comes_before_a_single_one() {
        let levels = [40, 40, 3, 40, 40, 40, 3, 3, 3, 40, 40, 40];
        let mut ops = 0;
        let mut rows = vec!["0,4,0,,".to_string()];
        for (at, mops) in levels.into_iter().enumerate() {
            ops += mops * 1_000_000;
            rows.push(format!("{},4,{ops},{mops},", at + 1));
        }
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let found = stall(&rows, ASKED);
        assert_eq!((found.onset.right_s, found.in_a_row, found.is_single()), (7.0, 3, false));
        assert_eq!(found.lasted, Lifetime::Between { left: 2.0, right: 4.0 });
        assert!(stall(&rows[..7], ASKED).is_single());
    }
}
