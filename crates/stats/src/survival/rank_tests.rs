//! Rank tests between survival curves: log-rank, Gehan-Wilcoxon, Fleming-Harrington.

use std::ops::Range;

use rayon::prelude::*;
use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::risk_sets::{spans, walk};
use super::{FollowUp, KaplanMeier, Step};
use crate::{Alternative, StatError, TestResult};

/// Steps of a curve in what one CPU takes at a time: some tenths of a millisecond of work.
const STEPS_A_SPAN: usize = 1 << 14;

/// How much each event time counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RankWeight {
    /// 1: best against a constant hazard ratio. Mantel (1966).
    LogRank,
    /// The number at risk: early differences count more, and by how the trials were censored.
    /// Gehan (1965), Breslow (1970).
    GehanWilcoxon,
    /// S(t−)^rho × (1 − S(t−))^gamma, S being the curve of all groups together, just before t:
    /// rho looks early, gamma late. (0, 0) is log-rank; (1, 0) is the Peto-Peto test, R's
    /// `survdiff(rho = 1)`. Fleming and Harrington (1991), chapter 7.
    FlemingHarrington {
        /// The exponent of S.
        rho: f64,
        /// The exponent of 1 − S.
        gamma: f64,
    },
}

impl RankWeight {
    /// What `stat survival` shows. Fleming-Harrington by (1, 0), which is early as Gehan's is, but
    /// whose weights do not depend on how the trials were censored.
    pub const SHOWN: [RankWeight; 3] = [
        RankWeight::LogRank,
        RankWeight::GehanWilcoxon,
        RankWeight::FlemingHarrington { rho: 1.0, gamma: 0.0 },
    ];

    fn name(self) -> &'static str {
        match self {
            RankWeight::LogRank => "log-rank",
            RankWeight::GehanWilcoxon => "gehan-wilcoxon",
            RankWeight::FlemingHarrington { .. } => "fleming-harrington",
        }
    }

    fn at(self, at_risk: f64, survival_before: f64) -> f64 {
        match self {
            RankWeight::LogRank => 1.0,
            RankWeight::GehanWilcoxon => at_risk,
            RankWeight::FlemingHarrington { rho, gamma } => {
                survival_before.powf(rho) * (1.0 - survival_before).powf(gamma)
            }
        }
    }
}

/// A rank test of k groups, two-sided.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankTest {
    /// The statistic is chi-square; both it and the p-value are `None` where the data cannot tell
    /// groups apart: no event, or never two groups at risk at one.
    #[serde(flatten)]
    pub result: TestResult,
    /// Of the chi-square law: groups that were ever at risk at an event, less one.
    pub degrees_of_freedom: Option<u32>,
    /// Fleming-Harrington's exponent of S.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rho: Option<f64>,
    /// Fleming-Harrington's exponent of 1 − S.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gamma: Option<f64>,
    /// The weighted events of each group, in the order given.
    pub observed: Vec<f64>,
    /// The weighted events of each group to be expected if all had one curve.
    pub expected: Vec<f64>,
    /// The variance of the first group's observed less expected, for sums over strata.
    #[serde(skip)]
    pub variance: f64,
}

/// The largest exponent of Fleming and Harrington's weight. In use are 0 to 2; far above, a weight is 0
/// to rounding at all events but the outermost, and from some hundred on at all of them.
pub const STEEPEST: f64 = 20.0;

