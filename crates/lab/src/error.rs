//! What goes wrong in the lab, as sentences for the user.

use std::path::PathBuf;

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
    /// The guest that was asked for can't be built.
    #[error("{0}")]
    Shape(String),
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
            | LabError::Build(_)
            | LabError::Patch { .. } => true,
            LabError::Missing { .. }
            | LabError::File { .. }
            | LabError::NoRoom { .. }
            | LabError::Archive(_)
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
