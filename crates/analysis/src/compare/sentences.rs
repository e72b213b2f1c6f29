//! What a comparison says, in sentences: the verdict first, then what it rests on, then what limits it.

use super::boots::Boots;
use super::drift::{Drift, Moved};
use super::efficacy::{Counts, Pooled};
use super::machines::Machines;
use super::order::Order;
use super::sides::{Sides, Which};
use super::verdict::{Because, Kind, Verdict, above_the_bound};
use super::what_would_decide::{Deciding, POWER};
use super::{Comparison, Trust};
use stats::words::{counted, list, out_of, p_is, percent, percent_to, significant};
use stats::{Estimate, Level};

/// The longest list of names in a sentence.
const MOST_LISTED: usize = 6;

/// Whether a difference can be put down to what tells the sides apart.
pub fn trust(
    sides: &Sides,
    drift: &Drift,
    machines: &Machines,
    order: Order,
    boots: &Boots,
    level: Level,
) -> Trust {
    let mut because = Vec::new();
    let mut limits = Vec::new();
    because.extend(machines.sentence());
    because.extend(several_labels(sides));
    let moved = || {
        let ratio = drift.ratio.and_then(|ratio| ratio.estimate);
        let mut what = Vec::new();
        if let Some(ratio) = ratio {
            what.push(format!("its throughput is {} times the base's", significant(ratio, 3)));
        }
        if !drift.cells.is_empty() {
            what.push(format!("it moved at {}", listed(&drift.cells)));
        }
        if let [[base, base_n], [test, test_n]] = drift.stalled
            && base + test > 0
        {
            what.push(format!(
                "it stalled in {} of the base side and {test} of {test_n} of the test side",
                out_of(base, base_n, "trial", "trials")
            ));
        }
        list(&what)
    };
    match drift.moved {
        Moved::Moved if drift.may_be_the_machine => because.push(format!(
            "The control moved between the sides: {}. It has no growth to wait for, so the machine \
             changed, or the patch costs that everywhere; as {}, the two can't be told apart.",
            moved(),
            match order {
                Order::Unknown => "it is not known when the sides were measured",
                Order::AtTheSameTime => "the sides were measured at the same time, apart",
                Order::Alternating => "the sides took turns, and were not in the same blocks",
                Order::PartlyInterleaved => "only part of the trials were in common blocks",
                Order::Interleaved | Order::OneAfterTheOther => {
                    "one side was measured after the other"
                }
            }
        )),
        Moved::Moved => limits.push(format!(
            "The control moved with the sides: {}. Both were measured in the same blocks, so that \
             this is no drift of the machine: it is the patch's doing, and part of its cost.",
            moved()
        )),
        // In common blocks a drift is the same on both sides.
        Moved::NotShown | Moved::NotChecked if order == Order::Interleaved => {}
        Moved::NotShown => limits.push(
            "That the control held is not shown: its interval reaches beyond the margin, or its \
             throughput is not to be read."
                .into(),
        ),
        Moved::NotChecked => limits.push(
            "No control on both sides: whether the machine drifted between them can't be checked."
                .into(),
        ),
        Moved::Held => {}
    }
    match order {
        Order::Interleaved => {}
        Order::Alternating => limits.push(
            "The sides were measured in turns, run by run, and not in common blocks: a drift within \
             a run would be put down to a side."
                .into(),
        ),
        Order::OneAfterTheOther => limits.push(
            "One side was measured after the other: whatever changed in between (temperature, \
             neighbours, a reboot) would look like the patch. Both kernels in one run, as \
             `--kernel A --kernel B`, are measured in the same blocks."
                .into(),
        ),
        Order::AtTheSameTime => limits.push(
            "Runs of both sides overlapped in time: on one machine they disturb each other.".into(),
        ),
        Order::PartlyInterleaved => limits.push(
            "Only part of the trials were measured in common blocks: the others may carry a drift."
                .into(),
        ),
        Order::Unknown => {
            limits.push("When the sides were measured is not recorded.".into());
        }
    }
    let names = Which::BOTH.map(|side| sides.name(side));
    let differing = boots.differing([&names[0], &names[1]], level);
    because.extend(differing.iter().map(|(name, p)| {
        format!(
            "The boots of `{name}` differ in how often they stall ({}, permutation test within the \
             strata): its trials are not as many independent ones as they count for here. More boots \
             of fewer trials each, `--boots`, would be.",
            p_is(*p)
        )
    }));
    if boots.base.boots > 0 && boots.test.boots > 0 && differing.is_empty() {
        let known = boots.base.p_differ.is_some() || boots.test.p_differ.is_some();
        limits.push(format!(
            "The trials come from {} of `{}` and {} of `{}`, and those of one boot share what it drew: \
             {}.",
            counted(boots.base.boots, "boot", "boots"),
            names[0],
            counted(boots.test.boots, "boot", "boots"),
            names[1],
            match known {
                true => "no sign that the boots differ, which few can't show",
                false => "whether boots differ can't be seen in these",
            }
        ));
    }
    if !machines.unknown.is_empty() && machines.confounded.is_empty() {
        limits.push("On which machine the trials ran is not recorded everywhere.".into());
    }
    if sides.told_by.is_empty() {
        limits.push(
            "Nothing that was recorded tells the sides apart, neither the kernel nor a label: this \
             compares like with like."
                .into(),
        );
    }
    Trust { can_be_trusted: because.is_empty(), because, limits }
}

