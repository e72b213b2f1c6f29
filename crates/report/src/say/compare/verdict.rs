//! The verdict: what was found, and what it means.

use analysis::compare::Comparison;
use analysis::compare::efficacy::Counts;
use analysis::compare::verdict::{Because, Kind, Verdict, above_the_bound};
use stats::words::{counted, out_of, p_is, percent, significant};

use super::{listed, shares};

/// The verdict in a word or two.
pub fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Fixed => "fixed",
        Kind::Reduced => "reduced",
        Kind::NoEvidenceOfAnEffect => "no evidence of an effect",
        Kind::Worse => "worse",
        Kind::Undecided => "undecided",
    }
}

fn names(comparison: &Comparison) -> Vec<&str> {
    comparison.compared().map(|stratum| stratum.name.as_str()).collect()
}

fn test_name(verdict: &Verdict, strata: usize) -> &'static str {
    match (verdict.method, strata) {
        ("exact-strata", 1) => "Fisher's exact test",
        ("exact-strata", _) => "the exact conditional test over strata",
        _ => "the Cochran-Mantel-Haenszel test",
    }
}

/// The verdict with the counts and the test that it rests on.
pub fn found(comparison: &Comparison) -> String {
    let verdict = &comparison.verdict;
    let [[base_k, base_n], [test_k, test_n]] = comparison.efficacy.pooled.counts;
    let p = match verdict.p_value {
        Some(p) => format!("{} by {}", p_is(p), test_name(verdict, names(comparison).len())),
        None => "no test can tell".to_string(),
    };
    let word = word(verdict.kind);
    format!(
        "{}{}: `{}` stalled in {}, `{}` in {base_k} of {base_n} ({p}).",
        word[..1].to_uppercase(),
        &word[1..],
        comparison.test.name,
        out_of(test_k, test_n, "trial", "trials"),
        comparison.base.name
    )
}

/// What the verdict means; `None` where the first sentence says it all.
pub fn meaning(comparison: &Comparison) -> Option<String> {
    let verdict = &comparison.verdict;
    let pooled = &comparison.efficacy.pooled;
    let names = names(comparison);
    let name = |at: usize| names.get(at).copied().unwrap_or_default();
    let base = &comparison.base.name;
    let bound = percent(verdict.rules.fixed_below);
    let fell = shares(pooled.reduction)
        .map_or_else(|| "The stalls fell".to_string(), |by| format!("The stalls fell by {by}"));
    Some(match verdict.because {
        Because::BoundKept => format!(
            "{fell}, and {}: less than the {bound} that `fixed` allows.",
            may_still_stall(comparison)
        ),
        Because::BoundNotReached => {
            format!("{fell}, but {}: `fixed` allows at most {bound}.", may_still_stall(comparison))
        }
        Because::StratumAboveBound { stratum } => format!(
            "{fell}, but at {} it stalls in more than the {bound} that `fixed` allows{}.",
            name(stratum),
            also_above(comparison, &names, stratum)
        ),
        Because::BaseBelowBound => format!(
            "{fell}, but `{base}` itself stalls less often than the {bound} that `fixed` allows, so \
             that `fixed` would say nothing."
        ),
        Because::RelevantEffectExcluded => {
            let interval = pooled.ratio.intervals.first();
            let number = |x: Option<f64>| x.map_or_else(|| "?".into(), |x| significant(x, 3));
            format!(
                "The test side stalls {} ({} to {}) times as often{}: neither half nor twice as often.",
                number(pooled.ratio.estimate),
                number(interval.and_then(|i| i.low)),
                number(interval.and_then(|i| i.high)),
                if names.len() > 1 { ", averaged over the strata" } else { "" }
            )
        }
        Because::StrataDiffer => {
            "On average it stalls neither half nor twice as often, but the strata \
                                  differ by more than chance: read each of them."
                .to_string()
        }
        Because::MoreStalls => return None,
        Because::MoreStallsInStratum { stratum } => format!(
            "At {} it stalls more often, by Fisher's exact test adjusted over the strata.",
            name(stratum)
        ),
        Because::NothingStalled => {
            "Nothing stalled on either side, so there was nothing to fix.".to_string()
        }
        Because::BaseDidNotStall => {
            "The base side did not stall, so nothing can be said of a fix.".to_string()
        }
        Because::NeitherShownNorExcluded => {
            "An effect is not shown, and one that matters is not excluded.".to_string()
        }
    })
}

