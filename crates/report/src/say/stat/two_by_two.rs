//! Two proportions.

use stats::two_by_two::{TwoByTwoSummary, unconditional};
use stats::words::percent;
use stats::{Alternative, Level, TestResult};

use super::{number, p_is};

/// The answer: whether the two differ, at this level, and how probable it is that the test side is better.
pub fn headline(found: &TwoByTwoSummary, level: Level) -> String {
    let (base, test) = (&found.effects.base, &found.effects.test);
    let counts = format!(
        "{} of {} on the test side, {} of {} on the base side",
        test.k, test.n, base.k, base.n
    );
    let p = found.fisher().and_then(|test| test.p_value);
    let by = format!(" (Fisher, {})", p_is(p));
    let fewer = test.estimate < base.estimate;
    let answer = match p {
        Some(p) if p <= level.alpha() => {
            let which = if fewer { "lower" } else { "higher" };
            format!("The probability is {which} on the test side: {counts}{by}.")
        }
        _ => {
            format!("No difference is shown: {counts}{by}. This does not prove that there is none.")
        }
    };
    format!(
        "{answer}\nThe test side has it less often with probability {} (posterior, Jeffreys' prior).",
        percent(found.probability_test_is_lower)
    )
}

/// What does not exist and why; and what the numbers cannot carry. In full, also of the numbers that the
/// short text leaves out.
pub fn notes(found: &TwoByTwoSummary, in_full: bool) -> Vec<String> {
    let effects = &found.effects;
    let mut notes: Vec<String> = Vec::new();
    if effects.base.k == 0 {
        notes.push("No events on the base side: a ratio to it does not exist".into());
    }
    if !in_full {
        return notes;
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
