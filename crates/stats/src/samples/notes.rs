//! What a reader of two samples must know: how they were compared, and what does not exist and why.

use serde::Serialize;

use super::bootstrap::NoBca;
use crate::Level;

/// A fact about two samples, a and b, or about the ratio of their medians.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "note", rename_all = "kebab-case")]
pub enum Note {
    /// The median of a sample has no interval at this level.
    FewForMedian {
        /// `a` or `b`.
        sample: &'static str,
        /// How many values it has.
        values: usize,
    },
    /// No ratio: a sample has negative values.
    NegativeValues,
    /// No ratio: the median of b is 0.
    MedianOfBIsZero,
    /// No ratio: it is beyond the range of numbers.
    RatioBeyondRange,
    /// No bootstrap interval: a sample has one value.
    OneValue,
    /// So few resamples lie beyond a bound that it is about the outermost of them.
    FewBeyondBound {
        /// The interval's level.
        level: Level,
        /// How many resamples there are.
        resamples: usize,
    },
    /// Resamples with a ratio of 0/0, which count against both bounds.
    UndefinedResamples {
        /// Of which the ratio is 0/0.
        undefined: usize,
        /// How many resamples there are.
        resamples: usize,
    },
    /// Resamples whose median of b is 0: a bound among them does not exist.
    InfiniteResamples {
        /// Of which the ratio is infinite.
        infinite: usize,
        /// How many resamples there are.
        resamples: usize,
    },
    /// A bound of the ratio is beyond the range of numbers.
    BoundBeyondRange,
    /// Both samples are constant.
    Constant,
    /// The bootstrap covers less than it says with so few values.
    FewForBootstrap {
        /// How many the smaller sample has.
        values: usize,
    },
    /// BCa lacks a bound.
    NoBca {
        /// Why.
        because: NoBca,
    },
    /// No shift: differences of the values are beyond the range of numbers.
    ShiftBeyondRange,
    /// The shift has no interval: there are too few values for this level.
    FewForShift,
    /// A bound of the shift is beyond the range of numbers.
    ShiftBoundBeyondRange,
    /// Mann and Whitney's p-value is exact, by permutation given the ties.
    MannWhitneyExact,
    /// Mann and Whitney's p-value is by the normal law, corrected for ties and continuity.
    MannWhitneyNormal,
    /// Brunner and Munzel's test does not exist: a sample of one value has no variance.
    BrunnerMunzelOneValue,
    /// Brunner and Munzel's test does not exist: all values of both samples are equal.
    BrunnerMunzelAllEqual,
    /// Brunner and Munzel's test does not exist: the samples do not overlap.
    BrunnerMunzelNoOverlap,
    /// Brunner and Munzel's test is liberal with so few values.
    BrunnerMunzelLiberal,
}
