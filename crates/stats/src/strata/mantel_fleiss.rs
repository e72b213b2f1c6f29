//! Mantel and Fleiss' criterion: whether the χ² of a Mantel-Haenszel test is to be trusted.

use super::super::hypergeometric::Hypergeometric;
use super::Stratum;

/// The room that the criterion asks for.
pub const ENOUGH: f64 = 5.0;

/// How far the sum of the expected test-side events is from the least and the greatest that the
/// margins allow, whichever is nearer: min(Σ E − Σ least, Σ greatest − Σ E). Below [`ENOUGH`] the χ²
/// approximation is not to be trusted, and the exact test is to be read.
///
/// Source: N. Mantel and J. L. Fleiss (1980), *Minimum expected cell size requirements for the
/// Mantel-Haenszel one-degree-of-freedom chi-square test and a related rapid procedure*.
pub fn room(strata: &[Stratum]) -> f64 {
    let (mut below, mut above) = (0.0, 0.0);
    for stratum in strata {
        let Some(c) = stratum.cells() else { continue };
        let given = Hypergeometric::new(
            stratum.base[1],
            stratum.test[1],
            stratum.base[0] + stratum.test[0],
        );
        let expected = c.n1 * c.events() / c.trials();
        below += expected - given.least() as f64;
        above += given.greatest() as f64 - expected;
    }
    f64::min(below, above).max(0.0)
}

/// Whether the strata are too sparse for a χ².
pub fn is_sparse(strata: &[Stratum]) -> bool {
    room(strata) < ENOUGH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_of_24_against_none_is_sparse() {
        let sparse = [Stratum::new("192", 4, 24, 0, 24).unwrap()];
        // E = 2, and the margins allow 0 to 4.
        assert!((room(&sparse) - 2.0).abs() < 1e-12);
        assert!(is_sparse(&sparse));
    }

    #[test]
    fn room_adds_up_over_strata_and_an_empty_side_adds_none() {
        let filled = Stratum::new("96", 20, 40, 10, 40).unwrap();
        let empty = Stratum::new("8", 3, 8, 0, 0).unwrap();
        assert!((room(&[filled.clone(), empty]) - 15.0).abs() < 1e-12);
        assert!(!is_sparse(&[filled]));
    }
}
