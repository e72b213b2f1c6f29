//! The Cochran-Mantel-Haenszel test.

use statrs::function::erf::erfc;

use super::super::{Alternative, TestResult};
use super::Stratum;

/// Is the common odds ratio 1? (Σ (y1 − E))² / Σ Var over strata, given each stratum's margins,
/// against χ² with one degree of freedom.
///
/// No continuity correction (R's `mantelhaen.test(correct = FALSE)`, statsmodels' default): the
/// correction imitates the exact test, and badly with several strata; the exact test itself stands
/// beside it ([`super::exact_strata`]). `None` where no stratum has both events and non-events.
///
/// Source: W. G. Cochran (1954); N. Mantel and W. Haenszel (1959).
pub fn test(strata: &[Stratum]) -> TestResult {
    let (mut excess, mut variance) = (0.0, 0.0);
    for c in strata.iter().filter_map(Stratum::cells) {
        let (n, k) = (c.trials(), c.events());
        excess += (c.y1 * c.n2 - c.y2 * c.n1) / n;
        variance += (c.n1 / n) * (c.n2 / n) * k * ((n - k) / (n - 1.0));
    }
    let statistic = (variance > 0.0).then(|| excess * excess / variance);
    TestResult {
        method: "cmh",
        alternative: Alternative::TwoSided,
        statistic,
        p_value: statistic.map(|x| erfc((0.5 * x).sqrt())),
    }
}
