//! `experiments stat proportion K N`.

use std::io::Write;

use analysis::stat::proportion::{self, Proportion, ProportionSummary};
use clap::Args;

use super::table::{Table, number};
use super::{Options, count};
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
    let of = Proportion::new(args.k, args.n)?;
    let summary = proportion::summarize(of, args.options.level);
    let all_or_none = all_or_none(of, &args.options)?;
    args.options.answer(out, &summary, || text(&summary, &args.options, &all_or_none))
}

fn text(summary: &ProportionSummary, options: &Options, all_or_none: &str) -> String {
    let percent = number(options.level.get() * 100.0);
    let mut table = Table::new(&["interval", "low", "high"]);
    for interval in &summary.intervals {
        table.row([interval.method.to_owned(), number(interval.low), number(interval.high)]);
    }
    format!(
        "{} of {}: {}\n\n{percent} % intervals, two-sided\n{}\n{all_or_none}\
         Default: wilson, whose mean coverage is near the level also at small n; clopper-pearson \
         (exact)\nwhere coverage must never fall below it. Assumes independent trials with one \
         probability.\n",
        summary.k,
        summary.n,
        number(summary.estimate),
        table.render(),
    )
}

/// What "none of n", and "all of n", show in a sentence; empty for any other count.
fn all_or_none(of: Proportion, options: &Options) -> Result<String, analysis::stat::StatError> {
    let bound = proportion::at_most(of.n(), options.level)?;
    let percent = number(options.level.get() * 100.0);
    Ok(if of.k() == 0 {
        format!(
            "None of {}: at {percent} % confidence the probability is at most {} (one-sided, exact).\n\
             That it is 0 cannot follow from any number of trials.\n\n",
            of.n(),
            number(bound),
        )
    } else if of.k() == of.n() {
        format!(
            "All of {}: at {percent} % confidence the probability is at least {} (one-sided, exact).\n\n",
            of.n(),
            number(1.0 - bound),
        )
    } else {
        String::new()
    })
}
