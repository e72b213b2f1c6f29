//! `experiments stat power …`.

use std::io::Write;

use clap::{ArgGroup, Args};
use report::say::stat::power as say;
use serde::Serialize;
use stats::Alternative;
use stats::power::interval_width::{self, IntervalMethod};
use stats::power::two_proportions::{self, Design, PowerTest};
use stats::power::{clusters, hazard_ratio, none_of_n};

use super::name::{UnknownName, named};
use super::side::Side;
use super::{Answer, Options, count, paths};
use crate::failure::{Failure, Outcome};
use crate::number::real;

/// How many trials are needed, or what a number of trials can show
///
/// Answers one of four questions, by the option that is given:
///
///   --base P --test P   trials a side for a test to tell the two apart, by enumeration of
///                       every table; with --n N, the power that N a side have; with
///                       --per-boot N, boots a side, whose trials are alike by --icc
///   --width W           trials for an interval of a proportion to be W wide, if it is --p
///   --at-most P         trials, all of which must pass, for "0 of n" to mean at most P
///   --hazard-ratio HR   events for a log-rank test to show that ratio of recovery rates
#[derive(Debug, Args)]
#[command(
    verbatim_doc_comment,
    group(ArgGroup::new("question").required(true).args(["base", "width", "at_most", "hazard_ratio"])),
    after_help = "Examples:\n  experiments stat power --base 0.3 --test 0.02\n  \
                  experiments stat power --base 0.3 --test 0.02 --n 24 --test-name boschloo\n  \
                  experiments stat power --base 0.5 --test 0.1 --per-boot 5\n  \
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
    /// The test, with --base and --test: fisher, fisher-mid-p, boschloo, barnard
    #[arg(long, default_value = "fisher", value_name = "TEST", value_parser = test_name)]
    test_name: PowerTest,
    /// Trials a side: prints the power that they have
    #[arg(long, value_name = "N", value_parser = count, requires = "base", allow_negative_numbers = true)]
    n: Option<u64>,
    /// Trials of a boot: prints the boots a side, for the test that `compare` has where boots are the units
    #[arg(long, value_name = "N", value_parser = count, requires = "base", conflicts_with_all = ["n", "test_name"], allow_negative_numbers = true)]
    per_boot: Option<u64>,
    /// With --per-boot: how alike the trials of a boot are, as their intraclass correlation
    #[arg(long, value_name = "R", default_value_t = 0.1, allow_negative_numbers = true, value_parser = real)]
    icc: f64,
    /// The power to reach
    #[arg(long, default_value_t = 0.8, allow_negative_numbers = true, value_parser = real)]
    power: f64,
    /// What the test looks for: the test side differs, is smaller, is greater. The error rate,
    /// 1 - level, is that of this test
    #[arg(long, value_enum, default_value_t)]
    alternative: Side,
    /// The width of the interval, high bound minus low bound
    #[arg(long, value_name = "W", allow_negative_numbers = true, value_parser = real)]
    width: Option<f64>,
    /// With --width: the probability; 0.5 is the safe assumption
    #[arg(long, value_name = "P", default_value_t = 0.5, allow_negative_numbers = true, value_parser = real)]
    p: f64,
    /// With --width: the interval: wilson, clopper-pearson, jeffreys, mid-p
    #[arg(long, default_value = "wilson", value_name = "METHOD", value_parser = interval_name)]
    interval: IntervalMethod,
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

fn test_name(text: &str) -> Result<PowerTest, UnknownName> {
    named(PowerTest::ALL, PowerTest::name, text)
}

fn interval_name(text: &str) -> Result<IntervalMethod, UnknownName> {
    named(IntervalMethod::ALL, IntervalMethod::name, text)
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

/// What docs/reference/commands.md promises, then what the test looks for.
#[derive(Debug, Serialize)]
struct Found<T> {
    #[serde(flatten)]
    found: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    alternative: Option<Alternative>,
}

impl PowerArgs {
    fn answer(
        &self,
        out: &mut dyn Write,
        found: impl Serialize,
        alternative: Option<Alternative>,
        headline: String,
        notes: Vec<String>,
    ) -> Outcome {
        // The sentence has the numbers; --all shows them as rows.
        let shown = paths(&["the sentence alone"]);
        let result = &Found { found, alternative };
        self.options.answer(out, Answer { result, headline, notes, shown })
    }
}

fn two_sides(args: &PowerArgs, base: f64, test: f64, out: &mut dyn Write) -> Outcome {
    if let Some(trials_each) = args.per_boot {
        let level = args.options.level;
        let found = clusters::clusters(base, test, trials_each, args.icc, level, args.power)?;
        let headline = say::boots(&found, [base, test]);
        return args.answer(out, found, Some(Alternative::TwoSided), headline, Vec::new());
    }
    let (level, alternative) = (args.options.level, args.alternative.into());
    let design = Design::new(base, test, args.test_name, level, alternative)?;
    let (found, notes) = match args.n {
        Some(n) => (two_proportions::at(&design, n)?, Vec::new()),
        None => {
            let found = two_proportions::trials(&design, args.power)?;
            let note = say::checked(&found, args.power);
            (found, vec![note])
        }
    };
    let headline = say::two_sides(&found, [base, test], alternative);
    args.answer(out, found, Some(alternative), headline, notes)
}

fn width_of_interval(args: &PowerArgs, width: f64, out: &mut dyn Write) -> Outcome {
    let found = interval_width::trials(width, args.p, args.options.level, args.interval)?;
    let note = "the mean over all counts, by enumeration; one run's interval may be wider";
    let headline = say::width(&found);
    args.answer(out, found, None, headline, vec![note.into()])
}

fn none_of(args: &PowerArgs, p: f64, out: &mut dyn Write) -> Outcome {
    let found = none_of_n::trials(p, args.options.level)?;
    let note = "with a single stall among the trials this does not hold";
    let headline = say::none_of(&found);
    args.answer(out, found, None, headline, vec![note.into()])
}

fn events(args: &PowerArgs, ratio: f64, out: &mut dyn Write) -> Outcome {
    let alternative = args.alternative.into();
    let found =
        hazard_ratio::events(ratio, args.share, args.power, args.options.level, alternative)?;
    let notes = [
        "events, not trials: divide by the share of trials that is expected to recover while watched",
        "assumes proportional hazards (Schoenfeld's formula); below about 20 events it is a guess",
    ];
    let headline = say::events(&found, alternative);
    args.answer(out, found, Some(alternative), headline, notes.map(str::to_owned).to_vec())
}
