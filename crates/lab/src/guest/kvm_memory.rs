//! That KVM could not run a guest here, kept so that not every run finds it out by waiting.
//!
//! A host's KVM can be there and not work (nested, without what it needs of the outer one), and
//! only a boot tells; a boot that hangs takes its whole patience. What was found holds until the
//! host is booted again, another QEMU is used, or a day is over.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::cache::{Cache, write_whole};
use crate::error::LabError;

/// In the cache.
const FILE: &str = "kvm-does-not-work.json";

/// After this it is tried again: a module's parameter may have changed.
const HOLDS_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Found {
    /// Which boot of the host it was found in.
    host_boot: String,
    /// QEMU's version.
    qemu: String,
    /// How the guest failed.
    how: String,
}

/// Keeps that KVM failed, and how.
pub fn remember(cache: &Cache, qemu: &str, how: &str) -> Result<(), LabError> {
    let Some(host_boot) = host_boot() else { return Ok(()) };
    let found = Found { host_boot, qemu: qemu.to_string(), how: how.to_string() };
    let path = cache.folder("")?.join(FILE);
    // Of types that all have a JSON form.
    write_whole(&path, &serde_json::to_vec(&found).unwrap_or_default())
}

/// How KVM failed here before, if that still holds, and the file that says so.
pub fn recall(cache: &Cache, qemu: &str) -> Option<(String, PathBuf)> {
    let path = cache.path(FILE);
    let age = SystemTime::now().duration_since(fs::metadata(&path).ok()?.modified().ok()?).ok()?;
    let found: Found = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
    (age < HOLDS_FOR && found.qemu == qemu && Some(found.host_boot) == host_boot())
        .then_some((found.how, path))
}

fn host_boot() -> Option<String> {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_holds_for_this_boot_and_this_qemu() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("new"));
        assert_eq!(recall(&cache, "7.2.22"), None);
        remember(&cache, "7.2.22", "it died").unwrap();
        assert_eq!(recall(&cache, "7.2.22").unwrap().0, "it died");
        assert_eq!(recall(&cache, "10.0.2"), None);

        let path = cache.path(FILE);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace(&host_boot().unwrap(), "another")).unwrap();
        assert_eq!(recall(&cache, "7.2.22"), None);
        fs::write(&path, "not JSON").unwrap();
        assert_eq!(recall(&cache, "7.2.22"), None);
    }
}
