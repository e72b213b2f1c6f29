//! The tree that is built: a copy of the source in the cache, brought up to date, never the
//! source itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::plain;
use crate::cache::Cache;
use crate::error::LabError;
use crate::kernels::sha256;

/// Free disk that a tree and its objects take.
const ROOM: u64 = 4 << 30;

/// A name for what is built from this source.
pub(super) fn key(source: &Path) -> Result<String, LabError> {
    let path = fs::canonicalize(source).map_err(|error| {
        LabError::Shape(format!("the source {} can't be read: {error}", source.display()))
    })?;
    let name =
        path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let short: String =
        name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).take(30).collect();
    let hash = sha256(path.to_string_lossy().as_bytes());
    Ok(format!("{short}-{}", hash.get(..12).unwrap_or_default()))
}

/// The folder of the cache for this source's tree, state and objects.
pub(super) fn folder(cache: &Cache, source: &Path) -> Result<PathBuf, LabError> {
    let key = key(source)?;
    let is_new = !cache.path("trees").join(&key).exists();
    let folder = cache.folder(&format!("trees/{key}"))?;
    if is_new {
        Cache::require_room(&folder, ROOM)?;
    }
    Ok(folder)
}

/// Brings the source into the tree. A folder is compared file by file and only what differs is
/// copied, so that objects stay good; an archive is unpacked when it is another than before.
pub(super) fn bring(folder: &Path, source: &Path) -> Result<PathBuf, LabError> {
    let tree = folder.join("source");
    if source.is_dir() {
        require_kernel(source, source)?;
        super::patches::forget(folder)?;
        copy(source, &tree)?;
    } else if let Err(error) = unpack(folder, source, &tree) {
        // What was refused leaves nothing in the cache; a tree of before stays.
        let _ = fs::remove_dir_all(folder.join("source.next"));
        if !tree.exists() {
            let _ = fs::remove_dir_all(folder);
        }
        return Err(error);
    }
    require_kernel(&tree, source)?;
    Ok(tree)
}

fn require_kernel(tree: &Path, source: &Path) -> Result<(), LabError> {
    let missing =
        ["Makefile", "Kconfig", "kernel/futex"].iter().find(|file| !tree.join(file).exists());
    match missing {
        None => Ok(()),
        Some(file) => Err(LabError::Shape(format!(
            "{} is no Linux source: it has no {file}. Accepted is the top folder of a kernel tree, or a tar archive of one (tar, tar.gz, tar.xz, tar.zst)",
            source.display()
        ))),
    }
}

fn unpack(folder: &Path, archive: &Path, tree: &Path) -> Result<(), LabError> {
    let stamp = folder.join("unpacked");
    let meta = fs::metadata(archive).map_err(|error| LabError::file("reading", archive, &error))?;
    let now = format!("{} {:?}", meta.len(), meta.modified().ok());
    if tree.exists() && fs::read_to_string(&stamp).is_ok_and(|then| then == now) {
        return Ok(());
    }
    for old in [&tree.to_path_buf(), &folder.join("objects"), &folder.join("objects-debug")] {
        if old.exists() {
            fs::remove_dir_all(old).map_err(|error| LabError::file("removing", old, &error))?;
        }
    }
    super::patches::forget(folder)?;
    let next = folder.join("source.next");
    if next.exists() {
        fs::remove_dir_all(&next).map_err(|error| LabError::file("removing", &next, &error))?;
    }
    fs::create_dir_all(&next).map_err(|error| LabError::file("making", &next, &error))?;
    let output = Command::new("tar")
        .arg("-xf")
        .arg(plain(archive))
        .args(["--strip-components=1", "--no-same-owner", "-C"])
        .arg(&next)
        .output()
        .map_err(|error| LabError::file("starting", "tar", &error))?;
    if !output.status.success() {
        return Err(LabError::Shape(format!(
            "{} can't be unpacked: {}. Accepted is a folder, or a tar archive of a Linux source",
            archive.display(),
            String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or("tar said nothing")
        )));
    }
    require_kernel(&next, archive)?;
    fs::rename(&next, tree).map_err(|error| LabError::file("renaming", &next, &error))?;
    fs::write(&stamp, now).map_err(|error| LabError::file("writing", &stamp, &error))
}

