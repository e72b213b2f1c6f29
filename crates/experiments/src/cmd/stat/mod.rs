//! `experiments stat …`: the estimators that `analyze` uses, on numbers typed in.
//!
//! A subcommand is a file here with its `Args` and `run`; a new one touches three lines of this
//! file. Each hands its result, a sentence and its notes to [`Options::answer`], which writes JSON or the
//! text that [`render`] makes of the same JSON. The words are in `report::say::stat`.

pub mod adjust;
pub mod columns;
mod csv_text;
mod name;
pub mod power;
pub mod proportion;
pub mod recovery;
mod render;
pub mod samples;
pub mod side;
pub mod strata;
pub mod survival;
pub mod table;
pub mod threshold;
pub mod two_by_two;

use std::io::Write;

use clap::{Args, Subcommand};
use serde::Serialize;
use stats::Level;
use stats::binomial::MOST_TRIALS;

use report::neutral::plain;

use crate::failure::{Failure, Outcome};
pub use crate::number::level;
use crate::number::{BadNumber, whole};

/// Compute statistics on numbers that you type in
///
/// Proportions, two-by-two tables, strata, survival, recovery, thresholds, samples, several p-values and
/// power, by the same code that `analyze` uses. Results are on standard output; `--json` gives them in
/// full precision.
#[derive(Debug, Args)]
pub struct StatArgs {
    #[command(subcommand)]
    command: StatCommand,
}

#[derive(Debug, Subcommand)]
enum StatCommand {
    Adjust(adjust::AdjustArgs),
    Power(power::PowerArgs),
    Proportion(proportion::ProportionArgs),
    Recovery(recovery::RecoveryArgs),
    Samples(samples::SamplesArgs),
    Strata(strata::StrataArgs),
    Survival(survival::SurvivalArgs),
    Threshold(threshold::ThresholdArgs),
    TwoByTwo(two_by_two::TwoByTwoArgs),
}

/// Runs one `stat` subcommand, writing its result to `out`.
pub fn run(args: StatArgs, out: &mut dyn Write) -> Outcome {
    match args.command {
        StatCommand::Adjust(args) => adjust::run(args, out),
        StatCommand::Power(args) => power::run(args, out),
        StatCommand::Proportion(args) => proportion::run(args, out),
        StatCommand::Recovery(args) => recovery::run(args, out),
        StatCommand::Samples(args) => samples::run(args, out),
        StatCommand::Strata(args) => strata::run(args, out),
        StatCommand::Threshold(args) => threshold::run(args, out),
        StatCommand::Survival(args) => survival::run(args, out),
        StatCommand::TwoByTwo(args) => two_by_two::run(args, out),
    }
}

/// What every `stat` subcommand takes; `#[command(flatten)]` it.
#[derive(Debug, Clone, Copy, Args)]
pub struct Options {
    /// The confidence level of intervals, between 0 and 1
    #[arg(long, default_value = "0.95", value_parser = level, allow_negative_numbers = true)]
    pub level: Level,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Show every number of the result
    #[arg(long, conflicts_with = "json")]
    pub all: bool,
}

/// A result and its words.
pub struct Answer<'a, R> {
    /// The result, in the shape of docs/reference/commands.md without its notes.
    pub result: &'a R,
    /// The answer in a sentence or two.
    pub headline: String,
    /// What does not exist and why, and what the numbers cannot carry.
    pub notes: Vec<String>,
    /// The paths that the text shows without `--all`; none is all of them.
    pub shown: Vec<String>,
}

impl Options {
    /// Writes an answer: as JSON if that was asked for, else as text.
    pub fn answer<R: Serialize>(&self, out: &mut dyn Write, answer: Answer<'_, R>) -> Outcome {
        let broken = |error| Failure::Running(format!("the result is not JSON: {error}"));
        let mut result = serde_json::to_value(answer.result).map_err(broken)?;
        result["notes"] = answer.notes.into();
        let text = if self.json {
            serde_json::to_string_pretty(&result).map_err(broken)? + "\n"
        } else {
            let shown_paths = if self.all { &[][..] } else { &answer.shown };
            let (rows, notes) = render::render(&result, shown_paths);
            let notes: String =
                notes.iter().map(|note| format!("Note: {}\n", ended(note))).collect();
            let gap = |text: &str| if text.is_empty() { "" } else { "\n" };
            let text = format!("{}\n{}{rows}{}{notes}", answer.headline, gap(&rows), gap(&notes));
            // Names are from the user's file: they are text, and no commands for a terminal.
            plain(&text).into_owned()
        };
        Ok(out.write_all(text.as_bytes()).and_then(|()| out.flush())?)
    }
}

/// A sentence with its stop.
fn ended(note: &str) -> String {
    if note.ends_with('.') { note.to_owned() } else { format!("{note}.") }
}

/// Paths of [`Answer::shown`].
pub fn paths(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|path| path.to_string()).collect()
}

/// Parses a count of trials. Shared by the subcommands that take counts as arguments.
fn count(text: &str) -> Result<u64, BadNumber> {
    whole("a count", 0, MOST_TRIALS, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_says_what_it_is_not() {
        assert_eq!(count("24"), Ok(24));
        for (text, why) in [
            ("-1", "negative"),
            ("2.5", "not a whole number"),
            ("many", "not a number"),
            ("99999999999999999999999", "above"),
        ] {
            let sentence = count(text).unwrap_err().to_string();
            assert!(sentence.contains(why), "{sentence}");
        }
    }
}
