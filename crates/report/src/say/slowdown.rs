use analysis::finding::slowdown::Slowdown;
use stats::words::{mops, percent};

pub(super) fn say(it: &Slowdown) -> String {
    let (ratio, stalled) = (percent(it.ratio), mops(it.stalled_mops));
    match it.n {
        1 => format!(
            "The stalled trial of `{}` ran at {ratio} of its control's median throughput ({stalled}).",
            it.series
        ),
        n => format!(
            "Stalled trials of `{}` ran at {ratio} of their control's median throughput (the median of \
             {n}; {stalled}).",
            it.series
        ),
    }
}
