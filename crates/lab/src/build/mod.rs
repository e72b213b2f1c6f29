//! Kernels from source: a tree of the lab's own, patches over it, a small config, and `make`.
//!
//! A source is brought into a tree of the cache ([`tree`]), never built or patched where it lies.
//! The tree and its objects stay, so that the next patch costs the files it touches. What is built
//! is put under a name of the user's, with its patches and their hashes beside it.

mod config;
mod make;
mod patches;
mod tools;
mod tree;

use std::path::{Path, PathBuf};

use crate::cache::Cache;
use crate::error::{Asked, LabError};
use crate::kernels::{About, Kernel, keep, kept};

pub use patches::Patch;

/// What is to be built.
#[derive(Debug, Clone)]
pub struct Request {
    /// A kernel source: a folder, or a tar archive of one.
    pub source: PathBuf,
    /// Patches, in the order of applying.
    pub patches: Vec<PathBuf>,
    /// The kernel's name from then on.
    pub name: String,
    /// With lockdep and other checks.
    pub debug: bool,
    /// Whether a kernel that has the name may lose it.
    pub replace: bool,
    /// Compilers at once.
    pub jobs: usize,
}

/// What there is to say while a kernel is built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The source is brought into the tree.
    Source,
    /// A patch was applied.
    Patched(String),
    /// The configuration is made.
    Config,
    /// A thing that is not as asked, but it goes on.
    Warning(String),
    /// So many files were compiled so far; the log is here.
    Compiled(usize, PathBuf),
}

/// Builds a kernel and keeps it under its name.
///
/// # Errors
/// A source that is none, a patch that doesn't apply (nothing is built then, and the kernel that
/// had the name is as it was), a tool that is missing, a compiler that fails.
pub fn build(
    cache: &Cache,
    request: &Request,
    say: &mut dyn FnMut(Step),
) -> Result<Kernel, LabError> {
    check_name(&request.name)?;
    let patches = patches::read(&request.patches)?;
    let about = About {
        source: Some(request.source.display().to_string()),
        patches: patches.iter().map(|patch| (patch.name.clone(), patch.sha256.clone())).collect(),
        debug: request.debug,
        ..About::default()
    };
    let folder_of_name = cache.folder("built")?.join(&request.name);
    if !request.replace
        && let Some(other) = kept(request.name.clone(), &folder_of_name)
    {
        check_same(&request.name, &other.about, &about)?;
    }
    tools::require(&request.source)?;
    let folder = tree::folder(cache, &request.source)?;
    let _lock = cache.lock(&format!("build-{}", tree::key(&request.source)?))?;
    say(Step::Source);
    let tree = tree::bring(&folder, &request.source)?;
    patches::exchange(&folder, &tree, &patches, say)?;
    let objects = folder.join(if request.debug { "objects-debug" } else { "objects" });
    let make = make::Make { tree: &tree, objects: &objects, name: &request.name };
    say(Step::Config);
    for missing in config::configure(&make, request.debug)? {
        say(Step::Warning(format!(
            "this source does not take {missing}: the kernel is built without it"
        )));
    }
    let image = make.image(request.jobs, say)?;
    let bytes = std::fs::read(&image).map_err(|error| LabError::file("reading", &image, &error))?;
    keep(request.name.clone(), &folder_of_name, &bytes, about)
}

/// That a name can stand in a CSV cell, a folder and `uname -r`, and is not taken for another kind
/// of kernel.
fn check_name(name: &str) -> Result<(), LabError> {
    let good = !name.is_empty()
        && name.len() <= 40
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c));
    if good {
        return Ok(());
    }
    Err(LabError::Refused {
        asked: Asked::Name(name.to_string()),
        problem:
            "accepted are up to 40 letters, digits, - _ . and +, beginning with a letter or a \
                  digit"
                .to_string(),
    })
}

/// That a name which is taken means the same kernel: a run that is gone on with, or a comparison,
/// must not get another under it.
fn check_same(name: &str, kept: &About, wanted: &About) -> Result<(), LabError> {
    let from = |about: &About| {
        let source = about.source.as_deref().unwrap_or("a source that is not recorded");
        let patches: Vec<&str> = about.patches.iter().map(|(name, _)| name.as_str()).collect();
        let with = match patches.as_slice() {
            [] => "without patches".to_string(),
            patches => format!("with {}", patches.join(", ")),
        };
        format!("{source} {with}{}", if about.debug { ", with lockdep" } else { "" })
    };
    let same = kept.source == wanted.source
        && kept.patches == wanted.patches
        && kept.debug == wanted.debug;
    if same {
        return Ok(());
    }
    let changed = match kept.source == wanted.source
        && kept.debug == wanted.debug
        && kept.patches.iter().map(|p| &p.0).eq(wanted.patches.iter().map(|p| &p.0))
    {
        true => " (a patch of the same name that has changed)",
        false => "",
    };
    Err(LabError::NameTaken {
        name: name.to_string(),
        kept: from(kept),
        wanted: format!("{}{changed}", from(wanted)),
    })
}

/// The end of what a tool said, for a message.
fn tail(text: &[u8], lines: usize) -> String {
    let text = String::from_utf8_lossy(text);
    let all: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    all[all.len().saturating_sub(lines)..].join("\n  ")
}

/// A path as an argument that no tool takes for an option.
fn plain(path: &Path) -> PathBuf {
    if path.is_absolute() { path.to_path_buf() } else { Path::new(".").join(path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_with_what_it_was_built_from() {
        let about = |source: &str, patches: &[(&str, &str)]| About {
            source: Some(source.to_string()),
            patches: patches.iter().map(|(n, h)| (n.to_string(), h.to_string())).collect(),
            ..About::default()
        };
        let stock = about("linux.tar.xz", &[]);
        let fix = about("linux.tar.xz", &[("fix.patch", "1")]);
        assert!(check_same("stock", &stock, &stock).is_ok());
        let error = check_same("stock", &stock, &fix).unwrap_err();
        assert!(error.is_request());
        let said = error.to_string();
        assert!(said.contains("from linux.tar.xz without patches, and this one"), "{said}");
        assert!(said.contains("with fix.patch") && said.contains("another name"), "{said}");
        let next = about("linux.tar.xz", &[("fix.patch", "2")]);
        assert!(check_same("fix", &fix, &next).unwrap_err().to_string().contains("has changed"));
        assert!(check_same("fix", &fix, &about("other", &[("fix.patch", "1")])).is_err());
    }

    #[test]
    fn a_name_can_stand_in_a_cell_a_folder_and_a_release() {
        for name in ["stock", "7.3.4-v2", "a_b+c"] {
            assert_eq!(check_name(name), Ok(()));
        }
        for name in ["", "-x", "a/b", "debian:7.3", "a b", "..", &"x".repeat(41)] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
