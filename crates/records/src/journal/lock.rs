//! The lock of a run's folder: one runner at a time writes in it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use model::manifest;

use super::{JournalError, TRIALS_FILE};
use crate::RecordError;

/// The file whose lock a runner holds; in it stands its process id. The lock is the kernel's
/// (flock), so it ends with the process, however that ends.
pub(super) const LOCK: &str = ".lock";

/// The right to write in a run's folder, held until it is dropped.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
}

impl RunLock {
    /// Takes the lock of a run that exists. What was read before may be another runner's past.
    pub fn of_run(folder: &Path) -> Result<RunLock, JournalError> {
        for missing in [manifest::FILE, TRIALS_FILE] {
            if !folder.join(missing).exists() {
                let folder = folder.to_path_buf();
                return Err(RecordError::NotARun { folder, missing }.into());
            }
        }
        RunLock::take(folder)
    }

    pub(super) fn take(folder: &Path) -> Result<RunLock, JournalError> {
        let unusable = |error| JournalError::Unusable { folder: folder.to_path_buf(), error };
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join(LOCK))
            .map_err(unusable)?;
        let mut tries = 0;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                // Another process that only asks whether it is held has it for a moment.
                Err(TryLockError::WouldBlock) if tries < 5 => {
                    tries += 1;
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(TryLockError::WouldBlock) => return Err(at_work(folder)),
                Err(TryLockError::Error(error)) => return Err(unusable(error)),
            }
        }
        let id = format!("{}\n", std::process::id());
        file.set_len(0).and_then(|()| file.write_all(id.as_bytes())).map_err(unusable)?;
        Ok(RunLock { _file: file })
    }
}

/// That no other runner has the lock now.
pub(super) fn unheld(folder: &Path) -> Result<(), JournalError> {
    let Ok(file) = File::open(folder.join(LOCK)) else { return Ok(()) };
    // Shared: two processes that only ask don't meet. It ends with this function.
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Err(at_work(folder)),
        _ => Ok(()),
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
