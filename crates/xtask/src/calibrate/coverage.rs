//! Counting how often an interval holds the truth.

use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

use super::{Effort, Family};
use stats::{Interval, Level, stream};

/// Where an interval was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The family, as on the command line.
    pub family: Family,
    /// What the interval is for: `p`, `difference`, `median`, …
    pub quantity: String,
    /// How much data: `n=24`. Methods are summed up over all truths of one size. Where the method's
    /// assumption does not hold, a comma and how: `n=24+8, b wider`.
    pub size: String,
    /// The truth: `p=0.1`.
    pub truth: String,
}

/// Whether a coverage is exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// All possible data with their probabilities.
    Enumerated,
    /// So too, at the truth where a search found the least: the method's worst case.
    Searched,
    /// Drawn data; `standard_error` says how far off it may be.
    Simulated,
}

/// One method's coverage in one setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Coverage {
    /// Where.
    pub setting: Setting,
    /// The interval's method, by its name in docs/reference/commands.md.
    pub method: String,
    /// The nominal level.
    pub level: Level,
    /// Exact or simulated.
    pub how: How,
    /// The probability that the interval does not exclude the truth. A bound that does not exist
    /// excludes nothing.
    pub coverage: f64,
    /// The probability that the whole interval is above the truth.
    pub above: f64,
    /// The probability that the whole interval is below the truth.
    pub below: f64,
    /// The probability that neither bound exists. Such data count as covered; where this is
    /// large, `coverage` says little.
    pub unbounded: f64,
    /// The Monte Carlo standard error of `coverage`; 0 if enumerated.
    pub standard_error: f64,
}

/// A running count for one method.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    weight: f64,
    above: f64,
    below: f64,
    unbounded: f64,
}

impl Tally {
    /// Counts one interval, with the probability or the weight of its data.
    pub fn count(&mut self, truth: f64, low: Option<f64>, high: Option<f64>, weight: f64) {
        self.weight += weight;
        if low.is_some_and(|low| low > truth) {
            self.above += weight;
        } else if high.is_some_and(|high| high < truth) {
            self.below += weight;
        }
        if low.is_none() && high.is_none() {
            self.unbounded += weight;
        }
    }

    /// The coverage so far.
    pub fn coverage(&self, setting: Setting, method: &str, level: Level, how: How) -> Coverage {
        let share = |x: f64| x / self.weight;
        let coverage = 1.0 - share(self.above + self.below);
        let standard_error = match how {
            How::Enumerated | How::Searched => 0.0,
            How::Simulated => (coverage * (1.0 - coverage) / self.weight).sqrt(),
        };
        Coverage {
            setting,
            method: method.to_string(),
            level,
            how,
            coverage,
            above: share(self.above),
            below: share(self.below),
            unbounded: share(self.unbounded),
            standard_error,
        }
    }
}

