//! `experiments kernel build`.

use std::io::{self, Write};
use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;
use lab::build::{Request, Step, build};

use super::{cache, told};
use crate::failure::Outcome;

/// Build a kernel from source for the lab
///
/// The source is copied into the user's cache and built there with a small configuration: what a
/// guest needs, the private futex hash, kprobes with histograms, hung-task detection. The first
/// build of a source takes minutes; another patch on the same source costs the files it touches.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  experiments kernel build --source linux-7.3.tar.xz --name stock\n  experiments kernel build --source linux-7.3.tar.xz --patch fix-v2.patch --name fix-v2\n  experiments run pool-growth --kernel stock --kernel fix-v2 --cpus 32"
)]
pub struct BuildArgs {
    /// A kernel source: a folder, or a tar archive
    #[arg(long, value_name = "DIR|TARBALL")]
    source: PathBuf,
    /// A patch to apply first (-p1); repeatable, in their order
    #[arg(long, value_name = "FILE")]
    patch: Vec<PathBuf>,
    /// The kernel's name: `--kernel NAME` from then on
    #[arg(long)]
    name: String,
    /// With lockdep and other checks; slower, for harm and not for times
    #[arg(long)]
    debug: bool,
    /// Give the name to this kernel though another has it
    #[arg(long)]
    replace: bool,
    /// Compilers at once; by default one a CPU
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
}

/// Builds.
pub fn run(args: BuildArgs, out: &mut dyn Write) -> Outcome {
    let cache = cache()?;
    let jobs = args.jobs.or_else(|| std::thread::available_parallelism().ok());
    let request = Request {
        source: args.source,
        patches: args.patch,
        name: args.name,
        debug: args.debug,
        replace: args.replace,
        jobs: jobs.map_or(1, NonZero::get),
    };
    let kernel = build(&cache, &request, &mut tell);
    told();
    let kernel = kernel?;
    writeln!(
        out,
        "{}: {} (release {})",
        kernel.name,
        kernel.image.display(),
        kernel.about.release.as_deref().unwrap_or("not in its header")
    )?;
    for (patch, sha256) in &kernel.about.patches {
        writeln!(out, "  patch {patch} {sha256}")?;
    }
    writeln!(out, "next: experiments run pool-growth --kernel {} --cpus 32", kernel.name)?;
    Ok(())
}

fn tell(step: Step) {
    let mut err = io::stderr();
    let on_terminal = crate::terminal::redraws();
    let line = match &step {
        Step::Source => "bringing the source into the cache".to_string(),
        Step::Patched(name) => format!("applied {name}"),
        Step::Config => "configuring".to_string(),
        Step::Warning(warning) => {
            let _ = writeln!(report::neutral::Neutral(err), "warning: {warning}");
            return;
        }
        Step::Compiled(files, log) => format!("compiling: {files} files so far; {}", log.display()),
    };
    if on_terminal {
        let _ = write!(err, "\r\x1b[K{}", report::neutral::plain(&line));
    }
}
