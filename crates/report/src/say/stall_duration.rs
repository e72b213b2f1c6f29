use analysis::finding::few_trials::enough;
use analysis::finding::stall_duration::{ControlWatched, LastedAt, StallDuration};
use analysis::recovery::throughput::{MedianBetween, Partials, Rises};
use stats::words::{self, list, p_is, seconds, seconds_between};
use stats::{Estimate, Level};

use super::recovery::bounds;
use super::{at_fewer_threads, percent, threads, too_few, trials};

pub(super) fn say(it: &StallDuration) -> String {
    let [first, others @ ..] = it.at.as_slice() else { return String::new() };
    let share = it.share.map_or_else(|| "its share".to_string(), words::percent);
    let hold = it.hold_s.map_or_else(|| "the stated time".to_string(), seconds);
    let control = first.control.map_or_else(String::new, |control| {
        format!(" (the control's own in {})", of_control(&control, first.one_sample))
    });
    let back = match first.events {
        0 => format!(", and in none of them back there for {hold} before its samples end"),
        events => format!(", and back there for {hold} in {events} of them"),
    };
    format!(
        "By its timeline, throughput of `{}` at {} was below {share} of the control's in {} of {}{}\
         {control}{back}{}.{}{}{}",
        it.series,
        threads(first.threads),
        first.n,
        trials(first.watched),
        single_samples(first.one_sample),
        duration(first, it.level),
        against_control(first, it.level),
        rises(&it.partial, &hold),
        at_fewer_threads(others, fewer(it.level)),
    )
}

fn duration(at: &LastedAt, level: Level) -> String {
    if at.events == 0 {
        return String::new();
    }
    let Some(lasts) = lasting(&at.median, at.between.as_ref()) else {
        return ", too few for a median duration".to_string();
    };
    let censored = if at.n > at.events { ", with the others as censored," } else { "" };
    let at_level = percent(level);
    let interval = match (at.median.low.map(seconds), at.median.high.map(seconds)) {
        _ if !enough(at.n, level) => format!(" ({})", too_few(at.n, level)),
        (Some(low), Some(high)) => format!(" ({low} to {high}, {at_level} interval)"),
        (Some(low), None) => format!(" (above {low} at {at_level}; there is no upper bound)"),
        _ => String::new(),
    };
    format!("; the median stall{censored} lasts {lasts}{interval}")
}

/// `at 48 in 3 of 10 (control: 0 of 10, p = 0.105), all back, median 2 to 3 s`.
fn fewer(level: Level) -> impl Fn(&LastedAt) -> String {
    move |at| {
        let control = at.control.map_or_else(String::new, |control| {
            let p = control.p_value.map_or_else(String::new, |p| format!(", {}", p_is(p)));
            format!(" (control: {}{p})", of_control(&control, at.one_sample))
        });
        let back = match at.events {
            0 => "none back".to_string(),
            all if all == at.n => "all back".to_string(),
            some => format!("{some} back"),
        };
        let lasts = lasting(&at.median, at.between.as_ref()).filter(|_| at.events > 0);
        let time = lasts.map_or_else(String::new, |time| {
            format!(", median {time}{}", bounds(&at.median, at.n, level))
        });
        let single = single_samples(at.one_sample);
        format!("at {} in {} of {}{single}{control}, {back}{time}", at.threads, at.n, at.watched)
    }
}

/// `0 of 7`; with its single samples where those of its trials are told too.
fn of_control(control: &ControlWatched, single_samples_beside: u64) -> String {
    let single = match (control.one_sample, single_samples_beside) {
        (0, 0) => String::new(),
        (0, _) => ", for a single sample in none".to_string(),
        (own, _) => single_samples(own),
    };
    format!("{} of {}{single}", control.n, control.watched)
}

/// `, for a single sample in 2 more`; nothing where there is none.
fn single_samples(trials: u64) -> String {
    match trials {
        0 => String::new(),
        n => format!(", for a single sample in {n} more"),
    }
}

/// How long a median stall lasts: between two samples where that is known.
fn lasting(median: &Estimate, between: Option<&MedianBetween>) -> Option<String> {
    match (between, median.estimate) {
        (Some(MedianBetween { left_s, right_s: Some(right_s) }), _) => {
            Some(seconds_between(*left_s, *right_s))
        }
        (Some(MedianBetween { left_s, right_s: None }), _) => {
            Some(format!("more than {}", seconds(*left_s)))
        }
        (None, by) => by.map(|by| format!("up to {}", seconds(by))),
    }
}