/// Tests that all groups have one survival curve: one walk over the times for all `weights`.
///
/// At each event time, the group's events given all margins are hypergeometric; the statistic is
/// U′V⁻U of the weighted sums of observed less expected. Assumes independent trials and censoring
/// that is independent of the event within each group. The chi-square law is an approximation:
/// with few events a group, take the p-value as rough.
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two groups or an empty one; [`StatError::Domain`] for a
/// rho or gamma that is not from 0 to [`STEEPEST`].
///
/// ```
/// use stallscope_stats::survival::{FollowUp, RankWeight, rank_tests};
/// let of = |times: [f64; 5]| times.map(|time| FollowUp::seen(time).unwrap());
/// let (quick, slow) = (of([1.0, 2.0, 3.0, 4.0, 5.0]), of([10.0, 20.0, 30.0, 40.0, 50.0]));
/// let tests = rank_tests(&[&quick, &slow], &[RankWeight::LogRank])?;
/// assert!(tests[0].result.p_value.unwrap() < 0.01);
/// # Ok::<(), stallscope_stats::StatError>(())
/// ```
pub fn rank_tests(
    groups: &[&[FollowUp]],
    weights: &[RankWeight],
) -> Result<Vec<RankTest>, StatError> {
    if groups.len() < 2 {
        return Err(StatError::too_few("a rank test", "at least two groups", groups.len()));
    }
    if let Some(empty) = groups.iter().position(|group| group.is_empty()) {
        return Err(StatError::too_few(
            "a rank test",
            "at least one trial a group",
            format!("none in group {}", empty + 1),
        ));
    }
    let curves =
        groups.iter().map(|group| KaplanMeier::fit(group)).collect::<Result<Vec<_>, _>>()?;
    rank_tests_of_curves(&curves.iter().collect::<Vec<_>>(), weights)
}

/// [`rank_tests`] of groups, two or more, whose curves are there already: nothing is sorted again.
///
/// # Errors
///
/// [`StatError::TooFew`] with fewer than two curves; [`StatError::Domain`] for an exponent of
/// Fleming and Harrington's that is not from 0 to [`STEEPEST`].
pub fn rank_tests_of_curves(
    curves: &[&KaplanMeier],
    weights: &[RankWeight],
) -> Result<Vec<RankTest>, StatError> {
    if curves.len() < 2 {
        return Err(StatError::too_few("a rank test", "at least two groups", curves.len()));
    }
    for weight in weights {
        if let RankWeight::FlemingHarrington { rho, gamma } = *weight {
            for (what, value) in [("rho", rho), ("gamma", gamma)] {
                if !(0.0..=STEEPEST).contains(&value) {
                    return Err(StatError::domain(
                        format!("Fleming and Harrington's exponent {what}"),
                        value,
                        format!("a number from 0 to {STEEPEST}"),
                    ));
                }
            }
        }
    }
    let groups: Vec<&[Step]> = curves.iter().map(|curve| curve.steps()).collect();
    let spans = spans(&groups, STEPS_A_SPAN);
    // The weights of a span need the curve of all groups at its start: the spans before it.
    let all_lasted = |span: &Range<f64>| {
        let mut survival = 1.0;
        walk(&groups, span.clone(), |at_risk, events| {
            survival *= lasted(at_risk.iter().sum(), events.iter().sum());
        });
        survival
    };
    let weighted = weights.iter().any(|w| matches!(w, RankWeight::FlemingHarrington { .. }));
    let survival_at_starts: Vec<f64> = if weighted {
        let factors: Vec<f64> = spans.par_iter().map(all_lasted).collect();
        let before = |survival: &mut f64, factor: f64| {
            let start = *survival;
            *survival *= factor;
            Some(start)
        };
        factors.into_iter().scan(1.0, before).collect()
    } else {
        vec![1.0; spans.len()]
    };
    let parts: Vec<Part> = spans
        .into_par_iter()
        .zip(survival_at_starts)
        .map(|(span, survival)| Part::of(&groups, weights, span, survival))
        .collect();
    let mut whole = Part::new(groups.len(), weights.len());
    for part in parts {
        whole.add(part);
    }
    let tests = weights.iter().zip(whole.sums);
    Ok(tests.map(|(weight, sum)| sum.into_test(*weight, &whole.compared)).collect())
}

/// The share of those at risk that do not have the event.
fn lasted(at_risk: f64, events: f64) -> f64 {
    (at_risk - events) / at_risk
}

/// What a span of time adds to the tests.
struct Part {
    /// A test each.
    sums: Vec<Sums>,
    /// Groups ever at risk together with another at an event: the others cannot be compared.
    compared: Vec<bool>,
}

impl Part {
    fn new(groups: usize, tests: usize) -> Self {
        Part {
            sums: (0..tests).map(|_| Sums::new(groups)).collect(),
            compared: vec![false; groups],
        }
    }

