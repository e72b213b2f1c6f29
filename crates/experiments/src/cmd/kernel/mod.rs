//! `experiments kernel …`: kernels for the lab.

pub mod build;
pub mod fetch;
pub mod list;

use std::io::{self, Write};

use clap::{Args, Subcommand};
use lab::cache::Cache;
use lab::error::{Asked, LabError};
use lab::kernels::fetch::{Progress, Source};
use lab::kernels::index::Freshness;
use report::neutral::Neutral;

use crate::failure::{Failure, Outcome};

/// Kernels for the lab
///
/// Stock kernels are fetched from a Debian archive by apt with a state of its own, below
/// `$XDG_CACHE_HOME/stallscope`; the system's apt is left alone. Any other kernel is given by its
/// path: `--kernel path/to/bzImage`.
#[derive(Debug, Args)]
pub struct KernelArgs {
    #[command(subcommand)]
    command: KernelCommand,
}

#[derive(Debug, Subcommand)]
enum KernelCommand {
    List(list::ListArgs),
    Fetch(fetch::FetchArgs),
    Build(build::BuildArgs),
}

/// Runs one `kernel` subcommand, writing its result to `out`.
pub fn run(args: KernelArgs, out: &mut dyn Write) -> Outcome {
    match args.command {
        KernelCommand::List(args) => list::run(args, out),
        KernelCommand::Fetch(args) => fetch::run(args, out),
        KernelCommand::Build(args) => build::run(args, out),
    }
}

/// Where kernels come from; `#[command(flatten)]` it.
#[derive(Debug, Clone, Default, Args)]
pub struct ArchiveOptions {
    /// The Debian archive; by default the one in this system's apt sources
    #[arg(long, value_name = "URL")]
    archive: Option<String>,
    /// Ask the archive now, even if what is known of it is recent
    #[arg(long, conflicts_with = "offline")]
    refresh: bool,
    /// Don't ask the archive
    #[arg(long)]
    offline: bool,
}

impl ArchiveOptions {
    /// As the lab takes it.
    pub fn source(&self) -> Source {
        let freshness = match (self.refresh, self.offline) {
            (true, _) => Freshness::Now,
            (_, true) => Freshness::Offline,
            _ => Freshness::Recent,
        };
        Source { url: self.archive.clone(), freshness }
    }
}

/// The user's cache.
pub fn cache() -> Result<Cache, Failure> {
    Ok(Cache::of_user()?)
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Failure {
        let sentence = match &error {
            LabError::Refused { asked, problem } => {
                let option = match asked {
                    Asked::Cpus(cpus) => format!("--cpus {cpus}"),
                    Asked::Nodes(nodes) => format!("--nodes {nodes}"),
                    Asked::Name(name) => format!("--name {name:?}"),
                };
                format!("{option}: {problem}")
            }
            error => error.to_string(),
        };
        let sentence = match next(&error) {
            Some(next) => format!("{sentence}; {next}"),
            None => sentence,
        };
        Failure::by_fault(&sentence, error.is_request())
    }
}

/// What the user may do about an error of the lab.
fn next(error: &LabError) -> Option<&'static str> {
    Some(match error {
        LabError::UnknownKernel { .. } => "`experiments kernel list` shows the kernels",
        LabError::NameTaken { .. } => "--replace gives the name to the new kernel",
        LabError::NoArchive { .. } => {
            "--archive URL names one, and --kernel path/to/bzImage takes a kernel without one"
        }
        LabError::NoIndex => "run `experiments kernel list` once with the network",
        LabError::NotFetched { .. } => "without --offline it is fetched",
        LabError::Missing { program, .. } if program.starts_with("qemu") => {
            "`experiments run … --install` installs it by apt"
        }
        LabError::Missing { .. } => {
            "--kernel path/to/bzImage takes a kernel that was built elsewhere"
        }
        _ => return None,
    })
}

/// Tells how a fetch goes, on standard error: warnings always, the rest only on a terminal.
pub fn tell(progress: Progress) {
    let terminal = crate::terminal::redraws();
    // Nobody is told when standard error is closed, and that stops no fetch.
    let _ = match progress {
        Progress::Warning(sentence) => writeln!(Neutral(io::stderr()), "warning: {sentence}"),
        _ if !terminal => Ok(()),
        Progress::Indices => write!(io::stderr(), "asking the archive what it holds …\r"),
        Progress::Download { name, bytes, of } => {
            let share = (bytes.min(of) * 100).checked_div(of).unwrap_or(0);
            write!(io::stderr(), "\x1b[2K{name}: {share} % of {:.1} MB\r", of as f64 / 1e6)
        }
        Progress::Unpack => write!(io::stderr(), "\x1b[2Kunpacking the image\r"),
    };
}

/// Clears the line of [`tell`].
pub fn told() {
    if crate::terminal::redraws() {
        let _ = write!(io::stderr(), "\x1b[2K");
    }
}
