//! Every command that the program or its documentation advises is one that it takes.
//!
//! Advice that ends in "unrecognized subcommand" is worse than none; only a test keeps the two
//! together.

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use crate::Cli;

macro_rules! documents {
    ($($path:literal),* $(,)?) => {
        [$(($path, include_str!(concat!("../../../", $path)))),*]
    };
}

const DOCUMENTS: [(&str, &str); 24] = documents![
    "README.md",
    "CONTRIBUTING.md",
    "docs/tutorial.md",
    "docs/concepts.md",
    "docs/reliability.md",
    "docs/how-to/patch.md",
    "docs/how-to/kernel.md",
    "docs/how-to/fleet.md",
    "docs/how-to/own-program.md",
    "docs/how-to/import.md",
    "docs/reference/commands.md",
    "docs/reference/definitions.md",
    "docs/reference/files-and-columns.md",
    "docs/reference/import-formats.md",
    "docs/reference/statistics.md",
    "docs/reference/verdict.md",
    "docs/reference/workloads.md",
    "docs/design/house.md",
    "docs/design/lab.md",
    "docs/design/trial-process.md",
    "docs/design/decisions.md",
    "docs/appendix/coverage.md",
    "docs/appendix/verdict-error-rates.md",
    "docs/appendix/speed.md",
];

/// Whether a command line is one. Values that it leaves out (`experiments resume`, said in a
/// sentence) are no fault; a word that nobody knows is.
fn known(line: &str) -> Result<(), clap::Error> {
    // Up to where the shell goes on.
    let words = line
        .split_whitespace()
        .take_while(|word| !["|", ">", "2>&1", "&&", "\\", "#"].contains(word))
        .map(|word| word.trim_matches(['\'', '"', '[', ']']))
        .map(|word| if word == "SHELL" { "bash" } else { word });
    match Cli::try_parse_from(words) {
        Ok(_) => Ok(()),
        Err(error) => match error.kind() {
            ErrorKind::MissingRequiredArgument
            | ErrorKind::MissingSubcommand
            | ErrorKind::DisplayHelp
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            | ErrorKind::DisplayVersion => Ok(()),
            _ => Err(error),
        },
    }
}

/// The command lines in a text: whole lines, and what stands between backquotes.
fn commands(text: &str) -> Vec<&str> {
    text.lines()
        .flat_map(|line| line.split('`'))
        .map(str::trim)
        .filter(|part| part.starts_with("experiments "))
        .filter(|part| !part.contains('…') && !part.contains('$'))
        .collect()
}

#[test]
fn the_documents_commands_are_known() {
    let mut count = 0;
    for (name, text) in DOCUMENTS {
        for line in commands(text) {
            known(line).unwrap_or_else(|error| panic!("{name}: {line}: {error}"));
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}

#[test]
fn each_command_s_examples_are_known() {
    fn walk(command: &clap::Command, path: &str, count: &mut usize) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in commands(&help) {
            known(line).unwrap_or_else(|error| panic!("{path}: {line}: {error}"));
            *count += 1;
        }
        for below in command.get_subcommands() {
            walk(below, &format!("{path} {}", below.get_name()), count);
        }
    }
    let mut count = 0;
    walk(&Cli::command(), "experiments", &mut count);
    assert!(count > 20, "{count}");
}

#[test]
fn what_is_none_is_told() {
    assert!(known("experiments measure").is_err());
    assert!(known("experiments run race-sweep --quik").is_err());
    assert!(known("experiments run race-sweep --duration 3").is_err());
    assert!(known("experiments resume").is_ok());
}
