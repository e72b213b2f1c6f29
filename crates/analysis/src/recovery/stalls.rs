//! `stalls.csv`: every stall by throughput, a row a trial: when it began, how far it fell, whether and
//! when it was over, and what rose and was no recovery.

use crate::csv_text::{CsvText, number};
use crate::data::Trial;
use crate::run::Run;
use crate::timeline::{Look, Timelines};
use stats::recovery::{PartialKind, PartialRecovery};
use stats::survival::Lifetime;
use stats::words::significant;

const COLUMNS: [&str; 17] = [
    "run",
    "trial",
    "control_mops",
    "share",
    "hold_s",
    "start_s",
    "began_after_s",
    "began_by_s",
    "stalled_mops",
    "samples_in_a_row",
    "outcome",
    "over_after_s",
    "over_by_s",
    "lasted_at_least_s",
    "lasted_at_most_s",
    "relapses",
    "partial",
];

/// The text of `stalls.csv`; `None` where no trial stalled.
///
/// Times from `start_s` to `over_by_s` are on the timeline's clock. A stall began in
/// (`began_after_s`, `began_by_s`] and was over in (`over_after_s`, `over_by_s`]; one that was not
/// over has no `over_by_s` and no `lasted_at_most_s`. One with `samples_in_a_row` of 1 is not counted as
/// a stall.
pub fn csv(runs: &[Run], trials: &[Trial], timelines: &Timelines) -> Option<String> {
    if !timelines.looks.iter().any(|look| matches!(look, Look::Stalled(_))) {
        return None;
    }
    let mut out = CsvText::new(COLUMNS.iter());
    for (trial, look) in trials.iter().zip(&timelines.looks) {
        let Look::Stalled(stall) = look else { continue };
        let (at_least, at_most) = match stall.lasted {
            Lifetime::Exact(time) => (time, Some(time)),
            Lifetime::RightCensored(time) => (time, None),
            Lifetime::Between { left, right } => (left, Some(right)),
        };
        out.row([
            runs.get(trial.run).map_or_else(String::new, Run::name),
            trial.trial.to_string(),
            number(Some(stall.asked.control_mops)),
            number(Some(stall.asked.share)),
            number(Some(stall.asked.hold_s)),
            number(Some(stall.start_s)),
            number(Some(stall.onset.left_s)),
            number(Some(stall.onset.right_s)),
            number(Some(stall.stalled_mops)),
            stall.in_a_row.to_string(),
            match stall.recovered {
                Some(_) => "recovered".to_string(),
                None => "not-recovered".to_string(),
            },
            number(Some(stall.until_s)),
            number(stall.recovered.map(|at| at.right_s)),
            number(Some(at_least)),
            number(at_most),
            stall.relapses.len().to_string(),
            stall.partial.iter().map(in_words).collect::<Vec<_>>().join("; "),
        ]);
    }
    Some(out.finish())
}

/// `below-share 120 to 140 s at 6.9 Mops/s (0.17)`.
fn in_words(rise: &PartialRecovery) -> String {
    let kind = match rise.kind {
        PartialKind::BelowShare => "below-share",
        PartialKind::DidNotHold => "did-not-hold",
        PartialKind::Unconfirmed => "unconfirmed",
    };
    let phase = &rise.phase;
    format!(
        "{kind} {} to {} s at {} Mops/s ({})",
        significant(phase.from_s, 6),
        significant(phase.to_s, 6),
        significant(phase.throughput, 3),
        significant(phase.share, 3)
    )
}
