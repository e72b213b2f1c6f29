//! `experiments stat power …`.

use std::io::Write;

use clap::{ArgGroup, Args, ValueEnum};
use serde::Serialize;
use stats::Alternative;
use stats::power::interval_width::{self, IntervalMethod};
use stats::power::two_proportions::{self, Design, PowerTest};
use stats::power::{hazard_ratio, none_of_n};

use super::super::planning::counted;
use super::side::Side;
use super::table::number;
use super::{Options, count};
use crate::failure::{Failure, Outcome};
use crate::number::real;

/// How many trials: before a run, what it can show
///
/// Four questions, by which option is given:
///
///   --base P --test P   trials a side for a test to tell the two apart, by enumeration of
///                       every table; with --n N, the power that N a side have
///   --width W           trials for an interval of a proportion to be W wide, if it is --p
///   --at-most P         trials, all of which must pass, for "0 of n" to mean at most P
///   --hazard-ratio HR   events for a log-rank test to show that ratio of recovery rates
#[derive(Debug, Args)]
#[command(
    verbatim_doc_comment,
    group(ArgGroup::new("question").required(true).args(["base", "width", "at_most", "hazard_ratio"])),
    after_help = "Examples:\n  experiments stat power --base 0.3 --test 0.02\n  \
                  experiments stat power --base 0.3 --test 0.02 --n 24 --test-name fisher\n  \
                  experiments stat power --width 0.2 --p 0.5\n  \
                  experiments stat power --at-most 0.05\n  \
                  experiments stat power --hazard-ratio 2"
)]
pub struct PowerArgs {
    /// The probability of a stall on the base side
    #[arg(long, value_name = "P", requires = "test", allow_negative_numbers = true, value_parser = real)]
    base: Option<f64>,
    /// The probability of a stall on the test side
    #[arg(long, value_name = "P", requires = "base", allow_negative_numbers = true, value_parser = real)]
    test: Option<f64>,
    /// The test, with --base and --test
    #[arg(long, value_enum, default_value_t)]
    test_name: TestName,
    /// Trials a side: give the power they have, rather than how many are needed
    #[arg(long, value_name = "N", value_parser = count, requires = "base", allow_negative_numbers = true)]
    n: Option<u64>,
    /// The power to reach
    #[arg(long, default_value_t = 0.8, allow_negative_numbers = true, value_parser = real)]
    power: f64,
    /// What the test looks for: the test side differs, is smaller, is greater. The error rate,
    /// 1 - level, is that of this test
    #[arg(long, value_enum, default_value_t)]
    alternative: Side,
    /// The width that an interval is to have, high bound less low bound
    #[arg(long, value_name = "W", allow_negative_numbers = true, value_parser = real)]
    width: Option<f64>,
    /// With --width: the probability; 0.5 is the safe assumption
    #[arg(long, value_name = "P", default_value_t = 0.5, allow_negative_numbers = true, value_parser = real)]
    p: f64,
    /// With --width: the interval
    #[arg(long, value_enum, default_value_t)]
    interval: IntervalName,
    /// The probability that "0 of n" is to exclude
    #[arg(long, value_name = "P", allow_negative_numbers = true, value_parser = real)]
    at_most: Option<f64>,
    /// The ratio of recovery rates, test against base
    #[arg(long, value_name = "HR", allow_negative_numbers = true, value_parser = real)]
    hazard_ratio: Option<f64>,
    /// With --hazard-ratio: the share of the trials on the test side
    #[arg(long, value_name = "S", default_value_t = 0.5, allow_negative_numbers = true, value_parser = real)]
    share: f64,
    #[command(flatten)]
    options: Options,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum TestName {
    Fisher,
    FisherMidP,
    #[default]
    Boschloo,
    Barnard,
}

impl From<TestName> for PowerTest {
    fn from(name: TestName) -> Self {
        match name {
            TestName::Fisher => PowerTest::Fisher,
            TestName::FisherMidP => PowerTest::FisherMidP,
            TestName::Boschloo => PowerTest::Boschloo,
            TestName::Barnard => PowerTest::Barnard,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum IntervalName {
    #[default]
    Wilson,
    ClopperPearson,
    Jeffreys,
    MidP,
}

impl From<IntervalName> for IntervalMethod {
    fn from(name: IntervalName) -> Self {
        match name {
            IntervalName::Wilson => IntervalMethod::Wilson,
            IntervalName::ClopperPearson => IntervalMethod::ClopperPearson,
            IntervalName::Jeffreys => IntervalMethod::Jeffreys,
            IntervalName::MidP => IntervalMethod::MidP,
        }
    }
}

/// Runs the command.
pub fn run(args: PowerArgs, out: &mut dyn Write) -> Outcome {
    match (args.base.zip(args.test), args.width, args.at_most, args.hazard_ratio) {
        (Some((base, test)), ..) => two_sides(&args, base, test, out),
        (_, Some(width), ..) => width_of_interval(&args, width, out),
        (_, _, Some(p), _) => none_of(&args, p, out),
        (_, _, _, Some(ratio)) => events(&args, ratio, out),
        _ => Err(Failure::Request(
            "power of what: give --base and --test, --width, --at-most or --hazard-ratio".into(),
        )),
    }
}

/// What docs/reference/commands.md promises, then what the test looks for and what the number cannot carry.
#[derive(Debug, Serialize)]
struct Answer<T> {
    #[serde(flatten)]
    found: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    alternative: Option<Alternative>,
    notes: Vec<String>,
}

fn two_sides(args: &PowerArgs, base: f64, test: f64, out: &mut dyn Write) -> Outcome {
    let (level, alternative) = (args.options.level, args.alternative.into());
    let design = Design::new(base, test, args.test_name.into(), level, alternative)?;
    let answer = match args.n {
        Some(n) => two_proportions::at(&design, n)?,
        None => two_proportions::trials(&design, args.power)?,
    };
    let notes = match args.n {
        Some(_) => Vec::new(),
        None => vec![format!(
            "from this n on the power stays at or above {}, checked up to {} a side: exact power is a \
             saw, and a smaller n may reach it once",
            number(args.power),
            answer.checked_to
        )],
    };
    let whole = Answer { found: &answer, alternative: Some(alternative), notes };
    args.options.answer(out, &whole, || {
        let how: String = whole.notes.iter().map(|note| format!("Note: {note}.\n")).collect();
        format!(
            "Trials a side: {}, with power {} to tell {} from {}\n\nBy enumeration of every table, \
             {}, {}, error rate {}.\n{how}Assumes independent trials with one probability a side.\n",
            answer.n_per_side,
            number(answer.power),
            number(test),
            number(base),
            answer.test,
            said(alternative),
            number(level.alpha()),
        )
    })
}

fn said(alternative: Alternative) -> &'static str {
    match alternative {
        Alternative::TwoSided => "two-sided",
        Alternative::Less => "one-sided (test below base)",
        Alternative::Greater => "one-sided (test above base)",
    }
}

fn width_of_interval(args: &PowerArgs, width: f64, out: &mut dyn Write) -> Outcome {
    let answer = interval_width::trials(width, args.p, args.options.level, args.interval.into())?;
    let notes =
        vec!["the mean over all counts, by enumeration; one run's interval may be wider".into()];
    let whole = Answer { found: &answer, alternative: None, notes };
    args.options.answer(out, &whole, || {
        format!(
            "{}: a {} % {} interval {} wide on average, if the probability is {}\n\n\
             The mean over all counts, by enumeration; one run's interval may be wider.\n",
            counted(answer.n, "trial"),
            args.options.level.percent(),
            answer.interval,
            number(answer.expected_width),
            number(args.p),
        )
    })
}

fn none_of(args: &PowerArgs, p: f64, out: &mut dyn Write) -> Outcome {
    let answer = none_of_n::trials(p, args.options.level)?;
    let notes = vec!["a single stall among them and the statement is another one".into()];
    let whole = Answer { found: &answer, alternative: None, notes };
    args.options.answer(out, &whole, || {
        format!(
            "{}, none of which stalls: at {} % confidence the probability is at most {} \
             (one-sided, exact)\n\nA single stall among them and the statement is another one.\n",
            counted(answer.n, "trial"),
            args.options.level.percent(),
            number(answer.at_most),
        )
    })
}

fn events(args: &PowerArgs, ratio: f64, out: &mut dyn Write) -> Outcome {
    let alternative = args.alternative.into();
    let answer =
        hazard_ratio::events(ratio, args.share, args.power, args.options.level, alternative)?;
    let notes = vec![
        "events, not trials: divide by the share of trials that is expected to recover while watched".into(),
        "assumes proportional hazards; below about 20 events the formula is a guess".into(),
    ];
    let whole = Answer { found: &answer, alternative: Some(alternative), notes };
    args.options.answer(out, &whole, || {
        format!(
            "{} in both groups together: power {} to show a hazard ratio of {}\n\n\
             Schoenfeld's formula, log-rank, {}, error rate {}, {} of the trials on the test side.\n\
             Events, not trials: divide by the share of trials that is expected to recover while \
             watched. Assumes\nproportional hazards; below about 20 events the formula is a guess.\n",
            counted(answer.events, "event"),
            number(answer.power),
            number(ratio),
            said(alternative),
            number(args.options.level.alpha()),
            number(args.share),
        )
    })
}
