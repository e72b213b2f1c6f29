//! The lock of a run's folder: one runner at a time writes in it.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use model::manifest::{self, Manifest};
use rustix::fs::{FileType, OFlags, fstat};

use super::disk::{Disk, Folder};
use super::{JournalError, TRIALS_FILE};
use crate::RecordError;

/// The file whose lock a runner holds; in it stands its process id. The lock is the kernel's
/// (flock), so it ends with the process, however that ends.
pub(super) const LOCK: &str = ".lock";

/// The right to write in a run's folder, held until it is dropped.
#[derive(Debug)]
pub struct RunLock {
    pub(super) path: PathBuf,
    pub(super) folder: Arc<Folder>,
    file: File,
}

impl RunLock {
    /// Takes the lock of a run that exists. What was read before may be another runner's past.
    pub fn of_run(path: &Path) -> Result<RunLock, JournalError> {
        for missing in [manifest::FILE, TRIALS_FILE] {
            if !path.join(missing).exists() {
                let folder = path.to_path_buf();
                return Err(RecordError::NotARun { folder, missing }.into());
            }
        }
        RunLock::take(path)
    }

    pub(super) fn take(path: &Path) -> Result<RunLock, JournalError> {
        let unusable = |error| JournalError::Unusable { folder: path.to_path_buf(), error };
        let folder = Folder::open(path).map_err(unusable)?;
        not_a_link(path, &folder)?;
        let mut file = folder.file(LOCK, OFlags::WRONLY | OFlags::CREATE).map_err(unusable)?;
        let mut tries = 0;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                // Another process that only asks whether it is held has it for a moment.
                Err(TryLockError::WouldBlock) if tries < 5 => {
                    tries += 1;
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(TryLockError::WouldBlock) => return Err(at_work(path)),
                Err(TryLockError::Error(error)) => return Err(unusable(error)),
            }
        }
        let id = format!("{}\n", std::process::id());
        file.set_len(0).and_then(|()| file.write_all(id.as_bytes())).map_err(unusable)?;
        Ok(RunLock { path: path.to_path_buf(), folder: Arc::new(folder), file })
    }

    /// The manifest of the run that is locked, also where its path leads to another by now.
    pub fn manifest(&self) -> Result<Manifest, RecordError> {
        let file = self.path.join(manifest::FILE);
        let bytes = self.folder.read(manifest::FILE).map_err(RecordError::reading(&file))?;
        let Some(bytes) = bytes else {
            return Err(RecordError::NotARun {
                folder: self.path.clone(),
                missing: manifest::FILE,
            });
        };
        crate::manifest::parse(&file, &String::from_utf8_lossy(&bytes))
    }

    /// A word that tells this run from every other one of this machine.
    pub fn identity(&self) -> Result<String, JournalError> {
        let unusable = |error| JournalError::Unusable { folder: self.path.clone(), error };
        self.folder.identity().map_err(unusable)
    }

    /// That the lock in the folder is still this one: of a file that was deleted, another runner would
    /// not know.
    pub(super) fn check(&self) -> Result<(), JournalError> {
        let same = || -> io::Result<bool> {
            let own = fstat(&self.file)?;
            let there = self.folder.stat(LOCK)?;
            Ok(there.is_some_and(|there| (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)))
        };
        match same() {
            Ok(true) => Ok(()),
            Ok(false) => Err(JournalError::LockGone { folder: self.path.clone() }),
            Err(error) => Err(JournalError::Unusable { folder: self.path.clone(), error }),
        }
    }
}

/// That no other runner has the lock now.
pub(super) fn unheld(path: &Path) -> Result<(), JournalError> {
    let Ok(folder) = Folder::open(path) else { return Ok(()) };
    not_a_link(path, &folder)?;
    let Ok(file) = folder.file(LOCK, OFlags::RDONLY) else { return Ok(()) };
    // Shared: two processes that only ask don't meet. It ends with this function.
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Err(at_work(path)),
        _ => Ok(()),
    }
}

/// A link would have this program write in a file that is not the run's.
fn not_a_link(path: &Path, folder: &Folder) -> Result<(), JournalError> {
    let stat = folder.stat(LOCK);
    let stat =
        stat.map_err(|error| JournalError::Unusable { folder: path.to_path_buf(), error })?;
    match stat.map(|stat| FileType::from_raw_mode(stat.st_mode)) {
        None | Some(FileType::RegularFile) => Ok(()),
        Some(_) => Err(JournalError::ForeignLock { file: path.join(LOCK) }),
    }
}

fn at_work(folder: &Path) -> JournalError {
    // The file is empty for a moment after the lock is taken; a dead process was an earlier runner.
    let process = fs::read_to_string(folder.join(LOCK))
        .ok()
        .and_then(|text| text.trim().parse::<u32>().ok())
        .filter(|id| Path::new(&format!("/proc/{id}")).exists());
    JournalError::AtWork { folder: folder.to_path_buf(), process }
}
