//! A rule in words.

use model::definition::Control;
use model::outcome::StallRule;

/// The rule in words, as the end of "a trial is stalled when …".
pub fn in_words(rule: &StallRule, control: Option<&Control>) -> String {
    match rule {
        StallRule::Control { share } => format!(
            "its throughput is below {share} times the median of its control ({}, all else the same)",
            control.map_or("none", |control| &control.value)
        ),
        StallRule::Absolute { mops } => format!("its throughput is below {mops} Mops/s"),
        StallRule::Event { limit } => super::case::event_is_late(*limit),
        StallRule::Split => "its throughput is in the lower of the two modes of its cell and its \
                             control together; where they have one mode, none is, and without \
                             a control no trial of a cell of one mode has an outcome"
            .to_string(),
        StallRule::Reported => "the source of the run says that it stalled".to_string(),
    }
}
