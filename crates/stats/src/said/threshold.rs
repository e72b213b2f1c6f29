//! The notes of a threshold, each a sentence without its capital and its stop.

use crate::threshold::{Note, ThreadsTried};
use crate::words::{counted, list};

const PENALTY: &str = "maximum likelihood has no finite slope; Firth's penalty makes it finite, and its \
                       size is the penalty's more than the data's";

/// The sentence of a note.
pub fn note(note: &Note) -> String {
    let threads = |count: u64| counted(count, "thread", "threads");
    match note {
        Note::NoneStalled => "no trial stalled: the data hold lower bounds of the thresholds and \
                              nothing else; the slope, and where the curve lies, is the penalty's"
            .into(),
        Note::AllStalled => {
            "every trial stalled: the data hold upper bounds of the thresholds and \
                             nothing else; the slope, and where the curve lies, is the penalty's"
                .into()
        }
        Note::Divided { none_to, all_from } => format!(
            "the data are separated: no trial stalls up to {}, and every one does from {all_from} on, \
             so that {PENALTY}",
            threads(*none_to)
        ),
        Note::MixedAt(ThreadsTried { threads: at, n, k }) => format!(
            "the data are separated but for one thread count: no trial stalls below {}, every one does \
             above, and at it {k} of {n}, so that {PENALTY}",
            threads(*at)
        ),
        Note::StalledAtTheMost(ThreadsTried { threads: at, n, k }) => format!(
            "stalls are seen at the largest thread count only, {k} of {n} at {}: how the curve goes on \
             is not in the data, and {PENALTY}",
            threads(*at)
        ),
        Note::SparedAtTheFewest(ThreadsTried { threads: at, n, k }) => format!(
            "trials without a stall are seen at the smallest thread count only, {} of {n} at {}: how \
             the curve begins is not in the data, and {PENALTY}",
            n - k,
            threads(*at)
        ),
        Note::Reversed => format!(
            "the data are separated the other way: stalls are at the smaller thread counts, with at \
             most one count where only some trials stall, so that {PENALTY}"
        ),
        Note::SeveralMaxima => {
            "the penalised likelihood has several maxima, and the highest is taken; \
                                another program may stop at another"
                .into()
        }
        Note::FlatCurve => "the fitted curve is flat: there is no threshold to estimate".into(),
        Note::FallingCurve => {
            "the fitted curve falls with the thread count: there is no threshold to estimate".into()
        }
        Note::SlopeMayBeZero { level } => format!(
            "a slope of 0 is not excluded at {} %: a threshold without a bound on one or both sides may \
             not exist",
            level.percent()
        ),
        Note::NoBound { thresholds, level } => format!(
            "no bound on a side of {}: a curve that stays on that side of its share is not excluded at \
             {} %",
            list(&thresholds.iter().map(|name| name.to_string()).collect::<Vec<_>>()),
            level.percent()
        ),
        Note::Extrapolated { from, to, thresholds } => {
            format!("outside the thread counts tried, {from} to {to}: {}", thresholds.join(", "))
        }
        Note::NotLogistic { p_value, stays_at } => format!(
            "the probability does not follow a logistic curve (goodness of fit, p = {}){}; the thread \
             counts given are the first tried at which the isotonic estimate reaches its share, without an \
             interval",
            p_value.map_or_else(String::new, crate::words::p_value),
            stays_at.map_or_else(String::new, |p| format!(
                ": it rises and stays at about {}",
                crate::words::percent(p)
            )),
        ),
        Note::LeftOut { threads } => match threads.as_slice() {
            [1] => "without a trial, hence left out: 1 thread".into(),
            _ => format!(
                "without a trial, hence left out: {} threads",
                list(&threads.iter().map(u64::to_string).collect::<Vec<_>>())
            ),
        },
    }
}
