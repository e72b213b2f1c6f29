//! Several p-values.

use stats::Level;
use stats::words::counted;

use super::number;

/// The answer in a sentence: how many p-values are small, raw and adjusted.
pub fn headline(n: usize, [raw, holm, share]: [usize; 3], level: Level) -> String {
    format!(
        "Of {}, at most {}: {raw} raw, {holm} by Holm, {share} by Benjamini and Hochberg.",
        counted(n as u64, "p-value", "p-values"),
        number(level.alpha())
    )
}

/// What is missing, and where there is nothing to adjust for.
pub fn notes(n: usize, without: usize) -> Vec<String> {
    let rows = counted(without as u64, "row", "rows");
    let missing = format!("{rows} without a p-value: not counted among the p-values");
    let single = "a single p-value: there is nothing to adjust for".to_owned();
    let both = [(without > 0).then_some(missing), (n == 1).then_some(single)];
    both.into_iter().flatten().collect()
}