/// More than one label that tells the sides apart: a difference may be any one's. A kernel beside a
/// label is what the label stands for, and machines and sources have sentences of their own.
fn several_labels(sides: &Sides) -> Option<String> {
    let labels: Vec<String> = sides.naming_labels().map(|told| format!("`{}`", told.key)).collect();
    (labels.len() > 1).then(|| {
        format!(
            "The labels {} all tell the sides apart: a difference may be due to any of them. Compare \
             runs in which one of them differs.",
            list(&labels)
        )
    })
}

/// All sentences.
pub fn answer(comparison: &Comparison) -> Vec<String> {
    let mut lines = vec![verdict(comparison)];
    lines.extend(new_stalls(comparison));
    lines.extend(interval_against_test(comparison));
    lines.extend(deciding(comparison));
    if !comparison.trust.can_be_trusted {
        lines.push("This comparison can't be trusted as it stands.".to_string());
        lines.extend(comparison.trust.because.iter().cloned());
    }
    lines.extend(comparison.forced.iter().cloned());
    lines.push(comparison.harm.sentence(comparison.level));
    lines.push(comparison.cost.sentence());
    lines.extend(comparison.recovery.sentences([&comparison.base.name, &comparison.test.name]));
    lines.extend(homogeneity(&comparison.efficacy.pooled, comparison));
    lines.extend(missing(comparison));
    lines.extend(disturbed(comparison));
    lines.extend(one_sided(comparison));
    lines.extend(comparison.trust.limits.iter().cloned());
    lines
}

/// Names in a sentence, the first of them where there are many; such as have commas, by semicolons.
pub(super) fn listed(names: &[String]) -> String {
    if names.len() > MOST_LISTED {
        return format!(
            "{} and {} more",
            names[..MOST_LISTED].join("; "),
            names.len() - MOST_LISTED
        );
    }
    match names.iter().any(|name| name.contains(',')) {
        true => names.join("; "),
        false => list(names),
    }
}

/// `0.31 (0.12 to 0.8)`; percentages by `percent`.
fn shares(of: Estimate) -> Option<String> {
    let value = of.estimate?;
    Some(match (of.low, of.high) {
        (Some(low), Some(high)) => {
            format!("{} ({} to {})", signed(value), signed(low), signed(high))
        }
        (Some(low), None) => format!("{} (above {})", signed(value), signed(low)),
        (None, Some(high)) => format!("{} (below {})", signed(value), signed(high)),
        (None, None) => signed(value),
    })
}

/// A share that may be negative.
fn signed(share: f64) -> String {
    if share < 0.0 { format!("-{}", percent(-share)) } else { percent(share) }
}

fn test_name(verdict: &Verdict, strata: usize) -> &'static str {
    match (verdict.method, strata) {
        ("exact-strata", 1) => "Fisher's exact test",
        ("exact-strata", _) => "the exact conditional test over strata",
        _ => "the Cochran-Mantel-Haenszel test",
    }
}

