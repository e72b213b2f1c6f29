//! `experiments man`.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, CommandFactory};

use crate::failure::{Failure, Outcome};

/// Write the manual page
///
/// To standard output; with --dir, a page a command into a folder.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  experiments man | man -l -\n  experiments man --dir ~/.local/share/man/man1"
)]
pub struct ManArgs {
    /// A folder for a page a command
    #[arg(long)]
    dir: Option<PathBuf>,
}

/// Writes the page, or the pages.
pub fn run<Cli: CommandFactory>(args: ManArgs, out: &mut dyn Write) -> Outcome {
    let command = Cli::command();
    match args.dir {
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page)?;
            Ok(out.write_all(&page)?)
        }
        Some(dir) => fs::create_dir_all(&dir)
            .and_then(|()| clap_mangen::generate_to(command, &dir))
            .map_err(|error| {
                Failure::Request(format!(
                    "the manual pages can't be written to {}: {error}",
                    dir.display()
                ))
            }),
    }
}
