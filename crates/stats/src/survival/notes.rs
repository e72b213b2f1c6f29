//! What a reader of times, means and ratios must know: what does not exist and why, and what too few
//! trials or events cannot carry. Whoever shows these numbers says it by these sentences.

use super::{HazardRatio, KaplanMeier, PointwiseMethod, RestrictedMean};
use crate::Estimate;
use crate::words;

/// Below this many trials, no interval by Greenwood's variance is known to be near its level:
/// Borgan and Liestøl (1990).
const FEW_TRIALS: u64 = 25;

/// Below this many events on a side, the laws that the p-values of the hazard ratio and of the difference
/// of restricted means are taken from are rough; their docstrings have what they reject.
const FEW_EVENTS: u64 = 10;

/// The intervals of a curve, its median and its restricted mean, of so many trials.
pub fn few_trials(trials: u64, pointwise: PointwiseMethod) -> Option<String> {
    (trials < FEW_TRIALS).then(|| match pointwise {
        PointwiseMethod::BetaProduct => format!(
            "With fewer than {FEW_TRIALS} trials, the restricted mean's interval covers too little."
        ),
        _ => format!(
            "With fewer than {FEW_TRIALS} trials, intervals by Greenwood's variance are rough, and the \
             restricted mean's covers too little; for curve and median, the beta product keeps its level \
             at any size."
        ),
    })
}

/// The tests between two sides, by name, of so many events.
pub fn few_events(sides: [(&str, u64); 2]) -> Option<String> {
    let few: Vec<String> = sides
        .into_iter()
        .filter(|(_, events)| *events < FEW_EVENTS)
        .map(|(name, events)| format!("{name} has {}", words::counted(events, "event", "events")))
        .collect();
    (!few.is_empty()).then(|| {
        format!(
            "With fewer than {FEW_EVENTS} events on a side ({}), the hazard ratio's test rejects up to \
             twice as often as its level says, and the difference of means has no normal law to \
             go by: take both as rough.",
            words::list(&few)
        )
    })
}

/// A hazard ratio that is 0, infinite or unknown; base and test by name.
pub fn ratio_at_the_edge(ratio: &HazardRatio, base: &str, test: &str) -> Option<String> {
    let bounded = ratio.intervals.iter().any(|interval| interval.low.or(interval.high).is_some());
    let edge = |is: &str, without: &str, with: &str, bound: &str| {
        format!(
            "The hazard ratio is {is}, as {without} has no event while a trial of {with} is at risk: its \
             likelihood has no maximum, so that there is {bound} bound only, and no interval by Wald."
        )
    };
    match ratio.estimate {
        Some(estimate) if estimate > 0.0 => None,
        Some(_) => Some(edge("0", test, base, "an upper")),
        None if bounded => Some(edge("infinite", base, test, "a lower")),
        None => Some(
            "No hazard ratio: at no event were trials of both sides at risk, or all had it.".into(),
        ),
    }
}

/// Why the variance estimate of a mean up to a time is 0, if it is: what the trials have before it.
pub fn no_variance(curve: &KaplanMeier, until: f64) -> Option<&'static str> {
    let mut falls = curve.steps().iter().filter(|step| step.events > 0 && step.time < until);
    match (falls.next(), falls.next()) {
        (None, _) => Some("no event"),
        (Some(only), None) if only.survival <= 0.0 => Some("all events at one time"),
        _ => None,
    }
}

/// What of a curve's own numbers has no value.
pub fn of_curve(
    curve: &KaplanMeier,
    bounds_everywhere: bool,
    mean: &RestrictedMean,
    times: &[(f64, Estimate)],
) -> Vec<String> {
    let mut notes = Vec::new();
    if !bounds_everywhere {
        notes.push(
            "No interval where the curve is 1 or 0: Greenwood's variance has no value there, which is \
             not to know it exactly."
                .into(),
        );
    }
    notes.extend(not_reached(times));
    notes.extend(without_bounds(times));
    match (mean.estimate, mean.low) {
        (None, _) if mean.until <= 0.0 => {
            notes.push("No restricted mean: every trial of a group ended at 0.".into());
        }
        (None, _) => notes.push(format!(
            "No restricted mean: the curve is not estimated up to {}, the trials were followed to \
             {}.",
            mean.until,
            curve.last_time()
        )),
        (Some(_), None) => notes.push(format!(
            "No interval for the mean: the trials have {} before {}, so its variance estimate is 0, which \
             is not to know it exactly.",
            no_variance(curve, mean.until).unwrap_or("events that tell of no spread"),
            mean.until
        )),
        (Some(_), Some(_)) => {}
    }
    notes
}

/// The times by which shares of the trials had the event that are not reached. The share 1/2 is the median.
pub fn not_reached(times: &[(f64, Estimate)]) -> Vec<String> {
    let mut missing = named(times, |time| time.estimate.is_none());
    let mut notes = Vec::new();
    if missing.iter().any(|name| name == MEDIAN) {
        notes.push("No median: the curve stays above 1/2 within the time followed.".into());
        missing.retain(|name| name != MEDIAN);
    }
    if !missing.is_empty() {
        notes.push(format!(
            "Not reached: {}, as the curve stays above the share that is left then.",
            words::list(&missing)
        ));
    }
    notes
}

