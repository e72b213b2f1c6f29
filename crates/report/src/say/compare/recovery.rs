//! How long a stalled trial takes to recover, on both sides.

use analysis::compare::Comparison;
use analysis::compare::recovery::{Change, NotAlike, RecoveryComparison, StratumRecovery};
use analysis::compare::units::Unit;
use stats::said::survival::note;
use stats::survival::HazardRatio;
use stats::words::{out_of, p_is, percent, seconds, significant};

use super::listed;

/// In a line; `None` where no time is compared.
pub fn line(comparison: &Comparison) -> Option<String> {
    let of = &comparison.recovery;
    let ratio = || of.hazard_ratio.as_ref().and_then(ratio_in_words);
    if !of.are_enough {
        let units = several(of.unit);
        return ratio().map(|ratio| {
            format!("Recovery: hazard ratio {ratio}, test against base; too few {units} to tell it from chance.")
        });
    }
    let by = by_units(of.unit);
    let p = of.log_rank.as_ref()?.p_value;
    let p = p.map_or_else(String::new, |p| format!(", {}{by}", p_is(p)));
    Some(match ratio() {
        Some(ratio) => {
            format!("Recovery: hazard ratio {ratio}, test against base{p}; above 1 is quicker.")
        }
        None if of.ratios_differ => {
            "Recovery: the hazard ratio differs among the strata.".to_string()
        }
        None => return None,
    })
}

/// In sentences.
pub fn say(comparison: &Comparison) -> Vec<String> {
    let of = &comparison.recovery;
    let names = [comparison.base.name.as_str(), comparison.test.name.as_str()];
    let mut said = Vec::new();
    if !of.strata.is_empty() {
        said.push(counts_and_ratio(of, names));
        said.extend(directions(of, names[1]));
        said.extend(means(of));
    }
    if !of.not_alike.is_empty() {
        let all: Vec<String> = of.not_alike.iter().map(not_alike).collect();
        said.push(format!(
            "Recovery does not compare like with like everywhere: {}.",
            listed(&all)
        ));
    }
    said
}

fn not_alike(one: &NotAlike) -> String {
    let name = &one.stratum;
    match one.due {
        [base, test] if base > 0.0 && test > 0.0 => format!(
            "{name}: growth was due in {} of the base side's trials and in {} of the test side's, so the \
             times are of different kinds of trial",
            percent(base),
            percent(test)
        ),
        [_, test] => {
            let (with, without) = if test > 0.0 { ("test", "base") } else { ("base", "test") };
            format!(
                "{name}: growth was due on the {with} side, and in no trial of the {without} side whose \
                 time is known"
            )
        }
    }
}

/// `2.6 (1.63 to 4.21)`, `0 (below 0.31)`, `above 3.2`; a ratio without an upper end has a bound only.
pub fn ratio_in_words(ratio: &HazardRatio) -> Option<String> {
    let interval = ratio.intervals.first();
    let number = |x: Option<f64>| x.map(|x| significant(x, 3));
    let (low, high) = (number(interval.and_then(|i| i.low)), number(interval.and_then(|i| i.high)));
    Some(match (number(ratio.estimate), low, high) {
        (Some(ratio), Some(low), Some(high)) => format!("{ratio} ({low} to {high})"),
        (Some(ratio), Some(low), None) => format!("{ratio} (above {low})"),
        (Some(ratio), None, Some(high)) => format!("{ratio} (below {high})"),
        (Some(ratio), None, None) => ratio,
        (None, Some(low), _) => format!("above {low}"),
        (None, None, Some(high)) => format!("below {high}"),
        (None, None, None) => return None,
    })
}

