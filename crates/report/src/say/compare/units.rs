//! What was counted as independent.

use analysis::compare::Comparison;
use analysis::compare::order::Order;
use analysis::compare::units::{Counted, Unit};
use stats::words::counted;

/// `12 boots`.
pub fn of(unit: Unit, count: u64) -> String {
    match unit {
        Unit::Trial => counted(count, "trial", "trials"),
        Unit::Boot => counted(count, "boot", "boots"),
        Unit::Stretch => counted(count, "stretch of time", "stretches of time"),
    }
}

/// ` from 12 boots a side`, or nothing where trials are independent.
pub fn counted_of(units: &Counted) -> String {
    match units.unit {
        Unit::Trial => String::new(),
        unit if units.base == units.test => format!(" from {} a side", of(unit, units.test)),
        unit => format!(" from {} against {}", units.test, of(unit, units.base)),
    }
}

/// Why so few units decide nothing.
pub fn too_few(comparison: &Comparison, of_trials: &str) -> String {
    let units = &comparison.units;
    let shared = match units.unit {
        Unit::Boot => "trials of one boot share what that boot drew",
        _ if comparison.order == Order::Unknown => {
            "no record says that the sides were measured in turns, and the machine may have changed between them"
        }
        _ if comparison.order == Order::Alternating => {
            "so few turns can't tell what the machine did from what the patch does"
        }
        _ if comparison.order == Order::AtTheSameTime => {
            "the sides were measured apart, and their machines may differ"
        }
        _ => "the sides were not measured in turns, and the machine may have changed between them",
    };
    if comparison.order == Order::PartlyInterleaved {
        return format!(
            "If all trials were independent it would be `{of_trials}`, but only part of them share blocks \
             with the other side, and the machine may have changed between the others."
        );
    }
    let there = match (units.base, units.test) {
        (1, 1) => match units.unit {
            Unit::Boot => "one boot a side".to_string(),
            _ => "one stretch of time a side".to_string(),
        },
        _ => format!(
            "{} of the base and {} of the test side",
            of(units.unit, units.base),
            units.test
        ),
    };
    format!(
        "If all trials were independent it would be `{of_trials}`, but they come from {there}: {shared}."
    )
}
