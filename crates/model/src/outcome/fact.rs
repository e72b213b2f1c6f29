//! What conditions look at, as metrics of a trial. They are facts about its end and not results of its
//! work, so no table of metrics has them.

use super::reported;

/// The status that the trial's program ended with, from 0 to 255.
pub const EXIT_STATUS: &str = "exit_status";

/// The signal that ended the trial's program.
pub const EXIT_SIGNAL: &str = "exit_signal";

/// The longest time without progress, in seconds.
pub const IDLE_S: &str = "idle_s";

/// 1 of a trial whose guest froze.
pub const FROZEN: &str = "frozen";

/// The moment at which the trial's program ended, by itself or not. No metric has this name.
pub const END: &str = "end";

/// Before an expression: 1 if the program's output has it, else 0.
const MATCHES: &str = "match:";

/// The metric that says whether a program's output has an expression: 1 or 0.
pub fn matches(regex: &str) -> String {
    format!("{MATCHES}{regex}")
}

/// Whether a metric is such a fact.
pub fn is_one(metric: &str) -> bool {
    [EXIT_STATUS, EXIT_SIGNAL, IDLE_S, FROZEN, reported::METRIC].contains(&metric)
        || metric.starts_with(MATCHES)
}
