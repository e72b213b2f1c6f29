use analysis::finding::checks::Checks;
use stats::words::{counted, list};

use super::MOST_LISTED;

pub(super) fn say(it: &Checks) -> String {
    let run = it.run.as_ref().map_or_else(String::new, |run| format!("{run}: "));
    let failed = it.failed.len();
    let ran = it.passed + failed as u64;
    let result = match (ran, failed) {
        (0, _) => "No check ran.".to_string(),
        (1, 0) if it.without_result == 0 => "The only check passed.".to_string(),
        (_, 0) if it.without_result > 0 => {
            format!("{} passed.", counted(ran, "check", "checks"))
        }
        (_, 0) => format!("All {ran} checks passed."),
        _ => {
            let named = it.failed.iter().take(MOST_LISTED).map(|name| format!("`{name}`"));
            let mut names: Vec<String> = named.collect();
            if failed > MOST_LISTED {
                names.push(format!("{} more", failed - MOST_LISTED));
            }
            format!("{failed} of {} failed: {}.", counted(ran, "check", "checks"), list(&names))
        }
    };
    let skipped = match it.skipped {
        0 => String::new(),
        1 => " 1 was skipped and says nothing.".to_string(),
        n => format!(" {n} were skipped and say nothing."),
    };
    let open = match it.without_result {
        0 => String::new(),
        1 => " 1 more has no result and may have failed.".to_string(),
        n => format!(" {n} more have no result and may have failed."),
    };
    format!("{run}{result}{skipped}{open}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_checks_are_named_and_skipped_ones_counted() {
        let failed = vec!["futex: b".to_string(), "futex: c".to_string()];
        assert_eq!(
            say(&Checks { run: None, passed: 1, failed, skipped: 1, without_result: 0 }),
            "2 of 3 checks failed: `futex: b` and `futex: c`. 1 was skipped and says nothing."
        );
    }

    #[test]
    fn not_all_passed_where_some_have_no_result() {
        let of = |without_result| {
            say(&Checks { run: None, passed: 19, failed: vec![], skipped: 0, without_result })
        };
        assert_eq!(of(0), "All 19 checks passed.");
        assert_eq!(of(3), "19 checks passed. 3 more have no result and may have failed.");
    }
}
