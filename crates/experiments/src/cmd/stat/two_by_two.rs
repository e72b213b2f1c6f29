//! `experiments stat two-by-two K1 N1 K2 N2`.

use std::io::Write;

use clap::Args;
use report::say::stat::two_by_two as say;
use stats::two_by_two::{self, TwoByTwo};

use super::{Answer, Options, count, paths};
use crate::failure::Outcome;

/// Two proportions: K1 of N1 on the base side against K2 of N2 on the test side
///
/// The test is Fisher's exact one, which the verdict of a comparison takes too. Difference and ratio are
/// test against base, by Newcombe and by Koopman; where the interval and the test disagree about no
/// difference at all, the interval ends there.
///
/// --all and --json have the intervals as they are without that, the odds ratio, and the mid-P,
/// Boschloo's and Barnard's tests.
#[derive(Debug, Args)]
#[command(after_help = "Example: 4 of 24 stalled before the patch, none of 24 with it\n  \
                        experiments stat two-by-two 4 24 0 24")]
pub struct TwoByTwoArgs {
    /// How many stalled on the base side
    #[arg(value_name = "K1", value_parser = count, allow_negative_numbers = true)]
    k1: u64,
    /// Of how many trials on the base side
    #[arg(value_name = "N1", value_parser = count, allow_negative_numbers = true)]
    n1: u64,
    /// How many stalled on the test side
    #[arg(value_name = "K2", value_parser = count, allow_negative_numbers = true)]
    k2: u64,
    /// Of how many trials on the test side
    #[arg(value_name = "N2", value_parser = count, allow_negative_numbers = true)]
    n2: u64,
    #[command(flatten)]
    options: Options,
}

/// Runs the command.
pub fn run(args: TwoByTwoArgs, out: &mut dyn Write) -> Outcome {
    let level = args.options.level;
    let table = TwoByTwo::new(args.k1, args.n1, args.k2, args.n2)?;
    let found = two_by_two::summarize(table, level);
    let in_full = args.options.all || args.options.json;
    let found = if in_full { found } else { found.agreeing() };
    let answer = Answer {
        headline: say::headline(&found, level),
        notes: say::notes(&found, in_full),
        shown: paths(&["base", "test", "difference.newcombe", "ratio", "tests.fisher"]),
        result: &found,
    };
    args.options.answer(out, answer)
}
