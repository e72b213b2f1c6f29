//! What a comparison says: a file a finding, of the name of the finding's file in `analysis::compare`.

pub mod again;
pub mod checks;
pub mod cost;
mod disturbance;
mod efficacy;
pub mod error;
pub mod harm;
mod outlook;
pub mod recovery;
pub mod sensitivity;
mod strata;
pub mod trust;
mod units;
mod unlike;
pub mod verdict;
mod what_would_decide;

use analysis::compare::Comparison;
use stats::Estimate;
use stats::words::{list, percent};

/// The answer, in at most three sentences: what was found, what it means, what to do next.
pub fn answer(comparison: &Comparison) -> Vec<String> {
    let mut said = vec![verdict::found(comparison)];
    said.extend(verdict::meaning(comparison));
    said.extend(match comparison.trust.can_be_trusted {
        true => what_would_decide::next(comparison),
        false => Some("This comparison can't be trusted as it stands: see Trust.".to_string()),
    });
    said
}

/// What else is to be known, a paragraph each, the most important first.
pub fn details(comparison: &Comparison) -> Vec<String> {
    let mut said = trust::because(comparison);
    said.extend(outlook::say(comparison));
    said.extend(verdict::new_stalls(comparison));
    if !comparison.trust.can_be_trusted {
        said.extend(what_would_decide::next(comparison));
    }
    said.extend(what_would_decide::how(comparison));
    said.extend(comparison.forced.iter().map(unlike::forced));
    said.push(harm::say(&comparison.harm, comparison.level));
    said.push(cost::say(comparison));
    said.extend(recovery::say(comparison));
    said.extend(efficacy::homogeneity(comparison));
    said.extend(sensitivity::say(comparison));
    said.extend(disturbance::say(comparison));
    said.extend(strata::one_sided(comparison));
    said.extend(trust::limits(comparison));
    said
}

/// A line each: harm, cost, recovery and trust.
pub fn lines(comparison: &Comparison) -> Vec<String> {
    let mut said: Vec<String> = outlook::say(comparison).into_iter().collect();
    said.extend([harm::line(comparison), cost::line(comparison)]);
    said.extend(recovery::line(comparison));
    said.push(trust::line(comparison));
    said
}

/// The longest list of names in a sentence.
const MOST_LISTED: usize = 6;

/// Names in a sentence, the first of them where there are many; names with commas, by semicolons.
fn listed(names: &[String]) -> String {
    if names.len() > MOST_LISTED {
        let (shown, more) = names.split_at(MOST_LISTED);
        return format!("{} and {} more", shown.join("; "), more.len());
    }
    match names.iter().any(|name| name.contains(',')) {
        true => names.join("; "),
        false => list(names),
    }
}

/// `31 % (12 % to 80 %)`.
fn shares(of: Estimate) -> Option<String> {
    let signed = |share: f64| match share < 0.0 {
        true => format!("-{}", percent(-share)),
        false => percent(share),
    };
    let value = signed(of.estimate?);
    Some(match (of.low.map(signed), of.high.map(signed)) {
        (Some(low), Some(high)) => format!("{value} ({low} to {high})"),
        (Some(low), None) => format!("{value} (above {low})"),
        (None, Some(high)) => format!("{value} (below {high})"),
        (None, None) => value,
    })
}

#[cfg(test)]
mod tests;
