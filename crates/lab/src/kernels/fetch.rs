//! Fetches a kernel from the archive and keeps only its image.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::cache::Cache;
use crate::error::LabError;
use crate::kernels::apt::{Apt, failed};
use crate::kernels::archive::Archive;
use crate::kernels::index::{Fetchable, Freshness, Index};
use crate::kernels::name::KernelName;
use crate::kernels::{About, Kernel, keep, kept};

/// A package is unpacked in a folder of this name and its version.
const SCRATCH: &str = "fetch-";

/// What there is to say while something is fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// The archive is asked what it holds.
    Indices,
    /// Something is not as asked, but it goes on.
    Warning(String),
    /// A download, with the bytes that are there and the bytes of all of it.
    Download {
        /// The kernel's name.
        name: String,
        /// Bytes that are there.
        bytes: u64,
        /// Bytes of all of it.
        of: u64,
    },
    /// The package is unpacked.
    Unpack,
}

/// Where kernels come from, and how to look.
#[derive(Debug, Clone)]
pub struct Source {
    /// The user's choice of an archive.
    pub url: Option<String>,
    /// Whether to ask it.
    pub freshness: Freshness,
}

impl Source {
    /// The archive's index.
    pub fn index(
        &self,
        cache: &Cache,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Index, LabError> {
        progress(Progress::Indices);
        let (index, warning) = Index::read(cache, self.archive(), self.freshness)?;
        if let Some(warning) = warning {
            progress(Progress::Warning(warning));
        }
        Ok(index)
    }

    fn archive(&self) -> Result<Archive, LabError> {
        Archive::find(self.url.as_deref(), Path::new("/etc/apt"))
    }
}

/// The kernel of this name, fetched if it is not here. A series whose newest isn't here is fetched;
/// where the archive can't be asked, the newest of it that is here has to do.
pub fn obtain(
    cache: &Cache,
    source: &Source,
    name: &str,
    progress: &mut dyn FnMut(Progress),
) -> Result<Kernel, LabError> {
    let name = KernelName::parse(name)?;
    let here = name.find_here(cache)?;
    let KernelName::Debian(version) = &name else {
        return here.ok_or_else(|| {
            let index = Source { freshness: Freshness::Offline, ..source.clone() };
            let index = index.index(cache, &mut |_| {}).ok();
            name.unknown(cache, index.as_ref())
        });
    };
    if let Some(kernel) = &here
        && kernel.name == format!("debian:{version}")
    {
        return Ok(kernel.clone());
    }
    let index = match (source.index(cache, progress), here) {
        (Ok(index), _) => index,
        (Err(error), Some(kernel)) => {
            progress(Progress::Warning(format!("{error}; going on with {}", kernel.name)));
            return Ok(kernel);
        }
        (Err(error), None) => return Err(error),
    };
    match index.newest(version) {
        Some(found) => fetch(cache, source, found, progress),
        None => Err(name.unknown(cache, Some(&index))),
    }
}

/// The full name of the kernel that [`obtain`] would give; nothing is downloaded but an index.
pub fn full_name(
    cache: &Cache,
    source: &Source,
    name: &str,
    progress: &mut dyn FnMut(Progress),
) -> Result<String, LabError> {
    let parsed = KernelName::parse(name)?;
    let KernelName::Debian(version) = &parsed else {
        return obtain(cache, source, name, progress).map(|kernel| kernel.name);
    };
    let here = parsed.find_here(cache)?.map(|kernel| kernel.name);
    if let Some(name) = &here
        && *name == format!("debian:{version}")
    {
        return Ok(name.clone());
    }
    match (source.index(cache, progress), here) {
        (Ok(index), _) => match index.newest(version) {
            Some(found) => Ok(format!("debian:{}", found.version)),
            None => Err(parsed.unknown(cache, Some(&index))),
        },
        (Err(_), Some(name)) => Ok(name),
        (Err(error), None) => Err(error),
    }
}

/// Fetches one kernel of the index, unless it is here.
fn fetch(
    cache: &Cache,
    source: &Source,
    found: &Fetchable,
    progress: &mut dyn FnMut(Progress),
) -> Result<Kernel, LabError> {
    let name = format!("debian:{}", found.version);
    let folder = cache.folder("debian/kernels")?.join(&found.version);
    // Two runners that want the same kernel fetch it once.
    let _lock = cache.lock(&fetching(&found.version))?;
    if let Some(kernel) = kept(name.clone(), &folder) {
        return Ok(kernel);
    }
    if source.freshness == Freshness::Offline {
        return Err(LabError::NotFetched { name });
    }
    let scratch_parent = cache.folder("debian")?;
    clear_scratch(cache, &scratch_parent, &found.version);
    // The package, and the image that is taken from it.
    Cache::require_room(&scratch_parent, found.download_bytes + (64 << 20))?;
    let scratch = tempfile::Builder::new()
        .prefix(&format!("{SCRATCH}{}", found.version))
        // Its lock makes the name one runner's.
        .rand_bytes(0)
        .tempdir_in(&scratch_parent)
        .map_err(|error| LabError::file("making a folder in", &scratch_parent, &error))?;
    let apt = Apt::at(&scratch_parent.join("apt"), &source.archive()?)?;
    let package =
        apt.download(&found.package, &found.package_version, scratch.path(), &mut |bytes| {
            let of = found.download_bytes;
            progress(Progress::Download { name: name.clone(), bytes, of });
        })?;
    progress(Progress::Unpack);
    let image = image_of(&package)?;
    let about = About {
        package: Some(format!("{} {}", found.package, found.package_version)),
        ..About::default()
    };
    keep(name, &folder, &image, about)
}

/// The lock of who fetches this version.
fn fetching(version: &str) -> String {
    format!("debian-{version}")
}

/// Takes away the folders of fetches that were killed: that of `version`, whose lock the caller
/// holds, and those of versions that nobody fetches now.
fn clear_scratch(cache: &Cache, parent: &Path, version: &str) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(of) = name.to_str().and_then(|name| name.strip_prefix(SCRATCH)) else { continue };
        let lock = if of == version { None } else { cache.try_lock(&fetching(of)) };
        if of == version || lock.is_some() {
            // What can't be removed stays for the next fetch.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// The kernel in a package; nothing else is unpacked.
fn image_of(package: &Path) -> Result<Vec<u8>, LabError> {
    let mut child = Command::new("dpkg-deb")
        .arg("--fsys-tarfile")
        .arg(package)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| LabError::file("starting", "dpkg-deb", &error))?;
    let found = child.stdout.take().map_or(Ok(None), first_image);
    let doing = || format!("unpacking {}", package.display());
    let output = child
        .wait_with_output()
        .map_err(|error| LabError::file("waiting for", "dpkg-deb", &error))?;
    match found {
        // dpkg-deb is cut off as soon as the image is read, so its status tells nothing.
        Ok(Some(image)) => Ok(image),
        Ok(None) => Err(failed(doing(), "no kernel is in it", &output.stderr)),
        Err(error) => Err(failed(doing(), &error.to_string(), &output.stderr)),
    }
}

/// The first `vmlinuz` in a tar: `boot/vmlinuz-RELEASE`, or `usr/lib/modules/RELEASE/vmlinuz`.
fn first_image(tar: impl Read) -> std::io::Result<Option<Vec<u8>>> {
    let mut archive = tar::Archive::new(tar);
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let is_image = entry.header().entry_type().is_file()
            && path.file_name().is_some_and(|name| {
                let name = name.to_string_lossy();
                name == "vmlinuz" || name.starts_with("vmlinuz-")
            });
        if is_image {
            let mut image = Vec::new();
            entry.read_to_end(&mut image)?;
            return Ok(Some(image));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_killed_fetch_leaves_its_folder_until_the_next_one_and_no_longer() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let parent = cache.folder("debian").unwrap();
        for name in ["fetch-6.17.13", "fetch-7.0.13", "fetch-7.3.4", "kernels", "apt"] {
            fs::create_dir_all(parent.join(name).join("archives")).unwrap();
        }
        let _fetched_now = cache.lock(&fetching("7.0.13")).unwrap();
        let _own = cache.lock(&fetching("7.3.4")).unwrap();
        clear_scratch(&cache, &parent, "7.3.4");
        let mut left: Vec<_> =
            fs::read_dir(&parent).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["apt", "fetch-7.0.13", "kernels"]);
    }

    #[test]
    fn only_the_image_is_taken_from_a_package() {
        for path in ["./boot/vmlinuz-6.17", "./usr/lib/modules/7.3.4/vmlinuz"] {
            let mut builder = tar::Builder::new(Vec::new());
            let mut add = |path: &str, bytes: &[u8]| {
                let mut header = tar::Header::new_gnu();
                header.set_size(bytes.len() as u64);
                header.set_mode(0o644);
                builder.append_data(&mut header, path, bytes).unwrap();
            };
            add("./boot/config-6.17", b"CONFIG_FUTEX=y");
            add(path, b"the image");
            let tar = builder.into_inner().unwrap();
            assert_eq!(first_image(tar.as_slice()).unwrap().as_deref(), Some(&b"the image"[..]));
        }
        assert_eq!(first_image(&[0u8; 1024][..]).unwrap(), None);
        assert!(first_image(&[b'x'; 700][..]).is_err());
    }
}
