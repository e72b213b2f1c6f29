//! `experiments stat calibrate`.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use analysis::compare::calibrate as verdict;
use analysis::compare::verdict::Rules;
use analysis::stat::calibrate::{
    Coverage, CoverageSummary, Effort, Family, How, calibrate, summarize,
};
use clap::Args;
use serde::Serialize;

use super::Options;
use super::table::Table;
use crate::failure::{Failure, Outcome};

/// What the intervals really cover, on a grid of known truths
///
/// An interval at 95 % promises to hold the truth in 95 % of repeated experiments. Proportions are
/// enumerated exactly; the others are simulated, with the standard error given. The default is a
/// first look within a minute; `--whole-grid --data-sets 5000` is what docs/statistics.md shows. The
/// table has a line a method and size, with the least and the mean coverage over all truths tried; each
/// truth has its row in `--out` and `--json`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  experiments stat calibrate
  experiments stat calibrate --family proportions --whole-grid --out coverage.csv
  experiments stat calibrate --verdict --data-sets 4000 --out verdict.csv")]
pub struct CalibrateArgs {
    /// Only this family, repeatable: proportions, two-proportions, medians, …
    #[arg(long, value_name = "FAMILY", value_parser = family)]
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
    /// Instead of intervals: how often the verdicts of `compare` are wrong, under known truths
    #[arg(long, conflicts_with_all = ["family", "resamples", "whole_grid"])]
    verdict: bool,
    /// Write a row a setting and method to this file
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
}

#[derive(Debug, Serialize)]
struct Calibration {
    summary: Vec<CoverageSummary>,
    settings: Vec<Coverage>,
}

fn family(name: &str) -> Result<Family, String> {
    Family::named(name).map_err(|error| error.to_string())
}

/// Runs the command.
pub fn run(args: CalibrateArgs, out: &mut dyn Write) -> Outcome {
    let effort = Effort {
        level: args.options.level,
        data_sets: args.data_sets,
        resamples: args.resamples,
        seed: args.seed,
        whole_grid: args.whole_grid,
    };
    if args.verdict {
        return verdicts(&args, out);
    }
    // Before the work, which takes long: that its rows can be written.
    let file = args.out.as_deref().map(Rows::open).transpose()?;
    let families = if args.family.is_empty() { Family::ALL.to_vec() } else { args.family };
    let settings = calibrate(&families, &effort)?;
    if let Some(file) = file {
        file.write(&csv(&settings))?;
    }
    let found = Calibration { summary: summarize(&settings), settings };
    args.options.answer(out, &found, || text(&found.summary))
}

/// The file of the rows.
struct Rows<'a> {
    path: &'a Path,
    file: File,
}