/// Makes `to` a copy of `from`: what is the same in size and time stays, what `from` hasn't goes.
fn copy(from: &Path, to: &Path) -> Result<(), LabError> {
    fs::create_dir_all(to).map_err(|error| LabError::file("making", to, &error))?;
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(from).map_err(|error| LabError::file("reading", from, &error))? {
        let entry = entry.map_err(|error| LabError::file("reading", from, &error))?;
        let name = entry.file_name();
        // A repository's history is not built.
        if name == ".git" {
            continue;
        }
        let (source, target) = (entry.path(), to.join(&name));
        let kind = entry.file_type().map_err(|error| LabError::file("reading", &source, &error))?;
        if kind.is_dir() {
            if target.is_symlink() || target.is_file() {
                fs::remove_file(&target)
                    .map_err(|error| LabError::file("removing", &target, &error))?;
            }
            copy(&source, &target)?;
        } else if kind.is_symlink() {
            let link = fs::read_link(&source)
                .map_err(|error| LabError::file("reading", &source, &error))?;
            if fs::read_link(&target).ok().as_ref() != Some(&link) {
                remove(&target)?;
                std::os::unix::fs::symlink(&link, &target)
                    .map_err(|error| LabError::file("writing", &target, &error))?;
            }
        } else if kind.is_file() && !same(&source, &target) {
            remove(&target)?;
            copy_file(&source, &target)?;
        }
        names.insert(name);
    }
    for entry in fs::read_dir(to).map_err(|error| LabError::file("reading", to, &error))? {
        let entry = entry.map_err(|error| LabError::file("reading", to, &error))?;
        if !names.contains(&entry.file_name()) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

fn same(a: &Path, b: &Path) -> bool {
    match (fs::metadata(a), fs::symlink_metadata(b)) {
        (Ok(a), Ok(b)) => {
            b.is_file() && a.len() == b.len() && a.modified().ok() == b.modified().ok()
        }
        _ => false,
    }
}

fn copy_file(from: &Path, to: &Path) -> Result<(), LabError> {
    let failed = |error: std::io::Error| LabError::file("writing", to, &error);
    fs::copy(from, to).map_err(failed)?;
    let modified = fs::metadata(from).and_then(|meta| meta.modified()).map_err(failed)?;
    fs::File::options()
        .write(true)
        .open(to)
        .and_then(|file| file.set_modified(modified))
        .map_err(failed)
}

fn remove(path: &Path) -> Result<(), LabError> {
    let removed = match fs::symlink_metadata(path) {
        Err(_) => Ok(()),
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
    };
    removed.map_err(|error| LabError::file("removing", path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(folder: &Path) -> PathBuf {
        let source = folder.join("linux");
        fs::create_dir_all(source.join("kernel/futex")).unwrap();
        fs::create_dir_all(source.join(".git")).unwrap();
        for file in ["Makefile", "Kconfig", "kernel/futex/core.c", ".git/HEAD"] {
            fs::write(source.join(file), file).unwrap();
        }
        std::os::unix::fs::symlink("Makefile", source.join("link")).unwrap();
        source
    }

    #[test]
    fn only_what_differs_is_copied_and_what_is_gone_goes() {
        let folder = tempfile::tempdir().unwrap();
        let source = source(folder.path());
        let cache = folder.path().join("cache");
        fs::create_dir(&cache).unwrap();
        let tree = bring(&cache, &source).unwrap();
        assert_eq!(
            fs::read_to_string(tree.join("kernel/futex/core.c")).unwrap(),
            "kernel/futex/core.c"
        );
        assert!(!tree.join(".git").exists());
        assert!(tree.join("link").is_symlink());
        let untouched = fs::metadata(tree.join("Makefile")).unwrap().modified().unwrap();
        fs::write(source.join("Kconfig"), "changed").unwrap();
        fs::write(tree.join("stray.c"), "x").unwrap();
        // A patched file differs, and is put back.
        fs::write(tree.join("kernel/futex/core.c"), "patched").unwrap();
        bring(&cache, &source).unwrap();
        assert_eq!(fs::read_to_string(tree.join("Kconfig")).unwrap(), "changed");
        assert_eq!(
            fs::read_to_string(tree.join("kernel/futex/core.c")).unwrap(),
            "kernel/futex/core.c"
        );
        assert!(!tree.join("stray.c").exists());
        assert_eq!(fs::metadata(tree.join("Makefile")).unwrap().modified().unwrap(), untouched);
    }

    #[test]
    fn what_is_no_source_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        fs::create_dir(&cache).unwrap();
        let error = bring(&cache, folder.path()).unwrap_err().to_string();
        assert!(error.contains("no Linux source"), "{error}");
        let file = folder.path().join("x.tar");
        fs::write(&file, "no archive").unwrap();
        let error = bring(&cache, &file).unwrap_err().to_string();
        assert!(error.contains("can't be unpacked"), "{error}");
        assert!(key(Path::new("no/such")).is_err());
    }
}
