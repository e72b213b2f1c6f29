//! `experiments stat proportion K N`.

use std::io::Write;

use clap::Args;
use report::say::stat::proportion as say;
use stats::proportion::{self, Proportion};

use super::{Answer, Options, count, paths};
use crate::failure::Outcome;

/// One proportion: K stalled of N, with its intervals
///
/// Wilson is the one to quote by default; Clopper-Pearson ("exact") is never below the nominal
/// coverage; Jeffreys and mid-P lie between. Assumes independent trials with one probability.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  experiments stat proportion 8 10")]
pub struct ProportionArgs {
    /// How many stalled
    #[arg(value_name = "K", value_parser = count, allow_negative_numbers = true)]
    k: u64,
    /// Of how many trials
    #[arg(value_name = "N", value_parser = count, allow_negative_numbers = true)]
    n: u64,
    #[command(flatten)]
    options: Options,
}

/// Runs the command.
pub fn run(args: ProportionArgs, out: &mut dyn Write) -> Outcome {
    let level = args.options.level;
    let of = Proportion::new(args.k, args.n)?;
    let found = proportion::summarize(of, level);
    let answer = Answer {
        headline: say::headline(&found, level),
        notes: say::notes(of, level)?,
        shown: paths(&["wilson", "clopper-pearson"]),
        result: &found,
    };
    args.options.answer(out, answer)
}