fn verdict(comparison: &Comparison) -> String {
    let verdict = &comparison.verdict;
    let pooled = &comparison.efficacy.pooled;
    let (base, test) = (&comparison.base.name, &comparison.test.name);
    let names: Vec<String> = comparison.compared().map(|s| s.name.clone()).collect();
    let strata = names.len();
    let [[base_k, base_n], [test_k, test_n]] = pooled.counts;
    let counts = format!(
        "`{test}` stalled in {}, `{base}` in {base_k} of {base_n}",
        out_of(test_k, test_n, "trial", "trials")
    );
    let p = match verdict.p_value {
        Some(p) => format!("{} by {}", p_is(p), test_name(verdict, strata)),
        None => "no test can tell".to_string(),
    };
    let at_least = percent(verdict.rules.level.get());
    let at_most = verdict.at_risk.test_at_most.map(percent).unwrap_or_default();
    let risk = verdict.at_risk;
    let where_it_stalled = match risk.strata as usize == strata {
        true => String::new(),
        false => format!(" where `{base}` stalled"),
    };
    let sizes = || comparison.compared().map(Counts::of).filter(|c| c.base[0] > 0);
    let fewest = sizes().map(|counts| counts.test[1]).min().unwrap_or(0);
    let there = match risk.strata {
        1 if where_it_stalled.is_empty() => String::new(),
        1 => format!(", in the stratum{where_it_stalled}"),
        n => format!(
            ", on average over the {n} strata{where_it_stalled}{}",
            match sizes().all(|counts| counts.test[1] == fewest) {
                true => String::new(),
                false => format!(", each counted with the {fewest} trials of the smallest"),
            }
        ),
    };
    let left = format!(
        "With {at_least} confidence it stalls in at most {at_most} of trials like these{there}"
    );
    let bound = percent(verdict.rules.fixed_below);
    let reduction = match shares(pooled.reduction) {
        Some(text) => format!(" Gone are {text} of the stalls."),
        None => String::new(),
    };
    let name = |at: usize| names.get(at).cloned().unwrap_or_default();
    let kind = verdict.kind.words();
    let head = format!("{}{}", kind[..1].to_uppercase(), &kind[1..]);
    match verdict.because {
        Because::BoundKept => format!(
            "{head}: {counts} ({p}).{reduction} {left}, which is below the {bound} that `fixed` asks \
             for."
        ),
        Because::BoundNotReached => {
            format!("{head}: {counts} ({p}).{reduction} {left}; `fixed` asks for at most {bound}.")
        }
        Because::StratumAboveBound { stratum } => format!(
            "{head}: {counts} ({p}).{reduction} At {} it stalls in more than the {bound} that `fixed` \
             allows{}.",
            name(stratum),
            also_above(comparison, &names, stratum)
        ),
        Because::BaseBelowBound => format!(
            "{head}: {counts} ({p}).{reduction} `fixed` can't be said with a bound of {bound}, below \
             which `{base}` itself is."
        ),
        Because::RelevantEffectExcluded => {
            let interval = pooled.ratio.intervals.first();
            let ratio = Estimate {
                estimate: pooled.ratio.estimate,
                low: interval.and_then(|i| i.low),
                high: interval.and_then(|i| i.high),
            };
            let number = |x: Option<f64>| x.map_or_else(|| "?".into(), |x| significant(x, 3));
            format!(
                "{head}: {counts} ({p}). The ratio of the two is {} ({} to {}), which excludes that \
                 the stalls were halved, or doubled{}.",
                number(ratio.estimate),
                number(ratio.low),
                number(ratio.high),
                if strata > 1 { ", on average over the strata" } else { "" }
            )
        }
        Because::StrataDiffer => format!(
            "{head}: {counts} ({p}). On average neither a halving nor a doubling is left, but the strata \
             differ by more than chance gives: an average says nothing of any of them."
        ),
        Because::MoreStalls => format!("{head}: {counts} ({p})."),
        Because::MoreStallsInStratum { stratum } => format!(
            "{head}: at {} it stalls more often, by Fisher's exact test adjusted over the strata. In \
             all, {counts} ({p}).",
            name(stratum)
        ),
        Because::NothingStalled => format!(
            "{head}: nothing stalled on either side ({counts}), so there was nothing to mend."
        ),
        Because::BaseDidNotStall => format!(
            "{head}: {counts} ({p}). The base side did not stall, so that nothing can be said of a \
             fix."
        ),
        Because::NeitherShownNorExcluded => format!(
            "{head}: {counts} ({p}). An effect is not shown, and one that matters is not excluded."
        ),
    }
}

