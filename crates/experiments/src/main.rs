//! `experiments`: the command line of Stallscope.

mod cmd;
mod failure;

use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// How likely is the stall, from which thread count, for how long, and did the patch help.
#[derive(Debug, Parser)]
#[command(name = "experiments", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Stat(cmd::stat::StatArgs),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Stat(args) => cmd::stat::run(args, &mut io::stdout().lock()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            failure.exit_code()
        }
    }
}
