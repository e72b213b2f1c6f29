//! Cost: throughput where nothing stalls.

use analysis::compare::cost::{CostFinding, CostOf, NotQuoted};
use analysis::compare::{Comparison, Which};
use stats::Estimate;
use stats::words::{counted, list, p_is, percent, times};

use super::listed;
use crate::say::word::{HAD, HAD_NONE, HAS, PLURAL};

/// In a line.
pub fn line(comparison: &Comparison) -> String {
    let cost = &comparison.cost;
    let margin = percent(cost.margin);
    let shown = |of: &CostOf| {
        let mean = of.mean?;
        ratio(Estimate { estimate: mean.estimate, low: mean.low, high: mean.high })
    };
    let (said, of) = match (&cost.not_quoted, shown(&cost.control), shown(&cost.unstalled)) {
        (Some(why), ..) => return format!("Cost: {}.", why_not(comparison, why)),
        (None, Some(ratio), _) => (ratio, "in the controls".to_string()),
        (None, None, Some(ratio)) => (ratio, format!("in trials that {HAD_NONE}")),
        (None, None, None) => return "Cost: no throughput could be compared.".to_string(),
    };
    let loss = match cost.shows_a_loss() {
        true => format!("a loss of more than {margin} is shown"),
        false
            if cost.control.finding.or(cost.unstalled.finding)
                == Some(CostFinding::NonInferior) =>
        {
            format!("a mean loss of more than {margin} is excluded")
        }
        false => format!("a loss of more than {margin} is not excluded"),
    };
    format!("Cost: {said} of the base's throughput {of}; {loss}.")
}

fn why_not(comparison: &Comparison, why: &NotQuoted) -> String {
    let name = |which: &Which| format!("`{}`", comparison.side(*which).name);
    let why = match why {
        NotQuoted::Emulated => {
            "the trials ran in guests, where throughput is the emulator's".to_string()
        }
        NotQuoted::NotRecorded { sides } => {
            let names: Vec<String> = sides.iter().map(name).collect();
            format!("no throughput of {} was recorded in a common stratum", list(&names))
        }
        NotQuoted::NoneUnstalled { sides } => {
            let all = sides.iter().map(|(which, trials)| match trials {
                1 => format!("the one trial of {} that has a throughput", name(which)),
                n => format!("each of the {n} trials of {} that have a throughput", name(which)),
            });
            format!(
                "{} {HAD} or could not be judged, and cost is measured where nothing {HAS}",
                list(&all.collect::<Vec<String>>())
            )
        }
        NotQuoted::NoCommonStratum => {
            "no stratum has a throughput of unstalled trials on both sides".to_string()
        }
    };
    format!("not quoted, as {why}")
}

/// In sentences, the worst first.
pub fn say(comparison: &Comparison) -> String {
    let cost = &comparison.cost;
    if let Some(why) = &cost.not_quoted {
        return format!("Cost: {}.", why_not(comparison, why));
    }
    let mut said = sentences(&cost.control, cost.margin, "in the control cells");
    said.extend(sentences(&cost.unstalled, cost.margin, &format!("in trials that {HAD_NONE}")));
    said.sort_by_key(|sentence| !sentence.starts_with("A loss"));
    if said.is_empty() {
        return "Cost: no throughput could be compared.".to_string();
    }
    if cost.shows_a_loss() {
        said.push(format!(
            "The verdict is of {PLURAL} alone; `--gate` does not pass with such a loss."
        ));
    }
    let text = said.join(" ");
    match text.strip_prefix("A loss") {
        Some(rest) => format!("Cost: a loss{rest}"),
        None => format!("Cost: {text}"),
    }
}

/// `0.604 (0.588 to 0.618)`.
fn ratio(of: Estimate) -> Option<String> {
    let estimate = times(of.estimate?);
    Some(match (of.low, of.high) {
        (Some(low), Some(high)) => format!("{estimate} ({} to {})", times(low), times(high)),
        _ => estimate,
    })
}

/// What is said of them: the strata that lose, the mean, and what is not in it.
fn sentences(cost: &CostOf, margin: f64, what: &str) -> Vec<String> {
    let mut said = Vec::new();
    let tolerated = percent(margin);
    if !cost.losses.is_empty() {
        let names = cost.losses.iter().filter_map(|loss| {
            let by = match loss.p_value {
                Some(p) => format!(
                    " (too few values for an interval; Mann and Whitney's exact test of a loss of \
                     at most {tolerated}, {})",
                    p_is(p)
                ),
                None => String::new(),
            };
            Some(format!("{} of the base's at {}{by}", ratio(loss.ratio)?, loss.name))
        });
        said.push(format!(
            "A loss of more than {tolerated} is shown {what}: the throughput is {}.",
            listed(&names.collect::<Vec<String>>())
        ));
    }
    let all = cost.strata.len() as u64;
    if all == 1 && !cost.losses.is_empty() {
        // The mean of one stratum is that stratum.
        return said;
    }
    if let Some((mean, shown)) = cost.mean.and_then(|mean| {
        let of = Estimate { estimate: mean.estimate, low: mean.low, high: mean.high };
        Some((mean, ratio(of)?))
    }) {
        let over = match (mean.strata, all) {
            (1, 1) => String::new(),
            (1, _) => {
                let one = cost.strata.iter().find(|one| one.in_mean);
                format!(" at {}", one.map_or("one stratum", |one| one.name.as_str()))
            }
            (some, all) if some == all => format!(", the mean of {some} strata"),
            (some, all) => format!(", the mean of {some} of {all} strata"),
        };
        let finding = match cost.finding {
            Some(CostFinding::NonInferior) if mean.strata == 1 && all == 1 => {
                format!("a loss of more than {tolerated} is excluded")
            }
            Some(CostFinding::NonInferior) if mean.strata == 1 => {
                format!("there, a loss of more than {tolerated} is excluded")
            }
            Some(CostFinding::NonInferior) => {
                format!("a loss of more than {tolerated} of this mean is excluded")
            }
            Some(CostFinding::Inferior) => format!("it loses more than {tolerated}"),
            _ if !mean.is_relied_on() => format!(
                "with {} on a side, no interval is to be relied on",
                counted(mean.fewest, "value", "values")
            ),
            _ => format!("a loss of more than {tolerated} is not excluded"),
        };
        said.push(format!("{shown} of the base's throughput {what}{over}: {finding}."));
    }
    let left_out: Vec<String> = cost
        .strata
        .iter()
        .filter(|one| !one.in_mean)
        .map(|one| {
            let ratio = one.ratio.estimate.map_or_else(|| "no ratio".to_string(), times);
            format!("{} ({ratio} of {} and {} values)", one.name, one.base.n, one.test.n)
        })
        .collect();
    if !left_out.is_empty() && cost.mean.is_some() {
        said.push(format!(
            "Not in it, with fewer than 5 values on a side or no throughput, so that no loss is \
             excluded there: {}.",
            listed(&left_out)
        ));
    }
    said
}
