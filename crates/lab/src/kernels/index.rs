//! Which kernels the archive holds: each version once, newest first.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::cache::{Cache, write_whole};
use crate::error::LabError;
use crate::kernels::apt::Apt;
use crate::kernels::archive::Archive;
use crate::kernels::version::Version;

/// How old an index may be before it is fetched anew.
const FRESH: Duration = Duration::from_secs(6 * 3600);

/// A cloud kernel has few drivers built in, so it boots quickest, and all that the lab needs: two
/// serial ports, ACPI, an initramfs. Up to 6.18 linux-image holds the kernel; from 6.19 it is an
/// empty package that needs linux-binary.
const PACKAGES: &str = "^linux-(image|binary)-[0-9].*-cloud-amd64(-unsigned)?$";

/// Below this a package holds no kernel.
const SMALLEST_KERNEL_BYTES: u64 = 1 << 20;

/// A kernel that can be fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fetchable {
    /// Its version: `7.3.4`.
    pub version: String,
    /// The package that holds it.
    pub package: String,
    /// The package's version.
    pub package_version: String,
    /// What is downloaded.
    pub download_bytes: u64,
}

/// What an archive holds, as of when it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// The archive's URI.
    pub archive: String,
    /// Seconds since 1970.
    pub fetched_at: u64,
    /// Newest first.
    pub kernels: Vec<Fetchable>,
}

/// Whether to ask the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Ask if what is here is older than six hours; if the archive can't be reached, go on with it.
    Recent,
    /// Ask.
    Now,
    /// Don't ask.
    Offline,
}

impl Index {
    /// The index of `archive`, asked for or from the cache, and a warning if an older one had to
    /// do.
    pub fn read(
        cache: &Cache,
        archive: Result<Archive, LabError>,
        freshness: Freshness,
    ) -> Result<(Index, Option<String>), LabError> {
        let folder = cache.folder("debian")?;
        let path = folder.join("index.json");
        let _lock = cache.lock("debian-index")?;
        let kept: Option<Index> =
            std::fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let kept = kept
            .filter(|kept| archive.as_ref().map_or(true, |archive| kept.archive == archive.uri));
        let now = seconds_since_1970();
        let is_fresh = |index: &Index| now.saturating_sub(index.fetched_at) < FRESH.as_secs();
        match (freshness, kept) {
            (Freshness::Offline, Some(kept)) => Ok((kept, None)),
            (Freshness::Offline, None) => Err(LabError::NoIndex),
            (Freshness::Recent, Some(kept)) if is_fresh(&kept) => Ok((kept, None)),
            (freshness, kept) => match (Index::fetch(&folder, archive, now), kept) {
                (Ok(index), _) => {
                    let text = serde_json::to_vec_pretty(&index).unwrap_or_default();
                    write_whole(&path, &text)?;
                    Ok((index, None))
                }
                (Err(error), Some(kept)) if freshness == Freshness::Recent => {
                    let hours = now.saturating_sub(kept.fetched_at) / 3600;
                    Ok((kept, Some(format!("{error}; going on with the index of {hours} h ago"))))
                }
                (Err(error), _) => Err(error),
            },
        }
    }

    fn fetch(
        folder: &std::path::Path,
        archive: Result<Archive, LabError>,
        now: u64,
    ) -> Result<Index, LabError> {
        let archive = archive?;
        // Six suites' indices: 32 MB to fetch, about 70 MB as apt keeps them.
        Cache::require_room(folder, 150 << 20)?;
        let apt = Apt::at(&folder.join("apt"), &archive)?;
        apt.update()?;
        let kernels = kernels(&apt.stanzas(PACKAGES)?);
        if kernels.is_empty() {
            return Err(LabError::Archive(format!(
                "{} holds no package linux-image-VERSION-cloud-amd64 in {}",
                archive.uri,
                super::archive::SUITES.join(", ")
            )));
        }
        Ok(Index { archive: archive.uri, fetched_at: now, kernels })
    }

