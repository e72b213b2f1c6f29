//! Functional checks of both sides.

use analysis::compare::checks::Check;
use analysis::compare::harm_finding::HarmFinding;
use stats::words::{counted, list, p_is};

/// The most checks that a sentence names.
const MOST_NAMED: usize = 5;

fn counts(check: &Check) -> String {
    format!("{} on the base side, {} on the test side", of_side(check.base), of_side(check.test))
}

/// `1 passed, 0 failed`, `skipped`, `not run`.
pub fn of_side(side: Option<[u64; 2]>) -> String {
    match side {
        Some([0, 0]) => "skipped".to_string(),
        Some([passed, failed]) => format!("{passed} passed, {failed} failed"),
        None => "not run".to_string(),
    }
}

/// That checks regressed, in sentences.
pub fn regressed(checks: &[Check]) -> Vec<String> {
    let all: Vec<&Check> = checks.iter().filter(|one| one.finding == HarmFinding::Found).collect();
    let (named, more) = all.split_at(all.len().min(MOST_NAMED));
    let mut sentences: Vec<String> = named
        .iter()
        .map(|check| format!("Check `{}` regressed: {}.", check.name, counts(check)))
        .collect();
    if !more.is_empty() {
        let more = counted(more.len() as u64, "more check", "more checks");
        sentences.push(format!("{more} regressed."));
    }
    sentences
}

/// What checks leave open, in sentences.
pub fn unclear(checks: &[Check]) -> Vec<String> {
    let of = |is: fn(&Check) -> bool| -> Vec<&Check> {
        checks.iter().filter(|one| one.finding == HarmFinding::Unclear && is(one)).collect()
    };
    let mut sentences = Vec::new();
    let lost = of(Check::is_lost);
    if !lost.is_empty() {
        let (it, has) = if lost.len() == 1 { ("it", "has") } else { ("them", "have") };
        sentences.push(format!(
            "{} passed on the base side and {has} no result on the test side: a kernel that dies in \
             {it} leaves none.",
            named(&lost)
        ));
    }
    let alone = of(|one| !one.is_lost() && !one.ran_on_base());
    if !alone.is_empty() {
        let it = if alone.len() == 1 { "it does" } else { "they do" };
        sentences
            .push(format!("{} failed, and how {it} on the base side is not known.", named(&alone)));
    }
    let more = of(|one| one.ran_on_base() && one.ran_on_test());
    let (shown, rest) = more.split_at(more.len().min(MOST_NAMED));
    sentences.extend(shown.iter().map(|check| {
        let p = check.p_value.map_or_else(String::new, |p| format!(" ({})", p_is(p)));
        format!(
            "Check `{}` failed more often, but not significantly: {}{p}.",
            check.name,
            counts(check)
        )
    }));
    if !rest.is_empty() {
        let rest = counted(rest.len() as u64, "more check", "more checks");
        sentences.push(format!("{rest} failed more often, none significantly."));
    }
    sentences
}

fn named(checks: &[&Check]) -> String {
    let (shown, more) = checks.split_at(checks.len().min(MOST_NAMED));
    let mut names: Vec<String> = shown.iter().map(|check| format!("`{}`", check.name)).collect();
    if !more.is_empty() {
        names.push(format!("{} more", more.len()));
    }
    let noun = if checks.len() == 1 { "Check" } else { "Checks" };
    format!("{noun} {}", list(&names))
}

#[cfg(test)]
mod tests {
    use analysis::compare::checks::compare;
    use stats::Level;

    use super::*;

    fn checks(base: &[(String, [u64; 2])], test: &[(String, [u64; 2])]) -> Vec<Check> {
        let map = |of: &[(String, [u64; 2])]| of.iter().cloned().collect();
        compare(&map(base), &map(test), Level::P95)
    }

    #[test]
    fn many_checks_are_counted_and_a_few_named() {
        let all =
            |counts| (1..=12).map(|at| (format!("other {at} of 12"), counts)).collect::<Vec<_>>();
        let sentences = regressed(&checks(&all([1, 0]), &all([0, 1])));
        assert_eq!(sentences.len(), MOST_NAMED + 1);
        assert_eq!(sentences[MOST_NAMED], "7 more checks regressed.");
        let lost = unclear(&checks(&all([1, 0]), &[]));
        assert!(lost[0].contains("`other 5 of 12` and 7 more passed"), "{lost:?}");
    }

    #[test]
    fn a_check_that_the_base_skipped_is_not_known_there() {
        let found = checks(&[("x".into(), [0, 0])], &[("x".into(), [0, 1])]);
        let said = "Check `x` failed, and how it does on the base side is not known.";
        assert_eq!(unclear(&found), [said]);
    }
}
