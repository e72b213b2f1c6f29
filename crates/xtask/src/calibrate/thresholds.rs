//! Profile intervals of T10, T50, T90, slope and intercept under Firth's penalty.
//!
//! Trials at 4, 8, … 128 threads, with thresholds within and at the edge of them, and slopes from one
//! that spreads over all counts to one that mostly separates. The last setting breaks the model: the
//! curve levels off at 60 %, so that there is a T10 but the logistic curve is wrong.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{Coverage, Effort, Family, Setting, simulate_together};
use stats::threshold::{ThreadsTried, Threshold, threshold};
use stats::{Estimate, Interval, Level};

const THREADS: [u64; 6] = [4, 8, 16, 32, 64, 128];

/// p = ceiling / (1 + exp(−slope · (log₂ threads − log₂ half)))
#[derive(Debug, Clone, Copy)]
struct Truth {
    half: f64,
    slope: f64,
    ceiling: f64,
}

impl Truth {
    fn name(self) -> String {
        let Truth { half, slope, ceiling } = self;
        match ceiling < 1.0 {
            true => format!("half={half} slope={slope} ceiling={ceiling}"),
            false => format!("T50={half} slope={slope}"),
        }
    }

    /// A curve that levels off is summed up apart from those that the model fits.
    fn size(self, n: u64) -> String {
        match self.ceiling < 1.0 {
            true => format!("n={n} a count, levels off"),
            false => format!("n={n} a count"),
        }
    }

    fn p(self, threads: f64) -> f64 {
        self.ceiling / (1.0 + (-self.slope * (threads / self.half).log2()).exp())
    }

    /// Threads where p reaches `share`, if it does.
    fn threads_at(self, share: f64) -> Option<f64> {
        let odds = share / (self.ceiling - share);
        (share < self.ceiling).then(|| self.half * (odds.ln() / self.slope).exp2())
    }

    /// The truths of [`QUANTITIES`]. A curve that levels off has no T above its ceiling and is no
    /// logistic one, so that it has no slope and no intercept either.
    fn values(self) -> [Option<f64>; 5] {
        let logistic = |value: f64| (self.ceiling >= 1.0).then_some(value);
        [
            self.threads_at(0.1),
            self.threads_at(0.5),
            self.threads_at(0.9),
            logistic(self.slope),
            logistic(-self.slope * self.half.log2()),
        ]
    }

    fn draw(self, n: u64, rng: &mut ChaCha8Rng) -> Vec<ThreadsTried> {
        THREADS
            .iter()
            .map(|&threads| {
                let p = self.p(threads as f64);
                let k = (0..n).filter(|_| rng.random::<f64>() < p).count() as u64;
                ThreadsTried { threads, n, k }
            })
            .collect()
    }
}

/// What has an interval.
const QUANTITIES: [&str; 5] = ["t10", "t50", "t90", "slope", "intercept"];

const TRUTHS: [Truth; 5] = [
    Truth { half: 20.0, slope: 2.0, ceiling: 1.0 },
    Truth { half: 20.0, slope: 1.0, ceiling: 1.0 },
    Truth { half: 20.0, slope: 6.0, ceiling: 1.0 },
    Truth { half: 120.0, slope: 2.0, ceiling: 1.0 },
    Truth { half: 20.0, slope: 2.0, ceiling: 0.6 },
];

/// Coverage of the three thresholds and of the curve's two coefficients.
pub fn coverage(effort: &Effort) -> Vec<Coverage> {
    let (sizes, truths): (&[u64], &[Truth]) =
        if effort.whole_grid { (&[5, 10, 24], &TRUTHS) } else { (&[10], &TRUTHS[..3]) };
    let mut rows = Vec::new();
    for (i, &n) in sizes.iter().enumerate() {
        for (j, &truth) in truths.iter().enumerate() {
            let number = 2_000 + 10 * i + j;
            let setting = |quantity: &str| Setting {
                family: Family::Thresholds,
                quantity: quantity.into(),
                size: truth.size(n),
                truth: truth.name(),
            };
            let quantities: Vec<(Setting, f64)> = QUANTITIES
                .into_iter()
                .zip(truth.values())
                .filter_map(|(quantity, value)| Some((setting(quantity), value?)))
                .collect();
            rows.extend(simulate_together(&quantities, effort, number, |rng| {
                let found = intervals(truth, n, effort.level, rng).into_iter().zip(truth.values());
                found.filter(|(_, value)| value.is_some()).map(|(one, _)| vec![one]).collect()
            }));
        }
    }
    // Tables show a quantity at a time.
    rows.sort_by_key(|row| QUANTITIES.iter().position(|name| *name == row.setting.quantity));
    rows
}

/// The intervals of [`QUANTITIES`] on one data set. Data without a fit have no bounds.
fn intervals(truth: Truth, n: u64, level: Level, rng: &mut ChaCha8Rng) -> [Interval; 5] {
    let fit = threshold(&truth.draw(n, rng), level).ok();
    let none = Interval { method: "profile", level, low: None, high: None };
    let at = |of: fn(&Threshold) -> Estimate| {
        let Estimate { low, high, .. } = fit.as_ref().map(of).unwrap_or_default();
        Interval { low, high, ..none.clone() }
    };
    let coefficient =
        |of: fn(&Threshold) -> &Interval| fit.as_ref().map(of).unwrap_or(&none).clone();
    [
        at(|fit| fit.t10),
        at(|fit| fit.t50),
        at(|fit| fit.t90),
        coefficient(|fit| &fit.fit.slope_interval),
        coefficient(|fit| &fit.fit.intercept_interval),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truths_pass_their_own_thresholds() {
        for truth in TRUTHS {
            for share in [0.1, 0.5, 0.9] {
                match truth.threads_at(share) {
                    Some(threads) => assert!((truth.p(threads) - share).abs() < 1e-12),
                    None => assert!(truth.ceiling < share),
                }
            }
        }
    }

    #[test]
    fn profile_intervals_cover_near_their_level() {
        let effort = Effort { data_sets: 120, ..Effort::default() };
        let setting = |quantity: &str| Setting {
            family: Family::Thresholds,
            quantity: quantity.into(),
            size: "n=10".into(),
            truth: TRUTHS[0].name(),
        };
        let quantities: Vec<(Setting, f64)> = QUANTITIES
            .into_iter()
            .zip(TRUTHS[0].values())
            .map(|(quantity, value)| (setting(quantity), value.unwrap()))
            .collect();
        let rows = simulate_together(&quantities, &effort, 1, |rng| {
            intervals(TRUTHS[0], 10, effort.level, rng).map(|one| vec![one]).to_vec()
        });
        assert_eq!(rows.len(), QUANTITIES.len());
        // 120 data sets: 5 standard errors are 0.1
        for row in rows {
            assert!(row.coverage > 0.85, "{row:?}");
        }
    }
}
