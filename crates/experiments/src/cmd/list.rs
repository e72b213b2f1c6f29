//! `experiments list`.

use std::io::Write;
use std::path::PathBuf;

use campaign::catalog::Catalog;
use clap::Args;
use serde_json::json;

use super::stat::table::Table;
use crate::failure::{Failure, Outcome};

/// List the experiments that can be run
///
/// Those built in, those of ./experiments/ and those of --dir; a later place goes over an earlier
/// one.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  experiments list --dir ~/my-experiments")]
pub struct ListArgs {
    /// One more folder of definitions
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

/// Prints the list. A definition that can't be read is in it, with what is wrong.
pub fn run(args: ListArgs, out: &mut dyn Write) -> Outcome {
    let catalog = Catalog::find(args.dir.as_deref())
        .map_err(|error| Failure::Request(format!("--dir: {error}")))?;
    let mut table = Table::new(&["name", "from", "what it answers"]).left(3);
    let mut list = Vec::new();
    for entry in &catalog.entries {
        match entry.definition() {
            Ok(definition) => {
                table.row([entry.name.clone(), entry.from.clone(), definition.title.clone()]);
                list.push(
                    json!({"name": entry.name, "from": entry.from, "title": definition.title,
                    "question": definition.question, "error": null}),
                );
            }
            Err(error) => {
                let problem = format!("can't be used: {error}");
                table.row([entry.name.clone(), entry.from.clone(), problem]);
                list.push(json!({"name": entry.name, "from": entry.from, "title": null,
                    "question": null, "error": error.to_string()}));
            }
        }
    }
    if args.json {
        writeln!(out, "{:#}", json!({"experiments": list}))?;
    } else {
        write!(out, "{}", table.render())?;
    }
    Ok(())
}
