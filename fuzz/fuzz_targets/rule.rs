//! A stall rule is read or refused, and prints back as a rule that is the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use model::outcome::StallRule;

fuzz_target!(|text: &str| {
    let Ok(rule) = text.parse::<StallRule>() else { return };
    let again: StallRule = rule.to_string().parse().expect("a rule prints as one");
    assert_eq!(again, rule, "{text:?} prints as {rule}");
});
