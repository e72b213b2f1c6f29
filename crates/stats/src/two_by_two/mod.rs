//! Two proportions: base (before the patch) and test (with it).
//!
//! Differences, ratios and odds ratios are test against base. Assumes independent trials, one
//! probability a side, and group sizes fixed by the plan; the number counted in all is not fixed,
//! which is why Fisher's, which is exact given that number, is conservative for it.
//!
//! | question | file | by default |
//! | --- | --- | --- |
//! | by how much does p differ? | [`newcombe`], [`miettinen_nurminen`] | Newcombe: made of the two Wilson intervals that stand beside it |
//! | by which factor? | [`koopman`] | |
//! | by which odds? | [`conditional_odds_ratio`] | |
//! | does it differ at all? | [`fisher`], [`fisher_mid_p`], [`boschloo`], [`barnard`] | Fisher: the test of the verdict, which is its form over strata |
//! | how probable is it that the test side is the lower? | [`lower_on_test`] | |

pub mod barnard;
pub mod boschloo;
pub mod conditional_odds_ratio;
pub mod fisher;
pub mod fisher_mid_p;
pub mod koopman;
pub mod lower_on_test;
pub mod miettinen_nurminen;
pub mod newcombe;
pub mod unconditional;

use serde::Serialize;

use super::proportion::Proportion;
use super::{Alternative, Interval, Level, StatError, TestResult};

/// Counts of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TwoByTwo {
    /// Before: what is compared against.
    pub base: Proportion,
    /// After: what is compared.
    pub test: Proportion,
}

impl TwoByTwo {
    /// k1 of n1 (base) and k2 of n2 (test).
    ///
    /// # Errors
    /// [`StatError::Domain`] naming the side, as [`Proportion::new`].
    pub fn new(k1: u64, n1: u64, k2: u64, n2: u64) -> Result<Self, StatError> {
        let side = |name: &str, k, n| {
            Proportion::new(k, n).map_err(|error| match error {
                StatError::Domain { what, found, accepted } => {
                    StatError::Domain { what: format!("{name}: {what}"), found, accepted }
                }
                other => other,
            })
        };
        Ok(TwoByTwo { base: side("base", k1, n1)?, test: side("test", k2, n2)? })
    }

    /// The risk difference, test − base.
    pub fn difference(self) -> f64 {
        self.test.estimate() - self.base.estimate()
    }

    /// The risk ratio, test / base; `None` where the base has no events.
    pub fn ratio(self) -> Option<f64> {
        (self.base.k() > 0).then(|| self.test.estimate() / self.base.estimate())
    }

    /// Both sides' complements: what did not stall.
    pub fn complement(self) -> Self {
        TwoByTwo { base: self.base.complement(), test: self.test.complement() }
    }
}

/// A side of the table as shown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Side {
    /// How many were counted.
    pub k: u64,
    /// Of how many.
    pub n: u64,
    /// k / n; `None` for no trials, which only a stratum may have.
    pub estimate: Option<f64>,
}

impl From<Proportion> for Side {
    fn from(of: Proportion) -> Self {
        Side { k: of.k(), n: of.n(), estimate: Some(of.estimate()) }
    }
}

/// A contrast with its intervals; `None` where the estimate does not exist.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contrast {
    /// The point estimate.
    pub estimate: Option<f64>,
    /// The intervals.
    pub intervals: Vec<Interval>,
}

/// The effect measures of a table, each with its intervals.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Effects {
    /// The base side.
    pub base: Side,
    /// The test side.
    pub test: Side,
    /// Test − base: Newcombe, Miettinen-Nurminen.
    pub difference: Contrast,
    /// Test / base: Koopman.
    pub ratio: Contrast,
    /// Odds of test / odds of base, by conditional maximum likelihood: exact.
    pub odds_ratio: Contrast,
}

