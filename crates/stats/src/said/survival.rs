//! The notes of a survival summary, each a sentence.

use crate::survival::PointwiseMethod;
use crate::survival::notes::{FEW_EVENTS, FEW_TRIALS, NoSpread, Note};
use crate::words::{counted, exact_percent, list, sentence};

/// The sentence of a note.
pub fn note(note: &Note) -> String {
    match note {
        Note::FewTrials { pointwise: PointwiseMethod::BetaProduct } => format!(
            "With fewer than {FEW_TRIALS} trials, the restricted mean's interval covers too little."
        ),
        Note::FewTrials { .. } => format!(
            "With fewer than {FEW_TRIALS} trials, intervals by Greenwood's variance are rough, and the \
             restricted mean's covers too little; for curve and median, the beta product keeps its level \
             at any size."
        ),
        Note::FewEvents { sides } => {
            let sides: Vec<String> = sides
                .iter()
                .map(|(name, events)| format!("{name} has {}", counted(*events, "event", "events")))
                .collect();
            format!(
                "With fewer than {FEW_EVENTS} events on a side ({}), the tests of the hazard ratio and \
                 of the difference of means are rough: they may reject up to twice as often as their \
                 level says.",
                list(&sides)
            )
        }
        Note::HazardRatioIsZero { without, with } => format!(
            "The hazard ratio is 0, because {without} has no event while a trial of {with} is at risk. \
             It has an upper bound only."
        ),
        Note::HazardRatioIsInfinite { without, with } => format!(
            "The hazard ratio is infinite, because {without} has no event while a trial of {with} is at \
             risk. It has a lower bound only."
        ),
        Note::NoHazardRatio => {
            "No hazard ratio: at no event were trials of both sides at risk, or all had it.".into()
        }
        Note::NoSpreadOfDifference { group, because, until } => format!(
            "No interval and no p-value for the difference of means: {group} has {} before {until}, so \
             its variance cannot be estimated.",
            no_spread(*because)
        ),
        Note::NoBandAtTheEnds => {
            "No interval where the curve is 1 or 0: Greenwood's variance has no value there.".into()
        }
        Note::NoMedian => {
            "No median: the curve stays above 1/2 within the time followed.".into()
        }
        Note::NotReached { shares } => format!(
            "Not reached: {}. Too many trials ended without the event.",
            list(&shares.iter().map(|share| time_of(*share)).collect::<Vec<_>>())
        ),
        Note::NoLowerBound { shares } => no_bound("lower", shares),
        Note::NoUpperBound { shares } => no_bound("upper", shares),
        Note::AllEndedAtZero => "No restricted mean: every trial of a group ended at 0.".into(),
        Note::MeanBeyondFollowUp { until, followed_to } => format!(
            "No restricted mean up to {until}: the trials were followed to {followed_to} only."
        ),
        Note::NoSpreadOfMean { because, until } => format!(
            "No interval for the mean: the trials have {} before {until}, so its variance cannot be \
             estimated.",
            because.map_or("events that tell of no spread", no_spread)
        ),
        Note::IntervalCensored => "Some times are known only between two looks. The curve is \
                                   Turnbull's, which has no interval and no restricted mean."
            .into(),
        Note::NoCurve { error } => format!("No curve: {error}."),
        Note::FlatAtMedian { from, left, right: Some(right), shown } => format!(
            "The curve is at 1/2 exactly from {from} on: the median lies in ({left}, {right}]; shown is \
             the middle by the right edges, {shown}."
        ),
        Note::FlatAtMedian { from, left, right: None, shown } => format!(
            "The curve is at 1/2 exactly from {from} to the end of the time followed: the median lies \
             above {left} and has no upper bound; shown is the start, {shown}."
        ),
        Note::MedianBetween { left, right } => {
            format!("The median lies in ({left}, {right}]; shown is the right edge.")
        }
        Note::MassBeyondLooks => {
            "The last part of the curve lies beyond every look: when it falls is not known.".into()
        }
        Note::NoFit { error } => sentence(error),
        Note::NoRankTest => "The groups cannot be compared by ranks: at no event were trials of two \
                             groups at risk, or all had it."
            .into(),
        Note::NoRankTestOfIntervals => "No test between the groups: rank tests need times that are \
                                        exact or right-censored, and some are known only between two \
                                        looks."
            .into(),
        Note::Pairwise { base, comparisons } => format!(
            "Each group is compared with {} by the trials of those two: this is not one Cox model over \
             all groups. p by Holm counts the {comparisons} comparisons of one measure.",
            base.as_deref().unwrap_or("the first")
        ),
        Note::OnlyGroup { group } => format!("Nothing is compared: {group} is the only group."),
    }
}

fn no_spread(because: NoSpread) -> &'static str {
    match because {
        NoSpread::NoEvent => "no event",
        NoSpread::OneTime => "all events at one time",
    }
}

fn no_bound(which: &str, shares: &[f64]) -> String {
    format!(
        "No {which} bound of {}: the curve's {which} bound does not come down that far.",
        list(&shares.iter().map(|share| time_of(*share)).collect::<Vec<_>>())
    )
}

/// The time by which a share of the trials had the event.
fn time_of(share: f64) -> String {
    match share {
        0.5 => "the median".into(),
        share => format!("the time for {} %", exact_percent(share)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_named_as_a_reader_does() {
        let none = note(&Note::NotReached { shares: vec![0.9, 0.999] });
        assert!(none.starts_with("Not reached: the time for 90 % and the time for 99.9 %."));
        let open = note(&Note::NoUpperBound { shares: vec![0.5] });
        assert!(open.starts_with("No upper bound of the median:"), "{open}");
    }

    #[test]
    fn few_trials_name_the_interval_that_serves() {
        let rough = note(&Note::FewTrials { pointwise: PointwiseMethod::LogLog });
        assert!(rough.contains("the beta product keeps its level"), "{rough}");
        let beta = note(&Note::FewTrials { pointwise: PointwiseMethod::BetaProduct });
        assert!(!beta.contains("Greenwood"), "{beta}");
        let one = note(&Note::FewEvents { sides: vec![("test".into(), 1)] });
        assert!(one.contains("(test has 1 event)"), "{one}");
    }
}
