//! Whether harm was found: of one check, of one kind of event, and in all.

use serde::Serialize;

/// Whether harm was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HarmFinding {
    /// It was.
    Found,
    /// Something failed on the test side, or is missing there, and whether that is the patch's doing is
    /// not shown.
    Unclear,
    /// Nothing failed on the test side.
    NoneSeen,
    /// Nobody looked: neither at the kernel's console, nor at how the trials ended, nor at checks.
    NotObserved,
}
