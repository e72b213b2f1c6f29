use std::collections::BTreeMap;

use analysis::finding::not_observable::{NotObservable, PartlyNotObservable};
use analysis::outcome::Reason;
use stats::words::list;

use super::case;
use crate::say::word::{HAD, PLURAL};

pub(super) fn all(it: &NotObservable) -> String {
    if it.reasons.keys().all(|reason| *reason == Reason::NotReported) {
        let which = if it.trials == 1 { "the trial" } else { "these trials" };
        return format!(
            "The source does not say whether {which} {HAD}: nothing follows about {PLURAL}."
        );
    }
    let names: Vec<String> = it.series.iter().map(|name| format!("`{name}`")).collect();
    let which = match it.trials {
        1 => format!("the only trial of {} has no outcome", list(&names)),
        n => format!("none of the {n} trials of {} has an outcome", list(&names)),
    };
    format!("By the rule `{}`, {which}: {}.", it.rule, reasons(&it.reasons))
}

pub(super) fn partly(it: &PartlyNotObservable) -> String {
    let (have, are) = if it.trials == 1 { ("has", "is") } else { ("have", "are") };
    format!(
        "{} of {} trials of `{}` {have} no outcome and {are} not in its counts: {}.",
        it.trials,
        it.of,
        it.series,
        reasons(&it.reasons)
    )
}

fn reason(reason: &Reason) -> String {
    case::why_no_outcome(*reason).map_or_else(|| reason.to_string(), str::to_string)
}

fn reasons(reasons: &BTreeMap<Reason, u64>) -> String {
    match reasons.len() {
        1 => reasons.keys().map(reason).collect(),
        _ => {
            let each = reasons.iter().map(|(one, n)| format!("{} ({n})", reason(one)));
            list(&each.collect::<Vec<_>>())
        }
    }
}
