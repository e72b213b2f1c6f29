//! How many trials: before a run, what it can show.
//!
//! | question | file |
//! | --- | --- |
//! | two proportions, to be told apart by a named test | [`two_proportions`] |
//! | one proportion, to a given width | [`interval_width`] |
//! | "0 of n", to mean at most p | [`none_of_n`] |
//! | the same, where trials of one boot are alike | [`clusters`] |
//! | recovery times, to show a hazard ratio | [`hazard_ratio`] |

pub mod clusters;
pub mod hazard_ratio;
pub mod interval_width;
pub mod none_of_n;
pub mod two_proportions;

use super::StatError;

/// A probability in [0, 1], or what is wrong with it.
fn probability(what: &str, p: f64) -> Result<f64, StatError> {
    if (0.0..=1.0).contains(&p) {
        Ok(p)
    } else {
        Err(StatError::domain(what, p, "a number from 0 to 1"))
    }
}

/// A wanted power, strictly between 0 and 1.
fn wanted_power(power: f64) -> Result<f64, StatError> {
    if power > 0.0 && power < 1.0 {
        Ok(power)
    } else {
        Err(StatError::domain("the power", power, "a number above 0 and below 1, such as 0.8"))
    }
}
