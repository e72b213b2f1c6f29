//! Intervals of one proportion, by enumeration of all k of n.

use rayon::prelude::*;

use super::super::binomial::{Probability, pmf};
use super::super::proportion::{Proportion, summarize};
use super::{Coverage, Effort, Family, Setting, enumerate};

/// Coverage of every method of [`summarize`] at p = 1/201 … 100/201 (an odd denominator keeps clear
/// of the points where bounds lie); above ½ it is the mirror image.
pub fn coverage(effort: &Effort) -> Vec<Coverage> {
    let sizes: &[u64] = if effort.whole_grid { &[5, 10, 24, 50, 100] } else { &[5, 10, 24] };
    sizes.iter().flat_map(|&n| at_size(n, effort)).collect()
}

fn at_size(n: u64, effort: &Effort) -> Vec<Coverage> {
    let intervals: Vec<_> = (0..=n)
        .filter_map(|k| Some(summarize(Proportion::new(k, n).ok()?, effort.level).intervals))
        .collect();
    let (steps, step) = if effort.whole_grid { (100, 1) } else { (100, 5) };
    let truths: Vec<u32> = (1..=steps).step_by(step).collect();
    truths
        .into_par_iter()
        .flat_map_iter(|i| {
            let p = f64::from(i) / 201.0;
            let setting = Setting {
                family: Family::Proportions,
                quantity: "p".into(),
                size: format!("n={n}"),
                truth: format!("p={p:.4}"),
            };
            let data = (0..=n)
                .zip(&intervals)
                .map(|(k, of_k)| (pmf(k, n, Probability::new(p)), of_k.clone()));
            enumerate(&setting, p, effort.level, data)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::Level;
    use super::*;

    #[test]
    fn clopper_pearson_never_falls_below_and_wilson_does() {
        for level in [0.9, 0.95, 0.99] {
            let level = Level::new(level).unwrap();
            let effort = Effort { level, whole_grid: true, ..Effort::default() };
            let rows = coverage(&effort);
            let least = |method: &str| {
                rows.iter().filter(|r| r.method == method).map(|r| r.coverage).fold(1.0, f64::min)
            };
            assert!(least("clopper-pearson") >= level.get() - 1e-12);
            assert!(least("wilson") < level.get());
            assert!(least("wilson") > level.get() - 0.12);
        }
    }

    #[test]
    fn a_hand_count_agrees() {
        // n = 5, p = 1/2, Clopper-Pearson 95 %: 0 of 5 is [0, 0.5218], so every k covers ½.
        let rows = at_size(5, &Effort { whole_grid: true, ..Effort::default() });
        let near_half = rows
            .iter()
            .find(|r| r.method == "clopper-pearson" && r.setting.truth == "p=0.4975")
            .unwrap();
        assert!((near_half.coverage - 1.0).abs() < 1e-12);
    }
}
