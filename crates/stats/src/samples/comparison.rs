//! Two samples side by side: everything that `stat samples` shows.

use serde::Serialize;

use super::super::{Alternative, Estimate, Level, StatError, TestResult};
use super::mann_whitney::{self, PValueBy};
use super::{MedianRatio, Note, Resampling, SampleMedian, brunner_munzel, hodges_lehmann, sorted};

/// Two samples compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SampleComparison {
    /// The first sample.
    pub a: SampleMedian,
    /// The second sample.
    pub b: SampleMedian,
    /// Median of a over median of b.
    pub median_ratio: MedianRatio,
    /// The shift of a against b.
    pub hodges_lehmann: Estimate,
    /// `mann-whitney`, then `brunner-munzel`, for the alternative asked for.
    pub tests: Vec<TestResult>,
    /// How the tests were done, and why something above is `None`.
    #[serde(skip)]
    pub notes: Vec<Note>,
}

/// Compares a with b. The tests look for `alternative`: `Less`, that a's values tend to be smaller; the
/// intervals are two-sided.
///
/// # Errors
/// An empty sample; a value that is not finite.
pub fn compare(
    a: &[f64],
    b: &[f64],
    level: Level,
    alternative: Alternative,
    resampling: Resampling,
) -> Result<SampleComparison, StatError> {
    let (a, b) = (sorted("a", a)?, sorted("b", b)?);
    let median_ratio = MedianRatio::of_sorted(&a, &b, level, resampling);
    let (of_a, of_b) = (SampleMedian::of_sorted(&a, level), SampleMedian::of_sorted(&b, level));
    let shift = hodges_lehmann::of_sorted(&a, &b, level);
    let (mann_whitney, by) = mann_whitney::of_sorted(&a, &b, alternative);
    let brunner_munzel = brunner_munzel::of_sorted(&a, &b, alternative);

    let mut notes = Vec::new();
    for (name, of) in [("a", &of_a), ("b", &of_b)] {
        if of.low.is_none() {
            notes.push(Note::FewForMedian { sample: name, values: of.n });
        }
    }
    notes.extend(median_ratio.notes.iter().cloned());
    notes.extend(median_ratio.no_bca.map(|because| Note::NoBca { because }));
    if shift.estimate.is_none() {
        notes.push(Note::ShiftBeyondRange);
    }
    if hodges_lehmann::rank(a.len(), b.len(), level).is_none() {
        notes.push(Note::FewForShift);
    } else if shift.estimate.is_some() && (shift.low.is_none() || shift.high.is_none()) {
        notes.push(Note::ShiftBoundBeyondRange);
    }
    notes.push(match by {
        PValueBy::Permutation => Note::MannWhitneyExact,
        PValueBy::Normal => Note::MannWhitneyNormal,
    });
    if brunner_munzel.p_value.is_none() {
        notes.push(
            match (of_a.n < 2 || of_b.n < 2, a.first() == b.last() && b.first() == a.last()) {
                (true, _) => Note::BrunnerMunzelOneValue,
                (_, true) => Note::BrunnerMunzelAllEqual,
                _ => Note::BrunnerMunzelNoOverlap,
            },
        );
    } else if of_a.n.min(of_b.n) < 10 {
        notes.push(Note::BrunnerMunzelLiberal);
    }
    Ok(SampleComparison {
        a: of_a,
        b: of_b,
        median_ratio,
        hodges_lehmann: shift,
        tests: vec![mann_whitney, brunner_munzel],
        notes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(a: &[f64], b: &[f64]) -> SampleComparison {
        compare(a, b, Level::P95, Alternative::TwoSided, Resampling::default()).unwrap()
    }

    #[test]
    fn the_tests_look_for_what_is_asked() {
        let (fast, slow) = ([52.8, 46.1, 36.3, 51.7, 49.6], [4.2, 45.0, 4.0, 5.1, 4.6]);
        for alternative in Alternative::ALL {
            let found =
                compare(&fast, &slow, Level::P95, alternative, Resampling::default()).unwrap();
            let (rank, _) = super::mann_whitney::test(&fast, &slow, alternative).unwrap();
            let tendency = super::brunner_munzel::test(&fast, &slow, alternative).unwrap();
            assert_eq!(found.tests, [rank, tendency]);
        }
    }

    #[test]
    fn the_json_has_the_contract_s_shape() {
        let found = compared(&[1.0, 2.0, 4.0], &[2.0, 3.0]);
        let json = serde_json::to_value(&found).unwrap();
        let keys = |value: &serde_json::Value| {
            value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(",")
        };
        assert_eq!(keys(&json), "a,b,median_ratio,hodges_lehmann,tests");
        assert_eq!(keys(&json["a"]), "n,median,low,high");
        assert_eq!(keys(&json["median_ratio"]), "estimate,intervals");
        assert_eq!(json["median_ratio"]["intervals"][1]["method"], "bca");
        assert_eq!(keys(&json["hodges_lehmann"]), "estimate,low,high");
        assert_eq!(keys(&json["tests"][0]), "method,alternative,statistic,p_value");
        assert_eq!(json["tests"][1]["method"], "brunner-munzel");
    }

    #[test]
    fn values_at_the_ends_of_the_range_have_no_infinity() {
        let (large, small) = ([1e308; 6], [-1e308; 6]);
        let found = compared(&large, &small);
        assert_eq!(found.hodges_lehmann.estimate, None);
        assert!(found.notes.contains(&Note::ShiftBeyondRange), "{found:?}");
        assert!(!found.notes.contains(&Note::FewForShift), "{found:?}");
    }

    #[test]
    fn every_missing_value_has_a_note() {
        let one = compared(&[3.0], &[4.0]);
        assert_eq!(one.tests[0].p_value, Some(1.0));
        assert_eq!(one.tests[1].p_value, None);
        let median = |sample| Note::FewForMedian { sample, values: 1 };
        for note in [median("a"), median("b"), Note::OneValue, Note::FewForShift] {
            assert!(one.notes.contains(&note), "{note:?}: {:?}", one.notes);
        }
    }
}
