//! A command that there is none of: which there are, and the near ones.

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use model::definition::did_you_mean;

use crate::Cli;

/// The sentence, where that is what is wrong with a command line.
pub fn sentence(error: &clap::Error, words: impl Iterator<Item = String>) -> Option<String> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(found)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    // Down to the command below which it was looked for: `stat`, `kernel`.
    let mut above = Cli::command();
    let mut path = "experiments".to_string();
    for word in words.take_while(|word| word != found) {
        let Some(below) = above.find_subcommand(&word).cloned() else { continue };
        path = format!("{path} {word}");
        above = below;
    }
    let known: Vec<&str> = above.get_subcommands().map(clap::Command::get_name).collect();
    let instead = match found.as_str() {
        // In the contract, and not built.
        "conform" => {
            ". The kernel's own checks of futex, tools/testing/selftests/futex, are read by \
             `experiments import` from their TAP"
        }
        _ => "",
    };
    Some(format!(
        "{path} has no command {found:?}{}{instead}. It has {}; `{path} COMMAND --help` tells each",
        did_you_mean(found, known.iter().copied()),
        known.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn said(line: &str) -> Option<String> {
        let error = Cli::try_parse_from(line.split(' ')).expect_err(line);
        sentence(&error, line.split(' ').skip(1).map(str::to_string))
    }

    #[test]
    fn the_commands_that_there_are_and_the_near_ones_are_named() {
        let top = said("experiments -v analyse R").expect("a sentence");
        assert!(
            top.starts_with("experiments has no command \"analyse\" (did you mean analyze"),
            "{top}"
        );
        assert!(top.contains("list, show, run, resume, analyze"), "{top}");
        let below = said("experiments stat proportions 1 2").expect("a sentence");
        assert!(below.starts_with("experiments stat has no command \"proportions\""), "{below}");
        assert!(
            below.contains("did you mean proportion?") && below.contains("two-by-two"),
            "{below}"
        );
    }

    #[test]
    fn the_checks_of_the_kernel_are_pointed_to() {
        let conform = said("experiments conform").expect("a sentence");
        assert!(
            conform.contains("selftests/futex") && conform.contains("experiments import"),
            "{conform}"
        );
    }

    #[test]
    fn what_else_is_wrong_is_clap_s_to_say() {
        assert_eq!(said("experiments run"), None);
        assert_eq!(said("experiments run x --quik"), None);
    }
}
