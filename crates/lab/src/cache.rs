//! Where the lab keeps what it fetched and built: `stallscope/` in the user's cache.
//!
//! Everything here can be deleted at any time; it is fetched or built again. A file appears under
//! its final name only when it is whole, so that two runners may share the folder.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::LabError;

/// The folder of the lab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    /// The user's: `$XDG_CACHE_HOME/stallscope`, else `~/.cache/stallscope`.
    pub fn of_user() -> Result<Cache, LabError> {
        let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
        let base = absolute("XDG_CACHE_HOME")
            .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
            .ok_or_else(|| {
                LabError::Archive(
                    "there is no folder to keep kernels in: neither XDG_CACHE_HOME nor HOME names \
                     an absolute path; set one of them"
                        .to_string(),
                )
            })?;
        Ok(Cache::at(base.join("stallscope")))
    }

    /// A folder of one's own choice.
    pub fn at(root: impl Into<PathBuf>) -> Cache {
        Cache { root: root.into() }
    }

    /// A folder of the cache, made if it is not there.
    pub fn folder(&self, name: &str) -> Result<PathBuf, LabError> {
        let folder = self.root.join(name);
        fs::create_dir_all(&folder).map_err(|error| LabError::file("making", &folder, &error))?;
        Ok(folder)
    }

    /// Where a folder or file of the cache is, whether it is there or not.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Waits until no other runner works in this part of the cache; others wait until the returned
    /// file is dropped. The lock ends with the process, however that ends.
    pub fn lock(&self, part: &str) -> Result<File, LabError> {
        let (path, file) = self.lock_file(part)?;
        file.lock().map_err(|error| LabError::file("locking", &path, &error))?;
        Ok(file)
    }

    /// The same lock if nobody has it now.
    pub fn try_lock(&self, part: &str) -> Option<File> {
        let (_, file) = self.lock_file(part).ok()?;
        file.try_lock().is_ok().then_some(file)
    }

    fn lock_file(&self, part: &str) -> Result<(PathBuf, File), LabError> {
        let path = self.folder("locks")?.join(format!("{}.lock", part.replace('/', "-")));
        let file = File::create(&path).map_err(|error| LabError::file("opening", &path, &error))?;
        Ok((path, file))
    }

    /// Fails if less than `bytes` are free where `folder` is.
    pub fn require_room(folder: &Path, bytes: u64) -> Result<(), LabError> {
        let Ok(stat) = rustix::fs::statvfs(folder) else { return Ok(()) };
        let free = stat.f_bavail.saturating_mul(stat.f_frsize);
        if free >= bytes {
            return Ok(());
        }
        Err(LabError::NoRoom {
            folder: folder.to_path_buf(),
            needed_mib: bytes.div_ceil(1 << 20),
            free_mib: free >> 20,
            what_for: String::new(),
            variable: "XDG_CACHE_HOME",
        })
    }
}

/// Writes a file so that it is there whole or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), LabError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let failed = |error: &std::io::Error| LabError::file("writing", path, error);
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|error| failed(&error))?;
    file.write_all(bytes).map_err(|error| failed(&error))?;
    file.as_file().sync_all().map_err(|error| failed(&error))?;
    file.persist(path).map_err(|error| failed(&error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_room_than_any_disk_has_is_refused_with_both_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let error = Cache::require_room(folder.path(), u64::MAX).unwrap_err();
        assert!(matches!(error, LabError::NoRoom { .. }), "{error}");
        assert!(error.to_string().contains("MiB are free"), "{error}");
        assert_eq!(Cache::require_room(folder.path(), 1), Ok(()));
    }

    #[test]
    fn a_file_written_whole_replaces_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        write_whole(&path, b"old").unwrap();
        write_whole(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
