//! Two-by-two tables in strata (machine × thread count): one contrast across all of them.
//!
//! A stratum's base probability is its own; what is pooled is the contrast. Assumes independent
//! trials and, for the pooled estimates to mean one thing, the same contrast in every stratum:
//! [`breslow_day_tarone`] asks that of the odds ratio. A stratum with no trials on one side says
//! nothing about a contrast and adds nothing to any sum.
//!
//! By default read the Mantel-Haenszel odds ratio with [`cochran_mantel_haenszel`] where strata are
//! well filled, and [`exact_strata`] where cells are few: it conditions on all margins and needs no
//! large sample.

pub mod breslow_day_tarone;
pub mod cochran_mantel_haenszel;
pub mod exact_strata;
pub mod mantel_fleiss;
pub mod mantel_haenszel_difference;
pub mod mantel_haenszel_odds_ratio;
pub mod mantel_haenszel_ratio;

use serde::Serialize;

use super::binomial::MOST_TRIALS;
use super::two_by_two::{self, Contrast, Side, TwoByTwo};
use super::{Interval, Level, StatError, TestResult};

/// One stratum's counts, either side possibly without trials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stratum {
    name: String,
    base: [u64; 2],
    test: [u64; 2],
}

impl Stratum {
    /// k of n on the base side, and on the test side. n may be 0.
    ///
    /// # Errors
    /// [`StatError::Domain`] naming the stratum and the side where k is above n or n above
    /// [`MOST_TRIALS`].
    pub fn new(
        name: impl Into<String>,
        base_k: u64,
        base_n: u64,
        test_k: u64,
        test_n: u64,
    ) -> Result<Self, StatError> {
        let name = name.into();
        for (side, k, n) in [("base", base_k, base_n), ("test", test_k, test_n)] {
            if n > MOST_TRIALS {
                return Err(StatError::domain(
                    format!("{side}_n of stratum `{name}`"),
                    n,
                    format!("at most {MOST_TRIALS}"),
                ));
            }
            if k > n {
                return Err(StatError::domain(
                    format!("{side}_k of stratum `{name}`"),
                    k,
                    format!("0 to its {side}_n, {n}"),
                ));
            }
        }
        Ok(Stratum { name, base: [base_k, base_n], test: [test_k, test_n] })
    }

    /// Whether both sides have trials, so that it says something about the contrast.
    pub fn compares(&self) -> bool {
        self.base[1] > 0 && self.test[1] > 0
    }

    /// Its table, if both sides have trials.
    fn table(&self) -> Option<TwoByTwo> {
        TwoByTwo::new(self.base[0], self.base[1], self.test[0], self.test[1]).ok()
    }

    /// The stratum's counts as floating-point numbers, if both sides have trials.
    fn cells(&self) -> Option<Cells> {
        let [y2, n2] = self.base.map(|count| count as f64);
        let [y1, n1] = self.test.map(|count| count as f64);
        (n1 > 0.0 && n2 > 0.0).then_some(Cells { y1, n1, y2, n2 })
    }
}

/// Counts of a stratum that has trials on both sides; 1 is the test side, 2 the base side.
#[derive(Debug, Clone, Copy)]
struct Cells {
    y1: f64,
    n1: f64,
    y2: f64,
    n2: f64,
}

impl Cells {
    fn trials(self) -> f64 {
        self.n1 + self.n2
    }

    fn events(self) -> f64 {
        self.y1 + self.y2
    }
}

/// A stratum's own effects.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StratumEffects {
    /// Its name.
    pub stratum: String,
    /// The base side.
    pub base: Side,
    /// The test side.
    pub test: Side,
    /// Test − base.
    pub difference: Contrast,
    /// Test / base.
    pub ratio: Contrast,
    /// Odds of test / odds of base.
    pub odds_ratio: Contrast,
}

/// Each stratum, then what they say together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StrataSummary {
    /// Each stratum on its own.
    pub strata: Vec<StratumEffects>,
    /// The common odds ratio.
    pub odds_ratio: Contrast,
    /// The common risk difference.
    pub difference: Contrast,
    /// CMH, exact, Breslow-Day with Tarone's correction.
    pub tests: Vec<TestResult>,
}

