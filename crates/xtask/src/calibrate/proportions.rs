//! Intervals of one proportion, by enumeration of all k of n.

use rayon::prelude::*;

use super::{Coverage, Effort, Family, Setting, enumerate, searched};
use stats::Interval;
use stats::binomial::{Probability, pmf};
use stats::proportion::{Proportion, summarize};

/// Coverage of every method of [`summarize`] at p = 1/201 … 100/201 (an odd denominator keeps clear
/// of the points where bounds lie; above ½ it is the mirror image), and each method's least.
pub fn coverage(effort: &Effort) -> Vec<Coverage> {
    let sizes: &[u64] = if effort.whole_grid { &[5, 10, 24, 50, 100] } else { &[5, 10, 24] };
    sizes.iter().flat_map(|&n| at_size(n, effort)).collect()
}

fn at_size(n: u64, effort: &Effort) -> Vec<Coverage> {
    let intervals: Vec<Vec<Interval>> = (0..=n)
        .filter_map(|k| Some(summarize(Proportion::new(k, n).ok()?, effort.level).intervals))
        .collect();
    let at = |p: f64, truth: String| {
        let setting =
            Setting { family: Family::Proportions, quantity: "p".into(), size: size(n), truth };
        let data = (0..=n).zip(&intervals).map(|(k, of_k)| (pmf(k, n, Probability::new(p)), of_k));
        enumerate(&setting, p, effort.level, data)
    };
    let step = if effort.whole_grid { 1 } else { 5 };
    let grid: Vec<f64> = (1..=100).step_by(step).map(|i| f64::from(i) / 201.0).collect();
    let mut rows: Vec<Coverage> =
        grid.into_par_iter().flat_map_iter(|p| at(p, format!("p={p:.4}"))).collect();
    // Between two ends of intervals the coverage is a polynomial of p with one hump at most, as each is
    // the probability that k lies in a range: it is least where a range changes, just beyond an end.
    let beyond: Vec<f64> = intervals
        .iter()
        .flatten()
        .flat_map(|of| [of.low.map(f64::next_down), of.high.map(f64::next_up)])
        .flatten()
        .filter(|p| (0.0..=0.5).contains(p) && *p > 0.0)
        .collect();
    rows.extend(searched(
        beyond.into_par_iter().flat_map_iter(|p| at(p, format!("p={p:.5}"))).collect(),
    ));
    rows
}

fn size(n: u64) -> String {
    format!("n={n}")
}

#[cfg(test)]
mod tests {
    use super::super::How;
    use super::*;
    use stats::Level;

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
    fn wilson_is_worst_just_below_where_one_of_n_begins_to_cover() {
        // There only 0 of n covers: (1 - p)^n, with p the lower Wilson bound of 1 of n.
        for n in [5, 24, 100] {
            let rows = at_size(n, &Effort::default());
            let worst = |method: &str| {
                let of = rows.iter().find(|row| row.how == How::Searched && row.method == method);
                of.unwrap().coverage
            };
            let one = summarize(Proportion::new(1, n).unwrap(), Level::P95);
            let p = one.intervals[0].low.unwrap();
            assert!((worst("wilson") - (1.0 - p).powi(n as i32)).abs() < 1e-9, "n {n}");
            assert!(worst("clopper-pearson") >= 0.95 - 1e-12, "n {n}");
            let on_grid = rows.iter().filter(|row| row.method == "jeffreys");
            let least = on_grid.map(|row| row.coverage).fold(1.0, f64::min);
            assert_eq!(worst("jeffreys"), least, "n {n}");
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
