//! `experiments stat calibrate`.

mod markdown;
mod rows;

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use analysis::compare::calibrate as verdict;
use analysis::compare::verdict::Rules;
use clap::Args;
use report::figure;
use serde::Serialize;
use stats::calibrate::{Coverage, CoverageSummary, Effort, Family, How, calibrate, summarize};
use stats::words::percent_to;

use super::Options;
use super::table::Table;
use crate::failure::{Failure, Outcome};
use crate::number::{how_many, seed};

/// What the intervals really cover, on a grid of known truths
///
/// An interval at 95 % promises to hold the truth in 95 % of repeated experiments. Proportions, pairs
/// of them and pairs of strata are enumerated exactly; the others are simulated, with the standard
/// error given. The default is a first look within a minute; docs/statistics.md has how its tables
/// were made. The table has a line a method and size, with the least and the mean coverage over all
/// truths tried; each truth has its row in `--out` and `--json`. `--from` shows rows that `--out` has
/// written, without any work.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  experiments stat calibrate
  experiments stat calibrate --family proportions --whole-grid --out coverage.csv
  experiments stat calibrate --from docs/coverage.csv --figure coverage.svg
  experiments stat calibrate --verdict --data-sets 4000 --out verdict.csv")]
pub struct CalibrateArgs {
    /// Only this family, repeatable: proportions, two-proportions, medians, …
    #[arg(long, value_name = "FAMILY", value_parser = family)]
    family: Vec<Family>,
    /// Simulated data sets a setting, 100 or more
    #[arg(long, default_value_t = Effort::default().data_sets, value_name = "COUNT", value_parser = how_many::<usize>, allow_negative_numbers = true)]
    data_sets: usize,
    /// Resamples of each bootstrap interval, 100 or more
    #[arg(long, default_value_t = Effort::default().resamples, value_name = "COUNT", value_parser = how_many::<usize>, allow_negative_numbers = true)]
    resamples: usize,
    /// Where chance starts; the same seed gives the same result on any number of CPUs
    #[arg(long, default_value_t = Effort::default().seed, value_parser = seed, allow_negative_numbers = true)]
    seed: u64,
    /// All sizes and truths
    #[arg(long)]
    whole_grid: bool,
    /// Instead of intervals: how often the verdicts of `compare` are wrong, under known truths
    #[arg(long, conflicts_with_all = ["family", "resamples", "whole_grid", "from", "figure", "markdown"])]
    verdict: bool,
    /// Show rows that `--out` has written, repeatable
    #[arg(
        long, value_name = "FILE.csv",
        conflicts_with_all = ["data_sets", "resamples", "seed", "whole_grid", "level"]
    )]
    from: Vec<PathBuf>,
    /// Draw the coverages to this file
    #[arg(long, value_name = "FILE.svg|FILE.png")]
    figure: Option<PathBuf>,
    /// Print the tables of docs/statistics.md: one a family, a column a size
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
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
    apart(&args)?;
    // Before the work, which takes long: that its rows can be written.
    let file = args.out.as_deref().map(Rows::open).transpose()?;
    let drawing = args.figure.as_deref().map(Drawing::of).transpose()?;
    let settings = match args.from.as_slice() {
        [] if args.family.is_empty() => calibrate(&Family::ALL, &effort)?,
        [] => calibrate(&args.family, &effort)?,
        files => kept(files, &args.family)?,
    };
    if let Some(file) = file {
        file.write(&rows::csv(&settings))?;
    }
    if let Some(drawing) = drawing {
        drawing.draw(&settings)?;
    }
    let found = Calibration { summary: summarize(&settings), settings };
    args.options.answer(out, &found, || match args.markdown {
        true => markdown::tables(&found.summary),
        false => text(&found.summary),
    })
}

/// That no file is written over another that is read or written: the rows would be lost.
fn apart(args: &CalibrateArgs) -> Outcome {
    let written = [("--out", args.out.as_deref()), ("--figure", args.figure.as_deref())];
    let mut named: Vec<(&str, &Path)> = args.from.iter().map(|file| ("--from", &**file)).collect();
    for (option, file) in written {
        let Some(file) = file else { continue };
        if let Some((other, _)) = named.iter().find(|(_, known)| is_same_file(known, file)) {
            return Err(Failure::Request(format!(
                "{option} {}: it is the file of {other}, which would be written over; accepted is \
                 another file",
                file.display()
            )));
        }
        named.push((option, file));
    }
    Ok(())
}

