//! Pointwise intervals of a survival curve, and those of its quantiles, which invert them.
//!
//! The times are exponential. For curve and quantiles that is no loss where nothing or a fixed time
//! censors: both intervals keep their coverage under any change of the time's scale. Tried are only
//! times that the run lasts to.

use super::censoring::{CENSORINGS, Censoring};
use super::{Coverage, Effort, Family, Setting, simulate_together};
use stats::survival::{KaplanMeier, PointwiseMethod, quantile};
use stats::{Estimate, Interval};

/// S where the curve is tried. Of few trials S takes few values, so that coverage goes up and down
/// with the truth as that of a proportion does: several truths show how far down.
const SURVIVALS: [f64; 8] = [0.95, 0.9, 0.8, 0.7, 0.61, 0.5, 0.35, 0.2];

/// The shares of the trials with the event by which a quantile is named.
const SHARES: [f64; 3] = [0.5, 0.25, 0.75];

/// Coverage of S at several times, of the median and of the quartiles.
pub fn coverage(effort: &Effort) -> Vec<Coverage> {
    let sizes: &[usize] = if effort.whole_grid { &[5, 8, 10, 15, 24, 50] } else { &[8, 24] };
    let mut rows = Vec::new();
    for (i, &n) in sizes.iter().enumerate() {
        for (j, censoring) in CENSORINGS.into_iter().enumerate() {
            rows.extend(of(n, censoring, effort, 5_000 + 10 * i + j));
        }
    }
    // Tables show a quantity at a time.
    rows.sort_by_key(|row| {
        ["S(t)", "median", "quartile"].iter().position(|name| *name == row.setting.quantity)
    });
    rows
}

/// S(t) and the quantiles on the same data.
fn of(n: usize, censoring: Censoring, effort: &Effort, number: usize) -> Vec<Coverage> {
    let setting = |quantity: &str, truth: String| Setting {
        family: Family::Survival,
        quantity: quantity.into(),
        size: format!("n={n}"),
        truth,
    };
    let lasts_to = |survival: f64| match censoring {
        Censoring::Fixed(outlast) => survival > outlast,
        _ => true,
    };
    let seen: Vec<f64> = SURVIVALS.into_iter().filter(|survival| lasts_to(*survival)).collect();
    let shares: Vec<f64> = SHARES.into_iter().filter(|share| lasts_to(1.0 - share)).collect();
    let mut quantities: Vec<(Setting, f64)> = seen
        .iter()
        .map(|s| (setting("S(t)", format!("S={s}, {}", censoring.name())), *s))
        .collect();
    quantities.extend(shares.iter().map(|&share| {
        let (quantity, truth) = match share {
            0.5 => ("median", censoring.name()),
            share => ("quartile", format!("{:.0} %, {}", 100.0 * share, censoring.name())),
        };
        (setting(quantity, truth), -(1.0 - share).ln())
    }));
    simulate_together(&quantities, effort, number, |rng| {
        let curve = KaplanMeier::fit(&censoring.trials(n, 1.0, rng)).ok();
        // Without a curve there is no bound.
        let intervals = |bounds: &dyn Fn(&KaplanMeier, PointwiseMethod) -> [Option<f64>; 2]| {
            PointwiseMethod::ALL
                .map(|method| {
                    let [low, high] =
                        curve.as_ref().map_or([None, None], |curve| bounds(curve, method));
                    Interval { method: method.name(), level: effort.level, low, high }
                })
                .to_vec()
        };
        let of_curve = seen.iter().map(|survival| {
            intervals(&|curve, method| {
                let bounds = method.at(curve, -survival.ln(), effort.level);
                [bounds.low(), bounds.high()]
            })
        });
        let of_quantiles = shares.iter().map(|share| {
            intervals(&|curve, method| {
                let found = quantile(curve, *share, method, effort.level);
                let Estimate { low, high, .. } = found.unwrap_or_default();
                [low, high]
            })
        });
        of_curve.chain(of_quantiles).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_curve<'a>(
        rows: &'a [Coverage],
        method: &'static str,
    ) -> impl Iterator<Item = &'a Coverage> {
        rows.iter().filter(move |row| row.setting.quantity == "S(t)" && row.method == method)
    }

    #[test]
    fn the_beta_product_keeps_its_level_where_greenwood_does_not() {
        let effort = Effort { data_sets: 2_000, ..Effort::default() };
        for (number, censoring) in CENSORINGS.into_iter().enumerate() {
            let rows = of(8, censoring, &effort, number);
            for beta in of_curve(&rows, "beta-product") {
                assert!(beta.coverage > 0.95 - 4.0 * 0.005, "{beta:?}");
            }
        }
        let rows = of(8, Censoring::None, &effort, 9);
        let least = of_curve(&rows, "plain").map(|row| row.coverage).fold(1.0, f64::min);
        assert!(least < 0.9, "{least}");
    }

    #[test]
    fn the_median_of_uncensored_trials_by_the_beta_product_is_between_order_statistics() {
        // n = 10: from the second to the ninth, 1 − 2·11/1024 exactly.
        let effort = Effort { data_sets: 4_000, ..Effort::default() };
        let rows = of(10, Censoring::None, &effort, 3);
        let median = rows
            .iter()
            .find(|row| row.setting.quantity == "median" && row.method == "beta-product")
            .unwrap();
        assert!((median.coverage - 0.978_516).abs() < 5.0 * 0.0023, "{median:?}");
    }
}
