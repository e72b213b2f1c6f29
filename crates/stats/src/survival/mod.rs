//! Times to an event, some of them cut off before it: how long until a stalled process recovers.
//!
//! A trial that had not recovered when it ended is right-censored; one that is looked at every
//! second is known between two looks. Nothing here drops or imputes either.

#[cfg(test)]
mod fixture;
mod location_scale;
mod risk_sets;
mod smallest_extreme;
mod step;
mod unit;

pub(crate) mod confidence_band;
pub mod exponential;
pub(crate) mod follow_up;
pub mod hazard_homogeneity;
pub mod hazard_ratio;
pub(crate) mod kaplan_meier;
pub(crate) mod log_normal;
pub mod notes;
pub mod quantile;
pub(crate) mod rank_tests;
pub mod restricted_mean;
pub mod shape_test;
pub mod stratified_log_rank;
pub mod summary;
pub mod turnbull;
pub mod weibull;

pub use confidence_band::{Bounds, PointwiseMethod};
pub use exponential::{ExponentialFit, fit_exponential, fit_exponential_interval};
pub use follow_up::{FollowUp, Lifetime};
pub use hazard_homogeneity::{HazardHomogeneity, hazard_homogeneity};
pub use hazard_ratio::{HazardRatio, hazard_ratio, stratified_hazard_ratio};
pub use kaplan_meier::KaplanMeier;
pub use log_normal::{LogNormalFit, fit_log_normal};
pub use quantile::{median, median_by_band, quantile};
pub use rank_tests::{RankTest, RankWeight, rank_tests, rank_tests_of_curves};
pub use restricted_mean::{
    RestrictedMean, RestrictedMeanDifference, restricted_mean, restricted_mean_difference,
};
pub use shape_test::shape_test;
pub use step::Step;
pub use stratified_log_rank::stratified_log_rank;
pub use summary::{Group, SurvivalOptions, SurvivalSummary, summarize};
pub use turnbull::{Mass, Quantile, Turnbull};
pub use weibull::{WeibullFit, fit_weibull};
