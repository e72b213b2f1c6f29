//! A rule in words.

use model::definition::Control;
use model::outcome::{Condition, StallRule, Than};
use stats::words::seconds;

/// The rule in words, as the end of "a trial is stalled when …".
pub fn in_words(rule: &StallRule, control: Option<&Control>) -> String {
    let all = rule.conditions().iter().map(|condition| of_condition(condition, control));
    all.collect::<Vec<_>>().join(", or when ")
}

fn of_condition(condition: &Condition, control: Option<&Control>) -> String {
    match condition {
        Condition::Control { share } => format!(
            "its throughput is below {share} times the median of its control ({}, all else the same)",
            control.map_or("none", |control| &control.value)
        ),
        Condition::Absolute { mops } => format!("its throughput is below {mops} Mops/s"),
        Condition::Event { limit } => super::case::event_is_late(*limit),
        Condition::Split => "its throughput is in the lower of the two modes of its cell and its \
                             control together; where they have one mode, none is, and without \
                             a control no trial of a cell of one mode has an outcome"
            .to_string(),
        Condition::Reported => "the source of the run says that it stalled".to_string(),
        Condition::Exit { statuses } => match statuses.as_slice() {
            [] => "its program ends with another status than 0".to_string(),
            [one] => format!("its program ends with status {one}"),
            several => {
                let each: Vec<String> = several.iter().map(u8::to_string).collect();
                format!("its program ends with one of the statuses {}", each.join(", "))
            }
        },
        Condition::Signal => "a signal ends its program".to_string(),
        Condition::Hang { without } => {
            format!("it makes no progress for {}", seconds(without.seconds()))
        }
        Condition::Timeout => "its time limit ends it".to_string(),
        Condition::Match { regex } => format!("its program's output matches `{regex}`"),
        Condition::Metric(limit) => {
            let than = match limit.than {
                Than::Above => "above",
                Than::Below => "below",
                Than::At => "exactly",
            };
            let space = if limit.unit.is_empty() { "" } else { " " };
            format!("its `{}` is {than} {}{space}{}", limit.name, limit.value, limit.unit)
        }
        Condition::Splat { text: None } => "the kernel complains".to_string(),
        Condition::Splat { text: Some(text) } => format!("the kernel complains of `{text}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_joined_and_units_stand_apart() {
        let words = |rule: &str| in_words(&rule.parse().unwrap(), None);
        assert_eq!(
            words("exit:1,134 or hang:2s or metric:p99>5ms"),
            "its program ends with one of the statuses 1, 134, or when it makes no progress for 2 s, or \
             when its `p99` is above 5 ms"
        );
        assert_eq!(words("splat:KASAN"), "the kernel complains of `KASAN`");
    }
}