/// ` ({stalled}); so it does at …`: the worst stratum's count, and the others that are above the bound.
fn also_above(comparison: &Comparison, names: &[String], worst: usize) -> String {
    let compared: Vec<Counts> = comparison.compared().map(Counts::of).collect();
    let count = |at: usize| compared.get(at).map_or([0, 0], |counts| counts.test);
    let [k, n] = count(worst);
    let mut text = format!(" ({k} of {n} stalled)");
    let above = above_the_bound(&compared, comparison.verdict.rules).unwrap_or_default();
    let others: Vec<String> = above
        .into_iter()
        .filter(|at| *at != worst)
        .filter_map(|at| Some(format!("{} ({} of {})", names.get(at)?, count(at)[0], count(at)[1])))
        .collect();
    if !others.is_empty() {
        text += &format!(", and at {}", listed(&others));
    }
    text
}

/// Stalls where the base had none: in no bound, and not shown to be more.
fn new_stalls(comparison: &Comparison) -> Option<String> {
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
            "`{}` also stalled where `{}` did not: {}. That is not shown to be more than chance, and \
             is not excluded: `fixed` goes by the strata where the base stalled.",
            comparison.test.name,
            comparison.base.name,
            listed(&new)
        )
    })
}

/// Score intervals are approximate and the primary test is exact: where they disagree, that is said.
fn interval_against_test(comparison: &Comparison) -> Option<String> {
    if comparison.verdict.kind != Kind::Undecided {
        return None;
    }
    let reduction = comparison.efficacy.pooled.reduction;
    let excludes =
        reduction.low.is_some_and(|low| low > 0.0) || reduction.high.is_some_and(|high| high < 0.0);
    excludes.then(|| {
        format!(
            "The interval for the share of stalls that is gone, {}, leaves out 0: score intervals are \
             approximate with so few stalls, the test is exact, and the verdict goes by the test.",
            shares(reduction).unwrap_or_default()
        )
    })
}

fn deciding(comparison: &Comparison) -> Option<String> {
    let (base, test) = (&comparison.base.name, &comparison.test.name);
    Some(match comparison.what_would_decide.as_ref()? {
        Deciding::MoreTrials { name, more_per_side, n_per_side, power, rates, .. } => format!(
            "What would decide it: {more_per_side} more trials a side at {name}, {n_per_side} in all, \
             give {} % power by Fisher's test if the rates are those seen ({} and {}). Those are \
             estimates, and looking twice errs more often than the level says: {n_per_side} fresh \
             trials a side keep it.",
            percent_to(*power, 0),
            percent(rates[0]),
            percent(rates[1]),
        ),
        Deciding::TooMany { name, rates, for_a_halving } => {
            let mut text = format!(
                "The rates seen are too near each other for more trials to tell apart (at {name}, {} \
                 and {}).",
                percent(rates[0]),
                percent(rates[1])
            );
            if let Some(n) = for_a_halving {
                text += &format!(
                    " {} a side would show a halving, if there is one, with {} power.",
                    counted(*n, "trial", "trials"),
                    percent(POWER)
                );
            }
            text
        }
        Deciding::AnotherCell { trials } => format!(
            "What would decide it: cells in which `{base}` stalls. In {} here it did not; more \
             threads, or a ramp that grows the pool under load, make it likelier.",
            counted(*trials, "trial", "trials")
        ),
        Deciding::MoreWithoutStall { more, at, below } => format!(
            "What would make it `fixed`: {} of `{test}` without a stall where `{base}` stalls, for \
             at most {}{}.",
            counted(*more, "more trial", "more trials"),
            percent(*below),
            match at.as_slice() {
                // One stratum was named, or is all there is.
                [_] if comparison.verdict.at_risk.strata == 1 => String::new(),
                at => {
                    let each: Vec<String> =
                        at.iter().map(|at| format!("{} at {}", at.more, at.name)).collect();
                    format!(": {}", listed(&each))
                }
            }
        ),
        Deciding::StratumStalls { name, test: [k, n] } => format!(
            "More trials make it `fixed` only if `{test}` really stalls in less than {} at {name}, \
             which {k} of {n} speak against.",
            percent(comparison.verdict.rules.fixed_below)
        ),
        Deciding::StillStalls { test: [k, n] } => format!(
            "`{test}` still stalled in {k} of {n} where `{base}` does: more trials make it `fixed` \
             only if it really stalls in less than {}.",
            percent(comparison.verdict.rules.fixed_below)
        ),
        Deciding::LowerBound { base: share } => format!(
            "`{base}` stalled in {} of its trials, on average over the strata where it did: \
             `--fixed-below` must be lower than that to say anything.",
            percent(*share)
        ),
    })
}

