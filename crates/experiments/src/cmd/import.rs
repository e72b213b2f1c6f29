//! `experiments import FILE`.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use analysis::{Options, analyze};
use campaign::resume::sha256;
use clap::Args;
use import::definition::{ImportedDefinition, manifest};
use import::files::RunFiles;
use import::fill::{Fill, FillError, check_label, fill};
use import::format::{Format, FormatError, read};
use import::imported::Imported;
use import::ktap::Depth;
use import::mapping::Mapping;
use model::definition::Control;
use model::factor::Hash;
use model::manifest::{Manifest, Source};
use model::outcome::StallRule;
use records::{input, journal};
use serde_json::json;

use super::analyze::analysis_failure;
use super::planning::counted;
use super::run::{default_folder, say};
use crate::failure::{Failure, Outcome};

/// Turn outside measurements into a run
///
/// Reads the log of the report's reproducer, `perf bench futex`, schbench, kselftest's TAP (functional
/// checks, for `compare`), and a CSV with a mapping file. The format is recognised from the content.
/// What the source does not say stays empty, unless --set gives it. A line that is not understood is
/// named.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  experiments import repro.log --kernel 7.2 --label machine=xeon --out data/runs/xeon\n  experiments import perf.log --set cpus=96 --label patch=v2\n  experiments import runs.csv --map runs.toml --checks selftests.tap\n  ./schbench -m 4 -t 64 2>&1 | experiments import - --set threads=256 --name schbench"
)]
pub struct ImportArgs {
    /// The file to read; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// reproducer, perf-bench-futex, schbench, ktap or csv; by default the format is recognised
    #[arg(long)]
    format: Option<Format>,
    /// A TOML file that says which column of a CSV is which column of a run
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// A file of functional checks: kselftest's TAP, or a CSV with check,passed,failed; repeatable
    #[arg(long, value_name = "FILE")]
    checks: Vec<PathBuf>,
    /// Count kselftest's programs, not the tests in them
    #[arg(long)]
    programs: bool,
    /// The experiment's name; by default the file's
    #[arg(long)]
    name: Option<String>,
    /// The title of the report
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// The kernel that was measured, if the source does not say
    #[arg(long)]
    kernel: Option<String>,
    /// How many worker threads there were, if the source does not say
    #[arg(long, value_name = "N")]
    threads: Option<String>,
    /// The value of a column in every row, if the source does not say: hash, ramp, cpus…; repeatable
    #[arg(long, value_name = "COLUMN=VALUE")]
    set: Vec<String>,
    /// Mark every row with a label, such as machine or patch; repeatable
    #[arg(long, value_name = "KEY=VALUE")]
    label: Vec<String>,
    /// When a trial counts as stalled, by default `reported`: control:0.5, absolute:100,
    /// pivot:1s, split, reported, exit, signal, hang:2s, timeout, match:REGEX, metric:NAME>5ms, splat; several
    /// joined by " or "
    #[arg(long, value_name = "RULE")]
    stall: Option<StallRule>,
    /// The hash policy of the control, for `analyze`
    #[arg(long, value_name = "HASH")]
    control: Option<Hash>,
    /// The folder of the run; by default data/runs/NAME-YYYYMMDD-HHMMSS (UTC)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print what was imported as JSON
    #[arg(long)]
    json: bool,
}

/// How many lines that are not understood are named one by one.
const NAMED: usize = 10;

/// The largest source whose text is kept in the manifest, in bytes.
const KEPT: usize = 1 << 20;