/// A table's effects and tests.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TwoByTwoSummary {
    /// The effect measures.
    #[serde(flatten)]
    pub effects: Effects,
    /// Fisher, Fisher mid-P, Boschloo, Barnard; each two-sided, less, greater.
    pub tests: Vec<TestResult>,
    /// The posterior probability that the test side's probability is the lower one.
    pub probability_test_is_lower: f64,
}

impl TwoByTwoSummary {
    /// The one test: Fisher's, two-sided.
    pub fn fisher(&self) -> Option<&TestResult> {
        let is = |test: &&TestResult| {
            test.method == "fisher" && test.alternative == Alternative::TwoSided
        };
        self.tests.iter().find(is)
    }

    /// With the first interval of the difference and of the ratio made to agree with Fisher's test
    /// ([`Interval::agreeing`]).
    pub fn agreeing(mut self) -> Self {
        let p = self.fisher().and_then(|test| test.p_value);
        let Effects { difference, ratio, .. } = &mut self.effects;
        for (of, no_effect) in [(difference, 0.0), (ratio, 1.0)] {
            if let Some(first) = of.intervals.first_mut() {
                *first = first.clone().agreeing(no_effect, of.estimate, p);
            }
        }
        self
    }
}

/// The effect measures with their intervals.
pub fn effects(table: TwoByTwo, level: Level) -> Effects {
    Effects {
        base: table.base.into(),
        test: table.test.into(),
        difference: Contrast {
            estimate: Some(table.difference()),
            intervals: vec![
                newcombe::interval(table, level),
                miettinen_nurminen::interval(table, level),
            ],
        },
        ratio: Contrast {
            estimate: table.ratio(),
            intervals: vec![koopman::interval(table, level)],
        },
        odds_ratio: Contrast {
            estimate: conditional_odds_ratio::estimate(table),
            intervals: vec![conditional_odds_ratio::interval(table, level)],
        },
    }
}

