//! The log-rank test of two sides over strata.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::{FollowUp, RankWeight, rank_tests};
use crate::{Alternative, StatError, TestResult};

/// Is the hazard of both sides the same in every stratum, whatever the strata's own hazards are?
/// (Σ (O − E))² / Σ V over strata, against χ² with one degree of freedom. A stratum is its base and
/// its test side; one with an empty side adds nothing. `None` where no event could tell.
///
/// Source: N. Mantel (1966); R. Peto and others (1977), the stratified form.
///
/// # Errors
///
/// Only what [`rank_tests`] refuses.
pub fn stratified_log_rank(strata: &[(&[FollowUp], &[FollowUp])]) -> Result<TestResult, StatError> {
    let (mut excess, mut variance) = (0.0, 0.0);
    for (base, test) in strata.iter().filter(|(base, test)| !base.is_empty() && !test.is_empty()) {
        for found in rank_tests(&[base, test], &[RankWeight::LogRank])? {
            let seen = found.observed.first().zip(found.expected.first());
            excess += seen.map_or(0.0, |(observed, expected)| observed - expected);
            variance += found.variance;
        }
    }
    let statistic = (variance > 1e-12).then(|| excess * excess / variance);
    let law = ChiSquared::new(1.0).ok();
    Ok(TestResult {
        method: "stratified-log-rank",
        alternative: Alternative::TwoSided,
        statistic,
        p_value: statistic.and_then(|x| Some(law?.sf(x))),
    })
}

#[cfg(test)]
mod tests {
    use super::super::stratified_hazard_ratio;
    use super::*;
    use crate::Level;

    fn times(seen: &[f64], censored: &[f64]) -> Vec<FollowUp> {
        let seen = seen.iter().map(|t| FollowUp::seen(*t).unwrap());
        seen.chain(censored.iter().map(|t| FollowUp::censored(*t).unwrap())).collect()
    }

    #[test]
    fn one_stratum_is_the_plain_test() {
        let base = times(&[14.0, 33.0, 165.0], &[300.0]);
        let test = times(&[3.0, 5.0, 8.0, 40.0], &[]);
        let plain = rank_tests(&[&base, &test], &[RankWeight::LogRank]).unwrap();
        let found = stratified_log_rank(&[(&base, &test)]).unwrap();
        let (a, b) = (found.statistic.unwrap(), plain[0].result.statistic.unwrap());
        assert!((a - b).abs() < 1e-12);
    }

    /// By hand: in each stratum the times are 1 (test), 2 (base); O − E of base is 0 − 1/2 at 1, then
    /// only base is at risk; V = 1/4. Over two such strata (−1)² / (1/2) = 2.
    #[test]
    fn strata_add_up_and_an_empty_side_adds_nothing() {
        let (base, test) = (times(&[2.0], &[]), times(&[1.0], &[]));
        let two = stratified_log_rank(&[(&base, &test), (&base, &test), (&base, &[])]).unwrap();
        assert!((two.statistic.unwrap() - 2.0).abs() < 1e-12);
        assert!((two.p_value.unwrap() - 0.157299).abs() < 1e-6);
    }

    /// R's survival 3.5-3, `crates/analysis/oracle/survival_strata.R`.
    #[test]
    fn strata_are_those_of_r_s_survival() {
        let a = [
            times(&[14.0, 33.0, 165.0, 169.0, 280.0, 300.0], &[300.0]),
            times(&[3.0, 5.0, 8.0, 40.0, 90.0], &[120.0]),
        ];
        let b = [times(&[0.5, 1.5, 2.0, 2.0], &[4.0, 4.0]), times(&[0.2, 0.4, 0.4, 1.5], &[4.0])];
        let strata = [(&a[0][..], &a[1][..]), (&b[0][..], &b[1][..])];
        let near = |found: Option<f64>, expected: f64| {
            assert!((found.unwrap() / expected - 1.0).abs() < 1e-9, "{found:?} {expected}");
        };
        let found = stratified_log_rank(&strata).unwrap();
        near(found.statistic, 5.2390569547493);
        near(found.p_value, 0.0220852426814);
        let found = stratified_hazard_ratio(&strata, Level::P95).unwrap();
        near(found.estimate, 3.140648426079);
        near(found.log_se, 0.534881730766);
        near(found.test.statistic, 4.684122559705);
    }

    #[test]
    fn without_an_event_there_is_no_answer() {
        let censored = times(&[], &[1.0, 1.0]);
        assert_eq!(stratified_log_rank(&[(&censored, &censored)]).unwrap().p_value, None);
    }
}
