//! Times to an event.

use stats::survival::SurvivalSummary;
use stats::words::{counted, list};

pub use stats::said::survival::note;

use super::{number, p_is};

/// The answer in a sentence or two: each group's median, and whether the groups differ.
pub fn headline(found: &SurvivalSummary) -> String {
    let groups: Vec<String> = found
        .groups
        .iter()
        .map(|group| {
            let name = group.group.as_ref().map_or(String::new(), |name| format!("{name}: "));
            let seen = format!(
                "{name}{}, {} with the event",
                counted(group.n, "trial", "trials"),
                group.events
            );
            match (group.median.estimate, group.median.low, group.median.high) {
                (None, ..) => format!("{seen}, no median"),
                (Some(median), None, None) => format!("{seen}, median {}", number(median)),
                (Some(median), low, high) => {
                    format!(
                        "{seen}, median {} ({} to {})",
                        number(median),
                        number(low),
                        number(high)
                    )
                }
            }
        })
        .collect();
    let test = found.tests.first().map(|test| {
        let named: Vec<String> =
            found.groups.iter().filter_map(|group| group.group.clone()).collect();
        let p = test.result.p_value;
        format!("\nDo {} differ? {}, {}.", list(&named), test.result.method, p_is(p))
    });
    format!("{}.{}", groups.join(".\n"), test.unwrap_or_default())
}
