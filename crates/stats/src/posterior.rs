//! How probable is it that a rate is below a bound, or below another: the posterior.

use rand_distr::{Beta, Binomial, Distribution};
use serde::Serialize;

use super::stream::draws;
use super::{Level, StatError};

/// Draws from the posterior: a probability of 0.95 then has a standard error of 0.0015.
const DRAWS: usize = 20_000;

/// What the posterior says of the test side's rate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Posterior {
    /// The probability that the rate is below the bound: it reaches the level where the exact upper bound
    /// does.
    pub below_bound: f64,
    /// The probability that the rate is below the base side's.
    pub below_base: f64,
    /// How many trials to come were asked about.
    pub next: u64,
    /// Of those, at most so many stall, with the level's probability.
    pub next_at_most: u64,
}

/// The posterior of the mean of the strata's rates under Jeffreys' prior, Beta(½, ½) for each rate, by
/// [`DRAWS`] draws: that the test side's is below the base side's, and how many of the `next` trials, spread
/// evenly over the strata, stall at most. That it is below `bound` is by Beta(k + 1, n − k), whose quantile is
/// Clopper and Pearson's upper bound: Jeffreys' prior would call 0 of 40 below 5 % with 95 % while the exact
/// bound at 95 % is 7.2 %.
///
/// `base` and `test` have [stalls, trials] a stratum, in the same order; they need not be whole, as the
/// shares of clusters are not. Assumes that these are independent.
///
/// Source: H. Jeffreys (1961); A. Gelman et al., *Bayesian data analysis*, chapter 2.
///
/// # Errors
/// [`StatError::TooFew`] without strata; [`StatError::Domain`] for stalls outside 0 to the trials.
pub fn posterior(
    base: &[[f64; 2]],
    test: &[[f64; 2]],
    bound: f64,
    next: u64,
    level: Level,
    seed: u64,
) -> Result<Posterior, StatError> {
    if base.is_empty() || test.is_empty() {
        return Err(StatError::too_few("a posterior", "at least one stratum", "none"));
    }
    let law = |of: &[[f64; 2]], more: [f64; 2]| -> Result<Vec<Beta<f64>>, StatError> {
        let one = |&[k, n]: &[f64; 2]| {
            let is_good = k >= 0.0 && k <= n;
            // A law of all trials stalled has no room for another rate.
            let law = || Beta::new(k + more[0], (n - k + more[1]).max(1e-9)).ok();
            let law = is_good.then(law).flatten();
            law.ok_or_else(|| StatError::domain("the stalls", k, format!("0 to {n}")))
        };
        of.iter().map(one).collect()
    };
    let cautious = law(test, [1.0, 0.0])?;
    let (base, test) = (law(base, [0.5, 0.5])?, law(test, [0.5, 0.5])?);
    let drawn = draws(
        seed,
        DRAWS,
        || (),
        |rng, ()| {
            let mut mean = |of: &[Beta<f64>]| {
                of.iter().map(|law| law.sample(rng)).sum::<f64>() / of.len() as f64
            };
            let (base, test, cautious) = (mean(&base), mean(&test), mean(&cautious));
            let stalls = Binomial::new(next, test.clamp(0.0, 1.0)).map_or(0, |law| law.sample(rng));
            (cautious < bound, test < base, stalls)
        },
    );
    let share = |of: fn(&(bool, bool, u64)) -> bool| {
        drawn.iter().filter(|draw| of(draw)).count() as f64 / DRAWS as f64
    };
    let mut stalls: Vec<u64> = drawn.iter().map(|(.., stalls)| *stalls).collect();
    stalls.sort_unstable();
    let at = (level.get() * DRAWS as f64).ceil() as usize;
    Ok(Posterior {
        below_bound: share(|draw| draw.0),
        below_base: share(|draw| draw.1),
        next,
        next_at_most: stalls.get(at.saturating_sub(1).min(DRAWS - 1)).copied().unwrap_or(next),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_below_the_bound_with_the_level_where_the_exact_bound_is() {
        // At 95 % the exact one-sided bound of 0 of 58 is 5.03 %, and of 0 of 59 it is 4.95 %.
        let below = |n: f64| {
            posterior(&[[5.0, 9.0]], &[[0.0, n]], 0.05, 20, Level::P95, 1).unwrap().below_bound
        };
        assert!((below(58.0) - (1.0 - 0.95f64.powf(58.0))).abs() < 0.005);
        assert!((below(59.0) - (1.0 - 0.95f64.powf(59.0))).abs() < 0.005);
        let all = posterior(&[[5.0, 9.0]], &[[9.0, 9.0]], 0.05, 20, Level::P95, 1).unwrap();
        assert_eq!(all.below_bound, 0.0);
    }

    #[test]
    fn bad_counts_are_refused_and_one_seed_gives_one_answer() {
        assert!(posterior(&[], &[[0.0, 5.0]], 0.05, 20, Level::P95, 1).is_err());
        assert!(posterior(&[[6.0, 5.0]], &[[0.0, 5.0]], 0.05, 20, Level::P95, 1).is_err());
        let of = || posterior(&[[3.5, 5.0]], &[[0.0, 5.0]], 0.05, 20, Level::P95, 7).unwrap();
        assert_eq!(of(), of());
    }
}
