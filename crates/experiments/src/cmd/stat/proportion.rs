//! `experiments stat proportion K N`.

use std::io::Write;

use clap::Args;
use stats::StatError;
use stats::proportion::{self, Proportion, ProportionSummary};

use super::answer::Answer;
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
    let answer = Answer { summary, notes: all_or_none(of, &args.options)? };
    args.options.answer(out, &answer, || text(&answer, &args.options))
}

fn text(answer: &Answer<ProportionSummary>, options: &Options) -> String {
    let summary = &answer.summary;
    let mut all_or_none: String = answer.notes.iter().map(|note| format!("{note}.\n")).collect();
    if !all_or_none.is_empty() {
        all_or_none.push('\n');
    }
    let percent = options.level.percent();
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

/// What "none of n", and "all of n", show, in sentences; nothing for any other count.
fn all_or_none(of: Proportion, options: &Options) -> Result<Vec<String>, StatError> {
    let bound = proportion::at_most(of.n(), options.level)?;
    let percent = options.level.percent();
    Ok(if of.k() == 0 {
        vec![
            format!(
                "None of {}: at {percent} % confidence the probability is at most {} (one-sided, exact)",
                of.n(),
                number(bound),
            ),
            "That it is 0 cannot follow from any number of trials".into(),
        ]
    } else if of.k() == of.n() {
        vec![format!(
            "All of {}: at {percent} % confidence the probability is at least {} (one-sided, exact)",
            of.n(),
            number(1.0 - bound),
        )]
    } else {
        Vec::new()
    })
}
