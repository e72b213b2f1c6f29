//! `experiments report RUN…`.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use report::{Format, ReportError};

use super::analyze::{HowArgs, tell_files};
use crate::failure::{Failure, Outcome};

/// Draw the figures and write the report
///
/// Writes report.md, report.html and each figure as SVG and PNG to RUN/report, or to --out, and
/// says where each is. With --format the report is printed in that form instead: `mail` is plain
/// text of at most 78 columns, ready to paste.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  experiments report data/runs/race-sweep-20260824-180337\n  experiments report RUN --format mail"
)]
pub struct ReportArgs {
    /// Run folders
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Where to write the report
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print it in this form
    #[arg(long, value_enum, conflicts_with = "out")]
    pub format: Option<Form>,
    #[command(flatten)]
    pub how: HowArgs,
}

/// A form on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// Markdown
    #[value(alias = "markdown")]
    Md,
    /// One HTML file with everything in it
    Html,
    /// Plain text for a mailing list
    Mail,
}

/// Writes the report, or prints it.
pub fn run(args: ReportArgs, out: &mut dyn Write) -> Outcome {
    let folder = match (&args.format, &args.out, args.runs.as_slice()) {
        (Some(_), _, _) => None,
        (None, Some(folder), _) => Some(folder.clone()),
        (None, None, [run]) => Some(run.join("report")),
        (None, None, runs) => {
            return Err(Failure::Request(format!(
                "the report of {} runs has no folder of its own: say where it goes with --out DIR, or \
                 print it with --format",
                runs.len()
            )));
        }
    };
    let analysis = args.how.analysis(&args.runs)?;
    if let Some(form) = args.format {
        let format = match form {
            Form::Md => Format::Markdown,
            Form::Html => Format::Html,
            Form::Mail => Format::Mail,
        };
        let text = report::text(&analysis, format).map_err(report_failure)?;
        return Ok(out.write_all(text.as_bytes()).and_then(|()| out.flush())?);
    }
    if let Some(folder) = folder {
        let written = report::write(&analysis, &folder).map_err(report_failure)?;
        write!(out, "{}", report::answer(&analysis))?;
        tell_files(&written, out)?;
    }
    Ok(out.flush()?)
}

/// A report that can't be written where it is to go, or that can't be drawn.
pub fn report_failure(error: ReportError) -> Failure {
    match error {
        ReportError::File { file, error } => Failure::unwritten(&file, &error),
        ReportError::Draw(error) => Failure::Running(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::synthetic::Synthetic;
    use stats::Level;

    fn args(runs: Vec<PathBuf>) -> ReportArgs {
        let how = HowArgs { stall: None, level: Level::P95 };
        ReportArgs { runs, out: None, format: None, how }
    }

    fn told(args: ReportArgs) -> Result<String, Failure> {
        let mut out = Vec::new();
        run(args, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn every_file_that_is_told_is_there() {
        let (_folder, run) = Synthetic::reported().written();
        let text = told(args(vec![run.clone()])).unwrap();
        assert!(text.starts_with("`auto` stalled from 48 threads on"), "{text}");
        let files: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("  ")).collect();
        assert!(files.len() >= 6, "{text}");
        for file in files {
            let length = std::path::Path::new(file).metadata().map(|meta| meta.len());
            assert!(
                length.as_ref().is_ok_and(|length| *length > 0),
                "{file}: {length:?} in {text}"
            );
        }
    }

    #[test]
    fn a_form_is_printed_and_nothing_written() {
        let (_folder, run) = Synthetic::reported().written();
        let mail =
            told(ReportArgs { format: Some(Form::Mail), ..args(vec![run.clone()]) }).unwrap();
        assert!(mail.starts_with("race-sweep: "), "{mail}");
        assert!(!run.join("report").exists());
    }

    #[test]
    fn markdown_has_the_name_that_compare_gives_it_too() {
        let form = |name: &str| Form::from_str(name, false);
        assert_eq!((form("md"), form("markdown")), (Ok(Form::Md), Ok(Form::Md)));
    }

    #[test]
    fn several_runs_need_a_place() {
        let (_one, first) = Synthetic::reported().written();
        let (_two, second) = Synthetic::reported().written();
        let failure = told(args(vec![first, second])).unwrap_err();
        assert!(matches!(failure, Failure::Request(text) if text.contains("--out DIR")));
    }
}
