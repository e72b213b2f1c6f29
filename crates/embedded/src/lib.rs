//! The programs that the runner starts, inside the runner: `race-trial`, and the library that sets
//! the private hash of a program that is not ours.
//!
//! [`install`] lays one in the user's cache under a name that holds its hash, so that what runs is
//! what this build holds, whatever else lies there. What other builds laid and no runner holds any
//! more is cleared away.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// The file whose lock is held while programs are laid or cleared away.
const LOCK: &str = ".lock";

/// Digits of the hash in a program's name.
const HASH_DIGITS: usize = 16;

/// A program on the disk. It stays there for as long as this is held.
#[derive(Debug)]
pub struct Program {
    path: PathBuf,
    /// Its lock (flock) is shared by all who use the file, and ends with their processes.
    _held: File,
}

impl Program {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Lays `bytes` as an executable file named after `name` and their hash. A file that is already
/// there is used if it holds exactly these bytes.
///
/// The place is `$XDG_CACHE_HOME/stallscope/programs`, else `~/.cache/stallscope/programs`, else a
/// folder of this user's in the system's temporary folder.
///
/// # Errors
/// The last place's error, when none can be written.
pub fn install(name: &str, bytes: &[u8]) -> io::Result<Program> {
    let mut last = io::Error::other("no folder to lay it in is known");
    for folder in folders() {
        match lay(&folder, name, bytes) {
            Ok(program) => return Ok(program),
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
        folders.push(cache.join("stallscope/programs"));
    }
    if let Some(home) = absolute("HOME") {
        folders.push(home.join(".cache/stallscope/programs"));
    }
    let user = fs::metadata("/proc/self").map(|meta| std::os::unix::fs::MetadataExt::uid(&meta));
    if let Ok(user) = user {
        folders.push(std::env::temp_dir().join(format!("stallscope-{user}/programs")));
    }
    folders
}

fn lay(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<Program> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let lock = File::create(folder.join(LOCK))?;
    // A file system without locks does not tell what is in use: then nothing is removed.
    let is_alone = lock.lock().is_ok();
    let hash: String = Sha256::digest(bytes)
        .iter()
        .take(HASH_DIGITS / 2)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let path = folder.join(format!("{name}-{hash}"));
    if !fs::read(&path).is_ok_and(|found| found == bytes) {
        // Written beside and renamed: another runner may be about to start the old one.
        let next = folder.join(format!("{name}-{hash}.{}", std::process::id()));
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o700)
            .open(&next)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&next, &path)?;
    }
    let held = File::open(&path)?;
    if held.lock_shared().is_ok() && is_alone {
        clear(folder, name, &path);
    }
    Ok(Program { path, _held: held })
}

/// Takes away what other builds laid under `name`, and what a killed runner wrote half, unless a
/// runner holds it. A runner takes hold of its program under the lock of the folder, which is held
/// here, so what nobody holds now nobody is about to use.
fn clear(folder: &Path, name: &str, keep: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let laid = path.file_name().and_then(|file| file.to_str()).is_some_and(|file| {
            file.strip_prefix(name).and_then(|rest| rest.strip_prefix('-')).is_some_and(is_hash)
        });
        if laid
            && path != keep
            && let Ok(file) = File::open(&path)
            && file.try_lock().is_ok()
        {
            // What can't be removed stays for the next start.
            let _ = fs::remove_file(&path);
        }
    }
}

/// A hash as in a program's name, or as in that of one being written: with a process id behind it.
fn is_hash(rest: &str) -> bool {
    let (hash, process) = rest.split_once('.').unwrap_or((rest, "0"));
    hash.len() == HASH_DIGITS
        && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
        && !process.is_empty()
        && process.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The programs of a folder, by name.
    fn laid(folder: &Path) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> =
            fs::read_dir(folder).expect("listed").map(|entry| entry.expect("one").path()).collect();
        files.retain(|path| path.file_name() != Some(LOCK.as_ref()));
        files.sort();
        files
    }

    #[test]
    fn what_is_laid_is_what_this_build_holds() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = lay(folder.path(), "program", b"one").expect("laid");
        assert_eq!(fs::read(program.path()).expect("read"), b"one");
        fs::write(program.path(), b"other").expect("written");
        let again = lay(folder.path(), "program", b"one").expect("laid again");
        assert_eq!(fs::read(again.path()).expect("read"), b"one");
        assert_eq!(again.path(), program.path());
    }

    #[test]
    fn what_another_build_laid_is_cleared_away_once_nobody_holds_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let old = lay(folder.path(), "program", b"old").expect("laid");
        let library = lay(folder.path(), "library", b"old").expect("laid");
        // Half written by a runner that was killed.
        let half = folder.path().join("program-0123456789abcdef.4711");
        fs::write(&half, b"ha").expect("written");
        // Not from here.
        for foreign in ["program-of-mine", "program-0123456789abcdef.sh", "program-0123"] {
            fs::write(folder.path().join(foreign), b"").expect("written");
        }
        let new = lay(folder.path(), "program", b"new").expect("laid");
        assert!(!half.exists());
        assert!(old.path().exists(), "another runner holds it");
        let path = old.path().to_path_buf();
        // That runner ended. Nobody holds the library either, but this lays no library.
        drop((old, library));
        drop(lay(folder.path(), "program", b"new").expect("laid"));
        assert!(!path.exists());
        let left: Vec<String> = laid(folder.path())
            .iter()
            .filter_map(|path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned))
            .collect();
        let new = new.path().file_name().and_then(|name| name.to_str()).expect("a name");
        assert_eq!(left.len(), 5, "{left:?}");
        for name in ["library-", "program-of-mine", "program-0123456789abcdef.sh", new] {
            assert!(left.iter().any(|left| left.starts_with(name)), "{name} of {left:?}");
        }
    }

    #[test]
    fn the_programs_are_for_this_system() {
        for program in [RACE_TRIAL, PRELOAD] {
            assert!(program.starts_with(b"\x7fELF"), "an ELF file");
        }
    }
}