fn counts_and_ratio(of: &RecoveryComparison, [base, test]: [&str; 2]) -> String {
    let events = |side: usize| {
        let groups = of.strata.iter().filter_map(|one| one.summary.groups.get(side));
        groups.fold((0, 0), |(events, n), group| (events + group.events, n + group.n))
    };
    let ((base_events, base_n), (test_events, test_n)) = (events(0), events(1));
    let what = match of.by_throughput {
        true => "the throughput came back under load",
        false => "a due growth was installed under load",
    };
    let mut text = format!(
        "Recovery: {what} in {} of `{base}` and {test_events} of {test_n} of `{test}`",
        out_of(base_events, base_n, "trial", "trials")
    );
    if of.ratios_differ {
        let p = of.homogeneity.as_ref().and_then(|homogeneity| homogeneity.test.p_value);
        return text
            + &format!(
                ". The hazard ratio is not the same in all strata ({} by the likelihood ratio), so \
                 that there is no common one: read each stratum.",
                p.map_or_else(String::new, p_is)
            );
    }
    let over = if of.strata.len() > 1 { " over strata" } else { "" };
    if let Some(p) = of.log_rank.as_ref().and_then(|test| test.p_value) {
        text += &format!(" (log-rank{over}, {}{})", p_is(p), by_units(of.unit));
    }
    if let Some(ratio) = of.hazard_ratio.as_ref().and_then(ratio_in_words) {
        text += &format!("; hazard ratio {ratio}");
    }
    if !of.are_enough {
        text += &format!("; too few {} to tell it from chance", several(of.unit));
    }
    text += ".";
    for note in of.notes.iter().map(note) {
        text += &format!(" {note}");
    }
    text
}

/// ` by a permutation of whole boots`, or nothing where trials are independent.
fn by_units(unit: Unit) -> String {
    match unit {
        Unit::Trial => String::new(),
        unit => format!(" by a permutation of whole {}", several(unit)),
    }
}

fn several(unit: Unit) -> &'static str {
    match unit {
        Unit::Trial => "trials",
        Unit::Boot => "boots",
        Unit::Stretch => "stretches of time",
    }
}

/// Where it became slower, and where quicker.
fn directions(recovery: &RecoveryComparison, test: &str) -> Option<String> {
    // One stratum is told by the numbers of all.
    if recovery.strata.len() < 2 {
        return None;
    }
    let of = |change: Change| -> Vec<String> {
        let changed = recovery.strata.iter().filter(|one| one.change == change);
        let name = |one: &StratumRecovery| {
            let ratio = one.hazard_ratio().and_then(ratio_in_words);
            let ratio = ratio.map_or_else(String::new, |ratio| format!("hazard ratio {ratio}, "));
            let p = one.p_holm.map_or_else(String::new, p_is);
            format!("{} ({ratio}{p})", one.name)
        };
        changed.map(name).collect()
    };
    let (slower, quicker) = (of(Change::Slower), of(Change::Quicker));
    if slower.is_empty() && !recovery.ratios_differ {
        return None;
    }
    let mut text = String::new();
    for (way, strata) in [("slower", slower), ("quicker", quicker)] {
        if !strata.is_empty() {
            text += &format!("Recovery became {way} with `{test}` at {}. ", listed(&strata));
        }
    }
    if text.is_empty() {
        text += "No single stratum shows a slower or a quicker recovery. ";
    }
    Some(text + "p is the log-rank test's of each stratum, adjusted by Holm over the strata.")
}

/// The differences of restricted means.
fn means(of: &RecoveryComparison) -> Option<String> {
    let several = of.strata.len() > 1;
    let in_words = |one: &StratumRecovery| {
        let difference = one.mean_difference()?;
        let number = |x: f64| significant(x, 3);
        let estimate = number(difference.estimate?);
        let interval = match (difference.low, difference.high) {
            (Some(low), Some(high)) => format!(" ({} to {})", number(low), number(high)),
            _ => String::new(),
        };
        let at = if several { format!(" at {}", one.name) } else { String::new() };
        Some(format!("{estimate} s{interval} up to {}{at}", seconds(difference.until)))
    };
    let all: Vec<String> = of.strata.iter().filter_map(in_words).collect();
    (!all.is_empty())
        .then(|| format!("Restricted mean time to recovery, test minus base: {}.", listed(&all)))
}
