//! Two proportions in strata.

use stats::Level;
use stats::strata::{StrataSummary, Stratum, exact_strata, mantel_fleiss};
use stats::two_by_two::Contrast;

use super::{number, p_is};

/// The one test: the exact one, that of the verdict; `cmh` where it is too large to enumerate.
pub fn one_test(found: &StrataSummary) -> (&'static str, Option<f64>) {
    let p_of = |method: &str| {
        found.tests.iter().find(|test| test.method == method).and_then(|test| test.p_value)
    };
    match p_of("exact-strata") {
        Some(p) => ("exact-strata", Some(p)),
        None => ("cmh", p_of("cmh")),
    }
}

/// The answer in a sentence: whether the sides differ, by the one test.
pub fn headline(found: &StrataSummary, level: Level) -> String {
    let (method, p) = one_test(found);
    let ratio = number(found.odds_ratio.estimate);
    let homogeneity = found.tests.iter().find(|test| test.method == "breslow-day-tarone");
    let unlike = homogeneity.and_then(|test| test.p_value).filter(|p| *p <= level.alpha());
    match p {
        Some(value) if value <= level.alpha() && unlike.is_some() => format!(
            "The sides differ, and not alike in all strata: read each by itself ({method}, {}).",
            p_is(p)
        ),
        Some(value) if value <= level.alpha() => {
            format!("The sides differ: the common odds ratio is {ratio} ({method}, {}).", p_is(p))
        }
        _ => format!(
            "No difference between the sides is shown: the common odds ratio is {ratio} ({method}, {}). \
             This does not prove that there is none.",
            p_is(p)
        ),
    }
}

/// What does not exist, and why.
pub fn notes(strata: &[Stratum], found: &StrataSummary) -> Vec<String> {
    let mut notes = Vec::new();
    let named = |is: &dyn Fn(u64, u64, u64, u64) -> bool| {
        let found = found.strata.iter().filter(|s| is(s.base.k, s.base.n, s.test.k, s.test.n));
        found.map(|s| s.stratum.as_str()).collect::<Vec<_>>().join(", ")
    };
    for (what, names) in [
        (
            "no trials on the base side, so nothing about the contrast",
            named(&|_, base_n, _, test_n| base_n == 0 && test_n > 0),
        ),
        (
            "no trials on the test side, so nothing about the contrast",
            named(&|_, base_n, _, test_n| base_n > 0 && test_n == 0),
        ),
        ("no trials at all", named(&|_, base_n, _, test_n| base_n == 0 && test_n == 0)),
        (
            "no events on either side, so nothing about the odds ratio and its tests",
            named(&|base_k, base_n, test_k, test_n| {
                base_n > 0 && test_n > 0 && base_k == 0 && test_k == 0
            }),
        ),
        (
            "every trial of both sides has the event, so nothing about the odds ratio and its tests",
            named(&|base_k, base_n, test_k, test_n| {
                base_n > 0 && test_n > 0 && base_k == base_n && test_k == test_n
            }),
        ),
    ] {
        if !names.is_empty() {
            notes.push(format!("{what}: {names}"));
        }
    }
    let no_bounds = |of: &Contrast| of.intervals.iter().all(|interval| interval.low.is_none());
    // Strata with trials on both sides, with events and with non-events: they alone tell of the odds.
    let telling = found.strata.iter().filter(|s| {
        let (k, n) = (s.base.k + s.test.k, s.base.n + s.test.n);
        s.base.n > 0 && s.test.n > 0 && k > 0 && k < n
    });
    let telling = telling.count();
    let exact = exact_strata::unanswered(strata);
    if no_bounds(&found.odds_ratio) {
        let what = match (telling, found.odds_ratio.estimate) {
            (0, _) => {
                "unknown, as no stratum with trials on both sides has both events and non-events"
            }
            (_, Some(_)) => "0",
            (_, None) => "infinite",
        };
        let serves = if exact.is_none() { "; exact-strata still answers" } else { "" };
        notes.push(format!(
            "the common odds ratio is {what}: it has no interval on the log scale{serves}"
        ));
    }
    if no_bounds(&found.difference) {
        notes.push(
            "the common difference has no interval: events, or non-events, are missing altogether"
                .into(),
        );
    }
    for test in found.tests.iter().filter(|test| test.p_value.is_none()) {
        notes.push(match (test.method, exact) {
            ("exact-strata", Some(exact_strata::Unanswered::TooLarge)) => format!(
                "exact-strata: the strata are too large to enumerate, above {:e} products; use cmh",
                exact_strata::MOST_WORK
            ),
            ("exact-strata", _) => "exact-strata: the margins of every stratum allow one table only, \
                                    so no count can vary"
                .into(),
            ("cmh", _) => {
                "cmh: no stratum with trials on both sides has both events and non-events".into()
            }
            _ if telling < 2 => format!(
                "breslow-day-tarone: it compares the odds ratios of two or more strata that have events \
                 and non-events, and there {}",
                if telling == 0 { "is none" } else { "is one" }
            ),
            _ => "breslow-day-tarone: the common odds ratio is 0 or infinite, so no count is expected"
                .into(),
        });
    }
    if found.tests.iter().any(|test| test.p_value.is_some()) && mantel_fleiss::is_sparse(strata) {
        notes.push(format!(
            "sparse by Mantel and Fleiss' criterion ({} where {} is enough): read exact-strata, not cmh",
            number(mantel_fleiss::room(strata)),
            number(mantel_fleiss::ENOUGH)
        ));
    }
    notes
}