    /// `survival` is that of all groups together at the span's start.
    fn of(groups: &[&[Step]], weights: &[RankWeight], span: Range<f64>, mut survival: f64) -> Self {
        let mut part = Part::new(groups.len(), weights.len());
        walk(groups, span, |at_risk, events| {
            let total_at_risk: f64 = at_risk.iter().sum();
            let total_events: f64 = events.iter().sum();
            if at_risk.iter().filter(|&&n| n > 0.0).count() > 1 {
                for (seen, n) in part.compared.iter_mut().zip(at_risk) {
                    *seen |= *n > 0.0;
                }
            }
            for (weight, sum) in weights.iter().zip(&mut part.sums) {
                let w = weight.at(total_at_risk, survival);
                sum.add(w, events, total_events, at_risk, total_at_risk);
            }
            survival *= lasted(total_at_risk, total_events);
        });
        part
    }

    fn add(&mut self, other: Part) {
        for (sum, other) in self.sums.iter_mut().zip(other.sums) {
            sum.merge(&other);
        }
        for (seen, other) in self.compared.iter_mut().zip(other.compared) {
            *seen |= other;
        }
    }
}

/// The sums of one test over the event times.
struct Sums {
    observed: Vec<f64>,
    expected: Vec<f64>,
    /// k × k, row by row.
    variance: Vec<f64>,
}

impl Sums {
    fn new(k: usize) -> Self {
        Sums { observed: vec![0.0; k], expected: vec![0.0; k], variance: vec![0.0; k * k] }
    }

    fn add(&mut self, w: f64, events: &[f64], d: f64, at_risk: &[f64], n: f64) {
        let k = at_risk.len();
        let share_sum = w * d / n;
        // With all at risk having the event there is nothing random left; so with n = 1.
        let spread = if n > 1.0 { w * share_sum * (n - d) / (n - 1.0) } else { 0.0 };
        let spread_each = spread / n;
        let groups = events.iter().zip(at_risk).enumerate();
        let sums = self.observed.iter_mut().zip(&mut self.expected);
        for (((i, (events, own)), (observed, expected)), row) in
            groups.zip(sums).zip(self.variance.chunks_exact_mut(k))
        {
            *observed += w * events;
            *expected += share_sum * own;
            for (cell, other) in row.iter_mut().zip(at_risk) {
                *cell -= spread_each * own * other;
            }
            row[i] += spread * own;
        }
    }

    fn merge(&mut self, other: &Sums) {
        let sums = [
            (&mut self.observed, &other.observed),
            (&mut self.expected, &other.expected),
            (&mut self.variance, &other.variance),
        ];
        for (own, other) in sums {
            for (own, other) in own.iter_mut().zip(other) {
                *own += other;
            }
        }
    }

    fn into_test(self, weight: RankWeight, compared: &[bool]) -> RankTest {
        let k = compared.len();
        let (rho, gamma) = match weight {
            RankWeight::FlemingHarrington { rho, gamma } => (Some(rho), Some(gamma)),
            _ => (None, None),
        };
        // The rows sum to 0: the last group compared is left out.
        let kept: Vec<usize> = (0..k).filter(|&g| compared[g]).collect();
        let kept = kept.split_last().map_or(&[][..], |(_, rest)| rest);
        let difference: Vec<f64> =
            kept.iter().map(|&g| self.observed[g] - self.expected[g]).collect();
        let variance: Vec<Vec<f64>> = kept
            .iter()
            .map(|&i| kept.iter().map(|&j| self.variance[i * k + j]).collect())
            .collect();
        let chi_square = quadratic_form(variance, difference);
        let degrees_of_freedom = chi_square.map(|_| kept.len() as u32);
        RankTest {
            result: TestResult {
                method: weight.name(),
                alternative: Alternative::TwoSided,
                statistic: chi_square,
                p_value: chi_square.and_then(|statistic| {
                    ChiSquared::new(kept.len() as f64).ok().map(|law| law.sf(statistic))
                }),
            },
            degrees_of_freedom,
            rho,
            gamma,
            observed: self.observed,
            expected: self.expected,
            variance: self.variance.first().copied().unwrap_or(0.0),
        }
    }
}

