//! The exact conditional test across strata.

use super::super::hypergeometric::Hypergeometric;
use super::super::{Alternative, TestResult};
use super::Stratum;

/// The most multiplications spent on the distribution of the sum.
pub const MOST_WORK: f64 = 1e9;

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
        p_value: p_value(strata).ok(),
    }
}

/// Why there is no p-value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unanswered {
    /// The margins of every stratum allow one table only: events or non-events are missing in each, or
    /// a side has no trials.
    NothingVaries,
    /// The convolution would take more than [`MOST_WORK`] multiplications.
    TooLarge,
}

/// Why [`test`] has no p-value; `None` where it has one.
pub fn unanswered(strata: &[Stratum]) -> Option<Unanswered> {
    let given = varying(strata);
    if given.is_empty() {
        Some(Unanswered::NothingVaries)
    } else {
        (work(&given) > MOST_WORK).then_some(Unanswered::TooLarge)
    }
}

/// Each stratum whose margins allow several tables, with the count seen.
fn varying(strata: &[Stratum]) -> Vec<(Hypergeometric, u64)> {
    strata
        .iter()
        .filter(|s| s.cells().is_some())
        .map(|s| (Hypergeometric::new(s.base[1], s.test[1], s.base[0] + s.test[0]), s.test[0]))
        .filter(|(h, _)| h.greatest() > h.least())
        .collect()
}

/// The multiplications that the convolution takes.
fn work(given: &[(Hypergeometric, u64)]) -> f64 {
    let spans = given.iter().map(|(h, _)| (h.greatest() - h.least()) as f64 + 1.0);
    let mut width = 1.0;
    spans
        .map(|span| {
            let products = width * span;
            width += span;
            products
        })
        .sum()
}

fn p_value(strata: &[Stratum]) -> Result<f64, Unanswered> {
    if let Some(why) = unanswered(strata) {
        return Err(why);
    }
    let given = varying(strata);
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
    let limit = sum.get(at).copied().unwrap_or(1.0) * (1.0 + 1e-7);
    let mut small: Vec<f64> = sum.into_iter().filter(|&mass| mass <= limit).collect();
    small.sort_by(f64::total_cmp);
    Ok(small.iter().sum::<f64>().min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_there_is_no_p_value() {
        let of = |counts: &[[u64; 4]]| -> Vec<Stratum> {
            counts.iter().map(|&[a, b, c, d]| Stratum::new("s", a, b, c, d).unwrap()).collect()
        };
        for nothing in [vec![[0, 8, 0, 8]], vec![[8, 8, 8, 8], [0, 3, 0, 4]], vec![[1, 2, 0, 0]]] {
            assert_eq!(unanswered(&of(&nothing)), Some(Unanswered::NothingVaries), "{nothing:?}");
            assert_eq!(test(&of(&nothing)).p_value, None);
        }
        let large = [100_000, 200_000, 90_000, 200_000];
        assert_eq!(unanswered(&of(&[large, large])), Some(Unanswered::TooLarge));
        assert_eq!(unanswered(&of(&[[4, 24, 0, 24]])), None);
        assert!(test(&of(&[[4, 24, 0, 24]])).p_value.is_some());
    }
}