/// Exact coverage: `data` yields each possible data set's probability and its intervals, one a
/// method and always in the same order.
pub fn enumerate<Found: AsRef<[Interval]>>(
    setting: &Setting,
    truth: f64,
    level: Level,
    data: impl IntoIterator<Item = (f64, Found)>,
) -> Vec<Coverage> {
    let mut tallies: Vec<(&'static str, Tally)> = Vec::new();
    for (probability, intervals) in data {
        let intervals = intervals.as_ref();
        if tallies.is_empty() {
            tallies = intervals.iter().map(|i| (i.method, Tally::default())).collect();
        }
        for ((_, tally), interval) in tallies.iter_mut().zip(intervals) {
            tally.count(truth, interval.low, interval.high, probability);
        }
    }
    finished(tallies, setting, level, How::Enumerated)
}

/// Of enumerated rows, the one with the least coverage of each quantity, size and method: the end of a
/// search for the worst truth. Of those that are equal but for rounding, the first.
pub fn searched(rows: Vec<Coverage>) -> Vec<Coverage> {
    let mut least: Vec<Coverage> = Vec::new();
    for row in rows {
        let same = |one: &&mut Coverage| {
            (&one.setting.quantity, &one.setting.size, &one.method)
                == (&row.setting.quantity, &row.setting.size, &row.method)
        };
        match least.iter_mut().find(same) {
            Some(one) if row.coverage < one.coverage - 1e-12 => *one = row,
            Some(_) => {}
            None => least.push(row),
        }
    }
    least.into_iter().map(|row| Coverage { how: How::Searched, ..row }).collect()
}

/// Simulated coverage over `effort.data_sets` data sets: `data` draws one and answers its intervals,
/// one a method and always in the same order. `number` tells settings apart, so that each has its
/// own streams of chance.
pub fn simulate(
    setting: &Setting,
    truth: f64,
    effort: &Effort,
    number: usize,
    data: impl Fn(&mut ChaCha8Rng) -> Vec<Interval> + Sync,
) -> Vec<Coverage> {
    simulate_together(&[(setting.clone(), truth)], effort, number, |rng| vec![data(rng)])
}

/// As [`simulate`] for several quantities of the same data: `data` answers a list of intervals each.
pub fn simulate_together(
    quantities: &[(Setting, f64)],
    effort: &Effort,
    number: usize,
    data: impl Fn(&mut ChaCha8Rng) -> Vec<Vec<Interval>> + Sync,
) -> Vec<Coverage> {
    // SplitMix64's increment keeps the seeds of neighbouring settings apart.
    let seed = effort.seed ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let drawn = stream::draws(seed, effort.data_sets, || (), |rng, _| data(rng));
    let mut rows = Vec::new();
    for (i, (setting, truth)) in quantities.iter().enumerate() {
        let mut of_quantity = drawn.iter().filter_map(|of_data| of_data.get(i)).peekable();
        let mut tallies: Vec<(&'static str, Tally)> = of_quantity
            .peek()
            .map(|intervals| intervals.iter().map(|i| (i.method, Tally::default())).collect())
            .unwrap_or_default();
        for intervals in of_quantity {
            for ((_, tally), interval) in tallies.iter_mut().zip(intervals) {
                tally.count(*truth, interval.low, interval.high, 1.0);
            }
        }
        rows.extend(finished(tallies, setting, effort.level, How::Simulated));
    }
    rows
}

fn finished(
    tallies: Vec<(&'static str, Tally)>,
    setting: &Setting,
    level: Level,
    how: How,
) -> Vec<Coverage> {
    tallies
        .into_iter()
        .map(|(method, tally)| tally.coverage(setting.clone(), method, level, how))
        .collect()
}

/// One method at one size, over all truths tried.
#[derive(Debug, Clone, PartialEq)]
pub struct CoverageSummary {
    /// The family, as on the command line.
    pub family: Family,
    /// What the interval is for.
    pub quantity: String,
    /// How much data.
    pub size: String,
    /// The interval's method.
    pub method: String,
    /// The nominal level.
    pub level: Level,
    /// Whether all its coverages are exact.
    pub how: How,
    /// How many truths, but for one that a search ended at.
    pub truths: usize,
    /// The least coverage.
    pub least: f64,
    /// The truth where it is least.
    pub least_at: String,
    /// The mean over the truths, each counting the same.
    pub mean: f64,
    /// The largest probability that neither bound exists.
    pub unbounded: f64,
    /// The largest standard error of a coverage; 0 if all are enumerated.
    pub standard_error: f64,
}

/// The rows by family, quantity, method and size, in the order of their first appearance.
pub fn summarize(rows: &[Coverage]) -> Vec<CoverageSummary> {
    let mut summaries: Vec<CoverageSummary> = Vec::new();
    for row in rows {
        let Setting { family, quantity, size, truth } = &row.setting;
        let same = |s: &CoverageSummary| {
            (&s.family, &s.quantity, &s.size, &s.method) == (family, quantity, size, &row.method)
        };
        let at = summaries.iter().position(same).unwrap_or_else(|| {
            summaries.push(CoverageSummary {
                family: *family,
                quantity: quantity.clone(),
                size: size.clone(),
                method: row.method.clone(),
                level: row.level,
                how: How::Enumerated,
                truths: 0,
                least: f64::INFINITY,
                least_at: String::new(),
                mean: 0.0,
                unbounded: 0.0,
                standard_error: 0.0,
            });
            summaries.len() - 1
        });
        let summary = &mut summaries[at];
        if row.how != How::Searched {
            summary.mean += (row.coverage - summary.mean) / (summary.truths + 1) as f64;
            summary.truths += 1;
            summary.unbounded = summary.unbounded.max(row.unbounded);
        }
        if row.coverage < summary.least {
            summary.least = row.coverage;
            summary.least_at = truth.clone();
        }
        if row.how == How::Simulated {
            summary.how = How::Simulated;
        }
        summary.standard_error = summary.standard_error.max(row.standard_error);
    }
    summaries
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    fn setting(truth: &str) -> Setting {
        Setting {
            family: Family::Proportions,
            quantity: "q".into(),
            size: "n=1".into(),
            truth: truth.into(),
        }
    }

    #[test]
    fn a_missing_bound_excludes_nothing() {
        let mut tally = Tally::default();
        tally.count(5.0, Some(4.0), Some(6.0), 0.25);
        tally.count(5.0, Some(6.0), None, 0.25);
        tally.count(5.0, None, Some(4.0), 0.25);
        tally.count(5.0, None, None, 0.25);
        let row = tally.coverage(setting("5"), "m", Level::P95, How::Enumerated);
        assert_eq!((row.coverage, row.above, row.below, row.unbounded), (0.5, 0.25, 0.25, 0.25));
        assert_eq!(row.standard_error, 0.0);
    }

    #[test]
    fn simulation_finds_a_known_coverage() {
        // u − 0.9 to u holds 0 with probability 0.9.
        let effort = Effort { data_sets: 20_000, ..Effort::default() };
        let rows = simulate(&setting("0"), 0.0, &effort, 1, |rng| {
            let u: f64 = rng.random();
            vec![Interval::new("m", Level::P95, u - 0.9, u)]
        });
        assert!((rows[0].coverage - 0.9).abs() < 5.0 * rows[0].standard_error, "{rows:?}");
        assert!((rows[0].standard_error - 0.0021).abs() < 2e-4);
        assert_eq!(rows[0].below, 0.0);
    }

    #[test]
    fn the_summary_keeps_the_least() {
        let row = |truth: &str, coverage: f64| Coverage {
            setting: setting(truth),
            method: "m".into(),
            level: Level::P95,
            how: How::Enumerated,
            coverage,
            above: 0.0,
            below: 1.0 - coverage,
            unbounded: 0.0,
            standard_error: 0.0,
        };
        let summary = summarize(&[row("a", 0.96), row("b", 0.92), row("c", 0.94)]);
        assert_eq!(summary.len(), 1);
        assert_eq!((summary[0].least, summary[0].least_at.as_str()), (0.92, "b"));
        assert!((summary[0].mean - 0.94).abs() < 1e-12);
        // What a search found is the least, and no part of the mean.
        let rows = vec![row("d", 0.9), row("e", 0.8), row("f", 0.8), row("g", 0.85)];
        let worst = searched(rows);
        assert_eq!(worst.len(), 1);
        let summary = summarize(&[row("a", 0.96), worst[0].clone(), row("c", 0.94)]);
        assert_eq!((summary[0].least, summary[0].least_at.as_str()), (0.8, "e"));
        assert!((summary[0].mean - 0.95).abs() < 1e-12);
        assert_eq!((summary[0].truths, summary[0].how), (2, How::Enumerated));
    }
}
