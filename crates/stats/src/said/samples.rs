//! The notes of two samples, each a sentence without its capital and its stop.

use crate::samples::bootstrap::NoBca;
use crate::samples::split::{Split, Verdict};
use crate::samples::{FEWEST_BEYOND, Note};
use crate::words::counted;

/// The sentence of a note.
pub fn note(note: &Note) -> String {
    const BEYOND: &str = "differences of the values are beyond the range of numbers";
    match note {
        Note::FewForMedian { sample, values } => format!(
            "no interval for the median of {sample}: with {} not even smallest to largest holds it at \
             this level",
            counted(*values as u64, "value", "values")
        ),
        Note::NegativeValues => {
            "no ratio of medians: a sample has negative values, and a ratio compares sizes".into()
        }
        Note::MedianOfBIsZero => "no ratio of medians: the median of b is 0".into(),
        Note::RatioBeyondRange => {
            "no ratio of medians: it is beyond the range of numbers; give the \
                                   samples in units in which their values are nearer to 1"
                .into()
        }
        Note::OneValue => {
            "no bootstrap interval: a sample of one value says nothing of its own spread".into()
        }
        Note::FewBeyondBound { level, resamples } => format!(
            "an interval at {} % leaves fewer than {FEWEST_BEYOND} of {resamples} resamples beyond a \
             bound: it is about the outermost of them, and more resamples widen it",
            level.percent()
        ),
        Note::UndefinedResamples { undefined, resamples } => format!(
            "{undefined} of {resamples} resamples have a ratio of 0/0; they count against both bounds"
        ),
        Note::InfiniteResamples { infinite, resamples } => format!(
            "{infinite} of {resamples} resamples have a median of b of 0 and so no finite ratio: a \
             bound that falls among them does not exist"
        ),
        Note::BoundBeyondRange => {
            "a bound of the ratio is beyond the range of numbers, and so does not exist".into()
        }
        Note::Constant => {
            "no bootstrap interval: all values of a are equal, and so are those of b".into()
        }
        Note::FewForBootstrap { values } => format!(
            "bootstrap intervals of medians cover less than they say with {values} values in the \
             smaller sample: see docs/appendix/coverage.md"
        ),
        Note::NoBca { because } => match because {
            NoBca::Undefined => {
                "no bca interval: resamples without a value leave the estimate's place \
                                 among them unknown"
            }
            NoBca::OnOneSide => {
                "no bca interval: all resamples lie on one side of the estimate, so \
                                 that its correction for bias is infinite"
            }
            NoBca::NoAcceleration => {
                "no bca interval: leaving out one value changes nothing, or leaves \
                                      no finite value, so that there is no acceleration"
            }
            NoBca::PastThePole => {
                "no bca bound on a side where the acceleration is too large for this level"
            }
        }
        .into(),
        Note::ShiftBeyondRange => format!("no shift: {BEYOND}"),
        Note::FewForShift => {
            "no interval for the shift: there are too few values for this level".into()
        }
        Note::ShiftBoundBeyondRange => format!("no bound for the shift on a side where {BEYOND}"),
        Note::MannWhitneyExact => "mann-whitney: exact, by permutation given the ties".into(),
        Note::MannWhitneyNormal => {
            "mann-whitney: normal approximation, corrected for ties and continuity".into()
        }
        Note::BrunnerMunzelOneValue => {
            "no brunner-munzel: a sample of one value has no variance".into()
        }
        Note::BrunnerMunzelAllEqual => {
            "no brunner-munzel: all values are equal, and its variance estimate is 0".into()
        }
        Note::BrunnerMunzelNoOverlap => {
            "no brunner-munzel: the samples do not overlap, and its variance estimate is 0".into()
        }
        Note::BrunnerMunzelLiberal => {
            "brunner-munzel is liberal below about 10 values a side".into()
        }
    }
}

/// Why values have two modes or one.
pub fn modes(found: &Split) -> String {
    match found.verdict {
        Verdict::FewPositive { positive: 1 } => {
            "1 positive value is too few to tell two modes from one".into()
        }
        Verdict::FewPositive { positive } => {
            format!("{positive} positive values are too few to tell two modes from one")
        }
        Verdict::AllEqual => "all positive values are equal".into(),
        Verdict::AllZero => "all values are 0".into(),
        Verdict::ZerosBelow if found.zeros == 1 => {
            format!("1 of {} values is 0: it is the lower mode", found.n)
        }
        Verdict::ZerosBelow => {
            format!("{} of {} values are 0: they are the lower mode", found.zeros, found.n)
        }
        Verdict::NoFit => "no fit of two components holds".into(),
        Verdict::SmallGain { gain, needed } => {
            format!("two components gain {gain:.1} in BIC over one, less than {needed}")
        }
        Verdict::Nested => "the two components fitted lie within one another".into(),
        Verdict::Overlap { misplaced } => format!(
            "the two components fitted overlap: a cut would misplace {:.1} % of one",
            100.0 * misplaced
        ),
        Verdict::TwoModes { gain } => {
            format!("two components gain {gain:.1} in BIC over one, and do not overlap")
        }
    }
}
