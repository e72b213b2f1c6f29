//! Samples of a continuous quantity, such as throughputs: how large, how much larger, how different.

pub mod bootstrap;
pub mod brunner_munzel;
mod comparison;
pub mod dip;
pub mod hodges_lehmann;
pub mod mann_whitney;
pub mod mean_ratio;
pub mod median;
pub mod median_ratio;
pub mod mixture;
pub mod notes;
pub(crate) mod rank_sum;
pub(crate) mod resampled_median;
pub mod split;

pub use bootstrap::{Replicates, Resampling};
pub use comparison::{SampleComparison, compare};
pub use median::SampleMedian;
pub use median_ratio::{FEWEST_BEYOND, MedianRatio};
pub use notes::Note;

use super::StatError;

/// A sample in ascending order. Refuses an empty one, and NaN and infinities, which have no place
/// among measurements: `name` and the position, counted from 1, go into the sentence.
pub fn sorted(name: &str, values: &[f64]) -> Result<Vec<f64>, StatError> {
    if values.is_empty() {
        return Err(StatError::too_few(format!("sample {name}"), "at least one value", "none"));
    }
    if let Some(position) = values.iter().position(|x| !x.is_finite()) {
        return Err(StatError::domain(
            format!("value {} of sample {name}", position + 1),
            values[position],
            "a finite number",
        ));
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    Ok(sorted)
}
