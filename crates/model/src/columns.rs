//! The columns of each file, in their order.

use crate::column::{Column, names};
pub use crate::rows::{CHECKS, EVENTS, METRICS, NOTES, PIVOTS, PLAN, TIMELINE, TRIALS};

/// How many of the first columns of `plan.csv` are numbers that place a trial; the others are
/// [`FACTORS`].
pub const PLACE: usize = 4;

/// The columns that name what was varied, in `plan.csv` and `analysis/cells.csv`.
pub const FACTORS: [&str; PLAN.len() - PLACE] = {
    let mut factors = [""; PLAN.len() - PLACE];
    let mut at = 0;
    while at < factors.len() {
        factors[at] = names(&PLAN)[PLACE + at];
        at += 1;
    }
    factors
};

/// A file of rows of trials that a run may do without.
#[derive(Debug, Clone, Copy)]
pub struct Beside {
    /// Its name in the run's folder.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [Column],
    /// What its rows are, in the plural.
    pub rows: &'static str,
}

/// When the hits of trials began.
pub const EVENTS_FILE: &str = "events.csv";

/// The samples of trials.
pub const TIMELINE_FILE: Beside =
    Beside { name: "timeline.csv", columns: &TIMELINE, rows: "samples" };

/// The files of rows that stand beside `trials.csv` and `timeline.csv`.
pub const BESIDE_TIMELINE: [Beside; 3] = [
    Beside { name: "metrics.csv", columns: &METRICS, rows: "metrics" },
    Beside { name: "pivots.csv", columns: &PIVOTS, rows: "calls" },
    Beside { name: EVENTS_FILE, columns: &EVENTS, rows: "events" },
];

/// One list after the other. A length that is not theirs together does not compile.
pub const fn concatenated<const N: usize>(lists: &[&[&'static str]]) -> [&'static str; N] {
    let mut all = [""; N];
    let (mut at, mut list) = (0, 0);
    while list < lists.len() {
        let mut name = 0;
        while name < lists[list].len() {
            all[at] = lists[list][name];
            at += 1;
            name += 1;
        }
        list += 1;
    }
    assert!(at == N, "the lists have another length together");
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factor::COMMON;
    use crate::workload::WITH_COLUMN;

    #[test]
    fn every_factor_with_a_column_of_its_own_is_in_the_plan_and_every_trial_repeats_the_plan() {
        let factors = [&COMMON[..], &WITH_COLUMN, &["kernel", "labels"]].concat();
        assert_eq!(FACTORS[..], factors);
        let repeated: Vec<_> = TRIALS.iter().filter(|column| PLAN.contains(column)).collect();
        assert_eq!(repeated, PLAN.iter().collect::<Vec<_>>());
    }
}