/// Whether two names are of one regular file, by links too, or of one that is not there yet. A pipe or a
/// terminal can be written to twice.
fn is_same_file(a: &Path, b: &Path) -> bool {
    match (a.metadata(), b.metadata()) {
        (Ok(a), Ok(b)) => a.is_file() && (a.dev(), a.ino()) == (b.dev(), b.ino()),
        (Err(_), Err(_)) => {
            let whole = |path: &Path| {
                let folder = path.parent().filter(|folder| *folder != Path::new(""));
                let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
                Some(folder.join(path.file_name()?))
            };
            whole(a).is_some_and(|a| whole(b) == Some(a))
        }
        _ => false,
    }
}

/// The rows of files, those of the families if any is named.
fn kept(files: &[PathBuf], families: &[Family]) -> Result<Vec<Coverage>, Failure> {
    let mut kept = rows::read(files)?;
    kept.retain(|row| families.is_empty() || families.contains(&row.setting.family));
    if kept.is_empty() {
        let named: Vec<&str> = families.iter().map(|family| family.name()).collect();
        return Err(Failure::Request(format!(
            "--from: no row is of the family {}; without --family all are shown",
            named.join(", ")
        )));
    }
    // One family's rows may stand in several files.
    kept.sort_by_key(|row| Family::ALL.iter().position(|family| *family == row.setting.family));
    Ok(kept)
}

/// A figure's file, its kind told by its ending.
struct Drawing<'a> {
    path: &'a Path,
    svg: bool,
}

