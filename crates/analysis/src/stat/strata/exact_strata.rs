//! The exact conditional test across strata.

use super::super::hypergeometric::Hypergeometric;
use super::super::{Alternative, TestResult};
use super::Stratum;

/// The most multiplications spent on the distribution of the sum.
const MOST_WORK: f64 = 1e9;

/// Is the common odds ratio 1, given every stratum's margins? The statistic is the number of events
/// on the test side, in all; under the null hypothesis it is a sum of independent hypergeometric
/// counts, whose distribution is computed by convolution. Two-sided: all sums at most as likely as
/// the one seen, ties within 1e-7 (R's `mantelhaen.test(exact = TRUE)`).
///
/// For sparse strata, where the χ² of [`super::cochran_mantel_haenszel`] is not to be trusted.
/// `None` where no stratum lets the count vary, and where the convolution would take more than a
/// few seconds (about 1e9 products): there strata are large, and CMH serves.
///
/// Source: D. R. Cox (1970), *The analysis of binary data*; C. R. Mehta, N. R. Patel and R. Gray
/// (1985).
pub fn test(strata: &[Stratum]) -> TestResult {
    let seen: u64 = strata
        .iter()
        .filter(|s| s.cells().is_some())
        .map(|s| s.test[0])
        .fold(0, u64::saturating_add);
    TestResult {
        method: "exact-strata",
        alternative: Alternative::TwoSided,
        statistic: Some(seen as f64),
        p_value: p_value(strata),
    }
}

fn p_value(strata: &[Stratum]) -> Option<f64> {
    let given: Vec<(Hypergeometric, u64)> = strata
        .iter()
        .filter(|s| s.cells().is_some())
        .map(|s| (Hypergeometric::new(s.base[1], s.test[1], s.base[0] + s.test[0]), s.test[0]))
        .filter(|(h, _)| h.greatest() > h.least())
        .collect();
    if given.is_empty() {
        return None;
    }
    let spans = given.iter().map(|(h, _)| (h.greatest() - h.least()) as f64 + 1.0);
    let mut width = 1.0;
    let work: f64 = spans
        .map(|span| {
            let products = width * span;
            width += span;
            products
        })
        .sum();
    if work > MOST_WORK {
        return None;
    }
    // sum[i]: probability that the strata so far have i events above their least.
    let mut sum = vec![1.0];
    let mut at: usize = 0;
    for (h, x) in given {
        let masses: Vec<f64> = (h.least()..=h.greatest()).map(|x| h.ln_pmf(x).exp()).collect();
        let mut next = vec![0.0; sum.len() + masses.len() - 1];
        for (i, a) in sum.iter().enumerate() {
            for (cell, mass) in next.iter_mut().skip(i).zip(&masses) {
                *cell += a * mass;
            }
        }
        sum = next;
        at += (x - h.least()) as usize;
    }
    let limit = sum.get(at)? * (1.0 + 1e-7);
    let mut small: Vec<f64> = sum.into_iter().filter(|&mass| mass <= limit).collect();
    small.sort_by(f64::total_cmp);
    Some(small.iter().sum::<f64>().min(1.0))
}
