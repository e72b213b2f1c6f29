use analysis::finding::threshold::Threshold;
use stats::threshold::Beyond;
use stats::words::{sentence, significant};
use stats::{Estimate, said};

use super::percent;
use super::stat::threshold::adds;
use crate::say::word::HAVE;

pub(super) fn say(it: &Threshold) -> String {
    let notes: String = it
        .notes
        .iter()
        .filter(|note| adds(note))
        .map(|note| format!(" {}", sentence(&said::threshold::note(note))))
        .collect();
    let (from, to) = it.tried;
    let threads = |t: f64| significant(t, 3);
    let Some(half) = it.t50.estimate.map(threads) else {
        let half = match it.beyond.t50 {
            Some(Beyond::Below) => format!("already at {from} threads, the fewest tried"),
            _ => format!("at no thread count up to {to}"),
        };
        return format!("Half of the trials of `{}` {HAVE} {half}.{notes}", it.series);
    };
    if !it.fits {
        return format!(
            "Half of the trials of `{}` {HAVE} from {half} threads on.{notes}",
            it.series
        );
    }
    // A bound beyond the thread counts tried is extrapolated, and no number to quote.
    let low = it.t50.low.filter(|low| *low >= from as f64).map(threads);
    let high = it.t50.high.filter(|high| *high <= to as f64).map(threads);
    let interval = match (low, high) {
        (Some(low), Some(high)) => format!("{low} to {high}"),
        (Some(low), None) => format!("above {low}"),
        (None, Some(high)) => format!("below {high}"),
        (None, None) => "without a bound among the counts tried".to_string(),
    };
    let at = |of: &Estimate, beyond| match (of.estimate, beyond) {
        (Some(t), _) => Some(format!("at {}", threads(t))),
        (None, Some(Beyond::Below)) => Some(format!("below {from}")),
        (None, Some(Beyond::Above)) => Some(format!("above {to}")),
        (None, None) => None,
    };
    let others = match (at(&it.t10, it.beyond.t10), at(&it.t90, it.beyond.t90)) {
        (Some(tenth), Some(nine)) => format!(", a tenth {tenth} and nine tenths {nine}"),
        _ => String::new(),
    };
    format!(
        "By a logistic curve over log2(threads), half of the trials of `{}` {HAVE} at {half} threads \
         ({interval}, {} interval){others}.{notes}",
        it.series,
        percent(it.level)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::Level;
    use stats::threshold::{ThreadsTried, threshold};

    fn said(k: [u64; 4], n: u64) -> String {
        let tried = [16, 32, 64, 128].into_iter().zip(k);
        let rows: Vec<_> = tried.map(|(threads, k)| ThreadsTried { threads, n, k }).collect();
        let curve = threshold(&rows, Level::P95).unwrap().held_by_the_data();
        say(&Threshold {
            series: "auto".into(),
            t10: curve.t10,
            t50: curve.t50,
            t90: curve.t90,
            beyond: curve.beyond,
            tried: curve.range().unwrap(),
            fits: curve.fits(),
            notes: curve.notes.clone(),
            level: Level::P95,
        })
    }

    #[test]
    fn what_lies_beyond_the_counts_tried_is_said_to_be_beyond() {
        let text = said([4, 8, 12, 14], 24);
        assert!(text.ends_with("a tenth below 16 and nine tenths above 128."), "{text}");
    }

    #[test]
    fn counts_that_follow_no_curve_are_said_to() {
        let text = said([0, 6, 6, 6], 10);
        assert!(
            text.starts_with("Half of the trials of `auto` stall from 32 threads on."),
            "{text}"
        );
        assert!(text.contains("it rises and stays at about 60 %"), "{text}");
        let text = said([0, 16, 16, 16], 40);
        assert!(
            text.starts_with("Half of the trials of `auto` stall at no thread count up to 128."),
            "{text}"
        );
    }
}