/// Reads, fills and writes a run, or writes nothing.
pub fn run(args: ImportArgs, out: &mut dyn Write) -> Outcome {
    let from = shown(&args.file);
    let text = contents(&args.file)?;
    let mapping = args.map.as_deref().map(mapping).transpose()?;
    let depth = if args.programs { Depth::Programs } else { Depth::Leaves };
    let (format, mut imported) = read(&text, args.format, mapping.as_ref(), depth)
        .map_err(|error| format_failure(&from, error))?;
    add_checks(&args.checks, depth, &mut imported)?;
    let filled = args.fill()?;
    fill(&mut imported, &filled).map_err(|error| fill_failure(&from, &error))?;

    let name = args.name(mapping.as_ref())?;
    let definition = args.definition(name.clone(), format, mapping.unwrap_or_default(), &imported);
    let folder = match &args.out {
        Some(folder) => folder.clone(),
        None => default_folder(&name, SystemTime::now())?,
    };
    journal::free(&folder)?;
    let files = RunFiles::of(&imported, &name);
    let source = Source {
        from: from.clone(),
        sha256: sha256(&text),
        text: if text.len() <= KEPT { text } else { String::new() },
    };
    let kernel = filled.cells.get("kernel");
    let manifest = manifest(&definition, source, command_line(), &imported, &filled.labels, kernel);
    write_run(&folder, &files, &manifest)?;

    if args.json {
        let told = json!({
            "run": folder.display().to_string(),
            "format": format.to_string(),
            "trials": imported.trials.len(),
            "cells": files.cells,
            "checks": imported.checks.len(),
            "lines": imported.lines,
            "not_understood": definition.import.not_understood,
            "notes": imported.notes,
        });
        writeln!(out, "{told:#}")?;
        return Ok(());
    }
    for unread in imported.unread.iter().take(NAMED) {
        say(&format!("not understood: {from} {unread}"));
    }
    if imported.unread.len() > NAMED {
        let more = counted((imported.unread.len() - NAMED) as u64, "more line");
        say(&format!("not understood: {more}; all are in manifest.json"));
    }
    for note in &imported.notes {
        say(&format!("note: {note}"));
    }
    let mut parts = Vec::new();
    if !imported.trials.is_empty() {
        let trials = counted(imported.trials.len() as u64, "trial");
        parts.push(format!("{trials} in {}", counted(files.cells as u64, "cell")));
    }
    if !imported.checks.is_empty() {
        parts.push(counted(imported.checks.len() as u64, "check"));
    }
    writeln!(
        out,
        "{} ({format}): {}; {} of {} not understood",
        folder.display(),
        parts.join(", "),
        imported.unread.len(),
        counted(imported.lines as u64, "line")
    )?;
    Ok(())
}

impl ImportArgs {
    fn fill(&self) -> Result<Fill, Failure> {
        let mut fill = Fill { labels: self.labels()?, ..Fill::default() };
        let mut set = |option: String, column: &str, value: &str| {
            let error = |problem: &dyn Display| Failure::Request(format!("{option}: {problem}"));
            if fill.cells.get(column).is_some() {
                return Err(error(&format!("{column} is set twice")));
            }
            if value.is_empty() {
                return Err(error(&format!(
                    "{column} needs a value; what is not known is left out"
                )));
            }
            fill.cells.set(column, value).map_err(|problem| error(&problem))
        };
        if let Some(kernel) = &self.kernel {
            set("--kernel".into(), "kernel", kernel)?;
        }
        if let Some(threads) = &self.threads {
            set("--threads".into(), "threads", threads)?;
        }
        for option in &self.set {
            let (column, value) = option.split_once('=').ok_or_else(|| {
                Failure::Request(format!("--set {option:?}: accepted is COLUMN=VALUE"))
            })?;
            set(format!("--set {option:?}"), column.trim(), value.trim())?;
        }
        Ok(fill)
    }

    fn labels(&self) -> Result<BTreeMap<String, String>, Failure> {
        let mut labels = BTreeMap::new();
        for option in &self.label {
            let wrong =
                |problem: &dyn Display| Failure::Request(format!("--label {option:?}: {problem}"));
            let (key, value) =
                option.split_once('=').ok_or_else(|| wrong(&"accepted is KEY=VALUE"))?;
            check_label(key, value).map_err(|problem| wrong(&problem))?;
            labels.insert(key.to_string(), value.to_string());
        }
        Ok(labels)
    }

    fn name(&self, mapping: Option<&Mapping>) -> Result<String, Failure> {
        if let Some(name) = self.name.as_ref().or(mapping.and_then(|m| m.name.as_ref())) {
            if is_name(name) {
                return Ok(name.clone());
            }
            return Err(Failure::Request(format!(
                "{name:?} is no name for an experiment: accepted are letters, digits, -, _ and ., no . at the beginning"
            )));
        }
        let stem = self.file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let spelled: String = stem
            .unwrap_or_default()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' })
            .collect();
        Ok(if is_name(&spelled) && spelled != "-" { spelled } else { "imported".to_string() })
    }

    /// The definition: what the options leave open, the mapping says.
    fn definition(
        &self,
        name: String,
        format: Format,
        mapping: Mapping,
        imported: &Imported,
    ) -> ImportedDefinition {
        ImportedDefinition {
            name,
            title: self.title.clone().or(mapping.title),
            import: imported.account(&format.to_string()),
            outcome: self
                .stall
                .clone()
                .map(|stall| model::definition::Outcome { stall, called: None })
                .or(mapping.outcome),
            control: self.control.map(Control::from).or(mapping.control),
            recovery: mapping.recovery,
        }
    }
}

