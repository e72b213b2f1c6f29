//! Intervals of medians and of their ratio, on laws that throughputs resemble.
//!
//! The distribution-free interval of the median must hold whatever the law; where the sample is too
//! small for the level it has no bounds. The bootstrap intervals promise nothing at small n; this shows
//! what they hold.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::draw::{exponential, normal};
use super::{Coverage, Effort, Family, Setting, simulate};
use stats::samples::{MedianRatio, Resampling, SampleMedian, sorted};
use stats::{Interval, Level};

/// A law with median 1.
#[derive(Debug, Clone, Copy)]
pub(super) enum Law {
    /// ln x is normal with this standard deviation.
    LogNormal(f64),
    /// Exponential, scaled to median 1.
    Exponential,
    /// A stall mode at a tenth in 30 % of the trials, both modes log-normal with σ = 0.1.
    Stalling,
}

impl Law {
    pub(super) fn name(self) -> String {
        match self {
            Law::LogNormal(sigma) => format!("log-normal σ={sigma}"),
            Law::Exponential => "exponential".into(),
            Law::Stalling => "30 % at a tenth".into(),
        }
    }

    pub(super) fn draw(self, rng: &mut ChaCha8Rng) -> f64 {
        match self {
            Law::LogNormal(sigma) => (sigma * normal(rng)).exp(),
            Law::Exponential => exponential(rng) / std::f64::consts::LN_2,
            Law::Stalling => {
                // The median lies in the fast mode at the quantile (0.5 − 0.3) / 0.7 = 2/7 of it,
                // −0.565949 standard deviations from its centre.
                let centre = 0.1 * 0.565_948_821_932_863;
                let value = (centre + 0.1 * normal(rng)).exp();
                if rng.random::<f64>() < 0.3 { value / 10.0 } else { value }
            }
        }
    }

    pub(super) fn sample(self, n: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
        (0..n).map(|_| self.draw(rng)).collect()
    }
}

pub(super) const LAWS: [Law; 4] =
    [Law::LogNormal(0.1), Law::LogNormal(1.0), Law::Exponential, Law::Stalling];

/// Coverage of the median's interval and of the ratio's.
pub fn coverage(effort: &Effort) -> Vec<Coverage> {
    let sizes: &[usize] = if effort.whole_grid { &[2, 3, 5, 8, 10, 24, 50] } else { &[5, 10, 24] };
    let mut rows = Vec::new();
    for (i, &n) in sizes.iter().enumerate() {
        for (j, law) in LAWS.into_iter().enumerate() {
            let number = 100 * i + 10 * j;
            rows.extend(median(n, law, effort, number));
            rows.extend(ratio(n, law, effort, number + 1));
        }
    }
    rows
}

fn setting(quantity: &str, n: usize, law: Law) -> Setting {
    Setting {
        family: Family::Medians,
        quantity: quantity.into(),
        size: format!("n={n}"),
        truth: law.name(),
    }
}

fn median(n: usize, law: Law, effort: &Effort, number: usize) -> Vec<Coverage> {
    simulate(&setting("median", n, law), 1.0, effort, number, |rng| {
        let bounds = SampleMedian::of(&law.sample(n, rng), effort.level);
        let (low, high) = bounds.map_or((None, None), |m| (m.low, m.high));
        vec![Interval { method: "order-statistics", level: effort.level, low, high }]
    })
}

fn ratio(n: usize, law: Law, effort: &Effort, number: usize) -> Vec<Coverage> {
    let none = |method, level: Level| Interval { method, level, low: None, high: None };
    simulate(&setting("median-ratio", n, law), 1.0, effort, number, |rng| {
        let samples = sorted("a", &law.sample(n, rng)).and_then(|a| {
            let b = sorted("b", &law.sample(n, rng))?;
            let resampling = Resampling { resamples: effort.resamples, seed: rng.random() };
            Ok(MedianRatio::of_sorted(&a, &b, effort.level, resampling).intervals)
        });
        samples
            .unwrap_or_else(|_| vec![none("percentile", effort.level), none("bca", effort.level)])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::stream::stream;

    #[test]
    fn every_law_has_median_one() {
        for law in LAWS {
            let mut rng = stream(2, 0);
            let above = (0..100_000).filter(|_| law.draw(&mut rng) > 1.0).count();
            assert!((above as f64 / 100_000.0 - 0.5).abs() < 0.008, "{law:?} {above}");
        }
    }

    #[test]
    fn the_distribution_free_interval_holds_its_level() {
        let effort = Effort { data_sets: 4_000, ..Effort::default() };
        for law in LAWS {
            // n = 10: ranks 2 and 9, coverage 1 − 2·11/1024 exactly.
            let row = &median(10, law, &effort, 7)[0];
            assert!((row.coverage - 0.978_516).abs() < 5.0 * 0.0023, "{row:?}");
            assert_eq!(median(5, law, &effort, 8)[0].unbounded, 1.0);
        }
    }
}