/// The times whose bounds the curve's interval does not give.
fn without_bounds(times: &[(f64, Estimate)]) -> Vec<String> {
    let mut notes = Vec::new();
    for (which, missing) in [
        ("lower", named(times, |time| time.estimate.is_some() && time.low.is_none())),
        ("upper", named(times, |time| time.estimate.is_some() && time.high.is_none())),
    ] {
        if !missing.is_empty() {
            notes.push(format!(
                "No {which} bound of {}: the curve's {which} bound, where it has one, does not come down to \
                 the share that is left then.",
                words::list(&missing)
            ));
        }
    }
    notes
}

const MEDIAN: &str = "the median";

fn named(times: &[(f64, Estimate)], is: impl Fn(&Estimate) -> bool) -> Vec<String> {
    let name = |p: f64| match p {
        0.5 => MEDIAN.to_owned(),
        p => format!("the time for {} %", words::exact_percent(p)),
    };
    times.iter().filter(|(_, time)| is(time)).map(|(p, _)| name(*p)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{FollowUp, hazard_ratio};
    use super::*;
    use crate::Level;

    fn trials(times: &[(f64, bool)]) -> Vec<FollowUp> {
        times.iter().map(|&(time, event)| FollowUp::new(time, event).unwrap()).collect()
    }

    #[test]
    fn few_is_fewer_than_the_bound() {
        assert_eq!(few_trials(25, PointwiseMethod::LogLog), None);
        let log_log = few_trials(24, PointwiseMethod::LogLog).unwrap();
        assert!(log_log.contains("the beta product keeps its level"), "{log_log}");
        let beta = few_trials(24, PointwiseMethod::BetaProduct).unwrap();
        assert!(!beta.contains("Greenwood"), "{beta}");
        assert_eq!(few_events([("base", 10), ("test", 10)]), None);
        let one = few_events([("base", 10), ("test", 1)]).unwrap();
        assert!(one.contains("(test has 1 event)"), "{one}");
    }

    #[test]
    fn a_variance_is_0_without_an_event_or_with_all_at_one_time() {
        let of = |times: &[(f64, bool)], until: f64| {
            let curve = KaplanMeier::fit(&trials(times)).unwrap();
            let why = no_variance(&curve, until);
            let mean = super::super::restricted_mean(&curve, until, Level::P95).unwrap();
            assert_eq!(mean.low.is_none(), why.is_some(), "{times:?} {until}");
            why
        };
        let all = [(1.0, true), (2.0, true), (3.0, true), (4.0, true)];
        assert_eq!(of(&all, 4.0), None, "it fell to 0, and not at one time");
        assert_eq!(of(&all, 1.0), Some("no event"));
        assert_eq!(
            of(&[(1.0, false), (2.0, true), (2.0, true)], 3.0),
            Some("all events at one time")
        );
        assert_eq!(of(&[(1.0, false), (2.0, false)], 2.0), Some("no event"));
        assert_eq!(of(&[(1.0, true), (2.0, false)], 2.0), None);
    }

    #[test]
    fn a_ratio_at_the_edge_says_which() {
        let of = |base: &[(f64, bool)], test: &[(f64, bool)]| {
            let ratio = hazard_ratio(&trials(base), &trials(test), Level::P95).unwrap();
            ratio_at_the_edge(&ratio, "stock", "patched")
        };
        let (seen, none) = ([(1.0, true), (3.0, true)], [(4.0, false), (5.0, false)]);
        let zero = of(&seen, &none).unwrap();
        assert!(zero.starts_with("The hazard ratio is 0, as patched has no event"), "{zero}");
        let infinite = of(&none, &seen).unwrap();
        assert!(infinite.starts_with("The hazard ratio is infinite, as stock has"), "{infinite}");
        let unknown = of(&[(1.0, false)], &[(2.0, true)]).unwrap();
        assert!(unknown.starts_with("No hazard ratio"), "{unknown}");
        assert_eq!(of(&seen, &[(2.0, true), (2.5, true)]), None);
    }

    #[test]
    fn every_time_without_a_value_is_named_once() {
        let some = |low, high| Estimate { estimate: Some(2.0), low, high };
        let none = Estimate::default();
        let times = [
            (0.5, some(Some(1.0), None)),
            (0.25, some(None, Some(3.0))),
            (0.9, none),
            (0.999, none),
        ];
        let late = not_reached(&times);
        assert_eq!(late.len(), 1, "{late:?}");
        assert!(late[0].starts_with("Not reached: the time for 90 % and the time for 99.9 %,"));
        let open = without_bounds(&times);
        assert_eq!(open.len(), 2, "{open:?}");
        assert!(open[0].starts_with("No lower bound of the time for 25 %:"), "{open:?}");
        assert!(open[1].starts_with("No upper bound of the median:"), "{open:?}");
        assert_eq!(not_reached(&[(0.5, none)]).len(), 1);
    }
}
