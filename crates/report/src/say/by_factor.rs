use analysis::finding::by_factor::{ByFactor, Pair};
use stats::words::{counted, significant};

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

/// The pair that answers best: at the most threads, not the control's, and of those the one that
/// differs most.
pub(super) fn headline(it: &ByFactor) -> String {
    let most = it.pairs.iter().map(|pair| pair.threads).max().unwrap_or(0);
    let size = |pair: &&Pair| pair.ratio.estimate.map_or(0.0, |ratio| ratio.ln().abs());
    let at_most_threads = it.pairs.iter().filter(|pair| pair.threads == most);
    let clear =
        |pair: &&Pair| pair.ratio.low > Some(1.0) || pair.ratio.high.is_some_and(|h| h < 1.0);
    let best = at_most_threads.max_by(|a, b| {
        (clear(a), size(a)).partial_cmp(&(clear(b), size(b))).unwrap_or(std::cmp::Ordering::Equal)
    });
    let Some(best) = best else { return String::new() };
    if it.pairs.len() > 1 && !it.pairs.iter().any(|pair| clear(&pair)) {
        let bounds = |pair: &Pair| pair.ratio.low.zip(pair.ratio.high);
        let known = it.pairs.iter().any(|pair| bounds(pair).is_some());
        let why = match known {
            true => "every interval includes 1",
            false => "the trials are too few for an interval",
        };
        return format!(
            "No difference of throughput by `{}` was shown: {why}. The largest: {}",
            it.factor,
            one(it, best)
        );
    }
    one(it, best)
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
