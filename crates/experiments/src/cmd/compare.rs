//! `experiments compare`.

use std::io::Write;
use std::path::PathBuf;

use analysis::compare::{Asked, CompareError, Comparison, Options, compare};
use clap::{Args, ValueEnum};
use model::outcome::StallRule;
use stats::Level;

use super::analyze::tell_files;
use super::report::report_failure;
use super::stat::level;
use crate::failure::{Failure, Outcome};

/// Did the patch work: two sides of trials, and a verdict
///
/// The sides are runs (--base RUN… --test RUN…), or the trials of given runs that have a value
/// (RUN… --by KEY --base VALUE… --test VALUE…), where KEY is `kernel` or a label's name. Cells that both
/// sides have are the strata. What tells the sides apart is the kernel, and every label that has no value
/// on both sides. The verdict is fixed, reduced, large effect excluded, worse or undecided, by the rules
/// of docs/reference/verdict.md. Harm is reported separately.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit status with --gate: 0 fixed without harm, 10 not fixed or harm found, 11 undecided or not to be
trusted. Errors keep theirs: 1 and 2.

Examples:
  experiments compare --base data/runs/stock-1 data/runs/stock-2 --test data/runs/fix-1
  experiments compare data/runs/both --by kernel --base debian:7.3.4 --test built:fix
  experiments compare data/runs/* --by patch --base stock --test v2 --gate
  experiments compare --base STOCK --test FIX --format mail > mail.txt")]
pub struct CompareArgs {
    /// With --by: the runs from which the sides are chosen
    #[arg(value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// The base side: run folders, or values of KEY with --by
    #[arg(long, num_args = 1.., value_name = "RUN|VALUE")]
    pub base: Vec<String>,
    /// The test side: run folders, or values of KEY with --by
    #[arg(long, num_args = 1.., value_name = "RUN|VALUE")]
    pub test: Vec<String>,
    /// Choose the sides by `kernel`, or by the label of this name
    #[arg(long, value_name = "KEY")]
    pub by: Option<String>,
    /// Judge both sides by this rule instead of the definitions' rules: control:0.5, absolute:100,
    /// pivot:1s, split, reported, exit, signal, hang:2s, timeout, match:REGEX, metric:NAME>5ms, splat; several
    /// joined by " or "
    #[arg(long, value_name = "RULE")]
    pub stall: Option<StallRule>,
    /// The confidence level of tests and intervals, between 0 and 1
    #[arg(long, default_value = "0.95", value_parser = level, allow_negative_numbers = true)]
    pub level: Level,
    /// The largest loss of throughput that is tolerated where nothing stalls: 5% or 0.05
    #[arg(long, default_value = "5%", value_parser = share, allow_negative_numbers = true)]
    pub margin: f64,
    /// `fixed` requires that the test side stalls in at most this share of trials
    #[arg(long, default_value = "5%", value_parser = share, allow_negative_numbers = true)]
    pub fixed_below: f64,
    /// Compare sides whose durations or rules differ; the result says so
    #[arg(long)]
    pub force: bool,
    /// Give the verdict as the exit status too: 0, 10 or 11
    #[arg(long)]
    pub gate: bool,
    /// Print everything in the form `text`, with the times to recovery
    #[arg(long)]
    pub details: bool,
    /// The form on standard output
    #[arg(long, value_enum, default_value = "text")]
    pub format: Form,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Also write compare.md, compare.html, compare.txt (for a mail), compare.json, strata.csv and the
    /// figures to this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// A form on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// The verdict and the strata, on a screen
    Text,
    /// Everything, as plain text of at most 78 columns for a mailing list
    Mail,
    /// Everything, in Markdown
    #[value(alias = "md")]
    Markdown,
    /// Everything, as a page that contains the figures
    Html,
    /// compare.json
    Json,
}

/// A share, as a percentage or a number.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("a share is above 0 and below 1, such as 5% or 0.05, not `{0}`")]
struct BadShare(String);

/// Parses a share: `5%`, `5 %` or `0.05`.
fn share(text: &str) -> Result<f64, BadShare> {
    let trimmed = text.trim();
    let (number, scale) = match trimmed.strip_suffix('%') {
        Some(number) => (number.trim(), 100.0),
        None => (trimmed, 1.0),
    };
    let share = number.parse::<f64>().ok().map(|number| number / scale);
    share.filter(|share| *share > 0.0 && *share < 1.0).ok_or_else(|| BadShare(text.to_string()))
}

impl CompareArgs {
    fn asked(&self) -> Result<Asked, Failure> {
        match &self.by {
            Some(key) => {
                if self.runs.is_empty() {
                    return Err(Failure::Request(format!(
                        "--by {key} chooses the sides out of runs, and none is named. They stand \
                         first: `experiments compare RUN… --by {key} --base VALUE --test VALUE`"
                    )));
                }
                let (base, test) = (self.base.clone(), self.test.clone());
                Ok(Asked::By { runs: self.runs.clone(), key: key.clone(), base, test })
            }
            None => {
                let named = |run: &PathBuf| {
                    let run = run.to_string_lossy();
                    self.base.iter().chain(&self.test).any(|name| *name == run)
                };
                if let Some(run) = self.runs.iter().find(|run| named(run)) {
                    return Err(Failure::Request(format!(
                        "{run} stands before the sides, which only --by asks for, and behind --base or \
                         --test too: leave the first one out",
                        run = run.display()
                    )));
                }
                if let Some(run) = self.runs.first() {
                    return Err(Failure::Request(format!(
                        "{} is on no side: name it behind --base or --test, or choose the sides out \
                         of the runs with --by KEY",
                        run.display()
                    )));
                }
                let folders = |names: &[String]| names.iter().map(PathBuf::from).collect();
                Ok(Asked::Runs { base: folders(&self.base), test: folders(&self.test) })
            }
        }
    }
}

/// Compares, tells, and writes what was asked for.
pub fn run(args: CompareArgs, out: &mut dyn Write) -> Outcome {
    let options = Options {
        stall: args.stall.clone(),
        level: args.level,
        margin: args.margin,
        fixed_below: args.fixed_below,
        force: args.force,
    };
    let comparison = compare(&args.asked()?, &options).map_err(compare_failure)?;
    let written = match &args.out {
        Some(folder) => report::write_comparison(&comparison, folder).map_err(report_failure)?,
        None => Vec::new(),
    };
    let form = if args.json { Form::Json } else { args.format };
    let shown = match form {
        Form::Text => report::comparison_summary(&comparison, args.details),
        Form::Mail => text(&comparison, report::Format::Mail)?,
        Form::Markdown => text(&comparison, report::Format::Markdown)?,
        Form::Html => text(&comparison, report::Format::Html)?,
        Form::Json => comparison.json(),
    };
    out.write_all(shown.as_bytes())?;
    if form == Form::Text {
        tell_files(&written, out)?;
    }
    out.flush()?;
    if args.gate { gate(&comparison) } else { Ok(()) }
}

fn text(comparison: &Comparison, format: report::Format) -> Result<String, Failure> {
    report::comparison_text(comparison, format).map_err(report_failure)
}

fn gate(comparison: &Comparison) -> Outcome {
    match comparison.gate.status() {
        0 => Ok(()),
        status => Err(Failure::Gate(status)),
    }
}

/// Sides that can't be compared are the request's fault.
fn compare_failure(error: CompareError) -> Failure {
    Failure::by_fault(&report::say::compare::error::with_advice(&error), error.is_request())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_has_the_name_that_report_gives_it_too() {
        let form = |name: &str| Form::from_str(name, false);
        assert_eq!((form("md"), form("markdown")), (Ok(Form::Markdown), Ok(Form::Markdown)));
    }

    #[test]
    fn a_share_is_written_either_way() {
        assert_eq!(share("5%"), Ok(0.05));
        assert_eq!(share("5 %"), Ok(0.05));
        assert_eq!(share("0.05"), Ok(0.05));
        for bad in ["5", "0", "100%", "-1%", "nan", "%", "x"] {
            assert!(share(bad).unwrap_err().to_string().contains("such as 5%"), "{bad}");
        }
    }
}
