//! What the journal asks of the file system, so that a test can put one under it that tears and fails.

use std::ffi::OsString;
use std::fmt::Debug;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, renameat, statat};

/// The files of one folder, by their names. Nothing is on the disk for sure before it is synced.
pub trait Disk: Debug + Send + Sync {
    /// The bytes of a file; `None` where there is none.
    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>>;
    /// Makes a file of these bytes, or makes them the bytes of the one that is there.
    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()>;
    /// Puts bytes at the end of a file that is there. A failure may leave a part of them.
    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()>;
    /// Has a file's bytes on the disk when it returns.
    fn sync(&self, name: &str) -> io::Result<()>;
    /// Gives a file the name of another, which is gone with that.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    /// Has the names of the folder on the disk when it returns.
    fn sync_names(&self) -> io::Result<()>;
    /// Whether there is a file of this name.
    fn has(&self, name: &str) -> io::Result<bool>;
}

/// A run's folder by its descriptor: it stays the same one when its path is given to another. No link
/// in it is followed.
#[derive(Debug)]
pub struct Folder {
    descriptor: OwnedFd,
}

const FILE_MODE: Mode = Mode::from_raw_mode(0o666);

impl Folder {
    /// Opens a folder that is there.
    pub fn open(path: &Path) -> io::Result<Folder> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Folder { descriptor: rustix::fs::open(path, flags, Mode::empty())? })
    }

    /// A regular file of the folder. A device or a pipe is not waited for and not opened.
    pub(super) fn file(&self, name: &str, flags: OFlags) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let not_a_file = || io::Error::other("it is a link or a device, not a file of the run");
        let file =
            openat(&self.descriptor, name, flags, FILE_MODE).map_err(|errno| match errno {
                rustix::io::Errno::LOOP | rustix::io::Errno::NXIO => not_a_file(),
                errno => errno.into(),
            })?;
        match FileType::from_raw_mode(fstat(&file)?.st_mode) {
            FileType::RegularFile => Ok(File::from(file)),
            _ => Err(not_a_file()),
        }
    }

    /// What the folder says of a name; `None` where it has none.
    pub(super) fn stat(&self, name: &str) -> io::Result<Option<Stat>> {
        match statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Where it is now; `None` once it is deleted.
    pub fn place(&self) -> Option<PathBuf> {
        let links = fstat(&self.descriptor).ok()?.st_nlink;
        let link = format!("/proc/self/fd/{}", self.descriptor.as_raw_fd());
        (links > 0).then(|| fs::read_link(link).ok()).flatten()
    }

    /// Whether a path leads to it.
    pub fn is_at(&self, path: &Path) -> bool {
        let (Ok(there), Ok(own)) = (rustix::fs::stat(path), fstat(&self.descriptor)) else {
            return false;
        };
        (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)
    }

    /// A word that no other folder of this machine has, wherever it is moved.
    pub fn identity(&self) -> io::Result<String> {
        let stat = fstat(&self.descriptor)?;
        Ok(format!("{:x}-{:x}", stat.st_dev, stat.st_ino))
    }

    /// The names in it.
    pub(super) fn names(path: &Path) -> io::Result<Vec<OsString>> {
        fs::read_dir(path)?.map(|entry| Ok(entry?.file_name())).collect()
    }
}

impl Disk for Folder {
    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        match self.file(name, OFlags::RDONLY) {
            Ok(mut file) => {
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes)?;
                Ok(Some(bytes))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.file(name, OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC)?.write_all(bytes)
    }

    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.file(name, OFlags::WRONLY | OFlags::APPEND)?.write_all(bytes)
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        self.file(name, OFlags::RDONLY)?.sync_all()
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(renameat(&self.descriptor, from, &self.descriptor, to)?)
    }

    fn sync_names(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.descriptor)?)
    }

    fn has(&self, name: &str) -> io::Result<bool> {
        Ok(self.stat(name)?.is_some())
    }
}
