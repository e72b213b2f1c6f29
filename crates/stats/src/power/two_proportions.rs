//! Trials a side for a test of two proportions, by enumeration of every table.

use std::collections::HashMap;

use rayon::prelude::*;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::erf::erfc;

use super::super::binomial::{self, Probability};
use super::super::hypergeometric::Hypergeometric;
use super::super::two_by_two::unconditional::Region;
use super::super::two_by_two::{barnard, fisher, fisher_mid_p};
use super::super::{Alternative, Level, StatError};
use super::{probability, wanted_power};

/// Values that are equal in exact arithmetic agree to this, relatively.
const SAME: f64 = 1e-10;

/// The tests whose power is enumerated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PowerTest {
    /// Fisher's exact test: the default, as in a comparison.
    #[default]
    Fisher,
    /// Fisher's test with the mid-P value.
    FisherMidP,
    /// Boschloo's unconditional exact test.
    Boschloo,
    /// Barnard's unconditional exact test, pooled score.
    Barnard,
}

impl PowerTest {
    /// All of them.
    pub const ALL: [PowerTest; 4] =
        [PowerTest::Fisher, PowerTest::FisherMidP, PowerTest::Boschloo, PowerTest::Barnard];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            PowerTest::Fisher => "fisher",
            PowerTest::FisherMidP => "fisher-mid-p",
            PowerTest::Boschloo => "boschloo",
            PowerTest::Barnard => "barnard",
        }
    }

    /// The most trials a side that are enumerated for it.
    pub fn most_trials(self) -> u64 {
        match self {
            PowerTest::Fisher | PowerTest::FisherMidP => 5_000,
            PowerTest::Boschloo | PowerTest::Barnard => 1_000,
        }
    }
}

/// What is to be told apart, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Design {
    base: Probability,
    test: Probability,
    by: PowerTest,
    level: Level,
    alternative: Alternative,
}

impl Design {
    /// The true probabilities of the two sides, the test, its level (1 − its error rate, which is
    /// two-sided unless the alternative is not) and the alternative.
    ///
    /// # Errors
    /// [`StatError::Domain`] for a probability outside [0, 1], equal ones, or an alternative that
    /// looks the other way.
    pub fn new(
        base: f64,
        test: f64,
        by: PowerTest,
        level: Level,
        alternative: Alternative,
    ) -> Result<Self, StatError> {
        let base = probability("the base's probability", base)?;
        let test = probability("the test side's probability", test)?;
        if base == test {
            return Err(StatError::domain(
                "the test side's probability",
                test,
                "one that differs from the base's: no number of trials shows that nothing differs",
            ));
        }
        let away = match alternative {
            Alternative::TwoSided => false,
            Alternative::Less => test > base,
            Alternative::Greater => test < base,
        };
        if away {
            return Err(StatError::domain(
                "the test side's probability",
                test,
                format!("one on the side that the alternative looks at, from the base's {base}"),
            ));
        }
        let [base, test] = [base, test].map(Probability::new);
        Ok(Design { base, test, by, level, alternative })
    }

    /// The error rate, a rounding above it: a p-value that equals it in exact arithmetic rejects, as 1/5
    /// does at a level of 0.8, although 1 − 0.8 is below 0.2 in binary.
    fn alpha(&self) -> f64 {
        self.level.alpha() * (1.0 + SAME)
    }

    /// The probability that the test rejects with n trials a side: the sum over all tables that it
    /// rejects of their probability.
    ///
    /// # Errors
    /// [`StatError::Domain`] unless n is from 1 to [`PowerTest::most_trials`].
    pub fn power(&self, n: u64) -> Result<f64, StatError> {
        let most = self.by.most_trials();
        if n == 0 || n > most {
            return Err(StatError::domain(
                format!("the number of trials a side for {}", self.by.name()),
                n,
                format!("1 to {most}, which is what is enumerated"),
            ));
        }
        Ok(match self.by {
            PowerTest::Fisher => self.conditional(n, fisher::p_value),
            PowerTest::FisherMidP => self.conditional(n, fisher_mid_p::p_value),
            PowerTest::Boschloo => self.boschloo(n as usize),
            PowerTest::Barnard => self.barnard(n as usize),
        })
    }