/// All of it.
///
/// # Errors
/// [`StatError::TooFew`] without strata.
pub fn summarize(strata: &[Stratum], level: Level) -> Result<StrataSummary, StatError> {
    if strata.is_empty() {
        return Err(StatError::too_few("a stratified comparison", "at least one stratum", "none"));
    }
    Ok(StrataSummary {
        strata: strata.iter().map(|stratum| effects(stratum, level)).collect(),
        odds_ratio: mantel_haenszel_odds_ratio::contrast(strata, level),
        difference: mantel_haenszel_difference::contrast(strata, level),
        tests: vec![
            cochran_mantel_haenszel::test(strata),
            exact_strata::test(strata),
            breslow_day_tarone::test(strata),
        ],
    })
}

fn effects(stratum: &Stratum, level: Level) -> StratumEffects {
    let ([k1, n1], [k2, n2]) = (stratum.base, stratum.test);
    if let Ok(table) = TwoByTwo::new(k1, n1, k2, n2) {
        let two_by_two::Effects { base, test, difference, ratio, odds_ratio } =
            two_by_two::effects(table, level);
        let stratum = stratum.name.clone();
        return StratumEffects { stratum, base, test, difference, ratio, odds_ratio };
    }
    // A side without trials: nothing is estimated, and that is what is said.
    let side = |[k, n]: [u64; 2]| Side { k, n, estimate: (n > 0).then(|| k as f64 / n as f64) };
    let nothing = |methods: &[&'static str]| Contrast {
        estimate: None,
        intervals: methods
            .iter()
            .map(|method| Interval { method, level, low: None, high: None })
            .collect(),
    };
    StratumEffects {
        stratum: stratum.name.clone(),
        base: side(stratum.base),
        test: side(stratum.test),
        difference: nothing(&["newcombe", "miettinen-nurminen"]),
        ratio: nothing(&["koopman"]),
        odds_ratio: nothing(&["exact"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strata(counts: &[[u64; 4]]) -> Vec<Stratum> {
        counts.iter().map(|&[a, b, c, d]| Stratum::new("s", a, b, c, d).unwrap()).collect()
    }

    #[test]
    fn a_stratum_with_an_empty_side_changes_nothing_but_its_own_row() {
        let with = summarize(&strata(&[[3, 10, 1, 12], [0, 0, 4, 9], [6, 9, 2, 9]]), Level::P95);
        let without = summarize(&strata(&[[3, 10, 1, 12], [6, 9, 2, 9]]), Level::P95);
        let (with, without) = (with.unwrap(), without.unwrap());
        assert_eq!(with.odds_ratio, without.odds_ratio);
        assert_eq!(with.difference, without.difference);
        assert_eq!(with.tests, without.tests);
        assert_eq!(with.strata[1].base.estimate, None);
        assert_eq!(with.strata[1].difference.intervals[0].low, None);
    }

    #[test]
    fn nothing_to_say_is_none_everywhere() {
        for counts in [[0, 0, 0, 0], [0, 5, 0, 5], [5, 5, 5, 5], [0, 0, 1, 3]] {
            let summary = summarize(&strata(&[counts]), Level::P95).unwrap();
            assert_eq!(summary.odds_ratio.estimate, None, "{counts:?}");
            assert_eq!(summary.odds_ratio.intervals[0].low, None);
            assert_eq!(summary.difference.intervals[0].high, None);
            assert_eq!(summary.tests[0].p_value, None);
            assert_eq!(summary.tests[2].p_value, None);
        }
        assert!(summarize(&[], Level::P95).is_err());
    }

    #[test]
    fn one_stratum_is_a_two_by_two_table() {
        let summary = summarize(&strata(&[[4, 24, 0, 24]]), Level::P95).unwrap();
        assert!((summary.difference.estimate.unwrap() + 4.0 / 24.0).abs() < 1e-15);
        assert!((summary.tests[1].p_value.unwrap() - 0.1092199).abs() < 1e-7);
    }

    #[test]
    fn a_wrong_count_names_its_stratum() {
        let error = Stratum::new("epyc, 64", 1, 2, 5, 4).unwrap_err().to_string();
        assert!(error.contains("test_k of stratum `epyc, 64`"), "{error}");
    }
}
