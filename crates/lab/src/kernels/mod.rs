//! Kernels by name: `debian:7.3.4` from the archive ([`fetch`]), one built here ([`crate::build`]),
//! or the path of an image.

pub mod apt;
pub mod archive;
pub mod fetch;
pub mod image;
pub mod index;
pub mod name;
pub mod version;

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cache::{Cache, write_whole};
use crate::error::LabError;

/// A kernel that is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// Its name in the column `kernel`: `debian:7.3.4`, the name it was built under, or its path.
    pub name: String,
    /// The image that QEMU starts.
    pub image: PathBuf,
    /// What is known of where it is from.
    pub about: About,
}

/// What stands beside an image in the cache, as `kernel.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// `uname -r` by the image's header.
    pub release: Option<String>,
    /// SHA-256 of the image.
    #[serde(default)]
    pub image_sha256: String,
    /// The package and its version, of a fetched one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// What it was built from, of one built here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Patches by name, in the order of applying, with their SHA-256.
    #[serde(default)]
    pub patches: Vec<(String, String)>,
    /// Whether it was built with lockdep.
    #[serde(default)]
    pub debug: bool,
}

const IMAGE: &str = "image";
const ABOUT: &str = "kernel.json";

/// The kernels of the cache: those fetched, newest first, then those built, by name.
pub fn here(cache: &Cache) -> Vec<Kernel> {
    let mut fetched: Vec<(version::Version, Kernel)> = entries(&cache.path("debian/kernels"))
        .into_iter()
        .filter_map(|(name, folder)| {
            let version: version::Version = name.parse().ok()?;
            Some((version, kept(format!("debian:{name}"), &folder)?))
        })
        .collect();
    fetched.sort_by(|a, b| b.0.cmp(&a.0));
    let mut built: Vec<Kernel> = entries(&cache.path("built"))
        .into_iter()
        .filter_map(|(name, folder)| kept(name, &folder))
        .collect();
    built.sort_by(|a, b| a.name.cmp(&b.name));
    fetched.into_iter().map(|(_, kernel)| kernel).chain(built).collect()
}

fn entries(folder: &Path) -> Vec<(String, PathBuf)> {
    let Ok(folder) = fs::read_dir(folder) else { return Vec::new() };
    folder
        .filter_map(Result::ok)
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
        .collect()
}

/// The kernel in a folder of the cache, if it is whole.
pub(crate) fn kept(name: String, folder: &Path) -> Option<Kernel> {
    let about = serde_json::from_slice(&fs::read(folder.join(ABOUT)).ok()?).ok()?;
    let image = folder.join(IMAGE);
    image.is_file().then_some(Kernel { name, image, about })
}

/// Puts an image and what is known of it into a folder of the cache. The image comes first: what
/// has a `kernel.json` is whole.
pub(crate) fn keep(
    name: String,
    folder: &Path,
    image: &[u8],
    mut about: About,
) -> Result<Kernel, LabError> {
    fs::create_dir_all(folder).map_err(|error| LabError::file("making", folder, &error))?;
    about.image_sha256 = sha256(image);
    let path = folder.join(IMAGE);
    // A replaced kernel must not keep the description of the old one.
    let description = folder.join(ABOUT);
    if description.exists() {
        fs::remove_file(&description)
            .map_err(|error| LabError::file("replacing", &description, &error))?;
    }
    write_whole(&path, image)?;
    about.release = image::inspect(&path)?.release;
    let text = serde_json::to_vec_pretty(&about).unwrap_or_default();
    write_whole(&description, &text)?;
    Ok(Kernel { name, image: path, about })
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