/// Effects and all tests. A test that is not defined on the table, or whose enumeration is beyond
/// [`unconditional::MOST_TRIALS`], has no p-value.
pub fn summarize(table: TwoByTwo, level: Level) -> TwoByTwoSummary {
    let by: [fn(TwoByTwo, Alternative) -> TestResult; 4] =
        [fisher::test, fisher_mid_p::test, boschloo::test, barnard::test];
    let tests =
        by.iter().flat_map(|test| Alternative::ALL.map(|alternative| test(table, alternative)));
    TwoByTwoSummary {
        effects: effects(table, level),
        tests: tests.collect(),
        probability_test_is_lower: lower_on_test::probability(table),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(contrast: &Contrast, i: usize) -> (f64, f64) {
        let interval = &contrast.intervals[i];
        (interval.low.unwrap(), interval.high.unwrap())
    }

    fn p(summary: &TwoByTwoSummary, method: &str, alternative: Alternative) -> f64 {
        let of = |t: &&TestResult| t.method == method && t.alternative == alternative;
        summary.tests.iter().find(of).unwrap().p_value.unwrap()
    }

    #[test]
    fn four_of_24_against_none_of_24() {
        let summary = summarize(TwoByTwo::new(4, 24, 0, 24).unwrap(), Level::P95);
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 6e-7, "{found}");
        near(p(&summary, "fisher", Alternative::TwoSided), 0.1092199);
        assert!((p(&summary, "boschloo", Alternative::TwoSided) - 0.0595).abs() < 5e-5);
        let newcombe = bounds(&summary.effects.difference, 0);
        near(newcombe.0, -0.358531);
        near(newcombe.1, 0.003667);
        let score = bounds(&summary.effects.difference, 1);
        near(score.0, -0.360833);
        // Not -0.014737: that is statsmodels, whose constrained estimate is not the maximum (its
        // issue 10269).
        near(score.1, -0.014551);
        assert_eq!(summary.effects.odds_ratio.estimate, Some(0.0));
    }

    #[test]
    fn sides_swapped_mirror_every_answer() {
        let (k1, n1, k2, n2) = (3, 17, 9, 21);
        let one = summarize(TwoByTwo::new(k1, n1, k2, n2).unwrap(), Level::P95);
        let two = summarize(TwoByTwo::new(k2, n2, k1, n1).unwrap(), Level::P95);
        for i in 0..2 {
            let (a, b) = (bounds(&one.effects.difference, i), bounds(&two.effects.difference, i));
            assert!((a.0 + b.1).abs() < 1e-12 && (a.1 + b.0).abs() < 1e-12, "{a:?} {b:?}");
        }
        for (a, b) in [
            (&one.effects.ratio, &two.effects.ratio),
            (&one.effects.odds_ratio, &two.effects.odds_ratio),
        ] {
            let (a, b) = (bounds(a, 0), bounds(b, 0));
            assert!((a.0 * b.1 - 1.0).abs() < 1e-11 && (a.1 * b.0 - 1.0).abs() < 1e-11);
        }
        for method in ["fisher", "fisher-mid-p", "boschloo", "barnard"] {
            for (a, b) in [
                (Alternative::TwoSided, Alternative::TwoSided),
                (Alternative::Less, Alternative::Greater),
                (Alternative::Greater, Alternative::Less),
            ] {
                let (a, b) = (p(&one, method, a), p(&two, method, b));
                assert!((a - b).abs() < 1e-10, "{method}: {a} {b}");
            }
        }
    }

    #[test]
    fn a_table_without_events_says_what_does_not_exist() {
        let summary = summarize(TwoByTwo::new(0, 24, 0, 24).unwrap(), Level::P95);
        assert_eq!(summary.effects.ratio.estimate, None);
        assert_eq!(summary.effects.ratio.intervals[0].high, None);
        assert_eq!(summary.effects.odds_ratio.estimate, None);
        let (low, high) = bounds(&summary.effects.difference, 1);
        assert!(low < 0.0 && high > 0.0);
        for test in &summary.tests {
            assert!(test.p_value == Some(1.0) || test.method == "fisher-mid-p", "{test:?}");
        }
    }

    #[test]
    fn the_intervals_agree_with_the_one_test() {
        for (k1, n1, k2, n2) in
            [(4, 24, 0, 24), (0, 24, 4, 24), (3, 24, 1, 72), (24, 24, 20, 24), (14, 24, 2, 24)]
        {
            let found = summarize(TwoByTwo::new(k1, n1, k2, n2).unwrap(), Level::P95).agreeing();
            let rejected = found.fisher().unwrap().p_value.unwrap() <= 0.05;
            let Effects { difference, ratio, .. } = &found.effects;
            for (of, none) in [(difference, 0.0), (ratio, 1.0)] {
                let interval = &of.intervals[0];
                let holds = interval.low.is_none_or(|low| low < none)
                    && interval.high.is_none_or(|high| high > none);
                let reaches = interval.low.is_none_or(|low| low <= none)
                    && interval.high.is_none_or(|high| high >= none);
                assert!(if rejected { !holds } else { reaches }, "{k1} {n1} {k2} {n2}: {of:?}");
            }
        }
    }

    #[test]
    fn a_wrong_side_is_named() {
        let error = TwoByTwo::new(1, 2, 5, 4).unwrap_err().to_string();
        assert!(error.contains("test") && error.contains('5'), "{error}");
        assert!(TwoByTwo::new(1, 0, 5, 6).unwrap_err().to_string().contains("base"));
    }

    #[test]
    fn large_counts_answer_or_say_none() {
        let summary =
            summarize(TwoByTwo::new(501_000, 1_000_000, 499_000, 1_000_000).unwrap(), Level::P95);
        assert!(p(&summary, "fisher", Alternative::TwoSided) < 0.01);
        assert!(summary.tests.iter().any(|t| t.method == "boschloo" && t.p_value.is_none()));
        let (low, high) = bounds(&summary.effects.odds_ratio, 0);
        assert!(low > 0.98 && high < 1.0, "{low} {high}");
    }
}
