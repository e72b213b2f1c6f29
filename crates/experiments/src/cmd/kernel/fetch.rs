//! `experiments kernel fetch NAME…`.

use std::io::Write;

use clap::Args;
use lab::kernels::fetch::obtain;

use super::{ArchiveOptions, cache, tell, told};
use crate::failure::Outcome;

/// Fetch stock kernels
///
/// apt checks the archive's signature and the package's hash; only the kernel's image is kept.
/// `run --kernel` fetches by itself what is not here.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  experiments kernel fetch debian:7.3.4\n  experiments kernel fetch debian:6.17   # the newest of it"
)]
pub struct FetchArgs {
    /// debian:VERSION, or debian:SERIES for the newest of it
    #[arg(value_name = "KERNEL", required = true)]
    kernels: Vec<String>,
    #[command(flatten)]
    archive: ArchiveOptions,
}

/// Runs the command.
pub fn run(args: FetchArgs, out: &mut dyn Write) -> Outcome {
    let cache = cache()?;
    let source = args.archive.source();
    for name in &args.kernels {
        let kernel = obtain(&cache, &source, name, &mut tell);
        told();
        let kernel = kernel?;
        let size = std::fs::metadata(&kernel.image).map_or(0, |metadata| metadata.len());
        writeln!(
            out,
            "{}: {} ({:.1} MB, release {})",
            kernel.name,
            kernel.image.display(),
            size as f64 / 1e6,
            kernel.about.release.as_deref().unwrap_or("not in its header"),
        )?;
    }
    Ok(())
}
