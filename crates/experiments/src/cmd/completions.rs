//! `experiments completions SHELL`.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::failure::Outcome;

/// Write the completions of a shell
///
/// They go to standard output, for the shell to read.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  experiments completions bash > ~/.local/share/bash-completion/completions/experiments"
)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Writes the completions.
pub fn run<Cli: CommandFactory>(args: CompletionsArgs, out: &mut dyn Write) -> Outcome {
    // Into memory first: the generator panics where its reader goes away.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "experiments", &mut text);
    Ok(out.write_all(&text)?)
}
