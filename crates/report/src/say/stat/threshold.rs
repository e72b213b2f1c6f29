//! From how many threads on it stalls.

use stats::threshold::{Beyond, Note, Threshold};
use stats::{Estimate, Level};

pub use stats::said::threshold::note;

use super::number;

/// The answer in a sentence.
pub fn headline(found: &Threshold, level: Level) -> String {
    let (from, to) = found.range().unwrap_or_default();
    let beyond = found.beyond.t50.or_else(|| of_bounds(&found.t50, (from, to)));
    match (found.t50.estimate, beyond) {
        (Some(threads), _) if !found.fits() => format!(
            "Half of the trials or more stall from {} threads on, by the isotonic estimate.",
            number(threads)
        ),
        (Some(threads), _) => format!(
            "Half of the trials stall at {} threads ({} with {} % confidence).",
            number(threads),
            interval(&found.t50, (from, to)),
            level.percent()
        ),
        (None, Some(Beyond::Below)) => {
            format!(
                "Half of the trials stall already below {from} threads, the smallest count tried."
            )
        }
        (None, Some(Beyond::Above)) if found.fits() => {
            format!("Half of the trials stall only above {to} threads, the largest count tried.")
        }
        (None, Some(Beyond::Above)) => {
            format!("At no thread count tried, up to {to}, does half of the trials stall.")
        }
        (None, None) => "The data give no thread count at which half of the trials stall.".into(),
    }
}

/// On which side of the thread counts tried a threshold lies that has no estimate and one bound.
fn of_bounds(of: &Estimate, (from, to): (u64, u64)) -> Option<Beyond> {
    match (of.estimate, of.low, of.high) {
        (None, None, Some(high)) if high < from as f64 => Some(Beyond::Below),
        (None, Some(low), None) if low > to as f64 => Some(Beyond::Above),
        _ => None,
    }
}

/// A threshold in a table: `11.3 (8.1 to 15.2)`, `below 2` where it lies beyond the thread counts tried,
/// from the first to the second of `tried`.
pub fn at(of: &Estimate, beyond: Option<Beyond>, tried: (u64, u64)) -> String {
    let (from, to) = (tried.0 as f64, tried.1 as f64);
    let beyond = beyond.or_else(|| of_bounds(of, tried));
    match (beyond, of.estimate) {
        (Some(Beyond::Below), _) => match of.high.filter(|high| (from..=to).contains(high)) {
            Some(high) => format!("below {from} (interval up to {})", number(high)),
            None => format!("below {from}"),
        },
        (Some(Beyond::Above), _) => match of.low.filter(|low| (from..=to).contains(low)) {
            Some(low) => format!("above {to} (interval from {})", number(low)),
            None => format!("above {to}"),
        },
        (None, None) if of.low.is_none() && of.high.is_none() => "-".to_string(),
        (None, Some(threads)) if of.low.is_none() && of.high.is_none() => number(threads),
        (None, estimate) => format!("{} ({})", number(estimate), interval(of, tried)),
    }
}

/// `8.1 to 15.2`; a bound beyond the thread counts tried says so.
fn interval(of: &Estimate, (from, to): (u64, u64)) -> String {
    let bound = |bound: Option<f64>| match bound {
        Some(bound) if bound < from as f64 => format!("below {from}"),
        Some(bound) if bound > to as f64 => format!("above {to}"),
        bound => number(bound),
    };
    format!("{} to {}", bound(of.low), bound(of.high))
}

/// Whether a note says what the short text does not say itself.
pub fn adds(note: &Note) -> bool {
    !matches!(note, Note::Extrapolated { .. })
}

/// Why there are no one-sided bounds.
pub fn no_one_sided(level: Level) -> String {
    format!(
        "no one-sided bounds at {} %: at a level of 50 % or less such a bound is the estimate or beyond it",
        level.percent()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_beyond_the_counts_tried_is_not_a_number() {
        let of = |low, estimate, high| Estimate { estimate, low, high };
        let tried = (2, 192);
        assert_eq!(at(&of(None, None, Some(0.9)), Some(Beyond::Below), tried), "below 2");
        let wide = at(&of(Some(0.1), None, Some(5.0)), Some(Beyond::Below), tried);
        assert_eq!(wide, "below 2 (interval up to 5)");
        assert_eq!(at(&of(Some(250.0), None, None), Some(Beyond::Above), tried), "above 192");
        assert_eq!(at(&of(Some(1.0), Some(3.0), Some(9.0)), None, tried), "3 (below 2 to 9)");
        assert_eq!(at(&of(Some(1.0), Some(3.0), None), None, tried), "3 (below 2 to -)");
        assert_eq!(at(&of(None, Some(32.0), None), None, tried), "32");
    }
}
