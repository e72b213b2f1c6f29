//! The Hodges-Lehmann interval of a shift.
//!
//! Under its assumption, b a shifted copy of a's distribution, it must hold its level whatever the
//! distribution. The last setting breaks the assumption: b is spread three times as wide around the
//! same median, and the shift of medians is still 0.

use super::draw::{exponential, normal};
use super::{Coverage, Effort, Family, Setting, simulate};
use rand_chacha::ChaCha8Rng;
use stats::samples::hodges_lehmann;
use stats::{Estimate, Interval};

type Draw = fn(&mut ChaCha8Rng) -> f64;

/// Laws of a and of b, shifted apart by 1.
const PAIRS: [(&str, Draw, Draw); 3] = [
    ("normal", |rng| 1.0 + normal(rng), |rng| normal(rng)),
    ("exponential", |rng| 1.0 + exponential(rng), |rng| exponential(rng)),
    ("normal, b three times as wide", |rng| 1.0 + normal(rng), |rng| 3.0 * normal(rng)),
];

/// Coverage of the shift.
pub fn coverage(effort: &Effort) -> Vec<Coverage> {
    let sizes: &[(usize, usize)] =
        if effort.whole_grid { &[(5, 5), (10, 10), (24, 24), (24, 8)] } else { &[(5, 5), (24, 8)] };
    let mut rows = Vec::new();
    for (i, &(n_a, n_b)) in sizes.iter().enumerate() {
        for (j, (truth, of_a, of_b)) in PAIRS.into_iter().enumerate() {
            let setting = Setting {
                family: Family::Shifts,
                quantity: "shift".into(),
                // What breaks the assumption is summed up apart.
                size: match truth.contains("wide") {
                    true => format!("n={n_a}+{n_b}, b wider"),
                    false => format!("n={n_a}+{n_b}"),
                },
                truth: truth.into(),
            };
            rows.extend(simulate(&setting, 1.0, effort, 1_000 + 10 * i + j, |rng| {
                let a: Vec<f64> = (0..n_a).map(|_| of_a(rng)).collect();
                let b: Vec<f64> = (0..n_b).map(|_| of_b(rng)).collect();
                let Estimate { low, high, .. } = hodges_lehmann::shift(&a, &b, effort.level)
                    .unwrap_or(Estimate { estimate: None, low: None, high: None });
                vec![Interval { method: "hodges-lehmann", level: effort.level, low, high }]
            }));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_is_held_under_a_shift() {
        let effort = Effort { data_sets: 1_500, ..Effort::default() };
        for row in coverage(&effort).iter().filter(|row| !row.setting.truth.contains("wide")) {
            assert!(row.coverage > 0.95 - 4.0 * row.standard_error.max(0.004), "{row:?}");
        }
    }
}