/// Whether the stalls can be the case's, by what the control does.
fn against_control(at: &LastedAt, level: Level) -> String {
    match at.control {
        // n / watched is at most the control's.
        Some(control) if control.n * at.watched >= at.n * control.watched => {
            " The control does so as often: something else slows this machine for so long."
                .to_string()
        }
        Some(ControlWatched { p_value: Some(p), .. }) if p > level.alpha() => format!(
            " That is no more often than chance may make of the control's ({}, Fisher's exact test, \
             one-sided).",
            p_is(p)
        ),
        _ => String::new(),
    }
}

/// The rises that were no recovery, of trials that were back later and of those that were not.
fn rises(partial: &Partials, hold: &str) -> String {
    let of = |rises: &Rises, tense: &str, verb: &str, fell: &str| -> Vec<String> {
        let parts = [
            (rises.below_share, format!("{verb} part of the way")),
            (
                rises.did_not_hold,
                format!("{tense}reached that share and {fell} again within {hold}"),
            ),
            (rises.unconfirmed, format!("reached that share too late to keep it for {hold}")),
        ];
        parts.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect()
    };
    let sentences: Vec<String> = [
        ("were back", of(&partial.of_recovered, "had first ", "had first risen", "fallen")),
        ("were not back", of(&partial.of_not_recovered, "", "rose", "fell")),
    ]
    .into_iter()
    .filter(|(_, parts)| !parts.is_empty())
    .map(|(which, parts)| format!("Of those that {which}, {}", list(&parts)))
    .collect();
    match sentences.is_empty() {
        true => String::new(),
        false => format!(" {}: `stalls.csv` says when and how far.", sentences.join(". ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(threads: u64, watched: u64, n: u64, control_n: u64, p: f64) -> LastedAt {
        LastedAt {
            threads,
            watched,
            n,
            one_sample: 0,
            control: Some(ControlWatched {
                n: control_n,
                watched,
                one_sample: 0,
                p_value: Some(p),
            }),
            events: n - 1,
            median: Estimate { estimate: Some(170.0), low: Some(14.0), high: Some(296.0) },
            between: Some(MedianBetween { left_s: 169.0, right_s: Some(170.0) }),
        }
    }

    fn found(at: Vec<LastedAt>) -> StallDuration {
        StallDuration {
            series: "auto".into(),
            at,
            partial: Partials::default(),
            share: Some(0.5),
            hold_s: Some(3.0),
            level: Level::P95,
        }
    }

    #[test]
    fn the_highest_count_is_told_whole_and_the_others_in_a_list() {
        let mut lower = at(24, 3, 1, 0, 0.5);
        (lower.median, lower.between) = (Estimate::default(), None);
        assert_eq!(
            say(&found(vec![at(192, 7, 7, 0, 0.0003), lower])),
            "By its timeline, throughput of `auto` at 192 threads was below 50 % of the control's in 7 of \
             7 trials (the control's own in 0 of 7), and back there for 3 s in 6 of them; the median \
             stall, with the others as censored, lasts 169 to 170 s (14 s to 296 s, 95 % interval). At \
             fewer threads: at 24 in 1 of 3 (control: 0 of 3, p = 0.500), none back."
        );
    }

    #[test]
    fn single_samples_are_told_on_both_sides() {
        let mut one = at(192, 7, 5, 0, 0.01);
        one.one_sample = 2;
        one.control = one.control.map(|control| ControlWatched { one_sample: 1, ..control });
        let said = say(&found(vec![one]));
        assert!(
            said.contains(
                "in 5 of 7 trials, for a single sample in 2 more (the control's own in 0 of 7, for a \
                 single sample in 1 more)"
            ),
            "{said}"
        );
    }

    #[test]
    fn what_the_control_does_as_often_is_the_machine() {
        let said = say(&found(vec![at(192, 7, 7, 7, 1.0)]));
        assert!(said.contains("The control does so as often: something else slows"), "{said}");
        let said = say(&found(vec![at(192, 7, 7, 5, 3.0 / 13.0)]));
        assert!(
            said.contains(
                "no more often than chance may make of the control's (p = 0.231, Fisher's exact test"
            ),
            "{said}"
        );
    }

    #[test]
    fn a_rise_before_the_recovery_is_told_from_one_without() {
        let rise = Rises { below_share: 1, did_not_hold: 1, unconfirmed: 1 };
        let before = Rises { below_share: 1, ..Rises::default() };
        let partial =
            Partials { of_recovered: before, of_not_recovered: rise, ..Partials::default() };
        assert_eq!(
            rises(&partial, "3 s"),
            " Of those that were back, 1 had first risen part of the way. Of those that were not back, 1 \
             rose part of the way, 1 reached that share and fell again within 3 s and 1 reached that \
             share too late to keep it for 3 s: `stalls.csv` says when and how far."
        );
    }
}
