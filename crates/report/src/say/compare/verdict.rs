//! The verdict: what was found, and what it means.

use analysis::compare::Comparison;
use analysis::compare::efficacy::Counts;
use analysis::compare::units::Unit;
use analysis::compare::verdict::{Because, Kind, Verdict};
use stats::words::{counted, out_of, p_is, percent, significant};

use super::{listed, shares, units};
use crate::say::word::{HAD, HAD_NONE, HAS, HAVE, PLURAL};

/// The verdict in a word or two.
pub fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Fixed => "fixed",
        Kind::Reduced => "reduced",
        Kind::LargeEffectExcluded => "large effect excluded",
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
        ("permutation-clusters", _) => "a permutation test",
        _ => "the Cochran-Mantel-Haenszel test",
    }
}

/// The verdict with the counts and the test that it rests on.
pub fn found(comparison: &Comparison) -> String {
    let verdict = &comparison.verdict;
    let [[base_k, base_n], [test_k, test_n]] = comparison.efficacy.pooled.counts;
    let p = match verdict.p_value {
        Some(p) => format!("{} by {}", p_is(p), test_name(verdict, names(comparison).len())),
        None if matches!(verdict.because, Because::TooFewUnits { .. }) => String::new(),
        None => String::new(),
    };
    let of = match verdict.because {
        // The next sentence is about them.
        Because::TooFewUnits { .. } => String::new(),
        _ if verdict.p_value.is_none() => String::new(),
        _ => units::counted_of(&comparison.units),
    };
    let p = match p + &of {
        p if p.is_empty() => p,
        p => format!(" ({})", p.trim_start()),
    };
    let word = word(verdict.kind);
    format!(
        "{}{}: `{}` {HAD} in {}, `{}` in {base_k} of {base_n}{p}.",
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
    let fell = shares(pooled.effect.reduction)
        .map_or_else(|| format!("The {PLURAL} fell"), |by| format!("The {PLURAL} fell by {by}"));
    Some(match verdict.because {
        Because::BoundKept => format!("{fell}, and {}.", may_still_stall(comparison)),
        Because::BoundNotReached => {
            format!("{fell}, but {}.", may_still_stall(comparison))
        }
        Because::StratumAboveBound { stratum } => format!(
            "{fell}, but at {} it {HAS} in more than the {bound} that `fixed` allows{}.",
            name(stratum),
            also_above(comparison, stratum)
        ),
        Because::BaseBelowBound => format!(
            "{fell}, but `{base}` itself {HAS} less often than the {bound} that `fixed` allows, so \
             that `fixed` would say nothing."
        ),
        Because::RelevantEffectExcluded => {
            let interval = pooled.effect.ratio.intervals.first();
            let number = |x: Option<f64>| x.map_or_else(|| "?".into(), |x| significant(x, 3));
            format!(
                "The test side {HAS} {} ({} to {}) times as often{}: neither half nor twice as often.",
                number(pooled.effect.ratio.estimate),
                number(interval.and_then(|i| i.low)),
                number(interval.and_then(|i| i.high)),
                if names.len() > 1 { ", averaged over the strata" } else { "" }
            )
        }
        Because::UnequalUnits => {
            "Counted by boots or stretches the sides differ one way and over all trials the other, since a few \
             large ones decide. Measure ones of equal size."
                .to_string()
        }
        Because::StrataDiffer => {
            "On average it {HAS} neither half nor twice as often, but the strata \
                                  differ by more than chance: read each of them."
                .to_string()
        }
        Because::MoreStalls => return None,
        Because::MoreStallsInStratum { stratum } => format!(
            "At {} it {HAS} more often, by the test of that stratum, adjusted over the strata.",
            name(stratum)
        ),
        Because::NothingStalled => {
            format!("Nothing {HAD} on either side, so there was nothing to fix.")
        }
        Because::BaseDidNotStall => {
            format!("The base side {HAD_NONE}, so nothing can be said of a fix.")
        }
        Because::NeitherShownNorExcluded => {
            "An effect is not shown, and one that matters is not excluded.".to_string()
        }
        Because::TooFewUnits { of_trials } => units::too_few(comparison, word(of_trials)),
    })
}

/// The bound of the test side's stall probability, where the base stalled, against what `fixed` allows.
fn may_still_stall(comparison: &Comparison) -> String {
    let risk = comparison.verdict.at_risk;
    let rules = comparison.verdict.rules;
    let base = &comparison.base.name;
    let sizes = || comparison.compared().map(Counts::of).filter(|c| c.base[0] > 0);
    let fewest = sizes().map(|counts| counts.test[1]).min().unwrap_or(0);
    let equal = sizes().all(|counts| counts.test[1] == fewest);
    let all = risk.strata as usize == comparison.compared().count();
    let where_it_stalled = if all { String::new() } else { format!(" where `{base}` {HAD}") };
    let averaged = match (risk.strata, equal, comparison.units.unit) {
        (1, ..) => String::new(),
        (n, true, Unit::Trial) | (n, _, Unit::Boot | Unit::Stretch) => {
            format!(", averaged over the {n} strata")
        }
        (n, false, Unit::Trial) => format!(
            ", averaged over the {n} strata, each weighted as if it had {}, the smallest count",
            counted(fewest, "trial", "trials")
        ),
    };
    let counting = match comparison.units.unit {
        Unit::Trial => "",
        Unit::Boot => ", counting boots",
        Unit::Stretch => ", counting stretches of time",
    };
    let (at_most, allowed) = (risk.test_at_most.unwrap_or(1.0), rules.fixed_below);
    let is_kept = at_most <= allowed;
    // Rounded alike, 0.0499 and 0.05 would be the same text.
    let limit = match percent(at_most) == percent(allowed) {
        true => format!("the bound is just {} the", if is_kept { "within" } else { "above" }),
        false => format!(
            "up to {} of trials like these{where_it_stalled} may still {HAVE}, {} the",
            percent(at_most),
            if is_kept { "within" } else { "above" }
        ),
    };
    format!(
        "{limit} {} that `fixed` allows ({} confidence{averaged}{counting})",
        percent(allowed),
        percent(rules.level.get())
    )
}

/// ` (4 of 20 stalled)`: the worst stratum's count.
fn also_above(comparison: &Comparison, worst: usize) -> String {
    let count = comparison.compared().nth(worst).map(|stratum| Counts::of(stratum).test);
    count.map_or_else(String::new, |[k, n]| format!(" ({k} of {n} {HAD})"))
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
            "`{}` also {HAD} where `{}` did not: {}. This may be chance. `fixed` counts only the \
             strata where the base stalled.",
            comparison.test.name,
            comparison.base.name,
            listed(&new)
        )
    })
}
