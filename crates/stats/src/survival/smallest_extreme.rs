//! The smallest extreme value law, of which the logarithms of exponential and Weibull times are scaled copies.

use super::location_scale::{Derivatives, StandardLaw};

/// log T of a time T that is exponential with rate 1: S(z) = exp(−exp(z)).
pub(super) struct SmallestExtreme;

impl StandardLaw for SmallestExtreme {
    fn log_density(z: f64) -> Derivatives {
        let e = z.exp();
        Derivatives { value: z - e, first: 1.0 - e, second: -e }
    }

    fn log_survival(z: f64) -> Derivatives {
        let e = z.exp();
        Derivatives { value: -e, first: -e, second: -e }
    }

    fn log_between(a: f64, b: f64) -> f64 {
        // S(a) − S(b) = S(a) × (1 − S(b)/S(a)).
        let (a, b) = (a.exp(), b.exp());
        (-(a - b).exp_m1()).ln() - a
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survival::location_scale::tests::check_law;

    #[test]
    fn the_law_agrees_with_its_derivatives() {
        check_law::<SmallestExtreme>(-40..8);
    }
}