    /// Power of a test that conditions on the margins: in each margin it rejects both ends.
    fn conditional(
        &self,
        n: u64,
        p_value: impl Fn(Hypergeometric, u64, Alternative) -> f64,
    ) -> f64 {
        let alpha = self.alpha();
        // In a margin: reject x2 below the first, or at least the second.
        let mut ends: HashMap<u64, (u64, u64)> = HashMap::new();
        // Those of the margin before, which are hardly ever more than one off.
        let mut near = (0, 0);
        let mut ends_of = |total: u64| {
            *ends.entry(total).or_insert_with(|| {
                let given = Hypergeometric::new(n, n, total);
                let rejects = |x: u64| p_value(given, x, self.alternative) <= alpha;
                let (least, greatest) = (given.least(), given.greatest());
                // The sides are equal, so the masses peak at half of the total; p rises towards it.
                let middle = total / 2;
                let low = match self.alternative {
                    Alternative::Greater => least,
                    Alternative::Less => first(least, greatest + 1, near.0, |x| !rejects(x)),
                    Alternative::TwoSided => first(least, middle + 1, near.0, |x| !rejects(x)),
                };
                let high = match self.alternative {
                    Alternative::Less => greatest + 1,
                    Alternative::Greater => first(least, greatest + 1, near.1, rejects),
                    Alternative::TwoSided => first(middle, greatest + 1, near.1, rejects),
                };
                near = (low, high);
                near
            })
        };
        let base = masses(n, self.base);
        let test = masses(n, self.test);
        let mut power = 0.0;
        for &(x1, m1) in &base {
            for &(x2, m2) in &test {
                let (low, high) = ends_of(x1 + x2);
                if x2 < low || x2 >= high {
                    power += m1 * m2;
                }
            }
        }
        power.min(1.0)
    }

    /// Two-sided it is twice the smaller one-sided p-value: both one-sided regions at α/2.
    fn boschloo(&self, n: usize) -> f64 {
        let alpha = match self.alternative {
            Alternative::TwoSided => self.alpha() / 2.0,
            _ => self.alpha(),
        };
        let value = |x1: usize, x2: usize| {
            Hypergeometric::new(n as u64, n as u64, (x1 + x2) as u64).at_least(x2 as u64)
        };
        let region = |cut: f64| Region::empty(n, n).with_high(|x1, x2| value(x1, x2) <= cut);
        let greater = critical(n, alpha, value, region);
        // With equal sides the lower region is the upper one with the sides changed.
        let upper = || greater.probability(self.base, self.test);
        let lower = || greater.probability(self.test, self.base);
        match self.alternative {
            Alternative::TwoSided => (upper() + lower()).min(1.0),
            Alternative::Greater => upper(),
            Alternative::Less => lower(),
        }
    }

    fn barnard(&self, n: usize) -> f64 {
        let z = |x1: usize, x2: usize| {
            barnard::Score::of(n as u64, n as u64, x1 as u64, x2 as u64).z(n as u64, n as u64)
        };
        // Ordered by the nominal p-value of z, so that the search starts at the level.
        let nominal = |z: f64| 0.5 * erfc(z * std::f64::consts::FRAC_1_SQRT_2);
        let alpha = self.alpha();
        let greater = match self.alternative {
            Alternative::TwoSided => critical(
                n,
                alpha,
                |x1, x2| 2.0 * nominal(z(x1, x2).abs()),
                |cut| {
                    Region::empty(n, n)
                        .with_high(|x1, x2| z(x1, x2) > 0.0 && 2.0 * nominal(z(x1, x2)) <= cut)
                        .with_low(|x1, x2| z(x1, x2) < 0.0 && 2.0 * nominal(-z(x1, x2)) <= cut)
                },
            ),
            _ => critical(
                n,
                alpha,
                |x1, x2| nominal(z(x1, x2)),
                |cut| Region::empty(n, n).with_high(|x1, x2| nominal(z(x1, x2)) <= cut),
            ),
        };
        match self.alternative {
            Alternative::Less => greater.probability(self.test, self.base),
            _ => greater.probability(self.base, self.test),
        }
    }
}

/// The first x from `from` on at which `holds`, or `to`; from it on it holds up to there. Looked for from
/// `near` outwards in doubling steps, then by halving: a good guess costs two looks.
fn first(from: u64, to: u64, near: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let near = near.clamp(from, to);
    // It does not hold below `low`; at `high` it does, or that is the end.
    let (mut low, mut high) = (from, to);
    let mut step = 1;
    if near == to || holds(near) {
        high = near;
        while high > low {
            let at = high.saturating_sub(step).max(low);
            if !holds(at) {
                low = at + 1;
                break;
            }
            high = at;
            step *= 2;
        }
    } else {
        low = near + 1;
        while low < to {
            let at = low.saturating_add(step - 1).min(to - 1);
            if holds(at) {
                high = at;
                break;
            }
            low = at + 1;
            step *= 2;
        }
    }
    while low < high {
        let at = low + (high - low) / 2;
        if holds(at) { high = at } else { low = at + 1 }
    }
    low
}

