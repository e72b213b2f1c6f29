//! Boots a side, where trials of one boot share what it drew.

use rand::RngExt;
use rand_distr::{Beta, Distribution};
use rayon::prelude::*;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use super::super::clusters::{Cluster, permutation};
use super::super::stream::stream;
use super::super::{Alternative, Level, StatError};
use super::{probability, wanted_power};

/// Fewer a side decide nothing.
const FEWEST: u64 = 5;

/// More than anyone boots.
const MOST: u64 = 100_000;

/// Boots a side, and what they can show.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ClustersNeeded {
    /// Boots a side.
    pub boots_per_side: u64,
    /// Trials of each boot.
    pub trials_each: u64,
    /// Trials a side in all.
    pub n_per_side: u64,
    /// The intraclass correlation that was assumed.
    pub icc: f64,
    /// The power, about.
    pub power: f64,
    /// The level of the test.
    pub level: Level,
    /// The test.
    pub test: &'static str,
}

/// Where chance starts.
const SEED: u64 = 1;

/// Data sets drawn for a power: its standard error is then 0.013 near 0.8.
const DATA_SETS: u64 = 1_000;

/// From so many boots a side on the normal approximation is as good as the drawn power.
const MANY: u64 = 40;

/// The least number of clusters a side, at least 5, with which the two-sided permutation test of whole
/// clusters ([`crate::clusters::permutation`]) has the power to tell the probabilities `base` and `test` apart, where
/// a cluster's probability follows a beta law with the intraclass correlation `icc` (a beta-binomial count of
/// `trials_each` trials).
///
/// The power is simulated with 1,000 data sets a number of clusters, one number after the other from where the
/// approximation Φ(δ / s − t) begins to have it: δ the difference, s² = Σ p (1 − p) (1 + (M − 1) ρ) / (M m) over the sides,
/// t the quantile of Student's distribution with 2m − 2 degrees of freedom. From 40 a side on the approximation is
/// the answer; with few it promises too much, 0.84 in place of 0.71.
///
/// Source: A. Donner and N. Klar (2000), *Design and analysis of cluster randomization trials*, chapter 5.
///
/// # Errors
/// [`StatError::Domain`] for equal or impossible probabilities, no trials, a correlation outside [0, 1), or a
/// power outside (0, 1); and where more than 100,000 clusters would be needed.
pub fn clusters(
    base: f64,
    test: f64,
    trials_each: u64,
    icc: f64,
    level: Level,
    power: f64,
) -> Result<ClustersNeeded, StatError> {
    probability("the base side's probability", base)?;
    probability("the test side's probability", test)?;
    let wanted = wanted_power(power)?;
    if base == test {
        return Err(StatError::domain(
            "the test side's probability",
            test,
            "one that differs from the base's",
        ));
    }
    if trials_each == 0 {
        return Err(StatError::domain("the trials of a boot", trials_each, "at least 1"));
    }
    if !(0.0..1.0).contains(&icc) {
        return Err(StatError::domain("the intraclass correlation", icc, "0 or more, below 1"));
    }
    let each = trials_each as f64;
    let spread = (base * (1.0 - base) + test * (1.0 - test)) * (1.0 + (each - 1.0) * icc) / each;
    let power_of = |m: u64| {
        let t = StudentsT::new(0.0, 1.0, (2 * m - 2) as f64)
            .map_or(f64::INFINITY, |law| -law.inverse_cdf(level.alpha() / 2.0));
        let error = (spread / m as f64).sqrt();
        if error == 0.0 { 1.0 } else { Normal::standard().cdf((base - test).abs() / error - t) }
    };
    if power_of(MOST) < wanted {
        return Err(StatError::domain(
            "the difference of the probabilities",
            (base - test).abs(),
            format!("one that {MOST} boots a side can show"),
        ));
    }
    let (mut too_few, mut enough) = (FEWEST - 1, MOST);
    while enough - too_few > 1 {
        let middle = (too_few + enough) / 2;
        if power_of(middle) >= wanted { enough = middle } else { too_few = middle }
    }
    let mut found = (enough, power_of(enough));
    while found.0 < MANY {
        found.1 = simulated([base, test], found.0, trials_each, icc, level);
        if found.1 >= wanted {
            break;
        }
        found = (found.0 + 1, power_of(found.0 + 1));
    }
    let (boots_per_side, power) = found;
    Ok(ClustersNeeded {
        boots_per_side,
        trials_each,
        n_per_side: boots_per_side.saturating_mul(trials_each),
        icc,
        power,
        level,
        test: "permutation-clusters",
    })
}

