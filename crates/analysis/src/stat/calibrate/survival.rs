//! Intervals of a survival curve, its median and its restricted mean, and of a constant hazard.
//!
//! The times are exponential. For the curve and the median that is no loss where nothing or a fixed
//! time censors: both intervals keep their coverage under any change of the time's scale.

use rand_chacha::ChaCha8Rng;

use super::super::Interval;
use super::super::survival::{
    FollowUp, KaplanMeier, PointwiseMethod, fit_exponential, median, restricted_mean,
};
use super::draw::exponential;
use super::{Coverage, Effort, Setting, simulate};

/// What ends a trial before its event, the rate of the event being 1.
#[derive(Debug, Clone, Copy)]
enum Censoring {
    /// Nothing.
    None,
    /// The length of the run, which this share of the trials outlasts.
    Fixed(f64),
    /// An exponential time of this mean, cut off as nothing to do with the event.
    Random(f64),
}

const CENSORINGS: [Censoring; 3] = [Censoring::None, Censoring::Fixed(0.3), Censoring::Random(1.5)];

impl Censoring {
    fn name(self) -> &'static str {
        match self {
            Censoring::None => "none censored",
            Censoring::Fixed(_) => "30 % outlast the run",
            Censoring::Random(_) => "40 % censored at random",
        }
    }

    fn trial(self, rng: &mut ChaCha8Rng) -> (f64, bool) {
        let event = exponential(rng);
        let end = match self {
            Censoring::None => f64::INFINITY,
            Censoring::Fixed(share) => -share.ln(),
            Censoring::Random(mean) => mean * exponential(rng),
        };
        (event.min(end), event <= end)
    }

    fn trials(self, n: usize, rng: &mut ChaCha8Rng) -> Vec<FollowUp> {
        (0..n)
            .filter_map(|_| {
                let (time, seen) = self.trial(rng);
                FollowUp::new(time, seen).ok()
            })
            .collect()
    }
}

/// Coverage of S at three times, of the median, of the restricted mean and of the rate.
pub fn coverage(effort: &Effort) -> Vec<Coverage> {
    let sizes: &[usize] = if effort.whole_grid { &[5, 8, 15, 25, 50, 100] } else { &[8, 24] };
    let mut rows = Vec::new();
    for (i, &n) in sizes.iter().enumerate() {
        for (j, censoring) in CENSORINGS.into_iter().enumerate() {
            let number = 5_000 + 100 * i + 10 * j;
            for (k, survival) in [0.9, 0.6, 0.35].into_iter().enumerate() {
                rows.extend(curve(n, censoring, survival, effort, number + k));
            }
            rows.extend(median_time(n, censoring, effort, number + 3));
            rows.extend(mean(n, censoring, effort, number + 4));
            rows.extend(rate(n, censoring, effort, number + 5));
        }
    }
    rows
}

fn setting(quantity: &'static str, n: usize, truth: String) -> Setting {
    Setting { family: "survival", quantity, size: format!("n={n}"), truth }
}

/// An interval, or one without bounds where the sample has no estimate.
fn interval(
    method: &'static str,
    effort: &Effort,
    low: Option<f64>,
    high: Option<f64>,
) -> Interval {
    Interval { method, level: effort.level, low, high }
}

fn curve(
    n: usize,
    censoring: Censoring,
    survival: f64,
    effort: &Effort,
    number: usize,
) -> Vec<Coverage> {
    let truth = format!("S={survival}, {}", censoring.name());
    let time = -survival.ln();
    simulate(&setting("S(t)", n, truth), survival, effort, number, |rng| {
        let curve = KaplanMeier::fit(&censoring.trials(n, rng));
        let bounds = |method: PointwiseMethod| {
            let bounds = curve.as_ref().ok().map(|curve| method.at(curve, time, effort.level));
            interval(
                method.name(),
                effort,
                bounds.and_then(|bounds| bounds.low),
                bounds.and_then(|bounds| bounds.high),
            )
        };
        PointwiseMethod::ALL.map(bounds).to_vec()
    })
}

fn median_time(n: usize, censoring: Censoring, effort: &Effort, number: usize) -> Vec<Coverage> {
    let truth = std::f64::consts::LN_2;
    let setting = setting("median", n, censoring.name().into());
    simulate(&setting, truth, effort, number, |rng| {
        let curve = KaplanMeier::fit(&censoring.trials(n, rng));
        let bounds = |method: PointwiseMethod| {
            let median = curve.as_ref().ok().map(|curve| median(curve, method, effort.level));
            interval(
                method.name(),
                effort,
                median.and_then(|median| median.low),
                median.and_then(|median| median.high),
            )
        };
        PointwiseMethod::ALL.map(bounds).to_vec()
    })
}

/// Up to the median time, which nearly every sample is followed to.
fn mean(n: usize, censoring: Censoring, effort: &Effort, number: usize) -> Vec<Coverage> {
    let until = std::f64::consts::LN_2;
    let setting = setting("restricted mean", n, censoring.name().into());
    simulate(&setting, 0.5, effort, number, |rng| {
        let mean = KaplanMeier::fit(&censoring.trials(n, rng))
            .and_then(|curve| restricted_mean(&curve, until, effort.level));
        let (low, high) = mean.map_or((None, None), |mean| (mean.low, mean.high));
        vec![interval("greenwood", effort, low, high)]
    })
}

fn rate(n: usize, censoring: Censoring, effort: &Effort, number: usize) -> Vec<Coverage> {
    let method = match censoring {
        Censoring::None => "exact-gamma",
        _ => "exact-poisson",
    };
    let setting = setting("rate", n, censoring.name().into());
    simulate(&setting, 1.0, effort, number, |rng| {
        let fit = fit_exponential(&censoring.trials(n, rng), effort.level);
        let (low, high) = fit.map_or((None, None), |fit| (fit.interval.low, fit.interval.high));
        vec![interval(method, effort, low, high)]
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::stream::stream;
    use super::*;

    #[test]
    fn the_shares_censored_are_those_named() {
        let mut rng = stream(8, 0);
        for (censoring, expected) in CENSORINGS.into_iter().zip([0.0, 0.3, 0.4]) {
            let count = (0..50_000).filter(|_| !censoring.trial(&mut rng).1).count();
            let share = count as f64 / 50_000.0;
            assert!((share - expected).abs() < 0.012, "{censoring:?}: {share}");
        }
    }

    #[test]
    fn the_interval_of_an_uncensored_rate_is_exact() {
        let effort = Effort { data_sets: 4_000, ..Effort::default() };
        let row = &rate(5, Censoring::None, &effort, 1)[0];
        assert!((row.coverage - 0.95).abs() < 5.0 * 0.0035, "{row:?}");
    }

    #[test]
    fn the_beta_product_keeps_its_level_where_greenwood_does_not() {
        let effort = Effort { data_sets: 2_000, ..Effort::default() };
        for censoring in CENSORINGS {
            let rows = curve(8, censoring, 0.6, &effort, 2);
            let beta = rows.iter().find(|row| row.method == "beta-product").unwrap();
            assert!(beta.coverage > 0.95 - 4.0 * 0.005, "{beta:?}");
        }
        let rows = curve(8, Censoring::None, 0.6, &effort, 3);
        let plain = rows.iter().find(|row| row.method == "plain").unwrap();
        assert!(plain.coverage < 0.9, "{plain:?}");
    }
}
