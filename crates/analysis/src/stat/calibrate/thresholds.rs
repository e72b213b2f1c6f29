//! Profile intervals of T10, T50 and T90 under Firth's penalty.
//!
//! Trials at 4, 8, … 128 threads, with thresholds within and at the edge of them, and slopes from one
//! that spreads over all counts to one that mostly separates. The last setting breaks the model: the
//! curve levels off at 60 %, so that there is a T10 but the logistic curve is wrong.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::super::threshold::{ThreadsTried, threshold};
use super::super::{Estimate, Interval};
use super::{Coverage, Effort, Setting, simulate_together};

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

const TRUTHS: [Truth; 5] = [
    Truth { half: 20.0, slope: 2.0, ceiling: 1.0 },
    Truth { half: 20.0, slope: 1.0, ceiling: 1.0 },
    Truth { half: 20.0, slope: 6.0, ceiling: 1.0 },
    Truth { half: 120.0, slope: 2.0, ceiling: 1.0 },
    Truth { half: 20.0, slope: 2.0, ceiling: 0.6 },
];

/// Coverage of the three thresholds.
pub fn coverage(effort: &Effort) -> Vec<Coverage> {
    let (sizes, truths): (&[u64], &[Truth]) =
        if effort.whole_grid { (&[5, 10, 24], &TRUTHS) } else { (&[10], &TRUTHS[..3]) };
    let mut rows = Vec::new();
    for (i, &n) in sizes.iter().enumerate() {
        for (j, &truth) in truths.iter().enumerate() {
            let shares = [("t10", 0.1), ("t50", 0.5), ("t90", 0.9)];
            // A ceiling below a share leaves that threshold without a truth: the first ones stay.
            let quantities: Vec<(Setting, f64)> = shares
                .into_iter()
                .filter_map(|(quantity, share)| {
                    let setting = Setting {
                        family: "thresholds",
                        quantity,
                        size: truth.size(n),
                        truth: truth.name(),
                    };
                    Some((setting, truth.threads_at(share)?))
                })
                .collect();
            let number = 2_000 + 10 * i + j;
            rows.extend(simulate_together(&quantities, effort, number, |rng| {
                let none = Estimate { estimate: None, low: None, high: None };
                let fit = threshold(&truth.draw(n, rng), effort.level);
                let thresholds = fit.map_or([none; 3], |fit| [fit.t10, fit.t50, fit.t90]);
                thresholds
                    .map(|Estimate { low, high, .. }| {
                        vec![Interval { method: "profile", level: effort.level, low, high }]
                    })
                    .to_vec()
            }));
        }
    }
    rows.sort_by_key(|row| row.setting.quantity);
    rows
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
        let setting = Setting {
            family: "thresholds",
            quantity: "t50",
            size: "n=10".into(),
            truth: "T50=20".into(),
        };
        let rows = simulate_together(&[(setting, 20.0)], &effort, 1, |rng| {
            let t50 = threshold(&TRUTHS[0].draw(10, rng), effort.level).unwrap().t50;
            let Estimate { low, high, .. } = t50;
            vec![vec![Interval { method: "profile", level: effort.level, low, high }]]
        });
        // 120 data sets: 5 standard errors are 0.1
        assert!(rows[0].coverage > 0.85, "{rows:?}");
    }
}
