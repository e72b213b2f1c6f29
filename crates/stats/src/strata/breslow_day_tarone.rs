//! Breslow and Day's test of one odds ratio in all strata, with Tarone's correction.

use statrs::function::gamma::gamma_ur;

use super::super::{Alternative, TestResult};
use super::{Stratum, mantel_haenszel_odds_ratio};

/// Do the strata share an odds ratio? Counts against what the Mantel-Haenszel odds ratio leads to
/// expect given each stratum's margins, in χ² units, less Tarone's correction for that estimate not
/// being efficient; against χ² with one degree of freedom less than there are informative strata
/// (those with trials on both sides, events and non-events). A large-sample test, of little power
/// in sparse strata: that it does not reject is not homogeneity.
///
/// `None` with fewer than two informative strata, or where the common odds ratio is 0, infinite or
/// unknown.
///
/// Source: N. E. Breslow and N. E. Day (1980), section 4.4; R. E. Tarone (1985).
pub fn test(strata: &[Stratum]) -> TestResult {
    let nothing = TestResult {
        method: "breslow-day-tarone",
        alternative: Alternative::TwoSided,
        statistic: None,
        p_value: None,
    };
    let Some(odds) = mantel_haenszel_odds_ratio::estimate(strata).filter(|&odds| odds > 0.0) else {
        return nothing;
    };
    let (mut x2, mut excess, mut spread, mut informative) = (0.0, 0.0, 0.0, 0u32);
    for c in strata.iter().filter_map(Stratum::cells) {
        let (n, k) = (c.trials(), c.events());
        if k <= 0.0 || k >= n {
            continue;
        }
        // The expected cell solves (1 − ψ) a² + b a − ψ n1 k = 0, in the form without cancellation.
        let b = c.n2 - k + odds * (c.n1 + k);
        let product = odds * c.n1 * k;
        let a = 2.0 * product / (b + (b * b + 4.0 * (1.0 - odds) * product).max(0.0).sqrt());
        let cells = [a, c.n1 - a, k - a, c.n2 - k + a];
        let variance = 1.0 / cells.iter().map(|cell| 1.0 / cell).sum::<f64>();
        x2 += (c.y1 - a).powi(2) / variance;
        excess += c.y1 - a;
        spread += variance;
        informative += 1;
    }
    if informative < 2 {
        return nothing;
    }
    let statistic = (x2 - excess * excess / spread).max(0.0);
    if !statistic.is_finite() {
        return nothing;
    }
    let freedom = f64::from(informative - 1);
    let p = if statistic == 0.0 { 1.0 } else { gamma_ur(0.5 * freedom, 0.5 * statistic) };
    TestResult { statistic: Some(statistic), p_value: Some(p), ..nothing }
}
