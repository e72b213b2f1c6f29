//! What the intervals really cover: each one's coverage on a grid of known truths.
//!
//! An interval at level 0.95 promises that, over repeated data, it holds the truth in 95 % of them.
//! Few keep it everywhere. A family here is a file: it lists truths and sizes, makes all possible
//! data with their probabilities ([`enumerate`]) or draws many ([`simulate`]), and counts with
//! [`coverage::Tally`]. [`calibrate`] runs families, [`summarize`] finds each method's least and mean coverage.

mod against;
mod censoring;
pub mod command;
mod coverage;
mod draw;
mod error;
mod figure;
mod hazard_ratios;
mod markdown;
mod mean_ratios;
mod medians;
mod proportions;
mod rates;
mod restricted_means;
mod rows;
mod shifts;
mod strata;
mod survival_curves;
mod thresholds;
mod two_proportions;
mod verdict;

use coverage::{
    Coverage, CoverageSummary, How, Setting, enumerate, searched, simulate, simulate_together,
    summarize,
};

use serde::Deserialize;

use stats::{Level, StatError};

/// The intervals of one subject, calibrated together on the same data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// k of n, by exact enumeration.
    Proportions,
    /// Difference, ratio and odds ratio of two proportions, by exact enumeration.
    TwoProportions,
    /// What strata have in common: odds ratio, difference and ratio.
    Strata,
    /// Survival curves and their quantiles.
    Survival,
    /// Restricted means and their difference.
    RestrictedMeans,
    /// A constant rate.
    Rates,
    /// The hazard ratio, also common to strata.
    HazardRatios,
    /// Thread counts at which a share of the trials stalls, and the curve's coefficients.
    Thresholds,
    /// Medians and their ratio.
    Medians,
    /// The mean ratio of medians over strata.
    MeanRatios,
    /// The Hodges-Lehmann shift.
    Shifts,
}

impl Family {
    /// All of them, in the order of docs/appendix/coverage.md.
    pub const ALL: [Family; 11] = [
        Family::Proportions,
        Family::TwoProportions,
        Family::Strata,
        Family::Survival,
        Family::RestrictedMeans,
        Family::Rates,
        Family::HazardRatios,
        Family::Thresholds,
        Family::Medians,
        Family::MeanRatios,
        Family::Shifts,
    ];

    /// The name on the command line and in the table.
    pub fn name(self) -> &'static str {
        match self {
            Family::Proportions => "proportions",
            Family::TwoProportions => "two-proportions",
            Family::Strata => "strata",
            Family::Survival => "survival",
            Family::RestrictedMeans => "restricted-means",
            Family::Rates => "rates",
            Family::HazardRatios => "hazard-ratios",
            Family::Thresholds => "thresholds",
            Family::Medians => "medians",
            Family::MeanRatios => "mean-ratios",
            Family::Shifts => "shifts",
        }
    }

    /// The family of that name.
    ///
    /// # Errors
    /// An unknown name; the sentence lists the known ones.
    pub fn named(name: &str) -> Result<Self, StatError> {
        Family::ALL.into_iter().find(|family| family.name() == name).ok_or_else(|| {
            let known: Vec<&str> = Family::ALL.iter().map(|family| family.name()).collect();
            StatError::domain("the family of intervals", name, known.join(", "))
        })
    }

    fn coverage(self, effort: &Effort) -> Vec<Coverage> {
        match self {
            Family::Proportions => proportions::coverage(effort),
            Family::TwoProportions => two_proportions::coverage(effort),
            Family::Strata => strata::coverage(effort),
            Family::Survival => survival_curves::coverage(effort),
            Family::RestrictedMeans => restricted_means::coverage(effort),
            Family::Rates => rates::coverage(effort),
            Family::HazardRatios => hazard_ratios::coverage(effort),
            Family::Thresholds => thresholds::coverage(effort),
            Family::Medians => medians::coverage(effort),
            Family::MeanRatios => mean_ratios::coverage(effort),
            Family::Shifts => shifts::coverage(effort),
        }
    }
}

/// How much work is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// The intervals' nominal level.
    pub level: Level,
    /// Simulated data sets a setting. 2,000 give a standard error of 0.5 points at 95 %.
    pub data_sets: usize,
    /// Resamples a bootstrap interval.
    pub resamples: usize,
    /// Where chance starts.
    pub seed: u64,
    /// Whether every setting is visited, or the smaller grid of a first look.
    pub whole_grid: bool,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { level: Level::P95, data_sets: 500, resamples: 1_000, seed: 1, whole_grid: false }
    }
}

/// Runs the families in turn, each on all of rayon's threads.
///
/// # Errors
/// Fewer than 100 data sets or resamples: the result would be mostly Monte Carlo error.
pub fn calibrate(families: &[Family], effort: &Effort) -> Result<Vec<Coverage>, StatError> {
    for (what, count) in [
        ("the number of data sets", effort.data_sets),
        ("the number of resamples", effort.resamples),
    ] {
        if count < 100 {
            return Err(StatError::domain(what, count, "100 or more"));
        }
    }
    Ok(families.iter().flat_map(|family| family.coverage(effort)).collect())
}

/// A share in percent, with its sign; what is less than all is never written as all.
fn percent(share: f64) -> String {
    format!("{} %", stats::words::percent_to(share, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_found_by_name() {
        for family in Family::ALL {
            assert_eq!(Family::named(family.name()), Ok(family));
        }
        assert!(
            Family::named("means")
                .unwrap_err()
                .to_string()
                .contains("proportions, two-proportions")
        );
    }

    #[test]
    fn an_effort_too_small_to_mean_anything_is_refused() {
        let effort = Effort { data_sets: 10, ..Effort::default() };
        assert!(calibrate(&[Family::Medians], &effort).is_err());
    }
}
