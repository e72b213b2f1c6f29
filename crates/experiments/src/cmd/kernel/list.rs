//! `experiments kernel list`.

use std::io::Write;

use clap::Args;
use lab::kernels::{Kernel, here};
use serde::Serialize;

use super::{ArchiveOptions, cache, tell, told};
use crate::cmd::stat::table::Table;
use crate::failure::{Failure, Outcome};

/// The kernels that are here, and those that can be fetched
///
/// From the archive's suites bookworm-backports, trixie, trixie-backports, forky, sid and
/// experimental, each version once, newest first. The archive is asked at most every six hours.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  experiments kernel list\n  experiments kernel list --offline --json"
)]
pub struct ListArgs {
    #[command(flatten)]
    archive: ArchiveOptions,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// A kernel of the list.
#[derive(Debug, Serialize)]
struct Row {
    /// What `--kernel` takes.
    kernel: String,
    /// Whether it is here.
    here: bool,
    /// What is downloaded for it; `null` for one that was built here.
    download_bytes: Option<u64>,
    /// The package and its version; `null` for one that was built here.
    package: Option<String>,
    /// Patches that it was built with.
    patches: Vec<String>,
}

/// Runs the command.
pub fn run(args: ListArgs, out: &mut dyn Write) -> Outcome {
    let cache = cache()?;
    let found = here(&cache);
    let index = args.archive.source().index(&cache, &mut tell);
    told();
    let (fetchable, failure) = match index {
        Ok(index) => (index.kernels, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let mut rows: Vec<Row> = fetchable
        .iter()
        .map(|kernel| {
            let name = format!("debian:{}", kernel.version);
            Row {
                here: found.iter().any(|other| other.name == name),
                kernel: name,
                download_bytes: Some(kernel.download_bytes),
                package: Some(format!("{} {}", kernel.package, kernel.package_version)),
                patches: Vec::new(),
            }
        })
        .collect();
    let known = |kernel: &&Kernel| !rows.iter().any(|row| row.kernel == kernel.name);
    // What is here and no longer in the archive stays usable.
    let more: Vec<Row> = found
        .iter()
        .filter(known)
        .map(|kernel| Row {
            kernel: kernel.name.clone(),
            here: true,
            download_bytes: None,
            package: kernel.about.package.clone(),
            patches: kernel.about.patches.iter().map(|(name, _)| name.clone()).collect(),
        })
        .collect();
    rows.extend(more);

    if rows.is_empty()
        && let Some(error) = failure
    {
        return Err(error.into());
    }
    if let Some(error) = failure {
        eprintln!("warning: {error}; what follows is only what is here");
    }
    let text = if args.json {
        let json = serde_json::to_string_pretty(&rows)
            .map_err(|error| Failure::Running(format!("the result is not JSON: {error}")))?;
        json + "\n"
    } else {
        text(&rows)
    };
    Ok(out.write_all(text.as_bytes())?)
}

fn text(rows: &[Row]) -> String {
    let mut table = Table::new(&["kernel", "here", "MB", "from"]);
    for row in rows {
        table.row([
            row.kernel.clone(),
            if row.here { "yes" } else { "" }.to_string(),
            row.download_bytes.map_or(String::new(), |bytes| format!("{:.1}", bytes as f64 / 1e6)),
            match (&row.package, row.patches.as_slice()) {
                (Some(package), _) => package.clone(),
                (None, []) => "built here".to_string(),
                (None, patches) => format!("built here with {}", patches.join(", ")),
            },
        ]);
    }
    format!(
        "{}\nIn the lab: experiments run race-sweep --kernel {} --cpus 32\n",
        table.render(),
        rows.first().map_or("debian:VERSION", |row| row.kernel.as_str())
    )
}
