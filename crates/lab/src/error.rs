//! What goes wrong in the lab: facts. What the user may do next is added where commands are known.

use std::fmt;
use std::path::PathBuf;

/// A value of a request to the lab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// CPUs of a guest.
    Cpus(u32),
    /// NUMA nodes of a guest.
    Nodes(u32),
    /// The name of a kernel that is to be built.
    Name(String),
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Asked::Cpus(cpus) => write!(f, "CPUs {cpus}"),
            Asked::Nodes(nodes) => write!(f, "nodes {nodes}"),
            Asked::Name(name) => write!(f, "name {name:?}"),
        }
    }
}

/// Why something in the lab was not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LabError {
    /// No kernel has this name.
    #[error("no kernel is called `{asked}`: {accepted}")]
    UnknownKernel {
        /// The name that was asked for.
        asked: String,
        /// Near names, and what else is accepted.
        accepted: String,
    },
    /// A file that was given as a kernel is none.
    #[error(
        "{} is no x86-64 kernel that QEMU can start: {found}; accepted are a bzImage (Debian calls it \
         vmlinuz) and an uncompressed vmlinux with PVH support",
        path.display()
    )]
    NotAKernel {
        /// The file.
        path: PathBuf,
        /// What stands there instead.
        found: String,
    },
    /// Something that was asked for can't be done as it was asked for.
    #[error("{0}")]
    Shape(String),
    /// A value of the request is not accepted.
    #[error("{asked}: {problem}")]
    Refused {
        /// The value.
        asked: Asked,
        /// Why not, and what is accepted.
        problem: String,
    },
    /// Another kernel has the name.
    #[error(
        "the name {name} is taken: that kernel was built from {kept}, and this one would be from \
         {wanted}; another name keeps both"
    )]
    NameTaken {
        /// The name.
        name: String,
        /// What the kernel that is here was built from.
        kept: String,
        /// What the new kernel would be built from.
        wanted: String,
    },
    /// The system's apt sources name no Debian archive.
    #[error(
        "no Debian archive stands in {} or its sources.list.d; an archive with the suites {suites} \
         is needed",
        sources.display()
    )]
    NoArchive {
        /// apt's file of sources.
        sources: PathBuf,
        /// The suites, with commas.
        suites: String,
    },
    /// The archive may not be asked, and nothing is known of it.
    #[error("no index of a Debian archive is here, and the archive may not be asked")]
    NoIndex,
    /// The archive may not be asked for a kernel.
    #[error("{name} is not here, and the archive may not be asked for it")]
    NotFetched {
        /// The kernel.
        name: String,
    },
    /// A program that is needed is not here.
    #[error("{program} was not found: {what_for}; {remedy}")]
    Missing {
        /// The program.
        program: String,
        /// What it is needed for.
        what_for: String,
        /// How to get it, and what works without it.
        remedy: String,
    },
    /// A file could not be read, written or made.
    #[error("{doing} {} failed: {reason}", path.display())]
    File {
        /// `reading`, `writing`.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The disk is too full.
    #[error(
        "no room in {}: {needed_mib} MiB are needed{what_for}, {free_mib} MiB are free; make room, or \
         set {variable} to a folder on another disk",
        folder.display()
    )]
    NoRoom {
        /// Where it was to go.
        folder: PathBuf,
        /// What it takes.
        needed_mib: u64,
        /// What is left.
        free_mib: u64,
        /// What for, after a comma; or nothing.
        what_for: String,
        /// The variable that names another place.
        variable: &'static str,
    },
    /// The archive can't be used as this machine is set up.
    #[error("{0}")]
    Archive(String),
    /// A program that was called failed.
    #[error("{doing} failed ({ended}): {said}")]
    Program {
        /// What it was to do.
        doing: String,
        /// Its exit status.
        ended: String,
        /// The end of what it printed.
        said: String,
    },
    /// The guest did not get as far as taking trials.
    #[error("{0}")]
    Boot(String),
    /// A request to `kernel build` that can't be followed.
    #[error("{0}")]
    Build(String),
    /// A patch that doesn't apply.
    #[error(
        "{} does not apply to {}: {said}; the source is as it was before this patch",
        patch.display(),
        source_tree.display()
    )]
    Patch {
        /// The patch.
        patch: PathBuf,
        /// The source tree.
        source_tree: PathBuf,
        /// What `patch` said.
        said: String,
    },
}

impl LabError {
    /// Whether the request was wrong, rather than something that went wrong while doing it.
    pub fn is_request(&self) -> bool {
        match self {
            LabError::UnknownKernel { .. }
            | LabError::NotAKernel { .. }
            | LabError::Shape(_)
            | LabError::Refused { .. }
            | LabError::NameTaken { .. }
            | LabError::Build(_)
            | LabError::Patch { .. } => true,
            LabError::Missing { .. }
            | LabError::File { .. }
            | LabError::NoRoom { .. }
            | LabError::Archive(_)
            | LabError::NoArchive { .. }
            | LabError::NoIndex
            | LabError::NotFetched { .. }
            | LabError::Program { .. }
            | LabError::Boot(_) => false,
        }
    }

    /// An error of room with its reason and the variable that names another place.
    pub(crate) fn because(self, reason: &str, other: &'static str) -> LabError {
        match self {
            LabError::NoRoom { folder, needed_mib, free_mib, .. } => LabError::NoRoom {
                folder,
                needed_mib,
                free_mib,
                what_for: format!(" ({reason})"),
                variable: other,
            },
            error => error,
        }
    }

    pub(crate) fn file(
        doing: &'static str,
        path: impl Into<PathBuf>,
        error: &std::io::Error,
    ) -> LabError {
        LabError::File { doing, path: path.into(), reason: error.to_string() }
    }
}
