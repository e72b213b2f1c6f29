use analysis::finding::threshold::Threshold;
use stats::words::{sentence, significant};
use stats::{Estimate, said};

use super::percent;

pub(super) fn say(it: &Threshold) -> String {
    let threads = |t: &Estimate| t.estimate.map(|t| significant(t, 3));
    let half = match (it.t50.low, it.t50.high) {
        (Some(low), Some(high)) => format!("{} to {}", significant(low, 3), significant(high, 3)),
        (Some(low), None) => format!("above {}", significant(low, 3)),
        (None, Some(high)) => format!("below {}", significant(high, 3)),
        (None, None) => "without a bound".to_string(),
    };
    let others = match (threads(&it.t10), threads(&it.t90)) {
        (Some(tenth), Some(nine)) => format!(", a tenth at {tenth} and nine tenths at {nine}"),
        _ => String::new(),
    };
    let notes: String = it
        .notes
        .iter()
        .map(|note| format!(" {}", sentence(&said::threshold::note(note))))
        .collect();
    format!(
        "By a logistic curve over log2(threads), half of the trials of `{}` stall at {} threads ({half}, \
         {} interval){others}.{notes}",
        it.series,
        threads(&it.t50).unwrap_or_default(),
        percent(it.level)
    )
}
