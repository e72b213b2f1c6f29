//! Two proportions.

use stats::two_by_two::{TwoByTwoSummary, unconditional};
use stats::{Alternative, Level, TestResult};

use super::{number, p_is};

/// The two-sided test to quote: Boschloo's, or where it is not enumerated Fisher's mid-P.
pub fn quoted(found: &TwoByTwoSummary) -> Option<&TestResult> {
    let of = |method: &str| {
        let is = |test: &&TestResult| {
            test.method == method
                && test.alternative == Alternative::TwoSided
                && test.p_value.is_some()
        };
        found.tests.iter().find(is)
    };
    of("boschloo").or_else(|| of("fisher-mid-p"))
}

/// The answer in a sentence: whether the two differ, at this level.
pub fn headline(found: &TwoByTwoSummary, level: Level) -> String {
    let (base, test) = (&found.effects.base, &found.effects.test);
    let counts = format!(
        "{} of {} on the test side, {} of {} on the base side",
        test.k, test.n, base.k, base.n
    );
    let quoted = quoted(found);
    let p = p_is(quoted.and_then(|test| test.p_value));
    let by = quoted.map_or(String::new(), |test| format!(" ({}, {p})", test.method));
    let fewer = test.estimate < base.estimate;
    match quoted.and_then(|test| test.p_value) {
        Some(p) if p <= level.alpha() => {
            let which = if fewer { "lower" } else { "higher" };
            format!("The probability is {which} on the test side: {counts}{by}.")
        }
        _ => {
            format!("No difference is shown: {counts}{by}. This does not prove that there is none.")
        }
    }
}

/// What does not exist and why; and what the numbers cannot carry.
pub fn notes(found: &TwoByTwoSummary) -> Vec<String> {
    let effects = &found.effects;
    let mut notes: Vec<String> = Vec::new();
    if effects.base.k == 0 {
        notes.push("No events on the base side: a ratio to it does not exist".into());
    }
    if effects.odds_ratio.estimate.is_none() {
        notes.push(if effects.odds_ratio.intervals.iter().all(|i| i.low == Some(0.0)) {
            "These margins allow one table only: nothing follows about the odds ratio".into()
        } else {
            "The odds ratio is infinite: it has no estimate and no upper bound".into()
        });
    }
    let crosses = |i: usize| {
        let bounds = effects.difference.intervals.get(i).and_then(|v| v.low.zip(v.high));
        bounds.map(|(low, high)| low <= 0.0 && high >= 0.0)
    };
    if crosses(0) != crosses(1) {
        notes.push(
            "One interval of the difference contains 0 and the other does not: these counts are too few \
             to decide it"
                .into(),
        );
    }
    let two_sided = |method: &str| {
        let of =
            |test: &&TestResult| test.method == method && test.alternative == Alternative::TwoSided;
        found.tests.iter().find(of).and_then(|test| test.p_value)
    };
    if let Some((boschloo, fisher)) = two_sided("boschloo").zip(two_sided("fisher"))
        && boschloo > fisher
    {
        notes.push(format!(
            "Two-sided, boschloo is above fisher here ({}): it doubles the smaller one-sided p-value, and \
             fisher adds the tables that are no more likely. Choose the test before the trials",
            number(fisher)
        ));
    }
    let total = effects.base.n + effects.test.n;
    if total > unconditional::MOST_TRIALS {
        notes.push(format!(
            "Boschloo and Barnard are enumerated up to {} trials in all, and here are {total}; with so \
             many, Fisher's mid-P is near both",
            unconditional::MOST_TRIALS
        ));
    }
    let undefined: Vec<&str> = ["fisher-mid-p", "barnard", "boschloo"]
        .into_iter()
        .filter(|method| total <= unconditional::MOST_TRIALS || *method == "fisher-mid-p")
        .filter(|method| two_sided(method).is_none())
        .collect();
    if !undefined.is_empty() {
        notes.push(format!("Not defined on this table: {}", undefined.join(", ")));
    }
    notes
}