fn homogeneity(pooled: &Pooled, comparison: &Comparison) -> Option<String> {
    let p = pooled.homogeneity.p_value?;
    let verdict = match p <= comparison.level.alpha() {
        true => {
            "their odds ratio is not the same everywhere, and the pooled numbers are an average: read \
             the strata"
        }
        false => {
            "no sign that their odds ratio differs among the strata, which few trials can't show"
        }
    };
    Some(format!("Homogeneity of the stalls: {verdict} (Breslow-Day-Tarone, {}).", p_is(p)))
}

fn missing(comparison: &Comparison) -> Option<String> {
    let side = |which: Which| {
        let side = comparison.side(which);
        let mut parts = Vec::new();
        if side.failed > 0 {
            parts.push(format!("{} failed", side.failed));
        }
        if side.not_observable > 0 {
            parts.push(format!("{} could not be judged", side.not_observable));
        }
        (!parts.is_empty()).then(|| {
            format!(
                "of {} `{}` {}",
                counted(side.trials, "trial", "trials"),
                side.name,
                list(&parts)
            )
        })
    };
    let sides: Vec<String> = Which::BOTH.into_iter().filter_map(side).collect();
    let changes: Vec<String> = comparison
        .sensitivity
        .iter()
        .filter(|one| one.changes)
        .map(|one| format!("{} if {}", one.verdict.words(), one.scenario.words()))
        .collect();
    if sides.is_empty() && changes.is_empty() {
        return None;
    }
    let mut text = String::new();
    if !sides.is_empty() {
        text = format!("Trials without an outcome are in no count: {}.", sides.join("; "));
    }
    if !changes.is_empty() {
        text += &format!(" The verdict would be {}.", changes.join("; "));
    } else if !comparison.sensitivity.is_empty() {
        text += " Whatever they would have been, the verdict is the same.";
    }
    Some(text.trim_start().to_string())
}

fn disturbed(comparison: &Comparison) -> Option<String> {
    let sides: Vec<String> = Which::BOTH
        .into_iter()
        .map(|which| comparison.side(which))
        .filter(|side| side.disturbed.trials > 0)
        .map(|side| {
            format!(
                "{} of {} of `{}` (up to {})",
                side.disturbed.trials,
                counted(side.disturbed.known, "trial", "trials"),
                side.name,
                side.disturbed.largest.map(percent).unwrap_or_default()
            )
        })
        .collect();
    (!sides.is_empty()).then(|| {
        format!("More than 1 % of the CPU time was stolen by a hypervisor in {}.", list(&sides))
    })
}

fn one_sided(comparison: &Comparison) -> Option<String> {
    let of = |which: Which| {
        let names: Vec<String> = comparison
            .one_sided
            .iter()
            .filter(|one| one.side == which)
            .map(|one| one.name.clone())
            .collect();
        (!names.is_empty()).then(|| {
            format!(
                "{} on the {} side ({})",
                counted(names.len() as u64, "cell", "cells"),
                which.name(),
                listed(&names)
            )
        })
    };
    let sides: Vec<String> = Which::BOTH.into_iter().filter_map(of).collect();
    (!sides.is_empty())
        .then(|| format!("Only one side has, and nothing here uses: {}.", sides.join("; ")))
}
