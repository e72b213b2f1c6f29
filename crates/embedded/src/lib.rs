//! The programs that the runner starts, inside the runner: `race-trial`, and the library that sets
//! the private hash of a program that is not ours.
//!
//! [`install`] lays one in the user's cache under a name that holds its hash, so that what runs is
//! what this build holds, whatever else lies there.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// Lays `bytes` as an executable file named after `name` and their hash, and returns its path.
/// A file that is already there is used if it holds exactly these bytes.
///
/// The place is `$XDG_CACHE_HOME/stallscope/bin`, else `~/.cache/stallscope/bin`, else a folder of
/// this user's in the system's temporary folder.
///
/// # Errors
/// The last place's error, when none can be written.
pub fn install(name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    let hash: String =
        Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let mut last = io::Error::other("no folder to lay it in is known");
    for folder in folders() {
        match lay(&folder, &format!("{name}-{hash}"), bytes) {
            Ok(path) => return Ok(path),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn folders() -> Vec<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let mut folders = Vec::new();
    if let Some(cache) = absolute("XDG_CACHE_HOME") {
        folders.push(cache.join("stallscope/bin"));
    }
    if let Some(home) = absolute("HOME") {
        folders.push(home.join(".cache/stallscope/bin"));
    }
    let user = fs::metadata("/proc/self").map(|meta| std::os::unix::fs::MetadataExt::uid(&meta));
    if let Ok(user) = user {
        folders.push(std::env::temp_dir().join(format!("stallscope-{user}")));
    }
    folders
}

fn lay(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let path = folder.join(name);
    if fs::read(&path).is_ok_and(|found| found == bytes) {
        return Ok(path);
    }
    // Written beside and renamed: another runner may be about to start the old one.
    let mut next = OsStr::new(name).to_os_string();
    next.push(format!(".{}", std::process::id()));
    let next = folder.join(next);
    let mut file =
        fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o700).open(&next)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    drop(file);
    fs::rename(&next, &path)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_laid_is_what_this_build_holds() {
        let folder = std::env::temp_dir().join(format!("stallscope-lay-{}", std::process::id()));
        let path = lay(&folder, "program-1", b"one").expect("laid");
        assert_eq!(fs::read(&path).expect("read"), b"one");
        fs::write(&path, b"other").expect("written");
        let again = lay(&folder, "program-1", b"one").expect("laid again");
        assert_eq!(fs::read(again).expect("read"), b"one");
        fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn the_programs_are_for_this_system() {
        for program in [RACE_TRIAL, PRELOAD] {
            assert!(program.starts_with(b"\x7fELF"), "an ELF file");
        }
    }
}
