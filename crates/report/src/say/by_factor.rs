use analysis::finding::by_factor::{ByFactor, Pair};
use stats::words::{counted, p_is, significant};

use super::{interval, threads};

/// The most pairs that the details list.
const MOST_PAIRS: usize = 12;

pub(super) fn say(it: &ByFactor) -> String {
    let pairs: Vec<String> = it.pairs.iter().take(MOST_PAIRS).map(|pair| one(it, pair)).collect();
    let more = match it.pairs.len().checked_sub(MOST_PAIRS).filter(|more| *more > 0) {
        Some(more) => {
            format!(" {} in `cells.csv`.", counted(more as u64, "more pair is", "more are"))
        }
        None => String::new(),
    };
    format!("{}{more}", pairs.join(" "))
}

/// At the most threads, the pair that differs most, and whether it differs beyond chance: by Holm, as
/// it was chosen for its size.
pub(super) fn headline(it: &ByFactor) -> String {
    let most = it.pairs.iter().map(|pair| pair.threads).max().unwrap_or(0);
    let p = |pair: &Pair| pair.p_holm.unwrap_or(1.0);
    let size = |pair: &Pair| pair.ratio.estimate.map_or(0.0, |ratio| ratio.ln().abs());
    let best = it
        .pairs
        .iter()
        .filter(|pair| pair.threads == most)
        .min_by(|a, b| p(a).total_cmp(&p(b)).then_with(|| size(b).total_cmp(&size(a))));
    let Some(best) = best else { return String::new() };
    let said = one(it, best);
    let of = match it.pairs.len() {
        1 => String::new(),
        n => format!(" of {n} pairs of cells"),
    };
    match p(best) <= it.level.alpha() {
        true => said,
        false => format!(
            "No difference of throughput by `{}` was shown beyond chance (least {}{of}). The one that \
             differs most: {said}",
            it.factor,
            p_is(p(best))
        ),
    }
}

fn one(it: &ByFactor, pair: &Pair) -> String {
    let beside = match pair.beside.is_empty() {
        true => String::new(),
        false => format!(" with `{}`", pair.beside),
    };
    let ratio =
        pair.ratio.estimate.map_or_else(|| "an unknown number of".into(), |r| significant(r, 3));
    let [a, b] = pair.n;
    let trials = match a == b {
        true => format!("{} each", super::trials(a)),
        false => format!("{a} and {b} trials"),
    };
    let sure = match interval(&pair.ratio, it.level) {
        Some(interval) => format!("{interval}, {trials}"),
        None => format!("{trials}, too few for an interval"),
    };
    format!(
        "`{}` has {ratio} times the throughput of `{}` at {}{beside} ({sure}).",
        pair.value,
        it.base,
        threads(pair.threads)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::{Estimate, Level};

    fn found(p_holm: f64, low: Option<f64>, n: u64) -> ByFactor {
        let pair = |value: &str, ratio: f64| Pair {
            value: value.into(),
            beside: "auto".into(),
            threads: 8,
            n: [n, n],
            mops: [ratio, 1.0],
            ratio: Estimate { estimate: Some(ratio), low, high: low.map(|_| 0.6) },
            p: Some(p_holm / 2.0),
            p_holm: Some(p_holm),
        };
        ByFactor {
            factor: "unlock".into(),
            base: "exchange".into(),
            pairs: vec![pair("near", 0.9), pair("store-wake", 0.5)],
            level: Level::P95,
        }
    }

    #[test]
    fn a_difference_beyond_chance_is_told_with_its_interval() {
        assert_eq!(
            headline(&found(0.004, Some(0.4), 10)),
            "`store-wake` has 0.5 times the throughput of `exchange` at 8 threads with `auto` (0.4 to \
             0.6, 95 % interval, 10 trials each)."
        );
    }

    #[test]
    fn what_was_chosen_for_its_size_is_not_called_a_difference() {
        assert_eq!(
            headline(&found(0.667, None, 2)),
            "No difference of throughput by `unlock` was shown beyond chance (least p = 0.667 of 2 pairs \
             of cells). The one that differs most: `store-wake` has 0.5 times the throughput of \
             `exchange` at 8 threads with `auto` (2 trials each, too few for an interval)."
        );
    }
}
