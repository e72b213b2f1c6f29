//! `cargo xtask check`: what must hold before a commit.

pub mod house;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::Args;
use thiserror::Error;

/// Check the format, the house rules, the lints and the tests
///
/// `--fast` leaves out the tests that drive the binary, boot guests or hold estimators to their oracle:
/// those are in the full test, `bash .ci/test`, which this runs without `--fast`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cargo xtask check --fast")]
pub struct CheckArgs {
    /// Only what takes less than 90 seconds when everything is built: for every commit
    #[arg(long)]
    fast: bool,
}

/// A step that failed.
#[derive(Debug, Error)]
pub enum CheckError {
    /// The command could not be started.
    #[error("{command} can't be started: {source}")]
    NotStarted {
        /// The command line.
        command: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The command said no.
    #[error("{command} failed: {status}")]
    Failed {
        /// The command line.
        command: String,
        /// How it ended.
        status: std::process::ExitStatus,
    },
    /// A rule of the house is broken.
    #[error("{} of the house's rules broken:\n{}", .0.len(), .0.join("\n"))]
    House(Vec<String>),
}

/// The steps that take less than 90 seconds together when everything is built.
const FAST: [&[&str]; 3] = [
    &["cargo", "fmt", "--all", "--check"],
    &["cargo", "clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"],
    &["cargo", "test", "--workspace", "--locked", "--lib", "--bins", "--exclude", "xtask"],
];

/// Runs the checks.
pub fn run(args: &CheckArgs) -> Result<(), CheckError> {
    let begun = Instant::now();
    if !args.fast {
        return step(&["bash", ".ci/test"]);
    }
    let broken = house::broken(&root());
    if !broken.is_empty() {
        return Err(CheckError::House(broken));
    }
    FAST.iter().try_for_each(|words| step(words))?;
    println!("all checks passed in {:.0} s", begun.elapsed().as_secs_f64());
    Ok(())
}

/// The folder of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn step(words: &[&str]) -> Result<(), CheckError> {
    let command = words.join(" ");
    eprintln!("== {command}");
    let ended = Command::new(words[0]).args(&words[1..]).current_dir(root()).status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(CheckError::Failed { command, status }),
        Err(source) => Err(CheckError::NotStarted { command, source }),
    }
}