/// The bound of the test side's stall probability, where the base stalled.
fn may_still_stall(comparison: &Comparison) -> String {
    let risk = comparison.verdict.at_risk;
    let base = &comparison.base.name;
    let sizes = || comparison.compared().map(Counts::of).filter(|c| c.base[0] > 0);
    let fewest = sizes().map(|counts| counts.test[1]).min().unwrap_or(0);
    let equal = sizes().all(|counts| counts.test[1] == fewest);
    let all = risk.strata as usize == comparison.compared().count();
    let where_it_stalled = if all { String::new() } else { format!(" where `{base}` stalled") };
    let averaged = match (risk.strata, equal) {
        (1, _) => String::new(),
        (n, true) => format!(", averaged over the {n} strata"),
        (n, false) => format!(
            ", averaged over the {n} strata, each weighted as if it had {}, the smallest count",
            counted(fewest, "trial", "trials")
        ),
    };
    format!(
        "up to {} of trials like these{where_it_stalled} may still stall ({} confidence{averaged})",
        risk.test_at_most.map(percent).unwrap_or_default(),
        percent(comparison.verdict.rules.level.get())
    )
}

/// ` (4 of 20 stalled), and at …`: the worst stratum's count, and the others above the bound.
fn also_above(comparison: &Comparison, names: &[&str], worst: usize) -> String {
    let compared: Vec<Counts> = comparison.compared().map(Counts::of).collect();
    let count = |at: usize| compared.get(at).map_or([0, 0], |counts| counts.test);
    let [k, n] = count(worst);
    let above = above_the_bound(&compared, comparison.verdict.rules).unwrap_or_default();
    let others: Vec<String> = above
        .into_iter()
        .filter(|at| *at != worst)
        .filter_map(|at| Some(format!("{} ({} of {})", names.get(at)?, count(at)[0], count(at)[1])))
        .collect();
    let others =
        if others.is_empty() { String::new() } else { format!(", and at {}", listed(&others)) };
    format!(" ({k} of {n} stalled){others}")
}

/// Stalls where the base had none: in no bound, and not shown to be more.
pub fn new_stalls(comparison: &Comparison) -> Option<String> {
    if !matches!(comparison.verdict.kind, Kind::Fixed | Kind::Reduced) {
        return None;
    }
    let new: Vec<String> = comparison
        .compared()
        .map(|stratum| (stratum, Counts::of(stratum)))
        .filter(|(_, counts)| counts.base[0] == 0 && counts.test[0] > 0)
        .map(|(stratum, counts)| {
            let ([_, base_n], [k, n]) = (counts.base, counts.test);
            format!("in {k} of {n} at {} (base: 0 of {base_n})", stratum.name)
        })
        .collect();
    (!new.is_empty()).then(|| {
        format!(
            "`{}` also stalled where `{}` did not: {}. This may be chance. `fixed` counts only the \
             strata where the base stalled.",
            comparison.test.name,
            comparison.base.name,
            listed(&new)
        )
    })
}

/// Score intervals are approximate and the primary test is exact: a disagreement is said.
pub fn interval_against_test(comparison: &Comparison) -> Option<String> {
    let reduction = comparison.efficacy.pooled.reduction;
    let excludes =
        reduction.low.is_some_and(|low| low > 0.0) || reduction.high.is_some_and(|high| high < 0.0);
    (comparison.verdict.kind == Kind::Undecided && excludes).then(|| {
        format!(
            "The stalls fell by {}. That interval leaves out 0, but it is approximate with so few \
             stalls; the test is exact, and the verdict follows the test.",
            shares(reduction).unwrap_or_default()
        )
    })
}