impl<'a> Drawing<'a> {
    fn of(path: &'a Path) -> Result<Drawing<'a>, Failure> {
        let ending = path.extension().and_then(|ending| ending.to_str());
        let svg = match ending {
            Some("svg") => true,
            Some("png") => false,
            _ => {
                return Err(Failure::Request(format!(
                    "--figure {}: the file's ending says what is drawn; .svg and .png are accepted",
                    path.display()
                )));
            }
        };
        // Before the work: that it can be written. What stands in it stays until it is drawn.
        let opened = File::options().create(true).truncate(false).write(true).open(path);
        opened.map_err(|error| Failure::unwritten_for("--figure", path, &error))?;
        Ok(Drawing { path, svg })
    }

    fn draw(&self, rows: &[Coverage]) -> Outcome {
        let figure = figure::Coverage::of(rows);
        let failed = |error: report::DrawError| {
            Failure::Running(format!("{}: {error}", self.path.display()))
        };
        if !self.svg {
            return figure.png(self.path).map_err(failed);
        }
        let drawn = figure.svg().map_err(failed)?;
        std::fs::write(self.path, drawn.svg)
            .map_err(|error| Failure::unwritten_for("--figure", self.path, &error))
    }
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
        let percent = |share: f64| percent_to(share, 1);
        for one in of_truth {
            let [fixed, reduced, none, worse, undecided] = one.shares.map(percent);
            table.row([
                one.strata_in_words(),
                one.setting.n_in_words(),
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

fn text(summary: &[CoverageSummary]) -> String {
    let mut text = String::new();
    for of_family in summary.chunk_by(|x, y| x.family == y.family) {
        let Some(first) = of_family.first() else { continue };
        let (family, level) = (first.family.name(), first.level.percent());
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
            let percent = |share: f64| percent_to(share, 1);
            table.row([
                format!("{}, {}", row.quantity, row.size),
                row.method.clone(),
                percent(row.least),
                percent(row.mean),
                match row.how {
                    How::Simulated => percent(row.standard_error),
                    How::Enumerated | How::Searched => "exact".into(),
                },
                percent(row.unbounded),
                row.least_at.clone(),
            ]);
        }
        let _ = write!(text, "{family}, nominal {level} %\n{}\n", table.render());
    }
    text + "least, mean: coverage over the truths tried; for proportions the least of all, for two the \
            least of a\nfiner grid. A missing bound excludes nothing; unbounded: \
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
        let csv = rows::csv(&settings);
        assert_eq!(csv.lines().count(), settings.len() + 1);
        assert!(csv.lines().nth(1).unwrap().contains(",enumerated,"));
        assert!(csv.lines().last().unwrap().contains(",simulated,"));
    }

    #[test]
    fn an_unknown_family_names_the_known_ones() {
        assert!(family("means").unwrap_err().contains("two-proportions"));
    }

    /// The rows of docs/coverage.csv.
    fn documented() -> Vec<Coverage> {
        let docs = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs"));
        rows::read(&[docs.join("coverage.csv")]).unwrap()
    }

    fn same<'a>(rows: &'a [Coverage], row: &Coverage) -> Option<&'a Coverage> {
        rows.iter().find(|one| one.setting == row.setting && one.method == row.method)
    }

    #[test]
    fn what_is_enumerated_is_as_documented() {
        let documented = documented();
        let families = [Family::Proportions, Family::TwoProportions, Family::Strata];
        let effort = Effort { data_sets: 100, ..Effort::default() };
        let found = calibrate(&families, &effort).unwrap();
        let exact: Vec<_> = found.iter().filter(|row| row.how == How::Enumerated).collect();
        assert!(exact.len() > 300, "{}", exact.len());
        for row in exact {
            let known = same(&documented, row).unwrap_or_else(|| panic!("no row for {row:?}"));
            assert!((known.coverage - row.coverage).abs() < 1e-12, "{known:?} {row:?}");
            assert!((known.unbounded - row.unbounded).abs() < 1e-12, "{known:?} {row:?}");
        }
    }

    #[test]
    fn what_is_simulated_is_as_documented_but_for_chance() {
        let documented = documented();
        let families = [
            Family::Strata,
            Family::Survival,
            Family::RestrictedMeans,
            Family::Rates,
            Family::HazardRatios,
            Family::Shifts,
        ];
        let effort = Effort { data_sets: 150, seed: 2, ..Effort::default() };
        let found = calibrate(&families, &effort).unwrap();
        let drawn: Vec<_> = found.iter().filter(|row| row.how == How::Simulated).collect();
        assert!(drawn.len() > 200, "{}", drawn.len());
        for row in drawn {
            let known = same(&documented, row).unwrap_or_else(|| panic!("no row for {row:?}"));
            // By the documented coverage: that of few data sets may be 1 with no error at all.
            let spread = (known.coverage * (1.0 - known.coverage) / 150.0).sqrt();
            let allowed = 5.0 * spread.max(0.004);
            assert!((known.coverage - row.coverage).abs() < allowed, "{known:?} {row:?}");
        }
    }

    #[test]
    fn no_exact_interval_is_documented_below_its_level() {
        let exact =
            ["clopper-pearson", "exact", "order-statistics", "beta-product", "hodges-lehmann"]
                .into_iter()
                .chain(["exact-gamma", "exact-poisson"]);
        let documented = documented();
        for method in exact {
            let rows = documented.iter().filter(|row| row.method == method);
            // A comma: an assumption that is broken on purpose.
            let held: Vec<_> = rows.filter(|row| !row.setting.size.contains(", ")).collect();
            assert!(!held.is_empty(), "no row of {method}");
            for row in held {
                let chance = 4.0 * row.standard_error + 1e-12;
                assert!(row.coverage >= row.level.get() - chance, "{row:?}");
            }
        }
    }

    #[test]
    fn a_figure_s_kind_is_told_by_its_ending() {
        let folder = tempfile::tempdir().unwrap();
        let rows = calibrate(&[Family::Proportions], &Effort::default()).unwrap();
        for (name, begins) in [("a.svg", &b"<svg"[..]), ("a.png", b"\x89PNG")] {
            let path = folder.path().join(name);
            Drawing::of(&path).unwrap().draw(&rows).unwrap();
            assert!(std::fs::read(&path).unwrap().starts_with(begins), "{name}");
        }
        let refused = Drawing::of(&folder.path().join("a.pdf")).err().unwrap().to_string();
        assert!(refused.contains(".svg and .png"), "{refused}");
    }

    #[test]
    fn kept_rows_are_shown_again() {
        let folder = tempfile::tempdir().unwrap();
        let rows = calibrate(&[Family::Proportions], &Effort::default()).unwrap();
        let file = folder.path().join("rows.csv");
        std::fs::write(&file, rows::csv(&rows)).unwrap();
        assert_eq!(kept(std::slice::from_ref(&file), &[]).unwrap(), rows);
        let none = kept(std::slice::from_ref(&file), &[Family::Shifts]).unwrap_err().to_string();
        assert!(none.contains("shifts"), "{none}");
    }

    #[test]
    fn one_file_is_known_by_any_of_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("rows.csv"), "").unwrap();
        std::fs::hard_link(at("rows.csv"), at("hard.csv")).unwrap();
        std::os::unix::fs::symlink(at("rows.csv"), at("soft.csv")).unwrap();
        std::fs::write(at("other.csv"), "").unwrap();
        for name in ["rows.csv", "hard.csv", "soft.csv", "./rows.csv"] {
            assert!(is_same_file(&at("rows.csv"), &at(name)), "{name}");
        }
        assert!(is_same_file(&at("new.svg"), &at("./new.svg")));
        for name in ["other.csv", "new.svg"] {
            assert!(!is_same_file(&at("rows.csv"), &at(name)), "{name}");
        }
        assert!(!is_same_file(&at("new.svg"), &at("new.png")));
        assert!(!is_same_file(Path::new("/dev/null"), Path::new("/dev/null")));
    }
}
