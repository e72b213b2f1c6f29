//! Two samples.

use stats::samples::split::Split;
use stats::samples::{Note, SampleComparison};
use stats::words::counted;
use stats::{Alternative, Level};

pub use stats::said::samples::{modes as why, note};

use super::{number, p_is};

/// The answer in a sentence: the ratio of the medians, and whether the samples differ.
pub fn headline(found: &SampleComparison, level: Level) -> String {
    let test = found.tests.first();
    let p = test.and_then(|test| test.p_value);
    let by = test.map_or(String::new(), |test| {
        format!(" ({}{}, {})", test.method, side(test.alternative), p_is(p))
    });
    let differ = match p {
        Some(p) if p <= level.alpha() => "The samples differ",
        _ => "No difference between the samples is shown",
    };
    match found.median_ratio.estimate {
        Some(ratio) => {
            format!("{differ}{by}: the median of a is {} times that of b.", number(ratio))
        }
        None => format!("{differ}{by}."),
    }
}

fn side(alternative: Alternative) -> &'static str {
    match alternative {
        Alternative::TwoSided => "",
        Alternative::Less => ", one-sided: a below b",
        Alternative::Greater => ", one-sided: a above b",
    }
}

/// Whether a note is about a number that the short text shows.
pub fn is_of_shown(note: &Note) -> bool {
    !matches!(
        note,
        Note::NoBca { .. }
            | Note::MannWhitneyExact
            | Note::BrunnerMunzelOneValue
            | Note::BrunnerMunzelNoOverlap
            | Note::BrunnerMunzelLiberal
    )
}

/// Rows that have no value.
pub fn unobserved(sample: &str, without: u64, rows: u64) -> String {
    format!("{sample}: {} without a value, left out of {rows}", counted(without, "row", "rows"))
}

/// Why a sample was not looked at for two modes.
pub fn negative(sample: &str) -> String {
    format!(
        "{sample} is not looked at for two modes: it has negative values, which have no logarithm"
    )
}

/// Whether a sample has two modes, and why.
pub fn modes(sample: &str, found: &Split) -> String {
    match (found.cut, found.lower) {
        // Nothing but zeros below the cut: no fit, but the rule's convention.
        (Some(cut), Some(lower)) if lower == found.zeros => format!(
            "{lower} of {} values of {sample} {} 0 and count as the lower mode, below {}",
            found.n,
            if lower == 1 { "is" } else { "are" },
            number(cut),
        ),
        (Some(cut), Some(lower)) => format!(
            "{sample} has two modes, {lower} of {} below {}: {}. A median describes neither",
            found.n,
            number(cut),
            why(found)
        ),
        _ => format!("{sample} is not called bimodal: {}", why(found)),
    }
}
