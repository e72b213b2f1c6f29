//! What would decide an open verdict.

use analysis::compare::Comparison;
use analysis::compare::what_would_decide::{Deciding, POWER};
use stats::words::{counted, percent, percent_to};

use super::{listed, units};
use crate::say::word::{HAD, HAS, NOUN};
use analysis::compare::units::Unit;

/// What to do next.
pub fn next(comparison: &Comparison) -> Option<String> {
    let (base, test) = (&comparison.base.name, &comparison.test.name);
    let bound = percent(comparison.verdict.rules.fixed_below);
    Some(match comparison.what_would_decide.as_ref()? {
        Deciding::MoreTrials { n_per_side, rates, is_approximate: true, name, .. } => format!(
            "About {} trials a side at {name} would show such a difference ({} and {}) with {} power.",
            two_digits(*n_per_side),
            percent(rates[0]),
            percent(rates[1]),
            percent(POWER)
        ),
        Deciding::MoreTrials { name, more_per_side, n_per_side, power, rates, .. } => format!(
            "{more_per_side} more trials a side at {name}, {n_per_side} in all, would decide it with \
             {} % power, if the rates are those seen ({} and {}).",
            percent_to(*power, 0),
            percent(rates[0]),
            percent(rates[1]),
        ),
        Deciding::MoreUnits { unit, per_side, trials_each, .. } => {
            let now = &comparison.units;
            let each = counted(*trials_each, "trial", "trials");
            match unit {
                Unit::Stretch => format!(
                    "Measure both in the same blocks of one run, or {per_side} runs of {each} a cell for each \
                     side, in turns: base, test, base, test."
                ),
                _ => format!(
                    "{} of {each} a cell for each side would do, instead of {}: `--boots {per_side}`.",
                    units::of(*unit, *per_side),
                    match now.base.max(now.test) {
                        1 => "one boot".to_string(),
                        most => units::of(*unit, most),
                    }
                ),
            }
        }
        Deciding::MoreUnitsWithoutStall { unit, in_all, below } => format!(
            "{} of `{test}` without a {NOUN} where `{base}` {HAS} would make it `fixed` (at most {}).",
            units::of(*unit, *in_all),
            percent(*below),
        ),
        Deciding::TooMany { name, rates, .. } => format!(
            "The rates seen are too near each other for more trials to tell apart (at {name}, {} and \
             {}).",
            percent(rates[0]),
            percent(rates[1])
        ),
        Deciding::AnotherCell { .. } => format!(
            "Measure where `{base}` {HAS}: with more threads, or with a ramp that adds threads under \
             load."
        ),
        Deciding::MoreWithoutStall { more, at, below } => format!(
            "{} of `{test}` without a {NOUN} where `{base}` {HAS} would make it `fixed` (at most \
             {}){}.",
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
            "More trials make it `fixed` only if `{test}` really {HAS} in less than {bound} at {name}, \
             and {k} of {n} speak against that."
        ),
        Deciding::StillStalls { test: [k, n] } => format!(
            "`{test}` still {HAD} in {k} of {n} where `{base}` does: more trials make it `fixed` only \
             if it really {HAS} in less than {bound}."
        ),
        Deciding::LowerBound { base: share } => format!(
            "`{base}` {HAD} in {} of its trials, averaged over the strata where it did: give \
             `--fixed-below` a smaller share.",
            percent(*share)
        ),
    })
}

/// Rounded up to two digits: 2,352 is about 2400.
fn two_digits(n: u64) -> u64 {
    let unit = 10_u64.pow(n.max(1).ilog10().saturating_sub(1));
    n.div_ceil(unit).saturating_mul(unit)
}

/// What is to be known before doing it.
pub fn how(comparison: &Comparison) -> Option<String> {
    match comparison.what_would_decide.as_ref()? {
        Deciding::MoreUnits { unit: unit @ Unit::Boot, for_the_bound, .. } => Some(format!(
            "A bound of {} needs {} of `{}` without a {NOUN}.",
            percent(comparison.verdict.rules.fixed_below),
            units::of(*unit, *for_the_bound),
            comparison.test.name
        )),
        Deciding::MoreTrials { is_approximate: false, n_per_side, .. } => Some(format!(
            "The power is that of Fisher's test, and the rates are estimates. Testing twice errs more \
             often than the level says: {n_per_side} fresh trials a side keep the level."
        )),
        Deciding::TooMany { for_a_halving: Some(n), .. } => Some(format!(
            "{} a side would show a halving, if there is one, with {} power.",
            counted(*n, "trial", "trials"),
            percent(POWER)
        )),
        _ => None,
    }
}