/// The largest region of an ordering that no common π gives more than α. `value` is small for
/// extreme tables; `region(cut)` holds those with a value of at most `cut`.
fn critical(
    n: usize,
    alpha: f64,
    value: impl Fn(usize, usize) -> f64,
    region: impl Fn(f64) -> Region,
) -> Region {
    // A region that fits, and one that doesn't.
    let mut fits = region(alpha);
    let mut too_wide = None;
    let mut cut = alpha;
    while fits.exceeds(alpha) {
        cut *= 0.5;
        too_wide = Some(std::mem::replace(&mut fits, region(cut)));
        if cut < f64::MIN_POSITIVE {
            return Region::empty(n, n);
        }
    }
    let too_wide = match too_wide {
        Some(region) => region,
        None => loop {
            if cut >= 1.0 {
                return fits;
            }
            cut = (2.0 * cut).min(1.0);
            let wider = region(cut);
            if wider.exceeds(alpha) {
                break wider;
            }
            fits = wider;
        },
    };
    // The tables in between, from the most extreme; those that are one value by symmetry go
    // together.
    let mut steps: Vec<(f64, usize, usize)> = (0..=n)
        .flat_map(|x1| (0..=n).map(move |x2| (x1, x2)))
        .filter(|&(x1, x2)| too_wide.contains(x1, x2) && !fits.contains(x1, x2))
        .map(|(x1, x2)| (value(x1, x2), x1, x2))
        .collect();
    steps.sort_by(|a, b| a.0.total_cmp(&b.0));
    let with = |last: f64| {
        let mut region = fits.clone();
        for &(_, x1, x2) in steps.iter().take_while(|step| step.0 <= last * (1.0 + SAME)) {
            region.extend(x1, x2, too_wide.is_high(x1, x2));
        }
        region
    };
    let (mut from, mut to) = (0, steps.len());
    let mut best = fits.clone();
    while from < to {
        let at = from + (to - from) / 2;
        let tried = with(steps[at].0);
        if tried.exceeds(alpha) {
            to = at;
        } else {
            best = tried;
            from = at + 1;
        }
    }
    best
}

