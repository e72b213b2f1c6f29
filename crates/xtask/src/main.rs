//! What only developers of Stallscope run: `cargo xtask …`.

mod calibrate;
mod check;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Tasks of developers
#[derive(Debug, Parser)]
#[command(name = "xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    Calibrate(calibrate::command::CalibrateArgs),
    Check(check::CheckArgs),
}

fn main() -> ExitCode {
    let done = match Cli::parse().task {
        Task::Calibrate(args) => calibrate::command::run(&args).map_err(|error| error.to_string()),
        Task::Check(args) => {
            check::run(&args).map(|()| String::new()).map_err(|error| error.to_string())
        }
    };
    match done {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(sentence) => {
            eprintln!("error: {sentence}");
            ExitCode::FAILURE
        }
    }
}