/// The share of data sets whose test rejects.
fn simulated(sides: [f64; 2], boots: u64, trials_each: u64, icc: f64, level: Level) -> f64 {
    let shown: u64 = (0..DATA_SETS)
        .into_par_iter()
        .map(|set| {
            let mut rng = stream(SEED, set);
            let mut all = Vec::new();
            for (is_test, p) in [(false, sides[0]), (true, sides[1])] {
                let sum = 1.0 / icc - 1.0;
                // Without a correlation, or a spread, there is no law to draw from.
                let law = Beta::new(p * sum, (1.0 - p) * sum).ok().filter(|_| icc > 0.0);
                for _ in 0..boots {
                    let of_boot = law.map_or(p, |law| law.sample(&mut rng)).clamp(0.0, 1.0);
                    let k = (0..trials_each).filter(|_| rng.random::<f64>() < of_boot).count();
                    all.push(Cluster { is_test, strata: vec![[k as u64, trials_each]] });
                }
            }
            let p = permutation::test(&all, Alternative::TwoSided, set).p_value;
            u64::from(p.is_some_and(|p| p <= level.alpha()))
        })
        .sum();
    shown as f64 / DATA_SETS as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Independent trials, one a boot: Fisher's test is what two_proportions.rs counts, and the
    /// permutation test of single trials is Fisher's but for its ties.
    #[test]
    fn with_one_trial_a_boot_it_is_about_fisher_s() {
        use super::super::two_proportions::{Design, PowerTest, trials};
        let design =
            Design::new(0.9, 0.2, PowerTest::Fisher, Level::P95, Alternative::TwoSided).unwrap();
        let fisher = trials(&design, 0.8).unwrap().n_per_side;
        let boots = clusters(0.9, 0.2, 1, 0.0, Level::P95, 0.8).unwrap().boots_per_side;
        assert!(boots.abs_diff(fisher) <= 3, "{boots} {fisher}");
    }

    #[test]
    fn the_power_is_reached_and_alike_trials_take_more_boots() {
        let of = |icc| clusters(0.5, 0.1, 4, icc, Level::P95, 0.8).unwrap();
        let [independent, alike] = [of(0.0), of(0.5)];
        assert!(independent.power >= 0.8 && alike.power >= 0.8);
        assert!(alike.boots_per_side > independent.boots_per_side, "{independent:?} {alike:?}");
    }

    #[test]
    fn five_boots_are_the_fewest_and_nonsense_is_refused() {
        let of = |base, test, each, icc| clusters(base, test, each, icc, Level::P95, 0.8);
        assert_eq!(of(1.0, 0.0, 1, 0.0).unwrap().boots_per_side, 5);
        assert!(
            of(0.5, 0.1, 4, 0.5).unwrap().boots_per_side
                > of(0.5, 0.1, 4, 0.0).unwrap().boots_per_side
        );
        for bad in [
            of(0.5, 0.5, 4, 0.1),
            of(1.5, 0.1, 4, 0.1),
            of(0.5, 0.1, 0, 0.1),
            of(0.5, 0.1, 4, 1.0),
            of(0.5, 0.499_99, 1, 0.5),
        ] {
            assert!(bad.is_err());
        }
    }
}
