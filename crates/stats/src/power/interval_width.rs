//! Trials for an interval of a given width.

use serde::Serialize;

use super::super::binomial::{self, Probability};
use super::super::proportion::{self, Proportion};
use super::super::{Interval, Level, StatError};
use super::probability;

/// The most trials that are looked at.
pub const MOST_TRIALS: u64 = 1_000_000;

/// The intervals of a proportion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IntervalMethod {
    /// Wilson's score interval, the default.
    #[default]
    Wilson,
    /// Clopper and Pearson's exact interval.
    ClopperPearson,
    /// Jeffreys'.
    Jeffreys,
    /// The mid-P interval.
    MidP,
}

impl IntervalMethod {
    /// All of them.
    pub const ALL: [IntervalMethod; 4] = [
        IntervalMethod::Wilson,
        IntervalMethod::ClopperPearson,
        IntervalMethod::Jeffreys,
        IntervalMethod::MidP,
    ];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            IntervalMethod::Wilson => "wilson",
            IntervalMethod::ClopperPearson => "clopper-pearson",
            IntervalMethod::Jeffreys => "jeffreys",
            IntervalMethod::MidP => "mid-p",
        }
    }

    /// The interval of a proportion.
    pub fn interval(self, of: Proportion, level: Level) -> Interval {
        match self {
            IntervalMethod::Wilson => proportion::wilson(of, level),
            IntervalMethod::ClopperPearson => proportion::clopper_pearson(of, level),
            IntervalMethod::Jeffreys => proportion::jeffreys(of, level),
            IntervalMethod::MidP => proportion::mid_p(of, level),
        }
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrialsForWidth {
    /// Trials.
    pub n: u64,
    /// The width (high − low) to be expected at n.
    pub expected_width: f64,
    /// The probability that was assumed.
    pub p: f64,
    /// The interval's level.
    pub level: Level,
    /// The interval's method.
    pub interval: &'static str,
}

/// The mean width of the interval over the counts that n trials at probability p give: exact, by
/// enumeration.
fn expected_width(n: u64, p: f64, level: Level, method: IntervalMethod) -> f64 {
    let at = Probability::new(p);
    let width = |k: u64| {
        let interval = Proportion::new(k, n).map(|of| method.interval(of, level));
        interval.ok().and_then(|i| i.low.zip(i.high)).map_or(1.0, |(low, high)| high - low)
    };
    // Outwards from the mode until the masses no longer count.
    let mode = (((n + 1) as f64 * p) as u64).min(n);
    let mut sum = 0.0;
    for k in mode..=n {
        let mass = binomial::pmf(k, n, at);
        sum += mass * width(k);
        if mass < 1e-14 {
            break;
        }
    }
    for k in (0..mode).rev() {
        let mass = binomial::pmf(k, n, at);
        sum += mass * width(k);
        if mass < 1e-14 {
            break;
        }
    }
    sum
}

/// The least n whose interval is expected to be no wider than `width`, if the probability is `p`.
/// p = 0.5 is the safe assumption. The expected width falls as n grows, so this is found by
/// halving.
///
/// # Errors
/// [`StatError::Domain`] unless 0 < width < 1 and p is in [0, 1], and n is at most
/// [`MOST_TRIALS`].
pub fn trials(
    width: f64,
    p: f64,
    level: Level,
    method: IntervalMethod,
) -> Result<TrialsForWidth, StatError> {
    let p = probability("the probability assumed", p)?;
    if !(width > 0.0 && width < 1.0) {
        return Err(StatError::domain(
            "the width",
            width,
            "a number above 0 and below 1, the distance from the low bound to the high one",
        ));
    }
    // A width that is met exactly may be computed a rounding above.
    let narrow = |n: u64| expected_width(n, p, level, method) <= width * (1.0 + 1e-12);
    let (mut low, mut high) = (0, 1);
    while !narrow(high) {
        if high >= MOST_TRIALS {
            return Err(StatError::domain(
                "the width",
                width,
                format!("one that {MOST_TRIALS} trials reach"),
            ));
        }
        (low, high) = (high, (2 * high).min(MOST_TRIALS));
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if narrow(middle) { high = middle } else { low = middle }
    }
    Ok(TrialsForWidth {
        n: high,
        expected_width: expected_width(high, p, level, method),
        p,
        level,
        interval: method.name(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expected_width_falls_with_n() {
        for method in IntervalMethod::ALL {
            for p in [0.0, 0.01, 0.2, 0.5, 0.93, 1.0] {
                let mut before = f64::INFINITY;
                for n in 1..60 {
                    let width = expected_width(n, p, Level::P95, method);
                    assert!(width < before, "{method:?} {p} {n}: {width} {before}");
                    before = width;
                }
            }
        }
    }

    #[test]
    fn is_the_mean_over_all_counts() {
        let (n, p) = (23, 0.3);
        let mut mean = 0.0;
        for k in 0..=n {
            let interval = proportion::wilson(Proportion::new(k, n).unwrap(), Level::P95);
            let width = interval.high.unwrap() - interval.low.unwrap();
            mean += binomial::pmf(k, n, Probability::new(p)) * width;
        }
        let found = expected_width(n, p, Level::P95, IntervalMethod::Wilson);
        assert!((found - mean).abs() < 1e-12);
    }

    #[test]
    fn a_width_of_a_fifth_at_one_half() {
        // The normal approximation: (1.96 / 0.1)² / 4 = 96; Wilson's is narrower by z² ≈ 4 trials.
        let found = trials(0.2, 0.5, Level::P95, IntervalMethod::Wilson).unwrap();
        assert!((88..=96).contains(&found.n), "{found:?}");
        assert!(expected_width(found.n - 1, 0.5, Level::P95, IntervalMethod::Wilson) > 0.2);
        assert!(trials(0.0, 0.5, Level::P95, IntervalMethod::Wilson).is_err());
        assert!(trials(1e-5, 0.5, Level::P95, IntervalMethod::Wilson).is_err());
        assert!(trials(0.1, 1.5, Level::P95, IntervalMethod::Wilson).is_err());
    }
}