fn is_name(name: &str) -> bool {
    let good = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !name.is_empty() && !name.starts_with('.') && name.chars().all(good)
}

/// A file as messages and the manifest name it.
fn shown(file: &Path) -> String {
    if file == Path::new("-") { "standard input".into() } else { file.display().to_string() }
}

/// A log may hold bytes that are no text; the lines they are in are then not understood.
fn contents(file: &Path) -> Result<String, Failure> {
    let bytes = if file == Path::new("-") {
        input::bounded(io::stdin().lock())
    } else {
        input::named(file)
    };
    let bytes = bytes
        .map_err(|error| Failure::Request(format!("{} can't be read: {error}", shown(file))))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn mapping(file: &Path) -> Result<Mapping, Failure> {
    let text = contents(file)?;
    Mapping::parse(&shown(file), &text).map_err(|error| Failure::Request(error.to_string()))
}

/// Adds the checks of other files: a CSV if it has the columns of one, kselftest's results otherwise.
fn add_checks(files: &[PathBuf], depth: Depth, imported: &mut Imported) -> Outcome {
    for file in files {
        let text = contents(file)?;
        let first = text.trim_start_matches('\u{feff}').lines().find(|line| !line.starts_with('#'));
        let is_csv = first.is_some_and(|line| line.split(',').any(|name| name.trim() == "passed"));
        let of_checks = Mapping::of_checks();
        let found = if is_csv {
            read(&text, Some(Format::Csv), Some(&of_checks), depth)
        } else {
            read(&text, Some(Format::Ktap), None, depth)
        };
        let (_, found) = found.map_err(|error| format_failure(&shown(file), error))?;
        let named = |note: String| format!("{}: {note}", shown(file));
        imported.notes.extend(found.notes.into_iter().map(named));
        imported.unread.extend(found.unread.into_iter().map(|mut unread| {
            unread.text = format!("{}: {}", shown(file), unread.text);
            unread
        }));
        imported.lines += found.lines;
        imported.checks_without_result += found.checks_without_result;
        let known = std::mem::take(&mut imported.checks);
        imported.checks = import::check::together(known.into_iter().chain(found.checks));
    }
    Ok(())
}

/// The command line as it was given; where the program was installed says nothing of the run.
fn command_line() -> Vec<String> {
    let given = std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned());
    ["experiments".to_string()].into_iter().chain(given).collect()
}

/// An error of reading a source, with the option that helps.
fn format_failure(from: &str, error: FormatError) -> Failure {
    let advice = match error {
        FormatError::NothingUnderstood { .. } | FormatError::NoMapping => {
            ". --map FILE.toml says what the columns of a CSV are"
        }
        FormatError::Several { .. } => ": choose one with --format, or import them apart",
        FormatError::MappingOf(_) => ": leave out --map or --format",
        FormatError::NoRow | FormatError::Csv(_) => "",
    };
    Failure::Request(format!("{from}: {error}{advice}"))
}

/// An error of filling what a source leaves open, with the option that helps.
fn fill_failure(from: &str, error: &FillError) -> Failure {
    let advice = match error {
        FillError::Missing { column, .. } => format!("; say it with --set {column}=VALUE"),
        _ => String::new(),
    };
    Failure::Request(format!("{from}, {error}{advice}"))
}

/// Writes into a folder beside, then renames: a run is there whole or not at all.
fn write_run(folder: &Path, files: &RunFiles, manifest: &Manifest) -> Outcome {
    let failed = |what: &Path, error: io::Error| Failure::unwritten(what, &error);
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.ok_or_else(|| {
        Failure::Request(format!("--out {}: a run needs a folder with a name", folder.display()))
    })?;
    let beside = folder.with_file_name(format!(".{name}.{}", std::process::id()));
    let write = || -> Result<(), Failure> {
        fs::create_dir_all(&beside).map_err(|error| failed(folder, error))?;
        for (name, text) in files.iter() {
            let file = beside.join(name);
            fs::write(&file, text).map_err(|error| failed(&file, error))?;
        }
        records::manifest::write(manifest, &beside)
            .map_err(|error| Failure::Running(error.to_string()))?;
        // What can't be analysed is no run: it is said now, while the source is at hand.
        analyze(std::slice::from_ref(&beside), &Options::default()).map_err(analysis_failure)?;
        fs::rename(&beside, folder).map_err(|error| failed(folder, error))
    };
    write().inspect_err(|_| drop(fs::remove_dir_all(&beside)))
}