/// The counts that n trials can give, with their probabilities; what is below 1e-18 is left out.
fn masses(n: u64, at: Probability) -> Vec<(u64, f64)> {
    (0..=n).map(|k| (k, binomial::pmf(k, n, at))).filter(|&(_, mass)| mass > 1e-18).collect()
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrialsNeeded {
    /// Trials a side.
    pub n_per_side: u64,
    /// The exact power at this number.
    pub power: f64,
    /// 1 − the error rate of the test.
    pub level: Level,
    /// The test.
    pub test: &'static str,
    /// How far up it was checked that the power stays.
    #[serde(skip)]
    pub checked_to: u64,
}

/// The power at n, as an answer.
///
/// # Errors
/// As [`Design::power`].
pub fn at(design: &Design, n: u64) -> Result<TrialsNeeded, StatError> {
    let power = design.power(n)?;
    let test = design.by.name();
    Ok(TrialsNeeded { n_per_side: n, power, level: design.level, test, checked_to: n })
}

/// The smallest number of trials a side from which the power stays at or above `power`.
///
/// Exact power is a saw: with one trial more the critical region may shrink. So the smallest n that
/// reaches the power once is not it; this is the n after the last one that falls short, up to a
/// quarter beyond where the power is first met (at least 12 beyond, where the teeth are longest):
/// [`TrialsNeeded::checked_to`].
///
/// # Errors
/// [`StatError::Domain`] for a power outside (0, 1), or where more trials are needed than
/// [`PowerTest::most_trials`].
pub fn trials(design: &Design, power: f64) -> Result<TrialsNeeded, StatError> {
    let power = wanted_power(power)?;
    let most = design.by.most_trials();
    let approximate = normal_approximation(design, power);
    let beyond = |n: f64| {
        StatError::domain(
            format!("the number of trials a side for {} at power {power}", design.by.name()),
            match n < 1e9 {
                true => format!("about {n:.0} (normal approximation)"),
                false => format!("about {n:.1e} (normal approximation)"),
            },
            format!("at most {most}, which is what is enumerated; take a larger difference"),
        )
    };
    if approximate > most as f64 {
        return Err(beyond(approximate));
    }
    let reach = |n: u64| (n + n / 4).max(n + 12).min(most);
    // Where it is met, near the approximation.
    let mut met = (approximate.ceil() as u64).clamp(1, most);
    while design.power(met)? < power {
        if met >= most {
            return Err(beyond(approximate.max(most as f64 + 1.0)));
        }
        met = (met + (met / 20).max(1)).min(most);
    }
    // The last n that falls short, from the top down; if it is the top itself, look farther.
    let mut checked_to = reach(met);
    loop {
        let short = (0..checked_to as usize)
            .into_par_iter()
            .map(|down| checked_to - down as u64)
            .find_map_first(|n| match design.power(n) {
                Ok(found) => (found < power).then_some(Ok(n)),
                Err(error) => Some(Err(error)),
            })
            .transpose()?
            .unwrap_or(0);
        if short < checked_to {
            return Ok(TrialsNeeded { checked_to, ..at(design, short + 1)? });
        }
        if checked_to >= most {
            return Err(beyond(approximate.max(most as f64 + 1.0)));
        }
        checked_to = reach(checked_to);
    }
}

/// The textbook number, as a place to begin.
fn normal_approximation(design: &Design, power: f64) -> f64 {
    let normal = Normal::standard();
    let tail = match design.alternative {
        Alternative::TwoSided => design.level.alpha() / 2.0,
        _ => design.level.alpha(),
    };
    let (a, b) = (design.base, design.test);
    let pooled = 0.5 * (a.p + b.p);
    let spread = -normal.inverse_cdf(tail) * (2.0 * pooled * (1.0 - pooled)).sqrt()
        + normal.inverse_cdf(power) * (a.p * a.q + b.p * b.q).sqrt();
    (spread.max(0.0) / (a.p - b.p)).powi(2).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::super::super::two_by_two::{TwoByTwo, boschloo};
    use super::*;

    /// Power by running the test on every table.
    fn by_brute_force(design: &Design, n: u64) -> f64 {
        let mut power = 0.0;
        for x1 in 0..=n {
            for x2 in 0..=n {
                let table = TwoByTwo::new(x1, n, x2, n).unwrap();
                let test = match design.by {
                    PowerTest::Fisher => fisher::test(table, design.alternative),
                    PowerTest::FisherMidP => fisher_mid_p::test(table, design.alternative),
                    PowerTest::Boschloo => boschloo::test(table, design.alternative),
                    PowerTest::Barnard => barnard::test(table, design.alternative),
                };
                if test.p_value.unwrap() <= design.level.alpha() {
                    power += binomial::pmf(x1, n, design.base) * binomial::pmf(x2, n, design.test);
                }
            }
        }
        power
    }

    #[test]
    fn the_first_is_found_from_any_guess() {
        for (from, to) in [(0, 0), (0, 1), (3, 40)] {
            for edge in from..=to {
                for near in 0..=to + 3 {
                    let looked = |x: u64| {
                        assert!((from..to).contains(&x), "{x} is no count");
                        x >= edge
                    };
                    assert_eq!(first(from, to, near, looked), edge, "{from} {to} {near}");
                }
            }
        }
    }

    #[test]
    fn power_is_that_of_the_test_on_every_table() {
        for by in PowerTest::ALL {
            for (base, test, alternative) in [
                (0.5, 0.1, Alternative::TwoSided),
                (0.5, 0.1, Alternative::Less),
                (0.05, 0.6, Alternative::Greater),
                (1.0, 0.4, Alternative::TwoSided),
            ] {
                let design = Design::new(base, test, by, Level::P95, alternative).unwrap();
                for n in [1, 2, 5, 9] {
                    let (found, expected) = (design.power(n).unwrap(), by_brute_force(&design, n));
                    assert!((found - expected).abs() < 1e-12, "{design:?} {n}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn from_the_answer_on_the_power_stays() {
        for by in PowerTest::ALL {
            let design = Design::new(0.8, 0.1, by, Level::P95, Alternative::TwoSided).unwrap();
            let found = trials(&design, 0.8).unwrap();
            assert!(design.power(found.n_per_side - 1).unwrap() < 0.8);
            for n in found.n_per_side..=found.checked_to {
                assert!(design.power(n).unwrap() >= 0.8, "{by:?} {n}");
            }
        }
    }

    #[test]
    fn what_no_number_of_trials_shows_is_refused() {
        let design =
            |base, test, side| Design::new(base, test, PowerTest::Fisher, Level::P95, side);
        assert!(design(0.5, 0.5, Alternative::TwoSided).is_err());
        assert!(design(0.5, 0.6, Alternative::Less).is_err());
        assert!(design(0.5, 1.6, Alternative::TwoSided).is_err());
        let close = design(0.5, 0.501, Alternative::TwoSided).unwrap();
        assert!(trials(&close, 0.8).unwrap_err().to_string().contains("normal approximation"));
        assert!(close.power(0).is_err() && close.power(1_000_000).is_err());
        assert!(trials(&close, 1.0).is_err());
    }
}