impl<'a> Rows<'a> {
    /// For writing; what stands in it stays until there is something to write.
    fn open(path: &'a Path) -> Result<Rows<'a>, Failure> {
        let opened = File::options().create(true).truncate(false).write(true).open(path);
        let file = opened.map_err(|error| Failure::unwritten(path, &error))?;
        Ok(Rows { path, file })
    }

    fn write(mut self, csv: &str) -> Outcome {
        // A pipe has no length.
        let is_file = self.file.metadata().is_ok_and(|meta| meta.is_file());
        let emptied = if is_file { self.file.set_len(0) } else { Ok(()) };
        emptied
            .and_then(|()| self.file.write_all(csv.as_bytes()))
            .map_err(|error| Failure::unwritten(self.path, &error))
    }
}

/// The verdicts' error rates.
fn verdicts(args: &CalibrateArgs, out: &mut dyn Write) -> Outcome {
    let rules = Rules { level: args.options.level, ..Rules::default() };
    let file = args.out.as_deref().map(Rows::open).transpose()?;
    let rates = verdict::simulate(&verdict::settings(), args.data_sets, rules, args.seed)?;
    if let Some(file) = file {
        file.write(&verdict::csv(&rates))?;
    }
    args.options.answer(out, &rates, || verdicts_in_words(&rates))
}

fn verdicts_in_words(rates: &[verdict::Rates]) -> String {
    let mut text = String::new();
    for of_truth in rates.chunk_by(|a, b| a.setting.truth == b.setting.truth) {
        let mut table = Table::new(&[
            "base to test",
            "n",
            "fixed %",
            "reduced %",
            "no evidence %",
            "worse %",
            "undecided %",
            "wrong %",
        ]);
        let percent = |x: f64| format!("{:.1}", 100.0 * x);
        for one in of_truth {
            let [fixed, reduced, none, worse, undecided] = one.shares.map(percent);
            table.row([
                one.strata_in_words(),
                one.setting.n.to_string(),
                fixed,
                reduced,
                none,
                worse,
                undecided,
                percent(one.wrong),
            ]);
        }
        let truth = of_truth.first().map_or("", |one| one.setting.truth);
        let _ = write!(text, "{truth}\n{}\n", table.render());
    }
    text + "n: trials a side and stratum. wrong: verdicts that claim what is not true of the setting; \
            `undecided`\nclaims nothing. docs/verdict.md has the rules.\n"
}

fn csv(settings: &[Coverage]) -> String {
    let mut text = String::from(
        "family,quantity,size,truth,method,level,how,coverage,above,below,unbounded,standard_error\n",
    );
    for row in settings {
        // A size or a truth may hold a comma; none holds a quote. Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{},{},\"{}\",\"{}\",{},{},{},{},{},{},{},{}",
            row.setting.family,
            row.setting.quantity,
            row.setting.size,
            row.setting.truth,
            row.method,
            row.level.get(),
            how(row),
            row.coverage,
            row.above,
            row.below,
            row.unbounded,
            row.standard_error,
        );
    }
    text
}

fn how(row: &Coverage) -> &'static str {
    match row.how {
        How::Enumerated => "enumerated",
        How::Simulated => "simulated",
    }
}

fn text(summary: &[CoverageSummary]) -> String {
    let mut text = String::new();
    for of_family in summary.chunk_by(|x, y| x.family == y.family) {
        let (family, level) = of_family.first().map_or(("", 0.0), |s| (s.family, s.level.get()));
        let mut table = Table::new(&[
            "quantity, size",
            "method",
            "least %",
            "mean %",
            "s.e.",
            "unbounded %",
            "least at",
        ]);
        for row in of_family {
            let percent = |x: f64| format!("{:.1}", 100.0 * x);
            table.row([
                format!("{}, {}", row.quantity, row.size),
                row.method.to_owned(),
                percent(row.least),
                percent(row.mean),
                if row.standard_error > 0.0 { percent(row.standard_error) } else { "exact".into() },
                percent(row.unbounded),
                row.least_at.clone(),
            ]);
        }
        let _ = write!(text, "{family}, nominal {} %\n{}\n", 100.0 * level, table.render());
    }
    text + "least, mean: coverage over the truths tried. A missing bound excludes nothing; unbounded: \
            the\nlargest share of data sets with neither bound. s.e.: the largest standard error of a \
            simulated\ncoverage; the least of several simulated ones is biased downwards by about \
            that much.\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_a_table_and_a_setting_a_row() {
        let effort = Effort { data_sets: 100, resamples: 100, ..Effort::default() };
        let settings = calibrate(&[Family::Proportions, Family::Shifts], &effort).unwrap();
        let text = text(&summarize(&settings));
        assert!(text.contains("proportions, nominal 95 %"), "{text}");
        assert!(text.contains("p, n=10") && text.contains("clopper-pearson"), "{text}");
        assert!(text.contains("shifts, nominal 95 %"), "{text}");
        let csv = csv(&settings);
        assert_eq!(csv.lines().count(), settings.len() + 1);
        assert!(csv.lines().nth(1).unwrap().contains(",enumerated,"));
        assert!(csv.lines().last().unwrap().contains(",simulated,"));
    }

    #[test]
    fn an_unknown_family_names_the_known_ones() {
        assert!(family("means").unwrap_err().contains("two-proportions"));
    }
}
