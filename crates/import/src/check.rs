//! Functional checks: `checks.csv`, with the columns `check,passed,failed`.

use std::collections::BTreeMap;

/// The columns of `checks.csv`.
pub const COLUMNS: [&str; 3] = ["check", "passed", "failed"];

/// One check by name, with how often it passed and failed. A check that was skipped, or failed as
/// it was expected to, has neither: it is named, and says nothing of harm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// Times it passed.
    pub passed: u64,
    /// Times it failed.
    pub failed: u64,
}

/// Puts the counts of checks of one name together; the order is that of the first of each.
pub fn together(checks: impl IntoIterator<Item = Check>) -> Vec<Check> {
    let mut at: BTreeMap<String, usize> = BTreeMap::new();
    let mut all: Vec<Check> = Vec::new();
    for check in checks {
        match at.get(&check.name).and_then(|at| all.get_mut(*at)) {
            Some(known) => {
                known.passed = known.passed.saturating_add(check.passed);
                known.failed = known.failed.saturating_add(check.failed);
            }
            None => {
                at.insert(check.name.clone(), all.len());
                all.push(check);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_of_a_check_are_one_row() {
        let check = |name: &str, passed, failed| Check { name: name.into(), passed, failed };
        let all = together([check("b", 1, 0), check("a", 0, 1), check("b", u64::MAX, 1)]);
        assert_eq!(all, [check("b", u64::MAX, 1), check("a", 0, 1)]);
    }
}
