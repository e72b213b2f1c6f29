//! `cargo xtask calibrate`.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use analysis::compare::verdict::Rules;
use clap::Args;
use stats::Level;

use super::against::differences;
use super::error::CalibrateError;
use super::figure::CoverageFigure;
use super::{CoverageSummary, Effort, Family, How, calibrate, summarize};
use super::{markdown, percent, rows, verdict};

/// How often the intervals hold the truth, on a grid of known truths
///
/// An interval at 95 % promises to hold the truth in 95 % of repeated experiments. Proportions, pairs of
/// proportions and pairs of strata are enumerated exactly. The others are simulated, with their standard
/// error. The default is a first look within a minute; docs/appendix/coverage.md says how its tables were made.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo xtask calibrate
  cargo xtask calibrate --family proportions --whole-grid --out coverage.csv
  cargo xtask calibrate --from docs/appendix/coverage.csv --figure coverage.svg
  cargo xtask calibrate --family strata --against docs/appendix/coverage.csv
  cargo xtask calibrate --verdict --data-sets 4000 --out verdict.csv")]
pub struct CalibrateArgs {
    /// Only this family; repeatable: proportions, two-proportions, medians, …
    #[arg(long, value_parser = Family::named)]
    family: Vec<Family>,
    /// Simulated data sets a setting, 100 or more
    #[arg(long, default_value_t = Effort::default().data_sets, value_name = "COUNT")]
    data_sets: usize,
    /// Resamples of each bootstrap interval, 100 or more
    #[arg(long, default_value_t = Effort::default().resamples, value_name = "COUNT")]
    resamples: usize,
    /// Where chance starts; the same seed gives the same result on any number of CPUs
    #[arg(long, default_value_t = Effort::default().seed)]
    seed: u64,
    /// All sizes and truths
    #[arg(long)]
    whole_grid: bool,
    /// The nominal level of the intervals
    #[arg(long, default_value_t = 0.95)]
    level: f64,
    /// Instead of intervals: how often the verdicts of a comparison are wrong, under known truths
    #[arg(long, conflicts_with_all = ["family", "resamples", "whole_grid", "from", "figure", "markdown"])]
    verdict: bool,
    /// Show the rows of a file that `--out` wrote, without any work; repeatable
    #[arg(
        long, value_name = "FILE.csv",
        conflicts_with_all = ["data_sets", "resamples", "seed", "whole_grid", "level", "out"]
    )]
    from: Vec<PathBuf>,
    /// End with status 1 where this file, that `--out` wrote, has another coverage than is computed
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["from", "verdict"])]
    against: Option<PathBuf>,
    /// Draw the coverages to this file
    #[arg(long, value_name = "FILE.svg")]
    figure: Option<PathBuf>,
    /// Print the tables of docs/appendix/coverage.md: one a family, a column a size
    #[arg(long)]
    markdown: bool,
    /// Write a row a setting and method to this file
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

/// Runs the task; the text to print.
///
/// # Errors
/// A level or a count out of range, a file that cannot be read or written, a figure that cannot be drawn.
pub fn run(args: &CalibrateArgs) -> Result<String, CalibrateError> {
    let level = Level::new(args.level)?;
    let write = |file: &Option<PathBuf>, text: &dyn Fn() -> Result<String, CalibrateError>| {
        let Some(file) = file else { return Ok(()) };
        fs::write(file, text()?).map_err(|error| CalibrateError::Io(file.clone(), error))
    };
    if args.verdict {
        let rules = Rules { level, ..Rules::default() };
        let rates = verdict::simulate(&verdict::settings(), args.data_sets, rules, args.seed)?;
        write(&args.out, &|| Ok(verdict::csv(&rates)))?;
        return Ok(verdict::table(&rates));
    }
    let effort = Effort {
        level,
        data_sets: args.data_sets,
        resamples: args.resamples,
        seed: args.seed,
        whole_grid: args.whole_grid,
    };
    let families = if args.family.is_empty() { &Family::ALL[..] } else { &args.family };
    let settings = match args.from.as_slice() {
        [] => calibrate(families, &effort)?,
        files => {
            let mut kept = rows::read(files)?;
            kept.retain(|row| families.contains(&row.setting.family));
            // One family's rows may stand in several files.
            kept.sort_by_key(|row| families.iter().position(|one| *one == row.setting.family));
            kept
        }
    };
    write(&args.out, &|| Ok(rows::csv(&settings)))?;
    if let Some(file) = &args.against {
        let documented = rows::read(std::slice::from_ref(file))?;
        let differences = differences(&documented, settings.clone(), effort.data_sets);
        if !differences.is_empty() {
            return Err(CalibrateError::Differs { file: file.clone(), differences });
        }
    }
    write(&args.figure, &|| Ok(CoverageFigure::of(&settings).svg()?))?;
    let summary = summarize(&settings);
    Ok(if args.markdown { markdown::tables(&summary) } else { lines(&summary) })
}

/// A line a method and size: `proportions p n=10 wilson: least 83.5 % at p=0.02, mean 95.4 %`.
fn lines(summary: &[CoverageSummary]) -> String {
    let mut text = String::new();
    for row in summary {
        let error = match row.how {
            How::Simulated => format!(" (standard error {})", percent(row.standard_error)),
            How::Enumerated | How::Searched => String::new(),
        };
        let unbounded = match row.unbounded {
            share if share < 0.0005 => String::new(),
            share => format!(", {} of the data without a bound", percent(share)),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{} {} {} {}: least {} at {}, mean {}{error}{unbounded}",
            row.family.name(),
            row.quantity,
            row.size,
            row.method,
            percent(row.least),
            row.least_at,
            percent(row.mean),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_and_method_is_a_line() {
        let effort = Effort { data_sets: 100, resamples: 100, ..Effort::default() };
        let settings = calibrate(&[Family::Proportions, Family::Shifts], &effort).unwrap();
        let text = lines(&summarize(&settings));
        assert!(text.contains("proportions p n=10 clopper-pearson: least "), "{text}");
        assert!(text.contains("shifts shift ") && text.contains("standard error"), "{text}");
        let csv = rows::csv(&settings);
        assert_eq!(csv.lines().count(), settings.len() + 1);
        assert!(csv.lines().nth(1).unwrap().contains(",enumerated,"));
        assert!(csv.lines().last().unwrap().contains(",simulated,"));
    }
}
