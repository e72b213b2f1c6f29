//! Functional checks that were repeated.

use std::collections::HashMap;

use model::rows::CheckRow;

/// Puts the counts of checks of one name together; the order is that of the first of each.
pub fn together(checks: impl IntoIterator<Item = CheckRow>) -> Vec<CheckRow> {
    let mut at: HashMap<String, usize> = HashMap::new();
    let mut all: Vec<CheckRow> = Vec::new();
    for check in checks {
        let place = *at.entry(check.check.clone()).or_insert(all.len());
        match all.get_mut(place) {
            Some(known) => {
                known.passed = known.passed.saturating_add(check.passed);
                known.failed = known.failed.saturating_add(check.failed);
            }
            None => all.push(check),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_of_a_check_are_one_row() {
        let check = |name: &str, passed, failed| CheckRow { check: name.into(), passed, failed };
        let all = together([check("b", 1, 0), check("a", 0, 1), check("b", u64::MAX, 1)]);
        assert_eq!(all, [check("b", u64::MAX, 1), check("a", 0, 1)]);
    }
}
