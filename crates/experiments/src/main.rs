//! `experiments`: the command line of Stallscope.

#[cfg(test)]
mod advice;
mod cmd;
mod elsewhere;
mod failure;
mod install;
mod number;
mod place;
mod programs;
mod progress;
mod site;
mod tally;
mod terminal;
mod threads;
mod unknown_command;
mod words;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Outcome;
use report::neutral::{Neutral, plain};

/// How likely is the stall, from which thread count, and for how long.
///
/// Some concurrency bugs show only sometimes. `experiments` runs controlled trials, writes CSV, and
/// turns them into probabilities with intervals, recovery times with censoring, and contrasts between
/// kernels. Results are on standard output; what goes on while it works is on standard error.
#[derive(Debug, Parser)]
#[command(
    name = "experiments",
    version,
    after_help = "Begin with:\n  experiments doctor\n  experiments run race-sweep --quick",
    propagate_version = true
)]
struct Cli {
    /// Say more on standard error; twice for each trial's record
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(cmd::list::ListArgs),
    Show(cmd::show::ShowArgs),
    Run(cmd::run::RunArgs),
    Resume(cmd::resume::ResumeArgs),
    Analyze(cmd::analyze::AnalyzeArgs),
    Report(cmd::report::ReportArgs),
    Compare(cmd::compare::CompareArgs),
    Doctor(cmd::doctor::DoctorArgs),
    Kernel(cmd::kernel::KernelArgs),
    Import(cmd::import::ImportArgs),
    Stat(cmd::stat::StatArgs),
    Completions(cmd::completions::CompletionsArgs),
    Man(cmd::man::ManArgs),
}

fn run(cli: Cli, out: &mut dyn Write) -> Outcome {
    if matches!(cli.command, Command::Analyze(_) | Command::Report(_) | Command::Compare(_)) {
        threads::make_do()?;
    }
    match cli.command {
        Command::List(args) => cmd::list::run(args, out),
        Command::Show(args) => cmd::show::run(args, out),
        Command::Run(args) => cmd::run::run(args, cli.verbose, out),
        Command::Resume(args) => cmd::resume::run(args, cli.verbose, out),
        Command::Analyze(args) => cmd::analyze::run(args, out),
        Command::Report(args) => cmd::report::run(args, out),
        Command::Compare(args) => cmd::compare::run(args, out),
        Command::Doctor(args) => cmd::doctor::run(args, out),
        Command::Kernel(args) => cmd::kernel::run(args, out),
        Command::Import(args) => cmd::import::run(args, out),
        Command::Stat(args) => cmd::stat::run(args, out),
        Command::Completions(args) => cmd::completions::run::<Cli>(args, out),
        Command::Man(args) => cmd::man::run::<Cli>(args, out),
    }
}

fn main() -> ExitCode {
    kernel_abi::signal::outlive_file_limit();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let words: Vec<String> = std::env::args_os()
                .skip(1)
                .map(|word| word.to_string_lossy().into_owned())
                .collect();
            let moves = words.iter().any(|word| word.contains(char::is_control));
            let Some(sentence) = unknown_command::sentence(&error, words.into_iter()) else {
                // A value is quoted as it was given; what would move the terminal's cursor is not.
                if moves {
                    let _ = write!(io::stderr(), "{}", plain(&error.render().to_string()));
                    return ExitCode::from(2);
                }
                error.exit()
            };
            let _ = writeln!(io::stderr(), "error: {}", plain(&sentence));
            return ExitCode::from(2);
        }
    };
    match run(cli, &mut Neutral(io::stdout().lock())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Standard error may be closed too; there is nobody left to tell.
            if !failure.is_silent() {
                let _ = writeln!(io::stderr(), "error: {failure}");
            }
            failure.exit_code()
        }
    }
}