/// u′V⁻¹u by Cholesky; `None` where V is empty or not positive definite.
fn quadratic_form(mut v: Vec<Vec<f64>>, mut u: Vec<f64>) -> Option<f64> {
    let m = u.len();
    if m == 0 {
        return None;
    }
    let mut sum = 0.0;
    for j in 0..m {
        let own = v[j][j];
        let pivot = own - (0..j).map(|l| v[j][l] * v[j][l]).sum::<f64>();
        if pivot.is_nan() || pivot <= 1e-12 * own {
            return None;
        }
        let root = pivot.sqrt();
        for i in j + 1..m {
            let below = v[i][j] - (0..j).map(|l| v[i][l] * v[j][l]).sum::<f64>();
            v[i][j] = below / root;
        }
        u[j] = (u[j] - (0..j).map(|l| v[j][l] * u[l]).sum::<f64>()) / root;
        v[j][j] = root;
        sum += u[j] * u[j];
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trials(times: &[(f64, bool)]) -> Vec<FollowUp> {
        times.iter().map(|&(time, event)| FollowUp::new(time, event).unwrap()).collect()
    }

    fn all(groups: &[Vec<FollowUp>]) -> Vec<RankTest> {
        let groups: Vec<&[FollowUp]> = groups.iter().map(Vec::as_slice).collect();
        rank_tests(&groups, &RankWeight::SHOWN).unwrap()
    }

    #[test]
    fn two_trials_by_hand() {
        // At 1, one of two at risk: expected 1/2, variance 1/4. At 2 nothing is random.
        let tests = all(&[trials(&[(1.0, true)]), trials(&[(2.0, true)])]);
        assert_eq!(tests[0].result.statistic, Some(1.0));
        assert_eq!(tests[0].observed, [1.0, 1.0]);
        assert_eq!(tests[0].expected, [0.5, 1.5]);
        assert_eq!(tests[0].degrees_of_freedom, Some(1));
    }

    #[test]
    fn no_event_is_no_test() {
        let none = trials(&[(1.0, false), (2.0, false)]);
        for test in all(&[none.clone(), none]) {
            assert_eq!((test.result.statistic, test.result.p_value), (None, None));
            assert_eq!(test.degrees_of_freedom, None);
        }
    }

    #[test]
    fn groups_that_were_never_at_risk_together_are_not_compared() {
        let early = trials(&[(1.0, false), (2.0, false)]);
        let late = trials(&[(3.0, true), (4.0, true)]);
        for test in all(&[early, late]) {
            assert_eq!(test.result.p_value, None);
        }
    }

    #[test]
    fn a_third_group_without_a_say_costs_no_degree_of_freedom() {
        let a = trials(&[(2.0, true), (4.0, true), (6.0, false)]);
        let b = trials(&[(3.0, true), (5.0, true), (7.0, true)]);
        let gone = trials(&[(1.0, false)]);
        let two = all(&[a.clone(), b.clone()]);
        let three = all(&[a, b, gone]);
        for (two, three) in two.iter().zip(&three) {
            assert_eq!(three.degrees_of_freedom, Some(1));
            let (x, y) = (two.result.statistic.unwrap(), three.result.statistic.unwrap());
            assert!((x - y).abs() < 1e-12);
        }
    }

    #[test]
    fn all_events_at_one_time_tell_nothing() {
        let tied = trials(&[(1.0, true), (1.0, true)]);
        assert_eq!(all(&[tied.clone(), tied])[0].result.p_value, None);
    }

    #[test]
    fn one_group_or_an_empty_one_is_refused() {
        let one = trials(&[(1.0, true)]);
        assert!(rank_tests(&[&one], &RankWeight::SHOWN).is_err());
        assert!(rank_tests(&[&one, &[]], &RankWeight::SHOWN).is_err());
        let bad = RankWeight::FlemingHarrington { rho: -1.0, gamma: 0.0 };
        assert!(rank_tests(&[&one, &one], &[bad]).is_err());
    }
}