    /// The newest kernel that `version` names: itself, or the newest of its series.
    pub fn newest(&self, version: &Version) -> Option<&Fetchable> {
        let named = |kernel: &&Fetchable| {
            kernel.version.parse::<Version>().is_ok_and(|found| found.starts_with(version))
        };
        let exactly = version.to_string();
        self.kernels
            .iter()
            .find(|kernel| kernel.version == exactly)
            .or_else(|| self.kernels.iter().find(named))
    }
}

fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// From apt's stanzas: each version once, newest first. Of several packages with the same version
/// the smallest, since all hold the same source's kernel and the rest of a package is thrown away.
fn kernels(stanzas: &str) -> Vec<Fetchable> {
    let mut best: HashMap<Version, Fetchable> = HashMap::new();
    for stanza in stanzas.split("\n\n") {
        let field = |name: &str| {
            stanza
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
                .map(str::trim)
        };
        let (Some(package), Some(package_version), Some(size)) =
            (field("Package"), field("Version"), field("Size"))
        else {
            continue;
        };
        let (Some(version), Ok(download_bytes)) =
            (Version::of_package(package_version), size.parse::<u64>())
        else {
            continue;
        };
        if download_bytes < SMALLEST_KERNEL_BYTES {
            continue;
        }
        let found = Fetchable {
            version: version.to_string(),
            package: package.to_string(),
            package_version: package_version.to_string(),
            download_bytes,
        };
        let key = |kernel: &Fetchable| {
            (kernel.download_bytes, kernel.package.clone(), kernel.package_version.clone())
        };
        match best.get(&version) {
            Some(other) if key(other) <= key(&found) => {}
            _ => {
                best.insert(version, found);
            }
        }
    }
    let mut kernels: Vec<(Version, Fetchable)> = best.into_iter().collect();
    kernels.sort_by_key(|(version, _)| Reverse(version.clone()));
    kernels.into_iter().map(|(_, kernel)| kernel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STANZAS: &str = "\
Package: linux-binary-7.3.4+deb13-cloud-amd64
Version: 7.3.4-1~bpo13+1
Depends: linux-base (= 7.3.4-1~bpo13+1)
Size: 13604064

Package: linux-image-7.3.4+deb13-cloud-amd64
Version: 7.3.4-1~bpo13+1
Size: 1928

Package: linux-image-6.17.13+deb13-cloud-amd64
Version: 6.17.13-1~bpo13+1
Size: 50208396

Package: linux-binary-7.3-cloud-amd64
Version: 7.3~rc7-1~exp1
Size: 13885624

Package: linux-image-6.12.95+deb12-cloud-amd64
Version: 6.12.95-1~bpo12+1
Size: 33925512

Package: linux-image-6.12.95+deb12-cloud-amd64-unsigned
Version: 6.12.95-1~bpo12+1
Size: 33923316

Package: linux-image-6.17.8+deb13-cloud-amd64
Version: 6.17.8-1~bpo13+1
Size: 50174620
";

    #[test]
    fn each_version_is_there_once_newest_first() {
        let found = kernels(STANZAS);
        let versions: Vec<&str> = found.iter().map(|kernel| kernel.version.as_str()).collect();
        assert_eq!(versions, ["7.3.4", "7.3-rc7", "6.17.13", "6.17.8", "6.12.95"]);
        assert_eq!(found[0].package, "linux-binary-7.3.4+deb13-cloud-amd64");
        assert_eq!(found[4].package, "linux-image-6.12.95+deb12-cloud-amd64-unsigned");
    }

    #[test]
    fn a_prefix_is_the_newest_of_its_series() {
        let index = Index { archive: String::new(), fetched_at: 0, kernels: kernels(STANZAS) };
        let newest =
            |text: &str| index.newest(&text.parse().unwrap()).map(|kernel| kernel.version.as_str());
        assert_eq!(newest("6.17"), Some("6.17.13"));
        assert_eq!(newest("6.17.8"), Some("6.17.8"));
        assert_eq!(newest("7"), Some("7.3.4"));
        assert_eq!(newest("6.1"), None);
    }

    #[test]
    fn text_that_is_no_stanza_gives_no_kernel() {
        assert_eq!(kernels("Package: x\nVersion: \u{fffd}\nSize: many\n\n\n\ngarbage"), []);
    }
}
