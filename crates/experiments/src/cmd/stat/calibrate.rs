//! `experiments stat calibrate`.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

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
  experiments stat calibrate --family proportions --whole-grid --out coverage.csv")]
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
    // Before the work, which takes long: that its rows can be written.
    let file = args.out.as_deref().map(|path| Ok::<_, Failure>((path, open(path)?))).transpose()?;
    let families = if args.family.is_empty() { Family::ALL.to_vec() } else { args.family };
    let settings = calibrate(&families, &effort)?;
    if let Some((path, mut file)) = file {
        // A pipe has no length.
        let is_file = file.metadata().is_ok_and(|meta| meta.is_file());
        let emptied = if is_file { file.set_len(0) } else { Ok(()) };
        emptied
            .and_then(|()| file.write_all(csv(&settings).as_bytes()))
            .map_err(|error| Failure::unwritten(path, &error))?;
    }
    let found = Calibration { summary: summarize(&settings), settings };
    args.options.answer(out, &found, || text(&found.summary))
}

/// For writing; what stands in it stays until there is something to write.
fn open(path: &Path) -> Result<File, Failure> {
    let opened = File::options().create(true).truncate(false).write(true).open(path);
    opened.map_err(|error| Failure::unwritten(path, &error))
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
