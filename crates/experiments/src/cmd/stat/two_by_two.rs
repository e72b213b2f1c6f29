//! `experiments stat two-by-two K1 N1 K2 N2`.

use std::io::Write;

use clap::Args;
use stats::two_by_two::{self, Contrast, Effects, Side, TwoByTwo, TwoByTwoSummary, unconditional};
use stats::{Alternative, TestResult};

use super::answer::Answer;
use super::table::{Table, number, p_value};
use super::{Options, count};
use crate::failure::Outcome;

/// Two proportions: K1 of N1 on the base side against K2 of N2 on the test side
///
/// Difference, ratio and odds ratio are test against base, each with intervals; then Fisher's
/// exact test, its mid-P, Boschloo's and Barnard's unconditional exact tests. Boschloo is the
/// default to quote: exact for a design that fixes the number of trials a side, and one-sided never
/// less powerful than Fisher's.
///
/// Two-sided, Boschloo's is twice the smaller one-sided p-value: half of the error rate goes to either
/// direction, so that a rejection is a claim in a direction, as an interval's is. Fisher's adds up the
/// tables that are no more likely, and may be the smaller one of the two.
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
    let table = TwoByTwo::new(args.k1, args.n1, args.k2, args.n2)?;
    let summary = two_by_two::summarize(table, args.options.level);
    let answer = Answer { notes: notes(&summary), summary };
    args.options.answer(out, &answer, || text(&answer, &args.options))
}

fn text(answer: &Answer<TwoByTwoSummary>, options: &Options) -> String {
    let summary = &answer.summary;
    let effects = &summary.effects;
    let mut notes: String = answer.notes.iter().map(|note| format!("{note}.\n")).collect();
    if !notes.is_empty() {
        notes.push('\n');
    }
    format!(
        "base  {}\ntest  {}\n\n{}\n{}\n{notes}{}",
        side(&effects.base),
        side(&effects.test),
        effect_table(effects, options),
        test_table(&summary.tests),
        "Default: newcombe for the difference (made of the two Wilson intervals), boschloo for the \
         test: exact for\nfixed group sizes, and one-sided never weaker than fisher. Two-sided it is twice the \
         smaller one-sided p-value,\nso that a rejection is a claim in a direction; fisher orders tables by \
         likelihood. Assumes independent trials\nwith one probability a side.\n",
    )
}

/// `4 of 24: 0.166667`.
pub(super) fn side(side: &Side) -> String {
    format!("{} of {}: {}", side.k, side.n, number(side.estimate))
}

/// Differences, ratios and odds with their intervals.
pub(super) fn effect_table(effects: &Effects, options: &Options) -> String {
    let percent = options.level.percent();
    let mut table = Table::new(&[
        "test against base",
        "estimate",
        &format!("{percent} % low"),
        "high",
        "method",
    ]);
    for (name, contrast) in [
        ("difference", &effects.difference),
        ("ratio", &effects.ratio),
        ("odds ratio", &effects.odds_ratio),
    ] {
        contrast_rows(&mut table, name, contrast);
    }
    table.render()
}

/// A contrast's rows: one an interval.
pub(super) fn contrast_rows(table: &mut Table, name: &str, contrast: &Contrast) {
    for interval in &contrast.intervals {
        table.row([
            name.to_owned(),
            number(contrast.estimate),
            number(interval.low),
            number(interval.high),
            interval.method.to_owned(),
        ]);
    }
}

/// Tests by method, alternatives side by side.
fn test_table(tests: &[TestResult]) -> String {
    let mut table = Table::new(&["p-value", "two-sided", "less", "greater"]);
    let mut methods: Vec<&str> = tests.iter().map(|test| test.method).collect();
    methods.dedup();
    for method in methods {
        let p = |alternative: Alternative| {
            let of = |test: &&TestResult| test.method == method && test.alternative == alternative;
            p_value(tests.iter().find(of).and_then(|test| test.p_value))
        };
        table.row([
            method.to_owned(),
            p(Alternative::TwoSided),
            p(Alternative::Less),
            p(Alternative::Greater),
        ]);
    }
    table.render()
}

/// What does not exist and why; and what the numbers cannot carry.
fn notes(summary: &TwoByTwoSummary) -> Vec<String> {
    let effects = &summary.effects;
    let mut notes: Vec<String> = Vec::new();
    if effects.base.k == 0 {
        notes.push("No events on the base side: a ratio to it does not exist".into());
    }
    if effects.odds_ratio.estimate.is_none() {
        notes.push(if effects.odds_ratio.intervals.iter().all(|i| i.low == Some(0.0)) {
            "These margins allow one table only: nothing follows about the odds ratio".into()
        } else {
            "The odds ratio is infinite: it has no estimate and no upper bound".into()
        });
    }
    let crosses = |i: usize| {
        let bounds = effects.difference.intervals.get(i).and_then(|v| v.low.zip(v.high));
        bounds.map(|(low, high)| low <= 0.0 && high >= 0.0)
    };
    if crosses(0) != crosses(1) {
        notes.push(
            "One interval of the difference contains 0 and the other does not: these counts are too \
             few to decide it"
                .into(),
        );
    }
    let two_sided = |method: &str| {
        let of =
            |test: &&TestResult| test.method == method && test.alternative == Alternative::TwoSided;
        summary.tests.iter().find(of).and_then(|test| test.p_value)
    };
    if let Some((boschloo, fisher)) = two_sided("boschloo").zip(two_sided("fisher"))
        && boschloo > fisher
    {
        notes.push(
            "Two-sided, boschloo is above fisher here: it doubles the smaller one-sided p-value, fisher \
             adds the tables that are no more likely; which one is read is to be chosen before the \
             trials"
                .into(),
        );
    }
    let total = effects.base.n + effects.test.n;
    if total > unconditional::MOST_TRIALS {
        notes.push(format!(
            "Boschloo and Barnard are enumerated up to {} trials in all, and here are {total}; beyond \
             that Fisher's mid-P is near Boschloo's, and near Barnard's where they are small",
            unconditional::MOST_TRIALS
        ));
    }
    let undefined: Vec<&str> = ["fisher-mid-p", "barnard", "boschloo"]
        .into_iter()
        .filter(|method| total <= unconditional::MOST_TRIALS || *method == "fisher-mid-p")
        .filter(|method| two_sided(method).is_none())
        .collect();
    if !undefined.is_empty() {
        notes.push(format!("Not defined on this table: {}", undefined.join(", ")));
    }
    notes
}
