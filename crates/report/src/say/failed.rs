use analysis::finding::failed::{AllFailed, Disturbed, Failed, Splats};

use super::trials;
use crate::say::word::PLURAL;

pub(super) fn all(it: &AllFailed) -> String {
    let all = match it.trials {
        1 => "The only trial".to_string(),
        n => format!("All {n} trials"),
    };
    format!("{all} failed: nothing was measured, so nothing can be said of {PLURAL}.")
}

pub(super) fn some(it: &Failed) -> String {
    let by: Vec<String> =
        it.by_status.iter().map(|(status, count)| format!("{count} {status}")).collect();
    let failed = it.failed;
    let most_frequent = it.most_frequent.as_ref().map_or_else(String::new, |(error, count)| {
        format!(" Most frequent ({count} of {failed}): {error}.")
    });
    format!(
        "{failed} of {} failed ({}) and {} in no count of {PLURAL}.{most_frequent}",
        trials(it.trials),
        by.join(", "),
        if failed == 1 { "is" } else { "are" },
    )
}

pub(super) fn splats(it: &Splats) -> String {
    format!(
        "The kernel complained in {} of the {} whose console was watched: see the column `splats`.",
        it.trials,
        trials(it.watched)
    )
}

pub(super) fn disturbed(it: &Disturbed) -> String {
    match it.disturbances {
        1 => "1 disturbance was recorded during the measurement: the report names it.".to_string(),
        n => {
            format!("{n} disturbances were recorded during the measurement: the report lists them.")
        }
    }
}
