//! Counts and times in the words of messages.

use campaign::plan::Plan;

/// How long a plan's trials take: `about 6 s`, or `at most 48 s` where they may end early. `stretch`
/// is what the place makes of the planned time.
pub fn expected_in_words(plan: &Plan, stretch: f64) -> String {
    let word = if plan.may_end_early() { "at most" } else { "about" };
    format!("{word} {}", in_words(plan.expected().seconds() * stretch))
}

/// A time as people say it: `45 s`, `3 min 20 s`, `2 h 5 min`.
pub fn in_words(seconds: f64) -> String {
    let s = if seconds.is_finite() { seconds.max(0.0).ceil() as u64 } else { 0 };
    match s {
        0..60 => format!("{s} s"),
        60..3600 if s % 60 == 0 => format!("{} min", s / 60),
        60..3600 => format!("{} min {} s", s / 60, s % 60),
        _ => format!("{} h {} min", s / 3600, s % 3600 / 60),
    }
}

/// `1 trial`, `2 trials`.
pub fn counted(n: u64, thing: &str) -> String {
    if n == 1 { format!("1 {thing}") } else { format!("{n} {thing}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_as_people_do() {
        let said: Vec<String> = [0.0, 0.2, 59.9, 61.0, 3600.0, 7500.0].map(in_words).to_vec();
        assert_eq!(said, ["0 s", "1 s", "1 min", "1 min 1 s", "1 h 0 min", "2 h 5 min"]);
    }
}
