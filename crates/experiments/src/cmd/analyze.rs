//! `experiments analyze RUN…`.

use std::io::Write;
use std::path::{Path, PathBuf};

use analysis::{Analysis, AnalysisError, Options, analyze};
use clap::Args;
use model::outcome::StallRule;
use stats::Level;

use super::stat::level;
use crate::failure::{Failure, Outcome};

/// Turn recorded trials into tables
///
/// Judges every trial by the definition's rule, counts every cell, and says what that shows.
/// Several runs are one data set; an imported run may have functional checks, with trials or alone.
/// Writes `cells.csv`, `contrasts.csv`, `recovery.csv`, `threshold.csv`, `analysis.json` and, where
/// there is something for them, `metrics.csv`, `checks.csv` and `stalls.csv` to RUN/analysis, or to
/// --out; several runs have no folder of their own, so their tables are written to --out only.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  experiments analyze data/runs/race-sweep-20260824-180337\n  experiments analyze RUN --stall pivot:1s --json"
)]
pub struct AnalyzeArgs {
    /// Run folders
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Where to write the tables
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub how: HowArgs,
    /// Print every finding and all columns, not only the answer
    #[arg(long, conflicts_with = "json")]
    pub details: bool,
    /// Print analysis.json instead of the summary
    #[arg(long)]
    pub json: bool,
}

/// How trials are judged; what `analyze` and `report` share.
#[derive(Debug, Clone, Args)]
pub struct HowArgs {
    /// When a trial is stalled, instead of the definition's rule: control:0.5, absolute:100,
    /// pivot:1s, split, reported, exit, signal, hang:2s, timeout, match:REGEX, metric:NAME>5ms, splat; several
    /// joined by " or "
    #[arg(long, value_name = "RULE")]
    pub stall: Option<StallRule>,
    /// The confidence level of intervals, between 0 and 1
    #[arg(long, default_value = "0.95", value_parser = level, allow_negative_numbers = true)]
    pub level: Level,
}

impl HowArgs {
    /// Reads and analyses runs.
    pub fn analysis(self, runs: &[PathBuf]) -> Result<Analysis, Failure> {
        analyze(runs, &Options { stall: self.stall, level: self.level }).map_err(analysis_failure)
    }
}

/// Analyses, writes and tells.
pub fn run(args: AnalyzeArgs, out: &mut dyn Write) -> Outcome {
    let analysis = args.how.analysis(&args.runs)?;
    let folder = args.out.or_else(|| match args.runs.as_slice() {
        [run] => Some(run.join("analysis")),
        _ => None,
    });
    let written = match &folder {
        Some(folder) => write_tables(&analysis, folder)?,
        None => Vec::new(),
    };
    if args.json {
        return Ok(out.write_all(analysis.json().as_bytes()).and_then(|()| out.flush())?);
    }
    write!(out, "{}", report::summary(&analysis, args.details))?;
    tell_files(&written, out)?;
    if folder.is_none() {
        writeln!(
            out,
            "\nSeveral runs have no folder of their own: --out DIR writes their tables."
        )?;
    }
    Ok(out.flush()?)
}

/// Writes the tables into a folder, which is made if it is not there.
pub fn write_tables(analysis: &Analysis, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::unwritten(folder, &error))?;
    let mut written = Vec::new();
    for (name, content) in analysis.files() {
        let file = folder.join(name);
        records::whole::write(&file, content.as_bytes())
            .map_err(|error| Failure::unwritten(&file, &error))?;
        written.push(file);
    }
    Ok(written)
}

/// Says where each result is.
pub fn tell_files(files: &[PathBuf], out: &mut dyn Write) -> std::io::Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nwritten:")?;
    for file in files {
        writeln!(out, "  {}", file.display())?;
    }
    Ok(())
}

/// A run that can't be read is the request's fault.
pub fn analysis_failure(error: AnalysisError) -> Failure {
    match error {
        AnalysisError::Record(error) => error.into(),
        error => {
            let next = match &error {
                AnalysisError::NoRule { .. }
                | AnalysisError::NoControl { .. }
                | AnalysisError::NoMetric { .. } => ". `--stall RULE` judges by another rule",
                AnalysisError::Unlike(unlike) if unlike.what == "the stall rule" => {
                    ". `--stall RULE` judges all by one"
                }
                AnalysisError::Unlike(_) => ". Analyse them one by one",
                _ => "",
            };
            Failure::by_fault(&format!("{error}{next}"), error.is_request())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::synthetic::Synthetic;

    fn args(runs: Vec<PathBuf>) -> AnalyzeArgs {
        AnalyzeArgs {
            runs,
            out: None,
            how: HowArgs { stall: None, level: Level::P95 },
            details: false,
            json: false,
        }
    }

    fn told(args: AnalyzeArgs) -> Result<String, Failure> {
        let mut out = Vec::new();
        run(args, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn the_tables_are_written_and_the_answer_is_told() {
        let (_folder, run) = Synthetic::reported().written();
        let text = told(args(vec![run.clone()])).unwrap();
        assert!(text.starts_with("`auto` stalled from 48 threads on"), "{text}");
        assert!(text.contains("  56       auto   8 of 10"), "{text}");
        assert!(
            text.lines().all(|line| line.chars().count() <= 78 || line.contains('/')),
            "{text}"
        );
        let cells = std::fs::read_to_string(run.join("analysis/cells.csv")).unwrap();
        assert_eq!(cells.lines().count(), 17);
        let json = std::fs::read_to_string(run.join("analysis/analysis.json")).unwrap();
        let printed = told(AnalyzeArgs { json: true, ..args(vec![run.clone()]) }).unwrap();
        assert_eq!(json, printed);
    }

    #[test]
    fn several_runs_are_written_where_it_is_said() {
        let (_one, first) = Synthetic::reported().written();
        let (_two, second) = Synthetic::reported().written();
        let text = told(args(vec![first.clone(), second.clone()])).unwrap();
        assert!(text.contains("--out DIR writes their tables"), "{text}");
        assert!(!first.join("analysis").exists());
        let out = first.join("pooled/tables");
        let both = AnalyzeArgs { out: Some(out.clone()), ..args(vec![first, second]) };
        let text = told(both).unwrap();
        assert!(text.contains("16 of 20"), "{text}");
        assert!(out.join("cells.csv").exists());
    }

    #[test]
    fn bad_input_is_the_request_s_fault_and_writes_nothing() {
        let (_folder, run) = Synthetic::reported().written();
        std::fs::remove_file(run.join("trials.csv")).unwrap();
        let failure = told(args(vec![run.clone()])).unwrap_err();
        assert!(matches!(&failure, Failure::Request(text) if text.contains("no trials.csv")));
        assert!(!run.join("analysis").exists());
    }
}
